/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arrays that grow.
 */
#ifndef LE_ARRAY_H
#define LE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

static inline bool le__array_resize(void *pointer, size_t bytes) {
    void *array;
    memcpy(&array, pointer, sizeof array); /* of whatever it is an array */
    array = realloc(array, bytes);
    if (array)
        memcpy(pointer, &array, sizeof array);
    return array != NULL;
}

/* Gives an array room for n elements. False: out of memory, it is as it was. */
#define LE__ARRAY_RESIZE(array, n) le__array_resize(&(array), (size_t)(n) * sizeof *(array))

#endif
