/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * temporal_projection pixel by pixel, for the implementations that define the result. The including
 * file provides project_pixel.
 */
#ifndef LE_TEMPORAL_PROJECTION_PIXELS_H
#define LE_TEMPORAL_PROJECTION_PIXELS_H

#include "temporal_projection.h"

typedef struct context {
    le__projection p;
    float *series; /* [workers][frames] */
} context;

static le_status prepare(le_call *call, void **out) {
    context *c = le_call_scratch(call, sizeof *c);
    if (!c)
        return le_fail(LE_ERR_MEMORY, "temporal_projection: out of memory");
    *out = c;
    c->p = le__projection_of(call);
    return le__sr_spare(call, c->p.per_timepoint, &c->series);
}

static float pixel(const le__projection *p, int64_t point, int64_t y, int64_t x, float *series) {
    const int64_t frames = le__projection_frames(p, point);
    le__sr_stack one = p->in;
    one.cols = 1;
    one.data = (char *)one.data + x * one.stride_col * (int64_t)le_dtype_size(one.dtype);
    for (int64_t t = 0; t < frames; t++)
        le__sr_load_row(&one, point * p->per_timepoint + t, y, series + t);
    return project_pixel(p->temporal, series, frames);
}

static void range(void *opaque, size_t begin, size_t end, int worker) {
    const context *c = opaque;
    const le__sr_stack *out = &c->p.out;
    for (int64_t item = (int64_t)begin; item < (int64_t)end; item++) {
        const int64_t point = item / out->rows, y = item % out->rows;
        float *to = (float *)out->data + point * out->stride_frame + y * out->stride_row;
        for (int64_t x = 0; x < out->cols; x++)
            to[x * out->stride_col] =
                pixel(&c->p, point, y, x, c->series + worker * c->p.per_timepoint);
    }
}

#endif
