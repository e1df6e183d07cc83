/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Turning the table round: lengths of rings first, then their pixels, in the order of pixels.
 */
#include "scattering/rings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PIECES = 16 };

typedef struct turning {
    const le__sc_table *table;
    int64_t pixels, pieces;
    bool weighted;
    int64_t *counts; /* of each bin in each piece of pixels, piece fastest; then where they begin */
    uint32_t *pixel;
    float *share, *normalization;
} turning;

typedef void (*part_fn)(turning *t, int64_t piece, int64_t pixel, const le__sc_part *part);

static void count_part(turning *t, int64_t piece, int64_t pixel, const le__sc_part *part) {
    (void)pixel;
    t->counts[part->bin * t->pieces + piece]++;
}

static void put_part(turning *t, int64_t piece, int64_t pixel, const le__sc_part *part) {
    const int64_t to = t->counts[part->bin * t->pieces + piece]++;
    t->pixel[to] = (uint32_t)pixel;
    t->share[to] = part->share;
    t->normalization[to] = t->weighted ? t->table->normalization[pixel] : 1;
}

static void for_parts(turning *t, size_t begin, size_t end, part_fn fn) {
    for (int64_t piece = (int64_t)begin; piece < (int64_t)end; piece++)
        for (int64_t p = t->pixels * piece / t->pieces; p < t->pixels * (piece + 1) / t->pieces;
             p++) {
            le__sc_part pair[2];
            const le__sc_part *part;
            const int64_t n =
                t->table->normalization[p] == 0 ? 0 : le__sc_parts_of(t->table, p, pair, &part);
            for (int64_t k = 0; k < n; k++)
                if (part[k].share != 0)
                    fn(t, piece, p, &part[k]);
        }
}

static void count_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for_parts(context, begin, end, count_part);
}

static void put_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for_parts(context, begin, end, put_part);
}

static le_status fill_starts(le_call *call, void *data, size_t bytes, void *cookie) {
    turning *t = cookie;
    int64_t total = 0;
    t->counts = data;
    memset(data, 0, bytes);
    le_status status = le_parallel_for(call, (size_t)t->pieces, count_range, t);
    for (int64_t k = 0; k < t->table->n_bins * t->pieces; k++) {
        const int64_t here = t->counts[k];
        t->counts[k] = total;
        total += here;
    }
    t->counts[t->table->n_bins * t->pieces] = total;
    return status;
}

/* Elements of each array of parts: there is room to read beyond the last. */
static size_t room_of(int64_t parts) {
    return ((size_t)parts + LE__SC_RING_LANES + 15) / 16 * 16;
}

/* The arrays, one after the other. */
static void place(turning *t, int64_t parts, void *data) {
    const size_t n = room_of(parts);
    t->pixel = data;
    t->share = (float *)data + n;
    t->normalization = t->share + n;
}

typedef struct filling {
    turning *turning;
    const int64_t *at;
    int64_t parts;
} filling;

static le_status fill_parts(le_call *call, void *data, size_t bytes, void *cookie) {
    const filling *f = cookie;
    turning *t = f->turning;
    const size_t starts = (size_t)(t->table->n_bins * t->pieces) * sizeof *t->counts;
    t->counts = le_call_scratch(call, starts);
    if (!t->counts)
        return le_fail(LE_ERR_MEMORY, "no memory for the rings of %lld bins",
                       (long long)t->table->n_bins);
    memcpy(t->counts, f->at, starts);
    (void)bytes;
    place(t, f->parts, data);
    for (size_t k = (size_t)f->parts; k < room_of(f->parts); k++) {
        t->pixel[k] = 0;
        t->share[k] = t->normalization[k] = 0;
    }
    return le_parallel_for(call, (size_t)t->pieces, put_range, t);
}

static int64_t longest_of(const le__sc_rings *rings) {
    int64_t most = 0;
    for (int64_t b = 0; b < rings->table.n_bins; b++) {
        const int64_t n = le__sc_ring_begin(rings, b + 1) - le__sc_ring_begin(rings, b);
        most = n > most ? n : most;
    }
    return most;
}

/* So that the counts are no more than the pixels. */
static int64_t pieces_of(int64_t pixels, int64_t bins) {
    const int64_t n = pixels / bins;
    return n < 1 ? 1 : n > MOST_PIECES ? MOST_PIECES : n;
}

le_status le__sc_rings_of(le_call *call, le__sc_rings *out) {
    const le__sc_setup *s = le__sc_setup_of(call);
    turning t = {.table = &out->table,
                 .pixels = s->geometry.rows * s->geometry.cols,
                 .weighted = s->weighted};
    char key[96];
    const void *data;
    *out = (le__sc_rings){0};
    le_status status = le__sc_table_of(call, &out->table);
    if (status != LE_OK)
        return status;
    t.pieces = out->step = pieces_of(t.pixels, out->table.n_bins);
    snprintf(key, sizeof key, "starts of rings %016llx%016llx",
             (unsigned long long)out->table.identity[0],
             (unsigned long long)out->table.identity[1]);
    status = le_call_keep(call, key,
                          (size_t)(out->table.n_bins * t.pieces + 1) * sizeof *out->at,
                          fill_starts, &t, &data);
    if (status != LE_OK)
        return status;
    out->at = data;
    filling f = {.turning = &t,
                 .at = out->at,
                 .parts = le__sc_ring_begin(out, out->table.n_bins)};
    snprintf(key, sizeof key, "rings %d %016llx%016llx", s->weighted,
             (unsigned long long)out->table.identity[0],
             (unsigned long long)out->table.identity[1]);
    status = le_call_keep(call, key, 3 * room_of(f.parts) * sizeof(float), fill_parts, &f, &data);
    if (status != LE_OK)
        return status;
    place(&t, f.parts, (void *)(uintptr_t)data);
    out->pixel = t.pixel;
    out->share = t.share;
    out->normalization = t.normalization;
    out->longest = longest_of(out);
    return LE_OK;
}

int64_t le__sc_rings_bytes(const le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    const int64_t pixels = s->geometry.rows * s->geometry.cols;
    return le__sc_table_bytes(call) + pixels * (s->bins.splitting == LE__SC_NO ? 12 : 20);
}

double le__sc_cutoff(double thres, double count) {
    const double chauvenet = sqrt(2 * log(fmax(count, 3) / 2.50662827463100050242));
    return fmax(thres, chauvenet) * (1 + 1e-9);
}
