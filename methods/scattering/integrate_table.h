/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Integration of frames with a table of shares, included by sources that are compiled once for each
 * instruction set. A work item is a piece of the pixels of eight frames, which share the entries of
 * the table; or of one frame, whose neighbouring pixels go to four sets of sums, because an
 * addition to the sum of the pixel before would wait for it.
 *
 * Per frame only the sums of what is not zero are made: normalizations, counts, and the variance 1
 * that a pixel without counts has, belong to the table. Of pixels that a frame has no data for they
 * are taken off again.
 */
#ifndef LE_SCATTERING_INTEGRATE_TABLE_H
#define LE_SCATTERING_INTEGRATE_TABLE_H

#include "common/isa.h"
#include "common/load.h"
#include "scattering/eight.h"
#include "scattering/integrate.h"
#include "scattering/table.h"

#include <math.h>
#include <string.h>
#if LE_METHOD_ISA
#include <immintrin.h>
#endif

enum { TILE = 64, MOST_LANES = 8, COPIES = 4, WAVE = 32, FIXED_PIECES = 4 };

typedef struct task task;

/* Values of a frame from pixel p on, at most *n, which becomes less where fewer are at hand. NULL:
 * the frame cannot be read. */
typedef const void *(*values_fn)(const task *t, int worker, int64_t frame, int lane, int64_t p,
                                 int64_t *n);

struct task {
    const le__sc_setup *setup;
    le__sc_table table;
    values_fn values;
    const void *source; /* of the values */
    const bool *bad;    /* of each frame: it cannot be read; NULL: all can */
    bool at_once;       /* no results before all frames are read */
    le_dtype dtype;
    int64_t pixels;
    bool checks; /* values may be dummies or no numbers */
    int sums;    /* of a bin and lane: signal; variance, or of c^2 s^2 and of c^2 s w */
    int lanes;   /* MOST_LANES: frames; COPIES: of one frame */
    int64_t pieces, group_frames;
    int64_t part_first, groups, wave; /* first frame; groups in all, and under way together */
    int64_t first_frame;              /* of the present wave */
    size_t item_doubles, item_lost;   /* lost: bins of all lanes */
    double *sums_of;                  /* for each item */
    le__sc_known *lost_of;            /* for each item */
    bool *lost_any;                   /* for each item: lost_of has been written */
    le_call *call;
};

typedef struct losses { /* of an item */
    le__sc_known *of;
    size_t n;
    bool any; /* else nothing is there yet */
} losses;

typedef struct tile {
    float s_row[MOST_LANES][TILE],
        v_row[MOST_LANES][TILE];                      /* lane by lane; 0 behind the last pixel */
    float s[TILE * MOST_LANES], v[TILE * MOST_LANES]; /* pixel by pixel, lanes together */
} tile;

/* --------------------------------------------------------------------------------- additions -- */

/* Sums of a bin of eight frames, as many as task.sums says. */
typedef struct sums_of_eight {
    eight of[3];
} sums_of_eight;

/* What a pixel of eight frames has. */
typedef struct values_of_eight {
    eight signal, variance;
    double normalization;
} values_of_eight;

static inline sums_of_eight sums_load(const double *from, int sums) {
    sums_of_eight out;
    for (int k = 0; k < sums; k++)
        out.of[k] = eight_load(from + k * MOST_LANES);
    return out;
}

static inline void sums_store(double *to, const sums_of_eight *x, int sums) {
    for (int k = 0; k < sums; k++)
        eight_store(to + k * MOST_LANES, x->of[k]);
}

/* A share of a pixel. */
static inline void sums_add(sums_of_eight *to, double c, const values_of_eight *x, int sums) {
    to->of[0] = eight_plus(to->of[0], c, x->signal);
    if (sums == 2)
        to->of[1] = eight_plus(to->of[1], c * c, x->variance);
    if (sums == 3) {
        const eight cs = eight_times(c, x->signal);
        to->of[1] = eight_plus_product(to->of[1], cs, cs);
        to->of[2] = eight_plus(to->of[2], c * x->normalization, cs);
    }
}

/* The sums of two neighbouring bins, out of memory while pixel after pixel goes to them: adding to
 * memory that the pixel before has just been added to waits for it. */
typedef struct pair {
    double *to;  /* where the sums of bin 0 lie */
    int64_t bin; /* the first one; -1: none are at hand */
    sums_of_eight here, next;
} pair;

