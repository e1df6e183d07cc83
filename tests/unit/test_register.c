/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Registering under a name that there is, taking away, the authors' own pointers, the shapes of a
 * call that does not run, and engines in forked processes.
 */
#include "liquid_engine/le_chain.h"
#include "toy.h"

#include "core/sanitizer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 100 };

static float input[N], output[N];

static le_status run_by(le_engine *e, const char *implementation) {
    int64_t n = N;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = le_tensor_of(output, LE_F32, 1, &n);
    return le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out),
                         LE_OPT_IMPLEMENTATION(implementation), LE_OPT_MODE(LE_MODE_ESTIMATE));
}

/* Counts its runs where its `user` points to, and is wrong by `error` if the operation has one. */
static void counted_range(void *context, size_t begin, size_t end, int worker) {
    _Atomic int *runs = le_call_user_implementation(context);
    const float *error = le_call_user_operation(context);
    toy_range(context, begin, end, worker);
    ++*runs;
    for (size_t i = begin; error && i < end; i++)
        ((float *)le_call_out(context, TOY_RESULT)->data)[i] += *error;
}

static le_implementation counting(_Atomic int *runs, const char *source) {
    return (le_implementation){.abi = LE_METHOD_ABI,
                               .operation = "toy",
                               .name = "counting",
                               .run_type = "simd",
                               .flags = LE_IMPL_SERIAL,
                               .items = toy_items,
                               .range = counted_range,
                               .source = source,
                               .user = (void *)runs};
}

static const char *verdict_of(le_engine *e, const char *implementation) {
    static char verdict[32];
    int64_t n = N;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    le_explanation *x = NULL;
    snprintf(verdict, sizeof verdict, "none");
    assert_int_equal(le_engine_explain(e, &x, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                       LE_OUT("result", &out)),
                     LE_OK);
    for (size_t i = 0; i < x->n_candidates; i++)
        if (!strcmp(le_explanation_candidate(x, i)->implementation, implementation))
            snprintf(verdict, sizeof verdict, "%s", le_explanation_candidate(x, i)->verdict);
    le_explanation_free(&x);
    return verdict;
}

static void another_of_the_name_replaces_it(void **state) {
    (void)state;
    _Atomic int first_runs = 0, second_runs = 0;
    le_implementation first = counting(&first_runs, "1"), second = counting(&second_runs, "2");
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_int_equal(le_register_implementation(e, &first), LE_OK);
    assert_int_equal(run_by(e, "counting"), LE_OK);
    assert_true(first_runs > 0);
    assert_string_equal(verdict_of(e, "counting"), "proven");
    first_runs = 0;
    assert_int_equal(le_register_implementation(e, &second), LE_OK);
    assert_string_equal(verdict_of(e, "counting"), "unproven");
    assert_int_equal(run_by(e, "counting"), LE_OK);
    assert_int_equal(first_runs, 0);
    assert_true(second_runs > 0);
    size_t n;
    le_engine_implementations(e, "toy", &n);
    assert_int_equal(le_unregister_implementation(e, "toy", "counting"), LE_OK);
    size_t fewer;
    le_engine_implementations(e, "toy", &fewer);
    assert_int_equal(fewer, n - 1);
    assert_int_equal(run_by(e, "counting"), LE_ERR_NO_CANDIDATE);
    assert_int_equal(run_by(e, "c"), LE_OK);
    le_close(&e);
}

/* The version decides, not the descriptor: the database knows it. */
static void the_same_version_stays_proven(void **state) {
    (void)state;
    char db[] = "/tmp/le_register_XXXXXX";
    _Atomic int runs = 0;
    le_implementation first = counting(&runs, "same"), again = counting(&runs, "same");
    assert_non_null(mkdtemp(db));
    char path[64];
    snprintf(path, sizeof path, "%s/t.db", db);
    le_engine *e = toy_open(path, LE_MODE_LEARN);
    assert_int_equal(le_register_implementation(e, &first), LE_OK);
    assert_int_equal(run_by(e, "counting"), LE_OK);
    le_close(&e);
    e = toy_open(path, LE_MODE_LEARN);
    assert_int_equal(le_register_implementation(e, &again), LE_OK);
    assert_int_equal(le_register_implementation(e, &first), LE_OK);
    assert_string_equal(verdict_of(e, "counting"), "proven");
    le_close(&e);
}

