/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Problems that differ have texts that differ, by which they are measured and kept; what problems
 * are called in databases that exist stays.
 */
#include "operation_test.h"

#include "call/engine.h"
#include "call/problem.h"

enum { ARG_INPUT, ARG_SIZE, ARG_WIDTH, ARG_NAME, ARG_CHUNK, ARG_ANGLES, ARG_MORE, MORE = 24 };
enum { ARG_SUM = ARG_MORE + MORE, ARGS };

static char names[MORE][32];
static le_arg_desc args[ARGS] = {
    [ARG_INPUT] = {.name = "input",
                   .type = LE_TYPE_IN,
                   .dtypes = LE_DTYPES_FLOAT,
                   .min_ndim = 1,
                   .max_ndim = 1},
    [ARG_SIZE] = {.name = "size", .type = LE_TYPE_I64, .optional = true, .cost = true, .max = 1e17},
    [ARG_WIDTH] = {.name = "width", .type = LE_TYPE_F64, .optional = true, .cost = true, .max = 10},
    [ARG_NAME] = {.name = "name", .type = LE_TYPE_STR, .optional = true, .cost = true},
    [ARG_CHUNK] =
        {.name = "chunk", .type = LE_TYPE_F64S, .optional = true, .cost = true, .min_count = 1},
    [ARG_ANGLES] = {.name = "angles", .type = LE_TYPE_F64S, .optional = true, .min_count = 1},
};

static le_status check(le_call *call) {
    return le_call_set_out(call, ARG_SUM, LE_F64, 1, (int64_t[]){1});
}

static void work(const le_call *call, le_work *out) {
    (void)call;
    *out = (le_work){1, 1};
}

static le_status make_case(le_case *c, const le_case_request *r) {
    (void)r;
    le_case_in(c, "input", LE_F32, 1, (int64_t[]){4});
    le_case_out(c, "sum", LE_F64);
    return le_case_status(c);
}

static const le_operation named = {.abi = LE_METHOD_ABI,
                                   .name = "named",
                                   .family = "test",
                                   .reference = "none",
                                   .args = args,
                                   .n_args = ARGS,
                                   .check = check,
                                   .work = work,
                                   .make_case = make_case};

static size_t one(const le_call *call) {
    (void)call;
    return 1;
}

static void add(void *context, size_t begin, size_t end, int worker) {
    (void)begin, (void)end, (void)worker;
    le_tensor_set(le_call_out(context, ARG_SUM), 0, 1);
}

static const le_implementation reference = {.abi = LE_METHOD_ABI,
                                            .operation = "named",
                                            .name = "reference",
                                            .run_type = "reference",
                                            .flags = LE_IMPL_REFERENCE,
                                            .items = one,
                                            .range = add};
static const le_implementation *const all[] = {&reference, NULL};

static le_engine *open_engine(void) {
    for (int i = 0; i < MORE; i++) {
        snprintf(names[i], sizeof names[i], "argument_number_%02d", i);
        args[ARG_MORE + i] = args[ARG_INPUT];
        args[ARG_MORE + i].name = names[i];
        args[ARG_MORE + i].optional = true;
    }
    args[ARG_SUM] = (le_arg_desc){.name = "sum",
                                  .type = LE_TYPE_OUT,
                                  .dtypes = LE_DTYPES_FLOAT,
                                  .min_ndim = 1,
                                  .max_ndim = 1};
    return operation_open(&named, all, NULL, LE_MODE_LEARN);
}

/* What the problem of a call is called; given are all arguments but input and sum. */
static char *text_of(le_engine *e, const le_arg *given, size_t n, bool kind) {
    static const float data[4];
    le_tensor in = le_tensor_of((void *)(uintptr_t)data, LE_F32, 1, (int64_t[]){4}), sum = {0};
    le_arg list[ARGS] = {LE_IN("input", &in), LE_OUT("sum", &sum)};
    memcpy(list + 2, given, n * sizeof *given);
    le_call call;
    assert_ok(le__call_bind(&call, e, le__registry_find(&e->registry, "named"), list, n + 2));
    char *text = malloc(LE__PROBLEM_TEXT);
    assert_non_null(text);
    if (kind)
        le__problem_kind(&call, text, 256);
    else
        le__problem_text(&call, text, LE__PROBLEM_TEXT);
    le__call_unbind(&call);
    return text;
}

/* --- */

static void assert_text(le_engine *e, le_arg given, const char *expected) {
    char *text = text_of(e, &given, 1, false);
    assert_string_equal(text, expected);
    free(text);
}

