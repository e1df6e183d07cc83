/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Items of a scan that the ranks of a job share: each has a range of them, and rank 0 gets what
 * comes of it.
 */
#ifndef LE_TOOLS_SCAN_RANKS_H
#define LE_TOOLS_SCAN_RANKS_H

#include "scan_layout.h"

/* The items that are left to do, in order: those of a share are so many times `unit`, but for the
 * last one's. */
typedef struct scan_shared {
    int64_t *items; /* their numbers */
    int64_t n, unit;
    double *speeds; /* of the ranks; NULL: they are alike */
} scan_shared;

/* Of the items that are left, by their places in that list. */
typedef struct scan_share {
    int64_t begin, end;
} scan_share;

/* Of all items but those in units of which each is done (a byte an item). LE_ERR_MEMORY. */
le_status scan_shared_of(const unsigned char *done, int64_t first, int64_t all, int64_t unit,
                         scan_shared *out);
void scan_shared_free(scan_shared *all);
/* Rank 0 has one whenever there are any. */
scan_share scan_share_of(const scan_shared *all, int rank);
/* How many of the next items of a share lie together. */
int64_t scan_share_run(const scan_shared *all, int64_t at, int64_t end);

/* A result, and where the items of a share are in it. */
typedef struct scan_result {
    le_target *target;
    const scan_layout *layout; /* NULL: a cell an item */
    int64_t elements;          /* of a cell */
    size_t cell_bytes;
} scan_result;

/* All ranks' shares come to rank 0's targets; `bad` has a byte for each item of the list.
 * Collective. */
le_status scan_ranks_gather(const scan_result *results, int n_results, char *bad,
                            const scan_shared *all);

#endif
