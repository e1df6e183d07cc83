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

static long double radial_of(le__sc_radial kind, double t1, double t2, double t3) {
    const long double r = hypotl(t1, t2), angle = atan2l(r, t3);
    return kind == LE__SC_RADIUS ? r : kind == LE__SC_ANGLE ? angle : sinl(0.5L * angle);
}

static const le__sc_radial kinds[] = {LE__SC_SIN_HALF, LE__SC_ANGLE, LE__SC_RADIUS};

/* at: t1, t2, t3 of the points. */
static void check_line(const double matrix[3][3], double x1, const double x2[LE__SC_LINE],
                       double distance, double at[LE__SC_LINE][3]) {
    le__sc_line line;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        le__sc_line_of(matrix, x1, x2, distance, kinds[kind], true, &line);
        for (int k = 0; k < LE__SC_LINE; k++) {
            const long double radial = radial_of(kinds[kind], at[k][0], at[k][1], at[k][2]),
                              chi = atan2l(at[k][0], at[k][1]);
            assert_near(line.radial[k], radial, 1e-15L * radial);
            assert_near(line.chi[k], chi, 1e-15L * fabsl(chi));
        }
    }
}

static void test_directions(void **state) {
    static const double distances[] = {0.1, 7, -0.1};
    (void)state;
    for (int d = 0; d < 3; d++)
        for (int i = -150; i <= 150; i++)
            for (int j = -160; j < 160; j += LE__SC_LINE) {
                double x2[LE__SC_LINE], at[LE__SC_LINE][3];
                for (int k = 0; k < LE__SC_LINE; k++) {
                    x2[k] = 1.1e-3 * (j + k);
                    at[k][0] = 1e-3 * i;
                    at[k][1] = x2[k];
                    at[k][2] = distances[d];
                }
                check_line(straight, 1e-3 * i, x2, distances[d], at);
            }
}

/* A quarter of a turn about the beam, and one that takes the beam along the second axis. */
static void test_matrix(void **state) {
    static const double about[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}},
                        away[3][3] = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};
    double x2[LE__SC_LINE], turned[LE__SC_LINE][3], tilted[LE__SC_LINE][3];
    (void)state;
    for (int k = 0; k < LE__SC_LINE; k++) {
        x2[k] = 0.01 * (k - 7.5);
        turned[k][0] = -x2[k];
        turned[k][1] = 0.03;
        turned[k][2] = 0.2;
        tilted[k][0] = 0.03;
        tilted[k][1] = 0.2;
        tilted[k][2] = -x2[k];
    }
    check_line(about, 0.03, x2, 0.2, turned);
    check_line(away, 0.03, x2, 0.2, tilted);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_directions),
                                       cmocka_unit_test(test_matrix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
