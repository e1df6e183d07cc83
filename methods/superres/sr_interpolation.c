/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sampling weights of the four interpolators, and one sample in NanoPyx's own order of operations.
 */
#include "superres.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

const char *const le__sr_interpolators[] = {"catmull_rom", "bicubic", "lanczos", "nearest", NULL};

int le__sr_taps(le__sr_kind kind) {
    return kind == LE__SR_NEAREST ? 1 : kind == LE__SR_LANCZOS ? LE__SR_TAPS : 4;
}

le__sr_kind le__sr_kind_of(const char *word) {
    int k = 0;
    while (le__sr_interpolators[k] && strcmp(word, le__sr_interpolators[k]) != 0)
        k++;
    return (le__sr_kind)(k & 3);
}

/* Cubic convolution kernel with a = -1/2. */
static double cubic(double d) {
    d = fabs(d);
    if (d < 1)
        return d * d * (1.5 * d - 2.5) + 1;
    if (d < 2)
        return -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2;
    return 0;
}

static double lanczos4(double d) {
    if (d == 0)
        return 1;
    if (fabs(d) >= 4 || d == floor(d)) /* of a rounded pi the sine would not be 0 */
        return 0;
    return 4 * sin(PI * d) * sin(PI * d / 4) / ((PI * d) * (PI * d));
}

static int nearest(float r, int64_t n_in, int32_t *first, int32_t *lo, int32_t *hi,
                   double *weight) {
    /* truncation, so that -1 < r < 0 maps to row 0 */
    bool inside = r > -1.0f && r < (float)n_in;
    *first = inside ? (int32_t)r : 0;
    *lo = 0;
    *hi = inside && *first < n_in ? 1 : 0;
    weight[0] = *hi;
    return 1;
}

int le__sr_weights(le__sr_kind kind, float r, int64_t n_in, int32_t *first, int32_t *lo,
                   int32_t *hi, double weight[LE__SR_TAPS]) {
    memset(weight, 0, LE__SR_TAPS * sizeof weight[0]);
    if (kind == LE__SR_NEAREST)
        return nearest(r, n_in, first, lo, hi, weight);
    const int taps = le__sr_taps(kind);
    *first = *lo = *hi = 0;
    if (!(r >= 0 && r < (float)n_in))
        return taps;
    *first = (int32_t)floorf((float)(r - 0.5)) - (taps == 5 ? 2 : 1);
    *lo = *first < 0 ? -*first : 0;
    *hi = *first + taps > n_in ? (int32_t)(n_in - *first) : taps;
    double sum = 0;
    for (int k = *lo; k < *hi; k++) {
        double d = r - (*first + k + 0.5);
        weight[k] = taps == 5 ? lanczos4(d) : cubic(d);
        sum += weight[k];
    }
    if (kind != LE__SR_CATMULL_ROM)
        for (int k = *lo; k < *hi; k++)
            weight[k] /= sum;
    return taps;
}

le_status le__sr_axis_make(le_call *call, le__sr_kind kind, int64_t n_in, int64_t n_out,
                           float magnification, float shift, le__sr_axis *out) {
    size_t n = (size_t)n_out;
    int32_t *index = le_call_scratch(call, 3 * n * sizeof *index);
    double *weight = le_call_scratch(call, LE__SR_TAPS * n * sizeof *weight);
    if (!index || !weight)
        return le_fail(LE_ERR_MEMORY, "no memory for %lld sampling weights", (long long)n_out);
    *out = (le__sr_axis){n_out, n_in, index, index + n, index + 2 * n, weight};
    for (size_t i = 0; i < n; i++)
        le__sr_weights(kind, (float)i / magnification - shift, n_in, &out->first[i], &out->lo[i],
                       &out->hi[i], weight + LE__SR_TAPS * i);
    return LE_OK;
}

static float sample_nearest(const float *image, int64_t rows, int64_t cols, float r, float c) {
    bool inside = r > -1.0f && c > -1.0f && r < (float)rows && c < (float)cols;
    return inside ? image[(int64_t)r * cols + (int64_t)c] : 0.0f;
}

float le__sr_sample(const float *image, int64_t rows, int64_t cols, float r, float c,
                    le__sr_kind kind) {
    if (kind == LE__SR_NEAREST)
        return sample_nearest(image, rows, cols, r, c);
    if (!(r >= 0 && r < (float)rows && c >= 0 && c < (float)cols))
        return 0;
    int before = kind == LE__SR_LANCZOS ? 2 : 1;
    int64_t r0 = (int64_t)floorf((float)(r - 0.5)), c0 = (int64_t)floorf((float)(c - 0.5));
    double q = 0, weights = 0;
    for (int64_t n = c0 - before; n <= c0 + 2; n++) {
        if (n < 0 || n >= cols)
            continue;
        double dn = c - ((double)n + 0.5), wn = before == 2 ? lanczos4(dn) : cubic(dn), p = 0;
        for (int64_t m = r0 - before; m <= r0 + 2; m++) {
            if (m < 0 || m >= rows)
                continue;
            double dm = r - ((double)m + 0.5), wm = before == 2 ? lanczos4(dm) : cubic(dm);
            if (kind == LE__SR_CATMULL_ROM) {
                p += image[m * cols + n] * wm;
            } else {
                q += image[m * cols + n] * (wn * wm);
                weights += wn * wm;
            }
        }
        q += p * wn;
    }
    return (float)(kind == LE__SR_CATMULL_ROM ? q : q / weights);
}
