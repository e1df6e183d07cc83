/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions worked off in slabs and tiles, and with very many taps, against sums written down
 * tap by tap, for every mode and boundary.
 */
#include "liquid_engine/le_method.h"
#include "one_engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const modes[] = {"full", "same", "valid"};
static const char *const boundaries[] = {"fill", "wrap", "symm"};

/* The pixel at (i, k) of an image that goes on beyond its edges by stepping back inside. */
static int64_t step_inside(int64_t i, int64_t n, int boundary) {
    while (boundary && (i < 0 || i >= n))
        i = boundary == 1 ? (i < 0 ? i + n : i - n) : i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

static double pixel(const le_tensor *image, int64_t i, int64_t k, int boundary) {
    i = step_inside(i, image->shape[0], boundary);
    k = step_inside(k, image->shape[1], boundary);
    const bool inside = i >= 0 && i < image->shape[0] && k >= 0 && k < image->shape[1];
    return inside ? le_tensor_get(image, i * image->shape[1] + k) : 2.5;
}

static int64_t first_of(int mode, int64_t taps) {
    return mode == 0 ? 0 : mode == 1 ? (taps - 1) / 2 : taps - 1;
}

/* Row m, column n of the result: of all overlaps the one at (m, n) after the first. */
static double expected(const le_tensor *image, const le_tensor *kernel, int mode, int boundary,
                       int64_t m, int64_t n) {
    const int64_t rows = kernel->shape[0], cols = kernel->shape[1];
    double sum = 0;
    for (int64_t a = 0; a < rows; a++)
        for (int64_t b = 0; b < cols; b++)
            sum +=
                le_tensor_get(kernel, a * cols + b) *
                pixel(image, m + first_of(mode, rows) - a, n + first_of(mode, cols) - b, boundary);
    return sum;
}

static void compare(const le_tensor *image, const le_tensor *kernel, int mode, int boundary,
                    int64_t limit) {
    le_tensor out = {0};
    const le_status status =
        le_engine_run(engine, "convolve2d", LE_IN("image", image), LE_TABLE("kernel", kernel),
                      LE_STR("mode", modes[mode]), LE_STR("boundary", boundaries[boundary]),
                      LE_F64("fillvalue", 2.5), LE_OPT_IMPLEMENTATION("slabs"),
                      LE_OPT_MEMORY_LIMIT(limit), LE_OUT("result", &out));
    if (status != LE_OK)
        fail_msg("%s, %s, %lld bytes: %s", modes[mode], boundaries[boundary], (long long)limit,
                 le_error_message());
    const int64_t more[] = {1, 0, -1};
    for (int axis = 0; axis < 2; axis++)
        assert_int_equal(out.shape[axis],
                         mode == 1 ? image->shape[axis]
                                   : image->shape[axis] + more[mode] * (kernel->shape[axis] - 1));
    for (int64_t m = 0; m < out.shape[0]; m++)
        for (int64_t n = 0; n < out.shape[1]; n++) {
            const double answer = le_tensor_get(&out, m * out.shape[1] + n),
                         sum = expected(image, kernel, mode, boundary, m, n);
            if (!(fabs(answer - sum) < 1e-9))
                fail_msg("%s, %s, %lld bytes: %.17g at (%lld, %lld), expected %.17g", modes[mode],
                         boundaries[boundary], (long long)limit, answer, (long long)m, (long long)n,
                         sum);
        }
    le_tensor_free(&out);
}

static le_tensor noise(int64_t rows, int64_t cols) {
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_F64, 2, (int64_t[]){rows, cols}), LE_OK);
    for (int64_t i = 0; i < rows * cols; i++)
        le_tensor_set(&t, i, (double)((i * 7919 + 13) % 1009) / 100 - 4);
    return t;
}

/* Slabs of a quarter of the rows; some rows in the memory of a few; tiles, of which rows do not
 * fit. */
static void every_mode(void **state) {
    (void)state;
    static const int64_t kernels[][2] = {{3, 4}, {6, 1}, {1, 5}};
    const int64_t limits[] = {0, 12000, 3600};
    le_tensor image = noise(41, 37);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        le_tensor kernel = noise(kernels[k][0], kernels[k][1]);
        for (int mode = 0; mode < 3; mode++)
            for (int boundary = 0; boundary < 3; boundary++)
                for (int l = 0; l < 3; l++)
                    compare(&image, &kernel, mode, boundary, limits[l]);
        le_tensor_free(&kernel);
    }
    le_tensor_free(&image);
}

