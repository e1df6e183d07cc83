/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The vector implementations of `transfer_function`, compiled once for each instruction set: Gaussians
 * only.
 */
#include "common/isa.h"
#include "common/load.h"
#include "volume/transfer_function/kernels_simd.h"
#include "volume/transfer_function/transfer_function.h"

static bool applicable(const le_call *call, const char **why)
{
    const le__transfer *t = le_call_attached(call);
    *why = t->table ? "the transfer function is a table" : "the output has strides or is not f32";
    return !t->table && le_call_out(call, ARG_RGBA)->dtype == LE_F32 &&
           le__out_contiguous(call, ARG_RGBA);
}

static void range(void *data, size_t begin, size_t end, int worker)
{
    (void)worker;
    const le__tf_context *x = data;
    const le_tensor *in = le_call_in(x->call, ARG_SAMPLES);
    int64_t first = (int64_t)begin * LE__TF_BLOCK, stop = (int64_t)end * LE__TF_BLOCK;
    int64_t count = le_tensor_count(in);
    stop = stop < count ? stop : count;
    float *out = le_call_out(x->call, ARG_RGBA)->data;
    gaussians(le_call_attached(x->call), x->samples, in->dtype, first, stop - first, out + 4 * first);
}

LE_IMPLEMENTATION(transfer_function, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = LE__ISA_TITLE ": Gaussians with polynomial logarithm and exponential",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 8.0, 12.0),
                  .applicable = applicable, .prepare = le__tf_prepare, .items = le__tf_items,
                  .range = range);
