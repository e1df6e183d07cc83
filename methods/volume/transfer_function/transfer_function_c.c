/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `transfer_function` in scalar C: single precision for Gaussians where the output is f32.
 */
#include "volume/gaussians.h"
#include "common/load.h"
#include "volume/transfer_function/transfer_function.h"

static bool applicable(const le_call *call, const char **why)
{
    *why = "the output has strides";
    return le__out_contiguous(call, ARG_RGBA);
}

static void range(void *data, size_t begin, size_t end, int worker)
{
    (void)worker;
    const le__tf_context *x = data;
    const le__transfer *t = le_call_attached(x->call);
    const le_tensor *in = le_call_in(x->call, ARG_SAMPLES), *out = le_call_out(x->call, ARG_RGBA);
    int64_t first = (int64_t)begin * LE__TF_BLOCK, stop = (int64_t)end * LE__TF_BLOCK;
    int64_t count = le_tensor_count(in);
    bool single = !t->table && out->dtype == LE_F32 && in->dtype != LE_F64 && in->dtype != LE_I32 &&
                  in->dtype != LE_U32;
    for (int64_t i = first; i < stop && i < count; i++) {
        double value = le__load(x->samples, in->dtype, i), rgba[4];
        if (single) {
            le__gaussians_f32(t, (float)value, (float *)out->data + 4 * i);
            continue;
        }
        le__transfer_at(t, value, rgba);
        for (int c = 0; c < 4; c++)
            le__store(out->data, out->dtype, 4 * i + c, rgba[c]);
    }
}

LE_IMPLEMENTATION(transfer_function, c, .run_type = "c", .summary = "scalar C",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1.0, .applicable = applicable,
                  .prepare = le__tf_prepare, .items = le__tf_items, .range = range);
