/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Adaptive cross approximation.
 */
#include "imaging/low_rank.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Sum of the magnitudes; the largest one's place. */
static double measure(const double *m, int64_t n, int64_t *largest) {
    double sum = 0;
    *largest = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += fabs(m[i]);
        if (fabs(m[i]) > fabs(m[*largest]))
            *largest = i;
    }
    return sum;
}

/* Takes column * row / pivot off, which leaves nothing in the pivot's own row and column. */
static void subtract(double *rest, int64_t rows, int64_t cols, int64_t pivot, const double *column,
                     const double *row) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            rest[i * cols + j] -= column[i] * row[j];
    for (int64_t i = 0; i < rows; i++)
        rest[i * cols + pivot % cols] = 0;
    memset(rest + pivot / cols * cols, 0, (size_t)cols * sizeof *rest);
}

le__low_rank le__low_rank_of(const double *matrix, int64_t rows, int64_t cols, int most,
                             double tolerance, double *columns, double *row_room, double *rest) {
    int64_t pivot, n = rows * cols;
    memcpy(rest, matrix, (size_t)n * sizeof *rest);
    double sum = measure(rest, n, &pivot);
    const double largest = fabs(rest[pivot]), rounding = 8 * DBL_EPSILON * sum;
    le__low_rank out = {.rank = 0, .columns = columns, .rows = row_room};
    while (sum > tolerance * largest && sum > rounding) {
        if (out.rank == most) {
            out.rank = -1;
            break;
        }
        double *column = columns + out.rank * rows, *row = row_room + out.rank * cols;
        /* both get the root of the pivot, so that neither leaves the range of single precision */
        const double scale = sqrt(fabs(rest[pivot]));
        const double sign = rest[pivot] < 0 ? -1 : 1;
        for (int64_t i = 0; i < rows; i++)
            column[i] = rest[i * cols + pivot % cols] / scale;
        for (int64_t j = 0; j < cols; j++)
            row[j] = sign * rest[pivot / cols * cols + j] / scale;
        subtract(rest, rows, cols, pivot, column, row);
        out.rank++;
        sum = measure(rest, n, &pivot);
    }
    out.error = largest > 0 ? sum / largest : 0;
    return out;
}
