/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What must hold for an implementation that misbehaves.
 */
#include "planted.h"

#include "bench.h"
#include "engine.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_PLANTED = 3 };

static double trial_limit_s = 2;
static const planted_bed *bed;
static const plant *now_planted;
static char source[24] = "first"; /* hash of the planted source */
static le_implementation planted[MOST_PLANTED];
static int how_many = 1;
static char db[64];
static _Atomic int *runs; /* of the planted implementation, in all processes */

/* A step runs in a child process, as a program that is started anew does; the child of a test
 * cannot use cmocka's assertions. */
#define REQUIRE(condition, ...)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s: ", now_planted->name);                                            \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fprintf(stderr, "\n");                                                                 \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* --- what trials cost --- */

/* Seconds for which trials of the planted implementation delayed the caller, less those for which
 * the machine had no core for them: what a loaded machine does not change. */
static double delayed;
/* Seconds for which trials of anybody waited for a core: limits do not count them. */
static double trials_starved;

static void keep_log(void *cookie, le_log_level level, const char *text) {
    double seconds, starved;
    char candidate[256];
    (void)cookie;
    (void)level;
    const char *trial = strstr(text, "trial of ");
    if (!trial || sscanf(trial, "trial of %255s %lf s, %lf s", candidate, &seconds, &starved) != 3)
        return;
    trials_starved += starved;
    if (!strncmp(candidate, now_planted->name, strlen(now_planted->name)))
        delayed += seconds - starved;
}

/* --- the implementation --- */

static le_status count_run(le_call *call) {
    ++*runs;
    return now_planted->run(call);
}

static le_status count_range(le_call *call, void **context) {
    ++*runs;
    *context = call;
    return LE_OK;
}

static void plant_it(le_engine *e) {
    static const le_cl_source no_kernels = {"planted", "", 0, "planted"};
    static const le_cl_source *const sources[] = {&no_kernels, NULL};
    static char names[MOST_PLANTED][64];
    e->log = (le__log){keep_log, NULL, LE_LOG_DEBUG};
    for (int i = 0; i < how_many; i++)
        snprintf(names[i], sizeof names[i], i ? "%s_%d" : "%s", now_planted->name, i);
    le_register_operation(e, &toy_operation);
    le_register_implementation(e, &toy_reference);
    le_register_implementation(e, &toy_c);
    for (size_t i = 0; bed->right && bed->right[i]; i++)
        le_register_implementation(e, bed->right[i]);
    for (int i = 0; i < how_many; i++) {
        planted[i] =
            (le_implementation){.abi = LE_METHOD_ABI,
                                .operation = "toy",
                                .source = source,
                                .name = names[i],
                                .run_type = bed->device == LE_DEVICE_CPU ? "simd" : "opencl",
                                .device = bed->device,
                                .speed = 50,
                                .sources = bed->device == LE_DEVICE_CPU ? NULL : sources,
                                .range = now_planted->range,
                                .prepare = now_planted->range ? count_range : NULL,
                                .run = now_planted->run ? count_run : NULL,
                                .items = now_planted->range ? toy_items : NULL};
        REQUIRE(le_register_implementation(e, &planted[i]) == LE_OK, "%s", le_error_message());
    }
}

/* --- time --- */

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds by which naps of 2 ms took longer: for which the machine, or what it runs on, had no core
 * for this process. */
typedef struct lag {
    pthread_t thread;
    _Atomic bool over;
    double seconds;
} lag;

static void *measure_lag(void *context) {
    lag *l = context;
    while (!l->over) {
        double start = seconds_now();
        nanosleep(&(struct timespec){0, 2000000}, NULL);
        l->seconds += fmax(seconds_now() - start - 0.004, 0);
    }
    return NULL;
}

/* The longest call of this process, less what the machine withheld from it and from its trials. */
static double longest;

le_status __real_le_call_run(le_engine *engine, const char *operation, const le_arg *args,
                             size_t n_args);
le_status __wrap_le_call_run(le_engine *engine, const char *operation, const le_arg *args,
                             size_t n_args);

le_status __wrap_le_call_run(le_engine *engine, const char *operation, const le_arg *args,
                             size_t n_args) {
    lag l = {.seconds = 0};
    REQUIRE(pthread_create(&l.thread, NULL, measure_lag, &l) == 0, "no thread");
    double start = seconds_now(), starved = trials_starved;
    le_status status = __real_le_call_run(engine, operation, args, n_args);
    double seconds = seconds_now() - start - (trials_starved - starved);
    l.over = true;
    pthread_join(l.thread, NULL);
    longest = fmax(longest, seconds - l.seconds);
    return status;
}

