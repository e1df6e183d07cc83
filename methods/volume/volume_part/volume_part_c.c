/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `volume_part` in scalar C: the loops of volume_render over the depths that the box owns.
 */
#include "volume/volume_part/part.h"
#include "volume/volume_render/ray_c.h"

static void render(const le__rays_c *x, int64_t view, int64_t ix, int64_t iz, double *samples)
{
    const le__render *r = x->ray.render;
    const le__view *v = &r->camera->views[view];
    int64_t owned[2], inside[2];
    le__part part = {.through = 1.0};
    le__box_ray(r->box, r->camera, v, ix, iz, &owned[0], &owned[1]);
    le__view_ray(r->camera, v, 0, ix, iz, &inside[0], &inside[1]);
    int64_t begin = inside[0] > owned[0] ? inside[0] : owned[0];
    int64_t end = inside[1] < owned[1] ? inside[1] : owned[1];
    if (begin < end)
        le__ray_c_samples(&x->ray, v, ix, iz, begin, end, samples);
    for (int64_t iy = owned[0]; iy < owned[1]; iy++) {
        double rgba[4];
        if (iy >= begin && iy < end)
            le__ray_c_classify(r->transfer, samples[iy], rgba);
        le__part_over(&part, iy >= begin && iy < end ? rgba : x->ray.outside);
    }
    le__part_store(x->call, view, ix, iz, &part, owned[1] - owned[0]);
}

static le_status prepare(le_call *call, void **out)
{
    return le__rays_c_prepare(call, "volume_part", out);
}

static void range(void *data, size_t begin, size_t end, int worker)
{
    const le__rays_c *x = data;
    int64_t n = x->ray.render->camera->size;
    const unsigned before = le__rays_c_flush(x);
    for (size_t i = begin; i < end; i++)
        for (int64_t iz = 0; iz < n; iz++)
            render(x, (int64_t)i / n, (int64_t)i % n, iz, x->samples + worker * n);
    le__denormals_restore(before);
}

LE_IMPLEMENTATION(volume_part, c, .run_type = "c", .summary = "scalar C, ray by ray",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1.0, .prepare = prepare,
                  .items = le__rays_c_items,
                  .range = range);
