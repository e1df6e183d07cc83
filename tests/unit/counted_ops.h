/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Toy operations with counted outputs: `above` lists the pixels of an image that are above a level
 * as rows (number of the pixel, value), first pixel first; `doubled` doubles the values of such
 * rows; `summed` adds them up. `above` may be told to make room for few. `peaks` lists pixels that
 * are above their neighbours in the lines before and behind, as (line, column, value).
 * `spots` makes a catalogue of the pixels above a level, with names of columns and without their
 * places on the sky, and labels.
 */
#ifndef LE_COUNTED_OPS_H
#define LE_COUNTED_OPS_H

#include "liquid_engine/le_method.h"

enum { ABOVE_IMAGE, ABOVE_LEVEL, ABOVE_ROOM, ABOVE_ROWS };

extern const le_operation counted_above, counted_doubled, counted_summed, counted_peaks, counted_spots;
extern const le_implementation counted_above_reference, counted_above_c, counted_above_opencl;

/* Image rows of the call, for items. */
size_t counted_height(const le_call *call);
/* Registers the operations with their references, `above` with all implementations. */
le_status counted_register(le_engine *engine);
/* Times that `above` was begun by `c` in this process. */
extern _Atomic int counted_runs;

#endif
