/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Collects and checks the arguments of `interpolate_at`.
 */
#include "volume/interpolate_at/at.h"

#include <math.h>
#include <stdatomic.h>

#include "common/load.h"

enum { CHUNK_POINTS = 4096 };

static le_status read_axis(le__at *at, le_call *call, int a)
{
    const le_tensor *t = le_call_in(call, ARG_AXIS0 + a);
    int64_t n = t->shape[0];
    double *axis = le_call_scratch(call, (size_t)(n + LE__AT_NEAR) * sizeof *axis);
    if (!axis)
        return le_fail(LE_ERR_MEMORY, "interpolate_at: no memory for axis%d", a);
    for (int64_t i = 0; i < n; i++) {
        axis[i] = le__load(t->data, t->dtype, i * t->strides[0]);
        if (!isfinite(axis[i]) || (i > 0 && !(axis[i] > axis[i - 1])))
            return le_fail(LE_ERR_DATA,
                           "interpolate_at: axis%d[%lld] is %.9g, expected finite coordinates in "
                           "strictly ascending order", a, (long long)i, axis[i]);
    }
    for (int64_t i = n; i < n + LE__AT_NEAR; i++)
        axis[i] = INFINITY;
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
        double x = le__at_coordinate(at, point, a);
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
    le_status status = le_parallel_for(
        at->call, (size_t)((at->count + CHUNK_POINTS - 1) / CHUNK_POINTS), search_range, &s);
    int64_t i = atomic_load(&s.first);
    if (status != LE_OK || i == at->count)
        return status;
    double x[3];
    for (int a = 0; a < 3; a++)
        x[a] = le__at_coordinate(at, i, a);
    return le_fail(LE_ERR_DATA,
                   "interpolate_at: point %lld (%.9g, %.9g, %.9g) is outside the grid %.9g to %.9g, "
                   "%.9g to %.9g, %.9g to %.9g; expected points inside or outside=NUMBER",
                   (long long)i, x[0], x[1], x[2], at->axis[0][0], at->axis[0][at->n[0] - 1],
                   at->axis[1][0], at->axis[1][at->n[1] - 1], at->axis[2][0],
                   at->axis[2][at->n[2] - 1]);
}

le_status le__at_axes_of_call(le__at *at, le_call *call)
{
    for (int a = 0; a < 3; a++) {
        le_status status = read_axis(at, call, a);
        if (status != LE_OK)
            return status;
    }
    return LE_OK;
}

le_status le__at_of_call(le__at *at, le_call *call)
{
    const le_tensor *values = le_call_in(call, ARG_VALUES), *result = le_call_out(call, ARG_RESULT);
    le_tensor points = *le_call_in(call, ARG_POINTS);
    bool has_fill = le_call_str(call, ARG_OUTSIDE) == NULL;
    if (!has_fill) { /* on a device they may be elsewhere */
        le_status status = le_tensor_to_host(&points);
        if (status != LE_OK)
            return status;
    }
    *at = (le__at){.call = call,
                   .values = values->data,
                   .stride = {values->strides[0], values->strides[1], values->strides[2]},
                   .values_dtype = values->dtype,
                   .points = points.data,
                   .point_stride = {points.strides[0], points.strides[1]},
                   .points_dtype = points.dtype,
                   .count = points.shape[0],
                   .nearest = le_call_str(call, ARG_METHOD)[0] == 'n',
                   .has_fill = has_fill,
                   .out = result->data,
                   .out_dtype = result->dtype,
                   .out_stride = result->strides[0]};
    if (has_fill)
        at->fill = le_call_f64(call, ARG_OUTSIDE);
    le_status status = le__at_axes_of_call(at, call);
    return status != LE_OK || has_fill ? status : refuse_outside(at);
}

/* Fills in the cells of `count` parts; returns how many cells beyond the first a part has at most. */
static int64_t fill_parts(le__at_parts *t, int32_t *first, int64_t count)
{
    const double *axis = t->axis;
    int64_t last = t->last_cell, widest = 0;
    t->first = first;
    t->scale = (double)count / (axis[last + 1] - axis[0]);
    t->last_part = (double)(count - 1);
    for (int64_t part = 0, low = 0, high = 0; part < count; part++) {
        while (low < last && le__at_part(t, axis[low + 1]) < part)
            low++;
        while (high < last && le__at_part(t, axis[high + 1]) <= part)
            high++;
        first[part] = (int32_t)low;
        widest = high - low > widest ? high - low : widest;
    }
    return widest;
}

/* Parts for each cell; parts of an axis at most, so that their numbers are exact in any type. */
enum { FEW = 2, MANY = 16, MOST_PARTS = 1 << 24 };

static le_status make_parts(le__at_parts *t, le_call *call, const le__at *at, int a)
{
    int64_t n = at->n[a], most = n < MOST_PARTS / MANY ? MANY * n : MOST_PARTS, widest;
    int64_t count = n < most / FEW ? FEW * n : most;
    int32_t *first = le_call_scratch(call, (size_t)most * sizeof *first);
    if (!first)
        return le_fail(LE_ERR_MEMORY, "interpolate_at: no memory for the table of axis%d", a);
    *t = (le__at_parts){.axis = at->axis[a],
                        .last_cell = n - 2,
                        .below_end = nextafter(at->axis[a][n - 1], -INFINITY)};
    while ((widest = fill_parts(t, first, count)) >= LE__AT_NEAR && 2 * count <= most)
        count *= 2;
    t->near = widest < LE__AT_NEAR;
    while ((int64_t)1 << t->steps <= widest)
        t->steps++;
    return LE_OK;
}

le_status le__at_search_of_call(le__at_search *out, le_call *call)
{
    le_status status = le__at_of_call(&out->at, call);
    for (int a = 0; a < 3 && status == LE_OK; a++)
        status = make_parts(&out->parts[a], call, &out->at, a);
    if (status == LE_OK)
        out->blocks = (size_t)((out->at.count + LE__AT_BLOCK - 1) / LE__AT_BLOCK);
    return status;
}
