/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The dtypes beside the common seven: their table, their elements, how they are compared, and an
 * operation on them (every element added to itself) from trial to OpenCL.
 */
#include "operation_test.h"

#include "call/dtype.h"
#include "trial/verify.h"

static const le_dtype numbers[] = {LE_I8, LE_I64, LE_U64, LE_C64, LE_C128};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

/* --- the operation --- */

enum { ARG_IN, ARG_OUT };

#define TAKES                                                                                      \
    (LE_DTYPE_BIT(LE_I8) | LE_DTYPE_BIT(LE_I64) | LE_DTYPE_BIT(LE_U64) | LE_DTYPES_COMPLEX)

static const le_arg_desc args[] = {
    {.name = "in", .type = LE_TYPE_IN, .dtypes = TAKES, .min_ndim = 1, .max_ndim = 2},
    {.name = "out", .type = LE_TYPE_OUT, .dtypes = TAKES, .min_ndim = 1, .max_ndim = 2}};

static le_status check(le_call *call) {
    const le_tensor *in = le_call_in(call, ARG_IN);
    return le_call_set_out(call, ARG_OUT, in->dtype, in->ndim, in->shape);
}

static void work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_in(call, ARG_IN));
    *out = (le_work){.operations = n + 1, .bytes = 16 * n};
}

/* Odd numbers around 2^60, small ones for i8, complex numbers with both parts. */
static void fill(le_tensor *t, int64_t i) {
    int64_t sign = i % 2 && t->dtype != LE_U64 ? -1 : 1;
    if (le_dtype_kind_of(t->dtype) == LE_DTYPE_KIND_COMPLEX)
        le_tensor_set_complex(t, i, 1.5 * (double)i, (double)(i % 7) - 3);
    else if (t->dtype == LE_I8)
        le_tensor_set(t, i, (double)(i % 120 - 60));
    else
        le_tensor_set_i64(t, i, sign * ((INT64_C(1) << 60) + 2 * i + 1));
}

static le_status make_case(le_case *c, const le_case_request *r) {
    int64_t n = 300;
    le_dtype d = r->dtype ? r->dtype : r->like ? le_call_in(r->like, ARG_IN)->dtype : LE_I64;
    le_tensor *in = le_case_in(c, "in", d, 1, &n);
    for (int64_t i = 0; in && i < n; i++)
        fill(in, i);
    le_case_out(c, "out", d);
    return le_case_status(c);
}

static const le_operation doubled = {.abi = LE_METHOD_ABI,
                                     .name = "doubled",
                                     .family = "test",
                                     .summary = "in + in",
                                     .reference = "this line",
                                     .args = args,
                                     .n_args = 2,
                                     .check = check,
                                     .work = work,
                                     .norm = LE_NORM_ABS,
                                     .atol = 0.5,
                                     .make_case = make_case};

static size_t items(const le_call *call) {
    return (size_t)le_tensor_count(le_call_in(call, ARG_IN));
}

static void by_element(void *context, size_t begin, size_t end, int worker) {
    const le_tensor *in = le_call_in(context, ARG_IN);
    le_tensor *out = le_call_out(context, ARG_OUT);
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        double v[2];
        le_tensor_get_complex(in, (int64_t)i, v);
        if (le_dtype_kind_of(in->dtype) == LE_DTYPE_KIND_COMPLEX)
            le_tensor_set_complex(out, (int64_t)i, 2 * v[0], 2 * v[1]);
        else /* unsigned: wraps instead of overflowing */
            le_tensor_set_i64(out, (int64_t)i,
                              (int64_t)(2 * (uint64_t)le_tensor_get_i64(in, (int64_t)i)));
    }
}

static void through_doubles(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for (size_t i = begin; i < end; i++)
        le_tensor_set(le_call_out(context, ARG_OUT), (int64_t)i,
                      2 * le_tensor_get(le_call_in(context, ARG_IN), (int64_t)i));
}

static const char text[] = "__kernel void doubled(__global const T *in, __global T *out, int n) {\n"
                           "    int i = get_global_id(0);\n"
                           "    if (i < n) out[i] = in[i] + in[i];\n"
                           "}\n";
static const le_cl_source source = {"test/doubled", text, sizeof text - 1, NULL};
static const le_cl_source *const sources[] = {&source, NULL};

static bool fits_device(const le_call *call, const char **why) {
    const le_cl_info *info = le_cl_device(call);
    *why = "no double precision";
    return le_call_in(call, ARG_IN)->dtype != LE_C128 || !info || info->has_f64;
}