static inline void pair_put_back(pair *r, int sums) {
    if (r->bin < 0)
        return;
    double *to = r->to + r->bin * sums * MOST_LANES;
    sums_store(to, &r->here, sums);
    sums_store(to + sums * MOST_LANES, &r->next, sums);
    r->bin = -1;
}

static inline void pair_move(pair *r, int64_t bin, int sums) {
    const int64_t size = sums * MOST_LANES;
    if (r->bin == bin)
        return;
    if (r->bin >= 0 && r->bin + 1 == bin) {
        sums_store(r->to + r->bin * size, &r->here, sums);
        r->here = r->next;
    } else {
        pair_put_back(r, sums);
        r->here = sums_load(r->to + bin * size, sums);
    }
    r->next = sums_load(r->to + (bin + 1) * size, sums);
    r->bin = bin;
}

static inline void add_list(const task *t, le__sc_entry e, const values_of_eight *x, double *to,
                            int sums) {
    const le__sc_part *part = t->table.lists + (e.bin & ~LE__SC_LISTED);
    for (uint32_t k = 0; k < e.as.count; k++) {
        double *bin = to + (int64_t)part[k].bin * sums * MOST_LANES;
        sums_of_eight s = sums_load(bin, sums);
        sums_add(&s, (double)part[k].share, x, sums);
        sums_store(bin, &s, sums);
    }
}

/* A pixel that has no share in the next bin adds 0 to it, for nobody can foresee which have one;
 * unless its value may be infinite, because it was divided by hardly anything. */
static inline void add_eight(const task *t, int64_t p, int64_t n, const tile *x, double *to,
                             int sums) {
    pair r = {.to = to, .bin = -1};
    const bool finite = t->setup->weighted && !t->table.dark;
    for (int64_t i = 0; i < n; i++) {
        const le__sc_entry e = t->table.entries[p + i];
        const eight signal = eight_from_f32(x->s + i * MOST_LANES);
        const values_of_eight v = {signal,
                                   sums == 2 ? eight_from_f32(x->v + i * MOST_LANES) : signal,
                                   t->setup->weighted ? (double)t->table.normalization[p + i] : 1};
        if (e.bin & LE__SC_LISTED) {
            pair_put_back(&r, sums);
            add_list(t, e, &v, to, sums);
            continue;
        }
        double c[2];
        le__sc_shares(e.as.share, c);
        pair_move(&r, e.bin, sums);
        sums_add(&r.here, c[0], &v, sums);
        if (finite || c[1] != 0)
            sums_add(&r.next, c[1], &v, sums);
    }
    pair_put_back(&r, sums);
}

/* A share of one frame, in one of the copies: their sums lie COPIES apart. */
static inline void add_single(double *restrict to, double c, float s, float v, float w, int sums) {
    const double cs = c * (double)s;
    to[0] += cs;
    if (sums == 2)
        to[COPIES] += c * c * (double)v;
    if (sums == 3) {
        to[COPIES] += cs * cs;
        to[2 * COPIES] += cs * (c * (double)w);
    }
}

static inline void add_one(const task *t, int64_t p, int64_t n, const tile *x, double *to,
                           int sums) {
    const size_t bin = (size_t)(COPIES * sums);
    const float *s = x->s_row[0], *v = x->v_row[0];
    for (int64_t i = 0; i < n; i++) {
        const le__sc_entry e = t->table.entries[p + i];
        const float w = t->setup->weighted ? t->table.normalization[p + i] : 1.0f;
        double *copy = to + (i % COPIES);
        if (e.bin & LE__SC_LISTED) {
            const le__sc_part *part = t->table.lists + (e.bin & ~LE__SC_LISTED);
            for (uint32_t k = 0; k < e.as.count; k++)
                add_single(copy + part[k].bin * bin, (double)part[k].share, s[i], v[i], w, sums);
            continue;
        }
        double c[2];
        le__sc_shares(e.as.share, c);
        add_single(copy + e.bin * bin, c[0], s[i], v[i], w, sums);
        if (c[1] != 0)
            add_single(copy + (e.bin + 1) * bin, c[1], s[i], v[i], w, sums);
    }
}

