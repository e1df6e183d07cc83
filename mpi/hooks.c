/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Accidents to order.
 */
#include "hooks.h"

#include "liquid_engine/le_method.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double between_ticks_s = 0.05;

static void rest(double seconds) {
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)(1e9 * (seconds - (double)t.tv_sec));
    if (seconds > 0)
        nanosleep(&t, NULL);
}

bool le__hook_equal(void) {
    const char *text = getenv("LE_TEST_CUT");
    return text && !strcmp(text, "equal");
}

double le__hook_grace(double usual) {
    const char *text = getenv("LE_TEST_GRACE");
    return text ? atof(text) : usual;
}

double le__hook_delay(void) {
    const char *text = getenv("LE_TEST_DELAY");
    return text ? atof(text) / 1000 : 0;
}

/* Bits that look random (splitmix64). */
static uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

le_status le__hook_block(int rank, int64_t block) {
    const char *text = getenv("LE_TEST_FAIL");
    unsigned long long seed, each;
    if (text && sscanf(text, "%llu:%llu", &seed, &each) == 2 && each &&
        mixed(mixed(seed) + (uint64_t)block) % each == 0)
        return le_fail(LE_ERR_INTERNAL, "block %lld was made to fail on rank %d", (long long)block,
                       rank);
    return LE_OK;
}

static bool is_time(const char *name, int rank, int64_t items) {
    const char *text = getenv(name);
    int which;
    long long most;
    return text && sscanf(text, "%d:%lld", &which, &most) == 2 && which == rank && items >= most;
}

/* Among survivors a rank may have another number. */
static int first_number(int rank) {
    static int first = -1;
    return first = first < 0 ? rank : first;
}

void le__hook_piece(int rank) {
    static int64_t pieces;
    if (is_time("LE_TEST_DIE_JOINING", first_number(rank), ++pieces))
        raise(SIGKILL);
}

static double slowness(int rank) {
    const char *text = getenv("LE_TEST_SLOW");
    for (int r = 0; text && r < rank; r++) {
        text = strchr(text, ',');
        text = text ? text + 1 : NULL;
    }
    return text ? atof(text) : 1;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void take_longer(double seconds, const le_tick *tick) {
    const double until = now() + seconds;
    for (double left = seconds; left > 0 && (!tick || tick->fn(tick->context, NAN));
         left = until - now())
        rest(fmin(left, between_ticks_s));
}

void le__hook_done(int rank, int64_t items, double seconds, const le_tick *tick) {
    static int64_t all;
    all += items;
    rank = first_number(rank);
    take_longer(seconds * (slowness(rank) - 1), tick);
    if (is_time("LE_TEST_DIE", rank, all))
        raise(SIGKILL);
    while (is_time("LE_TEST_HANG", rank, all))
        pause();
}
