/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * CSV files: whole, a column by its name, a part.
 */
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const parts[] = {"", "[flux]", "[x, y][::2]", "[1:,::2]", "[-1]"};
    char place[128];
    const char *path = fuzz_put(".csv", data, size);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(place, sizeof place, "%s%s", path, parts[i]);
        fuzz_read(place);
    }
    unlink(path);
    return 0;
}
