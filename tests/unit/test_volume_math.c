/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The vector logarithm and exponential against double-precision libm over the whole range of float, and
 * their special values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "liquid_engine/le_method.h"

#if defined(__x86_64__)
#include "volume/transfer_function/simd.h"

enum { BLOCK = 4096, STEP = 1021 };

typedef void (*map_fn)(const float *in, float *out, size_t count);

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Every STEP-th float of both signs. */
static double worst_ln(map_fn ln)
{
    static float in[BLOCK], out[BLOCK];
    double worst = 0.0;
    for (uint64_t bits = 1; bits < 0x7f800000u; bits += (uint64_t)BLOCK * STEP) {
        for (int i = 0; i < BLOCK; i++) {
            uint64_t b = bits + (uint64_t)i * STEP;
            in[i] = float_of(b < 0x7f800000u ? (uint32_t)b : 0x3f800000u);
        }
        ln(in, out, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            double y = log((double)in[i]), e = fabs((double)out[i] - y) / fmax(1.0, fabs(y));
            worst = e <= worst ? worst : isnan(e) ? INFINITY : e;
        }
    }
    return worst;
}

/* relative error; where the result is denormal, in units of the least denormal (returned apart) */
static double worst_exp(map_fn fn, double *denormal_units)
{
    static float in[BLOCK], out[BLOCK];
    double worst = 0.0, units = 0.0;
    for (int64_t start = -104000000; start < 88722000; start += (int64_t)BLOCK * 97) {
        for (int i = 0; i < BLOCK; i++) {
            double x = 1e-6 * (double)(start + i * 97);
            in[i] = (float)fmin(x, 88.722);
        }
        fn(in, out, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            double y = exp((double)in[i]), d = fabs((double)out[i] - y);
            if (y >= (double)FLT_MIN)
                worst = fmax(worst, isnan(d) ? INFINITY : d / y);
            else
                units = fmax(units, isnan(d) ? INFINITY : d / 1.401298464e-45);
        }
    }
    *denormal_units = units;
    return worst;
}

static void check_special(map_fn ln, map_fn fn)
{
    const float in[16] = {0.0f, -0.0f, INFINITY, NAN, -1.0f, -INFINITY, 1.0f, 1.401298464e-45f,
                          FLT_MAX, FLT_MIN, -FLT_MIN, 2.0f, 0.5f, 1e-40f, 1e20f, 3.0f};
    float out[16];
    ln(in, out, 16);
    assert_true(isinf(out[0]) && out[0] < 0.0f);
    assert_true(isinf(out[1]) && out[1] < 0.0f);
    assert_true(isinf(out[2]) && out[2] > 0.0f);
    assert_true(isnan(out[3]) && isnan(out[4]) && isnan(out[5]) && isnan(out[10]));
    assert_true(fabsf(out[6]) <= 2e-7f);
    assert_true(fabs((double)out[7] - -103.27892990343185) < 2e-5);
    assert_true(fabs((double)out[13] - -92.10340371976183) < 2e-5);
    const float at[16] = {0.0f, -0.0f, INFINITY, NAN, -INFINITY, 89.0f, 1000.0f, -1000.0f,
                          88.72f, -87.33f, -103.0f, -110.0f, 1.0f, -1.0f, FLT_MAX, -FLT_MAX};
    fn(at, out, 16);
    assert_true(fabsf(out[0] - 1.0f) <= 2e-7f && fabsf(out[1] - 1.0f) <= 2e-7f);
    assert_true(isinf(out[2]) && out[2] > 0.0f && isnan(out[3]));
    assert_true(out[4] == 0.0f && isinf(out[5]) && isinf(out[6]) && out[7] == 0.0f);
    assert_true(out[8] < INFINITY && out[9] > 0.0f && out[10] > 0.0f && out[11] == 0.0f);
    assert_true(fabs((double)out[12] - 2.718281828459045) < 6e-7);
    assert_true(isinf(out[14]) && out[15] == 0.0f);
}

static void check(const char *name, map_fn ln, map_fn fn)
{
    double units, ln_error = worst_ln(ln), exp_error = worst_exp(fn, &units);
    print_message("  %s: ln %.2e of max(1,|ln x|), exp %.2e relative, %.2f least denormals\n", name,
                  ln_error, exp_error, units);
    assert_true(ln_error <= 2e-7);
    assert_true(exp_error <= 2e-7);
    assert_true(units <= 1.5);
    check_special(ln, fn);
}

static void test_avx2(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        skip();
    check("avx2", le__ln_avx2, le__exp_avx2);
}

static void test_avx512(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq"))
        skip();
    check("avx512", le__ln_avx512, le__exp_avx512);
}
#else
static void test_avx2(void **state)
{
    (void)state;
    skip();
}

static void test_avx512(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_avx2),
        cmocka_unit_test(test_avx512),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
