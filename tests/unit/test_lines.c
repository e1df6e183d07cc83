/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Scattering angles of points in a row against the C library's functions in long double, in all
 * directions and at the beam, in front of the sample and behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scattering/lines.h"

static const double straight[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void assert_near(long double got, long double want, long double most) {
    if (!(fabsl(got - want) <= most))
        fail_msg("%.20Lg, expected %.20Lg", got, want);
}

static void check_point(double t1, double t2, double t3, double sin_half, double chi) {
    const long double r = hypotl(t1, t2), half = 0.5L * atan2l(r, t3), want = atan2l(t1, t2);
    assert_near(sin_half, sinl(half), 1e-15L * sinl(half));
    assert_near(chi, want, 1e-15L * fabsl(want));
}

static void test_directions(void **state) {
    static const double distances[] = {0.1, 7, -0.1};
    (void)state;
    for (int d = 0; d < 3; d++)
        for (int i = -150; i <= 150; i++)
            for (int j = -160; j < 160; j += LE__SC_LINE) {
                double x2[LE__SC_LINE];
                le__sc_line line;
                for (int k = 0; k < LE__SC_LINE; k++)
                    x2[k] = 1.1e-3 * (j + k);
                le__sc_line_of(straight, 1e-3 * i, x2, distances[d], true, &line);
                for (int k = 0; k < LE__SC_LINE; k++)
                    check_point(1e-3 * i, x2[k], distances[d], line.sin_half[k], line.chi[k]);
            }
}

/* A quarter of a turn about the beam, and one that takes the beam along the second axis. */
static void test_matrix(void **state) {
    static const double about[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}},
                        away[3][3] = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};
    double x2[LE__SC_LINE];
    le__sc_line line;
    (void)state;
    for (int k = 0; k < LE__SC_LINE; k++)
        x2[k] = 0.01 * (k - 7.5);
    le__sc_line_of(about, 0.03, x2, 0.2, true, &line);
    for (int k = 0; k < LE__SC_LINE; k++)
        check_point(-x2[k], 0.03, 0.2, line.sin_half[k], line.chi[k]);
    le__sc_line_of(away, 0.03, x2, 0.2, true, &line);
    for (int k = 0; k < LE__SC_LINE; k++)
        check_point(0.03, 0.2, -x2[k], line.sin_half[k], line.chi[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_directions),
                                       cmocka_unit_test(test_matrix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
