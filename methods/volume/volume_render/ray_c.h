/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rays in scalar C: coordinates in double precision, one loop for each dtype.
 */
#ifndef LE_VOLUME_RAY_C_H
#define LE_VOLUME_RAY_C_H

#include "volume/gaussians.h"
#include "volume/trilinear.h"
#include "volume/volume_render/render.h"

typedef struct le__ray_c {
    const le__render *render;
    const void *volume;      /* row-major */
    le_dtype dtype;
    double outside[4];       /* colour and opacity of the fill value */
} le__ray_c;

static inline le_status le__ray_c_prepare(le__ray_c *x, le_call *call)
{
    *x = (le__ray_c){.render = le_call_attached(call), .volume = le_call_contiguous(call, ARG_VOLUME),
                     .dtype = le_call_in(call, ARG_VOLUME)->dtype};
    if (!x->volume)
        return le_fail(LE_ERR_MEMORY, "no memory for a contiguous volume");
    if (x->render->camera->has_fill)
        le__transfer_at(x->render->transfer, x->render->camera->fill, x->outside);
    return LE_OK;
}

#define LE__DEFINE_RAY_C(D, T, s)                                                                  \
    static inline void le__ray_c_##s(const le__camera *c, const le__view *v,                       \
                                     const int64_t first[3], const int64_t n[3], const void *data, \
                                     int64_t ix, int64_t iz, int64_t begin, int64_t end,           \
                                     double *out)                                                  \
    {                                                                                              \
        int64_t row = n[2], plane = n[1] * n[2];                                                   \
        int64_t start = first[0] * plane + first[1] * row + first[2];                              \
        for (int64_t iy = begin; iy < end; iy++) {                                                 \
            double w[3];                                                                           \
            int64_t cell = -start;                                                                 \
            const int64_t strides[3] = {plane, row, 1};                                            \
            for (int a = 0; a < 3; a++)                                                            \
                cell += strides[a] *                                                               \
                        le__index_cell(le__view_index(v, a, iy, ix, iz), c->shape[a], &w[a]);      \
            out[iy] = le__trilinear_##s(data, cell, row, plane, w);                                \
        }                                                                                          \
    }
LE__DTYPE_LIST(LE__DEFINE_RAY_C)

/* Samples at the depths [begin, end) of a ray, which lie inside the volume, to out[begin] on. Their
 * cells are those of the whole volume; the tensor may be a box that has them. */
static inline void le__ray_c_samples(const le__ray_c *x, const le__view *v, int64_t ix, int64_t iz,
                                     int64_t begin, int64_t end, double *out)
{
    static const int64_t none[3];
    const le__render *r = x->render;
    const int64_t *first = r->box ? r->box->first : none;
    const int64_t *shape = r->box ? r->box->shape : r->camera->shape;
    LE__FOR_DTYPE(le__ray_c, x->dtype)(r->camera, v, first, shape, x->volume, ix, iz, begin, end, out);
}

static inline void le__ray_c_classify(const le__transfer *t, double value, double rgba[4])
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

#endif
