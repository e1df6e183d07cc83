/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation select_labels: which components of a mask are sources.
 */
#include "imaging/label.h"
#include "imaging/scene.h"
#include "imaging/select_labels.h"

#include <stdlib.h>

static const le_arg_desc args[] = {
    [SELECT_LABELS] = LE__IM_LABELS_ARG("labels", "components, of label", LE_TYPE_IN, false,
                                        "[W], [H,W] or [D,H,W]"),
    [SELECT_SEEDS] = {.name = "seeds",
                      .doc = "mask: a component without a pixel other than 0 here is dropped",
                      .type = LE_TYPE_IN,
                      .optional = true,
                      .dtypes = LE_DTYPE_BIT(LE_U8),
                      .min_ndim = 1,
                      .max_ndim = LE__IM_AXES,
                      .shape = "as labels"},
    [SELECT_AREA] = {.name = "minimum_area",
                     .doc = "pixels of a component at least",
                     .type = LE_TYPE_I64,
                     .optional = true,
                     .min = 0,
                     .max = 1e9,
                     .has_default = true,
                     .default_f64 = 1},
    [SELECT_RESULT] =
        LE__IM_LABELS_ARG("result", "those that are left, numbered from 1 in the same order",
                          LE_TYPE_OUT, false, "as labels"),
    [SELECT_COUNT] = LE__IM_COUNT_OUT("components that are left")};

static int ascending(const void *x, const void *y) {
    const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

int64_t le__im_list_labels(int32_t *labels, int64_t n) {
    int64_t left = 0;
    for (int64_t i = 0; i < n; i++) /* a label once for each stretch of it: sorting takes longest */
        if (labels[i] > 0 && (left == 0 || labels[i] != labels[left - 1]))
            labels[left++] = labels[i];
    n = left;
    if (n > 0)
        qsort(labels, (size_t)n, sizeof *labels, ascending);
    left = n > 0;
    for (int64_t i = 1; i < n; i++)
        if (labels[i] != labels[left - 1])
            labels[left++] = labels[i];
    return left;
}

static le_status check(le_call *call) {
    const le_tensor *labels = le_call_in(call, SELECT_LABELS),
                    *seeds = le_call_in(call, SELECT_SEEDS);
    bool same = true;
    if (le_call_given(call, SELECT_SEEDS)) {
        same = seeds->ndim == labels->ndim;
        for (int d = 0; same && d < labels->ndim; d++)
            same = seeds->shape[d] == labels->shape[d];
    }
    if (!same)
        return le_fail(LE_ERR_SHAPE, "select_labels: seeds have another shape than labels");
    le_status status = le_call_set_out(call, SELECT_RESULT, LE_I32, labels->ndim, labels->shape);
    if (status == LE_OK && le_call_given(call, SELECT_COUNT))
        status = le_call_set_out(call, SELECT_COUNT, LE_I32, 1, (int64_t[]){1});
    return status;
}

static void work(const le_call *call, le_work *out) {
    const double n = (double)le_tensor_count(le_call_in(call, SELECT_LABELS));
    *out = (le_work){2 * n + 1, 8 * n};
}

static le_status make_case(le_case *c, const le_case_request *r) {
    const le_tensor *labels = le__im_numbered(c, r, SELECT_LABELS, NULL, LE_I32);
    if (!labels)
        return LE_ERR_MEMORY;
    if (r->like ? le_call_given(r->like, SELECT_SEEDS) : r->index % 3 != 1) {
        le_tensor *seeds = le_case_in(c, "seeds", LE_U8, labels->ndim, labels->shape);
        for (int64_t i = 0; seeds && i < le_tensor_count(seeds); i++)
            le_tensor_set(seeds, i, le_case_uniform(c) < 0.05);
    }
    if (r->like)
        le_case_like(c, r->like);
    else
        le_case_i64(c, "minimum_area", r->index % 8);
    le_case_out(c, "result", LE_I32);
    if (!r->like || le_call_given(r->like, SELECT_COUNT))
        le_case_out(c, "count", LE_I32);
    return le_case_status(c);
}

extern const le_operation le_operation_select_labels;
const le_operation le_operation_select_labels = {
    .abi = LE_METHOD_ABI,
    .name = "select_labels",
    .family = "imaging",
    .summary = "keeps the components that are large enough and have a seed",
    .reference = "definition",
    .args = args,
    .n_args = sizeof args / sizeof args[0],
    .check = check,
    .work = work,
    .make_case = make_case};