static void add_tile(const task *t, int64_t p, int64_t n, const tile *x, double *to) {
    const bool grouped = t->lanes == MOST_LANES;
    switch (t->sums) {
    case 1:
        if (grouped)
            add_eight(t, p, n, x, to, 1);
        else
            add_one(t, p, n, x, to, 1);
        break;
    case 2:
        if (grouped)
            add_eight(t, p, n, x, to, 2);
        else
            add_one(t, p, n, x, to, 2);
        break;
    default:
        if (grouped)
            add_eight(t, p, n, x, to, 3);
        else
            add_one(t, p, n, x, to, 3);
    }
}

/* -------------------------------------------------------------------------------------- lost -- */

static void lose_share(const task *t, le__sc_known *lost, double c, int64_t p) {
    const double given = (double)t->table.normalization[p];
    const double w = t->setup->weighted ? given : 1;
    double v = t->setup->model == LE__SC_MODEL_POISSON ? 1
               : t->table.variance                     ? (double)t->table.variance[p]
                                                       : 0;
    v = t->setup->weighted ? v : v / (given * given);
    le__sc_known_add(lost, c, w, v);
}

/* A frame has no data for pixel p: what the table's sums have of it is noted. */
static void lose_pixel(const task *t, int64_t p, int lane, losses *l) {
    const le__sc_entry e = t->table.entries[p];
    const int64_t lanes = t->group_frames;
    le__sc_known *lost = l->of;
    if (t->table.normalization[p] == 0)
        return;
    if (!l->any)
        memset(lost, 0, l->n * sizeof *lost);
    l->any = true;
    if (e.bin & LE__SC_LISTED) {
        const le__sc_part *part = t->table.lists + (e.bin & ~LE__SC_LISTED);
        for (uint32_t k = 0; k < e.as.count; k++)
            lose_share(t, lost + part[k].bin * lanes + lane, (double)part[k].share, p);
        return;
    }
    double c[2];
    le__sc_shares(e.as.share, c);
    lose_share(t, lost + e.bin * lanes + lane, c[0], p);
    if (c[1] != 0)
        lose_share(t, lost + (e.bin + 1) * lanes + lane, c[1], p);
}

/* -------------------------------------------------------------------------------------- tile -- */

/* What a frame may have instead of a value. */
typedef struct missing {
    float dummy, delta, limit;
} missing;

static missing missing_of(const task *t) {
    return (missing){t->setup->has_dummy ? (float)t->setup->dummy : NAN,
                     (float)t->setup->delta_dummy, t->setup->limit};
}

static inline int32_t is_missing(float x, missing m) {
    return (fabsf(x - m.dummy) <= m.delta) | !(fabsf(x) < m.limit);
}

/* What the table's arrays change: dark, and division where pixels are not weighted. */
static void correct_row(const task *t, int64_t p, int64_t n, const float *row, float *restrict s,
                        float *restrict v) {
    const float *dark = t->table.dark, *w = t->setup->weighted ? NULL : t->table.normalization;
    const missing m = missing_of(t);
    for (int64_t i = 0; dark && i < n; i++)
        s[i] = is_missing(row[i], m) ? 0 : s[i] - dark[p + i];
    for (int64_t i = 0; w && i < n; i++) {
        const bool used = w[p + i] != 0;
        s[i] = used ? s[i] / w[p + i] : 0;
        if (t->sums == 2)
            v[i] = used ? v[i] / w[p + i] / w[p + i] : 0;
    }
}

/* Signals of a row of values, 0 where there is none, and variances above 1 where they are summed;
 * true: some are not zero. Loops over a whole tile, without branches, are what compilers turn into
 * vectors. */
static bool signals(const task *t, int64_t p, int64_t n, int lane, const float *restrict row,
                    float *restrict s, float *restrict v, losses *lost) {
    const missing m = missing_of(t);
    int32_t any = 0, gone = 0;
    for (int i = 0; i < TILE; i++) {
        const int32_t none = is_missing(row[i], m);
        s[i] = none ? 0.0f : row[i];
        gone |= none;
        any |= s[i] != 0;
    }
    for (int64_t i = 0; gone && i < n; i++)
        if (is_missing(row[i], m))
            lose_pixel(t, p + i, lane, lost);
    for (int i = 0; t->sums == 2 && i < TILE; i++)
        v[i] = s[i] > 1 ? s[i] - 1 : 0.0f;
    if (t->table.dark || !t->setup->weighted) {
        correct_row(t, p, n, row, s, v);
        return true;
    }
    return any != 0;
}

