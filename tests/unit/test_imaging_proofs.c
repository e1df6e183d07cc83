/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Comparisons on small samples allow what rounding does: sets of which one pixel is left, so that
 * their deviation is 0, centres of sources whose sum nearly cancels, and one set along an axis,
 * which is compared on several. Images of which nothing but rounding is left are as harmless. Right
 * implementations are proven whatever the sample. And sums that overflow on the way to a result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "check/runs_here.h"
#include "liquid_engine/le_method.h"

enum { SEEDS = 400 };

/* devices NULL: all. */
static le_engine *engine_of(uint64_t seed, const char *devices) {
    le_options options;
    le_engine *engine = NULL;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.devices = devices;
    options.seed = seed;
    assert_int_equal(le_open(&engine, &options), LE_OK);
    return engine;
}

static le_tensor noise(le_dtype dtype, int ndim, const int64_t *shape) {
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, dtype, ndim, shape), LE_OK);
    for (int64_t i = 0; dtype == LE_F64 && i < le_tensor_count(&t); i++)
        ((double *)t.data)[i] = (double)(i * 7919 % 1009) / 1009;
    for (int64_t i = 0; dtype == LE_I32 && i < le_tensor_count(&t); i++)
        ((int32_t *)t.data)[i] = (int32_t)(i % 5);
    return t;
}

static void sets_of_few(void **state) {
    (void)state;
    le_tensor image = noise(LE_F64, 3, (const int64_t[]){21, 4, 23});
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        le_engine *engine = engine_of(seed, "cpu");
        le_tensor statistics = {0};
        if (le_engine_run(
                engine, "sigma_clip", LE_IN("image", &image), LE_I64("axis", 1),
                LE_STR("center", "mean"), LE_F64("sigma_lower", 2), LE_F64("sigma_upper", 0.5),
                LE_I64("maxiters", 2), LE_STR("bounds", "closed"), LE_STR("keep", "last"),
                LE_OPT_IMPLEMENTATION("lines"), LE_OUT("statistics", &statistics)) != LE_OK)
            fail_msg("seed %d: %s", (int)seed, le_error_message());
        le_tensor_free(&statistics);
        le_close(&engine);
    }
    le_tensor_free(&image);
}

static void sums_that_cancel(void **state) {
    (void)state;
    le_tensor image = noise(LE_F64, 3, (const int64_t[]){18, 13, 9}),
              labels = noise(LE_I32, 3, image.shape);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        le_engine *engine = engine_of(seed, "cpu");
        le_tensor catalogue = {0};
        if (le_engine_run(engine, "measure_sources", LE_IN("image", &image),
                          LE_IN("labels", &labels), LE_OPT_IMPLEMENTATION("c"),
                          LE_OUT("catalogue", &catalogue)) != LE_OK)
            fail_msg("seed %d: %s", (int)seed, le_error_message());
        le_tensor_free(&catalogue);
        le_close(&engine);
    }
    le_tensor_free(&image);
    le_tensor_free(&labels);
}

/* An axis says that lines are meant, also where there is one of them. */
static void one_line(void **state) {
    (void)state;
    le_engine *engine = engine_of(1, "cpu");
    le_tensor image = noise(LE_F64, 2, (const int64_t[]){1, 12}), statistics = {0};
    assert_int_equal(le_engine_run(engine, "sigma_clip", LE_IN("image", &image), LE_I64("axis", 1),
                                   LE_OPT_IMPLEMENTATION("lines"),
                                   LE_OUT("statistics", &statistics)),
                     LE_OK);
    assert_int_equal(le_engine_run(engine, "sigma_clip", LE_IN("image", &image), LE_I64("axis", 1),
                                   LE_OPT_IMPLEMENTATION("c"), LE_OUT("statistics", &statistics)),
                     LE_ERR_NO_CANDIDATE);
    assert_non_null(strstr(le_error_message(), "sets along an axis"));
    assert_null(strstr(le_error_message(), "sample"));
    le_tensor_free(&statistics);
    le_tensor_free(&image);
    le_close(&engine);
}

