/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of the rays form: eight corners of the volume a sample.
 */
#include "volume/volume_render/fused_simd.h"

/* Takes the samples at depths to-1 down to from. `sample` turns depth d into v and an `inside` mask. */
#define KEEP_DEPTHS(how, sample)                                                                   \
    for (int32_t d = to - 1; d >= from; d--) {                                                     \
        vf v;                                                                                      \
        vm in;                                                                                     \
        sample;                                                                                    \
        count = le__keep(k, count, c, &thresholds, how, v, in);                                    \
    }

#define FOR_DEPTHS(sample)                                                                         \
    do {                                                                                           \
        const le__classify *c = &p->fused->classify;                                               \
        const le__thresholds thresholds = le__thresholds_of(c);                                    \
        int count = 0;                                                                             \
        switch (le__keeping_of(c)) {                                                               \
        case LE__KEEP_FEW:                                                                         \
            KEEP_DEPTHS(LE__KEEP_FEW, sample)                                                      \
            break;                                                                                 \
        case LE__KEEP_CLASSES:                                                                     \
            KEEP_DEPTHS(LE__KEEP_CLASSES, sample)                                                  \
            break;                                                                                 \
        case LE__KEEP_RANGE:                                                                       \
            KEEP_DEPTHS(LE__KEEP_RANGE, sample)                                                    \
            break;                                                                                 \
        }                                                                                          \
        k->count = count;                                                                          \
    } while (0)

static inline vf exact_where(const packet *p, int32_t depth, vf v, vf bounds)
{
    const le__fused *f = p->fused;
    return le__packet_exact(v, bounds, &f->volume, f->camera, p->view->view, depth, p->ix, p->iz);
}

#define DEFINE_CHUNKS(dtype, s, next)                                                              \
    static void chunk_##s(const packet *p, le__kept *k, int32_t from, int32_t to)                  \
    {                                                                                              \
        const le__packet_columns columns = p->columns;                                             \
        const le__fixed_view view = *p->view;                                                      \
        const le__voxels volume = p->fused->volume;                                                \
        const int64_t strides[3] = {volume.strides[0], volume.strides[1], next};                   \
        const bool watch = p->fused->watch && le__dtype_is_signed(dtype);                          \
        FOR_DEPTHS({                                                                               \
            vi f[3];                                                                               \
            le__weights w;                                                                         \
            vi at = le__packet_at(&columns, &view, d, 0, strides, f);                              \
            le__packet_weights(f, &w);                                                             \
            vf bounds = vf_set(0.0f);                                                              \
            v = le__sample_##s(&volume, strides[0], strides[1], at, &w, watch ? &bounds : NULL);   \
            if (watch)                                                                             \
                v = exact_where(p, d, v, bounds);                                                  \
            in = all_lanes();                                                                      \
        });                                                                                        \
    }                                                                                              \
    static void chunk_safe_##s(const packet *p, le__kept *k, int32_t from, int32_t to)             \
    {                                                                                              \
        const le__voxels volume = p->fused->volume;                                                \
        const int64_t *strides = volume.strides;                                                   \
        const vf fill = vf_set((float)p->fused->camera->fill);                                     \
        const bool shows = p->fused->fill_shows, boxed = p->fused->box != NULL;                    \
        const bool watch = p->fused->watch && le__dtype_is_signed(dtype);                          \
        FOR_DEPTHS({                                                                               \
            le__weights w;                                                                         \
            in = p->clipped ? depth_inside(d, p->begin, p->end) : all_lanes();                     \
            vi at = le__packet_at_clamped(&p->columns, p->view, d, p->fused->camera->shape,        \
                                          strides, &w);                                            \
            vf bounds = vf_set(0.0f);                                                              \
            v = le__sample_##s(&volume, strides[0], strides[1], at, &w, watch ? &bounds : NULL);   \
            if (watch)                                                                             \
                v = exact_where(p, d, v, bounds);                                                  \
            v = vf_select(in, v, fill);                                                            \
            if (shows)                                                                             \
                in = boxed ? depth_inside(d, p->own_begin, p->own_end) : all_lanes();              \
        });                                                                                        \
    }
#define DEFINE_CHUNKS_OF(D, T, s) DEFINE_CHUNKS(D, s, 1)
LE__DTYPE_LIST(DEFINE_CHUNKS_OF)
DEFINE_CHUNKS(volume.dtype, apart, volume.strides[2])

typedef void (*chunk_fn)(const packet *p, le__kept *k, int32_t from, int32_t to);

static chunk_fn chunk_of(const le__voxels *volume, bool safe)
{
    if (!volume->lines)
        return safe ? chunk_safe_apart : chunk_apart;
    return safe ? LE__FOR_DTYPE(chunk_safe, volume->dtype) : LE__FOR_DTYPE(chunk, volume->dtype);
}

