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

static inline bool le__array_resize(void *pointer, size_t bytes) {
    void *array;
    memcpy(&array, pointer, sizeof array); /* of whatever it is an array */
    array = realloc(array, bytes);
    if (array)
        memcpy(pointer, &array, sizeof array);
    return array != NULL;
}

static inline bool le__array_room(void *pointer, size_t n, size_t *capacity, size_t size) {
    size_t more = *capacity ? 2 * *capacity : 16;
    if (n >= *capacity && !le__array_resize(pointer, more * size))
        return false;
    *capacity = n < *capacity ? *capacity : more;
    return true;
}

/* Gives an array room for n elements. False: out of memory, it is as it was. */
#define LE__ARRAY_RESIZE(array, n) le__array_resize(&(array), (size_t)(n) * sizeof *(array))
/* Gives it room for one behind its n, where it has room for so many. False: the same. */
#define LE__ARRAY_ROOM(array, n, capacity)                                                         \
    le__array_room(&(array), (size_t)(n), &(capacity), sizeof *(array))

#endif
