/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Public structs that begin with struct_size, from programs built with an earlier header, whose
 * struct is shorter, or a later one, whose struct is longer: what both know is passed on.
 */
#ifndef LE_STRUCT_H
#define LE_STRUCT_H

#include "core/error.h"

/* Whether such a struct says its size. */
le_status le__struct_check(const void *given, size_t least, const char *what);
/* Takes a caller's struct over into one that holds the defaults. least: bytes that the first
 * version had. Refuses a longer struct that says something in what is not known here. */
le_status le__struct_take(void *known, size_t size, const void *given, size_t least,
                          const char *what);
/* Fills a caller's struct; what is not known here becomes 0. */
le_status le__struct_give(void *given, const void *known, size_t size, size_t least,
                          const char *what);

#endif
