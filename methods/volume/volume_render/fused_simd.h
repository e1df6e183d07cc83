/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the two forms of kernels of fused.h have in common, compiled once for each instruction set.
 */
#ifndef LE_VOLUME_FUSED_SIMD_H
#define LE_VOLUME_FUSED_SIMD_H

#include <float.h>

#include "common/denormals.h"
#include "volume/packet_simd.h"
#include "volume/volume_render/classify_simd.h"

/* One packet: columns [iz, iz+VW) of row ix of a view. */
typedef struct packet {
    const le__fused *fused;
    const le__fixed_view *view;
    int64_t ix, iz;                /* axis form: the first row */
    int rows;                      /* axis form: rows taken together */
    le__packet_columns columns;
    vi begin, end;                 /* depths inside, where rays leave the volume */
    bool clipped;                  /* begin and end matter */
    vi own_begin, own_end;         /* of a box: depths that are its own */
    int32_t full_from, full_to;    /* depths that are inside in all lanes, though others are not */
    int32_t from, to;              /* depths to visit */
    const float *planes;           /* axis form: of its rows */
} packet;

static inline vm depth_inside(int32_t depth, vi begin, vi end)
{
    return vm_and(vi_gt(end, vi_set(depth)), vi_gt(vi_set(depth + 1), begin));
}

static inline vm all_lanes(void)
{
    vf zero = vf_set(0.0f);
    return vf_eq(zero, zero);
}

/* Least and largest index along an axis over the packet's depths [from, to). */
static void extent(const packet *p, int axis, int32_t from, int32_t to, double *least, double *most)
{
    int64_t last = p->iz + VW < p->fused->camera->size ? p->iz + VW : p->fused->camera->size;
    *least = DBL_MAX;
    *most = -DBL_MAX;
    for (int corner = 0; corner < 8; corner++) {
        double index = le__view_position(p->view->view, axis, corner & 1 ? to - 1 : from,
                                         corner & 4 ? p->ix + p->rows - 1 : p->ix,
                                         corner & 2 ? last - 1 : p->iz);
        *least = index < *least ? index : *least;
        *most = index > *most ? index : *most;
    }
}

/* bricks that hold the cells of indices [least, most] of an axis */
static void brick_range(double least, double most, int64_t voxels, int64_t bricks, int64_t out[2])
{
    double last = (double)(voxels - 1);
    int64_t low = (int64_t)(least > 0.0 ? least < last ? least : last : 0.0);
    int64_t high = (int64_t)(most > 0.0 ? most < last ? most : last : 0.0);
    out[0] = low / LE__BRICK;
    out[1] = high / LE__BRICK + 1 < bricks ? high / LE__BRICK + 1 : bricks;
}

/* Whether a box of bricks, [0] to [1] of each axis, holds a visible one. */
static bool any_visible(const le__fused *f, int64_t (*r)[2])
{
    int64_t nz = f->bricks[2] + 1, ny = (f->bricks[1] + 1) * nz;
    int32_t total = 0;
    for (int corner = 0; corner < 8; corner++) {
        int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2 & 1;
        int32_t sum = f->sums[r[0][x] * ny + r[1][y] * nz + r[2][z]];
        total += (x + y + z) & 1 ? sum : -sum;
    }
    return total != 0;
}

static bool may_skip(const packet *p)
{
    return p->fused->sums && !(p->clipped && p->fused->fill_shows);
}

static bool skip_chunk(const packet *p, int32_t from, int32_t to)
{
    const le__fused *f = p->fused;
    int64_t range[3][2];
    for (int a = 0; a < 3; a++) {
        double least, most;
        extent(p, a, from, to, &least, &most);
        brick_range(least - LE__EDGE_VOXELS, most + LE__EDGE_VOXELS, f->camera->shape[a],
                    f->bricks[a], range[a]);
    }
    return !any_visible(f, range);
}

/* Whether every coordinate of the chunk is in [0, n-1). */
static bool chunk_is_inner(const packet *p, int32_t from, int32_t to)
{
    for (int a = 0; a < 3; a++) {
        double least, most;
        extent(p, a, from, to, &least, &most);
        if (least < LE__EDGE_VOXELS ||
            most > (double)(p->fused->camera->shape[a] - 1) - LE__EDGE_VOXELS)
            return false;
    }
    return true;
}

/* Whether the bounds of a chunk have to be looked at. */
static bool chunk_is_clipped(const packet *p, int32_t from, int32_t to)
{
    return p->clipped && !(from >= p->full_from && to <= p->full_to);
}

static void store_clipped(const le__pixels *q, float rgb[3][VW])
{
    const vf zero = vf_set(0.0f), one = vf_set(1.0f);
    vf_store(rgb[0], vf_min(vf_max(q->red, zero), one));
    vf_store(rgb[1], vf_min(vf_max(q->green, zero), one));
    vf_store(rgb[2], vf_min(vf_max(q->blue, zero), one));
}

static inline void store_pixel(const packet *p, int64_t row, int64_t column, float rgb[3][VW],
                               int lane)
{
    const le_tensor *out = p->fused->images;
    int64_t view = p->view - p->fused->views;
    int64_t at = view * out->strides[0] + row * out->strides[1] + column * out->strides[2];
    for (int c = 0; c < 3; c++)
        le__store(out->data, out->dtype, at + c * out->strides[3], (double)rgb[c][lane]);
}

/* Depths to visit: those of any lane. */
static void set_visits(packet *p, const int32_t *begin, const int32_t *end)
{
    p->from = (int32_t)p->fused->camera->size;
    p->to = 0;
    for (int i = 0; i < VW; i++)
        if (begin[i] < end[i]) {
            p->from = begin[i] < p->from ? begin[i] : p->from;
            p->to = end[i] > p->to ? end[i] : p->to;
        }
}

/* Depth range of a packet whose rays leave the volume: [begin, end) of each lane. */
static void set_ranges(packet *p, const int32_t *begin, const int32_t *end)
{
    int32_t n = (int32_t)p->fused->camera->size;
    p->begin = vi_load(begin);
    p->end = vi_load(end);
    p->clipped = false;
    for (int i = 0; i < VW; i++)
        p->clipped = p->clipped || begin[i] > 0 || end[i] < n;
    set_visits(p, begin, end);
    if (p->fused->fill_shows) {
        p->from = 0;
        p->to = n;
    }
}

static void set_full_range(packet *p)
{
    p->clipped = false;
    p->from = 0;
    p->to = (int32_t)p->fused->camera->size;
}

/* Composites a chunk; whether any of the rays can still change. */
static bool finish_chunk(const packet *p, const le__kept *k, le__pixels *q)
{
    const le__classify *c = &p->fused->classify;
    if (k->count > 0)
        le__composite_kept(q, k, c);
    return vm_any(vf_lt(vf_set(c->stop), q->through));
}

/* Only a table shows denormals: Gaussians that do are refused. */
static unsigned flush_denormals(const le__fused *f)
{
    return le__denormals_flush(f->classify.form != LE__FORM_TABLE);
}

#endif
