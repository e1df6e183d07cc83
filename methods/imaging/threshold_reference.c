/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * threshold, reference: pixel by pixel in double.
 */
#include "imaging/threshold.h"

static le_status run(le_call *call) {
    const le_tensor *image = le_call_in(call, THRESHOLD_IMAGE);
    const bool maps = le_call_given(call, THRESHOLD_NOISE);
    double level = maps ? 0 : le__im_threshold_level(call);
    for (int64_t i = 0; i < le_tensor_count(image) && !le__im_over(call, i); i++) {
        double value = le_tensor_get(image, i);
        if (maps) {
            value -= le_tensor_get(le_call_in(call, THRESHOLD_BACKGROUND), i);
            level = le_call_f64(call, THRESHOLD_K) *
                    le_tensor_get(le_call_in(call, THRESHOLD_NOISE), i);
        }
        le_tensor_set(le_call_out(call, THRESHOLD_MASK), i, value > level);
    }
    return LE_OK;
}

LE_IMPLEMENTATION(threshold, reference, .run_type = "reference", .summary = "pixel by pixel",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.1,
                  .run = run);
