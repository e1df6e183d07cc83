/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Comparisons on small samples allow what rounding does: sets of which one pixel is left, so that
 * their deviation is 0, centres of sources whose sum nearly cancels, and one set along an axis,
 * which is compared on several. Right implementations are proven whatever the sample.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "liquid_engine/le.h"

enum { SEEDS = 400 };

static le_engine *engine_of(uint64_t seed) {
    le_options options;
    le_engine *engine = NULL;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.devices = "cpu";
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
        le_engine *engine = engine_of(seed);
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
        le_engine *engine = engine_of(seed);
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
    le_engine *engine = engine_of(1);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sets_of_few),
                                       cmocka_unit_test(sums_that_cancel),
                                       cmocka_unit_test(one_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
