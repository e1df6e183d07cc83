/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Programs and modules that were built with another version's headers: their structs are shorter or
 * longer than ours. Each is laid at the end of accessible memory, so that a byte read or written
 * beyond it ends the test.
 */
#include "toy.h"

#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_chain.h"
#include "liquid_engine/le_io.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* Aligned memory of so many bytes that ends, but for a gap, where nothing may be touched. */
static void *at_the_edge(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes / page + 1) * page;
    char *p = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + whole, page, PROT_NONE), 0);
    return p + (whole - bytes) / _Alignof(max_align_t) * _Alignof(max_align_t);
}

static void *copy_at_the_edge(const void *from, size_t bytes) {
    return memcpy(at_the_edge(bytes), from, bytes);
}

static double answer_of(le_engine *e, const char *operation) {
    float in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){8}), result = {0};
    if (le_engine_run(e, operation, LE_IN("input", &input), LE_F64("factor", 3),
                      LE_OUT("result", &result)) != LE_OK)
        fail_msg("%s", le_error_message());
    double last = le_tensor_get(&result, 7);
    le_tensor_free(&result);
    return last;
}

static void run_info_of_any_size(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_run_info now = {.struct_size = sizeof now};
    answer_of(e, "toy");
    assert_int_equal(le_last_run(&now), LE_OK);
    assert_true(now.seconds > 0);

    size_t shorter = offsetof(le_run_info, kernel_seconds);
    le_run_info *old = at_the_edge(shorter);
    memset(old, 0x55, shorter);
    old->struct_size = shorter;
    assert_int_equal(le_last_run(old), LE_OK);
    assert_int_equal(old->struct_size, shorter);
    assert_string_equal(old->candidate, now.candidate);
    assert_true(old->seconds == now.seconds);

    size_t longer = sizeof now + 64;
    unsigned char *later = at_the_edge(longer);
    memset(later, 0x55, longer);
    memcpy(later, &longer, sizeof longer);
    assert_int_equal(le_last_run((le_run_info *)(void *)later), LE_OK);
    assert_int_equal(
        memcmp(later + sizeof longer, (char *)&now + sizeof longer, sizeof now - sizeof longer), 0);
    for (size_t i = sizeof now; i < longer; i++)
        assert_int_equal(later[i], 0);

    le_run_info none = {0};
    assert_int_equal(le_last_run(&none), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "struct_size is 0"));
    assert_int_equal(le_last_run(NULL), LE_ERR_ARGUMENT);
    le_close(&e);
}

static void options_of_any_size(void **state) {
    (void)state;
    le_options o;
    le_default_options(&o);
    o.db_path = ":memory:";
    le_engine *e = NULL;
    o.struct_size = offsetof(le_options, reserved);
    le_options *old = copy_at_the_edge(&o, o.struct_size);
    assert_int_equal(le_open(&e, old), LE_OK);
    le_close(&e);

    size_t longer = sizeof o + 32;
    char *later = at_the_edge(longer);
    memset(later, 0, longer);
    memcpy(later, &o, sizeof o);
    memcpy(later, &longer, sizeof longer);
    assert_int_equal(le_open(&e, (le_options *)(void *)later), LE_OK);
    le_close(&e);
    later[longer - 1] = 1; /* asks for something that nobody here knows */
    assert_int_equal(le_open(&e, (le_options *)(void *)later), LE_ERR_UNSUPPORTED);
    assert_non_null(strstr(le_error_message(), "newer"));
    assert_null(e);
}

