/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts in XML and HTML.
 */
#ifndef LE_BENCHDB_ESCAPE_H
#define LE_BENCHDB_ESCAPE_H

#include <stdio.h>

/* Writes text with &, <, > and quotes escaped, for attributes too. What XML has no character for
 * (bytes that are no UTF-8, control characters) is U+FFFD; the beginning of a character that was
 * cut off at the end is left out. */
void le__escape(FILE *out, const char *text);

#endif
