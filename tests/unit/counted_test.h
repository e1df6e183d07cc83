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
    le_engine *e = engine_open(db, mode);
    assert_ok(counted_register(e));
    return e;
}

#endif
