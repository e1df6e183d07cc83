/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Comparing results: an error profile says for every tolerance whether a result meets it.
 */
#ifndef LE_VERIFY_H
#define LE_VERIFY_H

#include "call/call.h"

enum { LE__ERROR_LEVELS = 17 };

/* rtol_at[k]: the least rtol with which |a-b| <= 1e-k*scale + rtol*|b| holds for all elements;
 * INFINITY where no rtol does (b is 0 or NaN differs). max_abs in units of scale. A profile of
 * nothing compared is all zero. */
typedef struct le__error_profile {
    double max_abs;
    double rtol_at[LE__ERROR_LEVELS];
} le__error_profile;

/* Adds the comparison of a with the reference b (same shape, any dtypes, both on the host) to *p.
 * least: what the scale of LE_NORM_MAX is at least. */
void le__error_add(le__error_profile *p, le_norm norm, double least, const le_tensor *a,
                   const le_tensor *b);
/* The same of a, which is on the host, with output `arg` of a trusted answer, which it brings
 * there. */
le_status le__error_add_output(le__error_profile *p, le_call *trusted, size_t arg,
                               const le_tensor *a);
/* The same for all outputs of two answers to one call, which it brings to the host: by
 * le_operation.compare where there is one. LE_ERR_WRONG_RESULT, and *p is infinite: a counted
 * output has another number of rows, which the text says. */
le_status le__error_of_answer(le__error_profile *p, le_call *answer, le_call *trusted);
/* Where they can be compared one by one: LE_ERR_WRONG_RESULT when a counted output has another
 * number of rows, or wants room for it. */
le_status le__compare_counts(const le_call *answer, const le_call *trusted);
/* The same of an answer in guarded outputs (guard.h), whose edges it checks, too: what was written
 * elsewhere is said before what differs. */
le_status le__error_of_guarded(le__error_profile *p, le_call *answer, le_call *trusted);
/* Worst of both. */
void le__error_merge(le__error_profile *p, const le__error_profile *q);
/* The least rtol that suffices beside atol, as far as a profile tells; INFINITY: none does. */
double le__error_needs(const le__error_profile *p, double atol);
/* Whether results with this profile satisfy |a-b| <= atol*scale + rtol*|b|. */
bool le__error_allows(const le__error_profile *p, double atol, double rtol);

#endif
