/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Numbers as text, written and read as in the C locale whatever the program has set: keys of the
 * database, JSON, options and messages must not depend on it. Any thread at any time.
 */
#ifndef LE_BENCHDB_NUMBERS_H
#define LE_BENCHDB_NUMBERS_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

/* From here on this thread writes and reads numbers as in the C locale, until the end. */
locale_t le__numbers_begin(void);
void le__numbers_end(locale_t before);

/* As strtod, snprintf and vsnprintf. */
double le__number_parse(const char *text, char **end);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int le__number_print(char *out, size_t size, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
int le__number_vprint(char *out, size_t size, const char *format, va_list args);

/* As cJSON_Print (spaced) or cJSON_PrintUnformatted; free() the text. */
char *le__json_print(const struct cJSON *item, int spaced);
/* Spaced and for others to read: with U+FFFD for bytes that are no UTF-8, as paths may have. */
char *le__json_show(const struct cJSON *item);
/* Takes the item; NULL becomes null. Without memory it is freed, and the object lacks it. */
void le__json_add(struct cJSON *object, const char *name, struct cJSON *item);
/* null where it is not finite, which JSON has no word for. */
void le__json_add_number(struct cJSON *object, const char *name, double value);
/* Of an object that may be NULL: NAN, or "", where it has no number or text of the name. */
double le__json_number(const struct cJSON *object, const char *name);
const char *le__json_text(const struct cJSON *object, const char *name);
/* As cJSON_ParseWithLengthOpts: size counts the final '\0', *end (may be NULL) is where it went
 * wrong, and nothing may follow. */
struct cJSON *le__json_parse(const char *text, size_t size, const char **end);

#endif
