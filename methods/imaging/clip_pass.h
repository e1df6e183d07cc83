/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The one look at the pixels of a clip (clip_window.h). Included by sources that
 * are compiled once for each instruction set.
 */
#ifndef LE_IMAGING_CLIP_PASS_H
#define LE_IMAGING_CLIP_PASS_H

#include "imaging/clip_window.h"
#include "imaging/words.h"

#include <string.h>

enum { LE__IM_SPAN = 2048 };

/* The numbers of a word of 64 that are marked. */
#define LE__IM_APPEND(T, list, x, marked)                                                          \
    for (uint64_t at = (marked); at; at &= at - 1)                                                 \
        *(list)++ = (x)[__builtin_ctzll(at)];

#if LE_METHOD_ISA == 512

/* Of 64 pixels at a time: appends to the lists of p, adds to the sums. above: a
 * word for each 64 with those beyond the upper edge; NULL: not wanted. `words`
 * of them. */
static inline void le__im_pass_f32(const le__im_edges *e, const float *x, int64_t words,
                                   uint64_t *above, le__im_block *p) {
    const __m512 lower = _mm512_set1_ps((float)e->lower), upper = _mm512_set1_ps((float)e->upper);
    const __m512 from = _mm512_set1_ps((float)e->window_lower),
                 to = _mm512_set1_ps((float)e->window_upper),
                 middle = _mm512_set1_ps((float)e->shift);
    const __m512d shift = _mm512_set1_pd(e->shift);
    __m512d sum[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
    __m512d sum2[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
    float *tails = (float *)p->tails + p->n_tails, *window = (float *)p->window + p->n_window;
    for (int64_t w = 0; w < words; w++) {
        uint64_t cores = 0, belows = 0, highs = 0;
        for (int k = 0; k < LE__IM_WORD; k += 16) {
            const __m512 v = _mm512_loadu_ps(x + w * LE__IM_WORD + k);
            const __mmask16 high = _mm512_cmp_ps_mask(v, upper, _CMP_GT_OQ);
            const __mmask16 tail = (__mmask16)(high | _mm512_cmp_ps_mask(v, lower, _CMP_LT_OQ));
            const __mmask16 core = _mm512_mask_cmp_ps_mask((__mmask16)~tail, v, v, _CMP_ORD_Q);
            const __mmask16 below = _mm512_mask_cmp_ps_mask(core, v, from, _CMP_LT_OQ);
            const __mmask16 in =
                _mm512_mask_cmp_ps_mask((__mmask16)(core & ~below), v, to, _CMP_LE_OQ);
            const __m512 c = _mm512_mask_mov_ps(middle, core, v);
            const __m512d d0 = _mm512_sub_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(c)), shift);
            const __m512d d1 = _mm512_sub_pd(_mm512_cvtps_pd(_mm512_extractf32x8_ps(c, 1)), shift);
            sum[0] = _mm512_add_pd(sum[0], d0);
            sum[1] = _mm512_add_pd(sum[1], d1);
            sum2[0] = _mm512_fmadd_pd(d0, d0, sum2[0]);
            sum2[1] = _mm512_fmadd_pd(d1, d1, sum2[1]);
            _mm512_storeu_ps(tails, _mm512_maskz_compress_ps(tail, v));
            tails += __builtin_popcount(tail);
            _mm512_storeu_ps(window, _mm512_maskz_compress_ps(in, v));
            window += __builtin_popcount(in);
            cores |= (uint64_t)core << k;
            belows |= (uint64_t)below << k;
            highs |= (uint64_t)high << k;
        }
        p->n_core += __builtin_popcountll(cores);
        p->n_below += __builtin_popcountll(belows);
        if (above)
            above[w] = highs;
    }
    p->n_tails = tails - (float *)p->tails;
    p->n_window = window - (float *)p->window;
    const double s = _mm512_reduce_add_pd(_mm512_add_pd(sum[0], sum[1]));
    const double s2 = _mm512_reduce_add_pd(_mm512_add_pd(sum2[0], sum2[1]));
    p->sum = le__dd_add(p->sum, (le__dd){s, 0});
    p->sum2 = le__dd_add(p->sum2, (le__dd){s2, 0});
}

