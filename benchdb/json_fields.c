/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Checked reading of JSON rows: see json_fields.h.
 */
#include "json_fields.h"

#include "utf8.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

bool le__db_field_fail(le__db_fields *f, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(f->error, sizeof f->error, format, args);
    va_end(args);
    return false;
}

static const cJSON *get(const le__db_fields *f, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(f->row, name);
}

bool le__db_field_clean(le__db_fields *f, const char *name, const char *text) {
    for (const char *p = text; *p;) {
        size_t n = le__utf8_size(p);
        if (n == 0)
            return le__db_field_fail(f, "%s is not UTF-8", name);
        if (le__utf8_is_control(p))
            return le__db_field_fail(f, "%s has a control character", name);
        p += n;
    }
    return true;
}

enum { MAX_MEMBERS = 64 };

bool le__db_field_names(le__db_fields *f) {
    const char *names[MAX_MEMBERS];
    const cJSON *item;
    size_t n = 0;
    cJSON_ArrayForEach(item, f->row) {
        if (n == MAX_MEMBERS)
            return le__db_field_fail(f, "more than %d members", MAX_MEMBERS);
        for (size_t i = 0; i < n; i++)
            if (strcmp(names[i], item->string) == 0)
                return le__db_field_fail(f, "%.64s occurs twice", names[i]);
        names[n++] = item->string;
    }
    return true;
}

bool le__db_field_text(le__db_fields *f, const char *name, size_t max, bool may_be_empty,
                       const char **out) {
    const cJSON *item = get(f, name);
    if (!cJSON_IsString(item) || !item->valuestring)
        return le__db_field_fail(f, "%s is not a text", name);
    size_t len = strlen(item->valuestring);
    if (len > max || (len == 0 && !may_be_empty))
        return le__db_field_fail(f, "%s has %zu bytes, expected %d to %zu", name, len,
                                 !may_be_empty, max);
    if (!le__db_field_clean(f, name, item->valuestring))
        return false;
    *out = item->valuestring;
    return true;
}

bool le__db_field_number(le__db_fields *f, const char *name, double min, double max, double *out) {
    const cJSON *item = get(f, name);
    if (!cJSON_IsNumber(item))
        return le__db_field_fail(f, "%s is not a number", name);
    if (!(item->valuedouble >= min && item->valuedouble <= max))
        return le__db_field_fail(f, "%s is %g, expected %g to %g", name, item->valuedouble, min,
                                 max);
    *out = item->valuedouble;
    return true;
}

bool le__db_field_number_or_none(le__db_fields *f, const char *name, double min, double max,
                                 double *out) {
    const cJSON *item = get(f, name);
    if (item && !cJSON_IsNull(item))
        return le__db_field_number(f, name, min, max, out);
    *out = (double)NAN;
    return true;
}

bool le__db_field_int(le__db_fields *f, const char *name, int64_t min, int64_t max, int64_t *out) {
    double x = 0;
    if (!le__db_field_number(f, name, (double)min, (double)max, &x))
        return false;
    if (x != floor(x))
        return le__db_field_fail(f, "%s is %g, expected a whole number", name, x);
    *out = (int64_t)x;
    return true;
}

bool le__db_field_date(le__db_fields *f, const char *name, int64_t *out) {
    const int64_t year_2000 = 946684800000, two_days = 172800000;
    int64_t date = 0;
    if (!le__db_field_int(f, name, INT64_MIN / 2048, INT64_MAX / 2048, &date))
        return false;
    if (date < year_2000 || date > le__db_now_ms() + two_days)
        return le__db_field_fail(f, "%s is before 2000 or in the future", name);
    *out = date;
    return true;
}

bool le__db_field_word(le__db_fields *f, const char *name, const char *const *words, int *out) {
    const char *text;
    if (!le__db_field_text(f, name, 64, false, &text))
        return false;
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return true;
        }
    return le__db_field_fail(f, "%s is \"%s\", which is not known", name, text);
}

const cJSON *le__db_field_array(le__db_fields *f, const char *name, int max) {
    const cJSON *item = get(f, name);
    if (cJSON_IsArray(item) && cJSON_GetArraySize(item) <= max)
        return item;
    le__db_field_fail(f, "%s is not a list of at most %d", name, max);
    return NULL;
}

int le__db_line_at(const char *text, const char *at) {
    int line = 1;
    for (const char *p = text; p < at && (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++)
        line++;
    return line;
}

/* One step of a walk over valid JSON: past a string, or one character. */
static const char *skip(const char *p, const char *end) {
    if (*p != '"')
        return p + 1;
    for (p++; p < end && *p != '"'; p++)
        if (*p == '\\')
            p++;
    return p < end ? p + 1 : end;
}

const char *le__db_find_key(const char *text, size_t size, const char *key, int nth) {
    const char *end = text + size;
    size_t len = strlen(key);
    int depth = 0;
    bool name = true; /* not a value */
    for (const char *p = text; p < end; p = skip(p, end)) {
        if (depth == 1 && (*p == ':' || *p == ','))
            name = *p == ',';
        if (depth == 1 && name && *p == '"' && (size_t)(end - p) > len + 2 &&
            memcmp(p + 1, key, len) == 0 && p[len + 1] == '"' && nth-- == 0)
            return p;
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    }
    return NULL;
}

size_t le__db_row_lines(const char *text, size_t size, const char *section, int *lines,
                        size_t max) {
    const char *end = text + size, *p = le__db_find_key(text, size, section, 0);
    size_t n = 0;
    if (!p || !(p = memchr(p, '[', (size_t)(end - p))))
        return 0;
    int depth = 0, line = le__db_line_at(text, p);
    bool expect = true;
    for (const char *next; p < end; p = next) {
        next = skip(p, end);
        if (depth == 1 && expect && !strchr(" \t\r\n]", *p)) {
            if (n < max)
                lines[n] = line;
            n++;
            expect = false;
        }
        if (depth == 1 && *p == ',')
            expect = true;
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        if (depth == 0)
            break;
        line += *p == '\n';
    }
    return n < max ? n : max;
}
