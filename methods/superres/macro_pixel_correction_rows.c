/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * macro_pixel_correction by rows, compiled once per ISA: sums of the phases of each row, then the
 * division.
 */
#include "common/isa.h"
#include "macro_pixel_correction.h"

#include <string.h>

enum { REPEAT = 8 }; /* whole pixels that are summed side by side, for vectors */

typedef struct correction {
    le__sr_stack in, out;
    int64_t magnification;
    double *row_sums; /* [N][HM][M] */
    float *means;     /* [N][M][M] */
    float *spare;     /* 3*WM floats a worker */
} correction;

/* sums[px] = sum over X of v[X*m+px] */
static void sum_phases(const float *v, int64_t n, int64_t m, double *sums) {
    double part[REPEAT * LE__SR_MAX_MAGNIFICATION] = {0};
    const int64_t block = REPEAT * m;
    int64_t x = 0;
    for (; x + block <= n; x += block)
        for (int64_t k = 0; k < block; k++)
            part[k] += v[x + k];
    for (int64_t k = 0; x + k < n; k++)
        part[k] += v[x + k];
    memset(sums, 0, (size_t)m * sizeof *sums);
    for (int64_t k = 0; k < block; k++)
        sums[k % m] += part[k];
}

static void sum_range(void *context, size_t begin, size_t end, int worker) {
    const correction *c = context;
    float *spare = c->spare + 3 * c->in.cols * worker;
    for (int64_t item = (int64_t)begin; item < (int64_t)end; item++) {
        const float *row = le__sr_row(&c->in, item / c->in.rows, item % c->in.rows, spare);
        sum_phases(row, c->in.cols, c->magnification, c->row_sums + item * c->magnification);
    }
}

static void make_means(const correction *c) {
    const int64_t m = c->magnification;
    const double n = (double)(c->in.rows / m) * (double)(c->in.cols / m);
    for (int64_t i = 0; i < c->in.frames * m * m; i++) {
        const int64_t frame = i / (m * m), py = i / m % m, px = i % m;
        double sum = 0;
        for (int64_t y = py; y < c->in.rows; y += m)
            sum += c->row_sums[(frame * c->in.rows + y) * m + px];
        float mean = (float)(sum / n);
        c->means[i] = mean != 0 ? mean : 1;
    }
}

/* Items go by frame, phase of the row, whole row: a worker keeps its row of divisors. */
static void divide_range(void *context, size_t begin, size_t end, int worker) {
    const correction *c = context;
    const int64_t m = c->magnification, rows = c->in.rows / m, cols = c->in.cols;
    float *spare = c->spare + 3 * cols * worker, *restrict divisor = spare + 2 * cols;
    const float *means = NULL;
    for (int64_t item = (int64_t)begin; item < (int64_t)end; item++) {
        const int64_t frame = item / rows / m, py = item / rows % m, y = item % rows * m + py;
        if (means != c->means + (frame * m + py) * m) {
            means = c->means + (frame * m + py) * m;
            for (int64_t x = 0; x < cols; x++)
                divisor[x] = means[x % m];
        }
        const float *in = le__sr_row(&c->in, frame, y, spare);
        float *restrict out = le__sr_begin_row(&c->out, frame, y, spare + cols);
        for (int64_t x = 0; x < cols; x++)
            out[x] = in[x] / divisor[x];
        le__sr_end_row(&c->out, frame, y, out);
    }
}

static int64_t correction_memory(const le_call *call) {
    const le__sr_stack in = le__sr_stack_of(le_call_in(call, CORRECTION_IMAGE));
    const int64_t m = le_call_i64(call, CORRECTION_MAGNIFICATION);
    return in.frames * m * (8 * in.rows + 4 * m) + 16 * 12 * in.cols;
}

static le_status run_rows(le_call *call) {
    correction c = {.in = le__sr_stack_of(le_call_in(call, CORRECTION_IMAGE)),
                    .out = le__sr_stack_of(le_call_out(call, CORRECTION_RESULT)),
                    .magnification = le_call_i64(call, CORRECTION_MAGNIFICATION)};
    const size_t items = (size_t)(c.in.frames * c.in.rows), m = (size_t)c.magnification;
    c.row_sums = le_call_scratch(call, items * m * sizeof *c.row_sums);
    c.means = le_call_scratch(call, (size_t)c.in.frames * m * m * sizeof *c.means);
    if (!c.row_sums || !c.means)
        return le_fail(LE_ERR_MEMORY, "macro_pixel_correction: out of memory");
    le_status status = le__sr_spare(call, 3 * c.in.cols, &c.spare);
    if (status != LE_OK)
        return status;
    status = le_parallel_for(call, items, sum_range, &c);
    if (status != LE_OK)
        return status;
    make_means(&c);
    return le_parallel_for(call, items, divide_range, &c);
}

LE_IMPLEMENTATION(macro_pixel_correction, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "by rows, " LE__ISA_WIDTH, .flags = LE_IMPL_REPRODUCIBLE,
                  .speed = LE__BY_ISA(1, 1.5, 2), .memory = correction_memory, .run = run_rows);
