/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * HDF5 files, whole and sliced.
 */
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char place[128];
    const char *path = fuzz_put(".h5", data, size);
    fuzz_read(path);
    snprintf(place, sizeof place, "%s:/v[0:3,...,::2]", path);
    fuzz_read(place);
    unlink(path);
    return 0;
}