static bool fill_lane(const task *t, const void *values, int lane, int64_t p, int64_t n, tile *x,
                      losses *lost) {
    float row[TILE];
    if (!values || n < TILE)
        memset(row, 0, sizeof row);
    if (!values) {
        memset(x->s_row[lane], 0, sizeof row);
        memset(x->v_row[lane], 0, sizeof row);
        return false;
    }
    if (n == TILE)
        le__load_f32(values, t->dtype, 0, TILE, row);
    else
        le__load_f32(values, t->dtype, 0, n, row);
    return signals(t, p, n, lane, row, x->s_row[lane], x->v_row[lane], lost);
}

#if LE_METHOD_ISA
/* Eight pixels of eight lanes. */
static inline void turn_eight(const float *from, float *to) {
    __m256 r[8], a[8];
    for (int k = 0; k < 8; k++)
        r[k] = _mm256_loadu_ps(from + k * TILE);
    for (int k = 0; k < 4; k++) {
        a[2 * k] = _mm256_unpacklo_ps(r[2 * k], r[2 * k + 1]);
        a[2 * k + 1] = _mm256_unpackhi_ps(r[2 * k], r[2 * k + 1]);
    }
    for (int h = 0; h < 2; h++)
        for (int k = 0; k < 2; k++) {
            r[4 * h + 2 * k] = _mm256_shuffle_ps(a[4 * h + k], a[4 * h + k + 2], 0x44);
            r[4 * h + 2 * k + 1] = _mm256_shuffle_ps(a[4 * h + k], a[4 * h + k + 2], 0xee);
        }
    for (int k = 0; k < 4; k++) {
        _mm256_storeu_ps(to + 8 * k, _mm256_permute2f128_ps(r[k], r[k + 4], 0x20));
        _mm256_storeu_ps(to + 8 * (k + 4), _mm256_permute2f128_ps(r[k], r[k + 4], 0x31));
    }
}
#else
static inline void turn_eight(const float *from, float *to) {
    for (int i = 0; i < 8; i++)
        for (int f = 0; f < 8; f++)
            to[8 * i + f] = from[f * TILE + i];
}
#endif

/* From lane by lane to pixel by pixel. */
static void turn_tile(const task *t, tile *x) {
    if (t->lanes != MOST_LANES)
        return;
    for (int i = 0; i < TILE; i += 8) {
        turn_eight(x->s_row[0] + i, x->s + MOST_LANES * i);
        if (t->sums == 2)
            turn_eight(x->v_row[0] + i, x->v + MOST_LANES * i);
    }
}

/* -------------------------------------------------------------------------------------- work -- */

enum { TILES = 512 }; /* after which an item, which may be long, looks whether to go on */

static void item_range(void *context, size_t begin, size_t end, int worker) {
    const task *t = context;
    tile x;
    int tiles = 0;
    for (size_t item = begin; item < end; item++) {
        const int64_t piece = (int64_t)item % t->pieces;
        const int64_t frame = t->first_frame + (int64_t)item / t->pieces * t->group_frames;
        const int64_t first = t->pixels * piece / t->pieces,
                      last = t->pixels * (piece + 1) / t->pieces;
        double *to = t->sums_of + item * t->item_doubles;
        losses lost = {.n = t->item_lost};
        if (t->checks)
            lost.of = t->lost_of + item * t->item_lost;
        memset(to, 0, t->item_doubles * sizeof *to);
        for (int64_t p = first, n; p < last; p += n) {
            const void *values[MOST_LANES];
            bool any = false;
            if (++tiles % TILES == 0 && le_call_cancelled(t->call))
                return;
            n = last - p < TILE ? last - p : TILE;
            for (int f = 0; f < t->group_frames; f++)
                values[f] =
                    frame + f < t->setup->frames ? t->values(t, worker, frame + f, f, p, &n) : NULL;
            for (int f = 0; f < t->group_frames; f++)
                any |= fill_lane(t, values[f], f, p, n, &x, &lost);
            if (any) {
                turn_tile(t, &x);
                add_tile(t, p, n, &x, to);
            }
        }
        t->lost_any[item] = lost.any;
    }
}

static void add_all(double *restrict to, const double *restrict from, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        to[i] += from[i];
}

