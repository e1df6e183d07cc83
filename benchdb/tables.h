/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A growing array and a map from 64-bit keys to indices. {0} is empty; free data and slots.
 */
#ifndef LE_BENCHDB_TABLES_H
#define LE_BENCHDB_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct le__db_vector {
    void *data;
    size_t n, capacity;
} le__db_vector;

/* One more item of this size, zeroed; NULL when out of memory. Earlier items may move. */
void *le__db_push(le__db_vector *v, size_t size);

typedef struct le__db_map {
    struct {
        int64_t key; /* 0: empty */
        uint32_t value;
    } * slots;
    size_t n, capacity;
} le__db_map;

bool le__db_map_find(const le__db_map *m, int64_t key, uint32_t *value);
/* key: not 0, not in the map yet. false when out of memory. */
bool le__db_map_add(le__db_map *m, int64_t key, uint32_t value);

#endif