/* What a call asks for beside its result. */
static void assert_asks(le_engine *e, const le_arg *given, size_t n, const char *expected) {
    static const float data[4];
    le_tensor in = le_tensor_of((void *)(uintptr_t)data, LE_F32, 1, (int64_t[]){4}), sum = {0};
    le_arg list[8] = {LE_IN("input", &in), LE_OUT("sum", &sum)};
    char text[64];
    memcpy(list + 2, given, n * sizeof *given);
    le_call call;
    assert_ok(le__call_bind(&call, e, le__registry_find(&e->registry, "named"), list, n + 2));
    le__constraint_text(&call, text, sizeof text);
    le__call_unbind(&call);
    assert_string_equal(text, expected);
}

/* Those that differ are stored apart. */
static void tolerances(void **state) {
    (void)state;
    le_engine *e = open_engine();
#define ASKS(a, r, expected) assert_asks(e, (le_arg[]){LE_OPT_ATOL(a), LE_OPT_RTOL(r)}, 2, expected)
    ASKS(1e-4, 0, "atol=0.0001 rtol=0");
    ASKS(1e-5, 1e-8, "atol=1e-05 rtol=1e-08");
    ASKS(1.0000001e-4, 0, "atol=0.00010000001000000001 rtol=0");
    ASKS(0.1, 1 / 3.0, "atol=0.1 rtol=0.33333333333333331");
#undef ASKS
    char *two[2] = {NULL};
    for (int k = 0; k < 2; k++) { /* there is no room for all */
        char text[64], name[100];
        snprintf(name, sizeof name, "%090d", k);
        static const float data[4];
        le_tensor in = le_tensor_of((void *)(uintptr_t)data, LE_F32, 1, (int64_t[]){4}), sum = {0};
        const le_arg list[] = {LE_IN("input", &in), LE_OUT("sum", &sum),
                               LE_OPT_IMPLEMENTATION(name)};
        le_call call;
        assert_ok(le__call_bind(&call, e, le__registry_find(&e->registry, "named"), list, 3));
        le__constraint_text(&call, text, sizeof text);
        le__call_unbind(&call);
        two[k] = strdup(text);
    }
    assert_string_not_equal(two[0], two[1]);
    free(two[0]);
    free(two[1]);
    le_close(&e);
}

static void numbers(void **state) {
    (void)state;
    le_engine *e = open_engine();
#define OF(middle) "input=f32[4] size=" middle "sum=f64[1]"
    assert_text(e, LE_I64("size", 180), OF("180 width=0 name=number "));
    assert_text(e, LE_I64("size", 1000000), OF("1e+06 width=0 name=number "));
    assert_text(e, LE_I64("size", 1048576), OF("1048576 width=0 name=number "));
    assert_text(e, LE_I64("size", 1048577), OF("1048577 width=0 name=number "));
    assert_text(e, LE_F64("width", 0.1), OF("0 width=0.1 name=number "));
    assert_text(e, LE_STR("name", "n"), OF("0 width=0 name=n ")); /* absent: another call */
    assert_text(e, LE_I64("size", 0), OF("0(given) width=0 name=number "));
    assert_text(e, LE_F64("width", 0), OF("0 width=0(given) name=number "));
    assert_text(e, LE_F64("width", 0.1 + 0x1p-55), OF("0 width=0.10000000000000003 name=number "));
    le_close(&e);
}

static uint64_t hash_of(le_engine *e, le_arg given) {
    static const float data[4];
    le_tensor in = le_tensor_of((void *)(uintptr_t)data, LE_F32, 1, (int64_t[]){4}), sum = {0};
    const le_arg list[] = {LE_IN("input", &in), LE_OUT("sum", &sum), given};
    le_call call;
    assert_ok(le__call_bind(&call, e, le__registry_find(&e->registry, "named"), list, 3));
    uint64_t hash = le__problem_hash(&call);
    le__call_unbind(&call);
    return hash;
}

