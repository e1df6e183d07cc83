/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Values of chains: parts of them, constants, inputs that lie anyhow.
 */
#include "chain_ops.h"
#include "one_engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int open_with_operations(void **state) {
    return open_engine(state) != 0 || chain_ops_register(engine) != LE_OK;
}

static bool has_opencl(void) {
    float data[3] = {1, 2, 3};
    le_tensor x = le_tensor_of(data, LE_F32, 1, (int64_t[]){3}), y = {0};
    le_status status = le_engine_run(engine, "chain_scale", LE_IN("x", &x), LE_OUT("result", &y),
                                     LE_OPT_DEVICE("opencl"));
    le_tensor_free(&y);
    return status == LE_OK;
}

enum { N = 1000 };
static float numbers[N];

/* y[k][:] = (k+1) * x[k][:], written by columns into [4,3] and read back whole, by rows and by
 * range */
static void slices_are_parts_of_values(void **state) {
    (void)state;
    le_chain *c;
    float data[12] = {0};
    le_tensor x = le_tensor_of(data, LE_F32, 2, (int64_t[]){4, 3}), sum = {0};
    for (int i = 0; i < 12; i++)
        data[i] = (float)i;
    assert_int_equal(le_chain_new(&c, engine, "slices"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 2, x.shape);
    le_value y = le_chain_temp_of(c, LE_F32, 2, x.shape),
             z = le_chain_temp_of(c, LE_F32, 2, x.shape);
    le_value out = le_chain_temp(c);
    for (int k = 0; k < 3; k++)
        le_chain_add(c, "chain_scale", LE_VALUE_IN("x", le_chain_slice(c, in, 1, k)),
                     LE_VALUE_OUT("result", le_chain_slice(c, y, 1, k)), LE_F64("factor", k + 1));
    for (int k = 0; k < 2; k++)
        le_chain_add(c, "chain_scale", LE_VALUE_IN("x", le_chain_range(c, y, 0, 2 * k, 2 * k + 2)),
                     LE_VALUE_OUT("result", le_chain_range(c, z, 0, 2 * k, 2 * k + 2)),
                     LE_F64("factor", 10 * k + 10));
    le_chain_add(c, "chain_add", LE_VALUE_IN("a", z), LE_VALUE_IN("b", in),
                 LE_VALUE_OUT("result", out));
    le_chain_output(c, "sum", out);
    assert_int_equal(le_chain_status(c), LE_OK);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("sum", &sum)), LE_OK);
    for (int i = 0; i < 12; i++)
        assert_true(le_tensor_get(&sum, i) ==
                    data[i] * (float)(i % 3 + 1) * (i < 6 ? 10 : 20) + data[i]);
    le_tensor_free(&sum);
    le_chain_free(&c);
}

static void constants_are_kept(void **state) {
    (void)state;
    le_chain *c;
    float table[3] = {1, 2, 3}, data[3] = {10, 20, 30};
    le_tensor t = le_tensor_of(table, LE_F32, 1, (int64_t[]){3});
    le_tensor x = le_tensor_of(data, LE_F32, 1, (int64_t[]){3}), sum = {0};
    assert_int_equal(le_chain_new(&c, engine, "table"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 1, x.shape), out = le_chain_temp(c);
    le_value k = le_chain_constant(c, &t);
    table[0] = 99;
    le_chain_add(c, "chain_add", LE_VALUE_IN("a", in), LE_VALUE_IN("b", k),
                 LE_VALUE_OUT("result", out));
    le_chain_output(c, "sum", out);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("sum", &sum)), LE_OK);
    assert_true(le_tensor_get(&sum, 0) == 11 && le_tensor_get(&sum, 2) == 33);
    le_tensor_free(&sum);
    le_chain_free(&c);
}