static void read_options_of_any_size(void **state) {
    (void)state;
    char place[64];
    snprintf(place, sizeof place, "/tmp/le_older_%d.nrrd", (int)getpid());
    int8_t data[4] = {1, 2, 3, -4};
    le_tensor t = le_tensor_of(data, LE_I8, 1, (int64_t[]){4}), read = {0};
    assert_int_equal(le_io_write(NULL, place, &t), LE_OK);
    le_io_options o = {.dtypes = LE_DTYPE_BIT(LE_I16)};
    o.struct_size = offsetof(le_io_options, reserved32);
    assert_int_equal(le_io_read(NULL, place, copy_at_the_edge(&o, o.struct_size), &read), LE_OK);
    assert_int_equal(read.dtype, LE_I16);
    le_tensor_free(&read);
    o.struct_size = offsetof(le_io_options, dtypes);
    assert_int_equal(le_io_read(NULL, place, copy_at_the_edge(&o, o.struct_size), &read), LE_OK);
    assert_int_equal(read.dtype, LE_I8); /* it could not say what it takes */
    le_tensor_free(&read);
    o.struct_size = 0;
    assert_int_equal(le_io_read(NULL, place, &o, &read), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "le_io_options: struct_size is 0"));
    unlink(place);
}

/* What operators get of one run and one comparison, shorter and longer than here, and with nothing
 * said, before which nothing is run. */
static void bench_structs_of_any_size(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    float in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){8}), result = {0};
    le_arg args[] = {LE_IN("input", &input), LE_F64("factor", 3), LE_OUT("result", &result),
                     LE_OPT_DEVICE("cpu")};
    le_bench *bench;
    size_t n, i = 0;
    assert_int_equal(le_bench_open(&bench, e, "toy", args, 4), LE_OK);
    const le_bench_candidate *list = le_bench_candidates(bench, &n);
    while (i < n && !list[i].applies)
        i++;
    assert_true(i < n);

    size_t shorter = offsetof(le_bench_stats, peak_bytes) + 8, longer = sizeof(le_bench_stats) + 24;
    le_bench_stats *old = at_the_edge(shorter);
    old->struct_size = shorter;
    assert_int_equal(le_bench_run(bench, i, old), LE_OK);
    assert_true(old->struct_size == shorter && old->seconds > 0);
    unsigned char *later = at_the_edge(longer);
    memset(later, 0x55, longer);
    memcpy(later, &longer, sizeof longer);
    assert_int_equal(le_bench_run(bench, i, (le_bench_stats *)(void *)later), LE_OK);
    assert_int_equal(later[longer - 1], 0);

    le_bench_stats none = {.seconds = 7};
    assert_int_equal(le_bench_run(bench, i, &none), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "le_bench_run: out: struct_size is 0"));
    assert_true(none.seconds == 7);
    le_bench_comparison c = {.max_abs = 7};
    assert_int_equal(le_bench_reference(bench), LE_OK);
    assert_int_equal(le_bench_check(bench, i, 0xff, &c), LE_ERR_ARGUMENT);
    assert_true(c.max_abs == 7);
    c.struct_size = sizeof c;
    assert_int_equal(le_bench_check(bench, i, 0xff, &c), LE_OK);
    assert_true(c.within && c.max_abs < 1e-3 && c.struct_size == sizeof c);
    le_bench_close(&bench);
    le_close(&e);
}

/* --- modules of method ABI 1, as its header had the descriptors --- */

struct arg_desc_1 {
    const char *name, *doc;
    le_arg_type type;
    bool optional, cost;
    uint32_t dtypes;
    int8_t min_ndim, max_ndim;
    const char *shape;
    double min, max, default_f64;
    size_t min_count, max_count;
    const char *const *words;
    const char *default_str;
};

struct operation_1 {
    uint32_t abi;
    const char *name, *family, *summary, *reference;
    const struct arg_desc_1 *args;
    size_t n_args;
    le_status (*check)(le_call *);
    void (*work)(const le_call *, le_work *);
    void (*key)(const le_call *, char *, size_t);
    le_norm norm;
    double atol, rtol;
    le_status (*make_case)(le_case *, const le_case_request *);
    le_status (*expand)(const le_call *, le_chain *);
    le_status (*part)(const le_call *, uint64_t, le_case *, int64_t *);
    bool (*slabs)(const le_call *, le_slabs *);
    bool (*tiles)(const le_call *, le_slabs *);
};

static bool slabs_of_then(const le_call *call, le_slabs *out) {
    (void)call;
    (void)out;
    fail_msg("le_slabs was another struct");
    return false;
}

