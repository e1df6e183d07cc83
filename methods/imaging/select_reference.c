/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * select_labels, reference: component by component.
 */
#include "imaging/select_labels.h"

static bool is_kept(const le_call *call, int64_t label) {
    const le_tensor *labels = le_call_in(call, SELECT_LABELS);
    bool seeded = !le_call_given(call, SELECT_SEEDS);
    int64_t area = 0;
    for (int64_t i = 0; i < le_tensor_count(labels); i++) {
        if (le_tensor_get_i64(labels, i) != label)
            continue;
        area++;
        seeded = seeded || le_tensor_get(le_call_in(call, SELECT_SEEDS), i) != 0;
    }
    return area > 0 && seeded && area >= le_call_i64(call, SELECT_AREA);
}

/* The least label above this one; 0: there is none. */
static int64_t label_after(const le_tensor *labels, int64_t label) {
    int64_t next = 0;
    for (int64_t i = 0; i < le_tensor_count(labels); i++) {
        const int64_t at = le_tensor_get_i64(labels, i);
        if (at > label && (!next || at < next))
            next = at;
    }
    return next;
}

static le_status run(le_call *call) {
    const le_tensor *labels = le_call_in(call, SELECT_LABELS);
    le_tensor *result = le_call_out(call, SELECT_RESULT);
    double count = 0;
    for (int64_t i = 0; i < le_tensor_count(labels); i++)
        le_tensor_set(result, i, 0);
    for (int64_t label = 0; (label = label_after(labels, label));) {
        if (!is_kept(call, label))
            continue;
        count++;
        for (int64_t i = 0; i < le_tensor_count(labels); i++)
            if (le_tensor_get_i64(labels, i) == label)
                le_tensor_set(result, i, count);
    }
    if (le_call_given(call, SELECT_COUNT))
        le_tensor_set(le_call_out(call, SELECT_COUNT), 0, count);
    return LE_OK;
}

LE_IMPLEMENTATION(select_labels, reference, .run_type = "reference",
                  .summary = "component by component",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.01,
                  .run = run);
