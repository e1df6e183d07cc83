/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * label, reference: by flooding.
 */
#include "imaging/label.h"
#include "imaging/label_flood.h"

static le_status run(le_call *call) {
    const le_tensor *mask = le_call_in(call, LABEL_MASK);
    const int64_t n = le_tensor_count(mask);
    int32_t *labels = le_call_scratch(call, (size_t)(2 * n + 1) * sizeof *labels);
    if (!labels)
        return le_fail(LE_ERR_MEMORY, "label: no memory for the labels");
    for (int64_t i = 0; i < n && !le__im_over(call, i); i++)
        labels[i] = le_tensor_get(mask, i) != 0;
    const int reach = le__im_reach(le_call_i64(call, LABEL_CONNECTIVITY), mask->ndim);
    const int32_t count = le__im_flood(call, labels, le__im_shape_of(mask), reach, labels + n);
    const int64_t given = le_call_given(call, LABEL_LABELS) ? n : 0;
    for (int64_t i = 0; i < given && !le__im_over(call, i); i++)
        le_tensor_set(le_call_out(call, LABEL_LABELS), i, labels[i]);
    if (le_call_given(call, LABEL_COUNT))
        le_tensor_set(le_call_out(call, LABEL_COUNT), 0, count);
    return LE_OK;
}

static int64_t memory(const le_call *call) {
    return (2 * le_tensor_count(le_call_in(call, LABEL_MASK)) + 1) * (int64_t)sizeof(int32_t);
}

LE_IMPLEMENTATION(label, reference, .run_type = "reference", .summary = "by flooding",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.1,
                  .memory = memory, .run = run);
