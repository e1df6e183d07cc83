/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of `transfer_function`, compiled once for each instruction set.
 */
#include "common/load.h"
#include "volume/quad_simd.h"
#include "volume/simd_math.h"
#include "volume/transfer.h"
#include "volume/transfer_function/simd.h"

static inline vf gaussian(vf s, const le__gaussian *g, bool log, vm visible)
{
    const double ln2 = 0.69314718055994530942;
    double factor = log ? -ln2 / g->width : -1.0 / (ln2 * g->width);
    vf d = vf_sub(s, vf_set((float)(log ? g->centre / ln2 : g->centre)));
    /* below 2^-126 there is nothing to see */
    vf t = vf_max(vf_mul(vf_mul(d, vf_set((float)factor)), d), vf_set(-126.0f));
    return vf_scale_near(visible, le__exp2_fraction(vf_fraction(t)), t);
}

static inline vf log2_of(vf v)
{
    vf x = vf_sub(vf_mantissa(v), vf_set(1.5f));
    return vf_add(vf_exponent(v), vf_fma(le__log2_slope(x), x, vf_set(LE__LOG2_OF_1_5)));
}

/* count samples to quads of red, green, blue and opacity. samples: row-major; begin: the first sample. */
static void gaussians(const le__transfer *t, const void *samples, le_dtype dtype, int64_t begin,
                      int64_t count, float *rgba)
{
    for (int64_t i = 0; i < count; i += VW) {
        float in[VW] = {0}, out[4 * VW];
        int64_t part = count - i < VW ? count - i : VW;
        le__load_f32(samples, dtype, begin + i, part, in);
        vf v = vf_load(in), zero = vf_set(0.0f), sum[4] = {zero, zero, zero, zero};
        vm visible = t->log ? vf_lt(zero, v) : vf_eq(v, v);
        vf s = t->log ? log2_of(vf_select(visible, v, vf_set(1.0f))) : v;
        for (size_t j = 0; j < t->n; j++) {
            const le__gaussian *g = &t->gaussians[j];
            vf e = gaussian(s, g, t->log, visible);
            for (int c = 0; c < 4; c++)
                sum[c] = vf_fma(e, vf_set((float)g->rgba[c]), sum[c]);
        }
        v_store_quads(part == VW ? rgba + 4 * i : out, sum[0], sum[1], sum[2], sum[3]);
        for (int64_t k = 0; part < VW && k < 4 * part; k++)
            rgba[4 * i + k] = out[k];
    }
}

void LE__ISA_NAME(le__ln_)(const float *in, float *out, size_t count)
{
    for (size_t i = 0; i + VW <= count; i += VW)
        vf_store(out + i, le__ln(vf_load(in + i)));
}

void LE__ISA_NAME(le__exp_)(const float *in, float *out, size_t count)
{
    for (size_t i = 0; i + VW <= count; i += VW)
        vf_store(out + i, le__exp(vf_load(in + i)));
}
