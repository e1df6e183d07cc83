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
#include <stdio.h>
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
    triples(one, &whole, "cpu"); /* first answers are looked at before they are handed over */
    triples(both, &whole, "cpu");
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

static le_value double_into(le_chain *c, le_value x, le_value to) {
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", to));
    return to;
}

/* Of a value [4,6], what is written first, and then by a second step; and whether that may be. */
static void parts_are_written_once(void **state) {
    static const struct {
        int axis[2];
        int64_t begin[2], end[2]; /* -1: a slice */
        bool both;
    } rows[] = {{{0, 0}, {0, 1}, {-1, -1}, true},  {{0, 0}, {1, 1}, {-1, -1}, false},
                {{0, 0}, {0, 2}, {2, 4}, true},    {{0, 0}, {0, 1}, {2, 3}, false},
                {{0, 1}, {0, 3}, {-1, -1}, false}, {{0, 0}, {0, 2}, {3, -1}, false},
                {{0, 0}, {1, 2}, {2, -1}, true},   {{1, 1}, {0, 5}, {5, 6}, true}};
    float data[24] = {0};
    const le_tensor x = le_tensor_of(data, LE_F32, 2, (int64_t[]){4, 6});
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        le_chain *c;
        assert_int_equal(le_chain_new(&c, engine, "parts"), LE_OK);
        le_value in = le_chain_input(c, "x", LE_F32, 2, x.shape);
        le_value y = le_chain_temp_of(c, LE_F32, 2, x.shape);
        for (int k = 0; k < 2; k++) {
            const int axis = rows[i].axis[k];
            const int64_t begin = rows[i].begin[k], end = rows[i].end[k];
            le_value part[2] = {in, y};
            for (int of = 0; of < 2; of++)
                part[of] = end < 0 ? le_chain_slice(c, part[of], axis, begin)
                                   : le_chain_range(c, part[of], axis, begin, end);
            double_into(c, part[0], part[1]);
        }
        assert_int_equal(le_chain_status(c), rows[i].both ? LE_OK : LE_ERR_ARGUMENT);
        le_chain_free(&c);
    }
}

/* A step that reads [0,8) of what it writes [2,10) of, and one that writes what was read. */
static void what_is_read_stays(void **state) {
    (void)state;
    const int64_t n = 12;
    for (int later = 0; later < 2; later++) {
        le_chain *c;
        assert_int_equal(le_chain_new(&c, engine, "over"), LE_OK);
        le_value in = le_chain_input(c, "x", LE_F32, 1, (int64_t[]){4});
        le_value y = le_chain_temp_of(c, LE_F32, 1, &n);
        double_into(c, in, le_chain_range(c, y, 0, 0, 4));
        le_value read = le_chain_range(c, y, 0, 0, 8);
        double_into(c, read, later ? le_chain_temp(c) : le_chain_range(c, y, 0, 4, 12));
        if (later) {
            assert_int_equal(le_chain_status(c), LE_OK);
            double_into(c, in, le_chain_range(c, y, 0, 4, 8));
        }
        assert_int_equal(le_chain_status(c), LE_ERR_ARGUMENT);
        assert_non_null(strstr(le_error_message(), later ? "reads" : "shares memory"));
        le_chain_free(&c);
    }
}

/* The same row by another name, before the next row is written. */
static void parts_are_known_by_where_they_lie(void **state) {
    (void)state;
    le_chain *c;
    float data[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const int64_t n = 8;
    le_tensor x = le_tensor_of(data, LE_F32, 1, &n), out = {0};
    assert_int_equal(le_chain_new(&c, engine, "again"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 1, &n);
    le_value y = le_chain_temp_of(c, LE_F32, 2, (int64_t[]){2, 8});
    double_into(c, in, le_chain_slice(c, y, 0, 0));
    double_into(c, le_chain_slice(c, y, 0, 0), le_chain_slice(c, y, 0, 1));
    le_chain_output(c, "y", y);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &out)), LE_OK);
    for (int i = 0; i < 16; i++)
        assert_true(le_tensor_get(&out, i) == (i < 8 ? 2 : 4));
    le_tensor_free(&out);
    le_chain_free(&c);
}

