/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Logarithm and exponential of float vectors. Coefficients are minimax fits (Lawson iteration on
 * Chebyshev points) made for this project; errors are of the polynomial alone, then of the function as
 * measured against double-precision libm over all floats.
 */
#ifndef LE_VOLUME_SIMD_MATH_H
#define LE_VOLUME_SIMD_MATH_H

#include "volume/simd.h"

#define LE__LOG2_OF_1_5 5.849624880e-01f

/* (log2(1.5 + x) - log2(1.5)) / x for x in [-0.5, 0.5); times x it is within 4.3e-8 of log2. */
static inline vf le__log2_slope(vf x)
{
    vf p = vf_fma(x, vf_set(-9.088789387e-03f), vf_set(1.477881014e-02f));
    p = vf_fma(x, p, vf_set(-2.057881140e-02f));
    p = vf_fma(x, p, vf_set(3.746289851e-02f));
    p = vf_fma(x, p, vf_set(-7.129973629e-02f));
    p = vf_fma(x, p, vf_set(1.425263750e-01f));
    p = vf_fma(x, p, vf_set(-3.205968297e-01f));
    return vf_fma(x, p, vf_set(9.617959716e-01f));
}

/* 2^f for f in [0,1); relative error 7.5e-8. */
static inline vf le__exp2_fraction(vf f)
{
    vf p = vf_fma(f, vf_set(1.877575940e-03f), vf_set(8.989341870e-03f));
    p = vf_fma(f, p, vf_set(5.582631656e-02f));
    p = vf_fma(f, p, vf_set(2.401536175e-01f));
    p = vf_fma(f, p, vf_set(6.931530731e-01f));
    return vf_fma(f, p, vf_set(9.999999251e-01f));
}

/* The same, relative error 1.9e-9. */
static inline vf le__exp2_fraction_exact(vf f)
{
    vf p = vf_fma(f, vf_set(2.170224866e-04f), vf_set(1.243968981e-03f));
    p = vf_fma(f, p, vf_set(9.678840780e-03f));
    p = vf_fma(f, p, vf_set(5.548334209e-02f));
    p = vf_fma(f, p, vf_set(2.402298363e-01f));
    p = vf_fma(f, p, vf_set(6.931469838e-01f));
    return vf_fma(f, p, vf_set(1.000000002f));
}

/* ln(x), absolute error at most 2e-7 * max(1, |ln x|). Denormals are exact in range; ln(0) = -inf,
 * ln(inf) = inf, NaN for negative x and NaN. Needs the MXCSR's default (no flush to zero) for
 * denormals. */
static inline vf le__ln(vf x)
{
    const vf ln2_high = vf_set(0.693359375f), ln2_low = vf_set(-2.12194440e-4f);
    vf m = vf_sub(vf_mantissa(x), vf_set(1.5f)), e = vf_exponent(x);
    /* ln(1.5 + m) = ln2 * (log2(1.5) + m * slope) */
    vf tail = vf_fma(vf_mul(m, le__log2_slope(m)), vf_set(0.693147181f), vf_set(0.405465108f));
    vf y = vf_fma(e, ln2_high, vf_fma(e, ln2_low, tail));
    const vf infinity = vf_set(__builtin_inff());
    y = vf_select(vf_eq(x, infinity), infinity, y);
    y = vf_select(vf_eq(x, vf_set(0.0f)), vf_set(-__builtin_inff()), y);
    return vf_select(vf_ge(x, vf_set(0.0f)), y, vf_set(__builtin_nanf("")));
}

/* e^x, relative error at most 2e-7 where the result is normal; below, within 1.5 least denormals; above
 * 88.73 inf; NaN for NaN. */
static inline vf le__exp(vf x)
{
    const vf log2e = vf_set(1.44269502f), log2e_low = vf_set(1.92596303e-8f);
    vf clamped = vf_max(vf_min(x, vf_set(90.0f)), vf_set(-110.0f));
    vf high = vf_mul(clamped, log2e);
    /* what rounding took from the product, so that large |x| keep their relative precision */
    vf low = vf_fma(clamped, log2e_low, vf_sub(vf_set(0.0f), vf_fnma(clamped, log2e, high)));
    vf f = vf_fraction(high);
    vf p = vf_mul(le__exp2_fraction_exact(f), vf_fma(low, vf_set(0.693147181f), vf_set(1.0f)));
    vf y = vf_scale_keep(vf_eq(clamped, clamped), p, high);
    return vf_select(vf_eq(x, x), y, x);
}

#endif
