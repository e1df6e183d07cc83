/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `interpolate` in scalar C: one loop for each dtype, coordinates and sums in double precision.
 */
#include "volume/interpolate/interpolate.h"
#include "volume/trilinear.h"

typedef struct row {
    const le__camera *camera;
    const le_tensor *volume;
    int64_t iy, ix;
    const le_tensor *out;
    int64_t begin;           /* element of out, [iy,ix,0] */
} row;

#define DEFINE_ROW(D, T, s)                                                                        \
    static inline void fill_##s(const row *r, int64_t next)                                        \
    {                                                                                              \
        const le__camera *c = r->camera;                                                           \
        const int64_t plane = r->volume->strides[0], line = r->volume->strides[1];                 \
        const le__view v = c->views[0]; /* which the output cannot overlap */                      \
        const int64_t *n = c->shape, iy = r->iy, ix = r->ix, size = c->size;                       \
        for (int64_t iz = 0; iz < size; iz++) {                                                    \
            double x = le__view_index(&v, 0, iy, ix, iz);                                          \
            double y = le__view_index(&v, 1, iy, ix, iz);                                          \
            double z = le__view_index(&v, 2, iy, ix, iz);                                          \
            double value = c->fill, w[3];                                                          \
            if (le__index_inside(x, n[0]) && le__index_inside(y, n[1]) &&                          \
                le__index_inside(z, n[2])) {                                                       \
                int64_t cell = le__view_cell(&v, n, plane, line, next, iy, ix, iz, w);             \
                value = le__trilinear_##s(r->volume->data, cell, plane, line, next, w);            \
            }                                                                                      \
            le__store(r->out->data, r->out->dtype, r->begin + iz * r->out->strides[2], value);     \
        }                                                                                          \
    }                                                                                              \
    static void row_##s(const row *r)                                                              \
    {                                                                                              \
        if (r->volume->strides[2] == 1)                                                            \
            fill_##s(r, 1);                                                                        \
        else                                                                                       \
            fill_##s(r, r->volume->strides[2]);                                                    \
    }
LE__DTYPE_LIST(DEFINE_ROW)
#undef DEFINE_ROW

static size_t items(const le_call *call)
{
    size_t n = (size_t)le_call_i64(call, ARG_SIZE);
    return n * n;
}

static void range(void *data, size_t begin, size_t end, int worker)
{
    (void)worker;
    const le_call *call = data;
    const le_tensor *out = le_call_out(call, ARG_SAMPLES), *volume = le_call_in(call, ARG_VOLUME);
    void (*fn)(const row *r) = LE__FOR_DTYPE(row, volume->dtype);
    row r = {.camera = le_call_attached(call), .volume = volume, .out = out};
    for (size_t i = begin; i < end; i++) {
        r.iy = (int64_t)i / r.camera->size;
        r.ix = (int64_t)i % r.camera->size;
        r.begin = r.iy * out->strides[0] + r.ix * out->strides[1];
        fn(&r);
    }
}

LE_IMPLEMENTATION(interpolate, c, .run_type = "c", .summary = "scalar C",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1.0, .items = items, .range = range);
