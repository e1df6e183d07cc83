/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The shortest program: one operation, run by whatever is fastest here.
 */
#include <liquid_engine/le.h>

#include <stdio.h>

int main(void) {
    /* a cube of 2 x 2 x 2 numbers; the engine borrows the memory */
    const float numbers[] = {1, 2, 3, 4, 3, 4, 5, 8};
    const le_tensor volume = le_tensor_of(numbers, LE_F32, 3, (int64_t[]){2, 2, 2});
    le_tensor image = {0}; /* unallocated: the engine fills in shape and memory */

    le_status status = le_run("project", LE_IN("volume", &volume), LE_OUT("image", &image),
                              LE_STR("reduce", "mean"), LE_STR("scale", "linear"),
                              LE_STR("colormap", "none"));
    if (status != LE_OK) {
        fprintf(stderr, "%s\n", le_error_message());
        return 1;
    }
    const float *mean = image.data;
    printf("%g %g\n%g %g\n", mean[0], mean[1], mean[2], mean[3]);

    le_run_info info = {.struct_size = sizeof info};
    if (le_last_run(&info) == LE_OK)
        printf("by %s in %.1f us\n", info.candidate, 1e6 * info.seconds);
    le_tensor_free(&image);
    le_shutdown();
    return 0;
}
