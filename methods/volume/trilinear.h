/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Trilinear samples in scalar C, in double precision.
 */
#ifndef LE_VOLUME_TRILINEAR_H
#define LE_VOLUME_TRILINEAR_H

#include "common/load.h"
#include "volume/camera.h"

#include <string.h>

/* The four mixes along axis 2, then axis 1, then axis 0, by the fractions w. */
static inline double le__mix_corners(const double c[8], const double w[3])
{
    double p0 = c[0] * (1.0 - w[2]) + c[1] * w[2], p1 = c[2] * (1.0 - w[2]) + c[3] * w[2];
    double q0 = c[4] * (1.0 - w[2]) + c[5] * w[2], q1 = c[6] * (1.0 - w[2]) + c[7] * w[2];
    double low = p0 * (1.0 - w[1]) + p1 * w[1], high = q0 * (1.0 - w[1]) + q1 * w[1];
    return low * (1.0 - w[0]) + high * w[0];
}

/* 0 where they cancel, see LE__NOTHING. Only corners of both signs do; their sign bits together tell at once
 * that none is negative, as in most volumes. */
static inline double le__or_nothing(double value, const double c[8], const double w[3])
{
    uint64_t bits[8], any = 0, all = ~(uint64_t)0;
    memcpy(bits, c, sizeof bits);
    for (int i = 0; i < 8; i++)
        any |= bits[i];
    if (__builtin_expect(any >> 63 == 0, 1))
        return value;
    double size[8];
    for (int i = 0; i < 8; i++) {
        all &= bits[i];
        size[i] = __builtin_fabs(c[i]);
    }
    if (all >> 63)
        return value;
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