/* What calls refuse chains refuse. */
static void tensors_are_looked_at(void **state) {
    (void)state;
    le_chain *c;
    _Alignas(8) char bytes[64] = {0};
    float made[16];
    const int64_t n = 8;
    le_tensor x = le_tensor_of(bytes, LE_F32, 1, &n), one = le_tensor_of(made, LE_F32, 1, &n);
    le_tensor two = le_tensor_of(made + 8, LE_F32, 1, &n), none = {0};
    assert_int_equal(le_chain_new(&c, engine, "two"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 1, &n);
    le_value y = double_into(c, in, le_chain_temp(c)), z = double_into(c, y, le_chain_temp(c));
    le_chain_output(c, "y", y);
    le_chain_output(c, "z", z);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &one), LE_OUT("z", &two)), LE_OK);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &one), LE_OUT("z", &one)),
                     LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "shares memory"));
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &none), LE_OUT("z", &none)),
                     LE_ERR_ARGUMENT);
    one.strides[0] = 0;
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &one)), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "overlap"));
    one.strides[0] = 1;
    x.data = bytes + 1;
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &one)), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "not aligned"));
    le_chain_free(&c);
}

static void constants_without_data_are_refused(void **state) {
    le_chain *c;
    const int64_t n = 8;
    float data[8];
    le_tensor bad[] = {le_tensor_of(NULL, LE_F32, 1, &n), le_tensor_of(data, (le_dtype)99, 1, &n),
                       le_tensor_of((char *)data + 1, LE_F32, 1, &n)};
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(le_chain_new(&c, engine, "constant"), LE_OK);
        assert_true(le_chain_constant(c, i < 3 ? &bad[i] : NULL).id < 0);
        assert_int_equal(le_chain_status(c), i == 1 ? LE_ERR_DTYPE : LE_ERR_ARGUMENT);
        le_chain_free(&c);
    }
    assert_int_equal(le_chain_new(&c, engine, "table"), LE_OK);
    le_value image = le_chain_input(c, "x", LE_F32, 2, (int64_t[]){8, 8});
    bad[0] = le_tensor_of(NULL, LE_F32, 2, (int64_t[]){3, 3});
    assert_int_equal(le_chain_add(c, "convolve2d", LE_VALUE_IN("image", image),
                                  LE_TABLE("kernel", &bad[0]),
                                  LE_VALUE_OUT("result", le_chain_temp(c))),
                     LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "'kernel' has no data"));
    le_chain_free(&c);
}

/* More of them than an operation may have, for a chain that is none. */
static void many_inputs(void **state) {
    enum { MANY = 60 };
    const int64_t n = 1;
    float data = 3;
    le_tensor x = le_tensor_of(&data, LE_F32, 1, &n), y = {0};
    le_chain *c;
    char name[16];
    (void)state;
    assert_int_equal(le_chain_new(&c, engine, "many"), LE_OK);
    le_value in = LE_VALUE_NONE;
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "x%d", i);
        in = le_chain_input(c, name, LE_F32, 1, &n);
    }
    le_chain_output(c, "y", double_into(c, in, le_chain_temp(c)));
    assert_int_equal(le_chain_as_operation(c, NULL, NULL), LE_ERR_UNSUPPORTED);
    assert_non_null(strstr(le_error_message(), "61 inputs and outputs"));
    le_arg args[MANY + 1];
    char names[MANY][16];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "x%d", i);
        args[i] = LE_IN(names[i], &x);
    }
    args[MANY] = LE_OUT("y", &y);
    assert_int_equal(le_chain_run_args(c, args, MANY + 1), LE_OK);
    assert_true(le_tensor_get(&y, 0) == 6);
    le_tensor_free(&y);
    le_chain_free(&c);
}

/* An input of no elements has no memory; and a chain that has been added to has not run yet. */
static void empty_runs_and_no_runs(void **state) {
    (void)state;
    le_chain *c;
    le_chain_report report;
    const int64_t n = 0;
    le_tensor x = le_tensor_of(NULL, LE_F32, 1, &n), y = {0};
    assert_int_equal(le_chain_new(&c, engine, "empty"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 1, &n);
    le_chain_output(c, "y", double_into(c, in, le_chain_temp(c)));
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y)), LE_OK);
    assert_int_equal(le_tensor_count(&y), 0);
    assert_int_equal(le_chain_last_run(c, &report), LE_OK);
    assert_int_equal(report.n_steps, 1);
    double_into(c, in, le_chain_temp(c));
    le_chain_last_run(c, &report);
    assert_true(report.n_steps == 0 && !report.steps);
    le_tensor_free(&y);
    le_chain_free(&c);
}

/* --- outputs that an OpenCL implementation writes on the host --- */

static const char copy_text[] = "kernel void copy(global const float *x, global float *y) {\n"
                                "    y[get_global_id(0)] = x[get_global_id(0)];\n"
                                "}\n";
static const le_cl_source copy_source = {"test/copy", copy_text, sizeof copy_text - 1, "copy1"};