/* --- calls --- */

static le_engine *open_engine(void) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = db;
    o.devices = bed->device == LE_DEVICE_CPU ? "cpu" : NULL;
    o.threads = 2;
    REQUIRE(le_open(&e, &o) == LE_OK, "%s", le_error_message());
    plant_it(e);
    return e;
}

static void check_answer(le_engine *e, planted_way way) {
    int64_t n = now_planted->n;
    float *in = malloc((size_t)n * sizeof *in);
    for (int64_t i = 0; i < n; i++)
        in[i] = (float)(i % 17) - 8;
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    le_status status = le_engine_run(
        e, "toy", LE_IN("input", &input), LE_F64("factor", 2), LE_OUT("result", &result),
        LE_OPT_MODE(way == PLANTED_MEASURE ? LE_MODE_MEASURE : LE_MODE_LEARN),
        LE_OPT_DEVICE(bed->only ? bed->only : "all"));
    REQUIRE(status == LE_OK, "%s", le_error_message());
    for (int64_t i = 0; i < n; i++)
        REQUIRE(((float *)result.data)[i] == 2 * in[i], "result[%lld] is %g, expected %g",
                (long long)i, (double)((float *)result.data)[i], (double)(2 * in[i]));
    le_tensor_free(&result);
    free(in);
}

/* Whether le_explain tells the verdict. */
static bool is_left_out(le_engine *e, char *told, size_t size) {
    int64_t n = now_planted->n;
    float *in = calloc((size_t)n, sizeof *in);
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    le_explanation *x;
    REQUIRE(le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                              LE_OUT("result", &result),
                              LE_OPT_DEVICE(bed->only ? bed->only : "all")) == LE_OK,
            "%s", le_error_message());
    bool found = false, left_out = true;
    for (size_t i = 0; i < x->n_candidates; i++) {
        const le_explained_candidate *c = &x->candidates[i];
        if (strncmp(c->implementation, now_planted->name, strlen(now_planted->name)) != 0)
            continue;
        found = true;
        left_out = left_out && !c->applicable && strstr(c->left_out, now_planted->reason);
        snprintf(told, size, "%s: %s, left out: '%s', expected '%s'", c->candidate, c->verdict,
                 c->left_out, now_planted->reason);
    }
    le_explanation_free(&x);
    free(in);
    return found && left_out;
}

/* A trial that outlasts its limit ends later, on a machine without cores for it much later. */
static void wait_for_verdict(le_engine *e, planted_way way) {
    char told[512] = "no candidate";
    double end = seconds_now() + 180;
    while (!is_left_out(e, told, sizeof told)) {
        REQUIRE(seconds_now() < end, "%s", told);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        check_answer(e, way);
    }
}

/* Seconds for which trials delayed the first call of the process that ended last. */
static double *first_delay;

static void first_call(le_engine *e, planted_way way) {
    lag l = {.seconds = 0};
    REQUIRE(pthread_create(&l.thread, NULL, measure_lag, &l) == 0, "no thread");
    delayed = 0;
    check_answer(e, way);
    l.over = true;
    pthread_join(l.thread, NULL);
    *first_delay = delayed - l.seconds;
}

static void bench(void) {
    char *operations[] = {(char *)"toy", NULL}, size[32];
    snprintf(size, sizeof size, "%lld", (long long)now_planted->n);
    const bench_settings s = {.operations = operations,
                              .db = db,
                              .devices = bed->device == LE_DEVICE_CPU ? "cpu" : NULL,
                              .sizes = size,
                              .atol = NAN,
                              .rtol = NAN,
                              .seed = 1,
                              .quiet = true,
                              .prepare = plant_it};
    REQUIRE(bench_warm(&s) == TOOL_OK, "le-bench failed");
}

/* --- all of it --- */

static void first_process(planted_way way) {
    le_engine *e = open_engine();
    first_call(e, way);
    for (int k = 0; k < 30; k++)
        check_answer(e, way);
    wait_for_verdict(e, way);
    le_close(&e);
}

static void bench_process(planted_way way) {
    int before = *runs;
    (void)way;
    bench();
    REQUIRE(*runs > before, "le-bench did not try it");
    le_engine *e = open_engine();
    for (int k = 0; k < 5; k++)
        check_answer(e, PLANTED_BENCH);
    le_close(&e);
}

