/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A datacube from a file, ten views of it to PNG files, and what was chosen to render them.
 *
 *     03_volume_render examples/data/web_128.h5:/density frames/web_%02d.png
 */
#include <liquid_engine/le.h>
#include <liquid_engine/le_io.h>

#include <stdio.h>

static int failed(void) {
    fprintf(stderr, "%s\n", le_error_message());
    return 1;
}

static void print_choice(le_engine *engine, const le_tensor *cube, const double *angles) {
    le_explanation *e;
    le_tensor images = {0};
    if (le_engine_explain(engine, &e, "volume_render", LE_IN("volume", cube),
                          LE_OUT("images", &images), LE_I64("size", 90),
                          LE_F64S("angles", angles, 10)) != LE_OK)
        return;
    printf("chosen: %s (%s) of %zu candidates\n", e->choice, e->why, e->n_candidates);
    le_explanation_free(&e);
}

int main(int argc, char **argv) {
    const char *from = argc > 1 ? argv[1] : "examples/data/web_128.h5:/density";
    const char *to = argc > 2 ? argv[2] : "frames/web_%02d.png";
    double angles[10];
    for (int i = 0; i < 10; i++)
        angles[i] = 9.0 * i; /* degrees about axis 0 */

    le_engine *engine;
    if (le_open(&engine, NULL) != LE_OK)
        return failed();
    le_tensor cube = {0}, images = {0};
    le_run_info info = {.struct_size = sizeof info};
    if (le_io_read(engine, from, NULL, &cube) != LE_OK ||
        le_engine_run(engine, "volume_render", LE_IN("volume", &cube), LE_OUT("images", &images),
                      LE_I64("size", 90), LE_F64S("angles", angles, 10)) != LE_OK ||
        le_last_run(&info) != LE_OK || le_io_write(engine, to, &images) != LE_OK)
        return failed();
    printf("10 views in %.1f ms by %s\n", 1e3 * info.seconds, info.candidate);
    print_choice(engine, &cube, angles);

    le_tensor_free(&images);
    le_tensor_free(&cube);
    le_close(&engine);
    return 0;
}