/* chain_checked: result by a kernel, twice on the host. */
static le_status checked_halves(le_call *call) {
    enum { X, RESULT, TWICE };
    const le_tensor *x = le_call_in(call, X);
    const size_t n = (size_t)le_tensor_count(x), local = 1;
    float *room = le_call_scratch(call, n * sizeof *room);
    le_cl_kernel *kernel;
    le_cl_buffer *aside;
    le_status status = room ? le_cl_get_kernel(call, &copy_source, "copy", "", &kernel)
                            : le_fail(LE_ERR_MEMORY, "no memory");
    if (status == LE_OK)
        status = le_cl_scratch(call, n * sizeof *room, &aside);
    if (status != LE_OK)
        return status;
    const le_cl_karg result[] = {LE_CL_ARG(X), LE_CL_ARG(RESULT)},
                     twice[] = {LE_CL_ARG(X), LE_CL_BUF(aside)};
    status = le_cl_launch(call, kernel, 1, &n, &local, result, 2);
    if (status != LE_OK || !le_call_given(call, TWICE))
        return status;
    status = le_cl_launch(call, kernel, 1, &n, &local, twice, 2);
    if (status == LE_OK)
        status = le_cl_download(call, aside, 0, room, n * sizeof *room);
    if (status == LE_OK)
        status = le_tensor_to_host(le_call_out(call, TWICE));
    for (size_t i = 0; status == LE_OK && i < n; i++)
        le_tensor_set(le_call_out(call, TWICE), (int64_t)i, 2 * (double)room[i]);
    return status;
}

static const le_implementation halves = {.abi = LE_METHOD_ABI,
                                         .operation = "chain_checked",
                                         .name = "halves",
                                         .run_type = "opencl",
                                         .device = LE_DEVICE_OPENCL,
                                         .run = checked_halves};

/* Rows of y: 3x by a kernel, 2x on the host, x and 2x by one step, 4x by a kernel. z is y, read on
 * the device. */
static le_chain *rows_from_both_sides(const int64_t *shape) {
    le_chain *c;
    assert_int_equal(le_chain_new(&c, engine, "both_sides"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 1, shape + 1), z = le_chain_temp(c);
    le_value y = le_chain_temp_of(c, LE_F32, 2, shape), row[5];
    for (int k = 0; k < 5; k++)
        row[k] = le_chain_slice(c, y, 0, k);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", row[0]),
                 LE_F64("factor", 3));
    le_chain_add(c, "chain_checked", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", le_chain_temp(c)),
                 LE_VALUE_OUT("twice", row[1]));
    le_chain_add(c, "chain_checked", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", row[2]),
                 LE_VALUE_OUT("twice", row[3]));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", row[4]),
                 LE_F64("factor", 4));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", y), LE_VALUE_OUT("result", z),
                 LE_F64("factor", 1));
    le_chain_output(c, "z", z);
    assert_int_equal(le_chain_status(c), LE_OK);
    return c;
}

static void rows_are_written_on_the_device_and_on_the_host(void **state) {
    (void)state;
    static const int64_t shape[] = {5, 64}; /* rows that a device takes as sub-buffers, ... */
    static const int64_t odd[] = {5, 37};   /* ... and others */
    static const double factors[] = {3, 2, 1, 2, 4};
    if (!has_opencl())
        skip();
    assert_int_equal(le_register_implementation(engine, &halves), LE_OK);
    for (int i = 0; i < N; i++)
        numbers[i] = (float)(i % 37) - 11.5f;
    for (int k = 0; k < 4; k++) {
        const int64_t *of = k % 2 ? odd : shape;
        const le_tensor x = le_tensor_of(numbers, LE_F32, 1, of + 1);
        le_tensor z = {0};
        le_chain *c = rows_from_both_sides(of);
        if (le_chain_run(c, LE_IN("x", &x), LE_OUT("z", &z), LE_OPT_DEVICE("opencl")) != LE_OK)
            fail_msg("%s", le_error_message());
        for (int64_t i = 0; i < 5 * of[1]; i++)
            assert_true(le_tensor_get(&z, i) == factors[i / of[1]] * le_tensor_get(&x, i % of[1]));
        le_tensor_free(&z);
        le_chain_free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_parts_of_values),
        cmocka_unit_test(parts_are_written_once),
        cmocka_unit_test(what_is_read_stays),
        cmocka_unit_test(parts_are_known_by_where_they_lie),
        cmocka_unit_test(tensors_are_looked_at),
        cmocka_unit_test(constants_without_data_are_refused),
        cmocka_unit_test(many_inputs),
        cmocka_unit_test(empty_runs_and_no_runs),
        cmocka_unit_test(constants_are_kept),
        cmocka_unit_test(rows_of_an_input),
        cmocka_unit_test(views_are_read_where_they_lie),
        cmocka_unit_test(rows_are_written_on_the_device_and_on_the_host),
    };
    return cmocka_run_group_tests(tests, open_with_operations, close_engine);
}
