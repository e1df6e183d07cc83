/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A matrix as a sum of products of a column and a row, by cross approximation: the largest element
 * that is left is the pivot of the next term (Bebendorf, Numerische Mathematik 86, 2000; with full
 * pivoting).
 */
#ifndef LE_IMAGING_LOW_RANK_H
#define LE_IMAGING_LOW_RANK_H

#include <stddef.h>
#include <stdint.h>

typedef struct le__low_rank {
    int rank;        /* terms that reach the tolerance; -1: more than were allowed */
    double error;    /* sum of the magnitudes of what the terms leave, over the largest element */
    double *columns; /* [rank][rows] */
    double *rows;    /* [rank][cols] */
} le__low_rank;

/* Approximates matrix[rows][cols], which is finite, with at most `most` terms, until the sum of the
 * magnitudes of what is left is at most `tolerance` times the largest element or not more than
 * rounding. columns, rows: room for `most` of them; rest: for a copy of the matrix and two
 * more rows. */
le__low_rank le__low_rank_of(const double *matrix, int64_t rows, int64_t cols, int most,
                             double tolerance, double *columns, double *row_room, double *rest);

#endif
