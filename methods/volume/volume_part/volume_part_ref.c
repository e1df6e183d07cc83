/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of `volume_part`: the samples of volume_render's reference that the box owns, back to
 * front in double precision. Each sample is asked whether its cell is in the box.
 */
#include "volume/reference_sample.h"
#include "volume/volume_part/part.h"

/* Whether the box owns a sample; and the cell. */
static bool owns(const le__render *r, const le__view *v, int64_t iy, int64_t ix, int64_t iz)
{
    for (int a = 0; a < 3; a++) {
        double w;
        int64_t cell =
            le__index_cell(le__view_index(v, a, iy, ix, iz), r->camera->shape[a], &w) - r->box->first[a];
        if (cell < 0 || cell > r->box->shape[a] - 2)
            return false;
    }
    return true;
}

static int64_t ray(const le__render *r, const le__view *v, const le_tensor *t, int64_t ix, int64_t iz,
                   le__part *part)
{
    int64_t owned = 0;
    *part = (le__part){.through = 1.0};
    for (int64_t iy = 0; iy < r->camera->size; iy++) {
        double rgba[4];
        if (!owns(r, v, iy, ix, iz))
            continue;
        double sample = le__reference_sample(r->camera, v, t, r->box->first, iy, ix, iz);
        le__transfer_at(r->transfer, sample, rgba);
        le__part_over(part, rgba);
        owned++;
    }
    return owned;
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
    int64_t n = r->camera->size;
    for (size_t i = begin; i < end; i++) {
        int64_t view = (int64_t)i / n, ix = (int64_t)i % n;
        for (int64_t iz = 0; iz < n; iz++) {
            le__part part;
            int64_t owned =
                ray(r, &r->camera->views[view], le_call_in(call, ARG_VOLUME), ix, iz, &part);
            le__part_store(call, view, ix, iz, &part, owned);
        }
    }
}

LE_IMPLEMENTATION(volume_part, reference, .run_type = "reference",
                  .summary = "double precision, ray by ray, each sample's owner asked for",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.3, .items = items,
                  .range = range);
