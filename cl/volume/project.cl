/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * project: mean (REDUCE 0), maximum (1), minimum (2) or sum (3) along an axis, then logarithm (LOG)
 * and colour map (MAP: n_map knots as a table of transfer.clh, over 0 to 1). TYPE, OUT: elements.
 * `across` for axes 0 and 1: one work-item a pixel, so that neighbours read neighbouring voxels;
 * `along` for axis 2: one work-group a pixel, whose items read a line together.
 */
#include "volume/transfer.clh"

typedef struct total {
    float value, rest; /* a compensated sum */
} total;

static inline total add(total t, float v) {
#if REDUCE == 1
    t.value = v > t.value || isnan(v) ? v : t.value;
#elif REDUCE == 2
    t.value = v < t.value || isnan(v) ? v : t.value;
#else
    float y = v - t.rest, sum = t.value + y;
    t.rest = isfinite(sum) ? (sum - t.value) - y : 0.0f;
    t.value = sum;
#endif
    return t;
}

static inline total nothing(void) {
    total t = {REDUCE == 1 ? -INFINITY : REDUCE == 2 ? INFINITY : 0.0f, 0.0f};
    return t;
}

static inline void write_pixel(__global OUT *image, long pixel, float value, int n, LIST float *map,
                               int n_map, float low, float high) {
    float v = REDUCE == 0 ? value / (float)n : value;
    if (LOG)
        v = log(v);
#if MAP
    float x = (v - low) / (high - low);
    float4 color = transfer_table(map, n_map, x > 0.0f ? x : 0.0f); /* NaN is taken as 0 */
    image[3 * pixel] = (OUT)color.x;
    image[3 * pixel + 1] = (OUT)color.y;
    image[3 * pixel + 2] = (OUT)color.z;
#else
    image[pixel] = (OUT)v;
#endif
}

__kernel void across(__global const TYPE *volume, __global OUT *image, LIST float *map, int n_map,
                     int n, int rows, int columns, long row_stride, long stride, float low,
                     float high) {
    int column = get_global_id(0), row = get_global_id(1);
    if (column >= columns || row >= rows)
        return;
    __global const TYPE *p = volume + row * row_stride + column;
    total t = nothing();
    for (int i = 0; i < n; i++)
        t = add(t, (float)p[i * stride]);
    write_pixel(image, (long)row * columns + column, t.value, n, map, n_map, low, high);
}

__kernel void along(__global const TYPE *volume, __global OUT *image, LIST float *map, int n_map,
                    int n, long pixels, float low, float high, __local float *parts) {
    long pixel = get_group_id(0);
    int item = get_local_id(0), items = get_local_size(0);
    total t = nothing();
    if (pixel < pixels)
        for (int i = item; i < n; i += items)
            t = add(t, (float)volume[pixel * n + i]);
    parts[item] = t.value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item > 0 || pixel >= pixels)
        return;
    t = nothing();
    for (int i = 0; i < items; i++)
        t = add(t, parts[i]);
    write_pixel(image, pixel, t.value, n, map, n_map, low, high);
}
