/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Descriptors of the vector implementations of `composite` for x86.
 */
#include "volume/composite/composite.h"
#include "volume/composite/simd.h"
#include "volume/describe_simd.h"

static size_t items(const le_call *call)
{
    const int64_t *n = le_call_in(call, ARG_RGBA)->shape;
    return (size_t)((n[1] * n[2] + LE__COMPOSITE_PIXELS - 1) / LE__COMPOSITE_PIXELS);
}

typedef void (*kernel_fn)(const float *rgba, int64_t slice, int64_t depth, int64_t pixels,
                          float *image);

static void run_range(le_call *call, size_t begin, size_t end, kernel_fn kernel)
{
    const le_tensor *rgba = le_call_in(call, ARG_RGBA);
    float *image = le_call_out(call, ARG_IMAGE)->data;
    int64_t total = rgba->shape[1] * rgba->shape[2];
    for (int64_t block = (int64_t)begin; block < (int64_t)end; block++) {
        int64_t first = block * LE__COMPOSITE_PIXELS, rest = total - first;
        kernel((const float *)rgba->data + 4 * first, 4 * total, rgba->shape[0],
               rest < LE__COMPOSITE_PIXELS ? rest : LE__COMPOSITE_PIXELS, image + 3 * first);
    }
}

#define DESCRIBE(id, isa_bits, guess, text)                                                        \
    static void range_##id(void *call, size_t begin, size_t end, int worker)                       \
    {                                                                                              \
        (void)worker;                                                                              \
        run_range(call, begin, end, le__composite_##id);                                           \
    }                                                                                              \
    LE__DESCRIBE_SIMD(composite, id, "simd", isa_bits, guess, text,                                \
                      .applicable = le__composite_packed, .items = items, .range = range_##id)

DESCRIBE(avx2, LE_ISA_AVX2, 3.0, "AVX2: blocks of 32 pixels in registers");
DESCRIBE(avx512, LE_ISA_AVX512, 3.5, "AVX-512: blocks of 32 pixels in registers");
