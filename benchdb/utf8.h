/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts of others, such as paths, names and reasons, whose bytes may be anything. Any thread at any
 * time.
 */
#ifndef LE_BENCHDB_UTF8_H
#define LE_BENCHDB_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#define LE__NO_CHARACTER "\xef\xbf\xbd" /* U+FFFD, for bytes that are none */

/* Bytes of the UTF-8 character at p; 0: there is none. Surrogates, overlong forms and what lies
 * above U+10FFFF are none. */
size_t le__utf8_size(const char *p);
/* Whether the character at p is one for control, as the end of a line. */
bool le__utf8_is_control(const char *p);
/* Whether the text ends within the character that begins at p, as snprintf leaves one behind that had
 * no room. */
bool le__utf8_is_cut_off(const char *p);
bool le__utf8_is_line(const char *text);
/* Makes one line of UTF-8 of whatever text is, in place: spaces for control characters, question
 * marks for what is no character; of one that was cut off at the end nothing stays. */
void le__utf8_make_line(char *text);
/* Both texts as such a line, as far as there is room. */
void le__utf8_put_line(char *out, size_t size, const char *before, const char *text);

#endif
