/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * FITS files: whole, an HDU by its number, a part of it, a column; its places on the sky, and its
 * cards in another file.
 */
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_like(const char *place) {
    char output[80];
    float pixels[6] = {0};
    le_tensor t = le_tensor_of(pixels, LE_F32, 2, (int64_t[]){2, 3});
    const le_io_write_options options = {.struct_size = sizeof options, .like = place};
    snprintf(output, sizeof output, "/tmp/le-fuzz-%ld-like.fits", (long)getpid());
    if (le_io_write_with(NULL, output, &t, &options) != LE_OK)
        abort();
    unlink(output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const parts[] = {"[0]",    "[1]",         "[0:3,...,::2]",
                                        "[1][x]", "[1][::2,1:]", "[0:2,0:3]"};
    const double positions[6] = {0, 0, 1.5, 2, 1e6, -1e6};
    char place[128];
    double sky[6];
    const char *path = fuzz_put(".fits", data, size);
    size_t part = size ? data[size / 2] % (sizeof parts / sizeof *parts) : 0;
    snprintf(place, sizeof place, "%s%s", path, parts[part]);
    fuzz_read(path);
    fuzz_read(place);
    le_io_sky(place, positions, 3, 2, sky);
    write_like(place);
    unlink(path);
    return 0;
}
