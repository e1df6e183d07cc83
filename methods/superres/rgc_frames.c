/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * radial_gradient_convergence pixel by pixel, for the implementations that define the result.
 */
#include "radial_gradient_convergence.h"

int64_t le__rgc_row_floats(const le__rgc_call *c) {
    const le__sr_rgc *p = &c->rgc;
    return (int64_t)le__sr_rgc_weights_count(p) + 2 * (2 * p->reach + 2) * (2 * p->cols + 1) +
           c->col.cols;
}

void le__rgc_row(const le__rgc_call *c, int64_t t, int64_t y, float *spare, float *out) {
    const le__sr_rgc *p = &c->rgc;
    const int64_t width = 2 * p->cols + 1, end = c->out.cols - p->margin;
    int64_t first = 2 * (y / p->magnification) - p->reach, last = first + 2 * p->reach + 1;
    first = first > 0 ? first : 0;
    last = last < 2 * p->rows ? last : 2 * p->rows;
    float *gx = spare + le__sr_rgc_weights_count(p), *gy = gx + (last - first + 1) * width,
          *line = gy + (last - first + 1) * width;
    le__sr_rgc_weights(p, spare);
    for (int64_t k = first; k <= last; k++) {
        le__rgc_half_row(c, &c->col, t, k, line, gx + (k - first) * width);
        le__rgc_half_row(c, &c->row, t, k, line, gy + (k - first) * width);
    }
    for (int64_t x = p->margin; x < end; x++)
        out[x] = (float)le__sr_rgc_pixel(p, spare, gx, gy, first, y, x);
}

typedef struct frames {
    le__rgc_call c;
    bool exact;
    int64_t frame;
    float *half_col, *half_row, *weights, *spare;
} frames;

static void rows_range(void *context, size_t begin, size_t end, int worker) {
    const frames *f = context;
    const le__sr_rgc *p = &f->c.rgc;
    const le__sr_stack *out = &f->c.out;
    float *image = f->spare + worker * out->cols;
    for (int64_t y = (int64_t)begin; y < (int64_t)end; y++) {
        const bool inside = y >= p->margin && y < out->rows - p->margin;
        float *to = (float *)out->data + f->frame * out->stride_frame + y * out->stride_row;
        le__sr_load_row(&f->c.image, f->frame, y, image);
        for (int64_t x = 0; x < out->cols; x++) {
            float v = 0, j = p->weighting ? image[x] : 1;
            if (inside && x >= p->margin && x < out->cols - p->margin)
                v = f->exact ? le__sr_rgc_pixel_exact(p, f->half_col, f->half_row, y, x) * j
                             : (float)(le__sr_rgc_pixel(p, f->weights, f->half_col, f->half_row, 0,
                                                        y, x) *
                                       j);
            to[x * out->stride_col] = v;
        }
    }
}

static le_status allocate(le_call *call, frames *f, float **line) {
    const le__sr_rgc *p = &f->c.rgc;
    const size_t half = (size_t)((2 * p->rows + 1) * (2 * p->cols + 1));
    f->half_col = le_call_scratch(call, 2 * half * sizeof(float));
    f->weights = le_call_scratch(call, le__sr_rgc_weights_count(p) * sizeof(float));
    *line = le_call_scratch(call, (size_t)f->c.col.cols * sizeof(float));
    if (!f->half_col || !f->weights || !*line)
        return le_fail(LE_ERR_MEMORY, "radial_gradient_convergence: no memory for a frame");
    f->half_row = f->half_col + half;
    return le__sr_spare(call, f->c.image.cols, &f->spare);
}

le_status le__rgc_run_frames(le_call *call, bool exact) {
    frames f = {.c = le__rgc_call_of(call), .exact = exact};
    const int64_t width = 2 * f.c.rgc.cols + 1;
    float *line;
    le_status status = allocate(call, &f, &line);
    if (status != LE_OK)
        return status;
    le__sr_rgc_weights(&f.c.rgc, f.weights);
    for (f.frame = 0; status == LE_OK && f.frame < f.c.image.frames; f.frame++) {
        for (int64_t k = 0; k <= 2 * f.c.rgc.rows && !le_call_cancelled(call); k++) {
            le__rgc_half_row(&f.c, &f.c.col, f.frame, k, line, f.half_col + k * width);
            le__rgc_half_row(&f.c, &f.c.row, f.frame, k, line, f.half_row + k * width);
        }
        status = le_parallel_for(call, (size_t)f.c.out.rows, rows_range, &f);
    }
    return status;
}

int64_t le__rgc_frames_memory(const le_call *call) {
    const le__rgc_call c = le__rgc_call_of(call);
    return 8 * (2 * c.rgc.rows + 1) * (2 * c.rgc.cols + 1) + 4 * (2 + 16) * c.image.cols +
           4 * (int64_t)le__sr_rgc_weights_count(&c.rgc) + 4096;
}
