/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chunks with malformed LZ4 sequences, and chunks with bytes changed at random: all implementations
 * that decode refuse what a plain decoder here refuses, which goes byte by byte (LZ4 block format
 * description, with its rules for the end of a block), and give what it gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "check/runs_here.h"
#include "one_engine.h"
#include "scattering/encode.h"

enum { ROWS = 7, COLS = 29, ELEMENTS = ROWS * COLS, BLOCK = 64, CHUNKS = 96, MOST = 8192 };

typedef struct scan {
    int element;
    uint8_t bytes[CHUNKS * MOST];
    int64_t offsets[CHUNKS + 1];
    bool good[CHUNKS];
    uint8_t want[CHUNKS][8 * ELEMENTS];
} scan;

static scan the_scan;

static uint32_t next_random(uint32_t *x) {
    *x = *x * 1664525u + 1013904223u;
    return *x >> 8;
}

/* -------------------------------------------------------------------------- the plain decoder --
 */

static bool plain_length(const uint8_t *in, int64_t size, int64_t *at, int64_t *n) {
    if (*n < 15)
        return true;
    uint8_t more;
    do {
        if (*at >= size)
            return false;
        more = in[(*at)++];
        *n += more;
    } while (more == 255);
    return true;
}

static bool plain_block(const uint8_t *in, int64_t size, uint8_t *out, int64_t bytes) {
    int64_t at = 0, done = 0;
    while (at < size) {
        const uint8_t token = in[at++];
        int64_t literals = token >> 4, match = token & 15;
        if (!plain_length(in, size, &at, &literals) || literals > size - at ||
            literals > bytes - done)
            return false;
        for (; literals > 0; literals--)
            out[done++] = in[at++];
        if (at == size)
            return done == bytes;
        if (size - at < 2 + 1 + 5 || bytes - done < 12)
            return false;
        const int64_t offset = in[at] + 256 * in[at + 1];
        at += 2;
        if (!plain_length(in, size, &at, &match) || offset == 0 || offset > done ||
            match + 4 > bytes - done - 5)
            return false;
        for (match += 4; match > 0; match--, done++)
            out[done] = out[done - offset];
    }
    return false;
}

static uint64_t number(const uint8_t *p, int bytes) {
    uint64_t x = 0;
    for (int k = 0; k < bytes; k++)
        x = x << 8 | p[k];
    return x;
}

static bool plain_chunk(const uint8_t *in, int64_t size, int64_t element, uint8_t *out) {
    uint8_t planes[8 * ELEMENTS];
    int64_t at = 12, e = 0;
    if (size < 12 || number(in, 8) != (uint64_t)(ELEMENTS * element))
        return false;
    int64_t block = (int64_t)number(in + 8, 4);
    block = block ? block : 8192;
    if (block % (8 * element))
        return false;
    block /= element;
    memset(out, 0, (size_t)(ELEMENTS * element));
    while (ELEMENTS - e >= 8) {
        const int64_t left = (ELEMENTS - e) / 8 * 8, n = left < block ? left : block;
        if (size - at < 4 || (int64_t)number(in + at, 4) > size - at - 4)
            return false;
        const int64_t stored = (int64_t)number(in + at, 4);
        if (!plain_block(in + at + 4, stored, planes, n * element))
            return false;
        for (int64_t i = 0; i < n; i++)
            for (int64_t p = 0; p < 8 * element; p++)
                if (planes[p * (n / 8) + i / 8] >> i % 8 & 1)
                    out[(e + i) * element + p / 8] |= (uint8_t)(1u << p % 8);
        at += 4 + stored;
        e += n;
    }
    if (size - at != (ELEMENTS - e) * element)
        return false;
    memcpy(out + e * element, in + at, (size_t)((ELEMENTS - e) * element));
    return true;
}

/* ------------------------------------------------------------------------------------- chunks --
 */

typedef struct sequences {
    const char *what;
    int n;
    uint8_t bytes[24];
} sequences;

