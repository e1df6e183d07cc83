/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arrays that grow by one element at a time.
 */
#ifndef LE_ARRAY_H
#define LE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/* The array with room for one element behind its n; NULL: out of memory, it is as it was. */
static inline void *le__array_room(void *array, size_t n, size_t *capacity, size_t size) {
    if (n < *capacity)
        return array;
    size_t more = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(array, more * size);
    if (grown)
        *capacity = more;
    return grown;
}

#endif
