/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Children for trials. Compiled with exceptions, which the cleanup below is to see.
 */
#include "trial/child.h"

#include "core/os.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(void) {
    _exit(0);
}

static void end_thread(void *unused) {
    (void)unused;
    end();
}

/* A handler that does what SIG_DFL does: an implementation that sets SIG_DFL or SIG_IGN leaves a
 * trace. */
static void die_of(int number) {
    signal(number, SIG_DFL);
    raise(number); /* delivered on return */
}

static void reset_signals(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};
    struct sigaction interrupt = {.sa_handler = die_of};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    sigemptyset(&interrupt.sa_mask);
    sigaction(SIGINT, &interrupt, NULL);
}

/* Handlers run from the last one on, before the program's and before its files are written. */
static void end_early(void) {
    atexit(end);
    at_quick_exit(end);
    le__os_forget_output();
}

noreturn void le__trial_child(void (*run)(void *context), void *context) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    setpgid(0, 0); /* signals to it are not for the program, and a terminal's not for it */
    reset_signals();
    le__os_end_with_parent();
    le__os_adopt_orphans();
    end_early();
    pthread_cleanup_push(end_thread, NULL);
    run(context);
    pthread_cleanup_pop(0);
    _exit(0);
}

/* Its number stays its group's until it is waited for. */
bool le__trial_child_ended(pid_t pid, int *state) {
    siginfo_t info = {.si_pid = 0};
    int got = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
    if (got == 0 && info.si_pid != pid)
        return false;
    if (got == 0)
        kill(-pid, SIGKILL);
    waitpid(pid, state, 0);
    return true;
}

void le__trial_child_tell_end(int state, char *text, size_t size) {
    if (WIFSIGNALED(state))
        snprintf(text, size, "crashed with signal %d (%s)", WTERMSIG(state),
                 strsignal(WTERMSIG(state)));
    else
        snprintf(text, size, "ended the process");
}
