/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Stored chunks that are not what they should be: cut at every length, and with every byte changed.
 * They are refused or, where only values have changed, decoded; what is skipped is said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/runs_here.h"
#include "one_engine.h"
#include "scattering/encode.h"

enum { ELEMENTS = 203, BLOCK = 64, CHUNKS = 3 };

static uint16_t values[ELEMENTS];
static uint8_t chunk[4096];
static int64_t size;

static int encode(void **state) {
    const le__sc_format f = {.compression = LE__SC_BITS_LZ4, .element = 2, .elements = ELEMENTS,
                             .block = BLOCK};
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = (uint16_t)(i * i * 7);
    assert_true(le__sc_encode_bound(&f) < (int64_t)sizeof chunk);
    size = le__sc_encode(&f, values, chunk);
    return open_engine(state);
}

static le_status decode(const void *bytes, int64_t n, le_tensor *out, const char *implementation) {
    const int64_t offsets[] = {0, n};
    le_tensor in = le_tensor_of(bytes, LE_U8, 1, &n),
              at = le_tensor_of(offsets, LE_I64, 1, (int64_t[]){2});
    return le_engine_run(engine, "bitshuffle_lz4", LE_IN("bytes", &in), LE_IN("offsets", &at),
                         LE_F64S("chunk", ((double[]){ELEMENTS}), 1), LE_STR("type", "u16"),
                         LE_OUT("result", out), LE_OPT_IMPLEMENTATION(implementation));
}

static void test_right(void **state) {
    static const char *const names[] = {"reference", "c", "avx2", "avx512"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        le_tensor out = {0};
        le_status status = decode(chunk, size, &out, names[k]);
        if (k > 1 && status == LE_ERR_NO_CANDIDATE)
            continue; /* not on this machine */
        assert_int_equal(status, LE_OK);
        assert_memory_equal(out.data, values, sizeof values);
        le_tensor_free(&out);
    }
}

/* The caller's memory is untouched by what cannot be decoded. */
static void test_cut(void **state) {
    uint16_t mine[ELEMENTS];
    (void)state;
    memset(mine, 0x5a, sizeof mine);
    for (int64_t n = 1; n < size; n++) {
        le_tensor out = le_tensor_of(mine, LE_U16, 1, (int64_t[]){ELEMENTS});
        uint8_t *copy = malloc((size_t)n); /* its end is where sanitizers see a step beyond */
        memcpy(copy, chunk, (size_t)n);
        assert_int_equal(decode(copy, n, &out, "c"), LE_ERR_DATA);
        assert_non_null(strstr(le_error_message(), "chunk 0"));
        free(copy);
    }
    for (int i = 0; i < ELEMENTS; i++)
        assert_int_equal(mine[i], 0x5a5a);
}

static void test_changed(void **state) {
    int refused = 0;
    (void)state;
    for (int64_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            uint8_t copy[sizeof chunk];
            le_tensor out = {0};
            memcpy(copy, chunk, (size_t)size);
            copy[i] ^= (uint8_t)(1u << bit);
            le_status status = decode(copy, size, &out, "c");
            assert_true(status == LE_OK || status == LE_ERR_DATA);
            if (i < 12)
                assert_int_equal(status, LE_ERR_DATA); /* the header */
            refused += status != LE_OK;
            le_tensor_free(&out);
        }
    assert_true(refused > 8 * 12);
}

/* One of three chunks is bad, one was never written. */
static void test_skip(void **state) {
    static uint8_t bytes[2 * sizeof chunk];
    const int64_t offsets[] = {0, size, 2 * size - 3, 2 * size - 3};
    (void)state;
    memcpy(bytes, chunk, (size_t)size);
    memcpy(bytes + size, chunk, (size_t)size);
    le_tensor in = le_tensor_of(bytes, LE_U8, 1, (int64_t[]){2 * size}),
              at = le_tensor_of(offsets, LE_I64, 1, (int64_t[]){CHUNKS + 1}), out = {0},
              decoded = {0};
    assert_int_equal(
        le_engine_run(engine, "bitshuffle_lz4", LE_IN("bytes", &in), LE_IN("offsets", &at),
                      LE_F64S("chunk", ((double[]){ELEMENTS}), 1), LE_STR("type", "u16"),
                      LE_F64("fill", 9), LE_STR("bad_chunks", "skip"), LE_OUT("result", &out),
                      LE_OUT("decoded", &decoded)),
        LE_OK);
    assert_memory_equal(out.data, values, sizeof values);
    const uint16_t *got = out.data;
    for (int i = 0; i < ELEMENTS; i++) {
        assert_int_equal(got[ELEMENTS + i], 0);
        assert_int_equal(got[2 * ELEMENTS + i], 9);
    }
    const uint8_t *said = decoded.data;
    assert_true(said[0] == 1 && said[1] == 0 && said[2] == 1);
    le_tensor_free(&out);
    le_tensor_free(&decoded);
}

static void test_offsets(void **state) {
    static const int64_t bad[][2] = {{-1, 5}, {5, 1}, {0, 1 << 20}, {INT64_MAX, INT64_MIN}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        le_tensor in = le_tensor_of(chunk, LE_U8, 1, &size),
                  at = le_tensor_of(bad[k], LE_I64, 1, (int64_t[]){2}), out = {0};
        assert_int_equal(le_engine_run(engine, "bitshuffle_lz4", LE_IN("bytes", &in),
                                       LE_IN("offsets", &at),
                                       LE_F64S("chunk", ((double[]){ELEMENTS}), 1),
                                       LE_STR("type", "u16"), LE_OUT("result", &out)),
                         LE_ERR_DATA);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right), cmocka_unit_test(test_cut), cmocka_unit_test(test_changed),
        cmocka_unit_test(test_skip), cmocka_unit_test(test_offsets)};
    return cmocka_run_group_tests(tests, encode, close_engine);
}
