/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sums of doubles with twice the digits: the same result in any order, to the
 * last bit of a double but for one case in some 1e14. Dekker, Numerische
 * Mathematik 18 (1971); Knuth, TAOCP 2, 4.2.2.
 */
#ifndef LE_IMAGING_DOUBLE_DOUBLE_H
#define LE_IMAGING_DOUBLE_DOUBLE_H

#include <math.h>

typedef struct le__dd {
    double hi, lo; /* |lo| at most half of the last digit of hi */
} le__dd;

static inline le__dd le__dd_sum(double a, double b) {
    const double s = a + b, bb = s - a;
    return (le__dd){s, (a - (s - bb)) + (b - bb)};
}

static inline le__dd le__dd_product(double a, double b) {
    const double p = a * b;
    return (le__dd){p, fma(a, b, -p)};
}

static inline le__dd le__dd_add(le__dd a, le__dd b) {
    const le__dd s = le__dd_sum(a.hi, b.hi), t = le__dd_sum(a.lo, b.lo);
    const le__dd u = le__dd_sum(s.hi, s.lo + t.hi);
    return le__dd_sum(u.hi, u.lo + t.lo);
}

static inline le__dd le__dd_multiply(le__dd a, le__dd b) {
    const le__dd p = le__dd_product(a.hi, b.hi);
    return le__dd_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline le__dd le__dd_divide(le__dd a, double b) {
    const double q = a.hi / b;
    const le__dd p = le__dd_product(q, b);
    return le__dd_sum(q, ((a.hi - p.hi) - p.lo + a.lo) / b);
}

#endif
