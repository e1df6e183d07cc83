/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Thread pool: a list of open loops, workers that help with the first one that wants help.
 */
#include "core/pool.h"

#include "core/clock.h"
#include "core/os.h"
#include "core/tick.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    PARTS_PER_WORKER = 16,
    LOOKS = 32, /* between two looks at the clock */
    MAX_STRETCHES = 16,
    MAX_IN_VAIN = 4,
    CACHE_LINE = 64
};

/* Waking a thread that sleeps takes 5 to 100 microseconds, most in virtual machines: as long as the
 * work of brief loops. So whoever waits looks again and again before it sleeps, for as long as
 * waking may take. */
static const double awake_s = 1e-4;

/* Some systems put threads that sleep much on few processors: a worker that is woken where its
 * caller runs has to wait for him, or he for it. It is moved then, which takes 10 microseconds and
 * helps nobody where all processors are in use: not more often than this. */
static const double stays_s = 1e-3;

/* How long a loop that gathers its workers waits for them. */
static const double gathering_s = 4e-3;

const char *const le__schedule_names[4] = {"none", "static", "dynamic", "guided"};

/* Neighbouring items. In each loop over as many items a worker begins with the same stretch, whose
 * data its caches may still hold, and only then takes parts of the others'. */
typedef struct stretch {
    _Alignas(CACHE_LINE) _Atomic size_t next;
    size_t end;
} stretch;

typedef struct loop {
    le_range_fn fn;
    void *context;
    size_t part;    /* the least that is taken */
    size_t sharing; /* workers that begin with the same stretch */
    le__schedule schedule;
    int threads;       /* workers wanted, the caller included */
    int cpu;           /* where the caller was when it began */
    int joined;        /* workers that took part so far; guarded by the pool's mutex */
    atomic_bool apart; /* workers leave each other's stretches to them */
    _Atomic unsigned
        active; /* workers inside, without the caller; changed with the pool's mutex held */
    struct loop *link;
    int n_stretches;
    stretch stretches[MAX_STRETCHES];
} loop;

struct le__pool {
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    loop *open;
    pthread_t *threads;
    int n_threads, max_threads;
    int numbered; /* threads that took a number; guarded by the mutex */
    bool stop;
    atomic_bool gathers;
    _Atomic unsigned calls; /* for workers: loops that began; changed with the mutex held */
    double called;          /* when the last one did; guarded by the mutex */
    double moved;           /* when those that had not come were; guarded by the mutex */
};

/* Takes the next part of a stretch; false when nothing is left. */
static bool take(loop *l, stretch *from, size_t *begin, size_t *end) {
    size_t at = atomic_load_explicit(&from->next, memory_order_relaxed);
    do {
        if (at >= from->end)
            return false;
        size_t left = from->end - at;
        size_t part = l->schedule == LE__SCHEDULE_GUIDED ? left / (2 * l->sharing) : 0;
        part = part < l->part ? l->part : part;
        *end = at + (left < part ? left : part);
    } while (!atomic_compare_exchange_weak_explicit(&from->next, &at, *end, memory_order_relaxed,
                                                    memory_order_relaxed));
    *begin = at;
    return true;
}

/* thread: 0 for the caller, of the pool's own the same in each loop. A worker that never came is
 * replaced by those that did. */
static void work_on(loop *l, int worker, int thread) {
    size_t begin, end;
    int home = (int)((int64_t)(thread % l->threads) * l->n_stretches / l->threads);
    for (int i = 0; i < (l->apart ? 1 : l->n_stretches); i++)
        while (take(l, &l->stretches[(home + i) % l->n_stretches], &begin, &end))
            l->fn(l->context, begin, end, worker);
}

static loop *wanting_help(le__pool *p) {
    for (loop *l = p->open; l; l = l->link)
        if (l->joined < l->threads)
            return l;
    return NULL;
}

