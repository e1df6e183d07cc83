/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Turning the table round, from one by pixels to one by bins: a bin's row has the pixels that have
 * a share in it, in their order.
 */
#ifndef LE_SCATTERING_TURN_H
#define LE_SCATTERING_TURN_H

#include "scattering/table.h"

typedef struct le__sc_turn {
    const le__sc_table *table;
    int64_t pixels;
    const int64_t *at; /* starts of rows, `step` apart */
    int64_t step;
} le__sc_turn;

/* Where a bin's row begins; that of the bin behind the last: how many parts there are. */
static inline int64_t le__sc_turn_begin(const le__sc_turn *turn, int64_t bin) {
    return turn->at[bin * turn->step];
}

/* For prepare and run. The table is borrowed. */
le_status le__sc_turn_of(le_call *call, const le__sc_table *table, le__sc_turn *out);

/* Part `to` of all rows belongs to this pixel. */
typedef void (*le__sc_turn_fn)(void *cookie, int64_t to, int64_t pixel, float share);

/* Calls fn for all parts, from several threads. */
le_status le__sc_turn_all(le_call *call, const le__sc_turn *turn, le__sc_turn_fn fn, void *cookie);

#endif
