/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * volume_render, fused: one work-item a ray, from the farthest sample to the nearest; the column is
 * the fastest. TYPE, OUT: elements; IMAGE: see sample.clh; TABLE, LOG: see transfer.clh; FILL:
 * samples outside have the value `fill`. SLAB: the volume holds the planes [first, last] of axis 0
 * only. Rays take the samples whose cell lies there and go on from what the images hold; a launch
 * has the views that cross slabs upwards (order >= 0) or downwards (order < 0), and clips when it
 * is the last for them.
 */
#include "volume/index.clh"
#include "volume/sample.clh"
#include "volume/transfer.clh"

__kernel void volume_render(VOLUME volume, __global const long *views, LIST float *list, int n_list,
                            __global OUT *images, int nx, int ny, int nz, int size, float fill,
                            int first, int last, int order, int begins, int ends) {
    int iz = get_global_id(0), ix = get_global_id(1), k = get_global_id(2);
    if (iz >= size || ix >= size)
        return;
    __global const long *view = views + 12 * k;
    __global OUT *pixel = images + (((long)k * size + ix) * size + iz) * 3;
    int3 n = (int3)(nx, ny, nz);
    long3 step = view_step(view, 0);
    long3 at = view_origin(view) + view_step(view, 1) * (long)ix + view_step(view, 2) * (long)iz;
    float3 color = 0.0f;
#if SLAB
    if ((step.x >= 0) != (order >= 0))
        return;
    if (!begins)
        color = (float3)((float)pixel[0], (float)pixel[1], (float)pixel[2]);
#endif
    for (int iy = 0; iy < size; iy++, at += step) {
        long3 p = index_clamp(at, n);
#if SLAB
        if (CELL(p.x) < first || CELL(p.x) >= last)
            continue;
#endif
        float value = fill;
        if (!FILL || index_inside(at, n))
            value = sample(volume, p, n, first);
        float4 c = transfer(list, n_list, value);
        color = c.w * c.xyz + (1.0f - c.w) * color;
    }
#if SLAB
    if (ends)
#endif
        color = clamp(color, 0.0f, 1.0f);
    pixel[0] = (OUT)color.x;
    pixel[1] = (OUT)color.y;
    pixel[2] = (OUT)color.z;
}
