/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sample calls made by an operation's make_case: for trials, checks and benchmarks.
 */
#ifndef LE_CASE_H
#define LE_CASE_H

#include "call/registry.h"

struct le_case {
    le_arg args[LE_MAX_ARGS];
    le_tensor tensors[LE_MAX_ARGS];
    char *texts[LE_MAX_ARGS];
    double *lists[LE_MAX_ARGS];
    size_t n;
    uint64_t random;
    le_status status;
    void *user; /* of the operation */
};

/* Makes a case; le__case_free it. Deterministic in the request. */
le_status le__case_make(le_case *out, const le_operation *op, const le_case_request *request);
void le__case_free(le_case *c);
/* Releases what outputs received, so that the case can run again. */
void le__case_reset_outputs(le_case *c);

#endif