/* A group's sums of some bins. */
typedef struct gathered {
    const double *sums;       /* of bin 0 */
    const le__sc_known *lost; /* of bin 0; NULL: nothing is */
} gathered;

/* From those of its pieces, which are added in their order. */
static gathered gather(const task *t, int64_t group, int64_t first, int64_t last) {
    const int64_t sums = t->sums * t->lanes, lanes = t->group_frames;
    double *to = t->sums_of + (size_t)(group * t->pieces) * t->item_doubles;
    le__sc_known *away = NULL;
    for (int64_t piece = 0; piece < t->pieces; piece++) {
        const size_t item = (size_t)(group * t->pieces + piece);
        le__sc_known *more = t->lost_any[item] ? t->lost_of + item * t->item_lost : NULL;
        if (piece > 0)
            add_all(to + first * sums, t->sums_of + item * t->item_doubles + first * sums,
                    (last - first) * sums);
        if (!away)
            away = more;
        else if (more)
            for (int64_t i = first * lanes; i < last * lanes; i++)
                le__sc_known_join(&away[i], &more[i]);
    }
    return (gathered){to, away};
}

static void put_bin(const task *t, const gathered *g, int64_t frame, int64_t bin) {
    const int64_t lane = frame % t->group_frames;
    const bool grouped = t->lanes == MOST_LANES;
    const double *sums = g->sums + bin * t->sums * t->lanes;
    double of[3] = {0};
    le__sc_known lost = {0};
    for (int k = 0; k < t->sums; k++)
        for (int c = grouped ? (int)lane : 0; c < (grouped ? (int)lane + 1 : COPIES); c++)
            of[k] += sums[k * t->lanes + c];
    if (g->lost)
        lost = g->lost[bin * t->group_frames + lane];
    const le__sc_known *all = &t->table.sums[bin];
    le__sc_sums s = {
        .signal = of[0],
        .normalization = le__sc_total_without(&all->normalization, &lost.normalization),
        .normalization2 = le__sc_total_without(&all->normalization2, &lost.normalization2),
        .variance = le__sc_total_without(&all->variance, &lost.variance),
        .count = le__sc_total_without(&all->count, &lost.count)};
    if (t->bad && t->bad[t->first_frame + frame])
        s = le__sc_unknown;
    else if (fabs(s.count) <= 1e-25 * fabs(all->count.sum)) /* a bin without data: rounding */
        s = (le__sc_sums){0};
    else if (t->setup->model == LE__SC_MODEL_POISSON)
        s.variance += of[1];
    else if (t->setup->model == LE__SC_MODEL_AZIMUTHAL && s.normalization != 0) {
        const double mean = s.signal / s.normalization;
        const double squares = mean * mean * s.normalization2;
        s.variance = le__sc_spread(of[1] - 2 * mean * of[2] + squares, 2 * squares);
    }
    le__sc_put(t->call, t->first_frame + frame, bin, &s);
}

enum { BINS = 256 }; /* of a piece of the results */

static void results_range(void *context, size_t begin, size_t end, int worker) {
    const task *t = context;
    const int64_t blocks = (t->table.n_bins + BINS - 1) / BINS, n = t->group_frames;
    (void)worker;
    for (size_t item = begin; item < end; item++) {
        const int64_t group = (int64_t)item / blocks, first = (int64_t)item % blocks * BINS;
        const int64_t last = first + BINS < t->table.n_bins ? first + BINS : t->table.n_bins;
        const gathered g = gather(t, group, first, last);
        const int64_t left = t->setup->frames - t->first_frame;
        for (int64_t frame = group * n; frame < (group + 1) * n && frame < left; frame++)
            for (int64_t bin = first; bin < last; bin++)
                put_bin(t, &g, frame, bin);
    }
}

/* ------------------------------------------------------------------------------------ set-up -- */

enum {
    MOST_SUMS = 1 << 20, /* of a frame */
    MANY_BINS = 1 << 15,
    MANY_WAVE = 14 /* instead of WAVE, where groups of eight have so many bins: see table_memory */
};

/* Frames go in groups of eight where their sums need no more than 64 MiB, and the rest one by one.
 * Reproducible: in an order of additions that does not depend on how many frames there are. */
