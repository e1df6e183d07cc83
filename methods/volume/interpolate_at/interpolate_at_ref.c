/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of `interpolate_at`: scipy's _evaluate_linear and _evaluate_nearest in double precision.
 */
#include <math.h>

#include "volume/interpolate_at/at.h"
#include "common/load.h"

static double value_at(const le__at *at, const int64_t index[3])
{
    return le__load(at->values, at->values_dtype,
                    index[0] * at->stride[0] + index[1] * at->stride[1] + index[2] * at->stride[2]);
}

static double linear(const le__at *at, const int64_t cell[3], const double y[3])
{
    double sum = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        int64_t index[3];
        double weight = 1.0;
        for (int a = 0; a < 3; a++) {
            int up = corner >> (2 - a) & 1;
            index[a] = cell[a] + up;
            weight *= up ? y[a] : 1.0 - y[a];
        }
        sum += weight * value_at(at, index);
    }
    return sum;
}

static double nearest(const le__at *at, const int64_t cell[3], const double y[3])
{
    int64_t index[3];
    for (int a = 0; a < 3; a++)
        index[a] = y[a] <= 0.5 ? cell[a] : cell[a] + 1;
    return value_at(at, index);
}

static double evaluate(const le__at *at, int64_t point)
{
    int64_t cell[3];
    double y[3], x[3];
    for (int a = 0; a < 3; a++) {
        x[a] = le__at_coordinate(at, point, a);
        if (isnan(x[a]))
            return NAN;
    }
    for (int a = 0; a < 3; a++) {
        const double *axis = at->axis[a];
        if (x[a] < axis[0] || x[a] > axis[at->n[a] - 1])
            return at->fill;
        cell[a] = le__at_cell(axis, at->n[a], x[a]);
        y[a] = (x[a] - axis[cell[a]]) / (axis[cell[a] + 1] - axis[cell[a]]);
    }
    return at->nearest ? nearest(at, cell, y) : linear(at, cell, y);
}

static void range(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const le__at *at = context;
    for (size_t i = begin; i < end; i++)
        le__store(at->out, at->out_dtype, (int64_t)i * at->out_stride, evaluate(at, (int64_t)i));
}

static le_status run(le_call *call)
{
    le__at at;
    le_status status = le__at_of_call(&at, call);
    return status == LE_OK ? le_parallel_for(call, (size_t)at.count, range, &at) : status;
}

LE_IMPLEMENTATION(interpolate_at, reference, .run_type = "reference",
                  .summary = "double precision, as scipy",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.4, .run = run);