/* A clip that leaves two pixels of a convolved image has a deviation of 1e-5 and may have a center
 * near 0: the sums that its pixels are round by more than 1e-11 of either. */
static void few_of_a_convolved_image(void **state) {
    (void)state;
    double taps[] = {0.19, 0.56, 0.75, 0.56, 0.19, 0.19, 0.56, 0.75, 0.56, 0.19};
    const le_tensor kernel = le_tensor_of(taps, LE_F64, 2, (int64_t[]){2, 5});
    le_tensor image = noise(LE_F64, 2, (const int64_t[]){133, 111});
    for (uint64_t seed = 1; seed <= SEEDS / 10; seed++) {
        le_engine *engine = engine_of(seed, "cpu");
        le_tensor statistics = {0};
        if (le_engine_run(
                engine, "find_sources", LE_IN("image", &image), LE_TABLE("kernel", &kernel),
                LE_STR("deviation", "mad_std"), LE_F64("sigma_lower", 1), LE_F64("sigma_upper", 1),
                LE_OPT_IMPLEMENTATION("staged"), LE_OUT("statistics", &statistics)) != LE_OK)
            fail_msg("seed %d: %s", (int)seed, le_error_message());
        le_tensor_free(&statistics);
        le_close(&engine);
    }
    le_tensor_free(&image);
}

/* --- convolutions whose result is nothing but rounding --- */

enum { SIDE = 150, TAPS = 9, PIXELS = SIDE * SIDE };

static le_tensor filled(le_dtype dtype, double even, double odd) {
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, dtype, 2, (const int64_t[]){SIDE, SIDE}), LE_OK);
    for (int64_t i = 0; i < PIXELS; i++)
        le_tensor_set(&t, i, (i / SIDE + i % SIDE) % 2 ? odd : even);
    return t;
}

/* A Laplacian of a Gaussian, whose sum is 0. */
static void fill_edges(double *taps) {
    double sum = 0;
    for (int i = 0; i < TAPS * TAPS; i++) {
        const double y = i / TAPS - TAPS / 2, x = i % TAPS - TAPS / 2, r = (x * x + y * y) / 4;
        taps[i] = (r - 2) * exp(-r / 2);
        sum += taps[i];
    }
    for (int i = 0; i < TAPS * TAPS; i++)
        taps[i] -= sum / (TAPS * TAPS);
}

/* A smooth one of positive taps that a chessboard makes nothing of. */
static void fill_smooth(double *taps) {
    static const double row[TAPS] = {0.003, 0.013, 0.047, 0.137, 0.1, 0.137, 0.047, 0.013, 0.003};
    const double odd = row[1] + row[3] + row[5] + row[7],
                 even = row[0] + row[2] + row[4] + row[6] + row[8];
    for (int i = 0; i < TAPS * TAPS; i++)
        taps[i] = row[i / TAPS] * row[i % TAPS] * (i % TAPS % 2 ? even : odd);
}

static le_status convolve(le_engine *engine, const le_tensor *image, double *taps,
                          const char *implementation, le_tensor *result) {
    const le_tensor kernel = le_tensor_of(taps, LE_F64, 2, (int64_t[]){TAPS, TAPS});
    return le_engine_run(engine, "convolve2d", LE_IN("image", image), LE_TABLE("kernel", &kernel),
                         LE_STR("mode", "valid"), LE_OPT_IMPLEMENTATION(implementation),
                         LE_OUT("result", result));
}

static void all_convolve(const le_tensor *image, double *taps, double most) {
    le_engine *engine = engine_of(1, NULL);
    size_t n, ran = 0;
    const le_implementation *const *all = le_engine_implementations(engine, "convolve2d", &n);
    for (size_t i = 0; i < n; i++) {
        le_tensor result = {0};
        const le_status status = convolve(engine, image, taps, all[i]->name, &result);
        if (status != LE_OK && !is_not_for_it(status))
            fail_msg("%s: %s", all[i]->name, le_error_message());
        ran += status == LE_OK;
        assert_true(status != LE_OK || le_tensor_largest(&result) <= most);
        le_tensor_free(&result);
    }
    assert_true(ran >= 3); /* the reference, c and separable_c */
    le_close(&engine);
}

