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
    int64_t n;            /* places */
    const double *labels; /* of each row; NULL: from 1 on */
    const double *listed; /* labels of the places, in ascending order; NULL: 0 to n - 1 */
} le__im_index;

/* largest: the largest label there is. Without an index places are those of rows that there is room
 * for. */
le__im_index le__im_index_of(const le_call *call, int64_t largest);
/* Whether the index has labels beyond the number of pixels. */
bool le__im_index_is_far(const le_call *call);
/* Lists the labels of the rows where they are more than `most` otherwise, for memory would follow
 * the largest label. */
le_status le__im_list_index(le_call *call, int64_t most, le__im_index *index);
/* -1: none. */
int64_t le__im_place_of(const le__im_index *index, double label);
/* Whether label 0 is measured. */
bool le__im_measures_background(const le__im_index *index);
/* Runs fn over rows of a catalogue or their sums, by all threads where they are many. */
le_status le__im_for_rows(le_call *call, size_t rows, le_range_fn fn, void *context);
/* How many rows the catalogue has. */
void le__im_count_rows(le_call *call, const le__im_index *index);
/* Writes the rows that there is room for, and says how many there are; from outside of loops. */
le_status le__im_put_catalogue(le_call *call, const le__im_index *index, const le__im_sums *sums);

#endif
