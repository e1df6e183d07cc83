/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Puts an input into a file and reads it as a tensor.
 */
#ifndef LE_FUZZ_FILE_H
#define LE_FUZZ_FILE_H

#include "liquid_engine/le_io.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of this process with the given ending; the same path each time. */
static const char *fuzz_put(const char *ending, const uint8_t *data, size_t size) {
    static char path[64];
    snprintf(path, sizeof path, "/tmp/le-fuzz-%ld%s", (long)getpid(), ending);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size)
        abort();
    fclose(f);
    return path;
}

/* Reads and touches every element; sizes up to 16 MiB. */
static inline void fuzz_read(const char *place) {
    const le_io_options options = {.struct_size = sizeof options, .max_bytes = 16 << 20};
    le_tensor t = {0};
    if (le_io_read(NULL, place, &options, &t) == LE_OK) {
        volatile unsigned char sum = 0;
        const unsigned char *bytes = t.data;
        for (int64_t i = 0; i < le_tensor_count(&t) * (int64_t)le_dtype_size(t.dtype); i++)
            sum = (unsigned char)(sum + bytes[i]);
        le_tensor_free(&t);
    } else if (*le_error_message() == '\0') {
        abort(); /* an error without a text */
    }
}

#endif