static void images_of_which_rounding_is_left(void **state) {
    (void)state;
    double edges[TAPS * TAPS], smooth[TAPS * TAPS];
    fill_edges(edges);
    fill_smooth(smooth);
    for (le_dtype dtype = LE_F32; dtype <= LE_F64; dtype += LE_F64 - LE_F32) {
        le_tensor even = filled(dtype, 1000.1, 1000.1), board = filled(dtype, 0.1, -0.1);
        all_convolve(&even, edges, 1e-11);
        all_convolve(&board, smooth, 1e-7);
        le_tensor_free(&even);
        le_tensor_free(&board);
    }
}

/* --- convolutions whose sums overflow --- */

enum { HIGH = 60, WIDE = 170 };

/* Of either sign, so that sums come back from where no float is; not_finite: some are no numbers.
 */
static le_tensor large_pixels(int ndim, bool not_finite) {
    const int64_t shape[2] = {HIGH, WIDE}, all = HIGH * WIDE;
    uint64_t random = 3;
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_F32, ndim, ndim == 1 ? &all : shape), LE_OK);
    for (int64_t i = 0; i < all; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        le_tensor_set(&t, i, 6e37 * ((double)(random >> 40) / (1 << 23) - 1));
        if (not_finite && random % 1500 == 7)
            le_tensor_set(&t, i, random % 2 ? NAN : i % 2 ? INFINITY : -INFINITY);
    }
    return t;
}

static double whole_overlap(const le_tensor *image, const le_tensor *kernel, int64_t at,
                            const le_tensor *result) {
    const int64_t across = kernel->shape[kernel->ndim - 1], n = le_tensor_count(kernel),
                  cols = result->shape[result->ndim - 1];
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += le_tensor_get(kernel, n - 1 - k) *
               le_tensor_get(image, (at / cols + k / across) * image->shape[image->ndim - 1] +
                                        at % cols + k % across);
    return sum;
}

/* The largest of those that floats hold. */
static double largest_held(const le_tensor *image, const le_tensor *kernel,
                           const le_tensor *result) {
    double largest = 0;
    for (int64_t i = 0; i < le_tensor_count(result); i++) {
        const double want = fabs(whole_overlap(image, kernel, i, result));
        largest = want <= FLT_MAX ? fmax(largest, want) : largest;
    }
    return largest;
}

static void compare_overflowing(le_engine *engine, const char *name, const le_tensor *image,
                                const le_tensor *kernel) {
    const bool flat = image->ndim == 1;
    const int64_t *size = image->shape, *taps_size = kernel->shape,
                  made[2] = {size[0] - taps_size[0] + 1, flat ? 1 : size[1] - taps_size[1] + 1};
    le_tensor result;
    assert_int_equal(le_tensor_alloc(&result, LE_F32, image->ndim, made), LE_OK);
    const le_status status = le_engine_run(engine, flat ? "convolve" : "convolve2d",
                                           LE_IN(flat ? "signal" : "image", image),
                                           LE_TABLE("kernel", kernel), LE_STR("mode", "valid"),
                                           LE_OPT_IMPLEMENTATION(name), LE_OUT("result", &result));
    if (status != LE_OK && !is_not_for_it(status))
        fail_msg("%s: %s", name, le_error_message());
    const double largest = status == LE_OK ? largest_held(image, kernel, &result) : 0;
    for (int64_t i = 0; status == LE_OK && i < le_tensor_count(&result); i++) {
        const double want = whole_overlap(image, kernel, i, &result), limit = FLT_MAX,
                     is = le_tensor_get(&result, i);
        const bool as_wanted = isnan(want)                 ? isnan(is)
                               : fabs(want) > 1.01 * limit ? is == copysign(INFINITY, want)
                                                           : fabs(is - want) < 1e-5 * largest;
        if (!as_wanted && !(fabs(want) > 0.99 * limit && fabs(want) <= 1.01 * limit))
            fail_msg("%s, %d axes, result %d: %g, expected %g", name, image->ndim, (int)i, is,
                     want);
    }
    le_tensor_free(&result);
}

