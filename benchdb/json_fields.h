/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Checked reading of the fields of one JSON row, and the line numbers of rows. Each getter returns
 * false and says what is wrong in f->error.
 */
#ifndef LE_BENCHDB_JSON_FIELDS_H
#define LE_BENCHDB_JSON_FIELDS_H

#include "internal.h"

#include <cjson/cJSON.h>

typedef struct le__db_fields {
    const cJSON *row;
    char error[160];
} le__db_fields;

bool le__db_field_fail(le__db_fields *f, const char *format, ...) LE__PRINTF(2, 3);
/* Whether text is UTF-8 without control characters; name is for the error. */
bool le__db_field_clean(le__db_fields *f, const char *name, const char *text);
/* Whether no member of the row occurs twice, and there are not too many. */
bool le__db_field_names(le__db_fields *f);
/* Text of at most max bytes, UTF-8 without control characters. */
bool le__db_field_text(le__db_fields *f, const char *name, size_t max, bool may_be_empty,
                       const char **out);
bool le__db_field_number(le__db_fields *f, const char *name, double min, double max, double *out);
/* null or absent: NaN. */
bool le__db_field_number_or_none(le__db_fields *f, const char *name, double min, double max,
                                 double *out);
bool le__db_field_int(le__db_fields *f, const char *name, int64_t min, int64_t max, int64_t *out);
/* Milliseconds between 2000 and two days from now. */
bool le__db_field_date(le__db_fields *f, const char *name, int64_t *out);
/* One of words (NULL-ended). */
bool le__db_field_word(le__db_fields *f, const char *name, const char *const *words, int *out);
const cJSON *le__db_field_array(le__db_fields *f, const char *name, int max);

/* Line (from 1) of each row of a section of valid JSON text whose root is an object; at most max.
 * Returns how many were found. */
size_t le__db_row_lines(const char *text, size_t size, const char *section, int *lines, size_t max);
/* Occurrence nth (from 0) of a key of the root object; NULL: there is none. */
const char *le__db_find_key(const char *text, size_t size, const char *key, int nth);
int le__db_line_at(const char *text, const char *at);

#endif
