/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of `volume_render`: trilinear sample, transfer function and back-to-front over, ray by
 * ray in double precision.
 */
#include "volume/reference_sample.h"
#include "volume/volume_render/render.h"

static void ray(const le__render *r, const le__view *v, const le_tensor *t, int64_t ix, int64_t iz,
                double pixel[3])
{
    pixel[0] = pixel[1] = pixel[2] = 0.0;
    for (int64_t iy = 0; iy < r->camera->size; iy++) {
        double rgba[4];
        le__transfer_at(r->transfer, le__reference_sample(r->camera, v, t, NULL, iy, ix, iz),
                        rgba);
        for (int c = 0; c < 3; c++)
            pixel[c] = rgba[3] * rgba[c] + (1.0 - rgba[3]) * pixel[c];
    }
    for (int c = 0; c < 3; c++)
        pixel[c] = pixel[c] < 0.0 ? 0.0 : pixel[c] > 1.0 ? 1.0 : pixel[c];
}

static size_t items(const le_call *call)
{
    const le__camera *c = ((const le__render *)le_call_attached(call))->camera;
    return c->n_views * (size_t)c->size;
}

static void range(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    le_call *call = context;
    const le__render *r = le_call_attached(call);
    const le_tensor *out = le_call_out(call, ARG_IMAGES);
    int64_t n = r->camera->size;
    for (size_t i = begin; i < end; i++) {
        int64_t view = (int64_t)i / n, ix = (int64_t)i % n;
        for (int64_t iz = 0; iz < n; iz++) {
            double pixel[3];
            ray(r, &r->camera->views[view], le_call_in(call, ARG_VOLUME), ix, iz, pixel);
            int64_t at = view * out->strides[0] + ix * out->strides[1] + iz * out->strides[2];
            for (int c = 0; c < 3; c++)
                le__store(out->data, out->dtype, at + c * out->strides[3], pixel[c]);
        }
    }
}

LE_IMPLEMENTATION(volume_render, reference, .run_type = "reference",
                  .summary = "double precision, ray by ray",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.3, .items = items,
                  .range = range);
