/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the sample calls of all families have in common.
 */
#ifndef LE_METHODS_CASES_H
#define LE_METHODS_CASES_H

#include "liquid_engine/le_method.h"

/* The dtype of the main input: of the request, else of the call it resembles, else number index. */
le_dtype le__case_dtype(const le_case_request *request, int arg);

/* Ends a case: asks for the output, in the dtype of the call it resembles, else the usual one. */
le_status le__case_end(le_case *c, const le_case_request *request, const char *output, int arg,
                       le_dtype usual);

#endif
