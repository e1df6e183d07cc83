/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * volume_render, fused, for devices whose work-items have vector units (CPUs): one work-item takes
 * 16 neighbouring columns of a row through all depths. Gaussians only. Arguments and slabs as in
 * volume_render.cl.
 */
#include "volume/index.clh"
#include "volume/list.clh"
#include "volume/sample.clh"

#if CONTIGUOUS_PAIRS /* the two neighbours along axis 2 in one read */
#define PAIR(i) as_long(vload2(0, p + (i)))
#else
#define PAIR(i) as_long((float2)((float)p[i], (float)p[(i) + 1]))
#endif
#define PAIRS(o)                                                                                   \
    (long16)(PAIR(o.s0), PAIR(o.s1), PAIR(o.s2), PAIR(o.s3), PAIR(o.s4), PAIR(o.s5), PAIR(o.s6),   \
             PAIR(o.s7), PAIR(o.s8), PAIR(o.s9), PAIR(o.sa), PAIR(o.sb), PAIR(o.sc), PAIR(o.sd),   \
             PAIR(o.se), PAIR(o.sf))
#define INSIDE(at, low, high) clamp(at, (long16)(low), (long16)(high))
#define CELLS(at)             convert_int16((at) >> FRACTION_BITS)

static inline float16 weights(long16 at) { /* see WEIGHT */
    const uint ahead = AHEAD >> (FRACTION_BITS - 32);
    const uint16 fraction = convert_uint16(as_ulong16(at >> (FRACTION_BITS - 32)) & 0xffffffffUL);
    return convert_float16(select(fraction - ahead, (uint16)(0), fraction < 2 * ahead)) * 0x1p-32f;
}

static inline float16 blend16(float16 a, float16 b, float16 w) {
    return a * (1.0f - w) + b * w;
}

typedef struct extremes {
    float16 least, most;
} extremes;

/* neighbours along axis 2, weighed */
static inline float16 along(__global const TYPE *p, int16 o, float16 w, extremes *e) {
    long16 pair = PAIRS(o);
    float16 a = as_float16(convert_int16(pair & 0xffffffffL));
    float16 b = as_float16(convert_int16(pair >> 32));
#if WATCH
    e->least = fmin(e->least, fmin(a, b));
    e->most = fmax(e->most, fmax(a, b));
#endif
    return blend16(a, b, w);
}

#if WATCH
/* the cancelled samples anew, see sample.clh */
static inline float16 exact_where_cancelled(float16 value, extremes e, __global const TYPE *p,
                                            long16 x, long16 y, long16 z, int3 n, int first) {
    int16 cancelled =
        (e.least < 0.0f) & (e.most > 0.0f) & (fabs(value) < CANCELLED * fmax(e.most, -e.least));
    if (!any(cancelled))
        return value;
    float v[16];
    int redo[16];
    long at[3][16];
    vstore16(value, 0, v);
    vstore16(cancelled, 0, redo);
    vstore16(x, 0, at[0]);
    vstore16(y, 0, at[1]);
    vstore16(z, 0, at[2]);
    for (int i = 0; i < 16; i++) {
        long3 lane = (long3)(at[0][i], at[1][i], at[2][i]);
        if (redo[i])
            v[i] = exact_blend(corners(p, lane, n, first), lane);
    }
    return vload16(0, v);
}
#endif

static inline float16 samples(__global const TYPE *p, long16 x, long16 y, long16 z, int ny, int nz,
                              int first) {
    int16 o = ((CELLS(x) - first) * ny + CELLS(y)) * nz + CELLS(z);
    float16 u = weights(x), v = weights(y), w = weights(z);
    int plane = ny * nz;
    extremes e = {0.0f, 0.0f};
    float16 a = blend16(along(p, o, w, &e), along(p, o + nz, w, &e), v);
    float16 b = blend16(along(p, o + plane, w, &e), along(p, o + plane + nz, w, &e), v);
    float16 value = blend16(a, b, u);
#if WATCH
    value = exact_where_cancelled(value, e, p, x, y, z, (int3)(0, ny, nz), first);
#endif
    return value;
}

/* Natural logarithm of positive normal numbers to 2e-7: 2 atanh((m-1)/(m+1)) + e log(2) with m in
 * [sqrt(1/2), sqrt(2)] */
static inline float16 log_of(float16 v) {
    int16 bits = as_int16(v);
    int16 e = (bits - 0x3f3504f3) >> 23;
    float16 m = as_float16(bits - (e << 23));
    float16 t = (m - 1.0f) / (m + 1.0f), t2 = t * t;
    float16 s = t2 * (t2 * (t2 * (t2 * 0.22222222f + 0.28571429f) + 0.4f) + 0.66666667f) + 2.0f;
    return t * s + convert_float16(e) * 0.69314718f;
}

