/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Building the table: ends of axes and lengths of lists first, then the entries, then the sums. All
 * of it is the same for any number of threads.
 */
#include "scattering/table.h"

#include "common/load.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ROWS = 16, SUM_PIECES = 16, KEY_SIZE = 8192 };

/* What is found before the entries can be made. */
typedef struct outline {
    le__sc_bins bins;
    int64_t listed;   /* parts in all lists */
    int64_t before[]; /* for each piece of rows: parts of the pieces before it */
} outline;

typedef struct build {
    le_call *call;
    le__sc_loaded loaded;
    le__sc_images images;
    const outline *outline;
    int64_t *counts; /* of parts, for each piece */
    le__sc_entry *entries;
    float *normalization, *dark, *variance;
    le__sc_part *lists;
    size_t pieces;
    atomic_int failed;
} build;

static int64_t pixels_of(const build *b) {
    return b->loaded.setup.geometry.rows * b->loaded.setup.geometry.cols;
}

/* ----------------------------------------------------------------------------- rows of pixels --
 */

typedef struct rows {
    build *b;
    le__sc_walk walk;
    le__sc_share share;
    int64_t part; /* next free one of the lists */
} rows;

static bool rows_open(rows *r, build *b, int wanted) {
    const le__sc_setup *s = &b->loaded.setup;
    *r = (rows){.b = b};
    if (le__sc_walk_open(&r->walk, &s->geometry, wanted) == LE_OK &&
        le__sc_share_open(&r->share, &s->bins) == LE_OK)
        return true;
    le__sc_walk_close(&r->walk);
    atomic_store(&b->failed, 1);
    return false;
}

static void rows_close(rows *r) {
    le__sc_share_close(&r->share);
    le__sc_walk_close(&r->walk);
}

typedef void (*pixel_fn)(rows *r, int64_t j);

/* Something for every pixel, of which some columns of the walk are wanted. */
typedef struct pass {
    build *b;
    int wanted;
    pixel_fn fn;
} pass;

static void for_pixels(rows *r, size_t piece, pixel_fn fn) {
    const le__sc_geometry *g = &r->b->loaded.setup.geometry;
    const int64_t begin = (int64_t)piece * ROWS;
    const int64_t end = begin + ROWS < g->rows ? begin + ROWS : g->rows;
    for (int64_t row = begin; row < end; row++) {
        le__sc_walk_to(&r->walk, row);
        for (int64_t j = 0; j < g->cols; j++)
            fn(r, j);
    }
}

/* Parts are counted from those of the pieces before on, where these are known. */
static void pass_range(void *context, size_t begin, size_t end, int worker) {
    const pass *p = context;
    rows r;
    (void)worker;
    if (!rows_open(&r, p->b, p->wanted))
        return;
    for (size_t piece = begin; piece < end; piece++) {
        r.part = p->b->outline ? p->b->outline->before[piece] : 0;
        for_pixels(&r, piece, p->fn);
        if (!p->b->outline)
            p->b->counts[piece] = r.part;
    }
    rows_close(&r);
}

static le_status for_all(build *b, int wanted, pixel_fn fn) {
    pass p = {b, wanted, fn};
    le_status status = le_parallel_for(b->call, b->pieces, pass_range, &p);
    return atomic_load(&b->failed) ? le_fail(LE_ERR_MEMORY, "no memory for a row of pixels")
                                   : status;
}

/* -------------------------------------------------------------------------- ends and lengths -- */

static void count_pixel(rows *r, int64_t j) {
    const build *b = r->b;
    if (le__sc_masked(&b->loaded.setup, &b->images, r->walk.row, j) ||
        !le__sc_reach(&r->walk, j, &b->loaded.setup.bins, &r->share))
        return;
    if (le__sc_is_listed(&r->share))
        r->part += r->share.count[0] * r->share.count[1];
}

/* In one dimension a pixel that is narrower than a bin has no list. */
static bool has_lists(const build *b) {
    const le__sc_bins *bins = &b->loaded.setup.bins;
    return bins->splitting != LE__SC_NO &&
           (bins->azimuth.n > 0 || !(b->loaded.widest < (1 - 1e-9) * bins->radial.delta));
}

static le_status count_lists(build *b) {
    if (!has_lists(b)) {
        memset(b->counts, 0, b->pieces * sizeof *b->counts);
        return LE_OK;
    }
    return for_all(b, le__sc_wanted_extents(&b->loaded.setup.bins), count_pixel);
}

static le_status load(build *b) {
    le_status status = le__sc_images_of(b->call, &b->images);
    if (status != LE_OK)
        return status;
    return le__sc_setup_load(le__sc_setup_of(b->call), &b->loaded);
}