static void an_operation_is_replaced_as_a_whole(void **state) {
    (void)state;
    static float error = 0.5f;
    _Atomic int runs = 0;
    le_implementation impl = counting(&runs, "1");
    le_operation off = toy_operation;
    off.user = &error;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_int_equal(le_register_operation(e, &off), LE_OK);
    size_t n = 1;
    assert_ptr_equal(le_engine_operation(e, "toy"), &off);
    assert_int_equal(run_by(e, "c"), LE_ERR_NO_CANDIDATE);
    assert_int_equal(le_register_implementation(e, &toy_reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &impl), LE_OK);
    assert_int_equal(run_by(e, "counting"), LE_ERR_NO_CANDIDATE); /* off by 0.5 */
    assert_int_equal(le_unregister_operation(e, "toy"), LE_OK);
    assert_null(le_engine_operation(e, "toy"));
    assert_int_equal(run_by(e, "c"), LE_ERR_UNKNOWN);
    le_engine_implementations(e, "toy", &n);
    assert_int_equal(n, 0);
    le_close(&e);
}

/* What one was measured to take is not said of another one of the same name. */
static void an_operation_that_comes_back_is_new(void **state) {
    (void)state;
    _Atomic int runs = 0;
    le_implementation impl = counting(&runs, "1"), other = counting(&runs, "2");
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_int_equal(le_register_implementation(e, &impl), LE_OK);
    for (int k = 0; k < 20; k++)
        assert_int_equal(run_by(e, "counting"), LE_OK);
    assert_int_equal(le_unregister_operation(e, "toy"), LE_OK);
    assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &other), LE_OK);
    int64_t n = N;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    le_explanation *x = NULL;
    assert_int_equal(le_engine_explain(e, &x, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                       LE_OUT("result", &out)),
                     LE_OK);
    assert_true(x->n_candidates >= 2);
    for (size_t i = 0; i < x->n_candidates; i++)
        assert_true(x->candidates[i].samples == 0);
    le_explanation_free(&x);
    le_close(&e);
}

static void tunables_are_looked_at(void **state) {
    static const int64_t values[] = {1, 2};
    _Atomic int runs = 0;
    le_tunable many[9];
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    for (int i = 0; i < 9; i++)
        many[i] = (le_tunable){"tile", values, 2, 1};
    const le_tunable none = {"tile", values, 0, 1}, nameless = {NULL, values, 2, 1};
    const struct {
        const le_tunable *list;
        size_t n;
    } wrong[] = {{many, 9}, {&none, 1}, {&nameless, 1}, {NULL, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        le_implementation impl = counting(&runs, "1");
        impl.tunables = wrong[i].list;
        impl.n_tunables = wrong[i].n;
        assert_int_equal(le_register_implementation(e, &impl), LE_ERR_ARGUMENT);
        assert_non_null(strstr(le_error_message(), "tunable"));
    }
    le_close(&e);
}

/* Not one of the combinations is left out, and each has a text of its own. */
static void each_combination_is_a_candidate(void **state) {
    static const int64_t values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, large[] = {1, 1 << 30};
    const le_tunable most[] = {{"bytes_of_a_block_1", values, 12, 1},
                               {"bytes_of_a_block_2", values, 8, 1}};
    const le_tunable more[] = {{"rows", values, 12, 1}, {"columns", values, 9, 1}};
    const le_tunable huge[] = {{"a", values, 12, 1}, {"b", values, 12, 1}, {"c", values, 12, 1},
                               {"d", values, 12, 1}, {"e", values, 12, 1}, {"f", values, 12, 1},
                               {"g", values, 12, 1}, {"h", values, 12, 1}};
    le_tunable wordy[6];
    for (int i = 0; i < 6; i++)
        wordy[i] = (le_tunable){"bytes_of_one_block", large, 2, 1};
    const struct {
        const le_tunable *list;
        size_t n;
        const char *says;
    } wrong[] = {{more, 2, "at most so many are tried"},
                 {huge, 8, "more than 96 combinations"},
                 {wordy, 6, "at most 191 are possible"}};
    _Atomic int runs = 0;
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_implementation impl = counting(&runs, "1");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        impl.tunables = wrong[i].list;
        impl.n_tunables = wrong[i].n;
        assert_int_equal(le_register_implementation(e, &impl), LE_ERR_ARGUMENT);
        assert_non_null(strstr(le_error_message(), wrong[i].says));
    }
    impl.tunables = most;
    impl.n_tunables = 2;
    assert_int_equal(le_register_implementation(e, &impl), LE_OK);
    for (int a = 1; a <= 12; a++)
        for (int b = 1; b <= 8; b++) {
            char want[96];
            le_run_info info = {.struct_size = sizeof info};
            snprintf(want, sizeof want, "%.16s[bytes_of_a_block_1=%d,bytes_of_a_block_2=%d]",
                     impl.name, a, b);
            if (run_by(e, want) != LE_OK)
                fail_msg("%s", le_error_message());
            assert_int_equal(le_last_run(&info), LE_OK);
            assert_non_null(strstr(info.candidate, strstr(want, "bytes_")));
        }
    char want[64];
    snprintf(want, sizeof want, "%.16s[bytes_of_a_block_2=9]", impl.name);
    assert_int_equal(run_by(e, want), LE_ERR_NO_CANDIDATE);
    assert_non_null(strstr(le_error_message(), "'bytes_of_a_block_2=9'; bytes_of_a_block_2 is one "
                                               "of 1, 2, 3, 4, 5, 6, 7, 8"));
    snprintf(want, sizeof want, "%.16s[rows=9]", impl.name);
    assert_int_equal(run_by(e, want), LE_ERR_NO_CANDIDATE);
    assert_non_null(strstr(le_error_message(), "has no tunable 'rows'; it has bytes_of_a_block_1, "
                                               "bytes_of_a_block_2"));
    static const char *const open[] = {"[", "[bytes_of_a_block_2=1", "[threads=1]x"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(want, sizeof want, "%.16s%s", impl.name, open[i]);
        assert_int_equal(run_by(e, want), LE_ERR_NO_CANDIDATE);
        assert_non_null(strstr(le_error_message(), "has no ']' at its end"));
    }
    le_close(&e);
}