/* exp(x) for x <= 0, 0 below -87, to 2e-7 */
static inline float16 exp_of(float16 x) {
    float16 y = max(x, (float16)-87.0f) * 1.44269504f;
    float16 n = rint(y), f = y - n;
    float16 p = f * 1.5403530e-4f + 1.3333558e-3f;
    p = p * f + 9.6181291e-3f;
    p = p * f + 5.5504109e-2f;
    p = p * f + 2.4022651e-1f;
    p = p * f + 6.9314718e-1f;
    p = p * f + 1.0f;
    return as_float16(as_int16(p) + (convert_int16(n) << 23));
}

typedef struct ray {
    float16 r, g, b;
} ray;

static inline void composite(ray *c, LIST float *list, int n_list, float16 value) {
    float16 s = value, r = 0.0f, g = 0.0f, b = 0.0f, a = 0.0f;
    int have = !LOG, shows = 0;
    for (int j = 0; j < n_list; j++) {
        LIST float *q = list + 8 * j;
        int16 in = (value >= q[2]) & (value <= q[3]);
        if (!any(in))
            continue;
        if (!have)
            s = log_of(value);
        have = shows = 1;
        float16 d = s - q[0];
        float16 e = as_float16(as_int16(exp_of(d * d * q[1])) & in);
        r += q[4] * e;
        g += q[5] * e;
        b += q[6] * e;
        a += q[7] * e;
    }
    if (!shows)
        return;
    c->r = a * r + (1.0f - a) * c->r;
    c->g = a * g + (1.0f - a) * c->g;
    c->b = a * b + (1.0f - a) * c->b;
}

__kernel void volume_render_wide(__global const TYPE *volume, __global const long *views,
                                 LIST float *list, int n_list, __global OUT *images, int nx, int ny,
                                 int nz, int size, float fill, int first, int last, int order,
                                 int begins, int ends) {
    int column = get_global_id(0) * 16, ix = get_global_id(1), k = get_global_id(2);
    if (column >= size || ix >= size)
        return;
    __global const long *view = views + 12 * k;
    __global OUT *pixels = images + (((long)k * size + ix) * size + column) * 3;
    const long16 lane = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    long16 iz = min(lane + (long)column, (long16)(size - 1));
    long3 step = view_step(view, 0), slope = view_step(view, 2);
    long3 start = view_origin(view) + view_step(view, 1) * (long)ix;
    long16 x = start.x + slope.x * iz, y = start.y + slope.y * iz, z = start.z + slope.z * iz;
    int width = min(size - column, 16);
    ray c = {0.0f, 0.0f, 0.0f};
#if SLAB
    if ((step.x >= 0) != (order >= 0))
        return;
    float held[48] = {0};
    for (int i = 0; i < 3 * width && !begins; i++)
        held[i / 3 + i % 3 * 16] = (float)pixels[i];
    c.r = vload16(0, held);
    c.g = vload16(1, held);
    c.b = vload16(2, held);
#endif
    for (int iy = 0; iy < size; iy++, x += step.x, y += step.y, z += step.z) {
        long16 px = INSIDE(x, 0L, LAST(nx)), py = INSIDE(y, 0L, LAST(ny));
        long16 pz = INSIDE(z, 0L, LAST(nz));
#if SLAB
        int16 here = (CELLS(px) >= first) & (CELLS(px) < last);
        if (!any(here))
            continue;
        px = INSIDE(px, (long)first << FRACTION_BITS, ((long)last << FRACTION_BITS) - 1);
#endif
        float16 value = samples(volume, px, py, pz, ny, nz, first);
#if FILL
        long16 inside = (x >= -EDGE) & (y >= -EDGE) & (z >= -EDGE) & (x <= LAST(nx) + 1 + EDGE) &
                        (y <= LAST(ny) + 1 + EDGE) & (z <= LAST(nz) + 1 + EDGE);
        value = select((float16)fill, value, convert_int16(inside));
#endif
#if SLAB
        value = select((float16)NAN, value, here); /* transparent */
#endif
        composite(&c, list, n_list, value);
    }
    float out[48];
    vstore16(c.r, 0, out);
    vstore16(c.g, 1, out);
    vstore16(c.b, 2, out);
    for (int i = 0; i < 3 * width; i++) {
        float v = out[i / 3 + i % 3 * 16];
        pixels[i] = (OUT)(!SLAB || ends ? clamp(v, 0.0f, 1.0f) : v);
    }
}