static void shape_task(task *t, int64_t frames) {
    const int64_t bins = t->table.n_bins + 2;
    const bool fixed = le_call_reproducible(t->call);
    const bool grouped = (fixed || frames >= MOST_LANES) && bins * t->sums <= MOST_SUMS;
    t->lanes = grouped ? MOST_LANES : COPIES;
    t->group_frames = grouped ? MOST_LANES : 1;
    t->groups = (frames + t->group_frames - 1) / t->group_frames;
    const int64_t most = t->pixels / (4 * bins) + 1; /* so that sums are no more than pixels */
    const int64_t items = grouped && t->table.n_bins >= MANY_BINS ? MANY_WAVE : WAVE;
    t->pieces = fixed ? FIXED_PIECES : t->groups < items ? items / t->groups : 1;
    t->pieces = t->pieces < most ? t->pieces : most;
    t->item_doubles = (size_t)(bins * t->sums * t->lanes);
    t->item_lost = (size_t)(bins * t->group_frames);
    t->wave = t->at_once || t->groups < items / t->pieces ? t->groups : items / t->pieces;
}

/* Memory for some frames; part of a run. */
static le_status open_part(task *t, int64_t first, int64_t frames) {
    shape_task(t, frames);
    t->part_first = first;
    const size_t items = (size_t)(t->wave * t->pieces);
    t->sums_of = le_call_scratch(t->call, items * t->item_doubles * sizeof(double));
    t->lost_of =
        t->checks ? le_call_scratch(t->call, items * t->item_lost * sizeof *t->lost_of) : NULL;
    t->lost_any = le_call_scratch(t->call, items * sizeof *t->lost_any);
    if (!t->sums_of || (t->checks && !t->lost_of) || !t->lost_any)
        return le_fail(LE_ERR_MEMORY, "no memory for the sums of %lld bins",
                       (long long)t->table.n_bins);
    return LE_OK;
}

/* Groups from `group` on that are under way together. */
static int64_t groups_of_wave(const task *t, int64_t group) {
    return t->groups - group < t->wave ? t->groups - group : t->wave;
}

static le_status sum_wave(task *t, int64_t group) {
    t->first_frame = t->part_first + group * t->group_frames;
    return le_parallel_for(t->call, (size_t)(groups_of_wave(t, group) * t->pieces), item_range, t);
}

static le_status put_wave(task *t, int64_t group) {
    const int64_t blocks = (t->table.n_bins + BINS - 1) / BINS;
    return le_parallel_for(t->call, (size_t)(groups_of_wave(t, group) * blocks), results_range, t);
}

/* The frames in groups of eight, and the rest; reproducible: all in one. */
typedef struct parts {
    task of[2];
    int n;
} parts;

static le_status open_parts(const task *t, parts *p) {
    const bool whole = le_call_reproducible(t->call);
    const int64_t rest = whole ? 0 : t->setup->frames % MOST_LANES,
                  whole_groups = t->setup->frames - rest;
    le_status status = LE_OK;
    p->n = 0;
    if (whole_groups > 0) {
        p->of[p->n] = *t;
        status = open_part(&p->of[p->n++], 0, whole_groups);
    }
    if (status == LE_OK && rest > 0) {
        p->of[p->n] = *t;
        status = open_part(&p->of[p->n++], whole_groups, rest);
    }
    return status;
}

/* The call's setup, its table, and what follows from the dtype of the values. */
static le_status open_task(le_call *call, le_dtype dtype, task *t) {
    *t = (task){.setup = le__sc_setup_of(call), .call = call, .dtype = dtype};
    t->pixels = t->setup->geometry.rows * t->setup->geometry.cols;
    t->checks = t->setup->has_dummy || dtype == LE_F32 || dtype == LE_F64;
    t->sums = t->setup->model == LE__SC_MODEL_POISSON     ? 2
              : t->setup->model == LE__SC_MODEL_AZIMUTHAL ? 3
                                                          : 1;
    return le__sc_table_of(call, &t->table);
}

/* Doubles of a bin: three sums and four totals of each of eight frames, or of four copies of one. */
static int64_t table_memory(const le_call *call) {
    const int64_t bins = le__sc_setup_bins(le__sc_setup_of(call)),
                  doubles = bins < MANY_BINS ? 2 * WAVE * 88 * bins : 2 * WAVE * 20 * bins;
    return le__sc_table_bytes(call) + doubles * (int64_t)sizeof(double);
}

#endif
