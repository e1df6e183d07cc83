/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * macro_pixel_correction frame by frame, for the implementations that define the result.
 */
#ifndef LE_MACRO_PIXEL_CORRECTION_FRAMES_H
#define LE_MACRO_PIXEL_CORRECTION_FRAMES_H

#include "macro_pixel_correction.h"
#include "sr_projection.h"

typedef void (*correct_fn)(const float *in, int64_t rows, int64_t cols, int64_t magnification,
                           float *out);

static le_status correct_frames(le_call *call, correct_fn correct) {
    const le__sr_stack in = le__sr_stack_of(le_call_in(call, CORRECTION_IMAGE));
    const le__sr_stack out = le__sr_stack_of(le_call_out(call, CORRECTION_RESULT));
    const int64_t m = le_call_i64(call, CORRECTION_MAGNIFICATION);
    float *frame = le_call_scratch(call, (size_t)(in.rows * in.cols) * sizeof *frame);
    if (!frame)
        return le_fail(LE_ERR_MEMORY, "macro_pixel_correction: no memory for a frame");
    for (int64_t t = 0; t < in.frames; t++) {
        if (le_call_cancelled(call))
            return LE_ERR_CANCELLED;
        le__sr_load_frame(&in, t, frame);
        correct(frame, in.rows / m, in.cols / m, m, frame);
        for (int64_t y = 0; y < out.rows; y++)
            for (int64_t x = 0; x < out.cols; x++)
                ((float *)
                     out.data)[t * out.stride_frame + y * out.stride_row + x * out.stride_col] =
                    frame[y * out.cols + x];
    }
    return LE_OK;
}

#endif
