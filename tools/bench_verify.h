/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every implementation against its reference, over the check cases of its operation. Used by
 * le-bench --verify and by the test suite.
 */
#ifndef LE_BENCH_VERIFY_H
#define LE_BENCH_VERIFY_H

#include "bench.h"

typedef enum verify_state {
    VERIFY_NOTHING = 0, /* no case reached it: `reason` */
    VERIFY_OK,
    VERIFY_FAILED, /* `reason` */
    VERIFY_SKIPPED /* this machine cannot run it: `reason` */
} verify_state;

typedef struct verify_row { /* one implementation on one device */
    char implementation[48], device[32];
    verify_state state;
    bool lossy;
    bool forced; /* only answers calls that ask for it by name */
    uint32_t cases, runs;
    double max_abs, rtol; /* worst */
    char reason[256];
} verify_row;

enum { VERIFY_MAX_ROWS = 128 };

typedef struct verify_result {
    size_t n;
    verify_row rows[VERIFY_MAX_ROWS];
    uint32_t cases;    /* made by the operation */
    uint32_t refused;  /* of them, refused by the operation's checks */
    char problem[256]; /* why no row could be checked; "" */
} verify_result;

/* Checks all implementations of one operation in child processes, so that one that crashes or hangs
 * is a row that failed (s->in_process: here). */
void verify_operation(const bench_settings *s, const char *operation, verify_result *out);

#endif
