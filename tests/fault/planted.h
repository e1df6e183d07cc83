/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Implementations of the toy operation that misbehave, and what must hold for each of them: the
 * caller gets the right answer of another one without waiting longer than the time limit of a
 * trial, the verdict names the reason, it survives a restart, and nobody tries again until the
 * source changes.
 */
#ifndef PLANTED_H
#define PLANTED_H

#include "core/sanitizer.h"
#include "toy.h"

enum { PLANTED_SMALL = 1000, PLANTED_BIG = 300000 };

typedef struct plant {
    const char *name;
    le_range_fn range; /* CPU, or: */
    le_status (*run)(le_call *call);
    const char *reason; /* a part of it */
    int64_t n;          /* elements of the call */
    bool passing;       /* no fault of the code: no verdict is kept */
} plant;

typedef struct planted_bed { /* where they are planted */
    le_device_kind device;
    const le_implementation *const *right; /* beside toy's own; NULL-ended */
    const char *only;                      /* LE_OPT_DEVICE of the calls; NULL: none */
} planted_bed;

/* The sanitizers' allocators tell nothing of memory in use. */
#define PLANTED_COUNTS_MEMORY (!LE__SANITIZED)

typedef enum planted_way { PLANTED_LEARN, PLANTED_MEASURE, PLANTED_BENCH } planted_way;

/* LE_TEST_STEP leaves each plant one way in so many. */
bool planted_is_due(size_t plant, planted_way way);
/* All of it for one plant; fails the test. */
void planted_check(const planted_bed *bed, const plant *p, planted_way way);
/* No call of a process takes longer than the longest without the plant and one limit of a trial,
 * however many such implementations there are; afterwards none is tried again. */
void planted_check_delay(const planted_bed *bed, const plant *p, planted_way way, int how_many);

#endif
