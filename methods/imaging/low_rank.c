/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Adaptive cross approximation.
 */
#include "imaging/low_rank.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What is left of the matrix. */
typedef struct residual {
    double *of;
    int64_t rows, cols, pivot; /* the largest one's place */
    double sum;                /* of the magnitudes */
    double *sums, *most; /* of each column, so that the loops along rows have no order to keep */
} residual;

static void begin(residual *r) {
    memset(r->sums, 0, (size_t)r->cols * sizeof *r->sums);
    memset(r->most, 0, (size_t)r->cols * sizeof *r->most);
}

static void measure_row(residual *r, const double *x) {
    double *restrict sums = r->sums, *restrict most = r->most;
    for (int64_t j = 0; j < r->cols; j++) {
        const double magnitude = fabs(x[j]);
        sums[j] += magnitude;
        most[j] = magnitude > most[j] ? magnitude : most[j];
    }
}

/* The first one in row-major order is the pivot, where several are the largest. */
static void end(residual *r) {
    int64_t first = r->rows * r->cols;
    double top = 0;
    r->sum = 0;
    for (int64_t j = 0; j < r->cols; j++) {
        r->sum += r->sums[j];
        top = r->most[j] > top ? r->most[j] : top;
    }
    for (int64_t j = 0; j < r->cols; j++)
        for (int64_t i = r->most[j] < top ? first : j; i < first; i += r->cols)
            if (!(fabs(r->of[i]) < top))
                first = i;
    r->pivot = first;
}

static void measure(residual *r) {
    begin(r);
    for (int64_t i = 0; i < r->rows; i++)
        measure_row(r, r->of + i * r->cols);
    end(r);
}

/* Takes column * row off, which leaves nothing in the pivot's own row and column, and measures what
 * is left. */
static void subtract(residual *r, const double *column, const double *restrict row) {
    const int64_t pivot_row = r->pivot / r->cols, pivot_col = r->pivot % r->cols;
    begin(r);
    for (int64_t i = 0; i < r->rows; i++) {
        double *restrict x = r->of + i * r->cols;
        const double by = column[i];
        for (int64_t j = 0; j < r->cols; j++)
            x[j] -= by * row[j];
        x[pivot_col] = 0;
        if (i == pivot_row)
            memset(x, 0, (size_t)r->cols * sizeof *x);
        measure_row(r, x);
    }
    end(r);
}

le__low_rank le__low_rank_of(const double *matrix, int64_t rows, int64_t cols, int most,
                             double tolerance, double *columns, double *row_room, double *rest) {
    const int64_t n = rows * cols;
    residual r = {
        .of = rest, .rows = rows, .cols = cols, .sums = rest + n, .most = rest + n + cols};
    memcpy(rest, matrix, (size_t)n * sizeof *rest);
    measure(&r);
    const double largest = fabs(rest[r.pivot]), rounding = 8 * DBL_EPSILON * r.sum;
    le__low_rank out = {.rank = 0, .columns = columns, .rows = row_room};
    while (r.sum > tolerance * largest && r.sum > rounding) {
        if (out.rank == most) {
            out.rank = -1;
            break;
        }
        const int64_t pivot_row = r.pivot / cols, pivot_col = r.pivot % cols;
        double *column = columns + out.rank * rows, *row = row_room + out.rank * cols;
        /* both get the root of the pivot, so that neither leaves the range of single precision */
        const double scale = sqrt(fabs(rest[r.pivot]));
        const double sign = rest[r.pivot] < 0 ? -1 : 1;
        for (int64_t i = 0; i < rows; i++)
            column[i] = rest[i * cols + pivot_col] / scale;
        for (int64_t j = 0; j < cols; j++)
            row[j] = sign * rest[pivot_row * cols + j] / scale;
        subtract(&r, column, row);
        out.rank++;
    }
    out.error = largest > 0 ? r.sum / largest : 0;
    return out;
}