static void what_is_built_in_stays(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    size_t n;
    const le_operation *const *all = le_engine_operations(e, &n);
    le_operation mine = *all[0];
    const char *name = mine.name;
    assert_int_equal(le_register_operation(e, &mine), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), name));
    assert_int_equal(le_unregister_operation(e, name), LE_ERR_ARGUMENT);
    const le_implementation *const *theirs = le_engine_implementations(e, name, &n);
    assert_true(n > 0);
    le_implementation other = *theirs[n - 1];
    assert_int_equal(le_register_implementation(e, &other), LE_ERR_ARGUMENT);
    assert_int_equal(le_unregister_implementation(e, name, other.name), LE_ERR_ARGUMENT);
    assert_int_equal(le_unregister_implementation(e, name, "nobody"), LE_ERR_UNKNOWN);
    assert_int_equal(le_unregister_implementation(e, "nothing", "nobody"), LE_ERR_UNKNOWN);
    assert_int_equal(le_unregister_operation(e, NULL), LE_ERR_UNKNOWN);
    assert_ptr_equal(le_engine_operation(e, name), all[0]);
    le_close(&e);
}

static void an_unknown_run_type_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"smid", "", "SIMD", "slabs"};
    _Atomic int runs = 0;
    size_t before, after;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_engine_implementations(e, "toy", &before);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char said[64];
        le_implementation impl = counting(&runs, "1");
        impl.run_type = wrong[i];
        assert_int_equal(le_register_implementation(e, &impl), LE_ERR_ARGUMENT);
        snprintf(said, sizeof said, "'counting': there is no run type '%s'; there are", wrong[i]);
        assert_non_null(strstr(le_error_message(), said));
        assert_non_null(strstr(le_error_message(), "simd"));
        assert_true(strlen(le_error_message()) < 400);
    }
    le_engine_implementations(e, "toy", &after);
    assert_int_equal(after, before);
    le_close(&e);
}

/* A candidate's name is taken apart at these, and shown on terminals. */
static void names_that_are_none(void **state) {
    (void)state;
    static const char *const names[] = {"a\nb", "a\033[1m", "a\xff", "a@cpu", "a[tile=8]", "a]"};
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        le_implementation impl = {.abi = LE_METHOD_ABI,
                                  .operation = "toy",
                                  .name = names[i],
                                  .run_type = "c",
                                  .items = toy_items,
                                  .range = toy_range};
        assert_int_equal(le_register_implementation(e, &impl), LE_ERR_ARGUMENT);
        assert_non_null(strstr(le_error_message(), "the name of an implementation of 'toy'"));
    }
    le_close(&e);
}

