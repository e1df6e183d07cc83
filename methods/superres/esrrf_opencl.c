/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * esrrf, fused on an OpenCL device: everything stays there; frames in batches, temporal sums in
 * place.
 */
#include "esrrf.h"
#include "sr_cl_convergence.h"
#include "sr_cl_correction.h"

extern const le_cl_source le_cl_superres_esrrf;
extern const le_cl_source le_cl_superres_roberts_cross;

typedef struct device {
    le__esrrf e;
    le__sr_cl_convergence v;
    le_cl_kernel *gradients, *unit_gradients, *intensity_rows;
    le_cl_buffer *gradient_col, *gradient_row;
    le_cl_buffer *row_first, *row_weight;
    float last_row[4], last_col[4]; /* weights of the last half pixel */
} device;

static void last_weights(int64_t n, int magnification, float out[4]) {
    int32_t first, lo, hi;
    double w[LE__SR_TAPS];
    le__sr_weights(LE__SR_CATMULL_ROM, le__sr_half_position(2 * n, n, magnification), n, &first,
                   &lo, &hi, w);
    for (int k = 0; k < 4; k++)
        out[k] = (float)w[k];
}

static le_status build(le_call *call, device *d) {
    char options[160];
    le__sr_cl_options(call, d->e.in.dtype, options, " ");
    le_status status =
        le_cl_get_kernel(call, &le_cl_superres_roberts_cross, "gradients", options, &d->gradients);
    if (status == LE_OK)
        status = le_cl_get_kernel(call, &le_cl_superres_esrrf, "unit_gradients", options,
                                  &d->unit_gradients);
    if (status == LE_OK)
        status = le_cl_get_kernel(call, &le_cl_superres_esrrf, "intensity_rows", options,
                                  &d->intensity_rows);
    return status;
}

static le_status upload_rows(le_call *call, device *d) {
    const le__sr_axis *a = &d->v.host.rows;
    const size_t n = (size_t)a->n_out;
    float *weight = le_call_scratch(call, 4 * n * sizeof *weight);
    if (!weight)
        return le_fail(LE_ERR_MEMORY, "esrrf: no memory for the tables of weights");
    for (size_t i = 0; i < 4 * n; i++)
        weight[i] = (float)a->weight[LE__SR_TAPS * (i / 4) + i % 4];
    le_status status = le__cl_table(call, a->first, n * sizeof(int32_t), &d->row_first);
    if (status == LE_OK)
        status = le__cl_table(call, weight, 4 * n * sizeof *weight, &d->row_weight);
    return status;
}

static le_status open_device(le_call *call, device *d) {
    const size_t plane = (size_t)(d->e.in.rows * d->e.in.cols) * sizeof(float);
    d->v = (le__sr_cl_convergence){.weighting =
                                       d->e.rgc.weighting ? LE__SR_CL_ROWS : LE__SR_CL_UNWEIGHTED,
                                   .temporal = d->e.temporal,
                                   .dtype = d->e.in.dtype,
                                   .image = ESRRF_IMAGE,
                                   .result = ESRRF_RESULT};
    last_weights(d->e.rgc.rows, d->e.rgc.magnification, d->last_row);
    last_weights(d->e.rgc.cols, d->e.rgc.magnification, d->last_col);
    le_status status = build(call, d);
    if (status == LE_OK)
        status = le__sr_cl_convergence_open(
            call, &d->e.rgc, d->e.per_timepoint > 1 ? d->e.per_timepoint : d->e.in.frames, &d->v);
    if (status == LE_OK)
        status = le_cl_scratch(call, plane * (size_t)d->v.batch, &d->gradient_col);
    if (status == LE_OK)
        status = le_cl_scratch(call, plane * (size_t)d->v.batch, &d->gradient_row);
    if (status == LE_OK)
        status = upload_rows(call, d);
    return status;
}

