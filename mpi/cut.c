/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Shares of the items.
 */
#include "cut.h"

#include <math.h>
#include <stdlib.h>

enum { REPRODUCIBLE_ITEMS = 64, BLOCKS_A_RANK = 32, BLOCK_HALOS = 8 };

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t block_items(const le_slabs *s, le__cutting how, int ranks) {
    int64_t multiple = s->multiple > 0 ? s->multiple : 1;
    const int64_t share = divide_up(s->items, ranks);
    int64_t items = how == LE__CUT_REPRODUCIBLY ? REPRODUCIBLE_ITEMS
                    : how == LE__CUT_SMALL      ? divide_up(s->items, ranks * BLOCKS_A_RANK)
                                                : share;
    if (how == LE__CUT_SMALL && items < BLOCK_HALOS * s->halo) /* which are computed twice */
        items = BLOCK_HALOS * s->halo < share ? BLOCK_HALOS * s->halo : share;
    items = divide_up(items, multiple) * multiple;
    return items > 0 ? items : multiple;
}

/* One for each rank, of a multiple at least. */
static le_status cut_by_speed(const le_slabs *s, int ranks, const double *speeds, le__blocks *out) {
    const int64_t multiple = s->multiple > 0 ? s->multiple : 1;
    const int64_t units = divide_up(s->items, multiple);
    double all = 0, before = 0;
    int64_t begin = 0;
    *out = (le__blocks){.list = calloc((size_t)ranks, sizeof *out->list)};
    if (!out->list)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    for (int r = 0; r < ranks; r++)
        all += speeds[r];
    for (int r = 0; r < ranks; r++) {
        const int64_t most = units - (ranks - 1 - r);
        before += speeds[r];
        int64_t end = r + 1 < ranks ? llround((double)units * (before / all)) : units;
        end = end > most ? most : end <= begin ? begin + 1 : end;
        out->list[out->n++] = le_slab_range_of(
            s, begin * multiple, end * multiple < s->items ? end * multiple : s->items);
        begin = end;
    }
    return LE_OK;
}

le_status le__cut(const le_slabs *s, le__cutting how, int ranks, const double *speeds,
                  const unsigned char *done, le__blocks *out) {
    if (how == LE__CUT_EVENLY && speeds && !done &&
        divide_up(s->items, s->multiple > 0 ? s->multiple : 1) >= ranks)
        return cut_by_speed(s, ranks, speeds, out);
    int64_t block = block_items(s, how, ranks);
    *out = (le__blocks){
        .list = calloc((size_t)(2 * divide_up(s->items, block) + 1), sizeof *out->list)};
    if (!out->list)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    /* blocks of other sizes may be done; what is left of one block is at most two pieces of it */
    for (int64_t begin = 0, end; begin < s->items; begin = end) {
        int64_t most = (begin / block + 1) * block;
        for (end = begin; end < s->items && end < most && !(done && done[end]);)
            end++;
        if (end > begin)
            out->list[out->n++] = le_slab_range_of(s, begin, end);
        while (end < s->items && done && done[end])
            end++;
    }
    return LE_OK;
}
