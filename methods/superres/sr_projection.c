/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Temporal projections and the macro-pixel correction; see sr_projection.h.
 */
#include "sr_projection.h"

#include <math.h>

double le__sr_project(le__sr_temporal how, const float *x, int64_t n, int64_t step) {
    double mean = 0, sum = 0;
    if (how == LE__SR_NONE)
        return x[0];
    for (int64_t t = 0; t < n; t++)
        mean += x[t * step];
    mean /= (double)n;
    if (how == LE__SR_AVG)
        return mean;
    const int64_t lag = how == LE__SR_TAC2;
    for (int64_t t = 0; t + lag < n; t++)
        sum += (x[t * step] - mean) * (x[(t + lag) * step] - mean);
    return n > lag ? sum / (double)(n - lag) : NAN;
}

float le__sr_project_exact(le__sr_temporal how, const float *x, int64_t n, int64_t step) {
    float mean = 0, sum = 0;
    if (how == LE__SR_NONE)
        return x[0];
    for (int64_t t = 0; t < n; t++)
        mean += x[t * step];
    mean /= (float)n;
    if (how == LE__SR_AVG)
        return mean;
    const int64_t lag = how == LE__SR_TAC2;
    for (int64_t t = 0; t + lag < n; t++) {
        float a = x[t * step] - mean, b = x[(t + lag) * step] - mean;
        sum += a * b;
    }
    return n > lag ? sum / (float)(n - lag) : NAN;
}

void le__sr_correct(const float *in, int64_t rows, int64_t cols, int64_t m, float *out) {
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b < m; b++) {
            double mean = 0;
            for (int64_t y = a; y < rows * m; y += m)
                for (int64_t x = b; x < cols * m; x += m)
                    mean += in[y * cols * m + x];
            mean /= (double)rows * (double)cols;
            for (int64_t y = a; y < rows * m; y += m)
                for (int64_t x = b; x < cols * m; x += m) {
                    const float v = in[y * cols * m + x];
                    out[y * cols * m + x] = mean != 0 ? (float)(v / mean) : v;
                }
        }
}

void le__sr_correct_exact(const float *in, int64_t rows, int64_t cols, int64_t m, float *out) {
    const float count = (float)(rows * cols);
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b < m; b++) {
            float mean = 0;
            for (int64_t y = a; y < rows * m; y += m)
                for (int64_t x = b; x < cols * m; x += m)
                    mean += in[y * cols * m + x] / count;
            for (int64_t y = a; y < rows * m; y += m)
                for (int64_t x = b; x < cols * m; x += m) {
                    const float v = in[y * cols * m + x];
                    out[y * cols * m + x] = mean != 0 ? v / mean : v;
                }
        }
}
