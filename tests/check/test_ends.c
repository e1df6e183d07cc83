/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every implementation on the CPU can be stopped, at any moment, and leaves nothing behind: it
 * writes nowhere but into its outputs, and what it answers next is what it answered before.
 */
#include "call/candidate.h"
#include "call/case.h"
#include "call/guard.h"
#include "check/runs_here.h"
#include "trial/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEED = 20261122, CASES = 2, MOST = 64 };
static le_engine *engine;

static int open_engine(void **state) {
    (void)state;
    le_options o;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "cpu";
    o.threads = 2;
    return le_open(&engine, &o) != LE_OK;
}

static int close_engine(void **state) {
    (void)state;
    le_close(&engine);
    return 0;
}

static le_status run(le_call *call, const le__candidate *c, double stop_after) {
    call->stop_after = stop_after;
    call->poison = 0xa5;
    le_status status = le__execute(call, c, LE__OUTPUTS_GUARDED);
    if (le__guard_check(call) != LE_OK)
        fail_msg("%s %s: %s", call->operation->name, c->text, le_error_message());
    return status;
}

/* Who never looks whether he has to end is named: mostly references, which are seldom explored. */
static void expect_stopped(le_call *call, const le__candidate *c, double after, bool surely) {
    le_status status = run(call, c, after);
    bool stopped = status == LE_ERR_CANCELLED && call->stopped;
    if (!stopped && surely)
        print_message("%s %s is deaf\n", call->operation->name, c->text);
    if (!stopped && status != LE_OK)
        fail_msg("%s %s, to be stopped: %d (%s)", call->operation->name, c->text, status,
                 status == LE_OK ? "it went on" : le_error_message());
}

/* first: an answer to compare with; again: a call of the same case. */
static void try_candidate(le_call *first, le_call *again, const le__candidate *c) {
    static const double shares[] = {0.2, 0.5, 0.8};
    le__error_profile error = {0};
    const le_operation *op = first->operation;
    if (run(first, c, 0) != LE_OK)
        fail_msg("%s %s: %s", op->name, c->text, le_error_message());
    double seconds = first->stats.seconds;
    expect_stopped(again, c, 1e-9, true);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        expect_stopped(again, c, shares[i] * seconds, false);
    if (run(again, c, 0) != LE_OK)
        fail_msg("%s %s: %s", op->name, c->text, le_error_message());
    if (le__error_of_answer(&error, again, first) != LE_OK ||
        !le__error_allows(&error, op->atol, op->rtol))
        fail_msg("%s %s: another answer than before it was stopped", op->name, c->text);
}

/* With one thread and with all: the first and the last of its candidates. */
static bool is_wanted(const le__candidate *list, size_t n, size_t i) {
    bool first = i == 0 || list[i - 1].implementation != list[i].implementation;
    bool last = i + 1 == n || list[i + 1].implementation != list[i].implementation;
    return first || last;
}

static void try_all(le_call *first, le_call *again, bool *tried) {
    le__candidate *list;
    size_t n;
    const char *why;
    assert_int_equal(le__candidates_make(engine, first->entry, &list, &n), LE_OK);
    for (size_t i = 0; i < n; i++)
        if (is_wanted(list, n, i) && le__can_be_stopped(&list[i]) &&
            le__candidate_applies(&list[i], first, &why)) {
            try_candidate(first, again, &list[i]);
            for (size_t k = 0; k < first->entry->n_implementations && k < MOST; k++)
                tried[k] = tried[k] || first->entry->implementations[k] == list[i].implementation;
        }
    free(list);
}

/* Cases that are errors in the data have nothing to be stopped. */
static bool has_answer(le_call *call) {
    le__candidate reference;
    return le__reference_candidate(engine, call->entry, &reference) &&
           le__execute(call, &reference, LE__OUTPUTS_FRESH) == LE_OK;
}

static void one_case(le__operation_entry *entry, int64_t index, bool *tried) {
    const le_case_request request = {.kind = LE_CASE_CHECK, .seed = SEED, .index = index};
    le_case made;
    le_call first, again;
    if (le__case_make(&made, entry->operation, &request) != LE_OK)
        return;
    if (le__call_bind(&first, engine, entry, made.args, made.n) == LE_OK) {
        if (le__call_bind(&again, engine, entry, made.args, made.n) == LE_OK) {
            if (has_answer(&first))
                try_all(&first, &again, tried);
            le__call_unbind(&again);
        }
        le__call_unbind(&first);
    }
    le__case_free(&made);
}

static void every_implementation_ends(void **state) {
    (void)state;
    for (size_t o = 0; o < engine->registry.n; o++) {
        le__operation_entry *entry = engine->registry.entries[o];
        bool tried[MOST] = {false};
        for (int64_t index = 0; index < CASES; index++)
            one_case(entry, index, tried);
        for (size_t k = 0; k < entry->n_implementations; k++) {
            const le_implementation *impl = entry->implementations[k];
            if (!tried[k] && runs_here(engine, impl) && !(impl->flags & LE__IMPL_STAGED) &&
                impl->device == LE_DEVICE_CPU)
                print_message("%s %s: in no case\n", entry->operation->name, impl->name);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_implementation_ends)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