/* alike: taps, so that the kernel is one term; by: what they are times. */
static void convolve_by_all(le_tensor *image, bool alike, double by) {
    le_engine *engine = engine_of(1, NULL);
    const int ndim = image->ndim;
    double taps[TAPS * TAPS];
    for (int i = 0; i < TAPS * TAPS; i++)
        taps[i] = by * (alike ? 1 : (double)(1 + i * 37 % 83) / 40);
    const int64_t all = TAPS * TAPS;
    const le_tensor kernel =
        le_tensor_of(taps, LE_F64, ndim, ndim == 1 ? &all : (int64_t[]){TAPS, TAPS});
    size_t n;
    const le_implementation *const *them =
        le_engine_implementations(engine, ndim == 1 ? "convolve" : "convolve2d", &n);
    for (size_t i = 0; i < n; i++)
        if (runs_here(engine, them[i]))
            compare_overflowing(engine, them[i]->name, image, &kernel);
    le_tensor_free(image);
    le_close(&engine);
}

static void sums_that_overflow(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        le_tensor image = large_pixels(1 + k % 2, k / 4);
        convolve_by_all(&image, k / 2 % 2, 1);
    }
}

/* Taps that no float holds, and results that floats hold beside those that they do not, some much
 * larger than floats, some a little. */
static void taps_beyond_floats(void **state) {
    static const double spots[] = {1e-2, 1e20};
    (void)state;
    for (int k = 0; k < 8; k++) {
        le_tensor image = large_pixels(1 + k % 2, false);
        for (int64_t i = 0; i < le_tensor_count(&image); i++)
            le_tensor_set(&image, i, le_tensor_get(&image, i) * 1e-47);
        le_tensor_set(&image, HIGH / 2 * WIDE + WIDE / 2, spots[k / 4]);
        convolve_by_all(&image, k / 2 % 2, 1e39);
    }
}

/* Pixels that no float holds, or all as 0, and results that floats hold. */
static void pixels_beyond_floats(void **state) {
    static const double by[] = {1e-85, 1e20};
    (void)state;
    for (int k = 0; k < 8; k++) {
        le_tensor image = large_pixels(1 + k % 2, false), wide;
        assert_int_equal(le_tensor_alloc(&wide, LE_F64, image.ndim, image.shape), LE_OK);
        for (int64_t i = 0; i < le_tensor_count(&wide); i++)
            le_tensor_set(&wide, i, le_tensor_get(&image, i) * by[k / 4]);
        convolve_by_all(&wide, k / 2 % 2, k / 4 ? 1e-14 : 1e14);
        le_tensor_free(&image);
    }
}

/* A fill value that single precision does not have, and taps that make numbers of it. */
static void fill_value_beyond_floats(void **state) {
    (void)state;
    enum { N = 4 };
    float pixels[N * N] = {0};
    double taps[4] = {0.25, 0.25, 0.25, 0.25};
    le_engine *engine = engine_of(1, NULL);
    const le_tensor image = le_tensor_of(pixels, LE_F32, 2, (int64_t[]){N, N}),
                    kernel = le_tensor_of(taps, LE_F64, 2, (int64_t[]){2, 2});
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "convolve2d", &n);
    for (size_t k = 0; k < n; k++) {
        le_tensor result = {0};
        if (!runs_here(engine, all[k]))
            continue;
        const le_status status =
            le_engine_run(engine, "convolve2d", LE_IN("image", &image), LE_TABLE("kernel", &kernel),
                          LE_F64("fillvalue", -4e38), LE_OPT_IMPLEMENTATION(all[k]->name),
                          LE_OUT("result", &result));
        if (status != LE_OK && !is_not_for_it(status))
            fail_msg("%s: %s", all[k]->name, le_error_message());
        for (int64_t i = 0; status == LE_OK && i < le_tensor_count(&result); i++) {
            const bool end_row = i / (N + 1) % N == 0, end_col = i % (N + 1) % N == 0;
            const double want = end_row && end_col ? -3e38 : end_row || end_col ? -2e38 : 0;
            if (!(fabs(le_tensor_get(&result, i) - want) < 1e33))
                fail_msg("%s: result %d is %g, expected %g", all[k]->name, (int)i,
                         le_tensor_get(&result, i), want);
        }
        le_tensor_free(&result);
    }
    le_close(&engine);
}

