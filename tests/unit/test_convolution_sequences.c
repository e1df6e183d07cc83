/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions of sequences with many taps by transforms, in both precisions, compared with the sum
 * of the definition (numpy.convolve): tiles that are cut short, several of them, kernels longer
 * than the signal, and samples that are not finite, which reach their own windows only. And long
 * sums of alike samples.
 */
#include "liquid_engine/le.h"
#include "liquid_engine/le_method.h"
#include "check/runs_here.h"
#include "one_engine.h"

#include "core/cpu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const modes[] = {"full", "same", "valid"};

static le_tensor sequence(le_dtype dtype, int64_t n, uint64_t seed, double low, double high) {
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, dtype, 1, &n), LE_OK);
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        le_tensor_set(&t, i, low + (high - low) * (double)(seed >> 40) / (double)(1 << 24));
    }
    return t;
}

/* Where the result begins in that of mode full; numpy takes the longer one for the signal. */
static int64_t begin_of(int mode, int64_t n, int64_t k, int64_t *count) {
    const int64_t longer = n > k ? n : k, shorter = n > k ? k : n;
    *count = mode == 0 ? n + k - 1 : mode == 1 ? longer : longer - shorter + 1;
    return mode == 0 ? 0 : mode == 1 ? (shorter - 1) / 2 : shorter - 1;
}

static double expected(const le_tensor *signal, const le_tensor *kernel, int64_t at) {
    double sum = 0;
    for (int64_t j = 0; j < kernel->shape[0]; j++)
        if (at - j >= 0 && at - j < signal->shape[0])
            sum += le_tensor_get(kernel, j) * le_tensor_get(signal, at - j);
    return sum;
}

static void compare(const le_tensor *signal, const le_tensor *kernel, int mode, const char *name,
                    double tolerance) {
    le_tensor out = {0};
    int64_t count, first = begin_of(mode, signal->shape[0], kernel->shape[0], &count);
    const le_status status = le_engine_run(engine, "convolve", LE_IN("signal", signal),
                                           LE_TABLE("kernel", kernel), LE_STR("mode", modes[mode]),
                                           LE_OPT_IMPLEMENTATION(name), LE_OUT("result", &out));
    if (status != LE_OK)
        fail_msg("%s: %s", name, le_error_message());
    assert_int_equal(out.shape[0], count);
    const int64_t step = 1 + count * kernel->shape[0] / 2000000; /* not each of the longest */
    double largest = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(le_tensor_get(&out, i)))
            largest = fmax(largest, fabs(le_tensor_get(&out, i)));
    for (int64_t i = 0; i < count; i += i < count - 1 && i + step >= count ? count - 1 - i : step) {
        const double sum = expected(signal, kernel, first + i), answer = le_tensor_get(&out, i);
        const bool same = isfinite(sum) ? fabs(answer - sum) <= tolerance * largest
                          : isnan(sum)  ? isnan(answer)
                                        : answer == sum;
        if (!same)
            fail_msg("%s, %lld samples, %lld taps, %s: %.17g at %lld, expected %.17g", name,
                     (long long)signal->shape[0], (long long)kernel->shape[0], modes[mode], answer,
                     (long long)i, sum);
    }
    le_tensor_free(&out);
}

static void by_transforms(void **state) {
    static const int64_t lengths[][2] = {{1, 64},      {3, 100},    {100, 100},    {700, 90},
                                         {5000, 1000}, {30000, 64}, {2000, 20000}, {40000, 9000}};
    static const char *const names[2][3] = {{"fft_c", "fft_avx2", "fft_avx512"},
                                            {"fft_f64_c", "fft_f64_avx2", "fft_f64_avx512"}};
    static const uint32_t needs[3] = {0, LE_ISA_AVX2, LE_ISA_AVX512};
    (void)state;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (int f64 = 0; f64 < 2; f64++) {
            le_tensor signal = sequence(f64 ? LE_F64 : LE_F32, lengths[k][0], 7 + k, -1, 3);
            le_tensor kernel = sequence(LE_F32, lengths[k][1], 70 + k, 0, 1);
            for (int bad = 0; bad < 2; bad++) {
                for (int mode = 0; mode < 3; mode++)
                    for (int i = 0; i < 3; i++)
                        if (!(needs[i] & ~le__cpu_isa())) /* others may not be in this build */
                            compare(&signal, &kernel, mode, names[f64][i], f64 ? 1e-13 : 2e-6);
                if (lengths[k][0] * lengths[k][1] > 10000000) /* tap by tap then */
                    break;
                le_tensor_set(&signal, lengths[k][0] / 3, NAN);
                le_tensor_set(&signal, lengths[k][0] - 1, INFINITY);
            }
            le_tensor_free(&signal);
            le_tensor_free(&kernel);
        }
}

/* A box over a constant, by every implementation, with a sample that is no number: all others are
 * the constant. Its sums round one way, if at all. */
static void constant(const char *operation, const le_tensor *image, const le_tensor *kernel) {
    const bool flat = image->ndim == 1;
    const double value = le_tensor_get(image, 0);
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, operation, &n);
    for (size_t k = 0; k < n; k++) {
        le_tensor out = {0};
        if (!runs_here(engine, all[k]))
            continue;
        const le_status status = le_engine_run(
            engine, operation, LE_IN(flat ? "signal" : "image", image), LE_TABLE("kernel", kernel),
            LE_STR("mode", "valid"), LE_OPT_IMPLEMENTATION(all[k]->name), LE_OUT("result", &out));
        if (status != LE_OK && !is_not_for_it(status))
            fail_msg("%s: %s", all[k]->name, le_error_message());
        for (int64_t i = 0; status == LE_OK && i < le_tensor_count(&out) - 1; i++)
            if (!(fabs(le_tensor_get(&out, i) - value) <= 1e-5 * value))
                fail_msg("%s, %d taps: %.9g at %d, expected %.9g", all[k]->name,
                         (int)le_tensor_count(kernel), le_tensor_get(&out, i), (int)i, value);
        assert_true(status != LE_OK || isnan(le_tensor_get(&out, le_tensor_count(&out) - 1)));
        le_tensor_free(&out);
    }
}

static void of_a_constant(void **state) {
    static const int64_t shapes[][2] = {{1, 5000}, {1, 20001}, {33, 33}, {65, 65}, {120, 107}};
    (void)state;
    for (int k = 0; k < 5; k++) {
        const int64_t *taps = shapes[k], n = taps[0] * taps[1];
        const int ndim = taps[0] == 1 ? 1 : 2;
        le_tensor image = {0}, kernel = {0};
        const int64_t shape[2] = {taps[0] + 9, taps[1] + (ndim == 1 ? 400 : 40)};
        assert_int_equal(le_tensor_alloc(&image, LE_F32, ndim, shape + 2 - ndim), LE_OK);
        assert_int_equal(le_tensor_alloc(&kernel, LE_F64, ndim, taps + 2 - ndim), LE_OK);
        const int64_t pixels = le_tensor_count(&image);
        for (int64_t i = 0; i < pixels; i++)
            le_tensor_set(&image, i, i == pixels - 1 ? NAN : 1000.1);
        for (int64_t i = 0; i < n; i++)
            le_tensor_set(&kernel, i, 1 / (double)n);
        constant(ndim == 1 ? "convolve" : "convolve2d", &image, &kernel);
        le_tensor_free(&image);
        le_tensor_free(&kernel);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_transforms),
                                       cmocka_unit_test(of_a_constant)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
