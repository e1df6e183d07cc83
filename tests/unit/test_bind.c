/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Binding: every mistake gets an error that names the argument, what was given and what is
 * expected, and no output changes.
 */
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static float data[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static le_tensor vector(int64_t n) {
    return le_tensor_of(data, LE_F32, 1, &n);
}

static void expect_text(const char *part) {
    if (!strstr(le_error_message(), part))
        fail_msg("'%s' is not in '%s'", part, le_error_message());
}

static int setup(void **state) {
    *state = toy_open(NULL, LE_MODE_LEARN);
    return *state ? 0 : -1;
}

static int teardown(void **state) {
    le_engine *e = *state;
    le_close(&e);
    return 0;
}

static void right_call(void **state) {
    le_tensor in = vector(4), out = {0};
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                   LE_I64("offset", 1), LE_OUT("result", &out)),
                     LE_OK);
    assert_int_equal(out.ndim, 1);
    assert_int_equal(out.shape[0], 4);
    for (int i = 0; i < 4; i++)
        assert_float_equal(((float *)out.data)[i], 2.0f * data[i] + 1.0f, 1e-6);
    le_tensor_free(&out);
    assert_null(out.data);
}

static void unknown_names(void **state) {
    le_tensor in = vector(4), out = {0};
    assert_int_equal(le_engine_run(*state, "toi", LE_IN("input", &in)), LE_ERR_UNKNOWN);
    expect_text("did you mean 'toy'");
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("inputs", &in), LE_F64("factor", 2),
                                   LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("'inputs'");
    expect_text("did you mean 'input'");
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("'factor' is missing");
    assert_null(out.data);
}

static void wrong_kinds(void **state) {
    le_tensor in = vector(4), out = {0};
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_STR("factor", "two"),
                                   LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("expected a number");
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_F64("offset", 1.5), LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("expected an integer");
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_F64("factor", 1), LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("twice");
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 11),
                                   LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("-10 to 10");
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_STR("mode", "odd"), LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("'plain', 'fancy' or a number");
    double four[4] = {0};
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_F64S("weights", four, 4), LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("1 to 3");
    assert_null(out.data);
}

static void wrong_tensors(void **state) {
    le_tensor in = vector(4), out = {0};
    in.dtype = LE_U8;
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_ERR_DTYPE);
    expect_text("expected f32, f64");
    in = vector(4);
    in.ndim = 0;
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_ERR_SHAPE);
    in = vector(INT64_MAX / 2);
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_ERR_SHAPE);
    in = vector(-1);
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_ERR_SHAPE);
    in = vector(2);
    in.data = (char *)data + 1;
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("not aligned");
    float small[3];
    in = vector(4);
    out = le_tensor_of(small, LE_F32, 1, (int64_t[]){3});
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_ERR_SHAPE);
    expect_text("f32[3], expected f32[4]");
}

static void shared_memory(void **state) {
    le_tensor in = vector(4), out = vector(4);
    out.data = data + 3;
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("shares memory");
    float column[4] = {0};
    out = le_tensor_of(column, LE_F32, 1, (int64_t[]){4});
    out.strides[0] = 0;
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_ERR_ARGUMENT);
    expect_text("overlap");
}

static void strides(void **state) {
    float result[8] = {0, -1, 0, -1, 0, -1, 0, -1};
    le_tensor in = vector(4), out = le_tensor_of(result, LE_F32, 1, (int64_t[]){4});
    in.strides[0] = -2; /* 12, 10, 8, 6 */
    in.data = data + 11;
    out.strides[0] = 2;
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_OK);
    for (int i = 0; i < 4; i++) {
        assert_float_equal(result[2 * i], data[11 - 2 * i], 0);
        assert_float_equal(result[2 * i + 1], -1, 0);
    }
    in.strides[0] = 0;
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_OK);
    assert_float_equal(result[6], 12, 0);
}

static void nothing_to_do(void **state) {
    le_tensor in = vector(0), out = {0};
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)),
                     LE_OK);
    assert_int_equal(out.shape[0], 0);
    le_tensor_free(&out);
}

static void forced(void **state) {
    le_tensor in = vector(4), out = {0};
    le_run_info info = {.struct_size = sizeof info};
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out), LE_OPT_IMPLEMENTATION("c[threads=1]")),
                     LE_OK);
    assert_int_equal(le_last_run(&info), LE_OK);
    assert_string_equal(info.candidate, "c@cpu[threads=1,schedule=none]");
    assert_int_equal(le_engine_run(*state, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out), LE_OPT_RUN_TYPE("simd")),
                     LE_ERR_NO_CANDIDATE);
    expect_text("forced");
    le_tensor_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_call),    cmocka_unit_test(unknown_names),
        cmocka_unit_test(wrong_kinds),   cmocka_unit_test(wrong_tensors),
        cmocka_unit_test(shared_memory), cmocka_unit_test(strides),
        cmocka_unit_test(nothing_to_do), cmocka_unit_test(forced),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
