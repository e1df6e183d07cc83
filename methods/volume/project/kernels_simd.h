/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of `project`, compiled once for each instruction set: along the outer axes lines are
 * added to a row of sums that stays in the cache, four at a time where they lie apart; along the
 * last axis a line is summed in four vectors. All in double precision, so that a sum of any length
 * is as good as the reference's.
 */
#include <math.h>

#include "volume/double_simd.h"
#include "common/load.h"
#include "volume/project/simd.h"

/* Lines nearer than this are added one by one: a hardware prefetcher follows one stream a page. */
enum { PAGE = 4096 };

static double start_of(le__reduce reduce) {
    return reduce == LE__MAX ? -INFINITY : reduce == LE__MIN ? INFINITY : 0.0;
}

LE__INLINE double join(le__reduce reduce, double sum, double v) {
    if (reduce == LE__MAX)
        return v > sum || v != v ? v : sum;
    if (reduce == LE__MIN)
        return v < sum || v != v ? v : sum;
    return sum + v;
}

/* has_nan: of the dtype. The minimum and maximum keep a NaN of the sum, the select one of v. */
LE__INLINE vd vd_join(le__reduce reduce, bool has_nan, vd sum, vd v) {
    if (reduce != LE__MAX && reduce != LE__MIN)
        return vd_add(sum, v);
    vd best = reduce == LE__MAX ? vd_max(v, sum) : vd_min(v, sum);
    return has_nan ? vd_select(vd_eq(v, v), best, v) : best;
}

#define DEFINE_KERNELS(D, T, s)                                                                    \
    LE__INLINE void add_lines_##s(le__reduce reduce, const T *p, int64_t stride, int64_t lines,    \
                                  int64_t n, double *sum) {                                        \
        const bool nan = D == LE_F32 || D == LE_F64;                                               \
        int64_t c = 0;                                                                             \
        for (; c + VD <= n; c += VD) {                                                             \
            vd x = vd_load(sum + c);                                                               \
            for (int64_t i = 0; i < lines; i++)                                                    \
                x = vd_join(reduce, nan, x, vd_load_##s(p + i * stride + c));                      \
            vd_store(sum + c, x);                                                                  \
        }                                                                                          \
        for (; c < n; c++)                                                                         \
            for (int64_t i = 0; i < lines; i++)                                                    \
                sum[c] = join(reduce, sum[c], (double)p[i * stride + c]);                          \
    }                                                                                              \
    LE__INLINE void across_##s(const le__project_block *b, le__reduce reduce, const T *p,          \
                               int64_t n, double *sum) {                                           \
        const double start = start_of(reduce);                                                     \
        for (int64_t c = 0; c < n; c++)                                                            \
            sum[c] = start;                                                                        \
        const bool apart = b->line_stride * (int64_t)sizeof(T) >= PAGE;                            \
        int64_t i = 0;                                                                             \
        for (; apart && i + 4 <= b->lines; i += 4)                                                 \
            add_lines_##s(reduce, p + i * b->line_stride, b->line_stride, 4, n, sum);              \
        for (; i < b->lines; i++)                                                                  \
            add_lines_##s(reduce, p + i * b->line_stride, 0, 1, n, sum);                           \
    }                                                                                              \
    LE__INLINE double along_##s(le__reduce reduce, const T *p, int64_t n) {                        \
        const bool nan = D == LE_F32 || D == LE_F64;                                               \
        vd x[4];                                                                                   \
        double lanes[VD], sum = start_of(reduce);                                                  \
        int64_t i = 0;                                                                             \
        for (int k = 0; k < 4; k++)                                                                \
            x[k] = vd_set(sum);                                                                    \
        for (; i + 4 * VD <= n; i += 4 * VD)                                                       \
            for (int k = 0; k < 4; k++)                                                            \
                x[k] = vd_join(reduce, nan, x[k], vd_load_##s(p + i + k * VD));                    \
        for (; i + VD <= n; i += VD)                                                               \
            x[0] = vd_join(reduce, nan, x[0], vd_load_##s(p + i));                                 \
        x[0] = vd_join(reduce, nan, x[0], x[1]);                                                   \
        x[2] = vd_join(reduce, nan, x[2], x[3]);                                                   \
        vd_store(lanes, vd_join(reduce, nan, x[0], x[2]));                                         \
        for (int k = 0; k < VD; k++)                                                               \
            sum = join(reduce, sum, lanes[k]);                                                     \
        for (; i < n; i++)                                                                         \
            sum = join(reduce, sum, (double)p[i]);                                                 \
        return sum;                                                                                \
    }                                                                                              \
    LE__INLINE void block_##s(const le__project_block *b, le__reduce reduce, double *sums) {       \
        /* rows that follow one another in memory are one long row */                              \
        bool joined = !b->along && b->row_stride == b->columns;                                    \
        int64_t rows = joined ? 1 : b->rows, n = joined ? b->rows * b->columns : b->columns;       \
        for (int64_t row = 0; row < rows; row++) {                                                 \
            const T *p = (const T *)b->first + row * b->row_stride;                                \
            if (!b->along)                                                                         \
                across_##s(b, reduce, p, n, sums + row * n);                                       \
            for (int64_t c = 0; b->along && c < n; c++)                                            \
                sums[row * n + c] = along_##s(reduce, p + c * b->column_stride, b->lines);         \
        }                                                                                          \
    }                                                                                              \
    static void reduce_##s(const le__project_block *b, double *sums) {                             \
        if (b->reduce == LE__MAX)                                                                  \
            block_##s(b, LE__MAX, sums);                                                           \
        else if (b->reduce == LE__MIN)                                                             \
            block_##s(b, LE__MIN, sums);                                                           \
        else                                                                                       \
            block_##s(b, LE__SUM, sums);                                                           \
    }
LE__DTYPE_LIST(DEFINE_KERNELS)

/* The reduced values of a block, rows * columns of them; a mean is still a sum. */
static void reduce_block(const le__project_block *b, double *sums) {
    LE__FOR_DTYPE(reduce, b->dtype)(b, sums);
}
