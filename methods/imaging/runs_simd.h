/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Runs with vectors: words of bits from lines of bytes, and labels of pixels from
 * those of runs. Included by sources that are compiled once for each instruction
 * set.
 */
#ifndef LE_IMAGING_RUNS_SIMD_H
#define LE_IMAGING_RUNS_SIMD_H

#include "common/isa.h"
#include "imaging/runs.h"
#include "imaging/words.h"

#include <string.h>

/* A line of bytes as words. */
static inline void le__im_bits(const uint8_t *bytes, int64_t cols, uint64_t *out) {
    int64_t x = 0;
    for (; x + 64 <= cols; x += 64)
        *out++ = le__im_word(bytes + x);
    if (x < cols) {
        uint8_t rest[64] = {0};
        memcpy(rest, bytes + x, (size_t)(cols - x));
        *out = le__im_word(rest);
    }
}

/* Of 8 starts the number up to each of them. */
typedef struct le__im_places {
    uint8_t upto[256][8];
} le__im_places;

static inline void le__im_make_places(le__im_places *out) {
    for (int starts = 0; starts < 256; starts++)
        for (int k = 0, n = 0; k < 8; k++) {
            n += starts >> k & 1;
            out->upto[starts][k] = (uint8_t)n;
        }
}

/* Labels of 8 pixels. `before`: runs that start before them. */
static inline void le__im_write_8(const le__im_places *places, const int32_t *before, uint8_t bits,
                                  uint8_t starts, int32_t *out) {
#if LE_METHOD_ISA
    const __m128i upto = _mm_loadl_epi64((const __m128i *)(const void *)places->upto[starts]);
    const __m256i labels = _mm256_permutevar8x32_epi32(
        _mm256_loadu_si256((const __m256i *)(const void *)before), _mm256_cvtepu8_epi32(upto));
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i there = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits), bit), bit);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_and_si256(labels, there));
#else
    for (int k = 0; k < 8; k++)
        out[k] = -(bits >> k & 1) & before[places->upto[starts][k]];
#endif
}

static inline void le__im_write_word(const le__im_runs *r, const le__im_places *places, int64_t w,
                                     int32_t *out) {
    const int32_t *before = r->labels + r->first[w];
    uint64_t bits = r->bits[w], starts = r->starts[w];
    if (bits == 0) {
        memset(out, 0, 64 * sizeof *out);
        return;
    }
    for (int k = 0; k < 64; k += 8) {
        le__im_write_8(places, before, (uint8_t)bits, (uint8_t)starts, out + k);
        before += places->upto[starts & 255][7];
        bits >>= 8;
        starts >>= 8;
    }
}

static inline void le__im_write_labels(const le__im_runs *r, const le__im_places *places,
                                       int64_t line, int32_t *out) {
    const int64_t cols = r->shape.cols;
    int64_t w = line * r->words, x = 0;
    for (; x + 64 <= cols; x += 64)
        le__im_write_word(r, places, w++, out + x);
    if (x < cols) {
        int32_t rest[64];
        le__im_write_word(r, places, w, rest);
        memcpy(out + x, rest, (size_t)(cols - x) * sizeof *out);
    }
}

typedef struct le__im_labelling {
    const le__im_runs *runs;
    int32_t *labels;
} le__im_labelling;

/* For le_parallel_for over blocks; context: a le__im_labelling. */
static inline void le__im_write_blocks(void *context, size_t begin, size_t end, int worker) {
    const le__im_labelling *l = context;
    const le__im_runs *r = l->runs;
    le__im_places places;
    (void)worker;
    le__im_make_places(&places);
    for (int64_t b = (int64_t)begin; b < (int64_t)end; b++)
        for (int64_t line = le__im_block_begin(r, b); line < le__im_block_end(r, b); line++)
            le__im_write_labels(r, &places, line, l->labels + line * r->shape.cols);
}

#endif
