/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Statistics against values computed with numpy 1.24 and scipy 1.10.
 */
#include "benchdb_test.h"

static const double few[] = {1.2, 3.4, 2.2, 9.1, 4.4, 2.0, 7.5};
static const double a[] = {0.9229, 0.876,  0.9755, 1.0429, 1.1203, 1.011,  0.9462, 0.9245, 1.0777,
                           1.1776, 1.0277, 0.884,  0.9086, 1.1735, 1.0205, 0.841,  0.9917, 0.8902,
                           0.939,  0.9524, 0.9312, 1.0569, 0.9937, 0.9428, 1.0418};
static void check(double got, double expect, double relative) {
    if (!(fabs(got - expect) <= relative * fabs(expect)))
        fail_msg("got %.17g, expected %.17g", got, expect);
}

static void test_moments(void **state) {
    le_moments all = {0}, left = {0}, right = {0}, none = {0};
    double low, high;
    (void)state;
    assert_false(le_moments_interval(&all, 0.9, &low, &high));
    assert_true(isinf(low) && isinf(high) && isnan(le_moments_variance(&all)));
    for (int i = 0; i < 7; i++) {
        le_moments_add(&all, few[i]);
        le_moments_add(i < 3 ? &left : &right, few[i]);
    }
    check(all.mean, 4.257142857142857, 1e-14);
    check(le_moments_variance(&all), 8.89952380952381, 1e-14);
    assert_true(le_moments_interval(&all, 0.9, &low, &high));
    check(low, 2.066117220352227, 1e-9);
    check(high, 6.448168493933487, 1e-9);
    le_moments_merge(&left, &right);
    le_moments_merge(&left, &none);
    le_moments_merge(&none, &left);
    assert_int_equal(none.n, 7);
    check(none.mean, all.mean, 1e-14);
    check(none.m2, all.m2, 1e-14);
}

/* A large offset: the naive sum of squares would lose everything. */
static void test_moments_stable(void **state) {
    le_moments all = {0}, part[10] = {{0}};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        le_moments_add(&all, 1e9 + i % 2);
        le_moments_add(&part[i % 10], 1e9 + i % 2);
    }
    for (int i = 1; i < 10; i++)
        le_moments_merge(&part[0], &part[i]);
    check(all.m2, 250, 1e-6);
    check(part[0].m2, 250, 1e-6);
}

static void test_order_statistics(void **state) {
    const double q[] = {0, 0.1, 0.25, 0.5, 0.9, 1};
    const double expect[] = {1.2, 1.68, 2.1, 3.4, 8.14, 9.1};
    (void)state;
    for (int i = 0; i < 6; i++)
        check(le_stats_quantile(few, 7, q[i]), expect[i], 1e-14);
    check(le_stats_median(few, 7), 3.4, 1e-15);
    assert_true(isnan(le_stats_median(few, 0)));
    assert_true(isnan(le_stats_quantile(few, 7, 1.5)));
    double *many = malloc(10001 * sizeof *many);
    assert_non_null(many);
    for (int i = 0; i <= 10000; i++)
        many[i] = (i * 7919) % 10001;
    check(le_stats_quantile(many, 10001, 0.25), 2500, 1e-14);
    free(many);
}

static void test_distributions(void **state) {
    (void)state;
    check(le_stats_t_quantile(0.975, 1), 12.706204736432095, 1e-9);
    check(le_stats_t_quantile(0.95, 2), 2.919985580355516, 1e-9);
    check(le_stats_t_quantile(0.995, 10), 3.1692726726169509,
          1e-9); /* by quadrature of the density */
    check(le_stats_t_quantile(0.9, 0.5), 10.270324410234544, 1e-9);
    check(le_stats_t_quantile(0.6, 1000), 0.25341451583949864, 1e-9);
    check(le_stats_t_quantile(0.4, 1000), -0.25341451583949864, 1e-9);
    check(le_stats_t_cdf(1.5, 3), 0.8847080673775886, 1e-12);
    check(le_stats_t_cdf(-2.2, 7.5), 0.030599732953058022, 1e-12);
    check(le_stats_t_cdf(10, 2), 0.9950737714883371, 1e-12);
    assert_true(isnan(le_stats_t_quantile(1.5, 3)));
}

static void test_sketch(void **state) {
    le_sketch all = {0}, part[3] = {{0}};
    (void)state;
    assert_true(isnan(le_sketch_quantile(&all, 0.5)));
    for (int i = 0; i < 25; i++) {
        le_sketch_add(&all, 1e-3 * a[i], 1);
        le_sketch_add(&part[i % 3], 1e-3 * a[i], 1);
    }
    le_sketch_add(&all, 0, 1);
    le_sketch_add(&all, (double)NAN, 1);
    le_sketch_merge(&part[0], &part[1]);
    le_sketch_merge(&part[0], &part[2]);
    assert_int_equal(le_sketch_total(&all), 25);
    assert_memory_equal(&all, &part[0], sizeof all);
    for (int i = 0; i < 25; i++) { /* each order statistic within 1 % */
        double rank = i / 24.0;
        check(le_sketch_quantile(&all, rank), 1e-3 * le_stats_quantile(a, 25, rank), 0.0101);
    }
}

/* A spread that needs more bins than there are: the upper half stays exact, nothing is lost. */
static void test_sketch_full(void **state) {
    le_sketch s = {0};
    (void)state;
    for (int i = 0; i < 2000; i++)
        le_sketch_add(&s, 1e-6 * exp(0.01 * ((i * 7919) % 2000)), 1);
    assert_int_equal(s.count, LE_SKETCH_BINS);
    assert_int_equal(le_sketch_total(&s), 2000);
    for (int i = 1; i < s.count; i++)
        assert_true(s.bin[i] > s.bin[i - 1]);
    check(le_sketch_quantile(&s, 0.95), 1e-6 * exp(0.01 * 0.95 * 1999), 0.02);
}

/* Each item must be kept with the same probability: 4 of 20 in 20000 trials is 4000 each, standard
 * deviation 57. */
static void test_reservoir(void **state) {
    uint64_t random = 20261121;
    int kept[20] = {0};
    (void)state;
    for (int trial = 0; trial < 20000; trial++) {
        int slots[4];
        for (int i = 0; i < 20; i++) {
            int slot = le_reservoir_slot(&random, i, 4);
            assert_true(slot >= -1 && slot < 4);
            if (slot >= 0)
                slots[slot] = i;
        }
        for (int i = 0; i < 4; i++)
            kept[slots[i]]++;
    }
    for (int i = 0; i < 20; i++)
        assert_true(abs(kept[i] - 4000) < 5 * 57);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),          cmocka_unit_test(test_moments_stable),
        cmocka_unit_test(test_order_statistics), cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_sketch),           cmocka_unit_test(test_sketch_full),
        cmocka_unit_test(test_reservoir),
    };
    return cmocka_run_group_tests_name("benchdb_stats", tests, NULL, NULL);
}