static le_status run_opencl(le_call *call) {
    le_cl_kernel *kernel;
    char options[32];
    size_t n = items(call);
    snprintf(options, sizeof options, "-DT=%s", le_dtype_cl_type(le_call_in(call, ARG_IN)->dtype));
    le_status status = le_cl_get_kernel(call, &source, "doubled", options, &kernel);
    const le_cl_karg kargs[] = {LE_CL_ARG(ARG_IN), LE_CL_ARG(ARG_OUT), LE_CL_I32((int32_t)n)};
    return status == LE_OK ? le_cl_launch(call, kernel, 1, &n, NULL, kargs, 3) : status;
}

static const le_implementation reference = {.abi = LE_METHOD_ABI,
                                            .operation = "doubled",
                                            .name = "reference",
                                            .run_type = "reference",
                                            .flags = LE_IMPL_REFERENCE,
                                            .speed = 0.1,
                                            .items = items,
                                            .range = by_element};
static const le_implementation plain = {.abi = LE_METHOD_ABI,
                                        .operation = "doubled",
                                        .name = "c",
                                        .run_type = "c",
                                        .items = items,
                                        .range = by_element};
static const le_implementation wrong = {.abi = LE_METHOD_ABI,
                                        .operation = "doubled",
                                        .name = "through_doubles",
                                        .run_type = "c",
                                        .speed = 9, /* is tried first */
                                        .items = items,
                                        .range = through_doubles};
static const le_implementation opencl = {.abi = LE_METHOD_ABI,
                                         .operation = "doubled",
                                         .name = "opencl",
                                         .run_type = "opencl",
                                         .device = LE_DEVICE_OPENCL,
                                         .sources = sources,
                                         .applicable = fits_device,
                                         .run = run_opencl};
static const le_implementation *const all[] = {&reference, &plain, &wrong, &opencl, NULL};

/* --- tests --- */

static void table(void **state) {
    (void)state;
    static const struct {
        le_dtype dtype;
        int value;
        const char *name, *cl;
        size_t size, alignment;
        le_dtype_kind kind;
    } expected[] = {{LE_U8, 1, "u8", "uchar", 1, 1, LE_DTYPE_KIND_UNSIGNED},
                    {LE_F64, 7, "f64", "double", 8, 8, LE_DTYPE_KIND_FLOAT},
                    {LE_I8, 8, "i8", "char", 1, 1, LE_DTYPE_KIND_SIGNED},
                    {LE_I64, 9, "i64", "long", 8, 8, LE_DTYPE_KIND_SIGNED},
                    {LE_U64, 10, "u64", "ulong", 8, 8, LE_DTYPE_KIND_UNSIGNED},
                    {LE_C64, 11, "c64", "float2", 8, 4, LE_DTYPE_KIND_COMPLEX},
                    {LE_C128, 12, "c128", "double2", 16, 8, LE_DTYPE_KIND_COMPLEX}};
    const size_t widest = _Alignof(double); /* 4 on some machines of 32 bits */
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        le_dtype d = expected[i].dtype, found = (le_dtype)0;
        assert_int_equal(d, expected[i].value); /* in databases and other people's programs */
        assert_string_equal(le_dtype_name(d), expected[i].name);
        assert_string_equal(le_dtype_cl_type(d), expected[i].cl);
        assert_int_equal(le_dtype_size(d), expected[i].size);
        size_t alignment = expected[i].alignment < widest ? expected[i].alignment : widest;
        assert_int_equal(le_dtype_alignment(d), alignment);
        assert_int_equal(le_dtype_kind_of(d), expected[i].kind);
        assert_true(le_dtype_from_name(expected[i].name, &found));
        assert_int_equal(found, d);
    }
    assert_int_equal(LE_DTYPES_ALL, 0xfe);
    static const int none[] = {0, -1, LE_DTYPE_LAST + 1, 1 << 20};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(le_dtype_size((le_dtype)none[i]), 0);
        assert_int_equal(le_dtype_kind_of((le_dtype)none[i]), 0);
        assert_null(le_dtype_cl_type((le_dtype)none[i]));
        assert_string_equal(le_dtype_name((le_dtype)none[i]), "unknown");
    }
}

static void nearest(void **state) {
    (void)state;
    const uint32_t f = LE_DTYPES_FLOAT;
    assert_int_equal(le__dtype_nearest(LE_I64, 0), LE_I64);
    assert_int_equal(le__dtype_nearest(LE_I64, LE_DTYPES_ALL), LE_F64);
    assert_int_equal(le__dtype_nearest(LE_U64, LE_DTYPES_ALL), LE_F64);
    assert_int_equal(le__dtype_nearest(LE_I8, LE_DTYPES_ALL), LE_I16);
    assert_int_equal(le__dtype_nearest(LE_I8, f), LE_F32);
    assert_int_equal(le__dtype_nearest(LE_U32, f | LE_DTYPE_BIT(LE_I64)), LE_I64);
    assert_int_equal(le__dtype_nearest(LE_F64, LE_DTYPE_BIT(LE_F32)), LE_F64); /* none holds it */
    assert_int_equal(le__dtype_nearest(LE_C64, LE_DTYPES_ALL), LE_C64);
    assert_int_equal(le__dtype_nearest(LE_C64, LE_DTYPE_BIT(LE_C128)), LE_C128);
}

