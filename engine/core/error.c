/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Status texts, the per-thread error text and the log.
 */
#include "core/error.h"

#include "core/text.h"
#include "numbers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];
static _Thread_local unsigned failures;

const char *le_status_text(le_status status) {
    switch (status) {
#define LE_X(name, value, text)                                                                    \
    case name:                                                                                     \
        return text;
        LE_STATUS_MAP(LE_X)
#undef LE_X
    }
    return "unknown status";
}

const char *le_error_message(void) {
    return message;
}

unsigned le__failures(void) {
    return failures;
}

const char *le_version(void) {
    return LE_VERSION;
}

le_status le_fail(le_status status, const char *format, ...) {
    char text[sizeof message]; /* the arguments may point into message */
    va_list ap;
    va_start(ap, format);
    le__number_vprint(text, sizeof text, format, ap);
    va_end(ap);
    memcpy(message, text, sizeof message);
    failures++;
    return status;
}

void le__log_write(const le__log *log, le_log_level level, const char *format, ...) {
    if (!log->fn || level > log->level)
        return;
    char text[1024];
    va_list ap;
    va_start(ap, format);
    le__number_vprint(text, sizeof text, format, ap);
    va_end(ap);
    log->fn(log->cookie, level, text);
}

/* Long texts are cut. */
static int edit_distance(const char *a, const char *b) {
    enum { MAX = 64 };
    size_t na = strnlen(a, MAX - 1), nb = strnlen(b, MAX - 1);
    int row[MAX];
    for (size_t j = 0; j <= nb; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int replace = diagonal + (a[i - 1] != b[j - 1]);
            int change = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replace < change ? replace : change;
        }
    }
    return row[nb];
}

const char *le__nearest(const char *name, le__name_at at, const void *names, size_t n) {
    const char *best = NULL;
    int best_distance = 4;
    for (size_t i = 0; i < n; i++) {
        int distance = at(names, i) ? edit_distance(name, at(names, i)) : best_distance;
        if (distance < best_distance) {
            best_distance = distance;
            best = at(names, i);
        }
    }
    return best;
}

le_status le__fail_name(const char *who, const char *what, const char *name, le__name_at at,
                        const void *names, size_t n) {
    char list[512];
    le__text text = le__text_in(list, sizeof list);
    const char *near = name ? le__nearest(name, at, names, n) : NULL;
    for (size_t i = 0; i < n; i++)
        if (at(names, i))
            le__text_add(&text, "%s%s", text.n ? ", " : "", at(names, i));
    return le_fail(LE_ERR_ARGUMENT, "%s: there is no %s '%s'%s%s%s; expected one of %s", who, what,
                   name ? name : "(null)", near ? " (did you mean '" : "", near ? near : "",
                   near ? "'?)" : "", list);
}
