/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Implementations that are one kernel, on the first OpenCL device: skipped without one.
 */
#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* out[i, j] = a * in[i, j] + n + offset of its row; optional: out's sum with itself */
enum { ARG_IN, ARG_A, ARG_N, ARG_OUT, ARG_TWICE };
enum { ROWS = 37, COLUMNS = 53 };

static le_status check(le_call *call) {
    const le_tensor *t = le_call_in(call, ARG_IN);
    le_status status = le_call_set_out(call, ARG_OUT, LE_F32, 2, t->shape);
    return status == LE_OK && le_call_given(call, ARG_TWICE)
               ? le_call_set_out(call, ARG_TWICE, LE_F32, 2, t->shape)
               : status;
}

static void work(const le_call *call, le_work *out) {
    const double n = (double)le_tensor_count(le_call_in(call, ARG_IN)) + 1;
    *out = (le_work){n, 8 * n};
}

static le_status make_case(le_case *c, const le_case_request *request) {
    const int64_t shape[] = {request->size ? request->size / 16 + 1 : 20, 16};
    le_tensor *t = le_case_in(c, "in", LE_U16, 2, shape);
    for (int64_t i = 0; t && i < le_tensor_count(t); i++)
        le_tensor_set(t, i, (double)(i * 7 % 1000));
    le_case_f64(c, "a", 0.5);
    le_case_out(c, "out", LE_F32);
    return le_case_status(c);
}

static const char *const words[] = {"plain", NULL};
static const le_arg_desc args[] = {
    {.name = "in",
     .type = LE_TYPE_IN,
     .dtypes = LE_DTYPE_BIT(LE_U16) | LE_DTYPE_BIT(LE_F32),
     .min_ndim = 2,
     .max_ndim = 2},
    {.name = "a", .type = LE_TYPE_F64},
    {.name = "n", .type = LE_TYPE_I64, .optional = true, .default_f64 = 3},
    {.name = "out",
     .type = LE_TYPE_OUT,
     .dtypes = LE_DTYPE_BIT(LE_F32),
     .min_ndim = 2,
     .max_ndim = 2},
    {.name = "twice",
     .type = LE_TYPE_OUT,
     .optional = true,
     .dtypes = LE_DTYPE_BIT(LE_F32),
     .min_ndim = 2,
     .max_ndim = 2},
};
static const le_arg_desc with_word[] = {
    {.name = "in",
     .type = LE_TYPE_IN,
     .dtypes = LE_DTYPE_BIT(LE_F32),
     .min_ndim = 2,
     .max_ndim = 2},
    {.name = "word", .type = LE_TYPE_STR, .optional = true, .words = words},
    {.name = "out",
     .type = LE_TYPE_OUT,
     .dtypes = LE_DTYPE_BIT(LE_F32),
     .min_ndim = 2,
     .max_ndim = 2},
};

static const le_operation operation = {.abi = LE_METHOD_ABI,
                                       .name = "test_simple",
                                       .family = "test",
                                       .summary = "a * in + n + row",
                                       .reference = "school",
                                       .args = args,
                                       .n_args = 5,
                                       .check = check,
                                       .work = work,
                                       .make_case = make_case,
                                       .atol = 1e-3};

static double expected(const le_tensor *in, double a, int64_t n, int64_t i) {
    return a * le_tensor_get(in, i) + (double)n + (double)(i / in->shape[1]);
}

static le_status run_reference(le_call *call) {
    const le_tensor *in = le_call_in(call, ARG_IN);
    for (int64_t i = 0; i < le_tensor_count(in); i++) {
        const double v = expected(in, le_call_f64(call, ARG_A), le_call_i64(call, ARG_N), i);
        le_tensor_set(le_call_out(call, ARG_OUT), i, v);
        if (le_call_given(call, ARG_TWICE))
            le_tensor_set(le_call_out(call, ARG_TWICE), i, 2 * v);
    }
    return LE_OK;
}

static const le_implementation reference = {.abi = LE_METHOD_ABI,
                                            .operation = "test_simple",
                                            .name = "reference",
                                            .run_type = "reference",
                                            .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL,
                                            .run = run_reference};

/* The types and the tunables are words of the text; the shape comes as further arguments. */
static const char text[] =
    "__kernel void fill(__global const T_in *in, float a, int n, __global T_out *out,\n"
    "                   __global float *twice, uint columns, uint rows) {\n"
    "    uint j = get_global_id(0), i = get_global_id(1);\n"
    "    if (i >= rows || j >= columns || get_local_size(0) != LOCAL_SIZE) return;\n"
    "    float v = a * in[i * columns + j] + n + (ROUNDS * i) / ROUNDS;\n"
    "    out[i * columns + j] = v;\n"
    "    if (twice) twice[i * columns + j] = 2 * v;\n"
    "}\n";
