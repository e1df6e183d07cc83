/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How le-bench ends before it is done, and what it leaves behind then: nothing.
 */
#include "bench.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRACE_S = 5, INTERRUPTED = 130 };

static volatile sig_atomic_t interrupted;
static le_engine *_Atomic racing;

/* --- a database for a while --- */

static const char *const endings[] = {"", "-wal", "-shm"};
enum { FILES = sizeof endings / sizeof *endings };

static char scratch[PATH_MAX], files[FILES][PATH_MAX + 32]; /* written before there is an owner */
static volatile pid_t owner; /* 0: there is none; not a child of a trial */

const char *bench_scratch_begin(void) {
    const char *tmp = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/le-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(scratch)) {
        tool_message("%s: cannot be made: %s", scratch, strerror(errno));
        return NULL;
    }
    for (int i = 0; i < FILES; i++)
        snprintf(files[i], sizeof files[i], "%s/db.sqlite3%s", scratch, endings[i]);
    owner = getpid();
    return files[0];
}

/* Safe in a signal handler. */
void bench_scratch_end(void) {
    if (owner != getpid())
        return;
    owner = 0;
    for (int i = 0; i < FILES; i++)
        unlink(files[i]);
    rmdir(scratch);
}

/* --- interrupts --- */

/* What was measured is committed by the database's thread within a fraction of a second, so leaving
 * in the middle of a call loses that call only. */
static void leave(int number) {
    (void)number;
    bench_scratch_end();
    _exit(INTERRUPTED);
}

static void on_interrupt(int number) {
    if (interrupted)
        leave(number);
    interrupted = number;
    le_engine *engine = racing;
    if (engine)
        le_bench_limit_races(engine, 0);
    signal(SIGALRM, leave);
    alarm(GRACE_S);
}

void bench_catch_interrupts(void) {
    struct sigaction a = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &a, NULL);
}

void bench_end_races_of(le_engine *engine) {
    racing = engine;
    if (engine && interrupted) /* before the handler could see it */
        le_bench_limit_races(engine, 0);
}

static bool goes_on(void *unused, double done) {
    (void)unused;
    (void)done;
    return !interrupted;
}

void bench_end_calls(void) {
    static const le_tick tick = {goes_on, NULL};
    le_set_tick(&tick);
}

bool bench_interrupted(void) {
    return interrupted != 0;
}

int bench_status(int status) {
    return interrupted ? INTERRUPTED : status;
}
