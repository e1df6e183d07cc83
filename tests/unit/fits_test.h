/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * FITS files made by hand, and what is read from them.
 */
#ifndef LE_FITS_TEST_H
#define LE_FITS_TEST_H

#include "io_test.h"

enum { BLOCK = 2880 };

/* Cards of a header, NULL-ended, and data; both filled up to whole blocks. */
static inline void put_fits(const char *file, const char *const *cards, const void *data,
                            size_t bytes) {
    char block[4 * BLOCK];
    size_t n = 0;
    memset(block, ' ', sizeof block);
    for (; cards[n]; n++)
        memcpy(block + n * 80, cards[n], strlen(cards[n]));
    memcpy(block + n * 80, "END", 3);
    size_t head = ((n + 1) * 80 + BLOCK - 1) / BLOCK * BLOCK;
    size_t all = head + (bytes + BLOCK - 1) / BLOCK * BLOCK;
    assert_true(all <= sizeof block);
    memset(block + head, 0, all - head);
    if (bytes)
        memcpy(block + head, data, bytes);
    io_put(file, block, all);
}

static inline void assert_values(const char *place, const char *shape, const double *expected) {
    le_tensor t = {0};
    if (le_io_read(io_engine, place, NULL, &t) != LE_OK)
        fail_msg("%s", le_error_message());
    io_assert_shape(&t, shape);
    for (int64_t i = 0; i < le_tensor_count(&t); i++) {
        double got = le_tensor_get(&t, i);
        if (got != expected[i] && !(isnan(got) && isnan(expected[i])))
            fail_msg("%s: element %d is %.17g, expected %.17g", place, (int)i, got, expected[i]);
    }
    le_dtype dtype;
    int ndim;
    int64_t size[LE_MAX_DIMS];
    assert_int_equal(le_io_peek(place, &dtype, &ndim, size), LE_OK);
    assert_int_equal(dtype, t.dtype);
    assert_int_equal(ndim, t.ndim);
    assert_memory_equal(size, t.shape, (size_t)ndim * sizeof *size);
    le_tensor_free(&t);
}

#endif
