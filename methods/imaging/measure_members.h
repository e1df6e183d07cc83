/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A row of a catalogue as its columns are defined.
 */
#ifndef LE_IMAGING_MEASURE_MEMBERS_H
#define LE_IMAGING_MEASURE_MEMBERS_H

#include "imaging/measure_sources.h"

/* Pixels by the place of their label in an index, in row-major order: those of place l are
 * pixels[begin[l]] to pixels[begin[l + 1]], exclusively. */
typedef struct le__im_members {
    const le__im_index *index;
    const int64_t *begin, *pixels;
} le__im_members;

/* memory: room for as many numbers as pixels, and places + 2. */
le__im_members le__im_members_of(const le_tensor *labels, const le__im_index *index,
                                 int64_t *memory);
void le__im_measure_reference(const le_tensor *image, const le__im_table *table,
                              const le__im_members *members, double label, double *row);

#endif
