/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * NRRD files: header and data.
 */
#include "fuzz_file.h"

#include "files/nrrd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    le__nrrd_header h;
    char *text = malloc(size + 1); /* its own block: reading beyond it shows */
    if (!text)
        return 0;
    memcpy(text, data, size);
    if (le__nrrd_parse("input", text, size, &h) == LE_OK &&
        (h.ndim < 1 || h.ndim > LE_MAX_DIMS || h.length > (int64_t)size))
        abort();
    free(text);
    const char *path = fuzz_put(".nrrd", data, size);
    fuzz_read(path);
    unlink(path);
    return 0;
}
