/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Status texts, the per-thread error text and the log.
 */
#include "core/error.h"

#include "core/text.h"
#include "core/thread_local.h"
#include "numbers.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* In memory of its own: what a library keeps for each thread has to be small (core/thread_local.h). */
enum { MESSAGE = 1024 };
static LE__THREAD_LOCAL char *message; /* NULL: none was told, or there was no memory for it */
static LE__THREAD_LOCAL unsigned failures;

static pthread_key_t ends_with_thread;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void forget_message(void *of_this_thread) {
    free(of_this_thread);
    message = NULL;
}

static void make_key(void) {
    has_key = pthread_key_create(&ends_with_thread, forget_message) == 0;
}

/* Threads may outlive the library. */
__attribute__((destructor)) static void delete_key(void) {
    if (has_key)
        pthread_key_delete(ends_with_thread);
}

static void make_message(void) {
    pthread_once(&once, make_key);
    if (!has_key || !(message = malloc(MESSAGE)))
        return;
    if (pthread_setspecific(ends_with_thread, message) != 0)
        forget_message(message);
}

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
    return message ? message : failures ? "no memory for the text of an error" : "";
}

unsigned le__failures(void) {
    return failures;
}

le_status le__told(unsigned before, le_status status, const char *who, const char *what) {
    const le_status known = status > LE_OK ? LE_ERR_INTERNAL : status;
    if (status == LE_OK || (known == status && failures != before))
        return status;
    return le_fail(known, "%s: %s failed without a reason: %s", who, what, le_status_text(status));
}

const char *le_version(void) {
    return LE_VERSION;
}

le_status le_fail(le_status status, const char *format, ...) {
    char text[MESSAGE]; /* the arguments may point into message */
    va_list ap;
    va_start(ap, format);
    le__number_vprint(text, sizeof text, format, ap);
    va_end(ap);
    if (!message)
        make_message();
    if (message)
        memcpy(message, text, sizeof text);
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