/* The only step that reads the input reads a row of it. */
static void rows_of_an_input(void **state) {
    (void)state;
    le_chain *c;
    float data[6] = {1, 2, 3, 4, 5, 6}, made[3];
    le_tensor x = le_tensor_of(data, LE_F32, 2, (int64_t[]){2, 3});
    le_tensor y = le_tensor_of(made, LE_F32, 1, (int64_t[]){3});
    assert_int_equal(le_chain_new(&c, engine, "row"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 2, x.shape), out = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", le_chain_slice(c, in, 0, 1)),
                 LE_VALUE_OUT("result", out));
    le_chain_output(c, "y", out);
    for (int turned = 0; turned < 2; turned++) { /* then rows are 1, 3, 5 and 2, 4, 6 */
        x.strides[0] = turned ? 1 : 3;
        x.strides[1] = turned ? 2 : 1;
        assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y)), LE_OK);
        for (int i = 0; i < 3; i++)
            assert_true(made[i] == (float)(turned ? 2 * (2 * i + 2) : 2 * (i + 4)));
    }
    le_chain_free(&c);
}

/* y = 3 * 2 * x, which one step reads; or 2x + x, which two do. */
static le_chain *by_two_steps(bool both_read, const int64_t *shape) {
    le_chain *c;
    assert_int_equal(le_chain_new(&c, engine, both_read ? "both_read" : "one_reads"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 2, shape);
    le_value twice = le_chain_temp(c), y = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", twice));
    if (both_read)
        le_chain_add(c, "chain_add", LE_VALUE_IN("a", twice), LE_VALUE_IN("b", x),
                     LE_VALUE_OUT("result", y));
    else
        le_chain_add(c, "chain_scale", LE_VALUE_IN("x", twice), LE_VALUE_OUT("result", y),
                     LE_F64("factor", 1.5));
    le_chain_output(c, "y", y);
    return c;
}

/* Bytes of the host that the run took beside the caller's. */
static int64_t triples(le_chain *c, const le_tensor *x, const char *device) {
    float made[N] = {0};
    le_tensor y = le_tensor_of(made, LE_F32, 2, x->shape);
    le_chain_report report;
    assert_int_equal(le_chain_run(c, LE_IN("x", x), LE_OUT("y", &y), LE_OPT_DEVICE(device)), LE_OK);
    for (int64_t i = 0; i < le_tensor_count(x); i++)
        assert_true(fabs((double)made[i] - 3 * le_tensor_get(x, i)) < 1e-4);
    le_chain_last_run(c, &report);
    return report.peak_host_bytes;
}

static void views_are_read_where_they_lie(void **state) {
    (void)state;
    enum { ROWS = 20, COLUMNS = 25, BYTES = ROWS * COLUMNS * 4 };
    const int64_t shape[] = {ROWS, COLUMNS};
    for (int i = 0; i < N; i++)
        numbers[i] = (float)(i % 37) - 11.5f;
    const le_tensor whole = le_tensor_of(numbers, LE_F32, 2, shape);
    le_tensor views[] = {whole, whole, whole, whole};
    views[1].data = numbers + N - 1; /* every other one, from the end */
    views[1].strides[0] = -2 * COLUMNS;
    views[1].strides[1] = -2;
    views[2].strides[0] = 1; /* the columns of a matrix */
    views[2].strides[1] = ROWS;
    views[3].strides[0] = 0; /* one row again and again */
    le_chain *one = by_two_steps(false, shape), *both = by_two_steps(true, shape);
    for (int i = 0; i < 8; i++) {
        const le_tensor *x = &views[i % 4];
        assert_true(triples(one, x, "cpu") < 2 * BYTES);
        const int64_t bytes = triples(both, x, "cpu");
        assert_true(i % 4 ? bytes >= 2 * BYTES : bytes < 2 * BYTES); /* brought in order once */
        if (has_opencl())
            triples(one, x, "opencl");
    }
    le_chain_free(&one);
    le_chain_free(&both);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_parts_of_values),
        cmocka_unit_test(constants_are_kept),
        cmocka_unit_test(rows_of_an_input),
        cmocka_unit_test(views_are_read_where_they_lie),
    };
    return cmocka_run_group_tests(tests, open_with_operations, close_engine);
}
