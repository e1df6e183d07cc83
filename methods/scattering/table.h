/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The shares of all pixels as kept data, and the sums over bins that are the same for every frame.
 *
 * Most pixels have a share in one bin, or in two that follow each other: their entry has the first
 * of them and its share, the other one has the rest. Pixels with other shares point to a list.
 * Pixels that are left out belong to a bin behind the last.
 */
#ifndef LE_SCATTERING_TABLE_H
#define LE_SCATTERING_TABLE_H

#include "scattering/pixels.h"
#include "scattering/results.h"

#define LE__SC_LISTED 0x80000000u

typedef struct le__sc_entry {
    uint32_t bin; /* or LE__SC_LISTED and where the list begins */
    union {
        float share;    /* the smaller of two; see le__sc_shares */
        uint32_t count; /* of the list */
    } as;
} le__sc_entry;

/* Shares of the bin of an entry and of the next one. The smaller one is kept, less than 0 when it
 * is that of the next bin, so that both have all digits of f32; of two of which one is less than 0
 * the larger one. */
static inline void le__sc_shares(float share, double out[2]) {
    const double c = (double)share;
    out[0] = c < 0 ? 1 + c : c;
    out[1] = c < 0 ? -c : 1 - c;
}

/* Whether a pixel has more than two bins that follow each other. */
static inline bool le__sc_is_listed(const le__sc_share *s) {
    return s->count[0] > 2 || s->count[1] > 1;
}

/* Of a pixel that has not. Round the beam a share may be less than 0, and the other one above 1. */
static inline float le__sc_share_of(const le__sc_share *s) {
    const double first = s->count[0] == 1 ? 1 : s->weight[0];
    const bool whole = first >= 1 || (first >= 0 && first <= 0.5);
    return whole ? (float)first : -(float)(1 - first);
}

/* A sum and what rounding took off: nearly all of it can be taken away again. */
typedef struct le__sc_total {
    double sum, rest;
} le__sc_total;

static inline void le__sc_total_add(le__sc_total *t, double x) {
    const double sum = t->sum + x, part = sum - t->sum;
    t->rest += (t->sum - (sum - part)) + (x - part);
    t->sum = sum;
}

static inline void le__sc_total_join(le__sc_total *t, const le__sc_total *more) {
    le__sc_total_add(t, more->sum);
    t->rest += more->rest;
}

static inline double le__sc_total_without(const le__sc_total *t, const le__sc_total *lost) {
    return (t->sum - lost->sum) + (t->rest - lost->rest);
}

/* What of a bin's sums does not depend on the frame; see le__sc_sums. */
typedef struct le__sc_known {
    le__sc_total normalization, normalization2, variance, count;
} le__sc_known;

static inline void le__sc_known_add(le__sc_known *k, double c, double w, double v) {
    le__sc_total_add(&k->normalization, c * w);
    le__sc_total_add(&k->normalization2, c * c * w * w);
    if (v != 0)
        le__sc_total_add(&k->variance, c * c * v);
    le__sc_total_add(&k->count, c);
}

static inline void le__sc_known_join(le__sc_known *k, const le__sc_known *more) {
    le__sc_total_join(&k->normalization, &more->normalization);
    le__sc_total_join(&k->normalization2, &more->normalization2);
    le__sc_total_join(&k->variance, &more->variance);
    le__sc_total_join(&k->count, &more->count);
}

typedef struct le__sc_part {
    uint32_t bin;
    float share;
} le__sc_part;

typedef struct le__sc_table {
    le__sc_bins bins;
    int64_t n_bins;
    const le__sc_entry *entries; /* one a pixel */
    const float *normalization;  /* one a pixel; 0: left out */
    const le__sc_part *lists;
    /* Of the pixels that every frame has. variance: of given variances, or of 1 where pixels are
     * counted; over normalization^2 where pixels are not weighted. */
    const le__sc_known *sums;
    const float *dark, *variance; /* NULL: none, or given variances; else one a pixel */
    uint64_t identity[2];         /* the same for the same entries */
} le__sc_table;

/* The parts of a pixel, at most two of them in `pair`; how many. */
static inline int64_t le__sc_parts_of(const le__sc_table *t, int64_t pixel, le__sc_part pair[2],
                                      const le__sc_part **out) {
    const le__sc_entry e = t->entries[pixel];
    double c[2];
    *out = pair;
    if (e.bin & LE__SC_LISTED) {
        *out = t->lists + (e.bin & ~LE__SC_LISTED);
        return e.as.count;
    }
    le__sc_shares(e.as.share, c);
    pair[0] = (le__sc_part){e.bin, (float)c[0]};
    pair[1] = (le__sc_part){e.bin + 1, (float)c[1]};
    return c[1] != 0 ? 2 : 1;
}

/* For prepare and run. */
le_status le__sc_table_of(le_call *call, le__sc_table *out);
/* Bytes that are kept, about. */
int64_t le__sc_table_bytes(const le_call *call);

#endif
