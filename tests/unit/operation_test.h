/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What tests of an operation of their own share: an engine that knows it, verdicts on its
 * implementations, and whether there is an OpenCL device.
 */
#ifndef LE_OPERATION_TEST_H
#define LE_OPERATION_TEST_H

#include "liquid_engine/le_method.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* So many runs of an operation in a row that one of them tells of its time: the first ones of a
 * process, and those right after a trial, do not before they have settled (choose/settling.h). */
enum { RUNS_THAT_TELL = 20 };

/* Ends the test with the engine's words. */
#define assert_ok(status)                                                                          \
    do {                                                                                           \
        if ((status) != LE_OK)                                                                     \
            fail_msg("%s", le_error_message());                                                    \
    } while (0)

#define assert_says(words)                                                                         \
    do {                                                                                           \
        if (!strstr(le_error_message(), words))                                                    \
            fail_msg("'%s' does not say '%s'", le_error_message(), words);                         \
    } while (0)

/* An argument of f32 with so many axes. */
#define FLOATS(the_name, the_type, axes)                                                           \
    {                                                                                              \
        .name = the_name, .type = the_type, .dtypes = LE_DTYPE_BIT(LE_F32), .min_ndim = axes,      \
        .max_ndim = axes                                                                           \
    }

/* db NULL: in memory. */
static inline le_engine *engine_open(const char *db, le_mode mode) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = db ? db : ":memory:";
    o.mode = mode;
    o.threads = 2;
    o.trial_limit_s = 20; /* the machine may be busy */
    assert_ok(le_open(&e, &o));
    return e;
}

/* implementations: NULL-ended. */
static inline le_engine *operation_open(const le_operation *operation,
                                        const le_implementation *const *implementations,
                                        const char *db, le_mode mode) {
    le_engine *e = engine_open(db, mode);
    assert_ok(le_register_operation(e, operation));
    for (; *implementations; implementations++)
        assert_ok(le_register_implementation(e, *implementations));
    return e;
}

/* Of an explanation; NULL: there is no such candidate. */
static inline const le_explained_candidate *explained(const le_explanation *e,
                                                      const char *implementation) {
    for (size_t i = 0; i < e->n_candidates; i++)
        if (!strcmp(e->candidates[i].implementation, implementation))
            return &e->candidates[i];
    return NULL;
}

/* By trying: opening devices is the engine's business. */
static inline bool has_opencl(le_engine *e, const char *operation, const le_arg *args, size_t n) {
    le_explanation *x = NULL;
    le_arg all[32];
    memcpy(all, args, n * sizeof *args);
    all[n] = LE_OPT_DEVICE("opencl");
    le_status status = le_call_explain(e, &x, operation, all, n + 1);
    bool any = false;
    for (size_t i = 0; status == LE_OK && i < x->n_candidates; i++)
        any = any || !strncmp(x->candidates[i].device, "opencl", 6);
    le_explanation_free(&x);
    if (!any)
        print_message("no OpenCL device: skipped\n");
    return any;
}

#endif
