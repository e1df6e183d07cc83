/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation shift_scale_rotate: an image shifted, scaled and rotated about its centre.
 */
#include "shift_scale_rotate.h"

#include "sr_operation.h"

#include <math.h>

static const le_arg_desc args[] = {
    [ROTATE_IMAGE] = LE__SR_FRAMES_IN,
    [ROTATE_SHIFT_ROW] = LE__SR_SHIFT_ARG("shift_row", "pixels"),
    [ROTATE_SHIFT_COL] = LE__SR_SHIFT_ARG("shift_col", "pixels"),
    [ROTATE_SCALE_ROW] = LE__SR_REAL("scale_row", "above 1 enlarges", 0.01, 100, 1, false),
    [ROTATE_SCALE_COL] = LE__SR_REAL("scale_col", "above 1 enlarges", 0.01, 100, 1, false),
    [ROTATE_ANGLE] = LE__SR_REAL("angle", "radians", -1e4, 1e4, 0, false),
    [ROTATE_INTERPOLATOR] = LE__SR_INTERPOLATOR_ARG,
    [ROTATE_RESULT] =
        LE__SR_STACK_OUT("result", "as image, 0 where the sample lies outside", "as image"),
};

le__rotate le__rotate_of(const le_call *call) {
    const float angle = (float)le_call_f64(call, ROTATE_ANGLE);
    const float rows = (float)le_call_f64(call, ROTATE_SCALE_ROW);
    const float cols = (float)le_call_f64(call, ROTATE_SCALE_COL);
    le__rotate p = {.in = le__sr_stack_of(le_call_in(call, ROTATE_IMAGE)),
                    .out = le__sr_stack_of(le_call_out(call, ROTATE_RESULT)),
                    .kind = le__sr_kind_of(le_call_str(call, ROTATE_INTERPOLATOR)),
                    .a = (float)(cos(angle) / cols),
                    .b = (float)(-sin(angle) / cols),
                    .e = (float)(sin(angle) / rows),
                    .f = (float)(cos(angle) / rows),
                    .shift_row = (float)le_call_f64(call, ROTATE_SHIFT_ROW),
                    .shift_col = (float)le_call_f64(call, ROTATE_SHIFT_COL)};
    p.centre_row = (int)(p.in.rows / 2);
    p.centre_col = (int)(p.in.cols / 2);
    return p;
}

le_status le__rotate_run(le_call *call, le_range_fn rows) {
    le__rotate p = le__rotate_of(call);
    const bool direct =
        p.in.dtype == LE_F32 && p.in.stride_col == 1 && p.in.stride_row == p.in.cols;
    float *image = NULL;
    if (!direct) {
        image = le_call_scratch(call, (size_t)(p.in.rows * p.in.cols) * sizeof *image);
        if (!image)
            return le_fail(LE_ERR_MEMORY, "shift_scale_rotate: no memory for a frame");
    }
    le_status status = le__sr_spare(call, p.out.cols, &p.spare);
    for (; status == LE_OK && p.frame < p.in.frames; p.frame++) {
        if (!direct)
            le__sr_load_frame(&p.in, p.frame, image);
        p.image = direct ? (const float *)p.in.data + p.frame * p.in.stride_frame : image;
        status = le_parallel_for(call, (size_t)p.out.rows, rows, &p);
    }
    return status;
}

int64_t le__rotate_memory(const le_call *call) {
    const le__sr_stack in = le__sr_stack_of(le_call_in(call, ROTATE_IMAGE));
    return 4 * (in.rows + 16) * in.cols + 1024;
}

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, ROTATE_IMAGE);
    le_status status = le__sr_check_image(image, "shift_scale_rotate", "image");
    return status == LE_OK ? le_call_set_out(call, ROTATE_RESULT, LE_F32, image->ndim, image->shape)
                           : status;
}

static void work(const le_call *call, le_work *out) {
    static const double operations[] = {70, 90, 200, 10};
    const le_tensor *image = le_call_in(call, ROTATE_IMAGE);
    const double n = (double)le_tensor_count(image);
    out->operations = n * operations[le__sr_kind_of(le_call_str(call, ROTATE_INTERPOLATOR))];
    out->bytes = n * (4 + (double)le_dtype_size(image->dtype));
}

static void put(le_case *c, const double s[5], const char *interpolator) {
    le_case_f64(c, "shift_row", s[0]);
    le_case_f64(c, "shift_col", s[1]);
    le_case_f64(c, "scale_row", s[2]);
    le_case_f64(c, "scale_col", s[3]);
    le_case_f64(c, "angle", s[4]);
    le_case_str(c, "interpolator", interpolator);
}

static le_status make_case(le_case *c, const le_case_request *r) {
    static const int64_t shapes[][3] = {
        {1, 1, 1}, {2, 1, 17}, {0, 13, 1}, {2, 24, 30}, {1, 17, 70}};
    static const double edges[][5] = {{0, 0, 1, 1, 0},
                                      {0.3, -0.7, 1, 1, 0.5},
                                      {5, 5, 2, 0.5, 0.785},
                                      {0, 0, 1, 1, 3.14159},
                                      {-40, 3, 1, 1, 0.1}};
    double s[5] = {0.3, -0.7, 1.1, 0.9, 0.5};
    int64_t shape[3] = {2, 33, 37};
    const bool like = r->kind == LE_CASE_TRIAL && r->like;
    if (r->kind == LE_CASE_CHECK)
        for (int d = 0; d < 5; d++) {
            s[d] = r->index / 4 < 5 ? edges[r->index / 4][d] : 0.3 + 2 * le_case_uniform(c);
            shape[d % 3] = r->index / 4 < 5 ? shapes[r->index / 4][d % 3]
                                            : 1 + (int64_t)(le_case_random(c) % 40);
        }
    if (r->kind == LE_CASE_BENCH)
        shape[0] = 1, shape[1] = shape[2] = r->size > 0 ? r->size : 512;
    le__sr_case_image(c, r, shape, 5);
    if (like)
        le_case_like(c, r->like);
    else
        put(c, s, le__sr_interpolators[r->kind == LE_CASE_CHECK ? r->index % 4 : 0]);
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

static bool slabs(const le_call *call, le_slabs *out) {
    static const int cut[] = {ROTATE_IMAGE, ROTATE_RESULT};
    return le__sr_slabs(le_call_in(call, ROTATE_IMAGE), cut, 2, out);
}

extern const le_operation le_operation_shift_scale_rotate;
const le_operation le_operation_shift_scale_rotate = {
    LE__SR_OPERATION("shift_scale_rotate", "an image shifted, scaled and rotated about its centre",
                     "NanoPyx ShiftScaleRotate: Saraiva et al., Nature Methods 2025"),
    .part = le__sr_part_frame,
};