static void look_away(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Looks for the number to become equal to the value, or to cease to be, for as long as it is not
 * worth to sleep; false: it did not. Others get the core when they want it. */
static bool happens_soon(const _Atomic unsigned *number, unsigned value, bool equal) {
    for (double end = le__now() + awake_s; le__now() < end; sched_yield())
        for (int i = 0; i < LOOKS; i++, look_away())
            if ((atomic_load_explicit(number, memory_order_acquire) == value) == equal)
                return true;
    return false;
}

/* Until a loop begins. A worker looks for one before it sleeps, unless that was in vain the last
 * few times: one long pause is no reason, since calls that use fewer threads make one, and the
 * second loop after it would find the worker asleep again. It looks again once loops have followed
 * each other fast, though it slept meanwhile: what waking took does not count, or a worker that
 * came too late once always would. Called with the mutex held. */
static void rest(le__pool *p, int *in_vain) {
    unsigned calls = atomic_load_explicit(&p->calls, memory_order_relaxed);
    double begin = le__now();
    if (*in_vain < MAX_IN_VAIN) {
        pthread_mutex_unlock(&p->mutex);
        happens_soon(&p->calls, calls, false);
        pthread_mutex_lock(&p->mutex);
    }
    while (atomic_load_explicit(&p->calls, memory_order_relaxed) == calls)
        pthread_cond_wait(&p->work, &p->mutex);
    unsigned begun = atomic_load_explicit(&p->calls, memory_order_relaxed) - calls;
    if ((p->called - begin) / begun < awake_s)
        *in_vain = 0;
    else if (*in_vain < MAX_IN_VAIN)
        ++*in_vain;
}

/* Of this thread, a worker. left: when it last had to. */
static void keep_apart(const loop *l, double *left) {
    if (le__os_cpu() != l->cpu)
        return;
    double now = le__now();
    if (now - *left >= stays_s) {
        le__os_leave_cpu(pthread_self(), l->cpu);
        *left = now;
    }
}

static void *worker_main(void *arg) {
    le__pool *p = arg;
    int in_vain = MAX_IN_VAIN;
    double left = -INFINITY;
    pthread_mutex_lock(&p->mutex);
    const int thread = ++p->numbered;
    while (!p->stop) {
        loop *l = wanting_help(p);
        if (!l) {
            rest(p, &in_vain);
            continue;
        }
        int worker = l->joined++;
        l->active++;
        pthread_mutex_unlock(&p->mutex);
        keep_apart(l, &left);
        work_on(l, worker, thread);
        pthread_mutex_lock(&p->mutex);
        if (--l->active == 0)
            pthread_cond_broadcast(&p->done);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

void le__pool_blocked_signals(sigset_t *out) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigfillset(out);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(out, faults[i]);
}

/* Called with the mutex held. */
static void start_workers(le__pool *p, int wanted) {
    sigset_t blocked, old;
    le__pool_blocked_signals(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, &old);
    while (p->n_threads < wanted) {
        pthread_t *thread = &p->threads[p->n_threads];
        if (pthread_create(thread, NULL, worker_main, p) != 0)
            break; /* fewer workers: the loop still ends, the caller does the rest */
        le__os_leave_cpu(*thread, le__os_cpu());
        p->n_threads++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* With the mutex held, which is released: who wakes at once would have to wait for it. */
static void call_workers(le__pool *p) {
    p->called = le__now();
    atomic_fetch_add_explicit(&p->calls, 1, memory_order_release);
    pthread_mutex_unlock(&p->mutex);
    pthread_cond_broadcast(&p->work);
}

le_status le__pool_open(le__pool **out, int max_threads) {
    le__pool *p = calloc(1, sizeof *p);
    if (p)
        p->threads = calloc((size_t)max_threads, sizeof *p->threads);
    if (!p || !p->threads) {
        free(p);
        return le_fail(LE_ERR_MEMORY, "thread pool: out of memory");
    }
    p->max_threads = max_threads;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->work, NULL);
    le__ticker_cond_init(&p->done);
    *out = p;
    return LE_OK;
}

void le__pool_close(le__pool *p) {
    if (!p)
        return;
    pthread_mutex_lock(&p->mutex);
    p->stop = true;
    call_workers(p);
    for (int i = 0; i < p->n_threads; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->mutex);
    free(p->threads);
    free(p);
}

int le__pool_max_threads(const le__pool *pool) {
    return pool->max_threads;
}

static void unlink_loop(le__pool *p, loop *l) {
    loop **at = &p->open;
    while (*at != l)
        at = &(*at)->link;
    *at = l->link;
}

/* Workers that have not come may be waiting for the processor that the caller has. Asking all of
 * them takes the longer the more there are. With the mutex held. */
static void move_away(le__pool *p, int cpu) {
    double now = le__now();
    if (now - p->moved < stays_s * p->n_threads)
        return;
    for (int i = 0; i < p->n_threads; i++)
        le__os_leave_cpu(p->threads[i], cpu);
    p->moved = now;
}

static void begin_loop(loop *l, int threads, le__schedule schedule, size_t items) {
    size_t workers = (size_t)threads, n = workers < MAX_STRETCHES ? workers : MAX_STRETCHES, at = 0;
    size_t part = schedule == LE__SCHEDULE_STATIC ? (items + workers - 1) / workers
                                                  : items / (workers * PARTS_PER_WORKER);
    l->part = part ? part : 1;
    l->sharing = (workers + n - 1) / n;
    l->schedule = schedule;
    l->threads = threads;
    l->cpu = le__os_cpu();
    l->joined = 1;
    atomic_init(&l->active, 0);
    l->n_stretches = (int)n;
    for (size_t i = 0; i < n; i++) {
        atomic_init(&l->stretches[i].next, at);
        at += items / n + (i < items % n);
        l->stretches[i].end = at;
    }
}

void le__pool_gather(le__pool *p, bool all) {
    p->gathers = all;
}

/* Those that do not come are in other loops, or have no processor: waiting again would be in vain.
 */
static void gather(le__pool *p, loop *l) {
    bool here = false;
    for (double end = le__now() + gathering_s; !here && le__now() < end; sched_yield()) {
        pthread_mutex_lock(&p->mutex);
        here = l->joined == l->threads;
        pthread_mutex_unlock(&p->mutex);
    }
    if (!here)
        l->apart = p->gathers = false;
}

void le__pool_run(le__pool *p, int threads, le__schedule schedule, size_t items, le_range_fn fn,
                  void *context) {
    if (threads > p->max_threads)
        threads = p->max_threads;
    if ((size_t)threads > items)
        threads = (int)items;
    if (threads <= 1 || schedule == LE__SCHEDULE_NONE) {
        if (items)
            fn(context, 0, items, 0);
        return;
    }
    loop l;
    begin_loop(&l, threads, schedule, items);
    const bool gathers = p->gathers;
    atomic_init(&l.apart, gathers);
    l.fn = fn;
    l.context = context;
    pthread_mutex_lock(&p->mutex);
    start_workers(p, threads - 1);
    l.link = p->open;
    p->open = &l;
    call_workers(p);
    if (gathers)
        gather(p, &l);
    work_on(&l, 0, 0);
    pthread_mutex_lock(&p->mutex);
    if (l.joined < l.threads)
        move_away(p, l.cpu);
    l.joined = l.threads; /* nobody joins any more */
    if (l.active) {
        pthread_mutex_unlock(&p->mutex);
        happens_soon(&l.active, 0, true);
        pthread_mutex_lock(&p->mutex);
    }
    while (l.active)
        le__ticker_wait(le__ticker_here(), &p->done, &p->mutex);
    unlink_loop(p, &l);
    pthread_mutex_unlock(&p->mutex);
    l.apart = false;
    if (gathers) /* parts of workers that are not of this loop */
        work_on(&l, 0, 0);
}
