/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts in buffers of fixed size.
 */
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>

le__text le__text_in(char *buffer, size_t size) {
    buffer[0] = '\0';
    return (le__text){.at = buffer, .size = size};
}

void le__text_add(le__text *t, const char *format, ...) {
    size_t room = t->size - t->n;
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(t->at + t->n, room, format, ap);
    va_end(ap);
    if (n > 0)
        t->n += (size_t)n < room ? (size_t)n : room - 1;
}

void le__text_trim(le__text *t) {
    if (t->n && t->at[t->n - 1] == ' ')
        t->at[--t->n] = '\0';
}
