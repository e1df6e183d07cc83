/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Temporal projection: a work-item runs through the frames of a pixel. TEMPORAL: 1 avg, 2 var, 3 tac2.
 */
#include "superres/frames.clh"

__kernel void project(__global const T *image, __global float *result, int pixels, int frames,
                      int per_timepoint)
{
    const uint i = get_global_id(0); /* beyond 2^31 in the last work-group */
    const int point = get_global_id(1);
    if (i >= (uint)pixels)
        return;
    const int begin = point * per_timepoint, n = min(frames - begin, per_timepoint);
    __global const T *x = image + (size_t)begin * pixels + i;
    /* differences from the first frame: no cancellation for a signal on a large offset */
    const float first = TEMPORAL == 1 ? 0.0f : convert_float(x[0]);
    wide sum = 0, sum2 = 0, previous = 0;
    for (int t = 0; t < n; t++) {
        const wide d = (wide)convert_float(x[(size_t)t * pixels]) - first;
        sum += d;
        sum2 += TEMPORAL == 3 ? d * previous : d * d;
        previous = d;
    }
    const wide mean = sum / n;
    float v = (float)mean;
    if (TEMPORAL == 2)
        v = (float)variance(mean, sum2 / n);
    if (TEMPORAL == 3)
        v = (float)tac2(sum, sum2, previous, n);
    result[(size_t)point * pixels + i] = v;
}