static void arguments_have_names_of_their_own(void **state) {
    static const char *const said[] = {"argument 1 has no name", "argument 1 has no name",
                                       "two arguments are called 'input'",
                                       "argument 'factor' has no known type", "name, args"};
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_arg_desc args[LE_MAX_ARGS];
    memcpy(args, toy_operation.args, toy_operation.n_args * sizeof *args);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        le_operation op = toy_operation;
        op.name = i == 4 ? "" : "new";
        op.args = args;
        args[TOY_FACTOR] = toy_operation.args[TOY_FACTOR];
        args[TOY_FACTOR].name = i == 0 ? NULL : i == 1 ? "" : i == 2 ? "input" : "factor";
        args[TOY_FACTOR].type = i == 3 ? (le_arg_type)0 : LE_TYPE_F64;
        assert_int_equal(le_register_operation(e, &op), LE_ERR_ARGUMENT);
        assert_non_null(strstr(le_error_message(), said[i]));
        assert_null(le_engine_operation(e, op.name));
    }
    le_close(&e);
}

/* What check may get wrong, by number. */
static _Atomic int mistake;

static le_status mistaken_check(le_call *call) {
    static const int64_t shape[LE_MAX_DIMS + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int which = mistake;
    switch (which) {
    case 0:
        return LE_OK;
    case 1:
        return le_call_set_out(call, TOY_RESULT, LE_F32, LE_MAX_DIMS + 1, shape);
    case 2:
        return le_call_set_out(call, TOY_RESULT, LE_F32, -1, shape);
    case 3:
        return le_call_set_out(call, TOY_INPUT, LE_F32, 1, shape);
    case 4:
        return le_call_set_out(call, LE_MAX_ARGS + 1, LE_F32, 1, shape);
    case 5:
        return le_call_set_out(call, TOY_RESULT, LE_I8, 1, shape);
    case 6:
        return le_call_set_out(call, TOY_RESULT, (le_dtype)99, 1, shape);
    default:
        return le_call_set_out_upto(call, TOY_FACTOR, LE_F32, 1, shape);
    }
}

static void mistakes_of_check_are_told(void **state) {
    static const char *const said[] = {
        "gives output 'result' no shape", "gives output 'result' 9 axes", "'result' -1 axes",
        "gives a shape to argument 0",    "gives a shape to argument 49", "dtype 8 (i8), none",
        "dtype 99 (unknown), none",       "gives a shape to argument 1"};
    (void)state;
    int64_t n = N;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_operation op = toy_operation;
    op.check = mistaken_check;
    assert_int_equal(le_register_operation(e, &op), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_reference), LE_OK);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
        mistake = (int)i;
        assert_int_equal(le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                       LE_OUT("result", &out)),
                         LE_ERR_INTERNAL);
        if (!strstr(le_error_message(), said[i]))
            fail_msg("%s; expected %s", le_error_message(), said[i]);
        assert_null(out.data);
    }
    le_close(&e);
}

static void shapes_are_told_without_a_run(void **state) {
    (void)state;
    int64_t shape[] = {3, 5};
    le_tensor in = le_tensor_of(input, LE_F32, 2, shape), out = {0}, shapes[3];
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_arg args[] = {LE_IN("input", &in), LE_OUT("result", &out), LE_F64("factor", 2)};
    assert_int_equal(le_call_shapes(e, "toy", args, 3, shapes), LE_OK);
    assert_int_equal(shapes[1].dtype, LE_F32);
    assert_int_equal(shapes[1].ndim, 2);
    assert_int_equal(shapes[1].shape[0], 3);
    assert_int_equal(shapes[1].shape[1], 5);
    assert_int_equal(shapes[1].strides[0], 5);
    assert_null(shapes[1].data);
    assert_int_equal(shapes[0].ndim + shapes[2].ndim, 0);
    assert_null(out.data);
    shapes[1].ndim = 7;
    assert_int_equal(le_call_shapes(e, "toy", args, 2, shapes), LE_ERR_ARGUMENT);
    assert_int_equal(shapes[1].ndim, 7);
    le_close(&e);
}

/* What fn returns in a child; 0 is right. */
static int in_fork(int (*fn)(le_engine *), le_engine *e) {
    int state;
    le__sanitizer_rest();
    pid_t pid = fork();
    if (pid == 0)
        _exit(fn(e));
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &state, 0), pid);
    assert_true(WIFEXITED(state));
    return WEXITSTATUS(state);
}

