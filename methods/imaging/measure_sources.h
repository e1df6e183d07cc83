/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation measure_sources: its arguments, and which labels get a row.
 */
#ifndef LE_IMAGING_MEASURE_SOURCES_H
#define LE_IMAGING_MEASURE_SOURCES_H

#include "imaging/catalogue.h"

enum {
    MEASURE_IMAGE,
    MEASURE_LABELS,
    MEASURE_INDEX,
    MEASURE_COLUMNS,
    MEASURE_SATURATION,
    MEASURE_CATALOGUE
};

/* Which labels are measured, as places in an array of sums. */
typedef struct le__im_index {
    int64_t rows;         /* of the catalogue */
    int64_t n;            /* labels from 0 to n - 1 have a place */
    const double *labels; /* of each row; NULL: from 1 on */
} le__im_index;

/* largest: the largest label there is. */
le__im_index le__im_index_of(const le_call *call, int64_t largest);
/* Whether label 0 is measured. */
bool le__im_measures_background(const le__im_index *index);
/* Runs fn over rows of a catalogue or their sums, by all threads where they are many. */
le_status le__im_for_rows(le_call *call, size_t rows, le_range_fn fn, void *context);
/* Writes the rows that there is room for, and says how many there are; from outside of loops. */
le_status le__im_put_catalogue(le_call *call, const le__im_index *index, const le__im_sums *sums);

#endif
