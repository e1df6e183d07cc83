/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_magnify by rows with tables of weights, plain C.
 */
#include "shift_magnify.h"

static void horizontal(const le__magnify *m, const float *row, float *out) {
    const int64_t n = m->out.cols;
    for (int64_t x = 0; x < n; x++) {
        const float *in = row + m->index[x], *w = m->weight + x;
        float sum = w[0] * in[0];
        for (int k = 1; k < m->taps; k++)
            sum += w[k * m->padded] * in[k];
        out[x] = sum;
    }
}

#include "shift_magnify_rows.h"

extern const le_implementation le_implementation_shift_magnify__c;
const le_implementation le_implementation_shift_magnify__c = {
    .abi = LE_METHOD_ABI,
    .operation = "shift_magnify",
    .name = "c",
    .run_type = "c",
    .summary = "rows, tables of weights; plain C",
    .device = LE_DEVICE_CPU,
    .isa = 0,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 1,
    .memory = le__magnify_memory,
    .prepare = le__magnify_prepare,
    .items = le__magnify_items,
    .range = range,
};
