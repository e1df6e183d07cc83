/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Comparing a process before and after an implementation.
 */
#include "trial/surroundings.h"

#include "core/clock.h"
#include "core/os.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <dirent.h>
#include <fenv.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* The bits that say how to compute, and not what has happened. */
static unsigned floating_state(void) {
#if defined(__SSE2__)
    enum { EVENTS = 0x3f };
    return (_mm_getcsr() & ~(unsigned)EVENTS) ^ (unsigned)fegetround() << 16;
#elif defined(__aarch64__) && defined(__GNUC__)
    unsigned long control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return (unsigned)control;
#else
    return (unsigned)fegetround();
#endif
}

static void list_files(unsigned char *bits) {
    memset(bits, 0, LE__FIRST_FILES / 8);
    DIR *files = opendir(LE__OS_OPEN_FILES);
    for (struct dirent *f; files && (f = readdir(files)) != NULL;) {
        long fd = f->d_name[0] == '.' ? -1 : strtol(f->d_name, NULL, 10);
        if (fd >= 0 && fd < LE__FIRST_FILES && fd != dirfd(files))
            bits[fd / 8] |= (unsigned char)(1u << fd % 8);
    }
    if (files)
        closedir(files);
}

/* Runtimes of threads register themselves in variables whose names begin with "__". In any order.
 */
static uint64_t hash_environment(void) {
    uint64_t hash = 0;
    for (char **e = environ; e && *e; e++)
        if (strncmp(*e, "__", 2) != 0)
            hash += XXH64(*e, strlen(*e), 0);
    return hash;
}

static bool has_children(void) {
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void take_process(le__surroundings *s) {
    s->environment = hash_environment();
    for (unsigned i = 0; i < LE__TIMERS; i++) {
        struct itimerval t = {{0, 0}, {0, 0}};
        s->timers[i] = getitimer(i, &t) == 0 && (t.it_value.tv_sec || t.it_value.tv_usec);
    }
    for (unsigned i = 0; i < LE__LIMITS; i++) /* of the others it fails, and nothing is written */
        getrlimit(i, &s->limits[i]);
    s->priority = getpriority(PRIO_PROCESS, 0);
    sched_getaffinity(0, sizeof s->cores, &s->cores);
}

void le__surroundings_take(le__surroundings *s) {
    memset(s, 0, sizeof *s);
    take_process(s);
    s->children = has_children();
    s->floating = floating_state();
    pthread_sigmask(SIG_SETMASK, NULL, &s->mask);
    for (int i = 1; i < 65; i++)
        sigaction(i, NULL, &s->handlers[i]);
    if (!getcwd(s->folder, sizeof s->folder))
        s->folder[0] = '\0';
    const char *locale = setlocale(LC_ALL, NULL);
    strncpy(s->locale, locale ? locale : "", sizeof s->locale - 1);
    s->thread_locale = uselocale((locale_t)0);
    s->umask = umask(0);
    umask(s->umask);
    list_files(s->files);
}

/* --- the pool's threads --- */

typedef struct roll_call {
    unsigned expected;
    int threads;
    atomic_int there, changed;
} roll_call;

/* Each waits for the others for a moment, so that nobody answers for two. */
static void answer_roll(void *context, size_t begin, size_t end, int worker) {
    static const double patience_s = 0.02;
    roll_call *r = context;
    double until = le__now() + patience_s;
    (void)begin;
    (void)end;
    (void)worker;
    r->changed += floating_state() != r->expected;
    r->there++;
    while (r->there < r->threads && le__now() < until)
        ;
}

static bool workers_changed(const le__surroundings *before, le__pool *pool) {
    roll_call r = {.expected = before->floating, .threads = le__pool_max_threads(pool)};
    le__pool_run(pool, r.threads, LE__SCHEDULE_STATIC, (size_t)r.threads, answer_roll, &r);
    return r.changed > 0;
}

/* --- the process --- */

static le_status check_signals(const le__surroundings *a, const le__surroundings *b) {
    for (int i = 1; i < 65; i++) {
        if (sigismember(&a->mask, i) != sigismember(&b->mask, i))
            return le_fail(LE_ERR_WRONG_RESULT, "left the signal mask changed: signal %d (%s)", i,
                           strsignal(i));
        if (a->handlers[i].sa_handler != b->handlers[i].sa_handler)
            return le_fail(LE_ERR_WRONG_RESULT, "left the handler of signal %d (%s) changed", i,
                           strsignal(i));
    }
    return LE_OK;
}

static le_status check_process(const le__surroundings *a, const le__surroundings *b) {
    const char *what = NULL;
    if (a->environment != b->environment)
        what = "the environment";
    else if (memcmp(a->timers, b->timers, sizeof a->timers) != 0)
        what = "an alarm or timer";
    else if (memcmp(a->limits, b->limits, sizeof a->limits) != 0)
        what = "the limits of resources";
    else if (a->priority != b->priority)
        what = "the priority";
    else if (!CPU_EQUAL(&a->cores, &b->cores))
        what = "the cores that it may use";
    if (what)
        return le_fail(LE_ERR_WRONG_RESULT, "left %s changed", what);
    return b->children && !a->children ? le_fail(LE_ERR_WRONG_RESULT, "left a child process")
                                       : LE_OK;
}

static le_status check_files(const le__surroundings *a, const le__surroundings *b) {
    for (int i = 0; i < LE__FIRST_FILES; i++) {
        unsigned bit = 1u << i % 8, open = b->files[i / 8] & bit;
        if ((a->files[i / 8] & bit) != open)
            return le_fail(LE_ERR_WRONG_RESULT, "left file descriptor %d %s", i,
                           open ? "open" : "closed");
    }
    return LE_OK;
}

le_status le__surroundings_check(const le__surroundings *before, le__pool *pool, bool process) {
    le__surroundings now;
    const char *what = NULL;
    le__surroundings_take(&now);
    if (now.floating != before->floating || workers_changed(before, pool))
        what = "the rounding mode or the treatment of denormals";
    else if (strcmp(now.folder, before->folder) != 0)
        what = "the working directory";
    else if (strcmp(now.locale, before->locale) != 0 || now.thread_locale != before->thread_locale)
        what = "the locale";
    else if (now.umask != before->umask)
        what = "the umask";
    if (what)
        return le_fail(LE_ERR_WRONG_RESULT, "left %s changed", what);
    le_status status = process ? check_signals(before, &now) : LE_OK;
    status = status == LE_OK && process ? check_process(before, &now) : status;
    return status == LE_OK && process ? check_files(before, &now) : status;
}
