/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Blocks of convolutions with sums in single or in double precision, as the call needs; compiled
 * once for each instruction set.
 */
#ifndef LE_IMAGING_CONVOLUTION_FLOATS_H
#define LE_IMAGING_CONVOLUTION_FLOATS_H

#include <float.h>

#include "common/denormals.h"
#include "common/isa.h"
#include "imaging/convolution_memory.h"
#include "imaging/convolution_vec.h"

#define STEP   1
#define LOAD   le__conv_load
#define REAL   float
#define SUFFIX f32
#define DTYPE  LE_F32
#define PIECE  288 /* so that 15 x 15 taps are one, and as the bound in convolution.c has it */
#include "imaging/convolution_block.h"
#include "imaging/convolution_terms.h"
#undef REAL
#undef SUFFIX
#undef DTYPE
#undef PIECE
#define REAL   double
#define SUFFIX f64
#define DTYPE  LE_F64
#define PIECE  INT64_MAX
#include "imaging/convolution_block.h"
#include "imaging/convolution_terms.h"
#undef REAL
#undef SUFFIX
#undef DTYPE
#undef PIECE
#undef STEP
#undef LOAD

static inline le__conv_form form_of(const le_call *call) {
    return le__convolution_of(call)->in_f64 ? (le__conv_form){sizeof(double), 2 * GROUP_f64}
                                            : (le__conv_form){sizeof(float), 2 * GROUP_f32};
}

static inline le_status prepare_context(le_call *call, le__conv_context *x) {
    le_status status = le__conv_prepare(call, form_of(call), x);
    if (status != LE_OK)
        return status;
    x->taps = le__conv_in_precision(call, x->run.c->taps, x->run.c->tap_rows * x->run.c->tap_cols);
    return x->taps ? LE_OK : le_fail(LE_ERR_MEMORY, "no memory for taps of a convolution");
}

/* Blocks are computed without denormals. *flushed: this one was; whether it has to be again, with
 * them, since what they add up to may be more than a millionth of each of its results. */
static inline bool needs_denormals(const le__conv_run *r, const le__conv_block *b,
                                   const tile_f32 *t, bool *flushed) {
    const le__convolution *c = r->c;
    const double most = (double)FLT_MIN * ((double)(c->tap_rows * c->tap_cols) + c->magnitudes.sum);
    int32_t pixels = 0; /* other than 0 */
    if (!*flushed)
        return false;
    *flushed = false;
    for (int64_t q = 0; q < t->height && !pixels; q++)
        for (int64_t x = 0; x < t->width; x++)
            pixels += t->rows[q][x] != 0;
    return pixels && le__conv_below(r, b, (float)(1e6 * most));
}

/* A sum may overflow in single precision on the way to a result that does not. */
static inline void mended_f32(const le__conv_run *r, const le__conv_block *b, const float *taps,
                              tile_f32 *t) {
    const bool before = le__conv_watch();
    bool flush = true;
    do {
        const unsigned denormals = le__denormals_flush(flush);
        direct_f32(r, b, taps, 0, t);
        le__denormals_restore(denormals);
    } while (needs_denormals(r, b, t, &flush));
    if (le__conv_overflowed(before)) {
        const le__conv_block same = *b; /* the other one, known here only, is kept in registers */
        le__conv_mend(r, &same);
    }
}

static inline size_t items(const le_call *call) {
    return le__conv_items(call, form_of(call));
}

#endif
