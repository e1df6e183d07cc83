/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where longitudes and latitudes meet two edges of an image of the sky.
 */
#include "sky_axes.h"

#include "liquid_engine/le_io.h"

#include <math.h>
#include <stdlib.h>

/* Coordinate `which` of the pixels from (row, column) on, without jumps by a turn; false: it does
 * not rise or fall all the way, or by a turn at most. */
static bool along(const char *place, bool down, int64_t edge, int64_t n, int which, double *out) {
    double *positions = malloc((size_t)n * 4 * sizeof *positions);
    if (!positions)
        return false;
    double *sky = positions + 2 * n;
    for (int64_t i = 0; i < n; i++) {
        positions[2 * i] = (double)(down ? i : edge);
        positions[2 * i + 1] = (double)(down ? edge : i);
    }
    bool good = n > 1 && le_io_sky(place, positions, n, 2, sky) == LE_OK;
    double before = 0;
    for (int64_t i = 0; good && i < n; i++) {
        out[i] = i ? out[i - 1] + remainder(sky[2 * i + which] - out[i - 1], 360) : sky[which];
        const double step = i ? out[i] - out[i - 1] : 0;
        good = isfinite(out[i]) && (!i || step != 0) && step * before >= 0;
        before = step;
    }
    free(positions);
    return good && fabs(out[n - 1] - out[0]) < 360;
}

/* 1, 2 or 5 times a power of ten, of which at most `most` lie in the range. */
static double step_of(double range, int most, int *digits) {
    static const double of[] = {1, 2, 5};
    int power = (int)floor(log10(range / most)) - 1, k = 0;
    while (range / (of[k] * pow(10, power)) > most) {
        k = (k + 1) % 3;
        power += k == 0;
    }
    *digits = power < 0 ? -power : 0;
    return of[k] * pow(10, power);
}

/* Where values that rise or fall are `wanted`, between 0 and n - 1. */
static double place_of(const double *values, int64_t n, double wanted) {
    int64_t i = 0;
    while (i + 2 < n && (values[i + 1] - wanted) * (values[0] - wanted) > 0)
        i++;
    const double at = (double)i + (wanted - values[i]) / (values[i + 1] - values[i]);
    return fmin(fmax(at, 0), (double)(n - 1));
}

static void find_ticks(const double *values, int64_t n, int most, sky_axis *out) {
    const double low = fmin(values[0], values[n - 1]), high = fmax(values[0], values[n - 1]);
    *out = (sky_axis){0};
    out->step = step_of(high - low, most, &out->digits);
    const double last = floor(high / out->step + 1e-9);
    for (double k = ceil(low / out->step - 1e-9); k <= last && out->n < SKY_TICKS; k++) {
        out->at[out->n] = place_of(values, n, k * out->step);
        out->degrees[out->n++] = k * out->step + 0.0; /* no -0 */
    }
}

bool sky_axes_of(const char *place, int64_t rows, int64_t columns, int64_t edge_row,
                 const int most[2], sky_axis *longitudes, sky_axis *latitudes) {
    const int64_t n = rows > columns ? rows : columns;
    double *values = malloc((size_t)n * sizeof *values);
    bool good = values && along(place, false, edge_row, columns, 0, values);
    if (good)
        find_ticks(values, columns, most[0] < SKY_TICKS ? most[0] : SKY_TICKS - 1, longitudes);
    good = good && along(place, true, 0, rows, 1, values);
    if (good)
        find_ticks(values, rows, most[1] < SKY_TICKS ? most[1] : SKY_TICKS - 1, latitudes);
    for (size_t i = 0; good && i < longitudes->n; i++)
        longitudes->degrees[i] -= 360 * floor(longitudes->degrees[i] / 360);
    free(values);
    return good;
}
