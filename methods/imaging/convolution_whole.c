/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions of images of 8 and 16 bits with whole taps: exact sums in 32 bits, two taps in an
 * instruction. Sums on the way may wrap around; the last one fits. Once for each instruction set.
 */
#include "common/isa.h"
#include "imaging/convolution_memory.h"
#include "imaging/convolution_vec.h"

/* Two neighbours in one element, the first in its lower half. Pixels of u16 are taken as 32768
 * less, which the sum begins with. */
static inline int32_t pair(int32_t first, int32_t second) {
    return (int32_t)((uint32_t)(first & 0xffff) | (uint32_t)second << 16);
}

static inline int32_t offset_of(le_dtype dtype) {
    return dtype == LE_U16 ? 32768 : 0;
}

#define PAIRS(D, T, s)                                                                             \
    static void pairs_##s(const T *in, int64_t count, int32_t *restrict out) {                     \
        for (int64_t i = 0; i < count; i++)                                                        \
            out[i] = pair(in[i] - offset_of(D), in[i + 1] - offset_of(D));                         \
    }
PAIRS(LE_U8, uint8_t, u8)
PAIRS(LE_I16, int16_t, i16)
PAIRS(LE_U16, uint16_t, u16)

static void pairs_inside(const le__conv_run *r, int64_t at, int64_t count, int32_t *out) {
    if (r->in_dtype == LE_U8)
        pairs_u8((const uint8_t *)r->in + at, count, out);
    else if (r->in_dtype == LE_I16)
        pairs_i16((const int16_t *)r->in + at, count, out);
    else
        pairs_u16((const uint16_t *)r->in + at, count, out);
}

static int32_t pair_at(const le__conv_run *r, int64_t row, int64_t col) {
    const int32_t less = offset_of(r->in_dtype);
    return pair((int32_t)le__conv_element(r, row, col) - less,
                (int32_t)le__conv_element(r, row, col + 1) - less);
}

/* Pairs that begin at column col and count - 1 after it. */
static inline void pairs_i32(const le__conv_run *r, int64_t row, int64_t col, int64_t count,
                             int32_t *out) {
    int64_t begin = col < 0 ? -col : 0, end = r->c->cols - 1 - col;
    if (end > count)
        end = count;
    if (row < 0 || r->in_stride[1] != 1 || begin > end)
        begin = end = 0;
    for (int64_t i = 0; i < begin; i++)
        out[i] = pair_at(r, row, col + i);
    if (begin < end)
        pairs_inside(r, row * r->in_stride[0] + col + begin, end - begin, out + begin);
    for (int64_t i = end; i < count; i++)
        out[i] = pair_at(r, row, col + i);
}

#define STEP   2
#define LOAD   pairs
#define REAL   int32_t
#define SUFFIX i32
#define PIECE  INT64_MAX
#define DTYPE  LE_I32 /* which no image of pairs has */
#include "imaging/convolution_block.h"
#undef REAL
#undef SUFFIX
#undef PIECE
#undef DTYPE
#undef STEP
#undef LOAD

static const le__conv_form form = {sizeof(int32_t), 2 * GROUP_i32};

static bool applicable(const le_call *call, const char **why) {
    *why = "not whole taps on an image of u8, i16 or u16 whose sums 32 bits hold";
    return le__convolution_of(call)->whole;
}

static int64_t memory(const le_call *call) {
    return le__conv_memory(call, form);
}

static size_t items(const le_call *call) {
    return le__conv_items(call, form);
}

static void pair_taps(const le__convolution *c, int32_t *out) {
    for (int64_t i = 0; i < c->tap_rows; i++)
        for (int64_t j = 0; j < c->tap_cols; j += 2) {
            const double *tap = c->taps + i * c->tap_cols + j;
            *out++ = pair((int32_t)tap[0], j + 1 < c->tap_cols ? (int32_t)tap[1] : 0);
        }
}

static le_status prepare(le_call *call, void **out) {
    const le__convolution *c = le__convolution_of(call);
    le__conv_context *x = *out = le_call_scratch(call, sizeof *x);
    int32_t *taps = le_call_scratch(call, (size_t)(c->tap_rows * (c->tap_cols + 1)) * sizeof *taps);
    if (!x || !taps)
        return le_fail(LE_ERR_MEMORY, "no memory for a convolution");
    pair_taps(c, taps);
    le_status status = le__conv_prepare(call, form, x);
    x->taps = taps;
    return status;
}

/* What is missing of the sums where less was taken for each pixel. */
static int32_t start_of(const le__conv_context *x, const le__conv_block *b) {
    const le__convolution *c = x->run.c;
    uint32_t sum = 0;
    for (int64_t i = b->tap_row; i < b->tap_row + b->tap_rows; i++)
        for (int64_t j = b->tap_col; j < b->tap_col + b->tap_cols; j++)
            sum += (uint32_t)(int32_t)c->taps[i * c->tap_cols + j];
    return (int32_t)(sum * (uint32_t)offset_of(x->run.in_dtype));
}

/* Taps from an even column to the end of a pair. */
static le__conv_block in_pairs(const le__convolution *c, le__conv_block b) {
    const int64_t end = le__conv_width(b.tap_col + b.tap_cols, 2);
    b.tap_col -= b.tap_col % 2;
    b.tap_cols = (end < c->tap_cols ? end : c->tap_cols) - b.tap_col;
    return b;
}

static void range(void *data, size_t begin, size_t end, int worker) {
    const le__conv_context *x = data;
    for (size_t item = begin; item < end; item++) {
        const le__conv_block b = in_pairs(x->run.c, le__conv_block_at(&x->blocks, (int64_t)item));
        tile_i32 t = tile_at_i32(x, worker);
        direct_i32(&x->run, &b, x->taps, start_of(x, &b), &t);
    }
}

#define LE__CONV_WHOLE(operation)                                                                  \
    LE_IMPLEMENTATION(operation, LE__ISA_NAME(whole_), LE__ISA_FIELDS("simd"),                     \
                      .summary = "exact sums of whole numbers; " LE__ISA_WIDTH,                    \
                      .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 6, 12),                \
                      .applicable = applicable, .memory = memory, .prepare = prepare,              \
                      .items = items, .range = range)

LE__CONV_WHOLE(convolve2d);
LE__CONV_WHOLE(correlate2d);
LE__CONV_WHOLE(convolve);
