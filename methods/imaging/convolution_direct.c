/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions tap by tap, four rows of the result at once in registers; once for each instruction
 * set.
 */
#include "imaging/convolution_floats.h"

static bool applicable(const le_call *call, const char **why) {
    *why = "a tap is not finite";
    return le__convolution_of(call)->finite;
}

static int64_t memory(const le_call *call) {
    return le__conv_memory(call, form_of(call));
}

static le_status prepare(le_call *call, void **out) {
    le__conv_context *x = *out = le_call_scratch(call, sizeof *x);
    return x ? prepare_context(call, x) : le_fail(LE_ERR_MEMORY, "no memory for a convolution");
}

static void range(void *data, size_t begin, size_t end, int worker) {
    const le__conv_context *x = data;
    for (size_t item = begin; item < end; item++) {
        const le__conv_block b = le__conv_block_at(&x->blocks, (int64_t)item);
        if (x->run.c->in_f64) {
            tile_f64 t = tile_at_f64(x, worker);
            direct_f64(&x->run, &b, x->taps, 0, &t);
        } else {
            tile_f32 t = tile_at_f32(x, worker);
            mended_f32(&x->run, &b, x->taps, &t);
        }
    }
}

#define LE__CONV_DIRECT(operation)                                                                 \
    LE_IMPLEMENTATION(operation, LE__ISA, LE__ISA_FIELDS("simd"),                                  \
                      .summary = "tap by tap, four rows at once; " LE__ISA_WIDTH,                  \
                      .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 4, 8),                 \
                      .applicable = applicable, .memory = memory, .prepare = prepare,              \
                      .items = items, .range = range)

LE__CONV_DIRECT(convolve2d);
LE__CONV_DIRECT(correlate2d);
LE__CONV_DIRECT(convolve);