static const char wrong_text[] =
    "__kernel void fill(__global const T_in *in, float a, int n, __global T_out *out,\n"
    "                   __global float *twice, uint columns, uint rows) {\n"
    "    out[get_global_id(1) * columns + get_global_id(0)] = 7;\n"
    "}\n";

static size_t more(const le_call *call, le_cl_karg *kargs) {
    const le_tensor *t = le_call_in(call, ARG_IN);
    kargs[0] = LE_CL_U32((uint32_t)t->shape[1]);
    kargs[1] = LE_CL_U32((uint32_t)t->shape[0]);
    return 2;
}

static const int64_t groups[] = {4, 8}, rounds[] = {1, 2};
static const le_tunable tunables[] = {{"ROUNDS", rounds, 2, 2}, {"group", groups, 2, 8}};

static const le_cl_simple right = {.source = {"test/simple", text, sizeof text - 1, NULL},
                                   .kernel = "fill",
                                   .local = "group",
                                   .more = more};
static const le_cl_simple wrong = {
    .source = {"test/simple", wrong_text, sizeof wrong_text - 1, NULL},
    .kernel = "fill",
    .local = "group",
    .more = more};
static const le_cl_source *const right_sources[] = {&right.source, NULL};
static const le_cl_source *const wrong_sources[] = {&wrong.source, NULL};

static le_implementation simple(const char *name, const le_cl_source *const *sources) {
    return (le_implementation){.abi = LE_METHOD_ABI,
                               .operation = "test_simple",
                               .name = name,
                               .run_type = "opencl",
                               .device = LE_DEVICE_OPENCL,
                               .tunables = tunables,
                               .n_tunables = 2,
                               .sources = sources,
                               .run = le_cl_run_simple};
}

static le_implementation first, second;

static char log_text[1 << 14];

static void keep_log(void *cookie, le_log_level level, const char *line) {
    (void)cookie;
    (void)level;
    strncat(log_text, line, sizeof log_text - strlen(log_text) - 1);
}

static le_engine *open_with(const char *db) {
    le_engine *e;
    le_options o;
    le_default_options(&o);
    o.db_path = db;
    o.cache_dir = "";
    o.log = keep_log;
    log_text[0] = '\0';
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, &operation), LE_OK);
    assert_int_equal(le_register_implementation(e, &reference), LE_OK);
    return e;
}

static bool has_device(le_engine *e) {
    le_bench_device list[8];
    return le_bench_devices(e, list, 8) > 1;
}

static le_status run(le_engine *e, const char *candidate, le_dtype dtype, bool both) {
    const int64_t shape[] = {ROWS, COLUMNS};
    le_tensor in = {0}, out = {0}, twice = {0};
    assert_int_equal(le_tensor_alloc(&in, dtype, 2, shape), LE_OK);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        le_tensor_set(&in, i, (double)(i * 31 % 977));
    le_status status = both ? le_engine_run(e, "test_simple", LE_IN("in", &in), LE_F64("a", 0.25),
                                            LE_I64("n", -5), LE_OPT_IMPLEMENTATION(candidate),
                                            LE_OUT("out", &out), LE_OUT("twice", &twice))
                            : le_engine_run(e, "test_simple", LE_IN("in", &in), LE_F64("a", 0.25),
                                            LE_OPT_IMPLEMENTATION(candidate), LE_OUT("out", &out));
    for (int64_t i = 0; status == LE_OK && i < ROWS * COLUMNS; i++) {
        const double v = expected(&in, 0.25, both ? -5 : 3, i);
        assert_true(le_tensor_get(&out, i) == v); /* quarters: exact in single precision */
        if (both)
            assert_true(le_tensor_get(&twice, i) == 2 * v);
    }
    le_tensor_free(&in);
    le_tensor_free(&out);
    le_tensor_free(&twice);
    return status;
}

static void test_arguments_types_and_tunables(void **state) {
    (void)state;
    le_engine *e = open_with(":memory:");
    first = simple("kernel", right_sources);
    assert_int_equal(le_register_implementation(e, &first), LE_OK);
    if (!has_device(e)) {
        le_close(&e);
        skip();
    }
    static const char *const candidates[] = {"kernel[ROUNDS=1,group=4]",
                                             "kernel[ROUNDS=2,group=8]"};
    for (int k = 0; k < 8; k++)
        if (run(e, candidates[k % 2], k / 2 % 2 ? LE_U16 : LE_F32, k / 4) != LE_OK)
            fail_msg("%s: %s", candidates[k % 2], le_error_message());
    le_close(&e);
}

/* Two texts of one name without a hash: each is built, and the wrong one alone is left out. */
static void test_texts_are_told_apart(void **state) {
    (void)state;
    le_engine *e = open_with(":memory:");
    first = simple("kernel", right_sources);
    second = simple("other", wrong_sources);
    assert_int_equal(le_register_implementation(e, &second), LE_OK);
    assert_int_equal(le_register_implementation(e, &first), LE_OK);
    if (!has_device(e)) {
        le_close(&e);
        skip();
    }
    assert_int_equal(run(e, "other", LE_F32, false), LE_ERR_NO_CANDIDATE);
    assert_non_null(strstr(le_error_message(), "exceeds the tolerance"));
    assert_int_equal(run(e, "kernel", LE_F32, false), LE_OK);
    le_close(&e);
}

