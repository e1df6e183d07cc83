/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `volume_render` in scalar C, fused: coordinates in double precision, one loop for each dtype; the
 * part of a ray outside the volume is one colour, evaluated once.
 */
#include "volume/gaussians.h"
#include "volume/trilinear.h"
#include "volume/volume_render/render.h"

typedef struct context {
    le_call *call;
    const le__render *render;
    const void *volume;      /* row-major */
    double outside[4];       /* colour and opacity of the fill value */
} context;

#define DEFINE_SAMPLE(D, T, s)                                                                     \
    static void sample_##s(const le__camera *c, const le__view *v, const void *data, int64_t ix,   \
                           int64_t iz, int64_t begin, int64_t end, double *out)                    \
    {                                                                                              \
        const int64_t *n = c->shape;                                                               \
        for (int64_t iy = begin; iy < end; iy++) {                                                 \
            double w[3];                                                                           \
            int64_t cell = le__view_cell(v, n, iy, ix, iz, w);                                     \
            out[iy] = le__trilinear_##s(data, cell, n[2], n[1] * n[2], w);                         \
        }                                                                                          \
    }
LE__DTYPE_LIST(DEFINE_SAMPLE)
#undef DEFINE_SAMPLE

static void sample(const context *x, const le__view *v, int64_t ix, int64_t iz, int64_t begin,
                   int64_t end, double *out)
{
    LE__FOR_DTYPE(sample, le_call_in(x->call, ARG_VOLUME)->dtype)
    (x->render->camera, v, x->volume, ix, iz, begin, end, out);
}

static void over(double pixel[3], const double rgba[4], int64_t times)
{
    for (int64_t i = 0; i < times; i++)
        for (int c = 0; c < 3; c++)
            pixel[c] = rgba[3] * rgba[c] + (1.0 - rgba[3]) * pixel[c];
}

static void classify(const le__transfer *t, double value, double rgba[4])
{
    if (t->table) {
        le__transfer_at(t, value, rgba);
        return;
    }
    float single[4];
    le__gaussians_f32(t, (float)value, single);
    for (int c = 0; c < 4; c++)
        rgba[c] = (double)single[c];
}

static void ray(const context *x, const le__view *v, int64_t ix, int64_t iz, double *samples,
                double pixel[3])
{
    const le__camera *camera = x->render->camera;
    int64_t begin, end;
    le__view_ray(camera, v, 0, ix, iz, &begin, &end);
    sample(x, v, ix, iz, begin, end, samples);
    pixel[0] = pixel[1] = pixel[2] = 0.0;
    over(pixel, x->outside, begin);
    for (int64_t iy = begin; iy < end; iy++) {
        double rgba[4];
        classify(x->render->transfer, samples[iy], rgba);
        over(pixel, rgba, 1);
    }
    over(pixel, x->outside, camera->size - end);
    for (int c = 0; c < 3; c++)
        pixel[c] = pixel[c] < 0.0 ? 0.0 : pixel[c] > 1.0 ? 1.0 : pixel[c];
}

typedef struct worker_context {
    context shared;
    double *samples;         /* size for each worker */
} worker_context;

static le_status prepare(le_call *call, void **out)
{
    const le__render *r = le_call_attached(call);
    worker_context *x = le_call_scratch(call, sizeof *x);
    size_t rays = (size_t)le_call_threads(call) * (size_t)r->camera->size;
    double *samples = le_call_scratch(call, rays * sizeof *samples);
    const void *volume = le_call_contiguous(call, ARG_VOLUME);
    if (!x || !samples || !volume)
        return le_fail(LE_ERR_MEMORY, "volume_render: no memory for a contiguous volume");
    *x = (worker_context){{.call = call, .render = r, .volume = volume}, samples};
    if (r->camera->has_fill)
        le__transfer_at(r->transfer, r->camera->fill, x->shared.outside);
    *out = x;
    return LE_OK;
}

static size_t items(const le_call *call)
{
    const le__camera *c = ((const le__render *)le_call_attached(call))->camera;
    return c->n_views * (size_t)c->size;
}

static void range(void *data, size_t begin, size_t end, int worker)
{
    const worker_context *w = data;
    const context *x = &w->shared;
    const le_tensor *out = le_call_out(x->call, ARG_IMAGES);
    int64_t n = x->render->camera->size;
    for (size_t i = begin; i < end; i++) {
        int64_t view = (int64_t)i / n, ix = (int64_t)i % n;
        for (int64_t iz = 0; iz < n; iz++) {
            double pixel[3];
            ray(x, &x->render->camera->views[view], ix, iz, w->samples + worker * n, pixel);
            int64_t at = view * out->strides[0] + ix * out->strides[1] + iz * out->strides[2];
            for (int c = 0; c < 3; c++)
                le__store(out->data, out->dtype, at + c * out->strides[3], pixel[c]);
        }
    }
}

LE_IMPLEMENTATION(volume_render, c, .run_type = "c", .summary = "scalar C, ray by ray",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1.0, .prepare = prepare, .items = items,
                  .range = range);
