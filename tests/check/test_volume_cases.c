/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every CPU implementation of the volume family against its reference on the operations' own random
 * and edge cases. Outputs are poisoned before; volume_render is also judged by numpy's allclose when
 * the call asks for that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call/case.h"
#include "check/cases.h"
#include "check/runs_here.h"
#include "one_engine.h"

enum { CASES = 84 };

static uint64_t seed;

static int open_seeded(void **state)
{
    seed = case_seed();
    return open_engine(state);
}

static le_status run(le_case *c, const le_operation *op, const char *implementation, double atol,
                     double rtol)
{
    le_arg args[LE_MAX_ARGS + 3];
    memcpy(args, c->args, c->n * sizeof *args);
    args[c->n] = LE_OPT_IMPLEMENTATION(implementation);
    args[c->n + 1] = LE_OPT_ATOL(atol);
    args[c->n + 2] = LE_OPT_RTOL(rtol);
    return le_call_run(engine, op->name, args, c->n + 3);
}

static le_tensor *output_of(le_case *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->args[i].kind == LE_KIND_OUT)
            return c->args[i].value.out;
    fail_msg("a case without an output");
    return NULL;
}

/* largest |a-b| / (atol*scale + rtol*|b|) */
static double excess(const le_operation *op, const le_tensor *a, const le_tensor *b, double atol,
                     double rtol)
{
    double scale = 1.0, worst = 0.0;
    int64_t n = le_tensor_count(b);
    for (int64_t i = 0; i < n && op->norm == LE_NORM_MAX; i++)
        if (isfinite(le_tensor_get(b, i)))
            scale = fmax(i ? scale : 0.0, fabs(le_tensor_get(b, i)));
    for (int64_t i = 0; i < n; i++) {
        double x = le_tensor_get(a, i), y = le_tensor_get(b, i);
        if (x == y || (isnan(x) && isnan(y)))
            continue;
        double e = fabs(x - y) / (atol * scale + rtol * fabs(y));
        worst = e <= worst ? worst : isnan(e) ? INFINITY : e;
    }
    return worst;
}

static double compare(const le_operation *op, const le_implementation *m, int64_t index, double atol,
                      double rtol, bool *ran)
{
    const le_case_request request = {.kind = LE_CASE_CHECK, .seed = seed, .index = index};
    le_case expected, given;
    assert_int_equal(le__case_make(&expected, op, &request), LE_OK);
    assert_int_equal(le__case_make(&given, op, &request), LE_OK);
    if (run(&expected, op, "reference", atol, rtol) != LE_OK)
        fail_msg("%s reference case %lld: %s", op->name, (long long)index, le_error_message());
    const le_tensor *want = output_of(&expected);
    le_tensor *out = output_of(&given);
    assert_int_equal(le_tensor_alloc(out, want->dtype, want->ndim, want->shape), LE_OK);
    for (int64_t i = 0; i < le_tensor_count(out); i++)
        le_tensor_set(out, i, -1.2345e30);
    le_status status = run(&given, op, m->name, atol, rtol);
    *ran = status == LE_OK;
    double worst = 0.0;
    if (*ran)
        worst = excess(op, out, want, atol, rtol);
    else if (!is_not_for_it(status) && status != LE_ERR_UNSUPPORTED)
        fail_msg("%s %s case %lld: %s", op->name, m->name, (long long)index, le_error_message());
    le__case_free(&expected);
    le__case_free(&given);
    return worst;
}

/* One of eleven cases has a linear scale, where Gaussians are a ten-thousandth as wide as the samples
 * are large: single precision cannot hold a relative tolerance of 1e-5 in their tails. */
static bool is_linear(int64_t index)
{
    return index % 11 == 10;
}

static int check_implementation(const le_operation *op, const le_implementation *m, double atol,
                                double rtol)
{
    double worst = 0.0;
    int64_t at = -1, count = 0;
    for (int64_t i = 0; i < case_count(CASES); i++) {
        bool ran;
        if (atol < op->atol && is_linear(i))
            continue;
        double e = compare(op, m, i, atol, rtol, &ran);
        count += ran;
        if (e > worst) {
            worst = e;
            at = i;
        }
    }
    print_message("  %-18s %-20s %lld cases, worst %.3f of the tolerance %g + %g (case %lld)\n",
                  op->name, m->name, (long long)count, worst, atol, rtol, (long long)at);
    return worst > 1.0;
}

static void check_operation(const char *name, double atol, double rtol)
{
    const le_operation *op = le_engine_operation(engine, name);
    assert_non_null(op);
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, name, &n);
    int failed = 0;
    for (size_t k = 0; k < n; k++)
        if (all[k]->device == LE_DEVICE_CPU)
            failed += check_implementation(op, all[k], atol > 0.0 ? atol : op->atol,
                                           atol > 0.0 ? rtol : op->rtol);
    assert_int_equal(failed, 0);
}

static void test_default(void **state)
{
    check_operation(*state, 0.0, 0.0);
}

static void test_allclose(void **state)
{
    check_operation(*state, 1e-8, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_default, (void *)(uintptr_t)"interpolate"),
        cmocka_unit_test_prestate(test_default, (void *)(uintptr_t)"interpolate_at"),
        cmocka_unit_test_prestate(test_default, (void *)(uintptr_t)"transfer_function"),
        cmocka_unit_test_prestate(test_default, (void *)(uintptr_t)"composite"),
        cmocka_unit_test_prestate(test_default, (void *)(uintptr_t)"project"),
        cmocka_unit_test_prestate(test_default, (void *)(uintptr_t)"volume_render"),
        cmocka_unit_test_prestate(test_allclose, (void *)(uintptr_t)"volume_render"),
    };
    return cmocka_run_group_tests(tests, open_seeded, close_engine);
}
