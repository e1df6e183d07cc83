/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * An engine that knows the toy operations with counted outputs.
 */
#ifndef LE_COUNTED_TEST_H
#define LE_COUNTED_TEST_H

#include "operation_test.h"

#include "counted_ops.h"

/* db NULL: in memory. */
static inline le_engine *counted_open(const char *db, le_mode mode) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = db ? db : ":memory:";
    o.mode = mode;
    o.threads = 2;
    o.trial_limit_s = 20; /* the machine may be busy */
    assert_ok(le_open(&e, &o));
    assert_ok(counted_register(e));
    return e;
}

#endif
