/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What cold runs do to choices.
 */
#include "policy_test.h"

/* Cold runs that tell next to nothing, as on a busy machine: one may be followed by a steady run, and
 * where that is stopped late it was the last; and the last of many slow ones is not left out for being
 * thought like the others, for a cold and a steady run together are worth what they cost. */
static void noisy_cold_runs_decide_nothing(void **state)
{
    (void)state;
    enum { N = 8 };
    const double truth[N] = {17.3e-3, 25e-3, 35e-3, 30e-3, 13.6e-3, 1.72e-3, 0.83e-3, 0.88e-3};
    const double first[N] = {20.7e-3, 80e-3, 34.9e-3, 24.6e-3, 18.9e-3, 19.4e-3, 0.99e-3, 10.7e-3};
    int stops = 0;
    bool cold[N];
    fixture f = fixture_of(N, 1, NULL);
    int p = problem_of(&f, 5.0);
    for (int k = 0; k < N; k++)
        cold[k] = true;
    for (int i = 0; i < 200; i++) {
        double now[N];
        bool whole = false;
        for (int k = 0; k < N; k++)
            now[k] = cold[k] ? first[k] : truth[k];
        double waited = call_of(&f, p, now, cold);
        for (int k = 0; k < N; k++)
            whole = whole || waited == now[k];
        stops += !whole;
    }
    assert_in_range(stops, 0, 2 * N); /* a cold and a steady one each */
    assert_int_equal(decide_of(&f, p, false).candidate, 6);
    le__policy_free(&f.policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noisy_cold_runs_decide_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
