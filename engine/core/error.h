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

/* Edit distance, for "did you mean". Long texts are cut at 63 characters. */
int le__edit_distance(const char *a, const char *b);

#endif
