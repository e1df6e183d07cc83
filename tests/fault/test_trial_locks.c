/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A trial's child is forked while another thread holds every mutex of the engine, so that in the
 * child they stay locked for ever: the verdict is right all the same. And a hang that used no
 * processor time is no verdict before it has happened twice.
 */
#include "chain_ops.h"
#include "call/candidate.h"
#include "engine.h"
#include "toy.h"
#include "trial/trial.h"

#include <math.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* --- every mutex that was used or made and still is --- */

enum { MOST = 4096 };
static pthread_mutex_t *mutexes[MOST];
static int n_mutexes;
static atomic_flag busy = ATOMIC_FLAG_INIT; /* guards both */

int __real_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a);
int __real_pthread_mutex_lock(pthread_mutex_t *m);
int __real_pthread_mutex_destroy(pthread_mutex_t *m);
int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *m);
pid_t __real_fork(void);
pid_t __wrap_fork(void);

static void note(pthread_mutex_t *m, bool there) {
    while (atomic_flag_test_and_set(&busy))
        ;
    int at = 0;
    while (at < n_mutexes && mutexes[at] != m)
        at++;
    if (there && at == n_mutexes && n_mutexes < MOST)
        mutexes[n_mutexes++] = m;
    if (!there && at < n_mutexes)
        mutexes[at] = mutexes[--n_mutexes];
    atomic_flag_clear(&busy);
}

int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) {
    note(m, true);
    return __real_pthread_mutex_init(m, a);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *m) {
    note(m, true);
    return __real_pthread_mutex_lock(m);
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *m) {
    note(m, false);
    return __real_pthread_mutex_destroy(m);
}

/* --- a fork while another thread holds them --- */

static bool hold; /* at the next fork */
static int held;
static sem_t all_held, may_go;

static void *hold_all(void *context) {
    static pthread_mutex_t *taken[MOST];
    held = 0;
    for (int i = 0; i < n_mutexes; i++)
        if (pthread_mutex_trylock(mutexes[i]) == 0)
            taken[held++] = mutexes[i];
    sem_post(&all_held);
    sem_wait(&may_go);
    for (int i = 0; i < held; i++)
        pthread_mutex_unlock(taken[i]);
    return context;
}

pid_t __wrap_fork(void) {
    pthread_t holder;
    if (!hold || pthread_create(&holder, NULL, hold_all, NULL) != 0)
        return __real_fork();
    sem_wait(&all_held);
    pid_t pid = __real_fork();
    if (pid == 0)
        return 0;
    sem_post(&may_go);
    pthread_join(holder, NULL);
    return pid;
}

static le_engine *open_engine(void) {
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_non_null(e);
    assert_int_equal(chain_ops_register(e), LE_OK);
    return e;
}

/* What is proven without locks held must be proven with them. */
static int try_all(le_engine *e, const char *operation) {
    le__operation_entry *entry = le__registry_find(&e->registry, operation);
    le__candidate *list;
    size_t n;
    int tried = 0;
    assert_non_null(entry);
    assert_int_equal(le__candidates_make(e, entry, &list, &n), LE_OK);
    for (size_t i = 0; i < n; i++) {
        le__trial_result free_result, held_result;
        if (list[i].device->kind != LE_DEVICE_CPU ||
            list[i].implementation->flags & LE_IMPL_REFERENCE)
            continue;
        le__trial(e, entry, &list[i], NULL, INFINITY, &free_result);
        hold = true;
        le__trial(e, entry, &list[i], NULL, INFINITY, &held_result);
        hold = false;
        if (held_result.status != free_result.status)
            fail_msg("%s: %s with %d locks held, '%s' without", list[i].text, held_result.reason,
                     held, free_result.reason);
        tried += free_result.status == LE_OK && held > 5;
    }
    free(list);
    return tried;
}

static void inherited_locks(void **state) {
    (void)state;
    le_engine *e = open_engine();
    assert_true(try_all(e, "toy") > 0);
    assert_true(try_all(e, "chain_scale") > 0); /* its slabs are chains */
    assert_true(try_all(e, "chain_poly") > 0);  /* staged */
    le_close(&e);
}

/* --- a hang without processor time --- */

static _Atomic int *runs; /* in all processes */
static int hanging_runs;

static le_status waits_at_first(le_call *call) {
    if (++*runs <= hanging_runs)
        for (;;)
            pause();
    le_parallel_for(call, toy_items(call), toy_range, call);
    return LE_OK;
}

static const char *state_after(int calls, int hangs) {
    static char text[256];
    static const le_implementation waiting = {.abi = LE_METHOD_ABI,
                                              .operation = "toy",
                                              .name = "waiting",
                                              .run_type = "simd",
                                              .speed = 50,
                                              .flags = LE_IMPL_SERIAL,
                                              .run = waits_at_first};
    float in[100] = {1};
    le_tensor input = le_tensor_of(in, LE_F32, 1, &(int64_t){100}), result = {0};
    le_explanation *x;
    *runs = 0;
    hanging_runs = hangs;
    setenv("LE_TRIAL_LIMIT", "0.3", 1);
    le_engine *e = open_engine();
    assert_int_equal(le_register_implementation(e, &waiting), LE_OK);
    for (int i = 0; i < calls; i++) {
        le_tensor_free(&result);
        assert_int_equal(le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                       LE_OUT("result", &result)),
                         LE_OK);
        assert_true(((float *)result.data)[0] == 2);
    }
    le_tensor_free(&result);
    assert_int_equal(le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                       LE_OUT("result", &result)),
                     LE_OK);
    text[0] = '\0';
    for (size_t i = 0; i < x->n_candidates; i++)
        if (!strcmp(x->candidates[i].implementation, "waiting"))
            snprintf(text, sizeof text, "%s %s", x->candidates[i].verdict,
                     x->candidates[i].left_out);
    le_explanation_free(&x);
    le_close(&e);
    return text;
}

static void a_hang_without_processor_time(void **state) {
    (void)state;
    runs = mmap(NULL, sizeof *runs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(runs, MAP_FAILED);
    const char *once = state_after(3, 1);
    if (!strstr(once, "proven"))
        fail_msg("after one hang: '%s'", once);
    const char *always = state_after(3, 1000000);
    if (!strstr(always, "did not end within"))
        fail_msg("after several: '%s'", always);
    assert_int_equal(*runs, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(inherited_locks),
                                       cmocka_unit_test(a_hang_without_processor_time)};
    sem_init(&all_held, 0, 0);
    sem_init(&may_go, 0, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
