/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Keeping verdicts. What a status and its text say of the code decides how far a verdict reaches.
 */
#ifndef LE_VERDICTS_H
#define LE_VERDICTS_H

#include "choose/dispatch.h"

bool le__verdict_is_of_code(le_status status); /* and not of this machine's state just now */

/* Mutex of the operation held for the first two. error may be NULL. store: in the database, too. */
void le__verdict_keep(le__dispatch *d, le__question *q, le__proof *p, int size_class,
                      le__state state, const le__error_profile *error, const char *reason,
                      bool store);
/* Of a failure: failed there, or quarantined with all its variants where it breaks things. */
void le__verdict_keep_failure(le__dispatch *d, le__question *q, le__proof *p, int size_class,
                              le_status status, const le__error_profile *error, const char *reason);
void le__verdict_log(const le__dispatch *d, const le__question *q, const le__proof *p,
                     const char *reason);

#endif
