/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The vector implementations of `composite`, compiled once for each instruction set.
 */
#include "common/isa.h"
#include "volume/composite/composite.h"
#include "volume/composite/kernels_simd.h"

static size_t items(const le_call *call)
{
    const int64_t *n = le_call_in(call, ARG_RGBA)->shape;
    return (size_t)((n[1] * n[2] + LE__COMPOSITE_PIXELS - 1) / LE__COMPOSITE_PIXELS);
}

static void range(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    le_call *call = context;
    const le_tensor *rgba = le_call_in(call, ARG_RGBA);
    float *image = le_call_out(call, ARG_IMAGE)->data;
    int64_t total = rgba->shape[1] * rgba->shape[2];
    for (int64_t block = (int64_t)begin; block < (int64_t)end; block++) {
        int64_t first = block * LE__COMPOSITE_PIXELS, rest = total - first;
        composite_block((const float *)rgba->data + 4 * first, 4 * total, rgba->shape[0],
                        rest < LE__COMPOSITE_PIXELS ? rest : LE__COMPOSITE_PIXELS, image + 3 * first);
    }
}

LE_IMPLEMENTATION(composite, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = LE__ISA_TITLE ": blocks of 32 pixels in registers",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 3.0, 3.5),
                  .applicable = le__composite_packed, .items = items, .range = range);
