/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What of a process is seen to be changed, and that nothing is where nothing was. Each in a child
 * of its own.
 */
#include "trial/surroundings.h"

#include "core/error.h"

#include <fenv.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void nothing(void) {
    setenv("__A_RUNTIME", "1", 1);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
}

static void sets_a_variable(void) {
    setenv("LE_TEST_OF_SURROUNDINGS", "1", 1);
}

static void takes_a_variable(void) {
    unsetenv("PATH");
}

static void sets_an_alarm(void) {
    alarm(1000);
}

static void sets_a_timer(void) {
    setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {1000, 0}}, NULL);
}

static void limits_files(void) {
    struct rlimit r;
    getrlimit(RLIMIT_NOFILE, &r);
    r.rlim_cur--;
    setrlimit(RLIMIT_NOFILE, &r);
}

static void steps_back(void) {
    if (nice(1) < 0)
        perror("nice");
}

static void stays_on_a_core(void) {
    cpu_set_t s, one;
    sched_getaffinity(0, sizeof s, &s);
    CPU_ZERO(&one);
    for (size_t i = 0; CPU_COUNT(&one) == 0 && i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &s))
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void leaves_a_child(void) {
    if (fork() == 0) {
        usleep(2000000);
        _exit(0);
    }
}

static void rounds_up(void) {
    fesetround(FE_UPWARD);
}

static void changes_folder(void) {
    if (chdir("/usr") != 0)
        perror("chdir");
}

static void opens_a_file(void) {
    if (open("/dev/null", O_RDONLY) < 0)
        perror("open");
}

static void handles_a_signal(void) {
    signal(SIGUSR2, SIG_IGN);
}

static void replaces_a_file(void) {
    int fd = open("/dev/null", O_WRONLY);
    dup2(fd, 1);
    close(fd);
}

static void opens_a_file_far_away(void) {
    if (fcntl(0, F_DUPFD, 2000) < 0)
        perror("fcntl");
}

static void keeps_a_signal_from_waiting(void) {
    struct sigaction a;
    sigaction(SIGCHLD, NULL, &a);
    a.sa_flags |= SA_NOCLDWAIT;
    sigaction(SIGCHLD, &a, NULL);
}

/* As programs do that want a signal for a while. */
static void takes_a_signal_and_gives_it_back(void) {
    signal(SIGFPE, signal(SIGFPE, SIG_IGN));
}

static void waits_for_idleness(void) {
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
}

static void narrows_long_doubles(void) {
#if defined(__x86_64__)
    unsigned short control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control &= (unsigned short)~0x300u;
    __asm__ volatile("fldcw %0" : : "m"(control));
#else
    fesetround(FE_UPWARD);
#endif
}

static void makes_a_timer(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        perror("timer_create");
}

static void makes_a_timer_and_deletes_it(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_delete(timer) != 0)
        perror("timer_create");
}

/* Without emms behind it. */
static void uses_mmx(void) {
#if defined(__x86_64__)
    __asm__ volatile("pxor %%mm0, %%mm0" : : : "mm0");
#endif
}

/* --- threads of the pool --- */

static le__pool *pool;
static void (*act_there)(void);

/* Two items for two threads: each waits for the other. */
static void act_in_worker(void *context, size_t begin, size_t end, int worker) {
    _Atomic int *there = context;
    (void)begin;
    (void)end;
    ++*there;
    while (*there < 2)
        ;
    if (worker > 0)
        act_there();
}

static void in_worker(void (*act)(void)) {
    _Atomic int there = 0;
    act_there = act;
    le__pool_run(pool, 2, LE__SCHEDULE_STATIC, 2, act_in_worker, &there);
}

static void hear_a_signal(void) {
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &s, NULL);
}

static void do_nothing(void) {
}

static void a_worker_does_nothing(void) {
    in_worker(do_nothing);
}

static void a_worker_hears_a_signal(void) {
    in_worker(hear_a_signal);
}

static void a_worker_steps_back(void) {
    in_worker(steps_back);
}

static void a_worker_stays_on_a_core(void) {
    in_worker(stays_on_a_core);
}

static void a_worker_uses_mmx(void) {
    in_worker(uses_mmx);
}

static const struct {
    void (*act)(void);
    const char *says; /* NULL: nothing */
} acts[] = {{nothing, NULL},
            {takes_a_signal_and_gives_it_back, NULL},
            {a_worker_does_nothing, NULL},
            {a_worker_hears_a_signal, "left the signal mask changed"},
            {a_worker_steps_back, "left the priority changed"},
            {a_worker_stays_on_a_core, "left the cores that it may use changed"},
            {replaces_a_file, "left file descriptor 1 changed"},
            {opens_a_file_far_away, "left file descriptors from 1024 on changed"},
            {keeps_a_signal_from_waiting, "left the handler of signal 17 (Child exited) changed"},
            {waits_for_idleness, "left the priority changed"},
            {narrows_long_doubles, "left the rounding mode or the treatment of denormals changed"},
            {sets_a_variable, "left the environment changed"},
            {takes_a_variable, "left the environment changed"},
            {sets_an_alarm, "left an alarm or timer changed"},
            {sets_a_timer, "left an alarm or timer changed"},
            {makes_a_timer_and_deletes_it, NULL},
            {makes_a_timer, "left an alarm or timer changed"},
#if defined(__x86_64__)
            {uses_mmx, "left the registers of the x87 or of MMX changed"},
            {a_worker_uses_mmx, "left the registers of the x87 or of MMX changed"},
#endif
            {limits_files, "left the limits of resources changed"},
            {steps_back, "left the priority changed"},
            {stays_on_a_core, "left the cores that it may use changed"},
            {leaves_a_child, "left a child process"},
            {rounds_up, "left the rounding mode or the treatment of denormals changed"},
            {changes_folder, "left the working directory changed"},
            {opens_a_file, "open"},
            {handles_a_signal, "left the handler of signal 12 (User defined signal 2) changed"}};

static int look_at(size_t i) {
    static le__surroundings before;
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (le__pool_open(&pool, 2) != LE_OK)
        return 3;
    le__surroundings_take(&before);
    acts[i].act();
    le_status status = le__surroundings_check(&before, pool, true);
    if (!acts[i].says)
        return status == LE_OK ? 0 : 1;
    bool right = status == LE_ERR_WRONG_RESULT && strstr(le_error_message(), acts[i].says);
    if (!right)
        fprintf(stderr, "expected '%s', got '%s'\n", acts[i].says, le_error_message());
    return right ? 0 : 1;
}

static void each_is_seen(void **state) {
    cpu_set_t s;
    (void)state;
    sched_getaffinity(0, sizeof s, &s);
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        int result = 0;
        bool narrows = acts[i].act == stays_on_a_core || acts[i].act == a_worker_stays_on_a_core;
        bool untold = acts[i].act == makes_a_timer && access("/proc/self/timers", R_OK) != 0;
        if (untold || (narrows && CPU_COUNT(&s) < 2))
            continue;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            _exit(look_at(i));
        assert_int_equal(waitpid(pid, &result, 0), pid);
        if (result)
            fail_msg("change %zu", i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
