/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every implementation of the super-resolution family against its reference on the operations' own
 * random and edge cases: outputs are poisoned before, and must not depend on the threads or on
 * strides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "call/case.h"
#include "check/cases.h"
#include "check/runs_here.h"
#include "one_engine.h"
#include "trial/verify.h"

enum { CASES = 50, OPENCL_CASES = 24 };

static uint64_t seed;

static int open_seeded(void **state) {
    seed = case_seed();
    return open_engine(state);
}

static void poison(le_tensor *t) {
    for (int64_t i = 0; i < le_tensor_count(t); i++)
        le_tensor_set(t, i, -1.2345e30);
}

/* Runs the case with an implementation; outputs that are not yet there get allocated and poisoned.
 */
static le_status run(le_case *c, const le_operation *op, const char *implementation) {
    le_arg args[LE_MAX_ARGS + 3];
    memcpy(args, c->args, c->n * sizeof *args);
    args[c->n] = LE_OPT_IMPLEMENTATION(implementation);
    /* This test judges, not the engine's own proof. But chains whose steps may be off by so much
     * take lossy ones; and who explores a step may meet with sums in single precision. */
    args[c->n + 1] = LE_OPT_ATOL(strncmp(implementation, "staged", 6) == 0 ? op->atol : 1);
    args[c->n + 2] = LE_OPT_MODE(LE_MODE_ESTIMATE);
    return le_call_run(engine, op->name, args, c->n + 3);
}

static le_tensor *outputs_of(le_case *c, size_t *n) {
    static le_tensor out[LE_MAX_ARGS];
    *n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->args[i].kind == LE_KIND_OUT)
            out[(*n)++] = *c->args[i].value.out;
    return out;
}

/* Doubles on a device without them: then the implementation is left out, as it must be. */
static bool needs_doubles(const le_case *c, const le_implementation *impl) {
    if (!strstr(impl->name, "opencl") && impl->device != LE_DEVICE_OPENCL)
        return false;
    for (int d = 1; d < engine->n_devices; d++)
        if (engine->devices[d].info->has_f64)
            return false;
    for (size_t i = 0; i < c->n; i++)
        if (c->args[i].kind == LE_KIND_IN && c->args[i].value.in->dtype == LE_F64)
            return true;
    return false;
}

static double compare_case(const le_operation *op, const le_implementation *impl, int64_t index) {
    const le_case_request request = {.kind = LE_CASE_CHECK, .seed = seed, .index = index};
    le_case expected, given;
    assert_int_equal(le__case_make(&expected, op, &request), LE_OK);
    assert_int_equal(le__case_make(&given, op, &request), LE_OK);
    assert_int_equal(run(&expected, op, "reference"), LE_OK);
    size_t n;
    le_tensor *want = outputs_of(&expected, &n);
    for (size_t i = 0, k = 0; i < given.n; i++)
        if (given.args[i].kind == LE_KIND_OUT) {
            le_tensor *t = given.args[i].value.out;
            assert_int_equal(le_tensor_alloc(t, want[k].dtype, want[k].ndim, want[k].shape), LE_OK);
            poison(t);
            k++;
        }
    le_status status = run(&given, op, impl->name);
    if (status == LE_ERR_NO_CANDIDATE && needs_doubles(&given, impl)) {
        le__case_free(&expected);
        le__case_free(&given);
        return 0;
    }
    if (status != LE_OK)
        fail_msg("%s %s case %lld: %s", op->name, impl->name, (long long)index, le_error_message());
    le__error_profile profile = {0};
    for (size_t i = 0, k = 0; i < given.n; i++)
        if (given.args[i].kind == LE_KIND_OUT)
            le__error_add(&profile, op->norm, 0, given.args[i].value.out, &want[k++]);
    le__case_free(&expected);
    le__case_free(&given);
    return profile.max_abs;
}

/* Compiling kernels for every dtype and interpolator takes its time. */
static int64_t cases_of(const le_implementation *impl) {
    return case_count(impl->device == LE_DEVICE_OPENCL ? OPENCL_CASES : CASES);
}

static void check_operation(const char *name) {
    const le_operation *op = le_engine_operation(engine, name);
    assert_non_null(op);
    size_t n;
    const le_implementation *const *impls = le_engine_implementations(engine, name, &n);
    int failed = 0;
    for (size_t k = 0; k < n; k++) {
        double worst = 0;
        int64_t at = -1;
        if (!runs_here(engine, impls[k])) {
            print_message("  %-28s %-14s cannot run here\n", name, impls[k]->name);
            continue;
        }
        for (int64_t i = 0; i < cases_of(impls[k]); i++) {
            double error = compare_case(op, impls[k], i);
            if (error > worst || at < 0) {
                worst = error;
                at = i;
            }
        }
        print_message("  %-28s %-14s max error %.2g of the maximum (case %lld)\n", name,
                      impls[k]->name, worst, (long long)at);
        /* a lossy one may differ by what its summary says, not by more than a reader would notice
         */
        failed += worst > op->atol * (impls[k]->flags & LE_IMPL_LOSSY ? 100 : 1);
    }
    assert_int_equal(failed, 0);
}

static void cases(void **state) {
    check_operation(*state);
}

int main(int argc, char **argv) {
    static const char *const names[] = {"shift_magnify",
                                        "shift_scale_rotate",
                                        "roberts_cross",
                                        "radial_gradient_convergence",
                                        "temporal_projection",
                                        "macro_pixel_correction",
                                        "esrrf"};
    enum { N = sizeof names / sizeof names[0] };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){
            .name = names[i], .test_func = cases, .initial_state = (void *)(uintptr_t)names[i]};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, open_seeded, close_engine);
}
