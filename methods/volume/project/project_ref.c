/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of `project`: pixel by pixel in double precision. A NaN sample makes its pixel NaN, as
 * numpy's reductions do.
 */
#include <math.h>

#include "common/load.h"
#include "volume/project/project.h"

static double reduce(const le__project *p, const le_tensor *t, int64_t at)
{
    int64_t n = t->shape[p->axis], stride = t->strides[p->axis];
    double sum = 0.0, least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        double v = le__load(t->data, t->dtype, at + i * stride);
        sum += v;
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    if (isnan(sum) && p->reduce != LE__SUM && p->reduce != LE__MEAN)
        for (int64_t i = 0; i < n; i++)
            if (isnan(le__load(t->data, t->dtype, at + i * stride)))
                return NAN;
    return p->reduce == LE__MAX ? most : p->reduce == LE__MIN ? least : sum;
}

static size_t items(const le_call *call)
{
    const le__project *p = le_call_attached(call);
    return (size_t)le_call_in(call, ARG_VOLUME)->shape[p->rows];
}

static void range(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    le_call *call = context;
    const le__project *p = le_call_attached(call);
    const le_tensor *t = le_call_in(call, ARG_VOLUME);
    for (int64_t row = (int64_t)begin; row < (int64_t)end; row++)
        for (int64_t column = 0; column < t->shape[p->columns]; column++) {
            int64_t at = row * t->strides[p->rows] + column * t->strides[p->columns];
            double value = reduce(p, t, at);
            le__project_pixels(p, le_call_out(call, ARG_IMAGE), row, column, 1, t->shape[p->axis],
                               &value);
        }
}

LE_IMPLEMENTATION(project, reference, .run_type = "reference",
                  .summary = "double precision, pixel by pixel",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.2, .items = items,
                  .range = range);
