/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Lengths of rows first, then their parts, in pieces of the pixels that threads go through.
 */
#include "scattering/turn.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PIECES = 16 };

typedef struct turning {
    const le__sc_turn *turn;
    int64_t *counts; /* of each bin in each piece of pixels, piece fastest; then where they begin */
    le__sc_turn_fn fn; /* NULL: count */
    void *cookie;
} turning;

static void pieces_range(void *context, size_t begin, size_t end, int worker) {
    const turning *t = context;
    const le__sc_table *table = t->turn->table;
    const int64_t pieces = t->turn->step, pixels = t->turn->pixels;
    (void)worker;
    for (int64_t piece = (int64_t)begin; piece < (int64_t)end; piece++)
        for (int64_t p = pixels * piece / pieces; p < pixels * (piece + 1) / pieces; p++) {
            le__sc_part pair[2];
            const le__sc_part *part;
            const int64_t n =
                table->normalization[p] == 0 ? 0 : le__sc_parts_of(table, p, pair, &part);
            for (int64_t k = 0; k < n; k++) {
                if (part[k].share == 0)
                    continue;
                const int64_t to = t->counts[part[k].bin * pieces + piece]++;
                if (t->fn)
                    t->fn(t->cookie, to, p, part[k].share);
            }
        }
}

static le_status fill_starts(le_call *call, void *data, size_t bytes, void *cookie) {
    const le__sc_turn *turn = cookie;
    const int64_t cells = turn->table->n_bins * turn->step;
    turning t = {.turn = turn, .counts = data};
    int64_t total = 0;
    memset(data, 0, bytes);
    le_status status = le_parallel_for(call, (size_t)turn->step, pieces_range, &t);
    for (int64_t k = 0; k <= cells; k++) {
        const int64_t here = t.counts[k];
        t.counts[k] = total;
        total += here;
    }
    return status;
}

/* So that the counts are no more than the pixels. */
static int64_t pieces_of(int64_t pixels, int64_t bins) {
    const int64_t n = pixels / bins;
    return n < 1 ? 1 : n > MOST_PIECES ? MOST_PIECES : n;
}

le_status le__sc_turn_of(le_call *call, const le__sc_table *table, le__sc_turn *out) {
    const le__sc_setup *s = le__sc_setup_of(call);
    char key[64];
    const void *data;
    *out = (le__sc_turn){.table = table, .pixels = s->geometry.rows * s->geometry.cols};
    out->step = pieces_of(out->pixels, table->n_bins);
    snprintf(key, sizeof key, "starts %016llx%016llx", (unsigned long long)table->identity[0],
             (unsigned long long)table->identity[1]);
    le_status status =
        le_call_keep(call, key, (size_t)(table->n_bins * out->step + 1) * sizeof *out->at,
                     fill_starts, out, &data);
    out->at = data;
    return status;
}

le_status le__sc_turn_all(le_call *call, const le__sc_turn *turn, le__sc_turn_fn fn, void *cookie) {
    const size_t bytes = (size_t)(turn->table->n_bins * turn->step) * sizeof *turn->at;
    turning t = {.turn = turn, .counts = le_call_scratch(call, bytes), .fn = fn, .cookie = cookie};
    if (!t.counts)
        return le_fail(LE_ERR_MEMORY, "no memory to turn a table of %lld bins round",
                       (long long)turn->table->n_bins);
    memcpy(t.counts, turn->at, bytes);
    return le_parallel_for(call, (size_t)turn->step, pieces_range, &t);
}