/* Integers that are one as doubles, and numbers in the place of a word. */
static void numbers_of_other_types(void **state) {
    (void)state;
    static const float data[4];
    const int64_t large = (INT64_C(1) << 53) + 1;
    le_tensor in = le_tensor_of((void *)(uintptr_t)data, LE_F32, 1, (int64_t[]){4}), sum = {0};
    le_call call;
    le_engine *e = open_engine();
    assert_text(e, LE_I64("size", large),
                "input=f32[4] size=9007199254740993 size=i64 width=0 name=number sum=f64[1]");
    assert_true(hash_of(e, LE_I64("size", large)) != hash_of(e, LE_I64("size", large - 1)));
    args[ARG_MORE].type = LE_TYPE_STR_OR_F64;
    args[ARG_MORE].cost = true;
    args[ARG_MORE].default_str = "all";
    assert_text(e, LE_F64(names[0], 2.5),
                "input=f32[4] size=0 width=0 name=number argument_number_00=2.5 sum=f64[1]");
    assert_true(hash_of(e, LE_F64(names[0], 2.5)) != hash_of(e, LE_F64(names[0], 3)));
    const le_arg list[] = {LE_IN("input", &in), LE_OUT("sum", &sum), LE_I64("size", large)};
    args[ARG_SIZE].max = 0x1p53;
    assert_int_equal(le__call_bind(&call, e, le__registry_find(&e->registry, "named"), list, 3),
                     LE_ERR_ARGUMENT);
    assert_non_null(
        strstr(le_error_message(), "is 9007199254740993, expected 0 to 9007199254740992"));
    args[ARG_SIZE].max = 1e17;
    args[ARG_SIZE].default_f64 = 1e18;
    assert_text(e, LE_F64("width", 1),
                "input=f32[4] size=1000000000000000000 size=i64 width=1 name=number "
                "argument_number_00=all sum=f64[1]");
    args[ARG_SIZE].default_f64 = 0;
    le_close(&e);
}

static void lists(void **state) {
    (void)state;
    le_engine *e = open_engine();
    double list[300] = {1, 512, 0.25};
    assert_text(e, LE_F64S("chunk", list, 3), OF("0 width=0 name=number chunk=1,512,0.25 "));
    assert_text(e, LE_F64S("angles", list, 3), OF("0 width=0 name=number angles#3 "));
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        list[299] = i;
        texts[i] = text_of(e, (le_arg[]){LE_F64S("chunk", list, 300)}, 1, false);
        assert_non_null(strstr(texts[i], " chunk=300#"));
        assert_true(strlen(texts[i]) < 100);
    }
    assert_string_not_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
    le_close(&e);
}

static void long_strings(void **state) {
    static const char *const same = "a name of many letters, of which the first sixty are alike: ";
    (void)state;
    le_engine *e = open_engine();
    char name[2][80], *texts[2];
    for (int i = 0; i < 2; i++) {
        snprintf(name[i], sizeof name[i], "%s%d", same, i);
        texts[i] = text_of(e, (le_arg[]){LE_STR("name", name[i])}, 1, false);
    }
    assert_string_not_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
    le_close(&e);
}

/* Each of the arguments, the last one too, makes a problem of its own. */
static void many_arguments(void **state) {
    static const double data[8];
    (void)state;
    le_engine *e = open_engine();
    for (int kind = 0; kind < 2; kind++) {
        char *texts[MORE + 1];
        for (int other = 0; other <= MORE; other++) {
            le_tensor t[MORE];
            le_arg given[MORE];
            for (int i = 0; i < MORE; i++) {
                le_dtype dtype = i == other && kind ? LE_F64 : LE_F32;
                t[i] = le_tensor_of((void *)(uintptr_t)data, dtype, 1,
                                    (int64_t[]){i == other && !kind ? 7 : 4});
                given[i] = LE_IN(names[i], &t[i]);
            }
            texts[other] = text_of(e, given, MORE, kind);
            assert_int_equal(strlen(texts[other]), kind ? 255 : LE__PROBLEM_TEXT - 1);
            for (int i = 0; i < other; i++)
                assert_string_not_equal(texts[i], texts[other]);
        }
        for (int i = 0; i <= MORE; i++)
            free(texts[i]);
    }
    le_close(&e);
}

/* What was learnt for one says nothing of the other. */
static void each_is_measured(void **state) {
    static const float data[4];
    (void)state;
    le_engine *e = open_engine();
    for (int64_t size = 1048576; size < 1048579; size++) {
        le_tensor in = le_tensor_of((void *)(uintptr_t)data, LE_F32, 1, (int64_t[]){4}), sum = {0};
        le_explanation *x = NULL;
        assert_ok(le_engine_explain(e, &x, "named", LE_IN("input", &in), LE_OUT("sum", &sum),
                                    LE_I64("size", size)));
        for (size_t i = 0; i < x->n_candidates; i++)
            assert_int_equal(x->candidates[i].samples, 0);
        le_explanation_free(&x);
        for (int i = 0; i < RUNS_THAT_TELL; i++)
            assert_ok(le_engine_run(e, "named", LE_IN("input", &in), LE_OUT("sum", &sum),
                                    LE_I64("size", size)));
        le_tensor_free(&sum);
    }
    le_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(tolerances),
        cmocka_unit_test(numbers_of_other_types),
        cmocka_unit_test(lists),
        cmocka_unit_test(long_strings),
        cmocka_unit_test(many_arguments),
        cmocka_unit_test(each_is_measured),
    };
    return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
