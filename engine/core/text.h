/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts that grow in a buffer of fixed size; what does not fit is cut.
 */
#ifndef LE_ENGINE_TEXT_H
#define LE_ENGINE_TEXT_H

#include <stddef.h>

typedef struct le__text {
    char *at; /* always ends with '\0' */
    size_t size, n;
} le__text;

/* An empty text; size at least 1. */
le__text le__text_in(char *buffer, size_t size);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void le__text_add(le__text *text, const char *format, ...);
/* Takes one space off the end. */
void le__text_trim(le__text *text);

#endif
