/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * An implementation that breaks things at the real size only, which no small trial sees: it does so
 * in a child. One that does so only after that ends or stops the process once, and not again at
 * every start of the program. Processes that run the same thing for the first time at once do not
 * accuse each other.
 */
#include "toy.h"

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <cmocka.h>

static bool no_children; /* the machine has no room for them */

pid_t __real_fork(void);
pid_t __wrap_fork(void);

pid_t __wrap_fork(void) {
    return no_children ? -1 : __real_fork();
}

enum { SMALL = 1000, LARGE = 20000 };

typedef enum act {
    CRASHES,
    HANGS,
    SLEEPS,
    ENDS,
    OVERWRITES,
    FLUSHES,
    MOVES,
    BLOCKS,
    ASKS,
    WAITS,
    ADDS_SCRATCH,
    LEAVES_ZEROS,
    ENDS_WITH_ZERO,
    SPOILS_KEPT
} act;

static char db[64];
static act does;
static int rightly; /* so many large runs are as they should be */
static pid_t main_process;
static struct { /* in all processes */
    _Atomic int inside, runs;
    _Atomic int here; /* of these runs, in the program's own process */
} * shared;
static int callers; /* threads that call at once */
static bool crowded; /* the program can have no children */
static le_mode mode;
static bool stored; /* the input is memory of the engine's */
static float in[LARGE];

/* A thread that answers, and only is in the process that began it. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool asked, answered;
} service = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false};

static void wait_for(bool *what) {
    while (!*what)
        pthread_cond_wait(&service.changed, &service.mutex);
    *what = false;
}

static void *serve(void *unused) {
    pthread_mutex_lock(&service.mutex);
    for (;;) {
        wait_for(&service.asked);
        service.answered = true;
        pthread_cond_broadcast(&service.changed);
    }
    return unused;
}

static void ask(void) {
    pthread_mutex_lock(&service.mutex);
    service.asked = true;
    pthread_cond_broadcast(&service.changed);
    wait_for(&service.answered);
    pthread_mutex_unlock(&service.mutex);
}

static void misbehave(le_call *call) {
    sigset_t some;
    switch (does) {
    case CRASHES:
        raise(SIGSEGV);
        break;
    case HANGS:
        for (volatile unsigned spin = 0;;)
            spin++;
    case SLEEPS:
        nanosleep(&(struct timespec){1, 0}, NULL);
        break;
    case ENDS:
        _exit(0);
    case OVERWRITES:
        ((float *)(uintptr_t)le_call_in(call, TOY_INPUT)->data)[LARGE - 1] += 1;
        break;
    case FLUSHES:
#if defined(__SSE2__)
        _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
        break;
    case MOVES:
        if (chdir("/") != 0)
            abort();
        break;
    case BLOCKS:
        sigemptyset(&some);
        sigaddset(&some, SIGUSR1);
        sigprocmask(SIG_BLOCK, &some, NULL);
        break;
    case ASKS:
        ask();
        break;
    case WAITS:
        while (!le_call_cancelled(call))
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        break;
    default:
        break;
    }
}

static void all_but_zeros(void *context, size_t begin, size_t end, int worker) {
    for (size_t i = begin; i < end; i++)
        if (le_tensor_get(le_call_in(context, TOY_INPUT), (int64_t)i) != 0)
            toy_range(context, i, i + 1, worker);
}

static le_status fill_with_ones(le_call *call, void *data, size_t bytes, void *cookie) {
    (void)call;
    (void)cookie;
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        ((float *)data)[i] = 1;
    return LE_OK;
}

/* What shows after it has answered. */
static le_status spoil(le_call *call) {
    const size_t n = toy_items(call);
    float *out = le_call_out(call, TOY_RESULT)->data;
    const float *scratch = le_call_scratch(call, n * sizeof *scratch);
    const void *kept;
    if (!scratch)
        return LE_ERR_MEMORY;
    if (does == ADDS_SCRATCH)
        for (size_t i = 0; i < n; i++)
            out[i] += scratch[i];
    if (does == ENDS_WITH_ZERO)
        out[n] = 0;
    if (does != SPOILS_KEPT)
        return LE_OK;
    if (le_call_keep(call, "ones", n * sizeof(float), fill_with_ones, NULL, &kept) != LE_OK)
        return LE_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        out[i] *= ((const float *)kept)[i];
    ((float *)(uintptr_t)kept)[n - 1] = 3;
    return LE_OK;
}

