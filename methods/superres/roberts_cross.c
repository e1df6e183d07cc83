/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation roberts_cross: the gradient of an image by the Roberts cross.
 */
#include "roberts_cross.h"

#include "sr_operation.h"

static const le_arg_desc args[] = {
    [ROBERTS_IMAGE] = LE__SR_FRAMES_IN,
    [ROBERTS_GRADIENT_COL] =
        LE__SR_STACK_OUT("gradient_col", "I[y-1,x] - I[y,x-1] + I[y,x] - I[y-1,x-1]", "as image"),
    [ROBERTS_GRADIENT_ROW] =
        LE__SR_STACK_OUT("gradient_row", "-I[y-1,x] + I[y,x-1] + I[y,x] - I[y-1,x-1]", "as image"),
};

le__roberts le__roberts_of(const le_call *call) {
    return (le__roberts){.in = le__sr_stack_of(le_call_in(call, ROBERTS_IMAGE)),
                         .col = le__sr_stack_of(le_call_out(call, ROBERTS_GRADIENT_COL)),
                         .row = le__sr_stack_of(le_call_out(call, ROBERTS_GRADIENT_ROW))};
}

le_status le__roberts_prepare(le_call *call, void **context) {
    le__roberts *r = le_call_scratch(call, sizeof *r);
    if (!r)
        return le_fail(LE_ERR_MEMORY, "roberts_cross: out of memory");
    *r = le__roberts_of(call);
    *context = r;
    return le__sr_spare(call, 4 * r->in.cols, &r->spare);
}

size_t le__roberts_items(const le_call *call) {
    const le__sr_stack s = le__sr_stack_of(le_call_in(call, ROBERTS_IMAGE));
    return (size_t)(s.frames * s.rows);
}

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, ROBERTS_IMAGE);
    le_status status = le__sr_check_image(image, "roberts_cross", "image");
    if (status == LE_OK)
        status = le_call_set_out(call, ROBERTS_GRADIENT_COL, LE_F32, image->ndim, image->shape);
    if (status == LE_OK)
        status = le_call_set_out(call, ROBERTS_GRADIENT_ROW, LE_F32, image->ndim, image->shape);
    return status;
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *image = le_call_in(call, ROBERTS_IMAGE);
    const double n = (double)le_tensor_count(image);
    out->operations = 6 * n;
    out->bytes = n * (8 + (double)le_dtype_size(image->dtype));
}

static le_status make_case(le_case *c, const le_case_request *r) {
    static const int64_t edges[][3] = {{1, 1, 1},  {2, 1, 17}, {3, 13, 1},
                                       {0, 9, 70}, {2, 2, 2},  {1, 33, 31}};
    const int64_t n = r->size > 0 ? r->size : 512;
    int64_t shape[3] = {3, 40, 47};
    if (r->kind == LE_CASE_CHECK)
        for (int d = 0; d < 3; d++)
            shape[d] = r->index < 6 ? edges[r->index][d] : 1 + (int64_t)(le_case_random(c) % 50);
    if (r->kind == LE_CASE_BENCH)
        shape[0] = 4, shape[1] = shape[2] = n;
    le__sr_case_image(c, r, shape, 3);
    le_case_out(c, "gradient_col", LE_F32);
    le_case_out(c, "gradient_row", LE_F32);
    return le_case_status(c);
}

static bool slabs(const le_call *call, le_slabs *out) {
    static const int cut[] = {ROBERTS_IMAGE, ROBERTS_GRADIENT_COL, ROBERTS_GRADIENT_ROW};
    return le__sr_slabs(le_call_in(call, ROBERTS_IMAGE), cut, 3, out);
}

/* A row needs the one before it. */
static bool tiles(const le_call *call, le_slabs *out) {
    static const int cut[] = {ROBERTS_IMAGE, ROBERTS_GRADIENT_COL, ROBERTS_GRADIENT_ROW};
    return le__sr_tiles(call, cut, 3, 1, out);
}

extern const le_operation le_operation_roberts_cross;
const le_operation le_operation_roberts_cross = {
    LE__SR_OPERATION("roberts_cross", "image gradient by the Roberts cross",
                     "NanoPyx GradientRobertsCross: Saraiva et al., Nature Methods 2025"),
    .part = le__sr_part_frame,
    .tiles = tiles,
};
