/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The problem of a call: what its time and its error depend on, never the data.
 */
#ifndef LE_PROBLEM_H
#define LE_PROBLEM_H

#include "call/call.h"

enum { LE__PROBLEM_TEXT = 512, LE__SIZE_CLASSES = 32 };

/* Hash of the problem and of what the call asks for (tolerance, forced parts, objective): the key
 * of the known-choice path. */
uint64_t le__problem_hash(const le_call *call);
/* The same without what the call asks for. */
uint64_t le__problem_shape_hash(const le_call *call);
/* "volume=f32[256,256,256] images=f32[10,180,180,3] size=180 axis0" */
void le__problem_text(const le_call *call, char *out, size_t size);
/* What errors depend on beside size: dtypes and words, "volume=f32 images=f32 outside=error". */
void le__problem_kind(const le_call *call, char *out, size_t size);
/* Classes of work, a factor of 8 each, 0 to LE__SIZE_CLASSES - 1. */
int le__size_class(double work);
/* What the call asks for, as text: "atol=0.0001 rtol=0 device=cpu". */
void le__constraint_text(const le_call *call, char *out, size_t size);

#endif