static le_status fill_outline(le_call *call, void *data, size_t bytes, void *cookie) {
    build *b = cookie;
    outline *o = data;
    (void)bytes;
    le_status status = load(b);
    b->counts = le_call_scratch(call, b->pieces * sizeof *b->counts);
    if (status == LE_OK && !b->counts)
        status = le_fail(LE_ERR_MEMORY, "no memory for an integration");
    if (status == LE_OK)
        status = le__sc_find_ends(call, &b->images, &b->loaded);
    if (status == LE_OK)
        status = count_lists(b);
    o->bins = b->loaded.setup.bins;
    o->listed = 0;
    for (size_t k = 0; k < b->pieces && status == LE_OK; k++) {
        o->before[k] = o->listed;
        o->listed += b->counts[k];
    }
    le__sc_setup_unload(&b->loaded);
    if (status == LE_OK && o->listed >= (int64_t)LE__SC_LISTED)
        return le_fail(LE_ERR_UNSUPPORTED, "pixels have %lld shares of bins; give fewer bins",
                       (long long)o->listed);
    return status;
}

/* ------------------------------------------------------------------------------------ entries --
 */

static void put_list(rows *r, le__sc_entry *entry) {
    const int64_t width = r->b->outline->bins.radial.n;
    const le__sc_share *s = &r->share;
    const int64_t n = s->count[0] * s->count[1];
    *entry = (le__sc_entry){.bin = LE__SC_LISTED | (uint32_t)r->part, .as.count = (uint32_t)n};
    for (int64_t k = 0; k < n; k++)
        r->b->lists[r->part++] = (le__sc_part){
            (uint32_t)((s->first[1] + k / s->count[0]) * width + s->first[0] + k % s->count[0]),
            (float)s->weight[k]};
}

static void put_pixel(rows *r, int64_t j) {
    build *b = r->b;
    const le__sc_setup *s = &b->loaded.setup;
    const int64_t i = r->walk.row * s->geometry.cols + j;
    le__sc_entry *entry = &b->entries[i];
    le__sc_pixel p;
    le__sc_pixel_of(s, &b->images, &r->walk, j, &p);
    const bool used = p.normalization != 0 && le__sc_split(&r->walk, j, &s->bins, &r->share);
    if (!used)
        *entry = (le__sc_entry){.bin = (uint32_t)le__sc_setup_bins(s), .as.share = 1.0f};
    else if (le__sc_is_listed(&r->share))
        put_list(r, entry);
    else
        *entry = (le__sc_entry){
            .bin = (uint32_t)(r->share.first[1] * s->bins.radial.n + r->share.first[0]),
            .as.share = le__sc_share_of(&r->share)};
    b->normalization[i] = used ? (float)p.normalization : 0;
    if (b->dark)
        b->dark[i] = used ? (float)p.dark : 0;
    if (b->variance)
        b->variance[i] = used ? (float)p.variance : 0;
}

/* Memory of the entries, one array after the other. */
static size_t place(build *b, char *base) {
    const size_t n = (size_t)pixels_of(b);
    size_t used = 0;
    const struct {
        void **to;
        size_t bytes;
    } arrays[] = {
        {(void **)&b->entries, n * sizeof *b->entries},
        {(void **)&b->normalization, n * sizeof(float)},
        {(void **)&b->dark, le_call_given(b->call, SC_DARK) ? n * sizeof(float) : 0},
        {(void **)&b->variance, le_call_given(b->call, SC_VARIANCE) ? n * sizeof(float) : 0},
        {(void **)&b->lists, (size_t)b->outline->listed * sizeof *b->lists},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k].to = arrays[k].bytes && base ? base + used : NULL;
        used += (arrays[k].bytes + 63) / 64 * 64;
    }
    return used;
}

static le_status fill_entries(le_call *call, void *data, size_t bytes, void *cookie) {
    build *b = cookie;
    (void)call;
    (void)bytes;
    le_status status = load(b);
    if (status == LE_OK) {
        b->loaded.setup.bins = b->outline->bins;
        place(b, data);
        status = for_all(b, le__sc_wanted_of_pixels(&b->loaded.setup), put_pixel);
    }
    le__sc_setup_unload(&b->loaded);
    return status;
}

/* --------------------------------------------------------------------------------------- sums --
 */

typedef struct summing {
    const le__sc_table *table;
    le__sc_known *of; /* for each piece, all bins */
    int64_t pixels;
    bool weighted, counting;
} summing;

static void sum_pixel(const summing *s, int64_t i, le__sc_known *sums) {
    const le__sc_table *t = s->table;
    const double given = (double)t->normalization[i], w = s->weighted ? given : 1;
    if (given == 0)
        return;
    double v = s->counting ? 1 : t->variance ? (double)t->variance[i] : 0;
    v = s->weighted ? v : v / (given * given);
    const le__sc_entry e = t->entries[i];
    if (e.bin & LE__SC_LISTED) {
        const le__sc_part *part = t->lists + (e.bin & ~LE__SC_LISTED);
        for (uint32_t k = 0; k < e.as.count; k++)
            le__sc_known_add(&sums[part[k].bin], (double)part[k].share, w, v);
        return;
    }
    double c[2];
    le__sc_shares(e.as.share, c);
    le__sc_known_add(&sums[e.bin], c[0], w, v);
    if (c[1] != 0)
        le__sc_known_add(&sums[e.bin + 1], c[1], w, v);
}

