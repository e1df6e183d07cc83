/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Trilinear samples in scalar C, in double precision.
 */
#ifndef LE_VOLUME_TRILINEAR_H
#define LE_VOLUME_TRILINEAR_H

#include "common/load.h"

/* le__trilinear_<dtype>: between the corners of the cell at element `at`, by the fractions w along the
 * axes; plane, row and next are the strides of axes 0, 1 and 2. */
#define LE__DEFINE_TRILINEAR(D, T, s)                                                              \
    static inline double le__trilinear_##s(const void *data, int64_t at, int64_t plane,            \
                                           int64_t row, int64_t next, const double w[3])           \
    {                                                                                              \
        const T *p = (const T *)data + at, *q = p + plane;                                         \
        double p0 = (double)p[0] * (1.0 - w[2]) + (double)p[next] * w[2];                          \
        double p1 = (double)p[row] * (1.0 - w[2]) + (double)p[row + next] * w[2];                  \
        double q0 = (double)q[0] * (1.0 - w[2]) + (double)q[next] * w[2];                          \
        double q1 = (double)q[row] * (1.0 - w[2]) + (double)q[row + next] * w[2];                  \
        double low = p0 * (1.0 - w[1]) + p1 * w[1], high = q0 * (1.0 - w[1]) + q1 * w[1];          \
        return low * (1.0 - w[0]) + high * w[0];                                                   \
    }
LE__DTYPE_LIST(LE__DEFINE_TRILINEAR)

#endif