/* The toy as a module of that time has it. */
static const le_operation *older_toy(void) {
    struct arg_desc_1 *args = at_the_edge(toy_operation.n_args * sizeof *args);
    for (size_t i = 0; i < toy_operation.n_args; i++) {
        const le_arg_desc *a = &toy_operation.args[i];
        args[i] = (struct arg_desc_1){a->name,      a->doc,       a->type,     a->optional,
                                      a->cost,      a->dtypes,    a->min_ndim, a->max_ndim,
                                      a->shape,     a->min,       a->max,      a->default_f64,
                                      a->min_count, a->max_count, a->words,    a->default_str};
    }
    const le_operation *t = &toy_operation;
    struct operation_1 op = {.abi = 1,
                             .name = "older",
                             .family = t->family,
                             .summary = t->summary,
                             .reference = t->reference,
                             .args = args,
                             .n_args = t->n_args,
                             .check = t->check,
                             .work = t->work,
                             .norm = t->norm,
                             .atol = t->atol,
                             .rtol = t->rtol,
                             .make_case = t->make_case,
                             .slabs = slabs_of_then};
    return copy_at_the_edge(&op, sizeof op);
}

static void modules_of_an_earlier_abi(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_implementation reference = toy_reference, c = toy_c;
    reference.operation = c.operation = "older";
    reference.abi = c.abi = 1;
    assert_int_equal(le_register_operation(e, older_toy()), LE_OK);
    assert_int_equal(le_register_implementation(e, &reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &c), LE_OK);
    for (int i = 0; i < 5; i++)
        assert_true(answer_of(e, "older") == 24);
    const le_operation *seen = le_engine_operation(e, "older");
    assert_string_equal(seen->args[TOY_RESULT].name, "result");
    assert_int_equal(seen->args[TOY_RESULT].elastic, 0);
    le_close(&e);
}

/* --- modules of method ABI 2 --- */

struct arg_desc_2 {
    struct arg_desc_1 first;
    uint32_t elastic;
};

static bool slabs_of_today(const le_call *call, le_slabs *out) {
    (void)call;
    (void)out;
    return false;
}

static void modules_of_the_second_abi(void **state) {
    (void)state;
    struct arg_desc_2 *args = at_the_edge(toy_operation.n_args * sizeof *args);
    const struct arg_desc_1 *first = (const void *)older_toy()->args;
    for (size_t i = 0; i < toy_operation.n_args; i++)
        args[i] = (struct arg_desc_2){first[i], toy_operation.args[i].elastic};
    args[TOY_RESULT].elastic = 1;
    le_operation op = toy_operation;
    op.abi = 2;
    op.name = "older";
    op.args = (const void *)args;
    op.slabs = slabs_of_today;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_implementation reference = toy_reference;
    reference.operation = "older";
    reference.abi = 2;
    assert_int_equal(le_register_operation(e, copy_at_the_edge(&op, sizeof op)), LE_OK);
    assert_int_equal(le_register_implementation(e, &reference), LE_OK);
    assert_true(answer_of(e, "older") == 24);
    const le_operation *seen = le_engine_operation(e, "older");
    assert_string_equal(seen->args[TOY_RESULT].name, "result");
    assert_int_equal(seen->args[TOY_RESULT].elastic, 1);
    assert_true(seen->args[TOY_RESULT].column == NULL);
    assert_true(seen->slabs == slabs_of_today);
    le_close(&e);
}

/* Those of ABI 3 had their own data, but no speed of a call. */
static void implementations_of_the_third_abi(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_implementation third = toy_c;
    third.name = "third";
    third.abi = 3;
    third.user = &third;
    const void *at = copy_at_the_edge(&third, offsetof(le_implementation, speed_of));
    assert_int_equal(le_register_implementation(e, at), LE_OK);
    for (int i = 0; i < 20; i++)
        assert_true(answer_of(e, "toy") == 24);
    le_close(&e);
}

static double scale_of_later(const le_call *trusted, int arg) {
    (void)trusted;
    (void)arg;
    fail_msg("an earlier operation has no least scale");
    return 0;
}

