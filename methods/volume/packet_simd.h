/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Coordinates of a packet, a vector of neighbouring columns of one image row, depth by depth.
 */
#ifndef LE_VOLUME_PACKET_SIMD_H
#define LE_VOLUME_PACKET_SIMD_H

#include "volume/fixed.h"
#include "volume/sample_simd.h"

typedef struct le__packet_columns {
    vi fraction[3], index[3];      /* of column and row */
    vi offset;                     /* sum of index * stride */
} le__packet_columns;

static inline void le__packet_set(le__packet_columns *p, const le__fixed_view *v, int64_t ix,
                                  int64_t iz, const int64_t strides[3])
{
    p->offset = vi_set(0);
    for (int a = 0; a < 3; a++) {
        int64_t row = le__fixed_row(v->view, a, ix);
        int32_t fraction[VW], index[VW];
        for (int i = 0; i < VW; i++) {
            int64_t at = v->column[a][iz + i] + row;
            fraction[i] = (int32_t)((uint32_t)at >> (32 - V_FRACTION_BITS));
            index[i] = (int32_t)(at >> 32);
        }
        p->fraction[a] = vi_load(fraction);
        p->index[a] = vi_load(index);
        p->offset = vi_add(p->offset, vi_mul(p->index[a], vi_set((int32_t)strides[a])));
    }
}

/* Offset of the cells at a depth and the fractions along axes [first, 3). */
static inline vi le__packet_at(const le__packet_columns *p, const le__fixed_view *v, int32_t depth,
                               int first, const int64_t strides[3], vi fraction[3])
{
    vi offset = vi_add(p->offset, vi_set(v->offset[depth]));
    for (int a = first; a < 3; a++) {
        fraction[a] = vi_add(p->fraction[a], vi_set((int32_t)v->fraction[a][depth]));
        offset = vi_add_if(vi_carry(fraction[a], p->fraction[a]), offset,
                           vi_set((int32_t)strides[a]));
    }
    return offset;
}

/* The same for any coordinate: clamped to the volume, where the last voxel of an axis is the end of the
 * cell before it. */
static inline vi le__packet_at_clamped(const le__packet_columns *p, const le__fixed_view *v,
                                       int32_t depth, const int64_t shape[3],
                                       const int64_t strides[3], le__weights *w)
{
    vi offset = vi_set(0);
    for (int a = 0; a < 3; a++) {
        vi fraction = vi_add(p->fraction[a], vi_set((int32_t)v->fraction[a][depth]));
        vi index = vi_add(p->index[a], vi_set(v->index[a][depth]));
        index = vi_add_if(vi_carry(fraction, p->fraction[a]), index, vi_set(1));
        v_weights(fraction, &w->lower[a], &w->upper[a]);
        const vf zero = vf_set(0.0f), one = vf_set(1.0f);
        vm below = vi_gt(vi_set(0), index), above = vi_gt(index, vi_set((int32_t)shape[a] - 2));
        w->upper[a] = vf_select(below, zero, vf_select(above, one, w->upper[a]));
        w->lower[a] = vf_select(below, one, vf_select(above, zero, w->lower[a]));
        index = vi_min(vi_max(index, vi_set(0)), vi_set((int32_t)shape[a] - 2));
        offset = vi_add(offset, vi_mul(index, vi_set((int32_t)strides[a])));
    }
    return offset;
}

static inline void le__packet_weights(const vi fraction[3], le__weights *w)
{
    for (int a = 0; a < 3; a++)
        v_weights(fraction[a], &w->lower[a], &w->upper[a]);
}

/* A packet's samples at a depth with those inside their bounds replaced by exact ones. */
static inline vf le__packet_exact(vf v, vf bounds, const le__voxels *volume,
                                  const le__camera *camera, const le__view *view, int64_t depth,
                                  int64_t ix, int64_t iz)
{
    vm cancelled = vm_and(vf_lt(v, bounds), vf_lt(vf_sub(vf_set(0.0f), bounds), v));
    if (!vm_any(cancelled))
        return v;
    float lanes[VW], exact[VW];
    vf_store(lanes, v);
    vf_store(exact, vf_select(cancelled, vf_set(1.0f), vf_set(0.0f)));
    for (int64_t i = 0; i < VW && iz + i < camera->size; i++)
        if (exact[i] != 0.0f)
            lanes[i] = (float)le__exact_sample(volume, camera->shape, view, depth, ix, iz + i);
    return vf_load(lanes);
}

#endif
