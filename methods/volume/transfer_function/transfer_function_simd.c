/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Descriptors of the vector implementations of `transfer_function` for x86: Gaussians only.
 */
#include "volume/describe_simd.h"
#include "volume/load.h"
#include "volume/transfer_function/simd.h"
#include "volume/transfer_function/transfer_function.h"

static bool applicable(const le_call *call, const char **why)
{
    const le__transfer *t = le_call_attached(call);
    *why = t->table ? "the transfer function is a table" : "the output has strides or is not f32";
    return !t->table && le_call_out(call, ARG_RGBA)->dtype == LE_F32 &&
           le__out_contiguous(call, ARG_RGBA);
}

typedef void (*kernel_fn)(const le__transfer *t, const void *samples, le_dtype dtype, int64_t begin,
                          int64_t count, float *rgba);

static void run_range(const le__tf_context *x, size_t begin, size_t end, kernel_fn kernel)
{
    const le_tensor *in = le_call_in(x->call, ARG_SAMPLES);
    int64_t first = (int64_t)begin * LE__TF_BLOCK, stop = (int64_t)end * LE__TF_BLOCK;
    int64_t count = le_tensor_count(in);
    stop = stop < count ? stop : count;
    float *out = le_call_out(x->call, ARG_RGBA)->data;
    kernel(le_call_attached(x->call), x->samples, in->dtype, first, stop - first, out + 4 * first);
}

#define DESCRIBE(id, isa_bits, guess, text)                                                        \
    static void range_##id(void *data, size_t begin, size_t end, int worker)                       \
    {                                                                                              \
        (void)worker;                                                                              \
        run_range(data, begin, end, le__gaussians_##id);                                           \
    }                                                                                              \
    LE__DESCRIBE_SIMD(transfer_function, id, "simd", isa_bits, guess, text,                        \
                      .applicable = applicable, .prepare = le__tf_prepare, .items = le__tf_items,  \
                      .range = range_##id)

DESCRIBE(avx2, LE_ISA_AVX2, 8.0, "AVX2: Gaussians with polynomial logarithm and exponential");
DESCRIBE(avx512, LE_ISA_AVX512, 12.0,
         "AVX-512: Gaussians with polynomial logarithm and exponential");
