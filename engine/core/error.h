/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Error texts (per thread) and the log of an engine.
 */
#ifndef LE_ERROR_H
#define LE_ERROR_H

#include "liquid_engine/le_method.h"

typedef struct le__log {
    le_log_fn fn;
    void *cookie;
    le_log_level level; /* most talkative level that is passed on */
} le__log;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void le__log_write(const le__log *log, le_log_level level, const char *format, ...);

/* How often this thread has given an error its text: tells whether what was called gave one. */
unsigned le__failures(void);
/* What a function of somebody else's has returned, which may have given no text since `before`:
 * that of an older error would stand for it. A status above LE_OK is LE_ERR_INTERNAL. */
le_status le__told(unsigned before, le_status status, const char *who, const char *what);

/* The one of n names that is nearest to `name`, for "did you mean"; NULL: none is near. */
typedef const char *(*le__name_at)(const void *names, size_t i);
const char *le__nearest(const char *name, le__name_at at, const void *names, size_t n);
/* LE_ERR_ARGUMENT: there is no `what` of this name, with those that there are. at: gives NULL for
 * what is none. */
le_status le__fail_name(const char *who, const char *what, const char *name, le__name_at at,
                        const void *names, size_t n);

#endif
