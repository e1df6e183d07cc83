/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The definition of an integration: pixel after pixel, in double precision; only the values of
 * frames and of the dark image are rounded to f32 before, as pyFAI has them.
 */
#include "scattering/integrate.h"

#include "common/load.h"

#include <math.h>
#include <string.h>

typedef struct reference {
    const le__sc_setup *setup;
    le__sc_images images;
    const le__sc_frame_source *source; /* NULL: the argument */
    const le_tensor *frames;           /* the argument */
    void *room;                        /* of a frame of it */
    const void *frame;                 /* pixels of the present one; NULL: it cannot be read */
    le_dtype dtype;
    le__sc_walk walk;
    le__sc_share share;
    le__sc_sums *sums; /* of the present frame */
    bool spread;       /* second pass: variances about the means of the first */
} reference;

static void add_share(reference *r, double signal, double variance, double w) {
    const int64_t width = r->setup->bins.radial.n;
    for (int64_t k = 0; k < r->share.count[0] * r->share.count[1]; k++) {
        const int64_t bin = (r->share.first[1] + k / r->share.count[0]) * width +
                            r->share.first[0] + k % r->share.count[0];
        const double c = r->share.weight[k];
        le__sc_sums *sums = &r->sums[bin];
        if (r->spread) {
            const double off = signal - w * sums->signal / sums->normalization;
            sums->variance += sums->normalization != 0 ? c * c * off * off : 0;
            continue;
        }
        sums->signal += c * signal;
        sums->normalization += c * w;
        sums->normalization2 += c * c * w * w;
        sums->variance += c * c * variance;
        sums->count += c;
    }
}

static void add_pixel(reference *r, int64_t j) {
    const le__sc_setup *s = r->setup;
    le__sc_pixel p;
    le__sc_pixel_of(s, &r->images, &r->walk, j, &p);
    const float raw =
        le__sc_value(s, (float)le__load(r->frame, r->dtype, r->walk.row * s->geometry.cols + j));
    if (p.normalization == 0 || isnan(raw) || !le__sc_split(&r->walk, j, &s->bins, &r->share))
        return;
    double signal = (double)raw - p.dark, w = p.normalization;
    double variance = s->model == LE__SC_MODEL_POISSON ? fmax((double)raw, 1) : p.variance;
    if (!s->weighted) {
        signal /= w;
        variance /= w * w;
        w = 1;
    }
    add_share(r, signal, variance, w);
}

static void pass(const le_call *call, reference *r) {
    for (int64_t row = 0; row < r->setup->geometry.rows && !le_call_cancelled(call); row++) {
        le__sc_walk_to(&r->walk, row);
        for (int64_t j = 0; j < r->setup->geometry.cols; j++)
            add_pixel(r, j);
    }
}

static void sum_frame(const le_call *call, reference *r) {
    const int64_t bins = le__sc_setup_bins(r->setup);
    memset(r->sums, 0, (size_t)bins * sizeof *r->sums);
    r->spread = false;
    pass(call, r);
    if (r->setup->model != LE__SC_MODEL_AZIMUTHAL)
        return;
    for (int64_t b = 0; b < bins; b++)
        r->sums[b].variance = 0;
    r->spread = true;
    pass(call, r);
    for (int64_t b = 0; b < bins; b++) {
        le__sc_sums *of = &r->sums[b];
        const double mean = of->normalization != 0 ? of->signal / of->normalization : 0;
        of->variance = le__sc_spread(of->variance, 2 * mean * mean * of->normalization2);
    }
}

static void put_frame(le_call *call, int64_t frame, const le__sc_sums *sums) {
    const int64_t bins = le__sc_setup_bins(le__sc_setup_of(call));
    for (int64_t b = 0; b < bins; b++)
        le__sc_put(call, frame, b, &sums[b]);
}

static le_status take_frame(reference *r, int64_t frame) {
    const int64_t pixels = r->setup->geometry.rows * r->setup->geometry.cols;
    if (r->source)
        return r->source->frame(r->source->cookie, frame, &r->frame);
    r->frame = le_tensor_elements(r->frames, frame * pixels, pixels, r->room);
    return LE_OK;
}

static le_status integrate_all(le_call *call, reference *r) {
    const int64_t bins = le__sc_setup_bins(r->setup), frames = r->setup->frames;
    const int64_t kept = r->source ? frames : 1;
    le__sc_sums *all = le_call_scratch(call, (size_t)(kept * bins) * sizeof *all);
    if (!all)
        return le_fail(LE_ERR_MEMORY, "no memory for an integration");
    for (int64_t f = 0; f < frames; f++) {
        if (le_call_cancelled(call))
            return LE_ERR_CANCELLED;
        r->sums = all + (r->source ? f * bins : 0);
        le_status status = take_frame(r, f);
        if (status != LE_OK)
            return status;
        if (r->frame)
            sum_frame(call, r);
        for (int64_t b = 0; !r->frame && b < bins; b++)
            r->sums[b] = le__sc_unknown;
        if (!r->source)
            put_frame(call, f, r->sums);
    }
    for (int64_t f = 0; r->source && f < frames; f++)
        put_frame(call, f, all + f * bins);
    le__sc_put_axes(call, &r->setup->bins);
    return LE_OK;
}

static le_status with_walk(le_call *call, reference *r) {
    le_status status =
        le__sc_walk_open(&r->walk, &r->setup->geometry, le__sc_wanted_of_pixels(r->setup));
    if (status != LE_OK)
        return status;
    status = le__sc_share_open(&r->share, &r->setup->bins);
    if (status == LE_OK)
        status = integrate_all(call, r);
    le__sc_share_close(&r->share);
    le__sc_walk_close(&r->walk);
    return status;
}

static le_status integrate(le_call *call, reference *r) {
    le__sc_loaded loaded;
    r->setup = &loaded.setup;
    le_status status = le__sc_images_of(call, &r->images);
    if (status != LE_OK)
        return status;
    status = le__sc_setup_load(le__sc_setup_of(call), &loaded);
    if (status == LE_OK)
        status = le__sc_find_ends(call, &r->images, &loaded);
    if (status == LE_OK)
        status = with_walk(call, r);
    le__sc_setup_unload(&loaded);
    return status;
}

le_status le__sc_integrate_reference_of(le_call *call, const le__sc_frame_source *source) {
    return integrate(call, &(reference){.source = source, .dtype = source->dtype});
}

le_status le__sc_integrate_reference(le_call *call) {
    const le_tensor *frames = le_call_in(call, SC_FRAMES);
    const int64_t pixels = frames->shape[frames->ndim - 2] * frames->shape[frames->ndim - 1];
    reference r = {.frames = frames,
                   .dtype = frames->dtype,
                   .room = le_call_scratch(call, (size_t)pixels * le_dtype_size(frames->dtype))};
    return r.room ? integrate(call, &r) : le_fail(LE_ERR_MEMORY, "no memory for a frame");
}
