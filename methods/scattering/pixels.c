/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Corrections of pixels; automatic ends of axes.
 */
#include "scattering/pixels.h"

#include "common/load.h"

#include <math.h>
#include <stdatomic.h>

static const double pi = 3.14159265358979323846;

static le_status image_of(le_call *call, int arg, le__sc_image *out) {
    *out = (le__sc_image){0};
    if (!le_call_given(call, arg))
        return LE_OK;
    out->dtype = le_call_in(call, arg)->dtype;
    out->data = le_call_contiguous(call, arg);
    return out->data ? LE_OK : le_fail(LE_ERR_MEMORY, "no memory for the images of a detector");
}

le_status le__sc_images_of(le_call *call, le__sc_images *out) {
    le__sc_image *const of[] = {&out->mask, &out->dark, &out->flat, &out->absorption,
                                &out->variance};
    le_status status = LE_OK;
    for (int k = 0; k < 5 && status == LE_OK; k++)
        status = image_of(call, SC_MASK + k, of[k]);
    return status;
}

static double image_at(const le__sc_image *image, int64_t i) {
    return image->dtype == LE_I8 ? ((const int8_t *)image->data)[i]
                                 : le__load(image->data, image->dtype, i);
}

bool le__sc_masked(const le__sc_setup *s, const le__sc_images *images, int64_t row, int64_t j) {
    const int64_t i = row * s->geometry.cols + j;
    if ((images->mask.data && image_at(&images->mask, i) != 0) ||
        (s->gaps.data && image_at(&s->gaps, i) != 0))
        return true;
    const int64_t shape[2] = {s->geometry.rows, s->geometry.cols};
    return s->detector && le__sc_detector_misses(s->detector, shape, row, j);
}

/* The flat is compared with the dummy, too: pixels without data have none. */
static bool flat_missing(const le__sc_setup *s, double flat) {
    return flat == 0 || isnan(le__sc_value(s, (float)flat));
}

int le__sc_wanted_of_pixels(const le__sc_setup *s) {
    return le__sc_wanted(&s->bins) | (s->solid_angle ? LE__SC_SOLID_ANGLES : 0);
}

void le__sc_pixel_of(const le__sc_setup *s, const le__sc_images *images, const le__sc_walk *walk,
                     int64_t j, le__sc_pixel *out) {
    const int64_t i = walk->row * s->geometry.cols + j;
    *out = (le__sc_pixel){0};
    if (le__sc_masked(s, images, walk->row, j))
        return;
    double w = s->normalization;
    if (images->flat.data) {
        const double flat = image_at(&images->flat, i);
        w *= flat_missing(s, flat) ? 0 : flat;
    }
    if (s->solid_angle)
        w *= le__sc_solid_angle(walk, j);
    if (s->polarized)
        w *= le__sc_polarization(walk, j, s->polarization);
    if (images->absorption.data)
        w *= image_at(&images->absorption, i);
    out->dark = images->dark.data ? (float)image_at(&images->dark, i) : 0;
    out->variance = images->variance.data ? image_at(&images->variance, i) : 0;
    const bool has_numbers =
        isfinite((float)w) && isfinite(out->dark) && isfinite((float)out->variance);
    out->normalization = has_numbers && (float)w != 0 ? w : 0;
}

/* -------------------------------------------------------------------------------------- ends -- */

enum { ROWS = 16 }; /* of a piece of work */

typedef struct span { /* of some pixels */
    le__sc_extent extent;
    double widest;
} span;

typedef struct ends {
    const le__sc_setup *setup;
    const le__sc_images *images;
    span *of; /* for each piece */
    atomic_int failed;
} ends;

static inline void widen(double a[2], const double b[2]) {
    a[0] = a[0] < b[0] ? a[0] : b[0];
    a[1] = a[1] > b[1] ? a[1] : b[1];
}

static inline void join(span *a, const span *b) {
    widen(a->extent.radial, b->extent.radial);
    widen(a->extent.azimuth, b->extent.azimuth);
    a->widest = a->widest > b->widest ? a->widest : b->widest;
}