static void elements(void **state) {
    (void)state;
    le_tensor t;
    double v[2];
    assert_ok(le_tensor_alloc(&t, LE_I64, 1, (int64_t[]){3}));
    le_tensor_set_i64(&t, 0, INT64_MIN);
    le_tensor_set_i64(&t, 1, (INT64_C(1) << 53) + 1);
    le_tensor_set(&t, 2, 1e300); /* clamped */
    assert_true(le_tensor_get_i64(&t, 0) == INT64_MIN);
    assert_true(le_tensor_get_i64(&t, 1) == (INT64_C(1) << 53) + 1);
    assert_true(le_tensor_get_i64(&t, 2) == INT64_MAX);
    le_tensor_free(&t);
    assert_ok(le_tensor_alloc(&t, LE_U64, 1, (int64_t[]){2}));
    le_tensor_set(&t, 0, -5);
    le_tensor_set_i64(&t, 1, -1);
    assert_true(le_tensor_get_i64(&t, 0) == 0);
    assert_true((uint64_t)le_tensor_get_i64(&t, 1) == UINT64_MAX);
    le_tensor_free(&t);
    assert_ok(le_tensor_alloc(&t, LE_C64, 1, (int64_t[]){2}));
    le_tensor_set_complex(&t, 1, 2.5, -3);
    assert_true(((const float *)t.data)[2] == 2.5F && ((const float *)t.data)[3] == -3);
    le_tensor_get_complex(&t, 1, v);
    assert_true(v[0] == 2.5 && v[1] == -3 && le_tensor_get(&t, 1) == 2.5);
    le_tensor_set(&t, 1, 7);
    le_tensor_get_complex(&t, 1, v);
    assert_true(v[0] == 7 && v[1] == 0);
    le_tensor_free(&t);
}

static double largest_error(const void *a, const void *b, le_dtype da, le_dtype db, int64_t n) {
    const le_tensor x = le_tensor_of(a, da, 1, &n), y = le_tensor_of(b, db, 1, &n);
    le__error_profile p = {0};
    le__error_add(&p, LE_NORM_ABS, 0, &x, &y);
    return p.max_abs;
}

static void comparing(void **state) {
    (void)state;
    const int64_t big = INT64_C(1) << 60, a[] = {big, -big, INT64_MIN}, b[] = {big + 1, -big, 0};
    const uint64_t u[] = {UINT64_MAX, 3}, w[] = {UINT64_MAX - 2, 3};
    const int64_t minus[] = {-1, 3};
    assert_true(largest_error(a, b, LE_I64, LE_I64, 2) == 1); /* as doubles they are the same */
    assert_true(largest_error(a + 2, b + 2, LE_I64, LE_I64, 1) == 0x1p63);
    assert_true(largest_error(u, w, LE_U64, LE_U64, 2) == 2);
    assert_true(largest_error(minus, u, LE_I64, LE_U64, 2) == 0x1p64);
    const float c[] = {3, 4, 1, 1}, d[] = {0, 0, 1, 1};
    const double e[] = {3, 4, 1, 1}, nan[] = {NAN, 1, 1, 1}, nan2[] = {2, NAN, 1, 1};
    const double inf[] = {INFINITY, 0, 1, 1};
    assert_true(largest_error(c, d, LE_C64, LE_C64, 2) == 5);
    assert_true(largest_error(c, e, LE_C64, LE_C128, 2) == 0);
    assert_true(largest_error(nan, nan2, LE_C128, LE_C128, 2) == 0);
    assert_true(largest_error(nan, e, LE_C128, LE_C128, 2) == INFINITY);
    assert_true(largest_error(inf, e, LE_C128, LE_C128, 2) == INFINITY);
    assert_true(largest_error(inf, inf, LE_C128, LE_C128, 2) == 0);
    const le_tensor x = le_tensor_of(c, LE_C64, 1, (int64_t[]){2});
    const le_tensor y = le_tensor_of(d, LE_C64, 1, (int64_t[]){2});
    le__error_profile p = {0};
    le__error_add(&p, LE_NORM_MAX, 0, &x, &y);
    assert_true(fabs(p.max_abs - 5 / sqrt(2)) < 1e-12); /* in units of |1 + i| */
}

