/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts in XML and HTML, whatever their bytes are.
 */
#include "escape.h"

#include "utf8.h"

#include <string.h>

static const char *entity_of(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Whether XML has such a character. */
static bool is_allowed(const char *p, size_t n) {
    if (n == 1)
        return (unsigned char)*p >= 0x20 || strchr("\t\n\r", *p);
    return n > 1 && memcmp(p, "\xef\xbf\xbe", 3) != 0 && memcmp(p, "\xef\xbf\xbf", 3) != 0;
}

void le__escape(FILE *out, const char *text) {
    while (*text) {
        const size_t n = le__utf8_size(text);
        const char *entity = entity_of(*text);
        if (n == 0 && le__utf8_is_cut_off(text))
            return;
        if (entity)
            fputs(entity, out);
        else if (is_allowed(text, n))
            fwrite(text, 1, n, out);
        else
            fputs(LE__NO_CHARACTER, out);
        text += n ? n : 1;
    }
}
