/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `project` and `interpolate_at` against brute force, for every CPU implementation: volumes of any
 * strides, dtype and width, NaN and infinity; grids from even to absurd, points on their borders.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/cases.h"
#include "unit/volume_views.h"

static uint64_t state64;

static int open_seeded(void **state) {
    state64 = case_seed();
    return open_engine(state);
}

static uint64_t any(uint64_t below) {
    state64 = state64 * 6364136223846793005u + 1442695040888963407u;
    return (state64 >> 33) % below;
}

static double uniform(void) {
    return (double)any(1u << 30) / (1u << 30);
}

static const double largest[] = {
    [LE_U8] = 255,           [LE_I16] = 32767, [LE_U16] = 65535, [LE_I32] = 2147483647,
    [LE_U32] = 4294967295.0, [LE_F32] = 100,   [LE_F64] = 100};

static void fill(le_tensor *t) {
    bool is_signed = t->dtype == LE_I16 || t->dtype == LE_I32 || t->dtype == LE_F32;
    int64_t n = le_tensor_count(t);
    for (int64_t i = 0; i < n; i++)
        le_tensor_set(t, i, largest[t->dtype] * (is_signed ? 2.0 * uniform() - 1.0 : uniform()));
    if (t->dtype != LE_F32 && t->dtype != LE_F64)
        return;
    const double odd[] = {NAN, INFINITY, -INFINITY};
    for (int64_t i = 0; i < n / 50; i++)
        le_tensor_set(t, (int64_t)any((uint64_t)n), odd[i % 3]);
}

static void agree(const char *who, const le_tensor *out, int64_t i, double expected,
                  double tolerance) {
    double given = le_tensor_get(out, i);
    if (given == expected || (isnan(given) && isnan(expected)))
        return;
    if (!(fabs(given - expected) <= tolerance))
        fail_msg("%s: element %lld is %.17g, expected %.17g", who, (long long)i, given, expected);
}

/* ------------------------------------------------------------------------------ project ------ */

typedef struct projection {
    le_tensor volume;
    int axis;
    const char *reduce;
} projection;

static double reduced(const projection *p, int64_t row, int64_t column) {
    const int64_t *n = p->volume.shape;
    int64_t at[3];
    double sum = 0.0, best = 0.0;
    int rows = p->axis == 0 ? 1 : 0, columns = p->axis == 2 ? 1 : 2;
    at[rows] = row;
    at[columns] = column;
    for (int64_t i = 0; i < n[p->axis]; i++) {
        at[p->axis] = i;
        double v = le_tensor_get(&p->volume, (at[0] * n[1] + at[1]) * n[2] + at[2]);
        sum += v;
        if (i == 0 || isnan(v) || (!isnan(best) && (p->reduce[1] == 'a' ? v > best : v < best)))
            best = v;
    }
    if (strcmp(p->reduce, "sum") == 0)
        return sum;
    return strcmp(p->reduce, "mean") == 0 ? sum / (double)n[p->axis] : best;
}

