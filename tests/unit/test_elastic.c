/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Elastic extents: calls whose sizes differ a little are one problem; work and the implementation
 * see the true size. The operation adds bytes.
 */
#include "operation_test.h"

#include "call/problem.h"

#include <stdatomic.h>

enum { ARG_BYTES, ARG_SUM };

static _Atomic int64_t seen_by_work;

static const le_arg_desc args[] = {{.name = "bytes",
                                    .type = LE_TYPE_IN,
                                    .dtypes = LE_DTYPE_BIT(LE_U8),
                                    .min_ndim = 2,
                                    .max_ndim = 2,
                                    .elastic = 1u << 1},
                                   {.name = "sum",
                                    .type = LE_TYPE_OUT,
                                    .dtypes = LE_DTYPE_BIT(LE_U64),
                                    .min_ndim = 1,
                                    .max_ndim = 1}};

static le_status check(le_call *call) {
    return le_call_set_out(call, ARG_SUM, LE_U64, 1, le_call_in(call, ARG_BYTES)->shape);
}

static void work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_in(call, ARG_BYTES));
    seen_by_work = le_call_in(call, ARG_BYTES)->shape[1];
    *out = (le_work){n + 1, n};
}

static le_status make_case(le_case *c, const le_case_request *r) {
    (void)r;
    le_tensor *in = le_case_in(c, "bytes", LE_U8, 2, (int64_t[]){2, 77});
    for (int64_t i = 0; in && i < 154; i++)
        le_tensor_set(in, i, (double)(i % 200));
    le_case_out(c, "sum", LE_U64);
    return le_case_status(c);
}

static const le_operation added = {.abi = LE_METHOD_ABI,
                                   .name = "added",
                                   .family = "test",
                                   .reference = "school",
                                   .args = args,
                                   .n_args = 2,
                                   .check = check,
                                   .work = work,
                                   .make_case = make_case};

static size_t rows(const le_call *call) {
    return (size_t)le_call_in(call, ARG_BYTES)->shape[0];
}

static void add(void *context, size_t begin, size_t end, int worker) {
    const le_tensor *in = le_call_in(context, ARG_BYTES);
    (void)worker;
    for (size_t y = begin; y < end; y++) {
        int64_t sum = 0;
        for (int64_t x = 0; x < in->shape[1]; x++)
            sum += le_tensor_get_i64(in, (int64_t)y * in->shape[1] + x);
        le_tensor_set_i64(le_call_out(context, ARG_SUM), (int64_t)y, sum);
    }
}

static const le_implementation reference = {.abi = LE_METHOD_ABI,
                                            .operation = "added",
                                            .name = "reference",
                                            .run_type = "reference",
                                            .flags = LE_IMPL_REFERENCE,
                                            .speed = 0.5,
                                            .items = rows,
                                            .range = add};
static const le_implementation plain = {.abi = LE_METHOD_ABI,
                                        .operation = "added",
                                        .name = "c",
                                        .run_type = "c",
                                        .items = rows,
                                        .range = add};
static const le_implementation *const all[] = {&reference, &plain, NULL};

enum { MOST = 40000 };
static uint8_t bytes[3 * MOST];

static le_tensor input(int64_t h, int64_t w) {
    for (int i = 0; i < 3 * MOST; i++)
        bytes[i] = (uint8_t)(i * 7);
    return le_tensor_of(bytes, LE_U8, 2, (int64_t[]){h, w});
}

static void problem_of(le_engine *e, int64_t h, int64_t w, char out[128], int64_t *samples) {
    le_tensor in = input(h, w), sum = {0};
    le_explanation *x = NULL;
    assert_ok(le_engine_explain(e, &x, "added", LE_IN("bytes", &in), LE_OUT("sum", &sum)));
    snprintf(out, 128, "%s", x->problem);
    *samples = 0;
    for (size_t i = 0; i < x->n_candidates; i++)
        *samples += x->candidates[i].samples;
    le_explanation_free(&x);
}

static void rounding(void **state) {
    (void)state;
    static const int64_t cases[][2] = {
        {0, 0},       {1, 1},       {7, 7},       {8, 8},       {9, 10},
        {10, 10},     {11, 12},     {15, 16},     {16, 16},     {17, 20},
        {1792, 1792}, {1793, 2048}, {2048, 2048}, {2049, 2560}, {1000000, 1048576}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(le__elastic_extent(cases[i][0]), cases[i][1]);
    assert_true(le__elastic_extent(INT64_MAX) == INT64_MAX);
    assert_true(le__elastic_extent(INT64_C(7) << 60) == INT64_C(7) << 60);
}

static void one_problem(void **state) {
    (void)state;
    char a[128], b[128], c[128], d[128];
    int64_t samples, none;
    le_engine *e = operation_open(&added, all, NULL, LE_MODE_LEARN);
    for (int64_t w = 1793; w < 2048; w += 10) { /* more than RUNS_THAT_TELL */
        le_tensor in = input(3, w), sum = {0};
        assert_ok(le_engine_run(e, "added", LE_IN("bytes", &in), LE_OUT("sum", &sum)));
        for (int64_t y = 0; y < 3; y++) {
            uint64_t expected = 0;
            for (int64_t x = 0; x < w; x++)
                expected += (uint8_t)((y * w + x) * 7);
            assert_true((uint64_t)le_tensor_get_i64(&sum, y) == expected);
        }
        le_tensor_free(&sum);
    }
    seen_by_work = 0;
    problem_of(e, 3, 1800, a, &samples);
    assert_true(samples > 0);
    assert_int_equal(seen_by_work, 0); /* the problem is what its first call was */
    problem_of(e, 3, 2047, b, &none);
    assert_int_equal(none, samples); /* of a size that was never run */
    problem_of(e, 3, 2049, c, &none);
    assert_int_equal(none, 0);
    assert_int_equal(seen_by_work, 2049);
    problem_of(e, 2, 1800, d, &none); /* the other axis is not elastic */
    assert_int_equal(none, 0);
    assert_string_equal(a, "bytes=u8[3,2048] sum=u64[3]");
    assert_string_equal(a, b);
    assert_string_equal(c, "bytes=u8[3,2560] sum=u64[3]");
    assert_string_equal(d, "bytes=u8[2,2048] sum=u64[2]");
    le_close(&e);
}

/* As many chunks of a file have as many sizes: the problems stay few. */
static void few_problems(void **state) {
    (void)state;
    enum { CALLS = 2000 };
    char last[128] = "", problem[128];
    int64_t samples, problems = 0;
    le_engine *e = operation_open(&added, all, NULL, LE_MODE_ESTIMATE);
    for (int64_t i = 0; i < CALLS; i++) {
        problem_of(e, 1, 20000 + i * 10, problem, &samples);
        problems += strcmp(problem, last) != 0; /* in order of size */
        memcpy(last, problem, sizeof last);
    }
    assert_in_range(problems, 4, 6);
    le_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding),
        cmocka_unit_test(one_problem),
        cmocka_unit_test(few_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
