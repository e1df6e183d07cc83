/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Contents of test images: fluorescent spots as a camera sees them, and edge contents.
 */
#include "sr_operation.h"

#include <math.h>

static int64_t frames_of(const le_tensor *t) {
    return t->ndim > 2 ? t->shape[0] : 1;
}

/* Adds a Gaussian spot of sigma 1.3 pixels, within four sigmas. */
static void add_spot(le_tensor *t, int64_t frame, double r, double c, double height) {
    const int64_t rows = t->shape[t->ndim - 2], cols = t->shape[t->ndim - 1];
    for (int64_t y = (int64_t)r - 5; y <= (int64_t)r + 5; y++)
        for (int64_t x = (int64_t)c - 5; x <= (int64_t)c + 5; x++) {
            if (y < 0 || y >= rows || x < 0 || x >= cols)
                continue;
            double dy = (double)y + 0.5 - r, dx = (double)x + 0.5 - c;
            int64_t i = (frame * rows + y) * cols + x;
            le_tensor_set(t, i, le_tensor_get(t, i) + height * exp(-(dx * dx + dy * dy) / 3.38));
        }
}

void le__sr_fill_spots(le_case *c, le_tensor *t) {
    const int64_t rows = t->shape[t->ndim - 2], cols = t->shape[t->ndim - 1];
    const int64_t spots = rows * cols / 40 + 2;
    const double scale = t->dtype == LE_U8 ? 1 : 8;
    for (int64_t f = 0; f < frames_of(t); f++)
        for (int64_t i = 0; i < rows * cols; i++) {
            double background =
                10 + 2 * sin(0.11 * (double)(i % cols)) + sqrt(10) * le_case_normal(c);
            le_tensor_set(t, f * rows * cols + i, scale * fmax(background, 0));
        }
    for (int64_t s = 0; s < spots; s++) {
        double y = (double)rows * le_case_uniform(c), x = (double)cols * le_case_uniform(c);
        double height = 20 + 60 * le_case_uniform(c);
        for (int64_t f = 0; f < frames_of(t); f++)
            if (le_case_uniform(c) < 0.7)
                add_spot(t, f, y, x, scale * height);
    }
}

void le__sr_fill_content(le_case *c, le_tensor *t, int64_t content) {
    const int64_t cols = t->shape[t->ndim - 1], n = le_tensor_count(t);
    for (int64_t i = 0; i < n; i++) {
        int64_t x = i % cols, y = i / cols;
        double value = 0;
        switch (content) {
        case 1:
            value = 37;
            break;
        case 2:
            value = (double)(3 * x + 2 * y);
            break;
        case 3:
            value = x == cols / 2 && y % 7 == 3 ? 250 : 1;
            break;
        case 4:
            value = (x + y) % 2 ? 200 : 3;
            break;
        case 5:
            value = 255 * le_case_uniform(c);
            break;
        default:
            break;
        }
        le_tensor_set(t, i, value);
    }
}

void le__sr_case_image(le_case *c, const le_case_request *r, const int64_t shape[3],
                       int64_t every) {
    const le_tensor *like = r->kind == LE_CASE_TRIAL && r->like ? le_call_in(r->like, 0) : NULL;
    const bool flat = like ? like->ndim == 2 : shape[0] == 0;
    le_tensor *t = le_case_in(c, "image", le__case_dtype(r, 0), flat ? 2 : 3, shape + flat);
    if (t && r->kind == LE_CASE_CHECK && r->index % every == 0)
        le__sr_fill_content(c, t, r->index / every % LE__SR_CONTENTS);
    else if (t)
        le__sr_fill_spots(c, t);
}
