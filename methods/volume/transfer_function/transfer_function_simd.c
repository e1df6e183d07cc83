/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The vector implementations of `transfer_function`, compiled once for each instruction set: Gaussians
 * only.
 */
#include "common/denormals.h"
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

static void range(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const le_call *call = context;
    const le_tensor *in = le_call_in(call, ARG_SAMPLES);
    float *out = le_call_out(call, ARG_RGBA)->data;
    const le__transfer *t = le_call_attached(call);
    double room[LE__TF_BLOCK];
    const unsigned before = le__denormals_flush(le__transfer_hides_denormals(t));
    for (size_t b = begin; b < end; b++) {
        int64_t first = (int64_t)b * LE__TF_BLOCK, n = le__tf_block(call, b);
        gaussians(t, le_tensor_elements(in, first, n, room), in->dtype, 0, n, out + 4 * first);
    }
    le__denormals_restore(before);
}

LE_IMPLEMENTATION(transfer_function, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = LE__ISA_TITLE ": Gaussians with polynomial logarithm and exponential",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 8.0, 12.0),
                  .applicable = applicable, .prepare = le__tf_prepare, .items = le__tf_items,
                  .range = range);
