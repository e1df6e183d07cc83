/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts of others, such as paths and names, whose bytes may be anything.
 */
#ifndef LE_BENCHDB_UTF8_H
#define LE_BENCHDB_UTF8_H

#include <stddef.h>

#define LE__NO_CHARACTER "\xef\xbf\xbd" /* U+FFFD, for bytes that are none */

/* Bytes of the UTF-8 character at p; 0: there is none. Surrogates, overlong forms and what lies
 * above U+10FFFF are none. */
size_t le__utf8_size(const char *p);

#endif
