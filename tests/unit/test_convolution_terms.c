/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The terms of large kernels, which are kept from call to call: kernels of the same size by turns,
 * both ways round and within other tolerances, compared with sums written down tap by tap; what a
 * bright background makes of kernels whose taps cancel, an infinite pixel of tails that single
 * precision does not have, and what is left of pixels that are denormal.
 */
#include "liquid_engine/le_method.h"
#include "one_engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    ROWS = 23,
    COLS = 31,
    TAP_ROWS = 41,
    TAP_COLS = 37,
    KERNELS = 4,
    SKY_ROWS = TAP_ROWS + 12, /* for whole overlaps */
    SKY_COLS = TAP_COLS + 20,
    TAPS = TAP_ROWS * TAP_COLS
};

static float pixels[ROWS * COLS], sky[SKY_ROWS * SKY_COLS];
static double kernels[KERNELS][TAPS];

static double uniform(void) {
    static uint64_t seed = 11;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static void add_term(double *kernel, double scale) {
    double column[TAP_ROWS], row[TAP_COLS];
    for (int i = 0; i < TAP_ROWS; i++)
        column[i] = scale * uniform();
    for (int j = 0; j < TAP_COLS; j++)
        row[j] = uniform();
    for (int i = 0; i < TAPS; i++)
        kernel[i] += column[i / TAP_COLS] * row[i % TAP_COLS];
}

static int fill(void **state) {
    for (int i = 0; i < ROWS * COLS; i++)
        pixels[i] = (float)uniform();
    for (int k = 0; k < KERNELS; k++) {
        add_term(kernels[k], 1);
        add_term(kernels[k], 5e-9);
    }
    return open_engine(state);
}

/* Where the result is (m, n) of mode full. */
static double expected(const double *kernel, bool reversed, int m, int n) {
    double sum = 0;
    for (int i = 0; i < TAPS; i++) {
        const int row = m - i / TAP_COLS, col = n - i % TAP_COLS;
        if (row >= 0 && row < ROWS && col >= 0 && col < COLS)
            sum += kernel[reversed ? i : TAPS - 1 - i] * (double)pixels[row * COLS + col];
    }
    return sum;
}

/* The largest difference over the largest result. */
static double error_of(const char *operation, const double *kernel, double tolerance) {
    const le_tensor image = le_tensor_of(pixels, LE_F32, 2, (int64_t[]){ROWS, COLS}),
                    taps = le_tensor_of((void *)kernel, LE_F64, 2, (int64_t[]){TAP_ROWS, TAP_COLS});
    const bool reversed = operation[2] == 'n'; /* convolve2d */
    le_tensor out = {0};
    double most = 0, largest = 0;
    const le_status status = le_engine_run(
        engine, operation, LE_IN("image", &image), LE_TABLE("kernel", &taps),
        LE_OPT_ATOL(tolerance), LE_OPT_IMPLEMENTATION("separable_c"), LE_OUT("result", &out));
    if (status != LE_OK)
        fail_msg("%s", le_error_message());
    for (int m = 0; m < out.shape[0]; m++)
        for (int n = 0; n < out.shape[1]; n++) {
            const double sum = expected(kernel, reversed, m, n);
            largest = fmax(largest, fabs(sum));
            most = fmax(most, fabs(sum - le_tensor_get(&out, m * out.shape[1] + n)));
        }
    le_tensor_free(&out);
    return most / largest;
}

/* The second term is left out where that is allowed, and nowhere else. */
static void by_turns(void **state) {
    static const char *const operations[] = {"convolve2d", "correlate2d"};
    (void)state;
    for (int turn = 0; turn < 3; turn++)
        for (int k = 0; k < KERNELS; k++)
            for (int o = 0; o < 2; o++) {
                assert_true(error_of(operations[o], kernels[k], 1e-5) < 1e-6);
                assert_true(error_of(operations[o], kernels[k], 1e-9) < 1e-11);
            }
}

/* Of a pixel and the opposite one the column has c and -c: a term that makes nothing of a
 * background. */
static void add_odd_term(double *kernel) {
    double row[TAP_COLS];
    for (int j = 0; j < TAP_COLS; j++)
        row[j] = uniform();
    for (int i = 0; i < TAP_ROWS / 2; i++) {
        const double tap = uniform();
        for (int j = 0; j < TAP_COLS; j++) {
            kernel[i * TAP_COLS + j] += tap * row[j];
            kernel[(TAP_ROWS - 1 - i) * TAP_COLS + j] -= tap * row[j];
        }
    }
}

static double whole_overlap(const double *kernel, int m, int n) {
    double sum = 0;
    for (int i = 0; i < TAPS; i++)
        sum += kernel[TAPS - 1 - i] * (double)sky[(m + i / TAP_COLS) * SKY_COLS + n + i % TAP_COLS];
    return sum;
}

/* All of the answer comes from a term that is 5e-9 of the kernel. */
static void bright_background(void **state) {
    static double kernel[TAPS];
    (void)state;
    add_odd_term(kernel);
    add_term(kernel, 5e-9);
    for (int i = 0; i < SKY_ROWS * SKY_COLS; i++)
        sky[i] = 1e5F;
    const le_tensor image = le_tensor_of(sky, LE_F32, 2, (int64_t[]){SKY_ROWS, SKY_COLS}),
                    taps = le_tensor_of(kernel, LE_F64, 2, (int64_t[]){TAP_ROWS, TAP_COLS});
    static const char *const implementations[] = {"separable_c", NULL};
    for (int k = 0; k < 2; k++) {
        le_tensor out = {0};
        assert_int_equal(le_engine_run(engine, "convolve2d", LE_IN("image", &image),
                                       LE_TABLE("kernel", &taps), LE_STR("mode", "valid"),
                                       LE_OPT_IMPLEMENTATION(implementations[k]),
                                       LE_OUT("result", &out)),
                         LE_OK);
        for (int m = 0; m < out.shape[0]; m++)
            for (int n = 0; n < out.shape[1]; n++) {
                const double sum = whole_overlap(kernel, m, n);
                assert_true(fabs(le_tensor_get(&out, m * out.shape[1] + n) - sum) <
                            1e-5 * fabs(sum));
            }
        le_tensor_free(&out);
    }
}

static double narrow[TAPS]; /* a Gaussian whose tails single precision does not have */
enum { HOT_ROW = 17, HOT_COL = 21 };

static void fill_narrow(void) {
    for (int i = 0; i < TAPS; i++) {
        const int y = i / TAP_COLS - TAP_ROWS / 2, x = i % TAP_COLS - TAP_COLS / 2;
        narrow[i] = exp(-(y * y + x * x) / 4.0);
    }
}

/* Every implementation, whole overlaps of the sky with the narrow kernel. hot: one pixel is infinite,
 * and since all taps are above 0 so is every window with it. Errors are shares of `largest`. */
static void compare_all(bool hot, double largest) {
    static const char *const implementations[] = {"c",           "avx2",           "avx512",
                                                  "separable_c", "separable_avx2", "separable_avx512"};
    const le_tensor image = le_tensor_of(sky, LE_F32, 2, (int64_t[]){SKY_ROWS, SKY_COLS}),
                    taps = le_tensor_of(narrow, LE_F64, 2, (int64_t[]){TAP_ROWS, TAP_COLS});
    int answers = 0;
    for (size_t k = 0; k < sizeof implementations / sizeof *implementations; k++) {
        le_tensor out = {0};
        const le_status status =
            le_engine_run(engine, "convolve2d", LE_IN("image", &image), LE_TABLE("kernel", &taps),
                          LE_STR("mode", "valid"), LE_OPT_IMPLEMENTATION(implementations[k]),
                          LE_OUT("result", &out));
        if (status == LE_ERR_NO_CANDIDATE) /* an instruction set that is not here */
            continue;
        if (status != LE_OK)
            fail_msg("%s: %s", implementations[k], le_error_message());
        answers++;
        for (int m = 0; m < out.shape[0]; m++)
            for (int n = 0; n < out.shape[1]; n++) {
                const bool infinite = hot && m <= HOT_ROW && HOT_ROW < m + TAP_ROWS &&
                                      n <= HOT_COL && HOT_COL < n + TAP_COLS;
                const double got = le_tensor_get(&out, m * out.shape[1] + n),
                             sum = infinite ? INFINITY : whole_overlap(narrow, m, n);
                if (!(infinite ? got == sum : fabs(got - sum) < 1e-5 * largest))
                    fail_msg("%s: [%d,%d] is %g, expected %g", implementations[k], m, n, got, sum);
            }
        le_tensor_free(&out);
    }
    assert_in_range(answers, 2, 6);
}

static void tails(void **state) {
    (void)state;
    fill_narrow();
    for (int i = 0; i < SKY_ROWS * SKY_COLS; i++)
        sky[i] = (float)uniform();
    sky[HOT_ROW * SKY_COLS + HOT_COL] = INFINITY;
    compare_all(true, 1);
}

/* Of a sky of denormal numbers the result is denormal, too, and nothing else: it may not be lost. */
static void faint_skies(void **state) {
    static const double scales[] = {1e-39, 1e-37, 1e-33, 1e-28};
    (void)state;
    fill_narrow();
    for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
        for (int i = 0; i < SKY_ROWS * SKY_COLS; i++)
            sky[i] = i % 7 ? 0 : (float)(uniform() * scales[k]);
        compare_all(false, scales[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_turns),
                                       cmocka_unit_test(bright_background), cmocka_unit_test(tails),
                                       cmocka_unit_test(faint_skies)};
    return cmocka_run_group_tests(tests, fill, close_engine);
}