/* Colours and 1 - T as they are. */
static void store_part(const packet *p, const le__pixels *q)
{
    const le_tensor *out = p->fused->images;
    int64_t view = p->view - p->fused->views;
    float rgba[4][VW];
    vf_store(rgba[0], q->red);
    vf_store(rgba[1], q->green);
    vf_store(rgba[2], q->blue);
    vf_store(rgba[3], vf_sub(vf_set(1.0f), q->through));
    for (int lane = 0; lane < VW && p->iz + lane < p->fused->camera->size; lane++) {
        int64_t at =
            view * out->strides[0] + p->ix * out->strides[1] + (p->iz + lane) * out->strides[2];
        for (int c = 0; c < 4; c++)
            le__store(out->data, out->dtype, at + c * out->strides[3], (double)rgba[c][lane]);
    }
}

static void render_rays(const packet *p)
{
    le__kept kept;
    le__pixels q = le__pixels_start();
    bool more = true;
    for (int32_t to = p->to; more && to > p->from; to -= LE__CHUNK) {
        int32_t from = to - LE__CHUNK > p->from ? to - LE__CHUNK : p->from;
        if (may_skip(p) && skip_chunk(p, from, to))
            continue;
        bool safe = chunk_is_clipped(p, from, to) || !chunk_is_inner(p, from, to);
        chunk_of(&p->fused->volume, safe)(p, &kept, from, to);
        more = finish_chunk(p, &kept, &q);
    }
    if (p->fused->box) {
        store_part(p, &q);
        return;
    }
    float rgb[3][VW];
    store_clipped(&q, rgb);
    for (int lane = 0; lane < VW && p->iz + lane < p->fused->camera->size; lane++)
        store_pixel(p, p->ix, p->iz + lane, rgb, lane);
}

static void ray_ranges(packet *p)
{
    int32_t begin[VW], end[VW];
    int64_t last = p->fused->camera->size - 1;
    for (int64_t i = 0; i < VW; i++) {
        int64_t first, stop, iz = p->iz + i < last ? p->iz + i : last;
        le__view_ray(p->fused->camera, p->view->view, 0, p->ix, iz, &first, &stop);
        begin[i] = (int32_t)first;
        end[i] = (int32_t)stop;
    }
    set_ranges(p, begin, end);
}

/* The depths that are a box's own, and of these the ones inside the volume. */
static void box_ranges(packet *p)
{
    const le__fused *f = p->fused;
    const le__view *view = &f->whole->views[p->view - f->views];
    int32_t own[2][VW], inside[2][VW];
    int64_t last = f->whole->size - 1;
    p->full_from = 0;
    p->full_to = (int32_t)f->whole->size;
    for (int64_t i = 0; i < VW; i++) {
        int64_t begin, end, first = 0, stop = f->whole->size, iz = p->iz + i < last ? p->iz + i : last;
        le__box_ray(f->box, f->whole, view, p->ix, iz, &begin, &end);
        if (f->whole->has_fill)
            le__view_ray(f->whole, view, 0, p->ix, iz, &first, &stop);
        own[0][i] = (int32_t)begin;
        own[1][i] = (int32_t)end;
        inside[0][i] = (int32_t)(first > begin ? first : begin);
        inside[1][i] = (int32_t)(stop < end ? stop : end);
        p->full_from = inside[0][i] > p->full_from ? inside[0][i] : p->full_from;
        p->full_to = inside[1][i] < p->full_to ? inside[1][i] : p->full_to;
    }
    p->own_begin = vi_load(own[0]);
    p->own_end = vi_load(own[1]);
    set_ranges(p, inside[0], inside[1]);
    if (f->fill_shows)
        set_visits(p, own[0], own[1]);
}

static void ray_row(const le__fused *f, const le__fixed_view *view, int64_t ix)
{
    packet p = {.fused = f, .view = view, .ix = ix, .rows = 1};
    for (p.iz = 0; p.iz < f->camera->size; p.iz += VW) {
        if (f->box)
            box_ranges(&p);
        else if (f->camera->has_fill)
            ray_ranges(&p);
        else
            set_full_range(&p);
        le__packet_set(&p.columns, p.view, ix, p.iz, f->strides);
        render_rays(&p);
    }
}

static void rays_range(void *fused, size_t begin, size_t end, int worker)
{
    (void)worker;
    const le__fused *f = fused;
    const unsigned before = flush_denormals(f);
    int64_t n = f->camera->size;
    for (size_t i = begin; i < end; i++)
        ray_row(f, &f->views[(int64_t)i / n], (int64_t)i % n);
    le__denormals_restore(before);
}
