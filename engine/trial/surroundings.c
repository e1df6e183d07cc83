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
static uint64_t floating_state(void) {
#if defined(__SSE2__) && defined(__GNUC__)
    enum { EVENTS = 0x3f };
    unsigned short x87; /* long double has its own */
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (_mm_getcsr() & ~(unsigned)EVENTS) | (uint64_t)x87 << 32;
#elif defined(__SSE2__)
    enum { EVENTS = 0x3f };
    return (_mm_getcsr() & ~(unsigned)EVENTS) ^ (unsigned)fegetround() << 16;
#elif defined(__aarch64__) && defined(__GNUC__)
    unsigned long control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
#else
    return (uint64_t)fegetround();
#endif
}

/* Which registers of the x87 hold something: none, or the next long double finds no room and is
 * NaN. MMX leaves all of them so where its user does not clear them. */
static unsigned registers_in_use(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    struct {
        uint32_t control, status, tags, others[4];
    } x87;
    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "+m"(x87));
    return x87.tags & 0xffff;
#else
    return 0;
#endif
}

static void list_files(le__surroundings *s) {
    DIR *files = opendir(LE__OS_OPEN_FILES);
    for (struct dirent *f; files && (f = readdir(files)) != NULL;) {
        long fd = f->d_name[0] == '.' ? -1 : strtol(f->d_name, NULL, 10);
        if (fd < 0 || fd == dirfd(files))
            continue;
        uint64_t is = le__os_open_file((int)fd);
        if (fd < LE__FIRST_FILES)
            s->files[fd] = is;
        else
            s->more_files += is * (uint64_t)fd; /* in any order */
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

static void take_thread(le__thread_state *t) {
    memset(t, 0, sizeof *t);
    t->priority = getpriority(PRIO_PROCESS, 0);
    t->policy = sched_getscheduler(0);
    sched_getaffinity(0, sizeof t->cores, &t->cores);
}

/* What of a thread is another; NULL: nothing. */
static const char *thread_changed(const le__thread_state *a, const le__thread_state *b) {
    if (a->priority != b->priority || a->policy != b->policy)
        return "the priority";
    return CPU_EQUAL(&a->cores, &b->cores) ? NULL : "the cores that it may use";
}

static void take_process(le__surroundings *s) {
    s->environment = hash_environment();
    for (unsigned i = 0; i < LE__TIMERS; i++) {
        struct itimerval t = {{0, 0}, {0, 0}};
        s->timers[i] = getitimer(i, &t) == 0 && (t.it_value.tv_sec || t.it_value.tv_usec);
    }
    s->posix_timers = le__os_timers();
    for (unsigned i = 0; i < LE__LIMITS; i++) /* of the others it fails, and nothing is written */
        getrlimit(i, &s->limits[i]);
    take_thread(&s->thread);
}

void le__surroundings_take(le__surroundings *s) {
    memset(s, 0, sizeof *s);
    take_process(s);
    s->children = has_children();
    s->floating = floating_state();
    s->registers = registers_in_use();
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
    list_files(s);
}

/* --- the pool's threads --- */

typedef struct roll_call {
    const le__surroundings *expected;
    bool process;
    pthread_t caller;
    sigset_t blocked; /* by workers */
    int threads;
    atomic_int there;
    _Atomic(const char *) changed;
} roll_call;

static bool masks_differ(const sigset_t *a, const sigset_t *b) {
    for (int i = 1; i < 65; i++)
        if (i != SIGKILL && i != SIGSTOP && sigismember(a, i) != sigismember(b, i))
            return true;
    return false;
}

static const char *worker_changed(const roll_call *r) {
    le__thread_state now;
    sigset_t mask;
    if (floating_state() != r->expected->floating)
        return "the rounding mode or the treatment of denormals";
    if (registers_in_use() != r->expected->registers)
        return "the registers of the x87 or of MMX";
    if (!r->process || pthread_equal(pthread_self(), r->caller))
        return NULL;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (masks_differ(&mask, &r->blocked))
        return "the signal mask";
    take_thread(&now);
    return thread_changed(&r->expected->thread, &now);
}

/* Each waits for the others for a moment, so that nobody answers for two. Who is about to be moved
 * to another processor looks again. */
static void answer_roll(void *context, size_t begin, size_t end, int worker) {
    static const double patience_s = 0.02;
    roll_call *r = context;
    double until = le__now() + patience_s;
    const char *changed;
    (void)begin;
    (void)end;
    (void)worker;
    while ((changed = worker_changed(r)) != NULL && le__now() < until)
        ;
    if (changed)
        r->changed = changed;
    r->there++;
    while (r->there < r->threads && le__now() < until)
        ;
}

/* What of some thread of the pool is; NULL: nothing. */
static const char *workers_changed(const le__surroundings *before, le__pool *pool, bool process) {
    roll_call r = {.expected = before,
                   .process = process,
                   .caller = pthread_self(),
                   .threads = le__pool_max_threads(pool)};
    le__pool_blocked_signals(&r.blocked);
    le__pool_run(pool, r.threads, LE__SCHEDULE_STATIC, (size_t)r.threads, answer_roll, &r);
    return r.changed;
}

/* --- the process --- */

static le_status check_signals(const le__surroundings *a, const le__surroundings *b) {
    /* signal() sets others where it puts a handler back */
    static const int telling = SA_SIGINFO | SA_ONSTACK | SA_NOCLDWAIT;
    for (int i = 1; i < 65; i++) {
        if (sigismember(&a->mask, i) != sigismember(&b->mask, i))
            return le_fail(LE_ERR_WRONG_RESULT, "left the signal mask changed: signal %d (%s)", i,
                           strsignal(i));
        if (a->handlers[i].sa_handler != b->handlers[i].sa_handler ||
            ((a->handlers[i].sa_flags ^ b->handlers[i].sa_flags) & telling))
            return le_fail(LE_ERR_WRONG_RESULT, "left the handler of signal %d (%s) changed", i,
                           strsignal(i));
    }
    return LE_OK;
}

static le_status check_process(const le__surroundings *a, const le__surroundings *b) {
    const char *what = thread_changed(&a->thread, &b->thread);
    if (a->environment != b->environment)
        what = "the environment";
    else if (memcmp(a->timers, b->timers, sizeof a->timers) != 0 ||
             a->posix_timers != b->posix_timers)
        what = "an alarm or timer";
    else if (memcmp(a->limits, b->limits, sizeof a->limits) != 0)
        what = "the limits of resources";
    if (what)
        return le_fail(LE_ERR_WRONG_RESULT, "left %s changed", what);
    return b->children && !a->children ? le_fail(LE_ERR_WRONG_RESULT, "left a child process")
                                       : LE_OK;
}

static le_status check_files(const le__surroundings *a, const le__surroundings *b) {
    for (int i = 0; i < LE__FIRST_FILES; i++)
        if (a->files[i] != b->files[i])
            return le_fail(LE_ERR_WRONG_RESULT, "left file descriptor %d %s", i,
                           !b->files[i]  ? "closed"
                           : a->files[i] ? "changed"
                                         : "open");
    return a->more_files == b->more_files
               ? LE_OK
               : le_fail(LE_ERR_WRONG_RESULT, "left file descriptors from %d on changed",
                         LE__FIRST_FILES);
}

static const char *place_changed(const le__surroundings *a, const le__surroundings *b) {
    if (strcmp(a->folder, b->folder) != 0)
        return "the working directory";
    if (strcmp(a->locale, b->locale) != 0 || a->thread_locale != b->thread_locale)
        return "the locale";
    return a->umask != b->umask ? "the umask" : NULL;
}

le_status le__surroundings_check(const le__surroundings *before, le__pool *pool, bool process) {
    le__surroundings now;
    le__surroundings_take(&now);
    const char *what = workers_changed(before, pool, process);
    what = what ? what : place_changed(before, &now);
    if (what)
        return le_fail(LE_ERR_WRONG_RESULT, "left %s changed", what);
    le_status status = process ? check_signals(before, &now) : LE_OK;
    status = status == LE_OK && process ? check_process(before, &now) : status;
    return status == LE_OK && process ? check_files(before, &now) : status;
}