/* Blocks of 64 bytes: elements of one byte. */
static const sequences crafted[] = {
    {"right: a byte, 58 times the same, five zeros", 11, {0x1f, 7, 1, 0, 39, 0x50, 0, 0, 0, 0, 0}},
    {"right: two bytes, repeated", 12, {0x2f, 7, 9, 2, 0, 38, 0x50, 0, 0, 0, 0, 0}},
    {"distance 0", 11, {0x1f, 7, 0, 0, 39, 0x50, 0, 0, 0, 0, 0}},
    {"distance 0 of the second match", 14, {0x12, 7, 1, 0, 0x0f, 0, 0, 33, 0x50, 0, 0, 0, 0, 0}},
    {"distance of one more than there is", 11, {0x1f, 7, 2, 0, 39, 0x50, 0, 0, 0, 0, 0}},
    {"the largest distance", 11, {0x1f, 7, 255, 255, 39, 0x50, 0, 0, 0, 0, 0}},
    {"a match before anything", 10, {0x0f, 1, 0, 40, 0x50, 0, 0, 0, 0, 0}},
    {"a match that is one longer", 11, {0x1f, 7, 1, 0, 40, 0x50, 0, 0, 0, 0, 0}},
    {"a match that is one shorter", 11, {0x1f, 7, 1, 0, 38, 0x50, 0, 0, 0, 0, 0}},
    {"a match far beyond the block", 13, {0x1f, 7, 1, 0, 255, 255, 39, 0x50, 0, 0, 0, 0, 0}},
    {"a match up to the end", 7, {0x1f, 7, 1, 0, 44, 0x00}},
    {"four last literals", 10, {0x1f, 7, 1, 0, 40, 0x40, 0, 0, 0, 0}},
    {"no last literals", 5, {0x1f, 7, 1, 0, 44}},
    {"last literals beyond the data", 10, {0x1f, 7, 1, 0, 39, 0x60, 0, 0, 0, 0}},
    {"literals beyond the block", 11, {0x1f, 7, 1, 0, 39, 0x60, 0, 0, 0, 0, 0}},
    {"a length that does not end", 5, {0x1f, 7, 1, 0, 255}},
    {"literals whose length does not end", 3, {0xf0, 255, 255}},
    {"half a distance", 3, {0x1f, 7, 1}},
    {"a token alone", 1, {0x10}},
    {"a token of nothing", 1, {0x00}},
    {"nothing", 0, {0}},
};
enum { CRAFTED = sizeof crafted / sizeof crafted[0], CRAFTED_CHUNKS = 3 * CRAFTED };

static int64_t put(uint8_t *out, uint64_t x, int bytes) {
    for (int k = 0; k < bytes; k++)
        out[k] = (uint8_t)(x >> 8 * (bytes - 1 - k));
    return bytes;
}

/* The sequences as one of three blocks of 64 bytes, among right ones. */
static int64_t put_crafted(uint8_t *out, const sequences *s, int place, int element) {
    int64_t at = put(out, (uint64_t)(ELEMENTS * element), 8);
    int64_t left = ELEMENTS * element / (8 * element) * (8 * element);
    at += put(out + at, 64, 4);
    for (int k = 0; left > 0; k++, left -= 64) {
        if (left < 64) { /* as it is */
            at += put(out + at, (uint64_t)left + 1 + (left >= 15), 4);
            out[at++] = (uint8_t)((left < 15 ? left : 15) << 4);
            if (left >= 15)
                out[at++] = (uint8_t)(left - 15);
            memset(out + at, 5, (size_t)left);
            at += left;
            break;
        }
        const sequences *here = k == place ? s : &crafted[k % 2];
        at += put(out + at, (uint64_t)here->n, 4);
        memcpy(out + at, here->bytes, (size_t)here->n);
        at += here->n;
    }
    const int64_t tail = ELEMENTS % 8 * element;
    memset(out + at, 1, (size_t)tail);
    return at + tail;
}

static void fill_elements(uint8_t *out, int element, uint32_t *random) {
    const uint32_t most = 1 + next_random(random) % 300;
    memset(out, 0, (size_t)(ELEMENTS * element));
    for (int i = 0; i < ELEMENTS; i++) {
        const uint32_t x = next_random(random) % most;
        out[i * element] = (uint8_t)x;
        if (element > 1)
            out[i * element + 1] = (uint8_t)(x >> 8);
    }
}

/* A few bytes changed, or the end cut off; the first stay as they are. */
static int64_t put_changed(uint8_t *out, int k, int element, uint32_t *random) {
    uint8_t elements[8 * ELEMENTS];
    const le__sc_format f = {
        .compression = LE__SC_BITS_LZ4, .element = element, .elements = ELEMENTS, .block = BLOCK};
    fill_elements(elements, element, random);
    const int64_t size = le__sc_encode(&f, elements, out);
    for (uint32_t n = k % 8 ? 1 + next_random(random) % 3 : 0; n > 0; n--)
        out[12 + next_random(random) % (uint32_t)(size - 12)] =
            (uint8_t)(next_random(random) >> (next_random(random) % 8));
    return k % 16 == 15 ? size - 1 - next_random(random) % (size - 1) : size;
}

static void fill_scan(scan *s, int element, bool craft, uint32_t random) {
    int64_t at = 0;
    s->element = element;
    for (int k = 0; k < CHUNKS; k++) {
        s->offsets[k] = at;
        const int64_t size = craft && k < CRAFTED_CHUNKS
                                 ? put_crafted(s->bytes + at, &crafted[k / 3], k % 3, element)
                                 : put_changed(s->bytes + at, k, element, &random);
        s->good[k] = plain_chunk(s->bytes + at, size, element, s->want[k]);
        if (!s->good[k])
            memset(s->want[k], 0, sizeof s->want[k]);
        at += size;
    }
    s->offsets[CHUNKS] = at;
}

/* ----------------------------------------------------------------------------------- verdicts --
 */

static void fail_at(const char *implementation, const scan *s, int k, const char *what) {
    fail_msg("%s, %d bytes an element, chunk %d (%s): %s, and is %s", implementation, s->element, k,
             k < CRAFTED_CHUNKS ? crafted[k / 3].what : "bytes changed", what,
             s->good[k] ? "right" : "wrong");
}