static void check_sums(const le_tensor *in, const le_tensor *out) {
    for (int64_t i = 0; i < le_tensor_count(in); i++) {
        double x[2], y[2];
        le_tensor_get_complex(in, i, x);
        le_tensor_get_complex(out, i, y);
        if (le_dtype_kind_of(in->dtype) == LE_DTYPE_KIND_COMPLEX)
            assert_true(y[0] == 2 * x[0] && y[1] == 2 * x[1]);
        else
            assert_true((uint64_t)le_tensor_get_i64(out, i) ==
                        2 * (uint64_t)le_tensor_get_i64(in, i));
    }
}

/* Through every implementation by name, then as the engine likes; a columns' view, too. */
static void calls(void **state) {
    (void)state;
    le_engine *e = operation_open(&doubled, all, NULL, LE_MODE_LEARN);
    for (size_t k = 0; k < N_NUMBERS; k++) {
        le_tensor in, out = {0};
        assert_ok(le_tensor_alloc(&in, numbers[k], 2, (int64_t[]){50, 8}));
        for (int64_t i = 0; i < 400; i++)
            fill(&in, i);
        le_tensor view = in;
        view.shape[1] = 3;
        assert_ok(le_engine_run(e, "doubled", LE_IN("in", &view), LE_OUT("out", &out)));
        assert_int_equal(out.dtype, numbers[k]);
        check_sums(&view, &out);
        le_tensor_free(&out);
        const le_arg list[] = {LE_IN("in", &view), LE_OUT("out", &out)};
        if (k % 2 && has_opencl(e, "doubled", list, 2)) { /* kernels take long to build */
            assert_ok(le_engine_run(e, "doubled", LE_IN("in", &view), LE_OUT("out", &out),
                                    LE_OPT_IMPLEMENTATION("opencl")));
            check_sums(&view, &out);
            le_tensor_free(&out);
        }
        le_tensor_free(&in);
    }
    le_close(&e);
}

/* What differs beyond 2^53 only, or in the imaginary part only, is found wrong by its trial. */
static void trials(void **state) {
    (void)state;
    static const le_dtype fooled[] = {LE_I64, LE_U64, LE_C128};
    for (size_t k = 0; k < 3; k++) {
        le_engine *e = operation_open(&doubled, all, NULL, LE_MODE_LEARN);
        le_tensor in, out = {0};
        le_explanation *x = NULL;
        assert_ok(le_tensor_alloc(&in, fooled[k], 1, (int64_t[]){400}));
        for (int64_t i = 0; i < 400; i++)
            fill(&in, i);
        for (int i = 0; i < 4; i++) {
            assert_ok(le_engine_run(e, "doubled", LE_IN("in", &in), LE_OUT("out", &out),
                                    LE_OPT_DEVICE("cpu")));
            check_sums(&in, &out);
        }
        assert_ok(le_engine_explain(e, &x, "doubled", LE_IN("in", &in), LE_OUT("out", &out)));
        assert_string_equal(explained(x, "through_doubles")->verdict, "failed");
        assert_string_equal(explained(x, "c")->verdict, "proven");
        le_explanation_free(&x);
        le_tensor_free(&out);
        le_tensor_free(&in);
        le_close(&e);
    }
}

static void refusals(void **state) {
    (void)state;
    le_engine *e = operation_open(&doubled, all, NULL, LE_MODE_LEARN);
    _Alignas(16) char data[64] = {0};
    le_tensor in = le_tensor_of(data, LE_F32, 1, (int64_t[]){2}), out = {0};
    assert_int_equal(le_engine_run(e, "doubled", LE_IN("in", &in), LE_OUT("out", &out)),
                     LE_ERR_DTYPE);
    assert_says("expected i8, i64, u64, c64, c128");
    in = le_tensor_of(data + 8, LE_C128, 1, (int64_t[]){2}); /* as numpy aligns them */
    assert_ok(le_engine_run(e, "doubled", LE_IN("in", &in), LE_OUT("out", &out)));
    le_tensor_free(&out);
    in = le_tensor_of(data + 2, LE_C128, 1, (int64_t[]){2});
    assert_int_equal(le_engine_run(e, "doubled", LE_IN("in", &in), LE_OUT("out", &out)),
                     LE_ERR_ARGUMENT);
    assert_says("not aligned");
    assert_null(out.data);
    le_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),     cmocka_unit_test(nearest), cmocka_unit_test(elements),
        cmocka_unit_test(comparing), cmocka_unit_test(calls),   cmocka_unit_test(trials),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
