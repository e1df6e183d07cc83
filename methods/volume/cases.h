/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the sample calls of the family have in common.
 */
#ifndef LE_VOLUME_CASES_H
#define LE_VOLUME_CASES_H

#include "common/cases.h"

/* How a volume of a sample call is filled. */
typedef enum le__filling {
    LE__FILL_LOG_NORMAL = 0, /* ln(value) of a smooth field from about -12 to 12, as cosmic density */
    LE__FILL_HEAD,           /* a solid ball in exact zeros, as a CT */
    LE__FILL_ODD,            /* log-normal with zeros, negative numbers and, in floating point,
                                denormals strewn in */
    LE__FILL_NOISE,          /* white noise of both signs, or of the lower half of the range */
    LE__FILLINGS
} le__filling;

/* Transfer functions as JSON text. */
#define LE__CASE_GAUSSIANS                                                                         \
    "{\"gaussians\": [{\"centre\": 0.5, \"width\": 4, \"rgb\": [1, 0.5, 0], \"alpha\": 0.3},"      \
    " {\"centre\": 0.7, \"width\": 0.05, \"rgb\": [0, 1, 0.5], \"alpha\": 0.2}]}"
#define LE__CASE_TABLE                                                                             \
    "{\"table\": [[-4, 0, 0, 0.2, 0.001], [-1, 0.5, 0, 0, 0.1], [0.25, 0, 1, 0, 0.02],"            \
    " [6, 1, 1, 1, 0.9]]}"

/* Fills a contiguous tensor. Integer dtypes get values over their range. */
void le__case_fill(le_case *c, le_tensor *t, le__filling filling);

/* NaN at that share of the elements; integers have none. */
void le__case_strew_nan(le_case *c, le_tensor *t, double share);
/* Whether the request's sample has its points on voxels, with NaN beside them: some that are of reals. */
bool le__case_is_on_voxels(const le_case_request *request);

/* Two rotations, 3x3 each, row by row: about (1,2,3) and about axis 1, by 0.9. */
extern const double le__case_rotations[18];

/* Largest camera size whose grid, rotated about axis 0 by any angle, stays inside the shape; >= 1. */
int64_t le__case_size_inside(const int64_t shape[3]);

/* Cameras of a check of a render: `angles` or `rotation`, `size` and `outside`, some of them on voxels with
 * NaN strewn into the volume. `whole` is the shape that the cameras see, of which the volume may be a box. */
void le__case_cameras(le_case *c, const le_case_request *request, le_tensor *volume,
                      const int64_t whole[3]);

#endif
