/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * "Did you mean": the nearest of some names.
 */
#ifndef LE_TOOLS_SUGGEST_H
#define LE_TOOLS_SUGGEST_H

#include <stddef.h>

/* Edit distance (insert, delete, replace, swap of neighbours), without regard to case; names beyond
 * 63 bytes are infinitely far. */
int suggest_distance(const char *a, const char *b);

/* A search under way: offer every name, then read best; NULL: none is near enough. */
typedef struct suggest {
    const char *wanted;
    const char *best;
    int distance;
} suggest;

void suggest_offer(suggest *s, const char *name);

#endif
