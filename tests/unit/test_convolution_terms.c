/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The terms of large kernels, which are kept from call to call: kernels of the same size by turns,
 * both ways round and within other tolerances, compared with sums written down tap by tap.
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
    TAPS = TAP_ROWS * TAP_COLS
};

static float pixels[ROWS * COLS];
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_turns)};
    return cmocka_run_group_tests(tests, fill, close_engine);
}