/* The process that trials of kernels are forked from began before: it knows none of these. */
static void test_registered_later(void **state) {
    (void)state;
    le_engine *e = open_with(":memory:");
    first = simple("kernel", right_sources);
    assert_int_equal(le_register_implementation(e, &first), LE_OK);
    if (!has_device(e)) {
        le_close(&e);
        skip();
    }
    assert_int_equal(run(e, "kernel", LE_F32, false), LE_OK);
    second = simple("later", right_sources);
    assert_int_equal(le_register_implementation(e, &second), LE_OK);
    if (run(e, "later", LE_F32, false) != LE_OK)
        fail_msg("%s", le_error_message());
    second = simple("later and wrong", wrong_sources);
    assert_int_equal(le_register_implementation(e, &second), LE_OK);
    assert_int_equal(run(e, "later and wrong", LE_F32, false), LE_ERR_NO_CANDIDATE);
    assert_non_null(strstr(le_error_message(), "exceeds the tolerance"));
    le_close(&e);
}

static le_status check_word(le_call *call) {
    const le_tensor *t = le_call_in(call, 0);
    return le_call_set_out(call, 2, LE_F32, 2, t->shape);
}

static void test_what_it_does_not_take(void **state) {
    (void)state;
    le_operation o = operation;
    o.args = with_word;
    o.n_args = 3;
    o.check = check_word;
    o.make_case = NULL;
    le_engine *e = open_with(":memory:");
    assert_int_equal(le_register_operation(e, &o), LE_OK);
    first = simple("kernel", right_sources);
    first.flags = LE_IMPL_REFERENCE; /* nothing to compare with: it runs at once */
    assert_int_equal(le_register_implementation(e, &first), LE_OK);
    if (!has_device(e)) {
        le_close(&e);
        skip();
    }
    const int64_t shape[] = {2, 3};
    le_tensor in = {0}, out = {0};
    assert_int_equal(le_tensor_alloc(&in, LE_F32, 2, shape), LE_OK);
    assert_int_equal(le_engine_run(e, "test_simple", LE_IN("in", &in), LE_STR("word", "plain"),
                                   LE_OUT("out", &out)),
                     LE_ERR_NO_CANDIDATE);
    assert_non_null(strstr(log_text, "argument 'word' is nothing that such a kernel takes"));
    le_tensor_free(&in);
    le_close(&e);
}

/* LE_OK: and the answer is right. candidate NULL: any. */
static le_status run_with(le_engine *e, const char *candidate, int64_t n) {
    const int64_t shape[] = {2, 3};
    le_tensor in = {0}, out = {0};
    assert_int_equal(le_tensor_alloc(&in, LE_F32, 2, shape), LE_OK);
    const le_arg forced = LE_OPT_IMPLEMENTATION(candidate);
    const le_status status =
        le_engine_run(e, "test_simple", LE_IN("in", &in), LE_F64("a", 1), LE_I64("n", n),
                      LE_OUT("out", &out), candidate ? forced : LE_OPT_RTOL(1e-6));
    for (int64_t i = 0; status == LE_OK && i < 6; i++)
        assert_true(le_tensor_get(&out, i) == (double)(float)expected(&in, 1, n, i));
    le_tensor_free(&in);
    le_tensor_free(&out);
    return status;
}

/* Whichever of them comes first, others are answered as if it had not been there. */
static void test_integers_beyond_32_bits(void **state) {
    (void)state;
    static const int64_t numbers[] = {INT32_MAX, INT64_C(1) << 31, INT32_MIN, -(INT64_C(1) << 33)};
    for (int begin = 0; begin < 2; begin++) {
        le_engine *e = open_with(":memory:");
        first = simple("kernel", right_sources);
        assert_int_equal(le_register_implementation(e, &first), LE_OK);
        if (!has_device(e)) {
            le_close(&e);
            skip();
        }
        for (int k = begin; k < 8; k++) {
            const int64_t n = numbers[k % 4];
            const bool wide = n < INT32_MIN || n > INT32_MAX;
            if (run_with(e, "kernel", n) != (wide ? LE_ERR_NO_CANDIDATE : LE_OK))
                fail_msg("n = %lld: %s", (long long)n, le_error_message());
            assert_int_equal(run_with(e, NULL, n), LE_OK);
        }
        assert_non_null(strstr(log_text, "argument 'n' is 2147483648, such a kernel takes"));
        le_close(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments_types_and_tunables),
        cmocka_unit_test(test_texts_are_told_apart),
        cmocka_unit_test(test_registered_later),
        cmocka_unit_test(test_what_it_does_not_take),
        cmocka_unit_test(test_integers_beyond_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