/* Everything of the frames of d->v.shape. */
static le_status batch(le_call *call, device *d, int64_t frame) {
    const le__sr_cl_shape *s = &d->v.shape;
    const size_t rows = (size_t)s->rows, cols = (size_t)s->cols, frames = (size_t)s->frames;
    const size_t pixels[3] = {cols, rows, frames}, halves[3] = {2 * cols + 1, 2 * rows + 1, frames};
    const size_t lines[3] = {cols, rows * (size_t)s->m, frames};
    const le_cl_karg gradients[] = {LE_CL_ARG(ESRRF_IMAGE),     LE_CL_BUF(d->gradient_col),
                                    LE_CL_BUF(d->gradient_row), LE_CL_I32(s->rows),
                                    LE_CL_I32(s->cols),         LE_CL_I32(s->frames),
                                    LE_CL_I32(s->first_frame)};
    const le_cl_karg units[] = {LE_CL_BUF(d->gradient_col), LE_CL_BUF(d->gradient_row),
                                LE_CL_BUF(d->v.half),       LE_CL_STRUCT(s),
                                LE_CL_STRUCT(&d->last_row), LE_CL_STRUCT(&d->last_col)};
    const le_cl_karg intensity[] = {LE_CL_ARG(ESRRF_IMAGE), LE_CL_BUF(d->v.intensity),
                                    LE_CL_STRUCT(s), LE_CL_BUF(d->row_first),
                                    LE_CL_BUF(d->row_weight)};
    le_status status = le_cl_launch(call, d->gradients, 3, pixels, le__sr_cl_group, gradients, 7);
    if (status == LE_OK)
        status = le_cl_launch(call, d->unit_gradients, 3, halves, le__sr_cl_group, units, 6);
    if (status == LE_OK && d->e.rgc.weighting)
        status = le_cl_launch(call, d->intensity_rows, 3, lines, le__sr_cl_group, intensity, 5);
    return status == LE_OK ? le__sr_cl_convergence_launch(call, &d->v, frame) : status;
}

/* The projection of one time point, into its image of the result. */
static le_status project(le_call *call, device *d, int64_t point, int64_t frames) {
    const int32_t pixels = d->v.shape.frame_stride;
    const size_t global = (size_t)pixels;
    const le_cl_karg args[] = {LE_CL_BUF(d->v.sum),      LE_CL_BUF(d->v.sum2),
                               LE_CL_BUF(d->v.previous), LE_CL_ARG(ESRRF_RESULT),
                               LE_CL_I32(pixels),        LE_CL_I32((int32_t)frames),
                               LE_CL_I32((int32_t)point)};
    return le_cl_launch(call, d->v.project, 1, &global, le__sr_cl_group, args, 7);
}

static le_status time_point(le_call *call, device *d, int64_t point, int64_t begin,
                            int64_t frames) {
    le_status status = LE_OK;
    for (int64_t f = 0; status == LE_OK && f < frames; f += d->v.batch) {
        if (le_call_cancelled(call))
            return le_fail(LE_ERR_CANCELLED, "esrrf: cancelled");
        d->v.shape.first_frame = (int32_t)(begin + f);
        d->v.shape.frames = (int32_t)(frames - f < d->v.batch ? frames - f : d->v.batch);
        status = batch(call, d, f);
    }
    if (status == LE_OK && d->e.temporal != LE__SR_NONE)
        status = project(call, d, point, frames);
    return status;
}

static le_status run(le_call *call) {
    device d = {.e = le__esrrf_of(call)};
    const le__esrrf *e = &d.e;
    const int64_t per = e->temporal == LE__SR_NONE ? e->in.frames : e->per_timepoint;
    le_status status = open_device(call, &d);
    for (int64_t begin = 0; status == LE_OK && begin < e->in.frames; begin += per)
        status = time_point(call, &d, begin / per, begin,
                            e->in.frames - begin < per ? e->in.frames - begin : per);
    if (status == LE_OK && e->correct)
        status = le__sr_cl_correct(call, ESRRF_RESULT, LE_F32, ESRRF_RESULT, e->out.frames,
                                   e->out.rows, e->out.cols, e->rgc.magnification);
    return status;
}

static bool applicable(const le_call *call, const char **why) {
    const le__esrrf e = le__esrrf_of(call);
    return le__sr_cl_convergence_takes(&e.rgc, why);
}

static int64_t memory(const le_call *call) {
    const le__esrrf e = le__esrrf_of(call);
    return le__sr_cl_convergence_bytes(&e.rgc, e.in.frames, e.temporal) +
           (e.correct ? e.out.frames * e.out.rows * e.rgc.magnification * 8 : 0);
}

static const le_cl_source *const sources[] = {&le_cl_superres_esrrf, &le_cl_superres_convergence,
                                              &le_cl_superres_roberts_cross,
                                              &le_cl_superres_macro_pixel_correction, NULL};

LE_IMPLEMENTATION(esrrf, fused_opencl, .run_type = "fused",
                  .summary = "half-pixel gradients, tables of weights; all on the device",
                  .device = LE_DEVICE_OPENCL, .flags = LE_IMPL_REPRODUCIBLE, .speed = 40,
                  .sources = sources, .applicable = applicable, .memory = memory, .run = run);
