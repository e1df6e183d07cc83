/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `composite` in scalar C: slice by slice over one row of pixels, so that memory is read in order.
 */
#include "volume/composite/composite.h"

enum { BLOCK_PIXELS = 256 };

static size_t items(const le_call *call)
{
    const int64_t *n = le_call_in(call, ARG_RGBA)->shape;
    return (size_t)((n[1] * n[2] + BLOCK_PIXELS - 1) / BLOCK_PIXELS);
}

static void over(const float *restrict rgba, int64_t pixels, float *restrict sum)
{
    for (int64_t i = 0; i < pixels; i++) {
        float a = rgba[4 * i + 3];
        for (int c = 0; c < 3; c++)
            sum[3 * i + c] = a * rgba[4 * i + c] + (1.0f - a) * sum[3 * i + c];
    }
}

static void range(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    le_call *call = context;
    const le_tensor *rgba = le_call_in(call, ARG_RGBA);
    int64_t total = rgba->shape[1] * rgba->shape[2];
    for (int64_t block = (int64_t)begin; block < (int64_t)end; block++) {
        int64_t first = block * BLOCK_PIXELS;
        int64_t pixels = total - first < BLOCK_PIXELS ? total - first : BLOCK_PIXELS;
        float sum[3 * BLOCK_PIXELS] = {0};
        for (int64_t d = 0; d < rgba->shape[0]; d++)
            over((const float *)rgba->data + 4 * (d * total + first), pixels, sum);
        float *out = (float *)le_call_out(call, ARG_IMAGE)->data + 3 * first;
        for (int64_t i = 0; i < 3 * pixels; i++)
            out[i] = sum[i] < 0.0f ? 0.0f : sum[i] > 1.0f ? 1.0f : sum[i];
    }
}

LE_IMPLEMENTATION(composite, c, .run_type = "c",
                  .summary = "scalar C, slice by slice over blocks of pixels",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1.0, .applicable = le__composite_packed,
                  .items = items, .range = range);
