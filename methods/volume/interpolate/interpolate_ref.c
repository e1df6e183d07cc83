/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of `interpolate`: the sum over the eight corners of a cell, in double precision, as
 * scipy's RegularGridInterpolator (method linear) forms it.
 */
#include "volume/interpolate/interpolate.h"
#include "volume/reference_sample.h"

static size_t items(const le_call *call)
{
    size_t n = (size_t)le_call_i64(call, ARG_SIZE);
    return n * n;
}

static void range(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    le_call *call = context;
    const le__camera *c = le_call_attached(call);
    const le_tensor *out = le_call_out(call, ARG_SAMPLES);
    int64_t n = c->size;
    for (size_t i = begin; i < end; i++) {
        int64_t iy = (int64_t)i / n, ix = (int64_t)i % n;
        int64_t row = iy * out->strides[0] + ix * out->strides[1];
        for (int64_t iz = 0; iz < n; iz++)
            le__store(out->data, out->dtype, row + iz * out->strides[2],
                      le__reference_sample(c, &c->views[0], le_call_in(call, ARG_VOLUME), NULL, iy, ix,
                                           iz));
    }
}

LE_IMPLEMENTATION(interpolate, reference, .run_type = "reference",
                  .summary = "double precision, eight corners a sample",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.3, .items = items,
                  .range = range);
