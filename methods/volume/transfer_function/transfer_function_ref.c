/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of `transfer_function`: the formulas of transfer.h in double precision.
 */
#include "common/load.h"
#include "volume/transfer_function/transfer_function.h"

static void range(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    le_call *call = context;
    const le__transfer *transfer = le_call_attached(call);
    const le_tensor *samples = le_call_in(call, ARG_SAMPLES);
    const le_tensor *rgba = le_call_out(call, ARG_RGBA);
    int64_t count = le_tensor_count(samples);
    for (int64_t i = (int64_t)begin * LE__TF_BLOCK; i < (int64_t)end * LE__TF_BLOCK && i < count;
         i++) {
        double out[4];
        le__transfer_at(transfer, le_tensor_get(samples, i), out);
        int64_t offset = 0, rest = i;
        for (int d = samples->ndim - 1; d >= 0; d--) {
            offset += rest % samples->shape[d] * rgba->strides[d];
            rest /= samples->shape[d];
        }
        for (int c = 0; c < 4; c++)
            le__store(rgba->data, rgba->dtype, offset + c * rgba->strides[samples->ndim], out[c]);
    }
}

LE_IMPLEMENTATION(transfer_function, reference, .run_type = "reference",
                  .summary = "double precision", .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE,
                  .speed = 0.5, .items = le__tf_items, .range = range);