static void check_project(const char *implementation, const void *with) {
    const projection *p = with;
    const int64_t *n = p->volume.shape;
    const int64_t shape[2] = {n[p->axis == 0 ? 1 : 0], n[p->axis == 2 ? 1 : 2]};
    le_tensor image = {0};
    assert_int_equal(le_tensor_alloc(&image, LE_F64, 2, shape), LE_OK);
    if (le_engine_run(engine, "project", LE_IN("volume", &p->volume), LE_I64("axis", p->axis),
                      LE_STR("reduce", p->reduce), LE_STR("scale", "linear"),
                      LE_STR("colormap", "none"), LE_OPT_IMPLEMENTATION(implementation),
                      LE_OUT("image", &image)) != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
    double tolerance = 1e-12 * largest[p->volume.dtype] * (double)n[p->axis];
    for (int64_t i = 0; i < shape[0] * shape[1]; i++)
        agree(implementation, &image, i, reduced(p, i / shape[1], i % shape[1]), tolerance);
    le_tensor_free(&image);
}

static void test_project(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {{9, 70, 133}, {3, 4, 4999}, {21, 5, 3}, {70, 9, 40}};
    static const char *const reduces[] = {"mean", "max", "min", "sum"};
    for (int number = 0; number < 168; number++) {
        le_tensor parent = {0};
        le_dtype dtype = (le_dtype)(LE_U8 + number % 7);
        assert_int_equal(le_tensor_alloc(&parent, dtype, 3, shapes[number % 4]), LE_OK);
        fill(&parent);
        projection p = {view_of(&parent, number / 3 % VOLUME_VIEWS), number % 3, reduces[any(4)]};
        for_each("project", check_project, &p);
        le_tensor_free(&parent);
    }
}

/* ----------------------------------------------------------------------- interpolate_at ------ */

typedef struct sampling {
    le_tensor axis[3], values, points;
    const char *method;
} sampling;

enum { GRIDS = 6 };

static void fill_axis(le_tensor *axis, int grid) {
    int64_t n = axis->shape[0];
    double at = -3.0, gap = 1e-9;
    for (int64_t i = 0; i < n; i++) {
        double x = (double)i / (double)(n - 1);
        le_tensor_set(axis, i,
                      grid == 0   ? x - 0.3
                      : grid == 1 ? at
                      : grid == 2 ? gap
                      : grid == 3 ? (i < n / 2 ? -1e6 : 1e6) + 1e-6 * (double)i
                      : grid == 4 ? (2.0 * x - 1.0) * DBL_MAX
                                  : 5e-324 * (double)i);
        at += 0.05 + 2.0 * uniform();
        gap *= 1.2;
    }
}

static void fill_points(sampling *s) {
    for (int64_t i = 0; i < s->points.shape[0]; i++)
        for (int a = 0; a < 3; a++) {
            int64_t n = s->axis[a].shape[0];
            double first = le_tensor_get(&s->axis[a], 0), last = le_tensor_get(&s->axis[a], n - 1);
            double knot = le_tensor_get(&s->axis[a], (int64_t)any((uint64_t)n)), u = uniform();
            double x = i % 7 == 0 ? knot : first * (1.0 - u) + last * u;
            if (any(40) == 0)
                x = any(2) ? nextafter(last, INFINITY) : i % 3 ? NAN : -INFINITY;
            le_tensor_set(&s->points, 3 * i + a, any(10) ? x : any(2) ? first : last);
        }
}

static double sampled(const sampling *s, int64_t point) {
    double w[3], x[3], sum = 0.0;
    int64_t cell[3];
    for (int a = 0; a < 3; a++) {
        x[a] = le_tensor_get(&s->points, 3 * point + a);
        if (isnan(x[a]))
            return NAN;
    }
    for (int a = 0; a < 3; a++) {
        const double *axis = s->axis[a].data;
        int64_t n = s->axis[a].shape[0];
        if (x[a] < axis[0] || x[a] > axis[n - 1])
            return -3.0;
        for (cell[a] = 0; cell[a] < n - 2 && axis[cell[a] + 1] <= x[a]; cell[a]++)
            continue;
        w[a] = (x[a] - axis[cell[a]]) / (axis[cell[a] + 1] - axis[cell[a]]);
        if (s->method[0] == 'n') {
            cell[a] += !(w[a] <= 0.5);
            w[a] = 0.0;
        }
    }
    for (int corner = 0; corner < (s->method[0] == 'n' ? 1 : 8); corner++) {
        double weight = 1.0;
        int64_t at = 0;
        for (int a = 0; a < 3; a++) {
            int up = corner >> a & 1;
            weight *= up ? w[a] : 1.0 - w[a];
            at = at * s->values.shape[a] + cell[a] + up;
        }
        sum += weight * le_tensor_get(&s->values, at);
    }
    return sum;
}

static le_status run_at(const char *implementation, const sampling *s, le_tensor *result,
                        bool refuse) {
    le_arg outside = refuse ? LE_STR("outside", "error") : LE_F64("outside", -3.0);
    return le_engine_run(engine, "interpolate_at", LE_IN("axis0", &s->axis[0]),
                         LE_IN("axis1", &s->axis[1]), LE_IN("axis2", &s->axis[2]),
                         LE_IN("values", &s->values), LE_IN("points", &s->points),
                         LE_STR("method", s->method), outside,
                         LE_OPT_IMPLEMENTATION(implementation), LE_OUT("result", result));
}

static void check_at(const char *implementation, const void *with) {
    const sampling *s = with;
    int64_t count = s->points.shape[0];
    le_tensor whole = {0};
    assert_int_equal(le_tensor_alloc(&whole, LE_F64, 1, &(int64_t){2 * count}), LE_OK);
    le_tensor result = le_tensor_of(whole.data, LE_F64, 1, &count);
    bool strided = count % 2 == 1;
    result.strides[0] = strided ? 2 : 1;
    if (run_at(implementation, s, &result, false) != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
    for (int64_t i = 0; i < count; i++) {
        agree(implementation, &result, i, sampled(s, i), 1e-14 * largest[s->values.dtype]);
        if (strided && ((double *)whole.data)[2 * i + 1] != 0.0)
            fail_msg("%s: wrote between the results", implementation);
    }
    le_tensor_free(&whole);
}

static void make_sampling(sampling *s, int number) {
    static const int64_t sizes[] = {2, 3, 40, 5, 300}, counts[] = {1, 7, 131, 1000};
    int64_t n[3];
    for (int a = 0; a < 3; a++) {
        n[a] = sizes[(number + 2 * a) % 5];
        assert_int_equal(le_tensor_alloc(&s->axis[a], LE_F64, 1, &n[a]), LE_OK);
        fill_axis(&s->axis[a], (number + a) % GRIDS);
    }
    le_dtype dtype = (le_dtype)(LE_U8 + number % 7);
    assert_int_equal(le_tensor_alloc(&s->values, dtype, 3, n), LE_OK);
    assert_int_equal(le_tensor_alloc(&s->points, number % 4 == 1 ? LE_F32 : LE_F64, 2,
                                     (int64_t[]){counts[number % 4], 3}),
                     LE_OK);
    for (int64_t i = 0; i < le_tensor_count(&s->values); i++)
        le_tensor_set(&s->values, i, largest[dtype] * uniform());
    fill_points(s);
    s->method = number % 3 == 2 ? "nearest" : "linear";
}

static void free_sampling(sampling *s) {
    for (int a = 0; a < 3; a++)
        le_tensor_free(&s->axis[a]);
    le_tensor_free(&s->values);
    le_tensor_free(&s->points);
}

static void test_interpolate_at(void **state) {
    (void)state;
    for (int number = 0; number < 84; number++) {
        sampling s = {0};
        make_sampling(&s, number);
        for_each("interpolate_at", check_at, &s);
        free_sampling(&s);
    }
}

static void check_refusal(const char *implementation, const void *with) {
    const sampling *s = with;
    double out[1000];
    for (int i = 0; i < 1000; i++)
        out[i] = -77.0;
    le_tensor result = le_tensor_of(out, LE_F64, 1, (int64_t[]){1000});
    assert_int_equal(run_at(implementation, s, &result, true), LE_ERR_DATA);
    assert_non_null(strstr(le_error_message(), "point 637"));
    for (int i = 0; i < 1000; i++)
        assert_true(out[i] == -77.0);
}

static void test_refusal(void **state) {
    (void)state;
    sampling s = {0};
    make_sampling(&s, 3);
    for (int64_t i = 0; i < 3000; i++) {
        double at = le_tensor_get(&s.axis[i % 3], i % 2);
        le_tensor_set(&s.points, i, i / 3 == 637 || i / 3 == 900 ? 1e308 : at);
    }
    le_tensor_set(&s.points, 3 * 637, NAN);
    for_each("interpolate_at", check_refusal, &s);
    free_sampling(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_project),
        cmocka_unit_test(test_interpolate_at),
        cmocka_unit_test(test_refusal),
    };
    return cmocka_run_group_tests(tests, open_seeded, close_engine);
}
