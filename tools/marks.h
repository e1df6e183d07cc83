/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sources of a catalogue as circles in the image.
 */
#ifndef LE_TOOLS_MARKS_H
#define LE_TOOLS_MARKS_H

#include "liquid_engine/le_method.h"

typedef struct mark {
    double row, column, radius; /* pixels from 0, at their centres */
    int64_t label;
} mark;

/* Of a table with columns label, center_of_mass_0 and _1, and for the radius the boxes
 * bbox_0_start, bbox_0_stop ...; rows without a centre have theirs in the middle of their box, rows
 * without either no mark. *out is the caller's to free. */
le_status marks_of(const le_arg_desc *d, const le_tensor *table, mark **out, size_t *n);
/* The same as regions of SAOImage DS9, in the pixels of the image, which count from 1 there. */
le_status marks_write_regions(const char *file, const mark *marks, size_t n);

#endif
