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

/* Shares of the bin of an entry and of the next one. The smaller one is kept, less than 0 when it is
 * that of the next bin, so that both have all digits of f32. */
static inline void le__sc_shares(float share, double out[2]) {
    const double c = (double)share;
    out[0] = c < 0 ? 1 + c : c;
    out[1] = c < 0 ? -c : 1 - c;
}

typedef struct le__sc_part {
    uint32_t bin;
    float share;
} le__sc_part;

typedef struct le__sc_table {
    le__sc_bins bins;
    int64_t n_bins;
    const le__sc_entry *entries;  /* one a pixel */
    const float *normalization;   /* one a pixel; 0: left out */
    const le__sc_part *lists;
    /* Of the pixels that every frame has. variance: of given variances, or of 1 where pixels are
     * counted; over normalization^2 where pixels are not weighted. */
    const le__sc_sums *sums;
    const float *dark, *variance; /* NULL: none, or given variances; else one a pixel */
} le__sc_table;

/* For prepare and run. */
le_status le__sc_table_of(le_call *call, le__sc_table *out);
/* Bytes that are kept, about. */
int64_t le__sc_table_bytes(const le_call *call);

#endif