static const span nothing = {{{INFINITY, -INFINITY}, {INFINITY, -INFINITY}}, 0};

/* An axis of its own goes from -180 to 180 degrees at most: over the corners' azimuths of pixels
 * that are shared out by area, over boxes or centres of others. */
static void limit_azimuth(const le__sc_walk *walk, int64_t j, const le__sc_bins *bins,
                          double azimuth[2]) {
    le__sc_point corner[4];
    if (bins->splitting == LE__SC_FULL) {
        le__sc_walk_corners(walk, j, corner);
        azimuth[0] = azimuth[1] = corner[0].chi;
        for (int k = 1; k < 4; k++)
            widen(azimuth, (double[2]){corner[k].chi, corner[k].chi});
    }
    azimuth[0] = fmax(azimuth[0], -pi);
    azimuth[1] = fmin(azimuth[1], pi);
}

static void ends_range(void *context, size_t begin, size_t end, int worker) {
    ends *e = context;
    const le__sc_geometry *g = &e->setup->geometry;
    le__sc_walk walk;
    (void)worker;
    if (le__sc_walk_open(&walk, g, le__sc_wanted_extents(&e->setup->bins)) != LE_OK) {
        atomic_store(&e->failed, 1);
        return;
    }
    for (size_t piece = begin; piece < end; piece++) {
        span all = nothing, one;
        for (int64_t row = (int64_t)piece * ROWS;
             row < g->rows && row < (int64_t)(piece + 1) * ROWS; row++) {
            le__sc_walk_to(&walk, row);
            for (int64_t j = 0; j < g->cols; j++) {
                if (le__sc_masked(e->setup, e->images, row, j))
                    continue;
                le__sc_extent_of(&walk, j, &e->setup->bins, &one.extent);
                if (e->setup->bins.azimuth.n > 0)
                    limit_azimuth(&walk, j, &e->setup->bins, one.extent.azimuth);
                one.widest = one.extent.radial[1] - one.extent.radial[0];
                join(&all, &one);
            }
        }
        e->of[piece] = all;
    }
    le__sc_walk_close(&walk);
}

static le_status find_span(le_call *call, const le__sc_setup *s, const le__sc_images *images,
                           span *out) {
    const size_t pieces = (size_t)((s->geometry.rows + ROWS - 1) / ROWS);
    ends e = {.setup = s, .images = images};
    e.of = le_call_scratch(call, pieces * sizeof *e.of);
    if (!e.of)
        return le_fail(LE_ERR_MEMORY, "no memory for the range of pixels");
    le_status status = le_parallel_for(call, pieces, ends_range, &e);
    if (atomic_load(&e.failed))
        return le_fail(LE_ERR_MEMORY, "no memory for a row of pixels");
    if (status != LE_OK)
        return status;
    *out = nothing;
    for (size_t k = 0; k < pieces; k++)
        join(out, &e.of[k]);
    return LE_OK;
}

/* An axis of one value has the least width. Where no pixel counts any axis will do. */
static le__sc_axis axis_of(const double range[2], double least, int64_t n) {
    const double lo = fmax(range[0], least);
    if (!isfinite(lo))
        return le__sc_axis_of(0, 1, n);
    const le__sc_axis axis = le__sc_axis_of(lo, fmax(range[1], lo), n);
    return axis.delta > 0 ? axis : le__sc_axis_of(lo, lo + 1, n);
}

le_status le__sc_find_ends(le_call *call, const le__sc_images *images, le__sc_loaded *loaded) {
    le__sc_setup *s = &loaded->setup;
    const bool azimuth = s->bins.azimuth.n > 0 && !s->has_azimuth_range;
    span all = nothing;
    if (s->has_radial_range && !azimuth)
        return LE_OK;
    le_status status = find_span(call, s, images, &all);
    if (status != LE_OK)
        return status;
    loaded->widest = all.widest;
    if (!s->has_radial_range)
        s->bins.radial = axis_of(all.extent.radial, 0, s->bins.radial.n);
    if (azimuth)
        s->bins.azimuth = axis_of(all.extent.azimuth, -INFINITY, s->bins.azimuth.n);
    return LE_OK;
}
