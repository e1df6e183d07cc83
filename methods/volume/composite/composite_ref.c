/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of `composite`: the recurrence pixel by pixel in double precision.
 */
#include "volume/composite/composite.h"
#include "common/load.h"

static void pixel(const le_tensor *rgba, int64_t row, int64_t column, double out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = 0.0;
    for (int64_t d = 0; d < rgba->shape[0]; d++) {
        int64_t at = d * rgba->strides[0] + row * rgba->strides[1] + column * rgba->strides[2];
        double a = le__load(rgba->data, rgba->dtype, at + 3 * rgba->strides[3]);
        for (int c = 0; c < 3; c++)
            out[c] = a * le__load(rgba->data, rgba->dtype, at + c * rgba->strides[3]) +
                     (1.0 - a) * out[c];
    }
    for (int c = 0; c < 3; c++)
        out[c] = out[c] < 0.0 ? 0.0 : out[c] > 1.0 ? 1.0 : out[c];
}

static size_t items(const le_call *call)
{
    return (size_t)le_call_in(call, ARG_RGBA)->shape[1];
}

static void range(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    le_call *call = context;
    const le_tensor *rgba = le_call_in(call, ARG_RGBA), *image = le_call_out(call, ARG_IMAGE);
    for (int64_t row = (int64_t)begin; row < (int64_t)end; row++)
        for (int64_t column = 0; column < rgba->shape[2]; column++) {
            double out[3];
            pixel(rgba, row, column, out);
            for (int c = 0; c < 3; c++)
                le__store(image->data, image->dtype,
                          row * image->strides[0] + column * image->strides[1] +
                              c * image->strides[2],
                          out[c]);
        }
}

LE_IMPLEMENTATION(composite, reference, .run_type = "reference",
                  .summary = "double precision, pixel by pixel",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.3, .items = items,
                  .range = range);
