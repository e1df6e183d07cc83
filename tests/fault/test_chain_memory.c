/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Registering operations, implementations and chains as operations is all or nothing: the k-th
 * allocation fails, for every k, and what was to be registered is either there and works or is not
 * there, and can be registered then.
 */
#include "failing_allocator.h"
#include "toy.h"

#include "liquid_engine/le_chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ALLOCATIONS = 2000, N = 64, MANY = 40 };

static size_t operations_of(le_engine *e) {
    size_t n;
    le_engine_operations(e, &n);
    return n;
}

static size_t implementations_of(le_engine *e, const char *operation) {
    size_t n;
    le_engine_implementations(e, operation, &n);
    return n;
}

/* y = factor * x */
static void assert_multiplies(le_engine *e, const char *operation, const le_arg *factor,
                              const char *in, const char *out, float by) {
    float x[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    le_tensor input = le_tensor_of(x, LE_F32, 1, (int64_t[]){N}), result = {0};
    if (le_engine_run(e, operation, LE_IN(in, &input), *factor, LE_OUT(out, &result)) != LE_OK)
        fail_msg("%s", le_error_message());
    for (int i = 0; i < N; i++)
        assert_true(((float *)result.data)[i] == by * x[i]);
    le_tensor_free(&result);
}

/* --- descriptors --- */

/* Tries until no allocation is left that could fail; the arrays grow on the way. */
static void operations(void **state) {
    (void)state;
    static char names[MANY][16];
    static le_operation own[MANY];
    le_engine *e = toy_open(NULL, LE_MODE_ESTIMATE);
    long failed = 0;
    for (int i = 0; i < MANY; i++) {
        size_t before = operations_of(e);
        snprintf(names[i], sizeof names[i], "toy%d", i);
        own[i] = toy_operation;
        own[i].name = names[i];
        le_status status = LE_ERR_MEMORY;
        for (long k = 1; status != LE_OK && k < MOST_ALLOCATIONS; k++) {
            left = k;
            status = le_register_operation(e, &own[i]);
            left = 0;
            failed += status != LE_OK;
            assert_true(status == LE_OK || status == LE_ERR_MEMORY);
            assert_int_equal(operations_of(e), before + (status == LE_OK));
            assert_true((le_engine_operation(e, names[i]) == NULL) == (status != LE_OK));
        }
        assert_int_equal(status, LE_OK);
    }
    assert_true(failed > MANY);
    le_close(&e);
}

static void implementations(void **state) {
    (void)state;
    static char names[MANY][16];
    static le_implementation own[MANY];
    le_engine *e = toy_open(NULL, LE_MODE_ESTIMATE);
    const le_arg factor = LE_F64("factor", 3);
    long failed = 0;
    for (int i = 0; i < MANY; i++) {
        size_t before = implementations_of(e, "toy");
        snprintf(names[i], sizeof names[i], "c%d", i);
        own[i] = toy_c;
        own[i].name = names[i];
        le_status status = LE_ERR_MEMORY;
        for (long k = 1; status != LE_OK && k < MOST_ALLOCATIONS; k++) {
            left = k;
            status = le_register_implementation(e, &own[i]);
            left = 0;
            failed += status != LE_OK;
            assert_true(status == LE_OK || status == LE_ERR_MEMORY);
            assert_int_equal(implementations_of(e, "toy"), before + (status == LE_OK));
        }
        assert_int_equal(status, LE_OK);
    }
    assert_true(failed > MANY);
    assert_multiplies(e, "toy", &factor, "input", "result", 3);
    le_close(&e);
}

/* --- chains --- */

static le_status register_chain(le_engine *e) {
    le_chain *c = NULL;
    le_status status = le_chain_new(&c, e, "twice");
    if (status != LE_OK)
        return status;
    le_value x = le_chain_input(c, "x", LE_F32, 1, (int64_t[]){N});
    le_value half = le_chain_temp(c), whole = le_chain_temp(c);
    le_chain_add(c, "toy", LE_VALUE_IN("input", x), LE_F64("factor", 2), LE_STR("mode", "fancy"),
                 LE_VALUE_OUT("result", half));
    le_chain_add(c, "toy", LE_VALUE_IN("input", half), LE_F64("factor", 2),
                 LE_VALUE_OUT("result", whole));
    le_chain_output(c, "y", whole);
    status = le_chain_as_operation(c, "fourfold", "twice two");
    le_chain_free(&c);
    return status;
}

static le_status register_json(le_engine *e) {
    static const char json[] =
        "{\"name\": \"fourfold\", \"inputs\": [\"x\"], \"outputs\": [\"y\"], \"steps\": ["
        "{\"operation\": \"toy\", \"args\": {\"input\": \"x\", \"factor\": 2, "
        "\"result\": \"half\"}},"
        "{\"operation\": \"toy\", \"args\": {\"input\": \"half\", \"factor\": 2, "
        "\"result\": \"y\"}}]}";
    char name[64];
    return le_chain_register_json(e, json, name, sizeof name);
}

static void every_allocation(le_status (*make)(le_engine *e)) {
    long failed = 0;
    bool more = true;
    for (long k = 1; more && k < MOST_ALLOCATIONS; k++) {
        le_engine *e = toy_open(NULL, LE_MODE_ESTIMATE);
        size_t before = operations_of(e);
        left = k;
        le_status status = make(e);
        more = left <= 0;
        left = 0;
        failed += status != LE_OK;
        assert_int_equal(operations_of(e), before + (status == LE_OK));
        assert_true((le_engine_operation(e, "fourfold") == NULL) == (status != LE_OK));
        if (status != LE_OK)
            assert_int_equal(make(e), LE_OK);
        if (k % 10 == 1 || !more) {
            const le_arg none = LE_OPT_MODE(LE_MODE_ESTIMATE);
            assert_multiplies(e, "fourfold", &none, "x", "y", 4);
        }
        le_close(&e);
    }
    assert_false(more);
    assert_true(failed > 10);
}

static void chains(void **state) {
    (void)state;
    every_allocation(register_chain);
}

static void chains_from_json(void **state) {
    (void)state;
    every_allocation(register_json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),
        cmocka_unit_test(implementations),
        cmocka_unit_test(chains),
        cmocka_unit_test(chains_from_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
