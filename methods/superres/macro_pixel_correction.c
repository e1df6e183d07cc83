/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation macro_pixel_correction: removes the pattern of sub-pixel phases from magnified
 * images.
 */
#include "macro_pixel_correction.h"

#include "sr_operation.h"

static const le_arg_desc args[] = {
    [CORRECTION_IMAGE] = LE__SR_STACK_IN("image", "magnified images, read as float32",
                                         LE_DTYPES_ALL, "[N,H*M,W*M] or [H*M,W*M]"),
    [CORRECTION_MAGNIFICATION] = LE__SR_MAGNIFICATION_ARG("M: pixels of a whole pixel, each way"),
    [CORRECTION_RESULT] = LE__SR_STACK_OUT(
        "result", "each pixel divided by the mean of its phase (y%M, x%M), where that is not 0",
        "as image"),
};

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, CORRECTION_IMAGE);
    const int64_t m = le_call_i64(call, CORRECTION_MAGNIFICATION);
    le_status status = le__sr_check_image(image, "macro_pixel_correction", "image");
    if (status == LE_OK)
        status = le__sr_check_multiple(image, "macro_pixel_correction", m);
    if (status != LE_OK)
        return status;
    return le_call_set_out(call, CORRECTION_RESULT, LE_F32, image->ndim, image->shape);
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *image = le_call_in(call, CORRECTION_IMAGE);
    const double n = (double)le_tensor_count(image);
    out->operations = 2 * n;
    out->bytes = n * (4 + 2 * (double)le_dtype_size(image->dtype));
}

static le_status make_case(le_case *c, const le_case_request *r) {
    static const int64_t edges[][4] = {
        {1, 1, 1, 1}, {2, 1, 3, 5}, {0, 4, 1, 3}, {3, 7, 9, 4}, {1, 6, 21, 10}};
    int64_t s[4] = {2, 9, 13, 5};
    if (r->kind == LE_CASE_CHECK)
        for (int d = 0; d < 4; d++)
            s[d] = r->index < 5 ? edges[r->index][d] : 1 + (int64_t)(le_case_random(c) % 9);
    if (r->kind == LE_CASE_BENCH)
        s[0] = 1, s[1] = s[2] = (r->size > 5 ? r->size : 1000) / 5;
    if (r->kind == LE_CASE_TRIAL && r->like)
        s[3] = le_call_i64(r->like, CORRECTION_MAGNIFICATION);
    le__sr_case_image(c, r, (int64_t[]){s[0], s[1] * s[3], s[2] * s[3]}, 4);
    le_case_i64(c, "magnification", s[3]);
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

static bool slabs(const le_call *call, le_slabs *out) {
    static const int cut[] = {CORRECTION_IMAGE, CORRECTION_RESULT};
    return le__sr_slabs(le_call_in(call, CORRECTION_IMAGE), cut, 2, out);
}

extern const le_operation le_operation_macro_pixel_correction;
const le_operation le_operation_macro_pixel_correction = {
    LE__SR_OPERATION("macro_pixel_correction",
                     "divides magnified images by the means of their sub-pixel phases",
                     "eSRRF: Laine et al., Nature Methods 2023"),
    .part = le__sr_part_frame,
};
