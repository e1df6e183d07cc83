/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The growing array and the map of tables.h.
 */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

void *le__db_push(le__db_vector *v, size_t size) {
    if (v->n == v->capacity) {
        size_t capacity = v->capacity ? 2 * v->capacity : 32;
        void *data = realloc(v->data, capacity * size);
        if (!data)
            return NULL;
        v->data = data;
        v->capacity = capacity;
    }
    void *item = (char *)v->data + size * v->n++;
    memset(item, 0, size);
    return item;
}

static size_t map_slot(const le__db_map *m, int64_t key) {
    size_t at = (size_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 32) & (m->capacity - 1);
    while (m->slots[at].key != 0 && m->slots[at].key != key)
        at = (at + 1) & (m->capacity - 1);
    return at;
}

bool le__db_map_find(const le__db_map *m, int64_t key, uint32_t *value) {
    if (m->capacity == 0)
        return false;
    size_t at = map_slot(m, key);
    *value = m->slots[at].value;
    return m->slots[at].key != 0;
}

bool le__db_map_add(le__db_map *m, int64_t key, uint32_t value) {
    if (2 * m->n >= m->capacity) {
        le__db_map bigger = {.capacity = m->capacity ? 2 * m->capacity : 64};
        bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
        if (!bigger.slots)
            return false;
        for (size_t i = 0; i < m->capacity; i++)
            if (m->slots[i].key != 0)
                bigger.slots[map_slot(&bigger, m->slots[i].key)] = m->slots[i];
        bigger.n = m->n;
        free(m->slots);
        *m = bigger;
    }
    size_t at = map_slot(m, key);
    m->slots[at].key = key;
    m->slots[at].value = value;
    m->n++;
    return true;
}
