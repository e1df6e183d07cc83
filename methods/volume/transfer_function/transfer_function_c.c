/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `transfer_function` in scalar C: single precision for Gaussians where the output is f32.
 */
#include "volume/gaussians.h"
#include "common/denormals.h"
#include "common/load.h"
#include "volume/transfer_function/transfer_function.h"

static bool applicable(const le_call *call, const char **why)
{
    *why = "the output has strides";
    return le__out_contiguous(call, ARG_RGBA);
}

static void one_block(le_call *call, int64_t first, int64_t n)
{
    const le__transfer *t = le_call_attached(call);
    const le_tensor *in = le_call_in(call, ARG_SAMPLES), *out = le_call_out(call, ARG_RGBA);
    bool single = !t->table && out->dtype == LE_F32 && in->dtype != LE_F64 && in->dtype != LE_I32 &&
                  in->dtype != LE_U32;
    double room[LE__TF_BLOCK];
    const void *samples = le_tensor_elements(in, first, n, room);
    for (int64_t i = 0; i < n; i++) {
        double value = le__load(samples, in->dtype, i), rgba[4];
        if (single) {
            le__gaussians_f32(t, (float)value, (float *)out->data + 4 * (first + i));
            continue;
        }
        le__transfer_at(t, value, rgba);
        for (int c = 0; c < 4; c++)
            le__store(out->data, out->dtype, 4 * (first + i) + c, rgba[c]);
    }
}

static void range(void *call, size_t begin, size_t end, int worker)
{
    (void)worker;
    const unsigned before = le__denormals_flush(le__transfer_hides_denormals(le_call_attached(call)));
    for (size_t b = begin; b < end; b++)
        one_block(call, (int64_t)b * LE__TF_BLOCK, le__tf_block(call, b));
    le__denormals_restore(before);
}

LE_IMPLEMENTATION(transfer_function, c, .run_type = "c", .summary = "scalar C",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1.0, .applicable = applicable,
                  .prepare = le__tf_prepare, .items = le__tf_items, .range = range);
