/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Structs of earlier and later headers.
 */
#include "core/struct.h"

#include <string.h>

enum { MOST_BYTES = 1 << 16 }; /* more was never set */

static size_t size_of(const void *given) {
    size_t size = 0;
    if (given)
        memcpy(&size, given, sizeof size);
    return size;
}

le_status le__struct_check(const void *given, size_t least, const char *what) {
    size_t size = size_of(given);
    if (size >= least && size <= MOST_BYTES)
        return LE_OK;
    return le_fail(LE_ERR_ARGUMENT, "%s: struct_size is %zu, expected the sizeof of the struct",
                   what, size);
}

le_status le__struct_take(void *known, size_t size, const void *given, size_t least,
                          const char *what) {
    size_t theirs = size_of(given);
    le_status status = le__struct_check(given, least, what);
    for (size_t i = size; status == LE_OK && i < theirs; i++)
        if (((const char *)given)[i])
            status = le_fail(LE_ERR_UNSUPPORTED,
                             "%s: byte %zu of the struct is set, this library knows %zu: a newer "
                             "one is needed",
                             what, i, size);
    if (status != LE_OK)
        return status;
    memcpy(known, given, theirs < size ? theirs : size);
    memcpy(known, &size, sizeof size);
    return LE_OK;
}

le_status le__struct_give(void *given, const void *known, size_t size, size_t least,
                          const char *what) {
    size_t theirs = size_of(given);
    le_status status = le__struct_check(given, least, what);
    if (status != LE_OK)
        return status;
    memset(given, 0, theirs);
    memcpy(given, known, theirs < size ? theirs : size);
    memcpy(given, &theirs, sizeof theirs);
    return LE_OK;
}