/* Right but for a ten thousandth of what the rounding of f32 would be. */
static le_status leaves_some(le_call *call) {
    const le_tensor *image = le_call_in(call, 0), *kernel = le_call_table(call, 1);
    le_tensor *result = le_call_out(call, 2);
    const double *taps = kernel->data;
    const int64_t n = le_tensor_count(kernel), across = kernel->shape[1];
    for (int64_t i = 0; i < le_tensor_count(result); i++) {
        const int64_t y = i / result->shape[1], x = i % result->shape[1];
        double sum = 0, magnitudes = 0;
        for (int64_t k = 0; k < n; k++) {
            sum += taps[n - 1 - k] *
                   le_tensor_get(image, (y + k / across) * image->shape[1] + x + k % across);
            magnitudes += fabs(taps[k]);
        }
        le_tensor_set(result, i, sum + 1e-11 * magnitudes * le_tensor_get(image, i));
    }
    return LE_OK;
}

static void more_than_rounding_is_found(void **state) {
    (void)state;
    static const le_implementation hasty = {.abi = LE_METHOD_ABI,
                                            .operation = "convolve2d",
                                            .name = "hasty",
                                            .run_type = "c",
                                            .summary = "leaves some",
                                            .run = leaves_some};
    le_engine *engine = engine_of(1, "cpu");
    le_tensor even = filled(LE_F32, 1000.1, 1000.1), result = {0};
    double edges[TAPS * TAPS];
    fill_edges(edges);
    assert_int_equal(le_register_implementation(engine, &hasty), LE_OK);
    assert_int_equal(convolve(engine, &even, edges, "hasty", &result), LE_ERR_NO_CANDIDATE);
    assert_non_null(strstr(le_error_message(), "exceeds the tolerance"));
    le_tensor_free(&even);
    le_close(&engine);
}

/* The mean of alike pixels is rounded; they deviate from it by nothing. */
static void alike_pixels(void **state) {
    (void)state;
    le_engine *engine = engine_of(1, "cpu");
    le_tensor image = filled(LE_F64, 0.1, 0.1), labels = filled(LE_I32, 0, 0);
    for (int32_t i = 0; i < PIXELS; i++) /* so many pixels as the label's number */
        ((int32_t *)labels.data)[i] = i % SIDE < i / SIDE ? i / SIDE : 0;
    const char *const implementations[] = {"reference", "c"};
    for (int i = 0; i < 2; i++) {
        le_tensor catalogue = {0};
        if (le_engine_run(engine, "measure_sources", LE_IN("image", &image),
                          LE_IN("labels", &labels), LE_OPT_IMPLEMENTATION(implementations[i]),
                          LE_OUT("catalogue", &catalogue)) != LE_OK)
            fail_msg("%s: %s", implementations[i], le_error_message());
        for (int64_t row = 0; row < catalogue.shape[0]; row++)
            assert_true(le_tensor_get(&catalogue, row * catalogue.shape[1] + 4) < 1e-20);
        le_tensor_free(&catalogue);
    }
    le_tensor_free(&image);
    le_tensor_free(&labels);
    le_close(&engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sets_of_few),
                                       cmocka_unit_test(sums_that_cancel),
                                       cmocka_unit_test(one_line),
                                       cmocka_unit_test(few_of_a_convolved_image),
                                       cmocka_unit_test(images_of_which_rounding_is_left),
                                       cmocka_unit_test(more_than_rounding_is_found),
                                       cmocka_unit_test(sums_that_overflow),
                                       cmocka_unit_test(taps_beyond_floats),
                                       cmocka_unit_test(pixels_beyond_floats),
                                       cmocka_unit_test(fill_value_beyond_floats),
                                       cmocka_unit_test(alike_pixels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