static void restarted_process(planted_way way) {
    char told[512];
    int before = *runs;
    le_engine *e = open_engine();
    /* le-bench may end before the last of several that hang has been judged */
    bool all_judged = way != PLANTED_BENCH || how_many == 1;
    if (!all_judged)
        wait_for_verdict(e, way);
    REQUIRE(is_left_out(e, told, sizeof told), "after a restart: %s", told);
    for (int k = 0; k < 5; k++)
        check_answer(e, way);
    le_close(&e);
    REQUIRE(!all_judged || *runs == before, "it was tried again");
}

static void process_of_new_source(planted_way way) {
    int before = *runs;
    first_process(way);
    REQUIRE(*runs > before, "a new source was not tried");
}

static void in_child(void (*step)(planted_way way), planted_way way) {
    int state = 0;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        step(way);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &state, 0), pid);
    assert_int_equal(state, 0);
}

/* A new source is tried anew. Other programs delay calls, too: the least of a few attempts counts. */
static void in_children_without_delay(void (*step)(planted_way way), planted_way way) {
    static int sources;
    double least = INFINITY;
    for (int k = 0; k < 3 && least >= trial_limit_s + 1; k++) {
        snprintf(source, sizeof source, "source %d", ++sources);
        in_child(step, way);
        least = fmin(least, *first_delay);
    }
    if (least >= trial_limit_s + 1)
        fail_msg("%s: trials delayed the first call by %.2f s, the limit is %g s",
                 now_planted->name, least, trial_limit_s);
}

static void *shared(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void share_counter(void) {
    if (!runs) {
        runs = shared(sizeof *runs);
        first_delay = shared(sizeof *first_delay);
    }
    snprintf(db, sizeof db, "/tmp/le_planted_%d.sqlite3", (int)getpid());
    setenv("LE_TRIAL_LIMIT", "2", 1);
    unlink(db);
}

bool planted_is_due(size_t i, planted_way way) {
    const char *step = getenv("LE_TEST_STEP");
    long n = step ? strtol(step, NULL, 10) : 1;
    return n <= 1 || (i + (size_t)way) % (size_t)n == 0;
}

void planted_check(const planted_bed *b, const plant *p, planted_way way) {
    share_counter();
    bed = b;
    now_planted = p;
    if (way == PLANTED_BENCH)
        in_child(bench_process, way);
    else
        in_children_without_delay(first_process, way);
    if (!p->passing)
        in_child(restarted_process, way);
    if (!p->passing && way == PLANTED_LEARN)
        in_children_without_delay(process_of_new_source, way);
    unlink(db);
}

/* --- what it costs the callers --- */

static double *shared_longest;

static void process_of_calls(planted_way way) {
    if (way == PLANTED_BENCH) {
        bench();
    } else {
        le_engine *e = open_engine();
        for (int k = 0; k < 11; k++)
            check_answer(e, way);
        if (how_many)
            wait_for_verdict(e, way);
        le_close(&e);
    }
    *shared_longest = longest;
}

/* With so many planted implementations. */
static double longest_call(planted_way way, int plants) {
    how_many = plants;
    in_child(process_of_calls, way);
    return *shared_longest;
}

void planted_check_delay(const planted_bed *b, const plant *p, planted_way way, int plants) {
    static const double limit_s = 1, slack_s = 1.5; /* three limits would be too long */
    share_counter();
    bed = b;
    now_planted = p;
    trial_limit_s = limit_s;
    setenv("LE_TRIAL_LIMIT", "1", 1);
    shared_longest = shared(sizeof *shared_longest);
    double delay = INFINITY; /* the least of a few: other programs delay calls, too */
    for (int k = 0; k < 3 && delay > limit_s + slack_s; k++) {
        double usual = longest_call(way, 0);
        unlink(db);
        delay = fmin(delay, longest_call(way, plants) - usual);
        if (delay > limit_s + slack_s)
            unlink(db);
    }
    if (delay > limit_s + slack_s)
        fail_msg("%d x %s: the longest call took %.2f s more than without them; the limit is %g s",
                 plants, p->name, delay, limit_s);
    how_many = plants;
    in_child(restarted_process, way);
    unlink(db);
    how_many = 1;
    trial_limit_s = 2;
    setenv("LE_TRIAL_LIMIT", "2", 1);
    munmap(shared_longest, sizeof *shared_longest);
}
