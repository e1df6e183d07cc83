/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Ctrl-C: the engine ends what it does at its next tick, so that no half-written file is left and
 * what has been learnt is kept; what does not end soon is left as it is.
 */
#include "run.h"

#include "tool.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static const struct timeval grace = {.tv_usec = 250000};
/* Lock-free, for the handler and for the threads that finish batches. */
static atomic_int came, held;

static void die(int number) {
    (void)number;
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
}

static void on_interrupt(int number) {
    came = number;
    signal(SIGINT, SIG_DFL); /* who is in a hurry presses it twice */
    if (!held)
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value = grace}, NULL);
}

static bool tick(void *unused, double done) {
    (void)unused;
    run_progress_share(done);
    return !run_interrupted();
}

void run_catch_interrupts(void) {
    static const le_tick of_main = {tick, NULL};
    struct sigaction a = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, before;
    sigemptyset(&a.sa_mask);
    le_set_tick(&of_main);
    if (sigaction(SIGINT, NULL, &before) != 0 || before.sa_handler == SIG_IGN)
        return; /* a job in the background */
    signal(SIGALRM, die);
    sigaction(SIGINT, &a, NULL);
}

void run_hold_interrupts(void) {
    held = 1;
}

bool run_interrupt_came(void) {
    return came != 0;
}

void run_release_interrupts(void) {
    held = 0;
}

bool run_interrupted(void) {
    return came && !held;
}

void run_end_by_interrupt(void) {
    if (run_interrupted())
        die(0);
}