static le_status misbehaves(le_call *call) {
    bool large = toy_items(call) > 5000, wrongly = false;
    if (large) {
        shared->inside = getpid() == main_process;
        shared->here += getpid() == main_process;
        wrongly = shared->runs++ >= rightly;
        if (wrongly)
            misbehave(call);
    }
    le_parallel_for(call, toy_items(call),
                    wrongly && does == LEAVES_ZEROS ? all_but_zeros : toy_range, call);
    return wrongly ? spoil(call) : LE_OK;
}

static const le_implementation planted = {.abi = LE_METHOD_ABI,
                                          .operation = "toy",
                                          .name = "planted",
                                          .run_type = "simd",
                                          .source = "1",
                                          .speed = 3,
                                          .run = misbehaves};

static void ask_for(le_engine *e, int64_t n) {
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    if (stored && le_tensor_alloc(&input, LE_F32, 1, &n) != LE_OK)
        _exit(2);
    if (stored)
        memcpy(input.data, in, (size_t)n * sizeof *in);
    if (le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                      LE_OUT("result", &result)) != LE_OK)
        _exit(4);
    for (int64_t i = 0; i < n; i++)
        if (((float *)result.data)[i] != 2 * ((float)(i % 17) - 8))
            _exit(5);
    le_tensor_free(&result);
    if (stored)
        le_tensor_free(&input);
}

static void *call_often(void *engine) {
    for (int k = 0; k < 10; k++)
        ask_for(engine, LARGE);
    return NULL;
}

static void call_at_once(le_engine *e) {
    pthread_t threads[16];
    for (int i = 0; i < callers; i++)
        if (pthread_create(&threads[i], NULL, call_often, e) != 0)
            _exit(2);
    for (int i = 0; i < callers; i++)
        pthread_join(threads[i], NULL);
}

/* Ends the process with 0 when calls are answered rightly; the verdict must name `reason`. */
static void program(const char *reason) {
    signal(SIGSEGV, SIG_DFL); /* and not the one of cmocka */
    no_children = crowded;
    main_process = getpid();
    pthread_t thread;
    if (does == ASKS && pthread_create(&thread, NULL, serve, NULL) != 0)
        _exit(2);
    le_engine *e = toy_open(db, mode);
    if (!e || le_register_implementation(e, &planted) != LE_OK)
        _exit(3);
    for (int i = 0; i < LARGE; i++)
        in[i] = (float)(i % 17) - 8;
    if (callers)
        call_at_once(e);
    else
        ask_for(e, SMALL);
    for (int k = 0; k < 2; k++)
        ask_for(e, LARGE);
    int64_t n = LARGE;
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    le_explanation *x;
    if (le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                          LE_OUT("result", &result)) != LE_OK)
        _exit(6);
    for (size_t i = 0; i < x->n_candidates; i++) {
        const le_explained_candidate *c = &x->candidates[i];
        if (strcmp(c->implementation, "planted") != 0)
            continue;
        bool left_out = c->left_out && *c->left_out;
        if (reason ? !left_out || !strstr(c->left_out, reason) : left_out) {
            fprintf(stderr, "%s: '%s', expected '%s'\n", c->candidate, c->left_out,
                    reason ? reason : "");
            _exit(7);
        }
    }
    le_explanation_free(&x);
    le_close(&e);
    _exit(0);
}

static pid_t start(const char *reason) {
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        program(reason);
    return pid;
}

