/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * interpolate: trilinear samples of a volume on a rotated camera grid; one work-item a sample, the
 * column fastest. TYPE, OUT: elements; IMAGE: see sample.clh; FILL: samples outside get `fill`.
 */
#include "volume/index.clh"
#include "volume/sample.clh"

__kernel void interpolate(VOLUME volume, __global const long *view, __global OUT *samples, int nx,
                          int ny, int nz, int size, float fill) {
    int iz = get_global_id(0), ix = get_global_id(1), iy = get_global_id(2);
    if (iz >= size || ix >= size || iy >= size)
        return;
    int3 n = (int3)(nx, ny, nz);
    long3 at = view_origin(view) + view_step(view, 0) * (long)iy + view_step(view, 1) * (long)ix +
               view_step(view, 2) * (long)iz;
    float value = fill;
    if (!FILL || index_inside(at, n))
        value = sample(volume, index_clamp(at, n), n, 0);
    samples[((long)iy * size + ix) * size + iz] = (OUT)value;
}
