/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * temporal_projection by rows with running double sums, compiled once per ISA. Sums are of
 * differences from the first frame: no cancellation for a signal on a large offset.
 */
#include "common/isa.h"
#include "sr_projection.h"
#include "temporal_projection.h"

#include <math.h>
#include <string.h>

typedef struct sums {
    double *restrict sum, *restrict sum2;
    float *restrict first, *restrict previous;
} sums;

static void add(const sums *s, const float *restrict v, int64_t n, le__sr_temporal how) {
    double *restrict sum = s->sum, *restrict sum2 = s->sum2;
    float *restrict first = s->first, *restrict previous = s->previous;
    if (how == LE__SR_AVG) {
        for (int64_t x = 0; x < n; x++)
            sum[x] += v[x];
    } else if (how == LE__SR_VAR) {
        for (int64_t x = 0; x < n; x++) {
            double d = (double)v[x] - first[x];
            sum[x] += d;
            sum2[x] += d * d;
        }
    } else {
        for (int64_t x = 0; x < n; x++) {
            double d = (double)v[x] - first[x];
            sum[x] += d;
            sum2[x] += d * previous[x];
            previous[x] = (float)d;
        }
    }
}

static void finish(const sums *s, int64_t cols, double n, le__sr_temporal how,
                   float *restrict out) {
    for (int64_t x = 0; x < cols; x++) {
        const double mean = s->sum[x] / n, sum2 = s->sum2[x];
        double v = mean;
        if (how == LE__SR_VAR)
            v = le__sr_variance(mean, sum2 / n);
        else if (how == LE__SR_TAC2)
            v = le__sr_tac2(s->sum[x], sum2, s->previous[x], n);
        out[x] = (float)v;
    }
}

static void range(void *context, size_t begin, size_t end, int worker) {
    const le__projection *p = context;
    const int64_t cols = p->out.cols, padded = (cols + 15) / 16 * 16;
    float *spare = p->spare + le__projection_spare(p) * worker;
    const sums s = {(double *)(void *)spare, (double *)(void *)(spare + 2 * padded),
                    spare + 4 * padded, spare + 5 * padded};
    for (int64_t item = (int64_t)begin; item < (int64_t)end; item++) {
        const int64_t point = item / p->out.rows, y = item % p->out.rows;
        const int64_t frames = le__projection_frames(p, point), first = point * p->per_timepoint;
        memset(spare, 0, (size_t)(6 * padded) * sizeof *spare);
        if (p->temporal != LE__SR_AVG)
            le__sr_load_row(&p->in, first, y, s.first);
        for (int64_t t = 0; t < frames; t++)
            add(&s, le__sr_row(&p->in, first + t, y, spare + 6 * padded), cols, p->temporal);
        float *out = le__sr_begin_row(&p->out, point, y, spare + 7 * padded);
        finish(&s, cols, (double)frames, p->temporal, out);
        le__sr_end_row(&p->out, point, y, out);
    }
}

LE_IMPLEMENTATION(temporal_projection, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "running sums by rows, " LE__ISA_WIDTH, .flags = LE_IMPL_REPRODUCIBLE,
                  .speed = LE__BY_ISA(1, 1.5, 2), .prepare = le__projection_prepare,
                  .items = le__projection_items, .range = range);
