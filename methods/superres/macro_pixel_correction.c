/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation macro_pixel_correction: removes the pattern of sub-pixel phases from magnified
 * images.
 */
#include "macro_pixel_correction.h"

static const le_arg_desc args[] = {
    [CORRECTION_IMAGE] = {.name = "image",
                          .doc = "magnified images, read as float32",
                          .type = LE_TYPE_IN,
                          .dtypes = LE_DTYPES_ALL,
                          .min_ndim = 2,
                          .max_ndim = 3,
                          .shape = "[N,H*M,W*M] or [H*M,W*M]"},
    [CORRECTION_MAGNIFICATION] = {.name = "magnification",
                                  .doc = "M: pixels of a whole pixel, each way",
                                  .type = LE_TYPE_I64,
                                  .optional = true,
                                  .cost = true,
                                  .min = 1,
                                  .max = LE__SR_MAX_MAGNIFICATION,
                                  .default_f64 = 5},
    [CORRECTION_RESULT] = {.name = "result",
                           .doc =
                               "each pixel divided by the mean of its phase (y%M, x%M), where that "
                               "is not 0",
                           .type = LE_TYPE_OUT,
                           .dtypes = LE_DTYPE_BIT(LE_F32),
                           .min_ndim = 2,
                           .max_ndim = 3,
                           .shape = "as image"},
};

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, CORRECTION_IMAGE);
    const int64_t m = le_call_i64(call, CORRECTION_MAGNIFICATION);
    le_status status = le__sr_check_image(image, "macro_pixel_correction", "image");
    if (status != LE_OK)
        return status;
    for (int d = image->ndim - 2; d < image->ndim; d++)
        if (image->shape[d] % m)
            return le_fail(LE_ERR_SHAPE,
                           "macro_pixel_correction: 'image' has %lld elements along axis %d; a "
                           "multiple of the magnification %lld is expected",
                           (long long)image->shape[d], d, (long long)m);
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
    le_dtype dtype = le__sr_case_dtype(r);
    if (r->kind == LE_CASE_CHECK)
        for (int d = 0; d < 4; d++)
            s[d] = r->index < 5 ? edges[r->index][d] : 1 + (int64_t)(le_case_random(c) % 9);
    if (r->kind == LE_CASE_BENCH)
        s[0] = 1, s[1] = s[2] = (r->size > 5 ? r->size : 1000) / 5;
    if (r->kind == LE_CASE_TRIAL && r->like) {
        dtype = le_call_in(r->like, CORRECTION_IMAGE)->dtype;
        s[0] = le_call_in(r->like, CORRECTION_IMAGE)->ndim == 2 ? 0 : 2;
        s[3] = le_call_i64(r->like, CORRECTION_MAGNIFICATION);
    }
    const int64_t shape[3] = {s[0], s[1] * s[3], s[2] * s[3]};
    le_tensor *t = le_case_in(c, "image", dtype, s[0] ? 3 : 2, shape + (s[0] ? 0 : 1));
    if (!t)
        return le_case_status(c);
    if (r->kind == LE_CASE_CHECK && r->index % 4 == 0)
        le__sr_fill_content(c, t, r->index / 4 % LE__SR_CONTENTS);
    else
        le__sr_fill_spots(c, t);
    le_case_i64(c, "magnification", s[3]);
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

/* One frame. */
static le_status part(const le_call *call, uint64_t random, le_case *out, int64_t *first) {
    *first = le__sr_pick_frame(le_call_in(call, CORRECTION_IMAGE), random);
    if (*first < 0)
        return LE_ERR_UNSUPPORTED;
    le__sr_case_frames(out, "image", le_call_in(call, CORRECTION_IMAGE), *first, 1);
    le_case_like(out, call);
    return le_case_status(out);
}

static bool slabs(const le_call *call, le_slabs *out) {
    static const int cut[] = {CORRECTION_IMAGE, CORRECTION_RESULT};
    return le__sr_slabs(le_call_in(call, CORRECTION_IMAGE), cut, 2, out);
}

extern const le_operation le_operation_macro_pixel_correction;
const le_operation le_operation_macro_pixel_correction = {
    .abi = LE_METHOD_ABI,
    .name = "macro_pixel_correction",
    .family = "superres",
    .summary = "divides magnified images by the means of their sub-pixel phases",
    .reference = "eSRRF: Laine et al., Nature Methods 2023",
    .args = args,
    .n_args = sizeof args / sizeof args[0],
    .check = check,
    .work = work,
    .norm = LE_NORM_MAX,
    .atol = 1e-5,
    .make_case = make_case,
    .part = part,
    .slabs = slabs,
};
