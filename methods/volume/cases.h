/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the sample calls of the family have in common.
 */
#ifndef LE_VOLUME_CASES_H
#define LE_VOLUME_CASES_H

#include "liquid_engine/le_method.h"

/* How a volume of a sample call is filled. */
typedef enum le__filling {
    LE__FILL_LOG_NORMAL = 0, /* ln(value) of a smooth field from about -12 to 12, as cosmic density */
    LE__FILL_HEAD,           /* a solid ball in exact zeros, as a CT */
    LE__FILL_ODD,            /* log-normal with zeros, negative numbers and, in floating point,
                                denormals and NaN strewn in */
    LE__FILL_NOISE,          /* white noise of both signs, or of the lower half of the range */
    LE__FILLINGS
} le__filling;

/* The dtype of the main input: of the request, else of the call it resembles, else number index. */
le_dtype le__case_dtype(const le_case_request *request, int arg);

/* Fills a contiguous tensor. Integer dtypes get values over their range. */
void le__case_fill(le_case *c, le_tensor *t, le__filling filling);

/* Two rotations, 3x3 each, row by row: about (1,2,3) and about axis 1, by 0.9. No sample of theirs lies
 * exactly on a voxel: there rounding alone decides the cell, and with it whether a NaN beyond counts. */
extern const double le__case_rotations[18];

/* Largest camera size whose grid, rotated about axis 0 by any angle, stays inside the shape; >= 1. */
int64_t le__case_size_inside(const int64_t shape[3]);

#endif
