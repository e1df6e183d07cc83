/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * sigma_clip, reference: pass by pass over what is still there, sums in twice
 * the digits.
 */
#include "imaging/clip_reference.h"
#include "imaging/sigma_clip.h"

static void put(const le_call *call, const le__im_sets *sets, int64_t set,
                const le__im_clipped *c) {
    const le_tensor *image = le_call_in(call, SIGMA_CLIP_IMAGE);
    double statistics[LE__IM_STATISTICS];
    le__im_statistics(c, 1, statistics);
    for (int k = 0; le_call_given(call, SIGMA_CLIP_STATISTICS) && k < LE__IM_STATISTICS; k++)
        le_tensor_set(le_call_out(call, SIGMA_CLIP_STATISTICS), k * sets->n + set, statistics[k]);
    const int64_t first = le__im_first(sets, set);
    for (int64_t i = 0; le_call_given(call, SIGMA_CLIP_MASK) && i < sets->length; i++) {
        if (le__im_over(call, i))
            return;
        const int64_t at = first + i * sets->step;
        le_tensor_set(le_call_out(call, SIGMA_CLIP_MASK), at,
                      !le__im_keeps(c, le_tensor_get(image, at)));
    }
}

static le_status run(le_call *call) {
    const le_tensor *image = le_call_in(call, SIGMA_CLIP_IMAGE);
    const le__im_sets sets = le__im_sets_of(call);
    const le__im_clip clip = le__im_clip_of(call, SIGMA_CLIP_SETTINGS);
    double *values = le_call_scratch(call, (size_t)(2 * sets.length + 1) * sizeof *values);
    if (!values)
        return le_fail(LE_ERR_MEMORY, "sigma_clip: no memory for the pixels");
    for (int64_t s = 0, seen = 0; s < sets.n; s++) {
        int64_t n = 0;
        for (int64_t i = 0; i < sets.length && !le__im_over(call, i); i++) {
            const double v = le_tensor_get(image, le__im_first(&sets, s) + i * sets.step);
            if (isfinite(v))
                values[n++] = v;
        }
        const le__im_clipped c =
            le__im_clip_reference(call, &clip, values, n, values + sets.length);
        seen += sets.length;
        if (seen >= LE__IM_OFTEN && le_call_cancelled(call))
            return LE_ERR_CANCELLED;
        seen %= LE__IM_OFTEN;
        put(call, &sets, s, &c);
    }
    return LE_OK;
}

static int64_t memory(const le_call *call) {
    return (2 * le__im_sets_of(call).length + 1) * (int64_t)sizeof(double);
}

LE_IMPLEMENTATION(sigma_clip, reference, .run_type = "reference",
                  .summary = "pass by pass over what is still there",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.2,
                  .memory = memory, .run = run);
