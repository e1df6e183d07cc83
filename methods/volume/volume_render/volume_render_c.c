/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `volume_render` in scalar C, fused: coordinates in double precision, one loop for each dtype; the
 * part of a ray outside the volume is one colour, evaluated once.
 */
#include "volume/volume_render/ray_c.h"

static void over(double pixel[3], const double rgba[4], int64_t times)
{
    for (int64_t i = 0; i < times; i++)
        for (int c = 0; c < 3; c++)
            pixel[c] = rgba[3] * rgba[c] + (1.0 - rgba[3]) * pixel[c];
}

static void ray(const le__ray_c *x, const le__view *v, int64_t ix, int64_t iz, double *samples,
                double pixel[3])
{
    const le__camera *camera = x->render->camera;
    int64_t begin, end;
    le__view_ray(camera, v, 0, ix, iz, &begin, &end);
    le__ray_c_samples(x, v, ix, iz, begin, end, samples);
    pixel[0] = pixel[1] = pixel[2] = 0.0;
    over(pixel, x->outside, begin);
    for (int64_t iy = begin; iy < end; iy++) {
        double rgba[4];
        le__ray_c_classify(x->render->transfer, samples[iy], rgba);
        over(pixel, rgba, 1);
    }
    over(pixel, x->outside, camera->size - end);
    for (int c = 0; c < 3; c++)
        pixel[c] = pixel[c] < 0.0 ? 0.0 : pixel[c] > 1.0 ? 1.0 : pixel[c];
}

static le_status prepare(le_call *call, void **out)
{
    return le__rays_c_prepare(call, "volume_render", out);
}

static void range(void *data, size_t begin, size_t end, int worker)
{
    const le__rays_c *x = data;
    const le__camera *camera = x->ray.render->camera;
    const le_tensor *out = le_call_out(x->call, ARG_IMAGES);
    int64_t n = camera->size;
    const unsigned before = le__rays_c_flush(x);
    for (size_t i = begin; i < end; i++) {
        int64_t view = (int64_t)i / n, ix = (int64_t)i % n;
        for (int64_t iz = 0; iz < n; iz++) {
            double pixel[3];
            ray(&x->ray, &camera->views[view], ix, iz, x->samples + worker * n, pixel);
            int64_t at = view * out->strides[0] + ix * out->strides[1] + iz * out->strides[2];
            for (int c = 0; c < 3; c++)
                le__store(out->data, out->dtype, at + c * out->strides[3], pixel[c]);
        }
    }
    le__denormals_restore(before);
}

LE_IMPLEMENTATION(volume_render, c, .run_type = "c", .summary = "scalar C, ray by ray",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1.0, .prepare = prepare,
                  .items = le__rays_c_items,
                  .range = range);