static bool end_it(void *context, double done) {
    (void)context;
    (void)done;
    return false;
}

/* Its first large call is ended by its user before it is done. */
static pid_t start_and_end_the_call(void) {
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid)
        return pid;
    static const le_tick tick = {end_it, NULL};
    int64_t n = LARGE;
    main_process = getpid();
    le_engine *e = toy_open(db, mode);
    if (!e || le_register_implementation(e, &planted) != LE_OK)
        _exit(3);
    for (int i = 0; i < LARGE; i++)
        in[i] = (float)(i % 17) - 8;
    ask_for(e, SMALL);
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    if (le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                      LE_OUT("result", &result), LE_OPT_TICK(&tick)) != LE_ERR_CANCELLED)
        _exit(8);
    le_close(&e);
    _exit(shared->here == 1 ? 0 : 9);
}

static int end_of(pid_t pid) {
    int state = 0;
    assert_int_equal(waitpid(pid, &state, 0), pid);
    return state;
}

static void begin(act what, int after) {
    does = what;
    rightly = after;
    shared->inside = shared->runs = shared->here = 0;
    callers = 0;
    crowded = false;
    mode = LE_MODE_LEARN;
    stored = false;
    unlink(db);
}

static void wait_until_inside(void) {
    for (int i = 0; i < 10000 && !shared->inside; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    assert_true(shared->inside);
}

static void what_breaks_things_does_so_in_a_child(void **state) {
    static const struct {
        act does;
        const char *reason;
    } rows[] = {
        {CRASHES, "crashed with signal 11"},
        {HANGS, "did not end within"},
        {ENDS, "ended the process"},
        {OVERWRITES, "wrote to the input 'input'"},
#if defined(__SSE2__)
        {FLUSHES, "left the rounding mode or the treatment of denormals changed"},
#endif
        {MOVES, "left the working directory changed"},
        {BLOCKS, "left the signal mask changed"},
    };
    (void)state;
    setenv("LE_TRIAL_LIMIT", "0.2", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(rows[i].does, 0);
        for (int k = 0; k < 2; k++)
            assert_int_equal(end_of(start(rows[i].reason)), 0);
        assert_int_equal(shared->runs, 1);
        assert_false(shared->inside);
    }
    unsetenv("LE_TRIAL_LIMIT");
}

/* Memory that nobody has used is zeros, and what is kept is there for the next call, too. */
static void what_was_taken_for_granted_shows_at_once(void **state) {
    static const struct {
        act does;
        const char *reason;
    } rows[] = {
        {ADDS_SCRATCH, "exceeds the tolerance"},
        {LEAVES_ZEROS, "exceeds the tolerance"},
        {ENDS_WITH_ZERO, "behind its output 'result'"},
        {SPOILS_KEPT, "wrote to data that are kept"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int forks = 0; forks < 2; forks++) {
            setenv("LE_TRIALS", forks ? "fork" : "spawn", 1);
            begin(rows[i].does, 0);
            for (int k = 0; k < 2; k++)
                if (end_of(start(rows[i].reason)) != 0)
                    fail_msg("%s, %s forks", rows[i].reason, forks ? "with" : "without");
        }
    unsetenv("LE_TRIALS");
}

static void inputs_of_the_engines_memory_are_no_exception(void **state) {
    (void)state;
    for (int writes = 0; writes < 2; writes++) {
        begin(writes ? OVERWRITES : CRASHES, 0);
        stored = true;
        assert_int_equal(end_of(start(writes ? "wrote to the input 'input'" : "crashed")), 0);
        assert_int_equal(shared->here, 0);
        assert_int_equal(shared->runs, 1);
    }
}

/* An element on each second page; what lies between cannot even be read. */
static void inputs_end_at_their_elements(void **state) {
    (void)state;
    begin(CRASHES, INT_MAX);
    const int64_t n = 2 * SMALL, stride = sysconf(_SC_PAGESIZE) / (int64_t)sizeof(float);
    const size_t page = (size_t)stride * sizeof(float);
    float *data = mmap(NULL, (size_t)n * page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(data, MAP_FAILED);
    for (int64_t i = 0; i < n; i += 2) {
        data[i * stride] = (float)i;
        assert_int_equal(mprotect(data + (i + 1) * stride, page, PROT_NONE), 0);
    }
    le_tensor input = le_tensor_of(data, LE_F32, 1, (int64_t[]){n / 2}), result = {0};
    input.strides[0] = 2 * stride;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_int_equal(le_register_implementation(e, &planted), LE_OK);
    for (int k = 0; k < 5; k++)
        if (le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                          LE_OUT("result", &result), LE_OPT_IMPLEMENTATION("planted")) != LE_OK)
            fail_msg("%s", le_error_message());
    for (int64_t i = 0; i < n / 2; i++)
        assert_true(((float *)result.data)[i] == (float)(4 * i));
    le_tensor_free(&result);
    le_close(&e);
    munmap(data, (size_t)n * page);
}

/* All have their trials of it at once, and some of these end after the first child. */
static void what_one_caller_finds_holds_for_all(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++) {
        begin(CRASHES, 0);
        callers = 8;
        assert_int_equal(end_of(start("crashed with signal 11")), 0);
        assert_int_equal(shared->here, 0);
    }
}

/* It is the first to be asked for a second answer where plain C has been run before it. */
static void second_answers_are_first_runs(void **state) {
    static const struct {
        act does;
        const char *reason;
    } rows[] = {{CRASHES, "crashed with signal 11"}, {OVERWRITES, "wrote to the input 'input'"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(rows[i].does, 0);
        mode = LE_MODE_MEASURE;
        assert_int_equal(end_of(start(rows[i].reason)), 0);
        assert_int_equal(shared->here, 0);
        assert_int_equal(shared->runs, 1);
    }
}

/* As OpenMP's do. */
static void who_needs_threads_of_the_process_is_not_at_fault(void **state) {
    (void)state;
    begin(ASKS, 0);
    assert_int_equal(end_of(start(NULL)), 0);
    assert_true(shared->inside);
}

static void a_crash_happens_once(void **state) {
    (void)state;
    begin(CRASHES, 1);
    assert_true(WIFSIGNALED(end_of(start(NULL))));
    for (int i = 0; i < 3; i++)
        assert_int_equal(end_of(start("crashed with signal 11")), 0);
    assert_int_equal(shared->runs, 3); /* the first two, and once more in a child */
}

static void a_hang_happens_once(void **state) {
    (void)state;
    setenv("LE_TRIAL_LIMIT", "0.2", 1);
    begin(HANGS, 1);
    pid_t pid = start(NULL);
    wait_until_inside();
    kill(pid, SIGKILL); /* as a user would */
    assert_true(WIFSIGNALED(end_of(pid)));
    for (int i = 0; i < 2; i++)
        assert_int_equal(end_of(start("did not end within")), 0);
    assert_int_equal(shared->runs, 3);
    unsetenv("LE_TRIAL_LIMIT");
}

/* Where nothing is ever forked, the marker is the verdict. */
static void without_children(void **state) {
    (void)state;
    setenv("LE_TRIALS", "spawn", 1);
    begin(CRASHES, 0);
    assert_true(WIFSIGNALED(end_of(start(NULL))));
    for (int i = 0; i < 2; i++)
        assert_int_equal(end_of(start("an earlier process ended")), 0);
    assert_int_equal(shared->runs, 1);
    unsetenv("LE_TRIALS");
}

/* Nobody has seen its end: the next one is a first run as well. */
static void a_run_that_was_ended_is_none(void **state) {
    (void)state;
    setenv("LE_TRIALS", "spawn", 1);
    begin(WAITS, 0);
    assert_int_equal(end_of(start_and_end_the_call()), 0);
    does = CRASHES;
    assert_true(WIFSIGNALED(end_of(start(NULL))));
    for (int i = 0; i < 2; i++)
        assert_int_equal(end_of(start("an earlier process ended")), 0);
    assert_int_equal(shared->runs, 2);
    unsetenv("LE_TRIALS");
}

/* There is no verdict until a child could begin. */
static void without_room_for_children(void **state) {
    (void)state;
    begin(SLEEPS, 0);
    pid_t ended = start(NULL); /* by its user: what it ran is right */
    wait_until_inside();
    kill(ended, SIGKILL);
    end_of(ended);
    crowded = true;
    assert_int_equal(end_of(start("no child process could begin")), 0);
    crowded = false;
    assert_int_equal(end_of(start(NULL)), 0);
}

/* Nor is anything tried in the program itself, where what crashes would end it: the reference
 * answers until a child could begin. */
static le_status runs_in_a_child(le_call *call) {
    shared->here += getpid() == main_process;
    le_parallel_for(call, toy_items(call), toy_range, call);
    return LE_OK;
}

static void nothing_is_tried_here_without_children(void **state) {
    le_implementation tried = planted;
    le_run_info info = {.struct_size = sizeof info};
    (void)state;
    tried.name = "tried";
    tried.speed = 50;
    tried.run = runs_in_a_child;
    begin(CRASHES, 0);
    main_process = getpid();
    no_children = true;
    for (int i = 0; i < SMALL; i++)
        in[i] = (float)(i % 17) - 8;
    le_engine *e = toy_open(NULL, LE_MODE_ESTIMATE);
    assert_int_equal(le_register_implementation(e, &tried), LE_OK);
    for (int k = 0; k < 3; k++) {
        ask_for(e, SMALL);
        le_last_run(&info);
        assert_non_null(strstr(info.candidate, "reference@"));
    }
    assert_int_equal(shared->here, 0);
    no_children = false;
    nanosleep(&(struct timespec){1, 100000000}, NULL);
    for (int k = 0; k < 1000 && !strstr(info.candidate, "tried@"); k++) {
        ask_for(e, SMALL);
        le_last_run(&info);
    }
    assert_non_null(strstr(info.candidate, "tried@"));
    le_close(&e);
}

static void processes_at_once(void **state) {
    (void)state;
    begin(SLEEPS, 0);
    pid_t first = start(NULL);
    wait_until_inside();
    shared->inside = 0;
    pid_t second = start(NULL);
    wait_until_inside(); /* while the first still sleeps there, not in a child of a trial */
    assert_int_equal(end_of(first), 0);
    assert_int_equal(end_of(second), 0);
    begin(SLEEPS, 0);
    pid_t ended = start(NULL); /* by its user: what it ran is right */
    wait_until_inside();
    kill(ended, SIGKILL);
    end_of(ended);
    assert_int_equal(end_of(start(NULL)), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_breaks_things_does_so_in_a_child),
        cmocka_unit_test(what_was_taken_for_granted_shows_at_once),
        cmocka_unit_test(inputs_of_the_engines_memory_are_no_exception),
        cmocka_unit_test(inputs_end_at_their_elements),
        cmocka_unit_test(what_one_caller_finds_holds_for_all),
        cmocka_unit_test(second_answers_are_first_runs),
        cmocka_unit_test(who_needs_threads_of_the_process_is_not_at_fault),
        cmocka_unit_test(a_crash_happens_once),
        cmocka_unit_test(a_hang_happens_once),
        cmocka_unit_test(without_children),
        cmocka_unit_test(a_run_that_was_ended_is_none),
        cmocka_unit_test(without_room_for_children),
        cmocka_unit_test(nothing_is_tried_here_without_children),
        cmocka_unit_test(processes_at_once)};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    snprintf(db, sizeof db, "/tmp/le_first_run_%d.sqlite3", (int)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(db);
    return failed;
}
