/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Parts of pictures, joined in depth order.
 */
#include "liquid_engine/le_boxes.h"
#include "liquid_engine/le_method.h"

void le_boxes_join(double *far, const float *near, int64_t pixels) {
    for (int64_t i = 0; i < 4 * pixels; i += 4) {
        const double through = 1.0 - (double)near[i + 3];
        for (int c = 0; c < 4; c++)
            far[i + c] = (double)near[i + c] + through * far[i + c];
    }
}

void le_boxes_picture(const double *part, int64_t pixels, le_tensor *pictures, int64_t first) {
    for (int64_t i = 0; i < pixels; i++)
        for (int c = 0; c < 3; c++) {
            const double v = part[4 * i + c];
            le_tensor_set(pictures, first + 3 * i + c, v < 0.0 ? 0.0 : v > 1.0 ? 1.0 : v);
        }
}
