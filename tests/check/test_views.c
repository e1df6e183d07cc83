/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Inputs in any layout: every implementation gives for turned, reversed and spread
 * inputs what the reference gives for the same numbers in row-major order, and reads nothing beside
 * them. The seed is LE_TEST_SEED, else that of the check cases.
 */
#include "call/candidate.h"
#include "call/case.h"
#include "call/guard.h"
#include "check/cases.h"
#include "engine.h"
#include "one_engine.h"
#include "trial/verify.h"

#include <stdio.h>
#include <string.h>

enum { CASES = 6 };

typedef enum layout { TURNED, REVERSED, SPREAD, LAYOUTS } layout;

static const char *const names[] = {"turned", "reversed", "spread"};

/* A view of the same elements in memory of its own, in which all else is NaN or large. */
static le_tensor view_of(const le_tensor *t, layout how, char **out) {
    const int64_t apart = how == SPREAD ? 3 : 1, count = le_tensor_count(t);
    const size_t size = le_dtype_size(t->dtype);
    int64_t stride = apart, first = 0;
    le_tensor view = le_tensor_of(NULL, t->dtype, t->ndim, t->shape);
    for (int k = 0; k < t->ndim; k++) {
        const int d = how == TURNED ? k : t->ndim - 1 - k;
        view.strides[d] = how == REVERSED ? -stride : stride;
        first += how == REVERSED ? (t->shape[d] - 1) * stride : 0;
        stride *= t->shape[d];
    }
    char *memory = malloc((size_t)(count * apart + 1) * size);
    assert_non_null(memory);
    memset(memory, 0xff, (size_t)(count * apart + 1) * size);
    view.data = memory + (count > 0 ? first : 0) * (int64_t)size;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = 0, left = i;
        for (int d = t->ndim - 1; d >= 0; left /= t->shape[d], d--)
            at += left % t->shape[d] * view.strides[d];
        memcpy((char *)view.data + at * (int64_t)size, (const char *)t->data + i * (int64_t)size,
               size);
    }
    *out = memory;
    return view;
}

/* The case with other inputs; how many there are. */
static size_t lay_out(le_case *c, layout how, le_tensor *views, char **memory) {
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->args[i].kind != LE_KIND_IN)
            continue;
        views[n] = view_of(c->args[i].value.in, how, &memory[n]);
        c->args[i].value.in = &views[n++];
    }
    return n;
}

static int compare_all(le_call *plain, le_call *laid_out, layout how, int64_t index) {
    const le_operation *op = plain->operation;
    le__candidate *list;
    const char *why;
    size_t n;
    int tried = 0;
    assert_int_equal(le__candidates_make(engine, laid_out->entry, &list, &n), LE_OK);
    for (size_t i = 0; i < n; i++) {
        const bool first = i == 0 || list[i - 1].implementation != list[i].implementation;
        le__error_profile error = {0};
        if (!first || !le__candidate_applies(&list[i], laid_out, &why))
            continue;
        laid_out->poison = 0xa5;
        const bool guarded = list[i].implementation->device == LE_DEVICE_CPU;
        if (le__execute(laid_out, &list[i], guarded ? LE__OUTPUTS_GUARDED : LE__OUTPUTS_FRESH) !=
            LE_OK)
            fail_msg("%s %s, case %d, %s inputs: %s", op->name, list[i].text, (int)index,
                     names[how], le_error_message());
        if ((guarded ? le__error_of_guarded : le__error_of_answer)(&error, laid_out, plain) !=
                LE_OK ||
            !le__error_allows(&error, op->atol, op->rtol))
            fail_msg("%s %s, case %d, %s inputs: another answer than the reference's, by %g",
                     op->name, list[i].text, (int)index, names[how], error.max_abs);
        tried++;
    }
    free(list);
    return tried;
}

static int one_layout(le__operation_entry *entry, const le_case_request *request, le_call *plain,
                      layout how) {
    le_tensor views[LE_MAX_ARGS];
    char *memory[LE_MAX_ARGS];
    le_case made;
    le_call laid_out;
    int tried = 0;
    assert_int_equal(le__case_make(&made, entry->operation, request), LE_OK);
    const size_t n = lay_out(&made, how, views, memory);
    assert_int_equal(le__call_bind(&laid_out, engine, entry, made.args, made.n), LE_OK);
    tried = compare_all(plain, &laid_out, how, request->index);
    le__call_unbind(&laid_out);
    for (size_t i = 0; i < n; i++)
        free(memory[i]);
    le__case_free(&made);
    return tried;
}

static int one_case(le__operation_entry *entry, const le_case_request *request) {
    le_case made;
    le_call plain;
    le__candidate reference;
    int tried = 0;
    if (le__case_make(&made, entry->operation, request) != LE_OK)
        return 0;
    if (le__call_bind(&plain, engine, entry, made.args, made.n) == LE_OK) {
        if (le__reference_candidate(engine, entry, &reference) &&
            le__execute(&plain, &reference, LE__OUTPUTS_FRESH) == LE_OK)
            for (int how = 0; how < LAYOUTS; how++)
                tried += one_layout(entry, request, &plain, (layout)how);
        le__call_unbind(&plain);
    }
    le__case_free(&made);
    return tried;
}

static void every_implementation_reads_any_layout(void **state) {
    const uint64_t seed = case_seed();
    (void)state;
    le__engine_discover(engine);
    for (size_t o = 0; o < engine->registry.n; o++) {
        le__operation_entry *entry = engine->registry.entries[o];
        int tried = 0;
        for (int64_t index = 0; index < case_count(CASES); index++)
            tried += one_case(
                entry, &(le_case_request){.kind = LE_CASE_CHECK, .seed = seed, .index = index});
        print_message("%s: %d answers\n", entry->operation->name, tried);
        assert_true(tried > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_implementation_reads_any_layout)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