static void sums_range(void *context, size_t begin, size_t end, int worker) {
    const summing *s = context;
    (void)worker;
    for (size_t piece = begin; piece < end; piece++) {
        le__sc_known *sums = s->of + (int64_t)piece * s->table->n_bins;
        const int64_t first = s->pixels * (int64_t)piece / SUM_PIECES,
                      last = s->pixels * ((int64_t)piece + 1) / SUM_PIECES;
        for (int64_t i = first; i < last; i++)
            sum_pixel(s, i, sums);
    }
}

static le_status fill_sums(le_call *call, void *data, size_t bytes, void *cookie) {
    const le__sc_table *t = cookie;
    const le__sc_setup *setup = le__sc_setup_of(call);
    summing s = {.table = t,
                 .pixels = setup->geometry.rows * setup->geometry.cols,
                 .weighted = setup->weighted,
                 .counting = setup->model == LE__SC_MODEL_POISSON};
    s.of = calloc(SUM_PIECES, bytes);
    if (!s.of)
        return le_fail(LE_ERR_MEMORY, "no memory for the sums of %lld bins", (long long)t->n_bins);
    le_status status = le_parallel_for(call, SUM_PIECES, sums_range, &s);
    le__sc_known *out = data;
    memset(out, 0, bytes);
    for (int64_t b = 0; b < SUM_PIECES * t->n_bins; b++)
        le__sc_known_join(&out[b % t->n_bins], &s.of[b]);
    free(s.of);
    return status;
}

/* ----------------------------------------------------------------------------------- together --
 */

/* Tables are the same for the same geometry and the same contents of images. */
static void make_key(le_call *call, const build *b, char *key) {
    const le__sc_setup *s = le__sc_setup_of(call);
    const le__sc_image *images[] = {&b->images.mask, &b->images.dark, &b->images.flat,
                                    &b->images.absorption, &b->images.variance};
    const size_t pixels = (size_t)(s->geometry.rows * s->geometry.cols);
    le__sc_setup_key(s, key, KEY_SIZE - 512);
    for (int k = 0; k < 5; k++) {
        const size_t at = strlen(key);
        const uint64_t hash =
            images[k]->data ? XXH3_64bits(images[k]->data, pixels * le_dtype_size(images[k]->dtype))
                            : 0;
        snprintf(key + at, KEY_SIZE - at, " %d %016llx", images[k]->data ? images[k]->dtype : 0,
                 (unsigned long long)hash);
    }
    /* the flat is compared with the dummy */
    if (b->images.flat.data && s->has_dummy) {
        const size_t at = strlen(key);
        snprintf(key + at, KEY_SIZE - at, " dummy %a %a %a", s->dummy, s->delta_dummy,
                 (double)s->limit);
    }
}

static le_status keep_sums(le_call *call, char *key, le__sc_table *t) {
    const void *sums;
    const le__sc_setup *s = le__sc_setup_of(call);
    const size_t at = strlen(key);
    snprintf(key + at, KEY_SIZE - at, " sums %d %d", s->weighted, s->model == LE__SC_MODEL_POISSON);
    le_status status =
        le_call_keep(call, key, (size_t)t->n_bins * sizeof(le__sc_known), fill_sums, t, &sums);
    t->sums = sums;
    return status;
}

le_status le__sc_table_of(le_call *call, le__sc_table *out) {
    const le__sc_setup *s = le__sc_setup_of(call);
    build b = {.call = call, .pieces = (size_t)((s->geometry.rows + ROWS - 1) / ROWS)};
    char key[KEY_SIZE];
    const void *data;
    le_status status = le__sc_images_of(call, &b.images);
    if (status != LE_OK)
        return status;
    make_key(call, &b, key);
    const size_t length = strlen(key);
    strcpy(key + length, " outline");
    status = le_call_keep(call, key, sizeof(outline) + b.pieces * sizeof(int64_t), fill_outline, &b,
                          &data);
    if (status != LE_OK)
        return status;
    b.outline = data;
    b.loaded.setup = *s;
    strcpy(key + length, " entries");
    status = le_call_keep(call, key, place(&b, NULL), fill_entries, &b, &data);
    if (status != LE_OK)
        return status;
    b.loaded.setup = *s;
    place(&b, (char *)(uintptr_t)data);
    *out = (le__sc_table){.bins = b.outline->bins,
                          .n_bins = le__sc_setup_bins(s),
                          .entries = b.entries,
                          .normalization = b.normalization,
                          .lists = b.lists,
                          .dark = b.dark,
                          .variance = b.variance};
    key[length] = 0;
    const XXH128_hash_t identity = XXH3_128bits(key, length);
    out->identity[0] = identity.low64;
    out->identity[1] = identity.high64;
    return keep_sums(call, key, out);
}

int64_t le__sc_table_bytes(const le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    const int64_t pixels = s->geometry.rows * s->geometry.cols;
    return pixels * (int64_t)(sizeof(le__sc_entry) + sizeof(float)) +
           le__sc_setup_bins(s) * (int64_t)((SUM_PIECES + 1) * sizeof(le__sc_known));
}