/* Operations of ABI 4 had no least scale, those of ABI 3 no bricks either. */
static void operations_of_the_third_and_fourth_abi(void **state) {
    (void)state;
    static const size_t ends[] = {offsetof(le_operation, bricks),
                                  offsetof(le_operation, least_scale)};
    for (uint32_t abi = 3; abi <= 4; abi++) {
        le_engine *e = toy_open(NULL, LE_MODE_LEARN);
        le_operation op = toy_operation;
        le_implementation reference = toy_reference, c = toy_c;
        op.abi = abi;
        op.name = reference.operation = c.operation = "older";
        op.user = &op;
        op.least_scale = scale_of_later;
        assert_int_equal(le_register_operation(e, copy_at_the_edge(&op, ends[abi - 3])), LE_OK);
        assert_int_equal(le_register_implementation(e, &reference), LE_OK);
        assert_int_equal(le_register_implementation(e, &c), LE_OK);
        for (int i = 0; i < 5; i++)
            assert_true(answer_of(e, "older") == 24);
        const le_operation *seen = le_engine_operation(e, "older");
        assert_true(seen->user == &op && !seen->bricks && !seen->least_scale);
        assert_string_equal(seen->args[TOY_RESULT].name, "result");
        le_close(&e);
    }
}

static void modules_of_a_later_abi(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_operation *operation = at_the_edge(sizeof *operation);
    memcpy(operation, &toy_operation, sizeof *operation);
    operation->name = "later";
    operation->abi = LE_METHOD_ABI + 1;
    le_implementation implementation = toy_c;
    implementation.name = "later";
    implementation.abi = LE_METHOD_ABI + 1;
    assert_int_equal(le_register_operation(e, operation), LE_ERR_UNSUPPORTED);
    assert_non_null(strstr(le_error_message(), "a newer liquid engine is needed"));
    assert_int_equal(le_register_implementation(e, &implementation), LE_ERR_UNSUPPORTED);
    assert_non_null(strstr(le_error_message(), "a newer liquid engine is needed"));
    operation->abi = 0;
    assert_int_equal(le_register_operation(e, operation), LE_ERR_UNSUPPORTED);
    assert_non_null(strstr(le_error_message(), "built anew"));
    assert_null(le_engine_operation(e, "later"));
    le_close(&e);
}

/* --- arrays that are handed out --- */

static void arrays_say_how_large_their_elements_are(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    float in[8] = {0};
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){8}), result = {0};
    le_explanation *x = NULL;
    assert_int_equal(le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 3),
                                       LE_OUT("result", &result)),
                     LE_OK);
    assert_true(x->n_candidates >= 2);
    assert_true(x->candidate_size >= sizeof x->candidates[0]);
    for (size_t i = 0; i < x->n_candidates; i++) {
        const le_explained_candidate *c = le_explanation_candidate(x, i);
        assert_non_null(strstr(c->candidate, c->implementation));
        /* nobody has seen any of them */
        assert_true(isnan(c->predicted_s) && isnan(c->low_s) && isnan(c->high_s));
        assert_true(isnan(c->measured_s) && isnan(c->age_s) && c->samples == 0);
    }
    char *json = le_explanation_json(x);
    assert_non_null(strstr(json, "\"predicted_s\":\tnull"));
    assert_null(strstr(json, "\"predicted_s\":\t0"));
    free(json);
    le_explanation_free(&x);
    le_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_info_of_any_size),
        cmocka_unit_test(options_of_any_size),
        cmocka_unit_test(read_options_of_any_size),
        cmocka_unit_test(bench_structs_of_any_size),
        cmocka_unit_test(modules_of_an_earlier_abi),
        cmocka_unit_test(modules_of_the_second_abi),
        cmocka_unit_test(implementations_of_the_third_abi),
        cmocka_unit_test(operations_of_the_third_and_fourth_abi),
        cmocka_unit_test(modules_of_a_later_abi),
        cmocka_unit_test(arrays_say_how_large_their_elements_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
