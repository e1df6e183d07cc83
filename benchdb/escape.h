/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts in XML and HTML.
 */
#ifndef LE_BENCHDB_ESCAPE_H
#define LE_BENCHDB_ESCAPE_H

#include <stdio.h>

/* Writes text with &, <, > and quotes escaped, for attributes too. */
static inline void le__escape(FILE *out, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            fputc(*text, out);
        }
}

#endif