static int refuses(le_engine *e) {
    le_tensor shapes[1];
    if (run_by(e, "c") != LE_ERR_UNSUPPORTED || !strstr(le_error_message(), "another process"))
        return 1;
    if (le_call_shapes(e, "toy", NULL, 0, shapes) != LE_ERR_UNSUPPORTED)
        return 2;
    le_close(&e);
    return e ? 3 : 0;
}

static le_chain *chain; /* of the parent's engine */

static int refuses_chains(le_engine *e) {
    le_chain_plan *plan;
    (void)e;
    if (le_chain_run(chain, LE_OPT_MODE(LE_MODE_ESTIMATE)) != LE_ERR_UNSUPPORTED)
        return 1;
    return le_chain_explain(chain, &plan, NULL, 0) == LE_ERR_UNSUPPORTED ? 0 : 2;
}

static int has_another(le_engine *e) {
    size_t n;
    const le_operation *const *all = le_engine_operations(NULL, &n);
    (void)e;
    return n > 0 && all[0] ? 0 : 1;
}

static void engines_belong_to_their_process(void **state) {
    (void)state;
    size_t n;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_int_equal(run_by(e, "c"), LE_OK);
    assert_int_equal(in_fork(refuses, e), 0);
    assert_int_equal(run_by(e, "c"), LE_OK);
    assert_int_equal(le_chain_new(&chain, e, "parents"), LE_OK);
    assert_int_equal(in_fork(refuses_chains, e), 0);
    le_chain_free(&chain);
    assert_non_null(le_engine_operations(NULL, &n));
    assert_int_equal(in_fork(has_another, NULL), 0);
    le_close(&e);
}

/* --- hooks --- */

static int prepared, in_parent;
static _Atomic int in_children; /* of this process's memory: stays 0 */

static void prepare(void *cookie) {
    prepared += *(int *)cookie;
}

static void parent(void *cookie) {
    in_parent += *(int *)cookie;
}

static void child(void *cookie) {
    in_children += *(int *)cookie;
}

/* In a child right only where its hook has run. */
static void needs_hook(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (in_children != prepared - in_parent)
        ((float *)le_call_out(context, TOY_RESULT)->data)[begin] += 1;
}

static void forks_of_trials_have_hooks(void **state) {
    (void)state;
    static int step = 1;
    static const le_implementation planted = {.abi = LE_METHOD_ABI,
                                              .operation = "toy",
                                              .name = "planted",
                                              .run_type = "simd",
                                              .flags = LE_IMPL_SERIAL,
                                              .items = toy_items,
                                              .range = needs_hook};
    le_options o;
    le_engine *e;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.fork_prepare = prepare;
    o.fork_parent = parent;
    o.fork_child = child;
    o.fork_cookie = &step;
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &planted), LE_OK);
    assert_int_equal(run_by(e, "planted"), LE_OK);
    assert_true(prepared > 0);
    assert_int_equal(prepared, in_parent);
    assert_int_equal(in_children, 0);
    assert_string_equal(verdict_of(e, "planted"), "proven");
    le_close(&e);
}

/* --- in this process --- */

static _Atomic int runs_here, references_here; /* children count in copies of their own */

static void counts_here(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    runs_here++;
}

static void crashes(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    abort();
}

static void wrong_here(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    ((float *)le_call_out(context, TOY_RESULT)->data)[begin] += 1;
}

static le_implementation planted(const char *name, le_range_fn range, uint32_t flags) {
    return (le_implementation){.abi = LE_METHOD_ABI,
                               .operation = "toy",
                               .name = name,
                               .run_type = "simd",
                               .flags = LE_IMPL_SERIAL | flags,
                               .items = toy_items,
                               .range = range};
}

static void reference_range_here(void *context, size_t begin, size_t end, int worker) {
    references_here++;
    toy_reference.range(context, begin, end, worker);
}