/* Windows that reach beyond the image at both ends at once, some of them several times around it.
 */
static void kernels_larger_than_the_image(void **state) {
    (void)state;
    le_tensor image = noise(4, 9), kernel = noise(11, 3);
    for (int mode = 0; mode < 2; mode++)
        for (int boundary = 0; boundary < 3; boundary++)
            compare(&image, &kernel, mode, boundary, 0);
    le_tensor_free(&kernel);
    le_tensor_free(&image);
}

/* --- very many taps --- */

static void fill(le_tensor *t, int64_t rows, int64_t cols, double below, double above) {
    assert_int_equal(le_tensor_alloc(t, LE_F32, 2, (const int64_t[]){rows, cols}), LE_OK);
    for (int64_t i = 0; i < rows * cols; i++)
        le_tensor_set(t, i, below + (above - below) * (double)((i * 7919 + i / 31) % 1009) / 1009);
}

/* LE_ERR_NO_CANDIDATE: it does not take them. */
static le_status compare_some(const le_tensor *image, const le_tensor *kernel, int mode,
                              int boundary, const char *name, double atol) {
    le_tensor out = {0};
    const le_status status =
        le_engine_run(engine, "convolve2d", LE_IN("image", image), LE_TABLE("kernel", kernel),
                      LE_STR("mode", modes[mode]), LE_STR("boundary", boundaries[boundary]),
                      LE_F64("fillvalue", 2.5), LE_OPT_IMPLEMENTATION(name), LE_OPT_ATOL(atol),
                      LE_OUT("result", &out));
    if (status != LE_OK)
        return status;
    assert_int_equal(out.dtype, atol < 2e-6 ? LE_F64 : LE_F32);
    const int64_t n = le_tensor_count(&out);
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(le_tensor_get(&out, i)));
    for (int64_t k = 0; k < 40; k++) {
        const int64_t i = k * 7907 % n, row = i / out.shape[1], col = i % out.shape[1];
        const double sum = expected(image, kernel, mode, boundary, row, col),
                     answer = le_tensor_get(&out, i);
        if (!(fabs(answer - sum) <= atol * largest))
            fail_msg("%s, %s, %s: %.17g at (%lld, %lld), expected %.17g", name, modes[mode],
                     boundaries[boundary], answer, (long long)row, (long long)col, sum);
    }
    le_tensor_free(&out);
    return LE_OK;
}

/* So many that sums tap by tap need double precision; along an axis, too many for a usual tile;
 * more than 65536 in all. */
static void very_many_taps(void **state) {
    static const int64_t shapes[][2] = {{180, 160}, {700, 40}, {300, 220}};
    static const char *const names[] = {"fft", "fft_c", "fft_f64_c"};
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        le_tensor image = {0}, kernel = {0};
        fill(&image, 20, 40, 1, 3);
        fill(&kernel, shapes[k][0], shapes[k][1], 0, 1);
        for (int mode = 0; mode < 2; mode++)
            for (int boundary = 0; boundary < (mode == 1 ? 3 : 1); boundary++)
                for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                    if (compare_some(&image, &kernel, mode, boundary, names[i],
                                     i < 2 ? 1e-5 : 1e-12) != LE_OK)
                        fail_msg("%s, %s: %s", names[i], modes[mode], le_error_message());
        for (int64_t i = 0; i < le_tensor_count(&kernel); i += 2) /* rounding would be left */
            le_tensor_set(&kernel, i, -le_tensor_get(&kernel, i));
        assert_int_equal(compare_some(&image, &kernel, 1, 0, "fft", 1e-5), LE_ERR_NO_CANDIDATE);
        assert_non_null(strstr(le_error_message(), "double precision is needed"));
        assert_int_equal(compare_some(&image, &kernel, 1, 0, "fft_f64_c", 1e-5), LE_OK);
        assert_int_equal(compare_some(&image, &kernel, 1, 0, "fft_f64_c", 1e-10), LE_OK);
        assert_int_equal(compare_some(&image, &kernel, 1, 0, "c", 1e-10), LE_OK);
        le_tensor_free(&kernel);
        le_tensor_free(&image);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_mode),
                                       cmocka_unit_test(kernels_larger_than_the_image),
                                       cmocka_unit_test(very_many_taps)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
