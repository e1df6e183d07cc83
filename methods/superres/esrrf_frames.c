/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * esrrf frame by frame and step by step; see esrrf_frames.h.
 */
#include "esrrf_frames.h"

static void half_rows(void *context, size_t begin, size_t end, int worker) {
    const le__esrrf_frames *f = context;
    const le__sr_rgc *p = &f->e.rgc;
    const int64_t width = 2 * p->cols + 1;
    (void)worker;
    for (int64_t k = (int64_t)begin; k < (int64_t)end; k++)
        for (int64_t l = 0; l < width; l++) {
            float r = le__sr_half_position(k, p->rows, p->magnification);
            float c = le__sr_half_position(l, p->cols, p->magnification);
            f->half_col[k * width + l] =
                le__sr_sample(f->gradient_col, p->rows, p->cols, r, c, LE__SR_CATMULL_ROM);
            f->half_row[k * width + l] =
                le__sr_sample(f->gradient_row, p->rows, p->cols, r, c, LE__SR_CATMULL_ROM);
        }
}

static float value_at(const le__esrrf_frames *f, int64_t y, int64_t x) {
    const le__sr_rgc *p = &f->e.rgc;
    const float m = (float)p->magnification;
    float j = 1;
    if (p->weighting)
        j = le__sr_sample(f->image, p->rows, p->cols, (float)y / m, (float)x / m,
                          LE__SR_CATMULL_ROM);
    if (f->exact)
        return le__sr_rgc_pixel_exact(p, f->half_col, f->half_row, y, x) * j;
    return (float)(le__sr_rgc_pixel(p, f->weights, f->half_col, f->half_row, 0, y, x) * j);
}

static void value_rows(void *context, size_t begin, size_t end, int worker) {
    const le__esrrf_frames *f = context;
    const le__sr_rgc *p = &f->e.rgc;
    const int64_t hm = f->e.out.rows, wm = f->e.out.cols;
    (void)worker;
    for (int64_t y = (int64_t)begin; y < (int64_t)end; y++) {
        float *out = f->stack + (f->frame * hm + y) * wm;
        const bool inside = y >= p->margin && y < hm - p->margin;
        for (int64_t x = 0; x < wm; x++)
            out[x] = inside && x >= p->margin && x < wm - p->margin ? value_at(f, y, x) : 0;
    }
}

static le_status make_frame(le_call *call, le__esrrf_frames *f, int64_t frame) {
    const int64_t rows = f->e.in.rows, cols = f->e.in.cols;
    le__sr_load_frame(&f->e.in, frame, f->image);
    for (int64_t y = 0; y < rows; y++)
        le__sr_roberts_row(f->image + (y ? y - 1 : 0) * cols, f->image + y * cols, cols,
                           f->gradient_col + y * cols, f->gradient_row + y * cols);
    le_status status = le_parallel_for(call, (size_t)(2 * rows + 1), half_rows, f);
    return status == LE_OK ? le_parallel_for(call, (size_t)f->e.out.rows, value_rows, f) : status;
}

static void store(const le__esrrf_frames *f, int64_t point) {
    for (int64_t y = 0; y < f->e.out.rows; y++) {
        const float *from = f->result + y * f->e.out.cols;
        float *to =
            (float *)f->e.out.data + point * f->e.out.stride_frame + y * f->e.out.stride_row;
        for (int64_t x = 0; x < f->e.out.cols; x++)
            to[x * f->e.out.stride_col] = from[x];
    }
}

static le_status allocate(le_call *call, le__esrrf_frames *f) {
    const size_t in = (size_t)(f->e.in.rows * f->e.in.cols);
    const size_t half = (size_t)((2 * f->e.in.rows + 1) * (2 * f->e.in.cols + 1));
    const size_t out = (size_t)(f->e.out.rows * f->e.out.cols);
    f->image = le_call_scratch(call, 3 * in * sizeof(float));
    f->half_col = le_call_scratch(call, 2 * half * sizeof(float));
    f->weights = le_call_scratch(call, le__sr_rgc_weights_count(&f->e.rgc) * sizeof(float));
    f->stack = le_call_scratch(call, (size_t)f->e.per_timepoint * out * sizeof(float));
    f->result = le_call_scratch(call, out * sizeof(float));
    if (!f->image || !f->half_col || !f->weights || !f->stack || !f->result)
        return le_fail(LE_ERR_MEMORY, "esrrf: no memory for %lld frames of %lld x %lld",
                       (long long)f->e.per_timepoint, (long long)f->e.out.rows,
                       (long long)f->e.out.cols);
    f->gradient_col = f->image + in;
    f->gradient_row = f->image + 2 * in;
    f->half_row = f->half_col + half;
    return LE_OK;
}

typedef struct projection {
    const le__esrrf_frames *f;
    le__esrrf_project_fn fn;
} projection;

static void project_rows(void *context, size_t begin, size_t end, int worker) {
    const projection *p = context;
    const int64_t wm = p->f->e.out.cols;
    (void)worker;
    p->fn(p->f, (int64_t)begin * wm, (int64_t)end * wm);
}

le_status le__esrrf_run_frames(le_call *call, bool exact, le__esrrf_project_fn project,
                               le__esrrf_correct_fn correct) {
    le__esrrf_frames f = {.e = le__esrrf_of(call), .exact = exact};
    le_status status = allocate(call, &f);
    if (status != LE_OK)
        return status;
    le__sr_rgc_weights(&f.e.rgc, f.weights);
    projection p = {&f, project};
    for (int64_t point = 0; status == LE_OK && point < f.e.out.frames; point++) {
        const int64_t begin = point * f.e.per_timepoint;
        f.frames =
            f.e.in.frames - begin < f.e.per_timepoint ? f.e.in.frames - begin : f.e.per_timepoint;
        for (f.frame = 0; status == LE_OK && f.frame < f.frames; f.frame++)
            status = make_frame(call, &f, begin + f.frame);
        if (status == LE_OK)
            status = le_parallel_for(call, (size_t)f.e.out.rows, project_rows, &p);
        if (status != LE_OK)
            return status;
        if (f.e.correct)
            correct(&f);
        store(&f, point);
    }
    return status;
}

int64_t le__esrrf_frames_memory(const le_call *call) {
    const le__esrrf e = le__esrrf_of(call);
    const int64_t out = e.out.rows * e.out.cols, in = e.in.rows * e.in.cols;
    return 4 * (out * (e.per_timepoint + 1) + 13 * in + (int64_t)le__sr_rgc_weights_count(&e.rgc)) +
           4096;
}
