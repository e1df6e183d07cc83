/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Trilinear samples in scalar C, in double precision.
 */
#ifndef LE_VOLUME_TRILINEAR_H
#define LE_VOLUME_TRILINEAR_H

#include "common/load.h"
#include "volume/camera.h"

/* The four mixes along axis 2, then axis 1, then axis 0, by the fractions w. */
static inline double le__mix_corners(const double c[8], const double w[3])
{
    double p0 = c[0] * (1.0 - w[2]) + c[1] * w[2], p1 = c[2] * (1.0 - w[2]) + c[3] * w[2];
    double q0 = c[4] * (1.0 - w[2]) + c[5] * w[2], q1 = c[6] * (1.0 - w[2]) + c[7] * w[2];
    double low = p0 * (1.0 - w[1]) + p1 * w[1], high = q0 * (1.0 - w[1]) + q1 * w[1];
    return low * (1.0 - w[0]) + high * w[0];
}

/* 0 where they cancel, see LE__NOTHING. Signs first: only of both there may be nothing left. */
static inline double le__or_nothing(double value, const double c[8], const double w[3])
{
    double least = c[0], most = c[0], size[8];
    for (int i = 1; i < 8; i++) {
        least = c[i] < least ? c[i] : least;
        most = c[i] > most ? c[i] : most;
    }
    if (!(least < 0.0 && most > 0.0 && __builtin_fabs(value) < 0x1p-20 * (most - least)))
        return value;
    for (int i = 0; i < 8; i++)
        size[i] = __builtin_fabs(c[i]);
    return __builtin_fabs(value) < LE__NOTHING * le__mix_corners(size, w) ? 0.0 : value;
}

/* le__trilinear_<dtype>: between the corners of the cell at element `at`, by the fractions w along the
 * axes; plane, row and next are the strides of axes 0, 1 and 2. */
#define LE__DEFINE_TRILINEAR(D, T, s)                                                              \
    static inline double le__trilinear_##s(const void *data, int64_t at, int64_t plane,            \
                                           int64_t row, int64_t next, const double w[3])           \
    {                                                                                              \
        const T *p = (const T *)data + at, *q = p + plane;                                         \
        const double c[8] = {(double)p[0],   (double)p[next],       (double)p[row],                \
                             (double)p[row + next], (double)q[0],   (double)q[next],               \
                             (double)q[row], (double)q[row + next]};                               \
        double value = le__mix_corners(c, w);                                                      \
        return (T)-1 > (T)0 ? value : le__or_nothing(value, c, w);                                 \
    }
LE__DTYPE_LIST(LE__DEFINE_TRILINEAR)

#endif
