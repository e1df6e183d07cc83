/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Keeping verdicts. What a status and its text say of the code decides how far a verdict reaches.
 */
#ifndef LE_VERDICTS_H
#define LE_VERDICTS_H

#include "choose/dispatch.h"

bool le__verdict_is_of_code(le_status status); /* and not of this machine's state just now */
bool le__is_of_memory(le_status status);       /* there was not enough */

/* Mutex of the operation held for all but the last. error may be NULL. store: in the database. */
void le__verdict_keep(le__dispatch *d, le__question *q, le__proof *p, int size_class,
                      le__state state, const le__error_profile *error, const char *reason,
                      bool store);
/* Of a failure: failed there, or quarantined with all its variants where it breaks things. */
void le__verdict_keep_failure(le__dispatch *d, le__question *q, le__proof *p, int size_class,
                              le_status status, const le__error_profile *error, const char *reason);
/* There was no memory for a trial, which so has shown nothing: all variants are left out for a
 * while. Mutex of the operation held. */
void le__verdict_lack_in_trial(le__question *q, le__proof *p, const char *reason);
/* What failed at calls like the question's is to be tried again, what broke things in a child
 * first. The stored verdicts stand until there are others. Mutex of the operation held. */
void le__verdicts_take_back(le__question *q);
void le__verdict_log(const le__dispatch *d, const le__question *q, const le__proof *p,
                     const char *reason);

#endif
