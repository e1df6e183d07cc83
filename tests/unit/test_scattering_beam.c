/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Pixels round the beam, whose shares may be less than 0: counts of frames of ones, beside those of
 * pyFAI 2026.9 (integrate1d, method full, csr, cython, without solid angles), printed with 7
 * digits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>

#include "check/runs_here.h"
#include "one_engine.h"

typedef struct beam_case {
    int64_t shape[2], bins;
    double distance, poni1, poni2, pixel1, pixel2;
    const char *unit;
    double range[2]; /* the same twice: all */
    double count[50];
} beam_case;

static const beam_case cases[] = {
    {.shape = {6, 4}, /* a pixel of two bins that follow each other, one of them with less than 0 */
     .bins = 13,
     .distance = 0.05,
     .poni1 = 1.8e-4,
     .poni2 = 2.4e-4,
     .pixel1 = 1e-4,
     .pixel2 = 1e-4,
     .unit = "q_nm^-1",
     .count = {0.6776891, 3.107668, 2.731385, 3.275654, 2.899638, 2.514397, 1.975985, 1.537928,
               1.466819, 1.488718, 1.395268, 0.7786442, 0.1502064}},
    {.shape = {22, 15}, /* a bin with less than 0 in all */
     .bins = 50,
     .distance = 0.0058,
     .poni1 = 0.00673,
     .poni2 = 3.7e-5,
     .pixel1 = 7e-4,
     .pixel2 = 1.2e-4,
     .unit = "2th_deg",
     .range = {-3, 22.5},
     .count = {[11] = -0.3561044, 0.6368419, 1.904749, 1.70841,  1.2677,   1.310043, 1.364079,
               1.422468,          1.485496,  1.542593, 1.611579, 1.66716,  1.742838, 1.845447,
               2.05245,           2.156484,  2.313339, 2.510413, 2.661574, 2.764245, 2.879671,
               2.968659,          3.067315,  3.154315, 3.242467, 3.331696, 3.466653, 3.664607,
               3.617546,          3.37295,   3.430953, 3.433073, 3.449891, 3.529419, 3.657175,
               3.851577,          4.164072,  4.760091, 11.34606}},
};

static void check_counts(const beam_case *c, const char *implementation) {
    static float ones[22 * 15];
    for (int i = 0; i < 22 * 15; i++)
        ones[i] = 1;
    le_tensor in = le_tensor_of(ones, LE_F32, 2, c->shape), count = {0}, intensity = {0};
    const le_arg args[] = {LE_IN("frames", &in),
                           LE_F64("distance", c->distance),
                           LE_F64("poni1", c->poni1),
                           LE_F64("poni2", c->poni2),
                           LE_F64("pixel1", c->pixel1),
                           LE_F64("pixel2", c->pixel2),
                           LE_F64("wavelength", 1e-10),
                           LE_I64("npt", c->bins),
                           LE_I64("solid_angle", 0),
                           LE_STR("unit", c->unit),
                           LE_OUT("count", &count),
                           LE_OUT("intensity", &intensity),
                           LE_OPT_IMPLEMENTATION(implementation),
                           LE_F64S("radial_range", c->range, 2)};
    const size_t n = sizeof args / sizeof *args - (c->range[0] < c->range[1] ? 0 : 1);
    if (le_call_run(engine, "azimuthal_integrate", args, n) != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
    for (int64_t b = 0; b < c->bins; b++) {
        const double got = le_tensor_get(&count, b), mean = le_tensor_get(&intensity, b);
        if (!(fabs(got - c->count[b]) <= 6e-6))
            fail_msg("%s: bin %d: count %.9g, expected %.9g", implementation, (int)b, got,
                     c->count[b]);
        if (c->count[b] != 0 && !(fabs(mean - 1) <= 1e-5))
            fail_msg("%s: bin %d: intensity %.9g, expected 1", implementation, (int)b, mean);
    }
    le_tensor_free(&count);
    le_tensor_free(&intensity);
}

static void test_beam(void **state) {
    size_t n, ran = 0;
    const le_implementation *const *all =
        le_engine_implementations(engine, "azimuthal_integrate", &n);
    (void)state;
    for (size_t k = 0; k < n; k++)
        if (runs_here(engine, all[k])) {
            for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
                check_counts(&cases[i], all[k]->name);
            ran++;
        }
    assert_true(ran >= 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beam)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
