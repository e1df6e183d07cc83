/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The problem of a call: what its time and its error depend on, never the data.
 */
#ifndef LE_PROBLEM_H
#define LE_PROBLEM_H

#include "call/call.h"
#include "core/text.h"

enum { LE__PROBLEM_TEXT = 512, LE__SIZE_CLASSES = 32 };

/* Hash of the problem and of what the call asks for (tolerance, forced parts, objective): the key
 * of the known-choice path. */
uint64_t le__problem_hash(const le_call *call);
/* Of all that a call was given and asked for by tolerances but the data of its tensors: the same for
 * calls that say the same. Tables are data, too, but their elements count here. */
void le__call_fingerprint(const le_call *call, uint64_t out[2]);
/* Of the problem alone. */
uint64_t le__problem_shape(const le_call *call);
/* Devices that have an argument's contents, as bits of their index; 1, the host, for what is no
 * input. */
uint32_t le__call_places(const le_call *call, size_t arg);
/* "volume=f32[256,256,256] images=f32[10,180,180,3] size=180 axis0". Those of problems that differ
 * differ: what finds no room stands there as a hash. */
void le__problem_text(const le_call *call, char *out, size_t size);
/* What errors depend on beside size: dtypes and words, "volume=f32 images=f32 outside=error". */
void le__problem_kind(const le_call *call, char *out, size_t size);
/* The extent of an elastic axis in problems: rounded up to three significant bits. */
int64_t le__elastic_extent(int64_t extent);
/* Classes of work, a factor of 8 each, 0 to LE__SIZE_CLASSES - 1. */
int le__size_class(double work);
/* Adds what is asked for beside tolerances: "device=cpu reproducible ". */
void le__constraint_add(le__text *t, const le__constraint *w, const le_engine *engine);
/* What the call asks for, as text: "atol=0.0001 rtol=0 device=cpu". Of calls that ask for other
 * things it differs. */
void le__constraint_text(const le_call *call, char *out, size_t size);

#endif
