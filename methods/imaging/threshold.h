/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation threshold: its arguments and its level.
 */
#ifndef LE_IMAGING_THRESHOLD_H
#define LE_IMAGING_THRESHOLD_H

#include "imaging/clip.h"

enum {
    THRESHOLD_IMAGE,
    THRESHOLD_LEVEL,
    THRESHOLD_STATISTICS,
    THRESHOLD_K,
    THRESHOLD_RULE,
    THRESHOLD_BACKGROUND,
    THRESHOLD_NOISE,
    THRESHOLD_MASK
};

extern const char *const le__im_rules[]; /* std, median */

/* The level of a rule: k std, or median + k std. */
double le__im_level(const double statistics[LE__IM_STATISTICS], double k, bool median);
/* Of a call; reads its statistics where they are given. */
double le__im_threshold_level(const le_call *call);

/* The greatest float that is not above the level: of floats the same are above
 * it. */
static inline float le__im_float_below(double level) {
    const float f = (float)level;
    return (double)f > level ? nextafterf(f, -INFINITY) : f;
}

#endif
