/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What a program of someone else does: includes the public headers and runs an operation.
 */
#include <liquid_engine/le.h>
#include <liquid_engine/le_chain.h>
#include <liquid_engine/le_io.h>
#include <liquid_engine/le_method.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    const float cube[8] = {1, 2, 3, 4, 3, 4, 5, 8};
    le_tensor volume = le_tensor_of(cube, LE_F32, 3, (int64_t[]){2, 2, 2}), image = {0};
    if (strcmp(le_version(), LE_VERSION) != 0 ||
        le_run("project", LE_IN("volume", &volume), LE_OUT("image", &image),
               LE_STR("scale", "linear"), LE_STR("colormap", "none")) != LE_OK) {
        fprintf(stderr, "%s\n", le_error_message());
        return 1;
    }
    for (int i = 0; i < 4; i++)
        printf("%g ", le_tensor_get(&image, i));
    printf("\n");
    le_tensor_free(&image);
    le_shutdown();
    return 0;
}