static inline void le__im_pass_f64(const le__im_edges *e, const double *x, int64_t words,
                                   uint64_t *above, le__im_block *p) {
    const __m512d lower = _mm512_set1_pd(e->lower), upper = _mm512_set1_pd(e->upper);
    const __m512d from = _mm512_set1_pd(e->window_lower), to = _mm512_set1_pd(e->window_upper);
    const __m512d shift = _mm512_set1_pd(e->shift);
    __m512d sum[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
    __m512d sum2[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
    double *tails = (double *)p->tails + p->n_tails, *window = (double *)p->window + p->n_window;
    for (int64_t w = 0; w < words; w++) {
        uint64_t cores = 0, belows = 0, highs = 0;
        for (int k = 0; k < LE__IM_WORD; k += 8) {
            const __m512d v = _mm512_loadu_pd(x + w * LE__IM_WORD + k);
            const __mmask8 high = _mm512_cmp_pd_mask(v, upper, _CMP_GT_OQ);
            const __mmask8 tail = (__mmask8)(high | _mm512_cmp_pd_mask(v, lower, _CMP_LT_OQ));
            const __mmask8 core = _mm512_mask_cmp_pd_mask((__mmask8)~tail, v, v, _CMP_ORD_Q);
            const __mmask8 below = _mm512_mask_cmp_pd_mask(core, v, from, _CMP_LT_OQ);
            const __mmask8 in =
                _mm512_mask_cmp_pd_mask((__mmask8)(core & ~below), v, to, _CMP_LE_OQ);
            const __m512d d = _mm512_maskz_sub_pd(core, v, shift);
            sum[k / 8 % 2] = _mm512_add_pd(sum[k / 8 % 2], d);
            sum2[k / 8 % 2] = _mm512_fmadd_pd(d, d, sum2[k / 8 % 2]);
            _mm512_storeu_pd(tails, _mm512_maskz_compress_pd(tail, v));
            tails += __builtin_popcount(tail);
            _mm512_storeu_pd(window, _mm512_maskz_compress_pd(in, v));
            window += __builtin_popcount(in);
            cores |= (uint64_t)core << k;
            belows |= (uint64_t)below << k;
            highs |= (uint64_t)high << k;
        }
        p->n_core += __builtin_popcountll(cores);
        p->n_below += __builtin_popcountll(belows);
        if (above)
            above[w] = highs;
    }
    p->n_tails = tails - (double *)p->tails;
    p->n_window = window - (double *)p->window;
    const double s = _mm512_reduce_add_pd(_mm512_add_pd(sum[0], sum[1]));
    const double s2 = _mm512_reduce_add_pd(_mm512_add_pd(sum2[0], sum2[1]));
    p->sum = le__dd_add(p->sum, (le__dd){s, 0});
    p->sum2 = le__dd_add(p->sum2, (le__dd){s2, 0});
}

#elif LE_METHOD_ISA == 2

static inline double le__im_sum_of(__m256d a, __m256d b) {
    double lanes[4];
    _mm256_storeu_pd(lanes, _mm256_add_pd(a, b));
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

static inline void le__im_pass_f32(const le__im_edges *e, const float *x, int64_t words,
                                   uint64_t *above, le__im_block *p) {
    const __m256 lower = _mm256_set1_ps((float)e->lower), upper = _mm256_set1_ps((float)e->upper);
    const __m256 from = _mm256_set1_ps((float)e->window_lower),
                 to = _mm256_set1_ps((float)e->window_upper),
                 middle = _mm256_set1_ps((float)e->shift);
    const __m256d shift = _mm256_set1_pd(e->shift);
    __m256d sum[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    __m256d sum2[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    float *tails = (float *)p->tails + p->n_tails, *window = (float *)p->window + p->n_window;
    for (int64_t w = 0; w < words; w++, x += LE__IM_WORD) {
        uint64_t cores = 0, belows = 0, uptos = 0, lows = 0, highs = 0;
        for (int k = 0; k < LE__IM_WORD; k += 8) {
            const __m256 v = _mm256_loadu_ps(x + k);
            const __m256 core = _mm256_and_ps(_mm256_cmp_ps(v, lower, _CMP_GE_OQ),
                                              _mm256_cmp_ps(v, upper, _CMP_LE_OQ));
            const __m256 c = _mm256_blendv_ps(middle, v, core);
            const __m256d d0 = _mm256_sub_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(c)), shift);
            const __m256d d1 = _mm256_sub_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(c, 1)), shift);
            sum[0] = _mm256_add_pd(sum[0], d0);
            sum[1] = _mm256_add_pd(sum[1], d1);
            sum2[0] = _mm256_fmadd_pd(d0, d0, sum2[0]);
            sum2[1] = _mm256_fmadd_pd(d1, d1, sum2[1]);
#define LE__IM_BITS(m) ((uint64_t)(uint32_t)_mm256_movemask_ps(m) << k)
            cores |= LE__IM_BITS(core);
            belows |= LE__IM_BITS(_mm256_cmp_ps(v, from, _CMP_LT_OQ));
            uptos |= LE__IM_BITS(_mm256_cmp_ps(v, to, _CMP_LE_OQ));
            lows |= LE__IM_BITS(_mm256_cmp_ps(v, lower, _CMP_LT_OQ));
            highs |= LE__IM_BITS(_mm256_cmp_ps(v, upper, _CMP_GT_OQ));
#undef LE__IM_BITS
        }
        LE__IM_APPEND(float, tails, x, lows | highs)
        LE__IM_APPEND(float, window, x, cores &uptos & ~belows)
        p->n_core += __builtin_popcountll(cores);
        p->n_below += __builtin_popcountll(cores & belows);
        if (above)
            above[w] = highs;
    }
    p->n_tails = tails - (float *)p->tails;
    p->n_window = window - (float *)p->window;
    p->sum = le__dd_add(p->sum, (le__dd){le__im_sum_of(sum[0], sum[1]), 0});
    p->sum2 = le__dd_add(p->sum2, (le__dd){le__im_sum_of(sum2[0], sum2[1]), 0});
}

static inline void le__im_pass_f64(const le__im_edges *e, const double *x, int64_t words,
                                   uint64_t *above, le__im_block *p) {
    const __m256d lower = _mm256_set1_pd(e->lower), upper = _mm256_set1_pd(e->upper);
    const __m256d from = _mm256_set1_pd(e->window_lower), to = _mm256_set1_pd(e->window_upper);
    const __m256d shift = _mm256_set1_pd(e->shift);
    __m256d sum[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    __m256d sum2[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    double *tails = (double *)p->tails + p->n_tails, *window = (double *)p->window + p->n_window;
    for (int64_t w = 0; w < words; w++, x += LE__IM_WORD) {
        uint64_t cores = 0, belows = 0, uptos = 0, lows = 0, highs = 0;
        for (int k = 0; k < LE__IM_WORD; k += 4) {
            const __m256d v = _mm256_loadu_pd(x + k);
            const __m256d core = _mm256_and_pd(_mm256_cmp_pd(v, lower, _CMP_GE_OQ),
                                               _mm256_cmp_pd(v, upper, _CMP_LE_OQ));
            const __m256d d = _mm256_and_pd(core, _mm256_sub_pd(v, shift));
            sum[k / 4 % 2] = _mm256_add_pd(sum[k / 4 % 2], d);
            sum2[k / 4 % 2] = _mm256_fmadd_pd(d, d, sum2[k / 4 % 2]);
#define LE__IM_BITS(m) ((uint64_t)(uint32_t)_mm256_movemask_pd(m) << k)
            cores |= LE__IM_BITS(core);
            belows |= LE__IM_BITS(_mm256_cmp_pd(v, from, _CMP_LT_OQ));
            uptos |= LE__IM_BITS(_mm256_cmp_pd(v, to, _CMP_LE_OQ));
            lows |= LE__IM_BITS(_mm256_cmp_pd(v, lower, _CMP_LT_OQ));
            highs |= LE__IM_BITS(_mm256_cmp_pd(v, upper, _CMP_GT_OQ));
#undef LE__IM_BITS
        }
        LE__IM_APPEND(double, tails, x, lows | highs)
        LE__IM_APPEND(double, window, x, cores &uptos & ~belows)
        p->n_core += __builtin_popcountll(cores);
        p->n_below += __builtin_popcountll(cores & belows);
        if (above)
            above[w] = highs;
    }
    p->n_tails = tails - (double *)p->tails;
    p->n_window = window - (double *)p->window;
    p->sum = le__dd_add(p->sum, (le__dd){le__im_sum_of(sum[0], sum[1]), 0});
    p->sum2 = le__dd_add(p->sum2, (le__dd){le__im_sum_of(sum2[0], sum2[1]), 0});
}

#else

/* Loops of fixed length, which compilers turn into what vectors there are. */
#define LE__IM_PLAIN_PASS(T, s)                                                                    \
    static inline void le__im_pass_##s(const le__im_edges *e, const T *x, int64_t words,           \
                                       uint64_t *above, le__im_block *p) {                         \
        enum { LANES = 8 };                                                                        \
        const T lower = (T)e->lower, upper = (T)e->upper;                                          \
        const T from = (T)e->window_lower, to = (T)e->window_upper;                                \
        double sum[LANES] = {0}, sum2[LANES] = {0};                                                \
        T *tails = (T *)p->tails + p->n_tails, *window = (T *)p->window + p->n_window;             \
        for (int64_t w = 0; w < words; w++, x += LE__IM_WORD) {                                    \
            uint8_t tail[LE__IM_WORD], high[LE__IM_WORD], in[LE__IM_WORD];                         \
            int32_t core[LANES] = {0}, below[LANES] = {0};                                         \
            for (int k = 0; k < LE__IM_WORD; k++)                                                  \
                tail[k] = (x[k] < lower) | (x[k] > upper);                                         \
            for (int k = 0; k < LE__IM_WORD; k++)                                                  \
                high[k] = x[k] > upper;                                                            \
            for (int k = 0; k < LE__IM_WORD; k++)                                                  \
                in[k] = (x[k] >= from) & (x[k] <= to);                                             \
            for (int k = 0; k < LE__IM_WORD; k += LANES)                                           \
                for (int l = 0; l < LANES; l++) {                                                  \
                    core[l] += (x[k + l] >= lower) & (x[k + l] <= upper);                          \
                    below[l] += (x[k + l] >= lower) & (x[k + l] < from);                           \
                }                                                                                  \
            for (int k = 0; k < LE__IM_WORD; k += LANES)                                           \
                for (int l = 0; l < LANES; l++) {                                                  \
                    const T v = x[k + l];                                                          \
                    const double d = ((v >= lower) & (v <= upper)) ? (double)v - e->shift : 0;     \
                    sum[l] += d;                                                                   \
                    sum2[l] += d * d;                                                              \
                }                                                                                  \
            LE__IM_APPEND(T, tails, x, le__im_word(tail))                                          \
            LE__IM_APPEND(T, window, x, le__im_word(in))                                           \
            for (int l = 0; l < LANES; l++) {                                                      \
                p->n_core += core[l];                                                              \
                p->n_below += below[l];                                                            \
            }                                                                                      \
            if (above)                                                                             \
                above[w] = le__im_word(high);                                                      \
        }                                                                                          \
        p->n_tails = tails - (T *)p->tails;                                                        \
        p->n_window = window - (T *)p->window;                                                     \
        for (int l = 0; l < LANES; l++) {                                                          \
            p->sum = le__dd_add(p->sum, (le__dd){sum[l], 0});                                      \
            p->sum2 = le__dd_add(p->sum2, (le__dd){sum2[l], 0});                                   \
        }                                                                                          \
    }
LE__IM_PLAIN_PASS(float, f32)
LE__IM_PLAIN_PASS(double, f64)

#endif

/* Pixels from `at`, at most LE__IM_SPAN and of a line where `above` is wanted:
 * the last word of it is that of the rest. */
static inline void le__im_pass(const le__im_window *w, int64_t at, int64_t count, uint64_t *above,
                               le__im_block *p) {
    double wide[LE__IM_SPAN + LE__IM_WORD];
    p->full = p->full || p->n_window + count > w->window_room;
    if (p->full)
        return;
    const int64_t words = count / LE__IM_WORD, rest = count % LE__IM_WORD;
    if (!w->wide) {
        const float *x = le__im_piece(&w->pixels, at, count, wide);
        le__im_pass_f32(&w->edges, x, words, above, p);
        if (rest) {
            float last[LE__IM_WORD];
            for (int k = 0; k < LE__IM_WORD; k++)
                last[k] = k < rest ? x[words * LE__IM_WORD + k] : NAN;
            le__im_pass_f32(&w->edges, last, 1, above ? above + words : NULL, p);
        }
        return;
    }
    const double *x = wide;
    if (w->pixels.dtype == LE_F64)
        x = le__im_piece(&w->pixels, at, count, wide);
    else
        le__im_load(&w->pixels, at, count, wide);
    le__im_pass_f64(&w->edges, x, words, above, p);
    if (rest) {
        double last[LE__IM_WORD];
        for (int k = 0; k < LE__IM_WORD; k++)
            last[k] = k < rest ? x[words * LE__IM_WORD + k] : NAN;
        le__im_pass_f64(&w->edges, last, 1, above ? above + words : NULL, p);
    }
}

#endif
