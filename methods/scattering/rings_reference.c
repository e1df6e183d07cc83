/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rings by the definitions: every pixel of a frame is shared out, and the parts are sorted by bins.
 */
#include "scattering/rings_reference.h"

#include "common/load.h"

#include <math.h>
#include <stdlib.h>

typedef struct reference {
    const le__sc_setup *setup;
    le__sc_images images;
    const void *frame; /* pixels of the present one */
    le_dtype dtype;
    le__sc_walk walk;
    le__sc_share share;
    le__sc_member *members; /* owned */
    int64_t n, room;
} reference;

static bool push(reference *r, const le__sc_member *member) {
    if (r->n == r->room) {
        const int64_t room = 2 * r->room + 1024;
        le__sc_member *grown = realloc(r->members, (size_t)room * sizeof *grown);
        if (!grown)
            return false;
        r->members = grown;
        r->room = room;
    }
    r->members[r->n++] = *member;
    return true;
}

/* As the table has it. */
static float share_at(const le__sc_share *s, int64_t k) {
    double two[2];
    if (le__sc_is_listed(s))
        return (float)s->weight[k];
    le__sc_shares(le__sc_share_of(s), two);
    return (float)two[k];
}

static bool push_pixel(reference *r, int64_t j) {
    const le__sc_setup *s = r->setup;
    const int64_t i = r->walk.row * s->geometry.cols + j;
    le__sc_pixel p;
    le__sc_pixel_of(s, &r->images, &r->walk, j, &p);
    if (p.normalization == 0 || !le__sc_split(&r->walk, j, &s->bins, &r->share))
        return true;
    const float w = (float)p.normalization;
    const le__sc_ring_value value = le__sc_ring_value_of(s, (float)le__load(r->frame, r->dtype, i),
                                                         (float)p.dark, (float)p.variance, w);
    for (int64_t k = 0; k < r->share.count[0] * r->share.count[1] && !isnan(value.signal); k++) {
        const le__sc_member member = {.bin = r->share.first[0] + k,
                                      .pixel = i,
                                      .c = (double)share_at(&r->share, k),
                                      .s = (double)value.signal,
                                      .v = (double)value.variance,
                                      .w = s->weighted ? (double)w : 1};
        if (member.c != 0 && !push(r, &member))
            return false;
    }
    return true;
}

static le_status collect(reference *r) {
    r->n = 0;
    for (int64_t row = 0; row < r->setup->geometry.rows; row++) {
        le__sc_walk_to(&r->walk, row);
        for (int64_t j = 0; j < r->setup->geometry.cols; j++)
            if (!push_pixel(r, j))
                return le_fail(LE_ERR_MEMORY, "no memory for the pixels of rings");
    }
    return LE_OK;
}

static int by_bin(const void *x, const void *y) {
    const le__sc_member *a = x, *b = y;
    if (a->bin != b->bin)
        return a->bin < b->bin ? -1 : 1;
    return (a->pixel > b->pixel) - (a->pixel < b->pixel);
}

le__sc_sums le__sc_members_sums(const le_call *call, const le__sc_member *m, int64_t n) {
    le__sc_sums sums = {0};
    for (int64_t k = 0; k < n; k++) {
        const double c = m[k].out ? 0 : m[k].c;
        sums.signal += c * m[k].s;
        sums.normalization += c * m[k].w;
        sums.normalization2 += c * c * m[k].w * m[k].w;
        sums.variance += c * c * m[k].v;
        sums.count += c;
    }
    if (le__sc_setup_of(call)->model != LE__SC_MODEL_AZIMUTHAL)
        return sums;
    double variance = 0, squares = 0;
    for (int64_t k = 0; k < n && sums.normalization != 0; k++) {
        const double mean = m[k].w * sums.signal / sums.normalization, off = m[k].s - mean;
        const double c2 = m[k].out ? 0 : m[k].c * m[k].c;
        variance += c2 * off * off;
        squares += c2 * (m[k].s * m[k].s + mean * mean);
    }
    sums.variance = le__sc_spread(variance, squares);
    return sums;
}

static le_status one_frame(le_call *call, reference *r, int64_t frame, le__sc_members_fn fn) {
    le_status status = collect(r);
    if (status != LE_OK)
        return status;
    if (r->n > 0)
        qsort(r->members, (size_t)r->n, sizeof *r->members, by_bin);
    int64_t first = 0;
    for (int64_t bin = 0; bin < le__sc_setup_bins(r->setup); bin++) {
        int64_t end = first;
        while (end < r->n && r->members[end].bin == bin)
            end++;
        if (end > first)
            fn(call, r->members + first, end - first);
        const le__sc_sums sums = le__sc_members_sums(call, r->members + first, end - first);
        le__sc_put(call, frame, bin, &sums);
        first = end;
    }
    return LE_OK;
}

static le_status all_frames(le_call *call, reference *r, le__sc_members_fn fn) {
    const int64_t pixels = r->setup->geometry.rows * r->setup->geometry.cols;
    const le_tensor *frames = le_call_in(call, SC_FRAMES);
    r->dtype = frames->dtype;
    void *room = le_call_scratch(call, (size_t)pixels * le_dtype_size(r->dtype));
    le_status status = room ? LE_OK : le_fail(LE_ERR_MEMORY, "no memory for a frame");
    for (int64_t f = 0; f < r->setup->frames && status == LE_OK; f++) {
        r->frame = le_tensor_elements(frames, f * pixels, pixels, room);
        status = one_frame(call, r, f, fn);
    }
    if (status == LE_OK)
        le__sc_put_axes(call, &r->setup->bins);
    return status;
}

static le_status with_walk(le_call *call, reference *r, le__sc_members_fn fn) {
    le_status status =
        le__sc_walk_open(&r->walk, &r->setup->geometry, le__sc_wanted_of_pixels(r->setup));
    if (status != LE_OK)
        return status;
    status = le__sc_share_open(&r->share, &r->setup->bins);
    if (status == LE_OK)
        status = all_frames(call, r, fn);
    free(r->members);
    le__sc_share_close(&r->share);
    le__sc_walk_close(&r->walk);
    return status;
}

le_status le__sc_rings_reference(le_call *call, le__sc_members_fn fn) {
    le__sc_loaded loaded;
    reference r = {.setup = &loaded.setup};
    le_status status = le__sc_images_of(call, &r.images);
    if (status != LE_OK)
        return status;
    status = le__sc_setup_load(le__sc_setup_of(call), &loaded);
    if (status == LE_OK)
        status = le__sc_find_ends(call, &r.images, &loaded);
    if (status == LE_OK)
        status = with_walk(call, &r, fn);
    le__sc_setup_unload(&loaded);
    return status;
}
