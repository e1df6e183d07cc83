/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rays in scalar C: coordinates in double precision, one loop for each dtype.
 */
#ifndef LE_VOLUME_RAY_C_H
#define LE_VOLUME_RAY_C_H

#include "common/denormals.h"
#include "volume/gaussians.h"
#include "volume/trilinear.h"
#include "volume/volume_render/render.h"

typedef struct le__ray_c {
    const le__render *render;
    const le_tensor *volume;
    double outside[4];       /* colour and opacity of the fill value */
} le__ray_c;

static inline le_status le__ray_c_prepare(le__ray_c *x, le_call *call)
{
    *x = (le__ray_c){.render = le_call_attached(call), .volume = le_call_in(call, ARG_VOLUME)};
    if (x->render->camera->has_fill)
        le__transfer_at(x->render->transfer, x->render->camera->fill, x->outside);
    return LE_OK;
}

/* first: the tensor's voxel [0,0,0] in the volume that the camera sees. */
#define LE__DEFINE_RAY_C(D, T, s)                                                                  \
    static inline void le__ray_c_take_##s(const le__camera *c, const le__view *v,                  \
                                          const int64_t first[3], const le_tensor *t,              \
                                          int64_t next, int64_t ix, int64_t iz, int64_t begin,     \
                                          int64_t end, double *out)                                \
    {                                                                                              \
        const int64_t strides[3] = {t->strides[0], t->strides[1], next};                           \
        const le__view view = *v; /* which out cannot overlap */                                   \
        int64_t start = 0;                                                                         \
        for (int a = 0; a < 3; a++)                                                                \
            start += first[a] * strides[a];                                                        \
        for (int64_t iy = begin; iy < end; iy++) {                                                 \
            double w[3];                                                                           \
            int64_t cell = -start;                                                                 \
            for (int a = 0; a < 3; a++)                                                            \
                cell += strides[a] *                                                               \
                        le__index_cell(le__view_index(&view, a, iy, ix, iz), c->shape[a], &w[a]);  \
            out[iy] = le__trilinear_##s(t->data, cell, strides[0], strides[1], next, w);           \
        }                                                                                          \
    }                                                                                              \
    static inline void le__ray_c_##s(const le__camera *c, const le__view *v,                       \
                                     const int64_t first[3], const le_tensor *t, int64_t ix,       \
                                     int64_t iz, int64_t begin, int64_t end, double *out)          \
    {                                                                                              \
        if (t->strides[2] == 1)                                                                    \
            le__ray_c_take_##s(c, v, first, t, 1, ix, iz, begin, end, out);                        \
        else                                                                                       \
            le__ray_c_take_##s(c, v, first, t, t->strides[2], ix, iz, begin, end, out);            \
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
    LE__FOR_DTYPE(le__ray_c, x->volume->dtype)
    (r->camera, v, first, x->volume, ix, iz, begin, end, out);
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

/* All rays of a call: the views' columns are its items, and each worker has room for one ray. */
typedef struct le__rays_c {
    le_call *call;
    le__ray_c ray;
    double *samples;         /* size for each worker */
} le__rays_c;

static inline le_status le__rays_c_prepare(le_call *call, const char *operation, void **out)
{
    const le__render *r = le_call_attached(call);
    le__rays_c *x = le_call_scratch(call, sizeof *x);
    size_t rays = (size_t)le_call_threads(call) * (size_t)r->camera->size;
    double *samples = le_call_scratch(call, rays * sizeof *samples);
    if (!x || !samples)
        return le_fail(LE_ERR_MEMORY, "%s: no memory", operation);
    *x = (le__rays_c){.call = call, .samples = samples};
    *out = x;
    return le__ray_c_prepare(&x->ray, call);
}

static inline size_t le__rays_c_items(const le_call *call)
{
    const le__camera *c = ((const le__render *)le_call_attached(call))->camera;
    return c->n_views * (size_t)c->size;
}

/* To be called by a range before its first ray; as le__denormals_flush. */
static inline unsigned le__rays_c_flush(const le__rays_c *x)
{
    return le__denormals_flush(le__transfer_hides_denormals(x->ray.render->transfer));
}

#endif
