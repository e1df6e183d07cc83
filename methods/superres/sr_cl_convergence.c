/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The convergence on a device; see sr_cl_convergence.h.
 */
#include "sr_cl_convergence.h"

/* Scratch of a launch, unless one frame needs more. */
#define BATCH_BYTES ((int64_t)64 << 20)

static int64_t half_floats(const le__sr_rgc *p) {
    return (2 * p->rows + 2 * p->reach + 1) * 4 * le__sr_plane_size(p);
}

static int64_t intensity_floats(const le__sr_rgc *p) {
    return p->rows * p->magnification * le__sr_plane_size(p);
}

static int64_t batch_frames(const le__sr_rgc *p, int64_t frames) {
    const int64_t each = 4 * (half_floats(p) + intensity_floats(p) + 2 * p->rows * p->cols);
    const int64_t n = BATCH_BYTES / each > 0 ? BATCH_BYTES / each : 1;
    return n < frames ? n : frames;
}

static int64_t result_pixels(const le__sr_rgc *p) {
    return p->rows * p->cols * p->magnification * p->magnification;
}

int64_t le__sr_cl_convergence_bytes(const le__sr_rgc *p, int64_t frames, le__sr_temporal temporal) {
    static const int64_t sums[] = {0, 8, 24, 24};
    return 2 * le__sr_tables_bytes(p) + sums[temporal] * result_pixels(p) +
           4 * batch_frames(p, frames) *
               (half_floats(p) + intensity_floats(p) + 2 * p->rows * p->cols);
}

static le_status zeroed(le_call *call, int64_t floats, le_cl_buffer **out) {
    static const uint32_t zero;
    const size_t bytes = (size_t)floats * sizeof(float);
    le_status status = le_cl_scratch(call, bytes, out);
    return status == LE_OK ? le_cl_fill(call, *out, &zero, sizeof zero, 0, bytes) : status;
}

static le_status make_sums(le_call *call, const le__sr_rgc *p, le__sr_cl_convergence *v) {
    const size_t n = (size_t)result_pixels(p), wide = le_cl_device(call)->has_f64 ? 8 : 4;
    le_status status = le_cl_scratch(call, n * wide, &v->sum);
    v->sum2 = v->first = v->previous = v->sum;
    if (v->temporal == LE__SR_AVG)
        return status;
    if (status == LE_OK)
        status = le_cl_scratch(call, n * wide, &v->sum2);
    if (status == LE_OK)
        status = le_cl_scratch(call, n * sizeof(float), &v->first);
    if (status == LE_OK)
        status = le_cl_scratch(call, n * sizeof(float), &v->previous);
    return status;
}

static le_status build(le_call *call, le__sr_cl_convergence *v) {
    char options[160];
    v->width = le__sr_cl_width(call);
    le__sr_cl_options(call, v->weighting == LE__SR_CL_FULL ? v->dtype : LE_F32, options,
                      "-DVW=%d -DWEIGHTING=%d -DTEMPORAL=%d%s", v->width, (int)v->weighting,
                      (int)v->temporal, v->few ? " -DFEW" : "");
    const le_cl_source *source = &le_cl_superres_convergence;
    le_status status = le_cl_get_kernel(call, source, "convergence", options, &v->kernel);
    if (status == LE_OK && v->temporal != LE__SR_NONE)
        status = le_cl_get_kernel(call, source, "project", options, &v->project);
    return status;
}

bool le__sr_cl_convergence_takes(const le__sr_rgc *rgc, const char **why) {
    *why = "2^31 pixels or numbers of half pixels a frame, or more";
    return result_pixels(rgc) <= INT32_MAX && half_floats(rgc) <= INT32_MAX &&
           intensity_floats(rgc) <= INT32_MAX;
}

le_status le__sr_cl_convergence_open(le_call *call, const le__sr_rgc *rgc, int64_t frames,
                                     le__sr_cl_convergence *v) {
    v->batch = batch_frames(rgc, frames);
    le_status status = build(call, v);
    if (status == LE_OK)
        status = le__sr_tables_make(call, rgc, &v->host);
    if (status == LE_OK)
        status = le__sr_cl_tables_upload(call, &v->host, v->few, &v->tables);
    if (status == LE_OK)
        status = zeroed(call, v->batch * half_floats(rgc) + LE__SR_SLACK, &v->half);
    v->intensity = v->half;
    if (status == LE_OK && v->weighting == LE__SR_CL_ROWS)
        status = zeroed(call, v->batch * intensity_floats(rgc) + LE__SR_SLACK, &v->intensity);
    if (status == LE_OK && v->temporal != LE__SR_NONE)
        status = make_sums(call, rgc, v);
    v->shape = le__sr_cl_shape_of(&v->host);
    return status;
}

le_status le__sr_cl_convergence_launch(le_call *call, le__sr_cl_convergence *v, int64_t frame) {
    const le__sr_cl_tables *t = &v->tables;
    const le__sr_cl_shape *s = &v->shape;
    const bool whole = v->weighting == LE__SR_CL_FULL, sums = v->temporal != LE__SR_NONE;
    le_cl_karg args[16] = {LE_CL_BUF(v->half),       LE_CL_BUF(t->taps),     LE_CL_BUF(t->tap_end),
                           LE_CL_BUF(t->factor_row), LE_CL_BUF(t->factor),   LE_CL_BUF(t->ranges),
                           LE_CL_BUF(t->col_weight), LE_CL_BUF(t->col_shift)};
    size_t n = 8;
    args[n++] = whole ? LE_CL_ARG(v->image) : LE_CL_BUF(v->intensity);
    if (sums) {
        args[n++] = LE_CL_BUF(v->sum);
        args[n++] = LE_CL_BUF(v->sum2);
        args[n++] = LE_CL_BUF(v->first);
        args[n++] = LE_CL_BUF(v->previous);
        args[n++] = LE_CL_I32((int32_t)frame);
    } else {
        args[n++] = LE_CL_ARG(v->result);
    }
    args[n++] = LE_CL_STRUCT(s);
    const size_t width = (size_t)v->width, cols = (size_t)s->cols;
    const size_t global[3] = {(cols + width - 1) / width, (size_t)(s->rows * s->m),
                              sums ? 1 : (size_t)s->frames};
    const size_t local[3] = {4, 1, 1};
    return le_cl_launch(call, v->kernel, 3, global, width == 1 ? le__sr_cl_group : local, args, n);
}
