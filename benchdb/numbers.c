/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Numbers as text: a C locale for the calling thread while it formats or parses.
 */
#include "numbers.h"

#include "utf8.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale; /* 0 when out of memory: then the program's stays */

static void make_locale(void) {
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t le__numbers_begin(void) {
    pthread_once(&once, make_locale);
    return uselocale(c_locale);
}

void le__numbers_end(locale_t before) {
    uselocale(before);
}

double le__number_parse(const char *text, char **end) {
    locale_t before = le__numbers_begin();
    double v = strtod(text, end);
    le__numbers_end(before);
    return v;
}

int le__number_vprint(char *out, size_t size, const char *format, va_list args) {
    locale_t before = le__numbers_begin();
    int n = vsnprintf(out, size, format, args);
    le__numbers_end(before);
    return n;
}

int le__number_print(char *out, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = le__number_vprint(out, size, format, args);
    va_end(args);
    return n;
}

char *le__json_print(const cJSON *item, int spaced) {
    locale_t before = le__numbers_begin();
    char *text = spaced ? cJSON_Print(item) : cJSON_PrintUnformatted(item);
    le__numbers_end(before);
    return text;
}

/* JSON is UTF-8, paths and names of others may be anything. NULL: out of memory. */
static char *made_utf8(char *text) {
    size_t bad = 0;
    for (const char *p = text; *p;) {
        size_t n = le__utf8_size(p);
        bad += n == 0;
        p += n ? n : 1;
    }
    if (bad == 0)
        return text;
    char *good = malloc(strlen(text) + bad * (sizeof LE__NO_CHARACTER - 1) + 1), *to = good;
    for (const char *p = text; good && *p;) {
        size_t n = le__utf8_size(p);
        to = n ? mempcpy(to, p, n) : stpcpy(to, LE__NO_CHARACTER);
        p += n ? n : 1;
    }
    if (good)
        *to = '\0';
    free(text);
    return good;
}

char *le__json_show(const cJSON *item) {
    char *text = le__json_print(item, 1);
    return text ? made_utf8(text) : NULL;
}

double le__json_number(const cJSON *object, const char *name) {
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(n) ? n->valuedouble : NAN;
}

const char *le__json_text(const cJSON *object, const char *name) {
    const cJSON *s = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(s) ? s->valuestring : "";
}

void le__json_add(cJSON *object, const char *name, cJSON *item) {
    cJSON *added = item ? item : cJSON_CreateNull();
    if (!cJSON_AddItemToObject(object, name, added))
        cJSON_Delete(added);
}

void le__json_add_number(cJSON *object, const char *name, double value) {
    if (isfinite(value))
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

cJSON *le__json_parse(const char *text, size_t size, const char **end) {
    locale_t before = le__numbers_begin();
    cJSON *item = cJSON_ParseWithLengthOpts(text, size, end, 1);
    le__numbers_end(before);
    return item;
}
