/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A line on the terminal while something takes long: what is done and since when. Nothing is
 * written when stderr is not a terminal, or when all is over within a second.
 */
#include "run.h"

#include "tool.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool running, stopping, shown;
static const char *now_doing, *now_detail;
static double since, share;
static int64_t done_first, done_now, done_all; /* frames; all 0: they are not counted */

static void erase(void) {
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}

static void show_frames(double seconds) {
    const double rate = (double)(done_now - done_first) / seconds;
    if (!done_all)
        return;
    fprintf(stderr, ", %lld of %lld frames", (long long)done_now, (long long)done_all);
    if (rate > 0)
        fprintf(stderr, ", %.3g frames/s, %.0f s left", rate, (double)(done_all - done_now) / rate);
}

static void *show(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!stopping) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += 250000000;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&wake, &mutex, &t);
        double seconds = tool_clock() - since;
        if (!stopping && now_doing && seconds >= 1) {
            fprintf(stderr, "\r\033[K%s %s ... %.0f s", now_doing, now_detail, seconds);
            show_frames(seconds);
            if (!done_all && !isnan(share))
                fprintf(stderr, ", %.0f %%", 100 * share);
            shown = true;
        }
    }
    erase();
    pthread_mutex_unlock(&mutex);
    return unused;
}

void run_progress_start(void) {
    running = isatty(STDERR_FILENO) && pthread_create(&thread, NULL, show, NULL) == 0;
}

void run_progress(const char *what, const char *detail) {
    if (!running)
        return;
    pthread_mutex_lock(&mutex);
    erase();
    now_doing = what;
    now_detail = detail;
    since = tool_clock();
    done_all = 0;
    share = NAN;
    pthread_mutex_unlock(&mutex);
}

void run_progress_share(double done) {
    if (!running)
        return;
    pthread_mutex_lock(&mutex);
    share = done;
    pthread_mutex_unlock(&mutex);
}

void run_progress_count(int64_t done, int64_t all) {
    pthread_mutex_lock(&mutex);
    if (!done_all) {
        done_first = done;
        since = tool_clock();
    }
    done_now = done;
    done_all = all;
    pthread_mutex_unlock(&mutex);
}

void run_progress_stop(void) {
    if (!running)
        return;
    pthread_mutex_lock(&mutex);
    stopping = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    running = false;
}
