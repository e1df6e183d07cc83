/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * measure_sources with extended columns: the ellipse of sources whose moments are known, and of those
 * that have none.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "check/runs_here.h"
#include "one_engine.h"

enum { SOURCES = 4, PIXELS = 3 * SOURCES, MOMENTS = 7 };

/* The last columns are moment_00, _01, _11, semi_major, semi_minor, theta, flags. */
static const double *last_columns(const le_tensor *catalogue, int row) {
    return (const double *)catalogue->data + (row + 1) * catalogue->shape[1] - MOMENTS;
}

static void test_ellipses(void **state) {
    (void)state;
    /* two equal pixels side by side; a sum of 0; a pixel that is not a number; an infinite one */
    double values[PIXELS] = {2, 2, 0, 1, -1, 0, NAN, 1, 0, INFINITY, 1, 0};
    int32_t labels[PIXELS] = {1, 1, 0, 2, 2, 0, 3, 3, 0, 4, 4, 0};
    const le_tensor image = le_tensor_of(values, LE_F64, 2, (int64_t[]){SOURCES, 3}),
                    label = le_tensor_of(labels, LE_I32, 2, (int64_t[]){SOURCES, 3});
    static const char *const names[] = {"reference", "c"};
    for (int k = 0; k < 2; k++) {
        le_tensor catalogue = {0};
        if (le_engine_run(engine, "measure_sources", LE_IN("image", &image),
                          LE_IN("labels", &label), LE_STR("columns", "extended"),
                          LE_OUT("catalogue", &catalogue),
                          LE_OPT_IMPLEMENTATION(names[k])) != LE_OK)
            fail_msg("%s: %s", names[k], le_error_message());
        assert_int_equal(catalogue.shape[0], SOURCES);
        static const double beside[MOMENTS - 1] = {0, 0, 0.25, 0.5, 0, 0};
        for (int i = 0; i < MOMENTS - 1; i++) {
            assert_true(last_columns(&catalogue, 0)[i] == beside[i]);
            for (int row = 1; row < SOURCES; row++)
                if (!isnan(last_columns(&catalogue, row)[i]))
                    fail_msg("%s: source %d, column %d of the moments: %g, expected NaN", names[k],
                             row + 1, i, last_columns(&catalogue, row)[i]);
        }
        le_tensor_free(&catalogue);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ellipses)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
