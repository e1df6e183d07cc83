/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Collects and checks the arguments of `interpolate_at`.
 */
#include "volume/interpolate_at/at.h"

#include <math.h>
#include <stdatomic.h>

#include "volume/load.h"

enum { CHUNK_POINTS = 4096 };

static le_status read_axis(le__at *at, le_call *call, int a)
{
    const le_tensor *t = le_call_in(call, ARG_AXIS0 + a);
    int64_t n = t->shape[0];
    double *axis = le_call_scratch(call, (size_t)n * sizeof *axis);
    if (!axis)
        return le_fail(LE_ERR_MEMORY, "interpolate_at: no memory for axis%d", a);
    for (int64_t i = 0; i < n; i++) {
        axis[i] = le__load(t->data, t->dtype, i * t->strides[0]);
        if (!isfinite(axis[i]) || (i > 0 && !(axis[i] > axis[i - 1])))
            return le_fail(LE_ERR_DATA,
                           "interpolate_at: axis%d[%lld] is %.9g, expected finite coordinates in "
                           "strictly ascending order", a, (long long)i, axis[i]);
    }
    at->axis[a] = axis;
    at->n[a] = n;
    return LE_OK;
}

typedef struct search {
    const le__at *at;
    atomic_llong first;      /* least number of a point outside */
} search;

static bool outside(const le__at *at, int64_t point)
{
    for (int a = 0; a < 3; a++) {
        double x = le__load(at->points, at->points_dtype, 3 * point + a);
        if (!(x >= at->axis[a][0] && x <= at->axis[a][at->n[a] - 1]))
            return true;
    }
    return false;
}

static void search_range(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    search *s = context;
    for (size_t chunk = begin; chunk < end; chunk++) {
        int64_t i = (int64_t)chunk * CHUNK_POINTS, stop = i + CHUNK_POINTS;
        if (stop > s->at->count)
            stop = s->at->count;
        while (i < stop && !outside(s->at, i))
            i++;
        long long known = atomic_load(&s->first);
        while (i < stop && i < known && !atomic_compare_exchange_weak(&s->first, &known, i))
            continue;
    }
}

static le_status refuse_outside(const le__at *at)
{
    search s = {.at = at};
    atomic_init(&s.first, at->count);
    le_parallel_for(at->call, (size_t)((at->count + CHUNK_POINTS - 1) / CHUNK_POINTS), search_range,
                    &s);
    int64_t i = atomic_load(&s.first);
    if (i == at->count)
        return LE_OK;
    double x[3];
    for (int a = 0; a < 3; a++)
        x[a] = le__load(at->points, at->points_dtype, 3 * i + a);
    return le_fail(LE_ERR_DATA,
                   "interpolate_at: point %lld (%.9g, %.9g, %.9g) is outside the grid %.9g to %.9g, "
                   "%.9g to %.9g, %.9g to %.9g; expected points inside or outside=NUMBER",
                   (long long)i, x[0], x[1], x[2], at->axis[0][0], at->axis[0][at->n[0] - 1],
                   at->axis[1][0], at->axis[1][at->n[1] - 1], at->axis[2][0],
                   at->axis[2][at->n[2] - 1]);
}

le_status le__at_of_call(le__at *at, le_call *call)
{
    const le_tensor *values = le_call_in(call, ARG_VALUES), *points = le_call_in(call, ARG_POINTS);
    const le_tensor *result = le_call_out(call, ARG_RESULT);
    *at = (le__at){.call = call,
                   .values = le_call_contiguous(call, ARG_VALUES),
                   .values_dtype = values->dtype,
                   .points = le_call_contiguous(call, ARG_POINTS),
                   .points_dtype = points->dtype,
                   .count = points->shape[0],
                   .nearest = le_call_str(call, ARG_METHOD)[0] == 'n',
                   .has_fill = le_call_str(call, ARG_OUTSIDE) == NULL,
                   .out = result->data,
                   .out_dtype = result->dtype,
                   .out_stride = result->strides[0]};
    if (at->has_fill)
        at->fill = le_call_f64(call, ARG_OUTSIDE);
    if (at->count > 0 && (!at->values || !at->points))
        return le_fail(LE_ERR_MEMORY, "interpolate_at: no memory for contiguous arguments");
    for (int a = 0; a < 3; a++) {
        le_status status = read_axis(at, call, a);
        if (status != LE_OK)
            return status;
    }
    return at->has_fill ? LE_OK : refuse_outside(at);
}