static const char *type_of(const scan *s) {
    static const char *const types[] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"};
    return types[s->element];
}

static void check_decoded(const char *implementation, const scan *s) {
    const int64_t offsets = CHUNKS + 1;
    le_tensor in = le_tensor_of(s->bytes, LE_U8, 1, &s->offsets[CHUNKS]),
              at = le_tensor_of(s->offsets, LE_I64, 1, &offsets), out = {0}, decoded = {0};
    le_status status =
        le_engine_run(engine, "bitshuffle_lz4", LE_IN("frames", &in), LE_IN("offsets", &at),
                      LE_F64S("chunk", ((double[]){1, ROWS, COLS}), 3), LE_STR("type", type_of(s)),
                      LE_STR("bad_frames", "skip"), LE_OUT("result", &out),
                      LE_OUT("decoded", &decoded), LE_OPT_IMPLEMENTATION(implementation));
    if (status != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
    const size_t bytes = (size_t)(s->element * ELEMENTS);
    for (int k = 0; k < CHUNKS; k++) {
        if (((const uint8_t *)decoded.data)[k] != s->good[k])
            fail_at(implementation, s, k, s->good[k] ? "is refused" : "is taken");
        if (memcmp((const uint8_t *)out.data + (size_t)k * bytes, s->want[k], bytes) != 0)
            fail_at(implementation, s, k, "has other elements");
    }
    le_tensor_free(&out);
    le_tensor_free(&decoded);
}

static double sum_of(const scan *s, int k) {
    double sum = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        uint64_t x = 0;
        for (int b = s->element - 1; b >= 0; b--)
            x = x << 8 | s->want[k][i * s->element + b];
        sum += (double)x;
    }
    return sum;
}

/* All pixels in one bin. */
static void check_integrated(const char *implementation, const scan *s) {
    const int64_t offsets = CHUNKS + 1;
    le_tensor in = le_tensor_of(s->bytes, LE_U8, 1, &s->offsets[CHUNKS]),
              at = le_tensor_of(s->offsets, LE_I64, 1, &offsets), sums = {0}, curves = {0};
    if (!strncmp(implementation, "staged", 6)) /* does not answer calls that skip bad chunks */
        return;
    le_status status =
        le_engine_run(engine, "integrate_stored", LE_IN("frames", &in), LE_IN("offsets", &at),
                      LE_F64S("chunk", ((double[]){1, ROWS, COLS}), 3), LE_STR("type", type_of(s)),
                      LE_STR("bad_frames", "skip"), LE_F64("distance", 0.1), LE_F64("poni1", 0),
                      LE_F64("poni2", 0), LE_F64("pixel1", 1e-4), LE_F64("pixel2", 1e-4),
                      LE_I64("npt", 1), LE_STR("unit", "r_mm"), LE_STR("splitting", "no"),
                      LE_I64("solid_angle", 0), LE_OUT("intensity", &curves),
                      LE_OUT("sum_signal", &sums), LE_OPT_IMPLEMENTATION(implementation));
    if (status != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
    for (int k = 0; k < CHUNKS; k++) {
        const double got = le_tensor_get(&sums, k), want = sum_of(s, k);
        if (isnan(le_tensor_get(&curves, k)) == s->good[k])
            fail_at(implementation, s, k, s->good[k] ? "has no curve" : "has a curve");
        if (s->good[k] && !(fabs(got - want) <= 1e-5 * want))
            fail_at(implementation, s, k, "has another sum");
    }
    le_tensor_free(&sums);
    le_tensor_free(&curves);
}

typedef void (*check_fn)(const char *implementation, const scan *s);

static void for_implementations(const char *operation, const scan *s, check_fn fn) {
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, operation, &n);
    for (size_t k = 0; k < n; k++)
        if (runs_here(engine, all[k]))
            fn(all[k]->name, s);
}

static void check_all(int element, bool craft, uint32_t random) {
    scan *s = &the_scan;
    int good = 0;
    fill_scan(s, element, craft, random);
    for (int k = 0; k < CHUNKS; k++)
        good += s->good[k];
    assert_in_range(good, 4, CHUNKS - 4);
    for_implementations("bitshuffle_lz4", s, check_decoded);
    if (element < 8)
        for_implementations("integrate_stored", s, check_integrated);
}

static void test_crafted(void **state) {
    (void)state;
    for (int element = 1; element <= 8; element *= 2)
        check_all(element, true, 3);
    fill_scan(&the_scan, 1, true, 3);
    for (int k = 0; k < CRAFTED_CHUNKS; k++)
        assert_int_equal(the_scan.good[k], !strncmp(crafted[k / 3].what, "right", 5));
}

static void test_changed(void **state) {
    const char *rounds = getenv("LE_TEST_CASES");
    const int most = rounds ? atoi(rounds) : 8;
    (void)state;
    for (int k = 0; k < most && k < 100000; k++)
        check_all(1 << k % 4, false, 100 + (uint32_t)k);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_crafted),
                                       cmocka_unit_test(test_changed)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
