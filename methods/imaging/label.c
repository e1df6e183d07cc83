/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation label: connected components of a mask.
 */
#include "imaging/label.h"

#include "imaging/scene.h"

static const le_arg_desc args[] = {
    [LABEL_MASK] = LE__IM_IMAGE("mask", "other than 0 (not a number, too): foreground"),
    [LABEL_CONNECTIVITY] = LE__IM_CONNECTIVITY_ARG,
    [LABEL_LABELS] = LE__IM_LABELS_ARG("labels",
                                       "0: background; else the number of the component, from 1 in "
                                       "the row-major order of first pixels",
                                       LE_TYPE_OUT, true, "as mask"),
    [LABEL_COUNT] = LE__IM_COUNT_OUT("components")};

int le__im_reach(int64_t connectivity, int ndim) {
    static const int8_t of[LE__IM_AXES][LE__IM_AXES] = {{2, 4, 8}, {4, 8, 8}, {6, 18, 26}};
    if (connectivity == 0)
        return 1;
    for (int k = 0; k < LE__IM_AXES; k++)
        if (of[ndim - 1][k] == connectivity)
            return ndim == 1 ? 1 : k + 1;
    return 0;
}

le_status le__im_check_connectivity(const char *who, int64_t connectivity, int ndim) {
    static const char *const expected[] = {"2", "4 or 8", "6, 18 or 26"};
    if (le__im_reach(connectivity, ndim))
        return LE_OK;
    return le_fail(LE_ERR_ARGUMENT, "%s: connectivity is %d, expected %s for %d axes", who,
                   (int)connectivity, expected[ndim - 1], ndim);
}

le_status le__im_check_count(const char *who, const le_tensor *image) {
    if (le_tensor_count(image) <= INT32_MAX)
        return LE_OK;
    return le_fail(LE_ERR_SHAPE, "%s: %lld pixels, expected at most 2147483647", who,
                   (long long)le_tensor_count(image));
}

static le_status check(le_call *call) {
    const le_tensor *mask = le_call_in(call, LABEL_MASK);
    le_status status =
        le__im_check_connectivity("label", le_call_i64(call, LABEL_CONNECTIVITY), mask->ndim);
    if (status == LE_OK)
        status = le__im_check_count("label", mask);
    if (status != LE_OK)
        return status;
    if (!le_call_given(call, LABEL_LABELS) && !le_call_given(call, LABEL_COUNT))
        return le_fail(LE_ERR_ARGUMENT, "label: no output, expected labels or count");
    if (le_call_given(call, LABEL_LABELS))
        status = le_call_set_out(call, LABEL_LABELS, LE_I32, mask->ndim, mask->shape);
    if (status == LE_OK && le_call_given(call, LABEL_COUNT))
        status = le_call_set_out(call, LABEL_COUNT, LE_I32, 1, (int64_t[]){1});
    return status;
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *mask = le_call_in(call, LABEL_MASK);
    const double n = (double)le_tensor_count(mask);
    *out = (le_work){10 * n + 1, n * (4 + (double)le_dtype_size(mask->dtype))};
}

static void put_connectivity(le_case *c, const le_case_request *r, int ndim) {
    static const int64_t of[LE__IM_AXES][LE__IM_AXES] = {{2, 0, 2}, {4, 8, 0}, {6, 18, 26}};
    const int64_t i = r->kind == LE_CASE_CHECK ? r->index : 0;
    le_case_i64(c, "connectivity", of[ndim - 1][i / 2 % LE__IM_AXES]);
}

static le_status make_case(le_case *c, const le_case_request *r) {
    const le_tensor *mask = le__im_mask(c, r, LABEL_MASK);
    if (!mask)
        return le_case_status(c);
    if (r->like)
        le_case_like(c, r->like);
    else
        put_connectivity(c, r, mask->ndim);
    if (!r->like || le_call_given(r->like, LABEL_LABELS))
        le_case_out(c, "labels", LE_I32);
    if (!r->like || le_call_given(r->like, LABEL_COUNT))
        le_case_out(c, "count", LE_I32);
    return le_case_status(c);
}

extern const le_operation le_operation_label;
const le_operation le_operation_label = {.abi = LE_METHOD_ABI,
                                         .name = "label",
                                         .family = "imaging",
                                         .summary = "numbers the connected components of a mask",
                                         .reference = "scipy.ndimage.label",
                                         .args = args,
                                         .n_args = sizeof args / sizeof args[0],
                                         .check = check,
                                         .work = work,
                                         .make_case = make_case};
