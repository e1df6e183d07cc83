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
#include "scattering/lz4_block.h"

#include <lz4.h>

enum { ELEMENTS = 203, BLOCK = 64, CHUNKS = 3 };

static uint16_t values[ELEMENTS];
static uint8_t chunk[4096];
static int64_t size;

static int encode(void **state) {
    const le__sc_format f = {
        .compression = LE__SC_BITS_LZ4, .element = 2, .elements = ELEMENTS, .block = BLOCK};
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
    return le_engine_run(engine, "bitshuffle_lz4", LE_IN("frames", &in), LE_IN("offsets", &at),
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

/* A chunk whose blocks are one byte, what is `offset` bytes before it for long, and five zeros. */
static int64_t make_repeats(uint8_t *out, uint8_t offset) {
    static const uint8_t head[] = {0, 0, 0, 0, 0, 0, 1, 2 * ELEMENTS - 256, 0, 0, 0, 2 * BLOCK};
    const uint8_t full[] = {0, 0, 0, 11, 0x1f, 7, offset, 0, 103, 0x50, 0, 0, 0, 0, 0},
                  rest[] = {0, 0, 0, 10, 0x16, 7, offset, 0, 0x50, 0, 0, 0, 0, 0};
    int64_t n = (int64_t)sizeof head;
    memcpy(out, head, sizeof head);
    for (int k = 0; k < ELEMENTS / BLOCK; k++, n += (int64_t)sizeof full)
        memcpy(out + n, full, sizeof full);
    memcpy(out + n, rest, sizeof rest);
    n += (int64_t)sizeof rest;
    memset(out + n, 0, 2 * (ELEMENTS % 8));
    return n + 2 * (ELEMENTS % 8);
}

/* liblz4 takes it, and gives what the memory held. */
static void test_offset_zero(void **state) {
    static const char *const names[] = {"reference", "c", "avx2", "avx512"};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (uint8_t offset = 0; offset < 2; offset++) {
            uint8_t bytes[256];
            le_tensor out = {0};
            le_status status = decode(bytes, make_repeats(bytes, offset), &out, names[k]);
            if (k < 2 || status != LE_ERR_NO_CANDIDATE)
                assert_int_equal(status, offset ? LE_OK : LE_ERR_DATA);
            le_tensor_free(&out);
        }
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
        le_engine_run(engine, "bitshuffle_lz4", LE_IN("frames", &in), LE_IN("offsets", &at),
                      LE_F64S("chunk", ((double[]){ELEMENTS}), 1), LE_STR("type", "u16"),
                      LE_F64("fill", 9), LE_STR("bad_frames", "skip"), LE_OUT("result", &out),
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
        assert_int_equal(le_engine_run(engine, "bitshuffle_lz4", LE_IN("frames", &in),
                                       LE_IN("offsets", &at),
                                       LE_F64S("chunk", ((double[]){ELEMENTS}), 1),
                                       LE_STR("type", "u16"), LE_OUT("result", &out)),
                         LE_ERR_DATA);
    }
}

/* ---------------------------------------------------------------------------------------- LZ4 -- */

enum { BLOCK_BYTES = 512 };

static uint32_t next_random(uint32_t *x) {
    *x = *x * 1664525u + 1013904223u;
    return *x >> 8;
}

/* Planes as those of counts: noise, what repeats at all distances, and zeros in the middle or
 * behind. */
static void fill_block(uint8_t *out, uint32_t *random) {
    const uint32_t noise = next_random(random) % BLOCK_BYTES, gap = next_random(random) % 100,
                   period = 1 + next_random(random) % 40;
    memset(out, 0, BLOCK_BYTES);
    for (uint32_t i = 0; i < noise; i++)
        out[i] = (uint8_t)(i % 97 < gap    ? 0
                           : i < noise / 2 ? next_random(random)
                           : period < i    ? out[i - period]
                                           : 3);
}

/* Against liblz4, in memory whose end sanitizers see. What is changed is refused, or decoded to the
 * same (liblz4 takes an offset of 0, and gives what the memory held); checking and decoding agree.
 */
static void compare_block(const char *data, int n) {
    uint8_t *from = malloc((size_t)n), *got = malloc(BLOCK_BYTES), want[BLOCK_BYTES];
    int64_t used = 0;
    memcpy(from, data, (size_t)n);
    const bool theirs = LZ4_decompress_safe(data, (char *)want, n, BLOCK_BYTES) == BLOCK_BYTES,
               ours = le__sc_lz4_decode(from, n, got, BLOCK_BYTES, &used);
    assert_int_equal(ours, le__sc_lz4_check(from, n, BLOCK_BYTES));
    if (ours && theirs) {
        assert_true(used >= 0 && used <= BLOCK_BYTES);
        memset(got + used, 0, (size_t)(BLOCK_BYTES - used));
        assert_memory_equal(got, want, BLOCK_BYTES);
    }
    free(from);
    free(got);
}

static void test_lz4(void **state) {
    uint32_t random = 5;
    (void)state;
    for (int k = 0; k < 3000; k++) {
        uint8_t block[BLOCK_BYTES];
        char data[LZ4_COMPRESSBOUND(BLOCK_BYTES)];
        int64_t used;
        fill_block(block, &random);
        const int n = LZ4_compress_default((const char *)block, data, BLOCK_BYTES, sizeof data);
        assert_true(n > 0);
        uint8_t got[BLOCK_BYTES];
        assert_true(le__sc_lz4_decode((const uint8_t *)data, n, got, BLOCK_BYTES, &used));
        assert_memory_equal(got, block, (size_t)used);
        compare_block(data, n);
        for (int i = 0; i < 4; i++) {
            data[next_random(&random) % (uint32_t)n] = (char)next_random(&random);
            compare_block(data, n);
        }
        compare_block(data, (int)(next_random(&random) % (uint32_t)n));
    }
}

static int64_t put_length(uint8_t *out, int64_t n) {
    int64_t at = 0;
    for (; n >= 255; n -= 255)
        out[at++] = 255;
    out[at++] = (uint8_t)n;
    return at;
}

/* One sequence after the other, of every distance to 40 and every length to 80, far from the end.
 */
static void test_matches(void **state) {
    enum { FARTHEST = 40, LONGEST = 80, MOST = 1 << 19 };
    uint8_t *data = malloc(MOST), *want = malloc(MOST), *got = malloc(MOST);
    int64_t at = 0, n = 0, used = 0;
    uint32_t random = 9;
    (void)state;
    for (int64_t distance = 1; distance <= FARTHEST; distance++)
        for (int64_t length = 4; length <= LONGEST; length++) {
            const int64_t fresh = n < FARTHEST ? FARTHEST : next_random(&random) % 24,
                          more = length - 4;
            data[at++] = (uint8_t)((fresh < 15 ? fresh : 15) << 4 | (more < 15 ? more : 15));
            at += fresh < 15 ? 0 : put_length(data + at, fresh - 15);
            for (int64_t i = 0; i < fresh; i++)
                data[at++] = want[n++] = (uint8_t)next_random(&random);
            data[at++] = (uint8_t)distance;
            data[at++] = 0;
            at += more < 15 ? 0 : put_length(data + at, more - 15);
            for (int64_t i = 0; i < length; i++, n++)
                want[n] = want[n - distance];
        }
    data[at++] = 0xf0;
    at += put_length(data + at, 100 - 15);
    for (int i = 0; i < 100; i++)
        data[at++] = want[n++] = (uint8_t)next_random(&random);
    assert_true(at < MOST && n < MOST);
    assert_true(le__sc_lz4_check(data, at, n) && le__sc_lz4_decode(data, at, got, n, &used));
    assert_int_equal(used, n);
    assert_memory_equal(got, want, (size_t)n);
    free(data);
    free(want);
    free(got);
}

/* Zeros behind are not written, so that they cost nothing. */
static void test_zeros(void **state) {
    uint8_t block[BLOCK_BYTES] = {1, 2, 3}, got[BLOCK_BYTES];
    char data[LZ4_COMPRESSBOUND(BLOCK_BYTES)];
    int64_t used;
    (void)state;
    const int n = LZ4_compress_default((const char *)block, data, BLOCK_BYTES, sizeof data);
    assert_true(le__sc_lz4_decode((const uint8_t *)data, n, got, BLOCK_BYTES, &used));
    assert_true(used >= 3 && used < 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),       cmocka_unit_test(test_cut),
        cmocka_unit_test(test_changed),     cmocka_unit_test(test_skip),
        cmocka_unit_test(test_offset_zero), cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_lz4),         cmocka_unit_test(test_matches),
        cmocka_unit_test(test_zeros)};
    return cmocka_run_group_tests(tests, encode, close_engine);
}