static void trials_are_here_where_asked(void **state) {
    (void)state;
    le_implementation reference = toy_reference;
    reference.flags |= LE_IMPL_IN_PROCESS;
    reference.range = reference_range_here;
    le_implementation here = planted("here", counts_here, LE_IMPL_IN_PROCESS);
    le_implementation wrong = planted("wrong", wrong_here, LE_IMPL_IN_PROCESS);
    le_implementation child = planted("child", counts_here, 0);
    le_implementation crash = planted("crash", crashes, 0);
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_int_equal(le_register_implementation(e, &child), LE_OK);
    assert_int_equal(le_unregister_implementation(e, "toy", "reference"), LE_OK);
    assert_int_equal(le_register_implementation(e, &reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &here), LE_OK);
    assert_int_equal(le_register_implementation(e, &wrong), LE_OK);
    assert_int_equal(le_register_implementation(e, &crash), LE_OK);
    assert_int_equal(run_by(e, "crash"), LE_ERR_NO_CANDIDATE);
    assert_true(references_here > 0); /* the answer to the sample */
    assert_string_equal(verdict_of(e, "crash"), "quarantined");
    assert_int_equal(run_by(e, "child"), LE_OK);
    assert_int_equal(runs_here, 1); /* the call itself */
    assert_string_equal(verdict_of(e, "child"), "proven");
    runs_here = 0;
    assert_int_equal(run_by(e, "here"), LE_OK);
    assert_true(runs_here > 2); /* and its trial */
    assert_string_equal(verdict_of(e, "here"), "proven");
    assert_int_equal(run_by(e, "wrong"), LE_ERR_NO_CANDIDATE);
    assert_string_equal(verdict_of(e, "wrong"), "failed");
    le_close(&e);
}

static _Atomic bool interrupts; /* of this program, once */

static le_status interrupted(le_call *call) {
    if (atomic_exchange(&interrupts, false))
        return le_fail(LE_ERR_CANCELLED, "interrupted");
    toy_range(call, 0, toy_items(call), 0);
    return LE_OK;
}

static bool goes_on(void *context, double done) {
    (void)context;
    (void)done;
    return true;
}

/* Whoever runs here may be interrupted by the program in a trial, as in its answer: the call ends,
 * with nothing held against anybody. */
static void an_interrupted_trial_ends_the_call(void **state) {
    (void)state;
    const le_tick tick = {goes_on, NULL};
    le_implementation reference = toy_reference;
    reference.flags |= LE_IMPL_IN_PROCESS;
    reference.range = NULL;
    reference.run = interrupted;
    le_implementation here = planted("here", NULL, LE_IMPL_IN_PROCESS);
    here.run = interrupted;
    le_implementation child = planted("child", counts_here, 0);
    le_set_tick(&tick);
    for (int i = 0; i < 3; i++) {
        const char *who = i < 2 ? "here" : "child"; /* whose sample the reference answers here */
        le_engine *e = toy_open(NULL, i == 1 ? LE_MODE_MEASURE : LE_MODE_LEARN);
        assert_int_equal(le_unregister_implementation(e, "toy", "reference"), LE_OK);
        assert_int_equal(le_register_implementation(e, &reference), LE_OK);
        assert_int_equal(le_register_implementation(e, i < 2 ? &here : &child), LE_OK);
        interrupts = true;
        assert_int_equal(run_by(e, who), LE_ERR_CANCELLED);
        assert_false(interrupts);
        assert_string_equal(verdict_of(e, who), "unproven");
        assert_int_equal(run_by(e, who), LE_OK);
        assert_string_equal(verdict_of(e, who), "proven");
        le_close(&e);
    }
    le_set_tick(NULL);
}

int main(void) {
    for (int i = 0; i < N; i++)
        input[i] = 0.25f * (float)i;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_of_the_name_replaces_it),
        cmocka_unit_test(the_same_version_stays_proven),
        cmocka_unit_test(an_operation_is_replaced_as_a_whole),
        cmocka_unit_test(an_operation_that_comes_back_is_new),
        cmocka_unit_test(tunables_are_looked_at),
        cmocka_unit_test(each_combination_is_a_candidate),
        cmocka_unit_test(what_is_built_in_stays),
        cmocka_unit_test(an_unknown_run_type_is_refused),
        cmocka_unit_test(names_that_are_none),
        cmocka_unit_test(arguments_have_names_of_their_own),
        cmocka_unit_test(mistakes_of_check_are_told),
        cmocka_unit_test(shapes_are_told_without_a_run),
        cmocka_unit_test(engines_belong_to_their_process),
        cmocka_unit_test(forks_of_trials_have_hooks),
        cmocka_unit_test(trials_are_here_where_asked),
        cmocka_unit_test(an_interrupted_trial_ends_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
