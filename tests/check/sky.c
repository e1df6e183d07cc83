/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Radio-like images.
 */
#include "check/sky.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { TAPS = 9 };

static const uint64_t golden_ratio = UINT64_C(0x9E3779B97F4A7C15);

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static double uniform(uint64_t seed, uint64_t i) {
    const uint64_t h = mix(((seed << 32) + i + 1) * golden_ratio);
    return ((double)(h >> 11) + 0.5) / 9007199254740992.0;
}

/* Sum of four uniform numbers of 16 bits, about 0. */
static int64_t white(int64_t y, int64_t x, uint64_t seed) {
    const uint64_t r =
        mix((((uint64_t)y << 32) + (uint64_t)x + (seed << 48)) * golden_ratio + golden_ratio);
    return (int64_t)(r & 65535) + (int64_t)(r >> 16 & 65535) + (int64_t)(r >> 32 & 65535) +
           (int64_t)(r >> 48) - 131070;
}

static void smooth(const int64_t *in, int64_t n, int64_t step, int64_t *out) {
    static const int64_t taps[TAPS] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
    for (int64_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum += taps[k] * in[i + k * step];
        out[i] = sum;
    }
}

static bool noise(double *out, int64_t h, int64_t w, uint64_t seed) {
    const int64_t margin = TAPS - 1;
    int64_t *line = malloc((size_t)(w + margin) * sizeof *line);
    int64_t *rows = malloc((size_t)((h + margin) * w) * sizeof *rows);
    int64_t *row = malloc((size_t)w * sizeof *row);
    for (int64_t y = 0; line && rows && y < h + margin; y++) {
        for (int64_t x = 0; x < w + margin; x++)
            line[x] = white(y, x, seed);
        smooth(line, w, 1, rows + y * w);
    }
    for (int64_t y = 0; line && rows && row && y < h; y++) {
        smooth(rows + y * w, w, w, row);
        for (int64_t x = 0; x < w; x++)
            out[y * w + x] = (double)row[x] * 2.744e-11;
    }
    const bool good = line && rows && row;
    free(line);
    free(rows);
    free(row);
    return good;
}

typedef struct spot {
    double y, x, peak, width2, shell, reach; /* shell: radius of a ring; 0: none */
} spot;

static int64_t clamp(double v, int64_t n) {
    return v < 0 ? 0 : v > (double)(n - 1) ? n - 1 : (int64_t)v;
}

static void add(double *image, int64_t h, int64_t w, spot s) {
    for (int64_t i = clamp(ceil(s.y - s.reach), h); i <= clamp(floor(s.y + s.reach), h); i++)
        for (int64_t j = clamp(ceil(s.x - s.reach), w); j <= clamp(floor(s.x + s.reach), w); j++) {
            const double dy = (double)i - s.y, dx = (double)j - s.x;
            double r2 = dy * dy + dx * dx;
            if (s.shell > 0) {
                const double d = sqrt(r2) - s.shell;
                r2 = d * d;
            }
            const double q = 1 + r2 / s.width2;
            image[i * w + j] += s.peak / (q * q);
        }
}

static spot random_spot(int64_t h, int64_t w, uint64_t seed, int64_t i) {
    double u[6];
    for (int k = 0; k < 6; k++)
        u[k] = uniform(seed + 1000, (uint64_t)(6 * i + k));
    spot s = {u[0] * (double)h, u[1] * (double)w, 0.085 / u[2], 2 + 6 * u[3] * u[3], 0, 24};
    if (s.peak > 0.9)
        s.peak = 0.9;
    if (i % 24 == 7) {
        s.shell = 14 + 40 * u[4];
        s.peak = 0.10 + 0.12 * u[2];
        s.width2 = 4 + 8 * u[3];
        s.reach = 96;
    } else if (i % 12 == 5) {
        s.width2 = 20 + 120 * u[4];
        s.reach = 64;
        s.peak = 0.18 + 0.75 * u[2];
    }
    return s;
}

_Bool sky_image(float *out, int64_t h, int64_t w, uint64_t seed, int64_t sources) {
    const double y = 0.5 * (double)h, x = 0.5 * (double)w;
    double *image = malloc((size_t)(h * w) * sizeof *image);
    if (!image || !noise(image, h, w, seed)) {
        free(image);
        return false;
    }
    add(image, h, w, (spot){y, x, -0.02, 40000, 0, 400});
    add(image, h, w, (spot){y + 3.25, x - 5.5, 0.7, 400, 0, 160});
    add(image, h, w, (spot){y + 1, x + 2, 2.05, 9, 0, 48});
    for (int64_t i = 0; i < sources; i++)
        add(image, h, w, random_spot(h, w, seed, i));
    for (int64_t i = 0; i < h * w; i++)
        out[i] = (float)image[i];
    free(image);
    return true;
}
