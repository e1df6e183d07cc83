/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts in buffers of fixed size.
 */
#include "core/text.h"
#include "liquid_engine/le_method.h"
#include "numbers.h"

#include <stdarg.h>

le__text le__text_in(char *buffer, size_t size) {
    buffer[0] = '\0';
    return (le__text){.at = buffer, .size = size};
}

void le__text_add(le__text *t, const char *format, ...) {
    size_t room = t->size - t->n;
    va_list ap;
    va_start(ap, format);
    int n = le__number_vprint(t->at + t->n, room, format, ap);
    va_end(ap);
    if (n > 0)
        t->n += (size_t)n < room ? (size_t)n : room - 1;
}

double le_number(const char *text, char **end) {
    return le__number_parse(text, end);
}

void le__text_trim(le__text *t) {
    if (t->n && t->at[t->n - 1] == ' ')
        t->at[--t->n] = '\0';
}
