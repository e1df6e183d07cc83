/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-bench --rivals OPERATION: the candidate that the engine would choose now and those close to
 * it, timed again in interleaved rounds: how far the choice is from the best.
 */
#include "bench_rivals.h"

#include <math.h>
#include <stdlib.h>

enum { DEFAULT_ROUNDS = 15, LEAST_ROUNDS = 6, MOST_ROUNDS = 1024, TRIES = 2 };
enum { MOST_OF_A_TURN = 25 };

static const double close_enough = 1.5; /* times the choice's time: further ones are no rivals */
static const double brief_s = 1e-3;     /* runs that what came right before them can slow down */
static const double turn_s = 2e-3;      /* of what is brief, in each round */

static bool run_once(bench_target *t, size_t index, double *seconds) {
    le_bench_stats stats = {.struct_size = sizeof stats};
    if (le_bench_run(t->bench, index, &stats) != LE_OK)
        return false;
    *seconds = stats.seconds;
    return true;
}

/* As in steady use: one that is brief runs once more before, and for some time in all, of which the
 * median counts. before: seconds of its last run, 0 when there was none. */
static bool run_steadily(bench_target *t, size_t index, double before, double *seconds) {
    double turn[MOST_OF_A_TURN];
    int n = before > 0 && before < brief_s ? (int)fmin(turn_s / before, MOST_OF_A_TURN) : 1;
    bool ok = before >= brief_s || run_once(t, index, seconds);
    for (int i = 0; i < n && ok; i++)
        ok = run_once(t, index, &turn[i]);
    if (ok)
        *seconds = le_stats_median(turn, (size_t)n);
    return ok;
}

/* The least of a few runs, the first of which warms up; infinite when it fails or is far behind. */
static double try_out(bench_target *t, size_t index, double far) {
    double least = INFINITY, seconds;
    for (int i = 0; i < TRIES + 1 && !bench_interrupted(); i++) {
        if (!run_once(t, index, &seconds))
            return INFINITY;
        least = fmin(least, i > 0 || seconds > 4 * far ? seconds : INFINITY);
        if (seconds > 4 * far)
            break;
    }
    return least;
}

/* The choice first, then those that come close to it. */
static size_t find_rivals(bench_target *t, size_t choice, bench_rival *list) {
    size_t n_candidates, n = 0;
    const le_bench_candidate *c = le_bench_candidates(t->bench, &n_candidates);
    double limit = close_enough * try_out(t, choice, INFINITY);
    list[n++] = (bench_rival){.index = choice, .text = c[choice].text};
    for (size_t i = 0; i < n_candidates && !bench_interrupted(); i++)
        if (i != choice && c[i].applies &&
            !(c[i].implementation->flags & (LE_IMPL_LOSSY | LE_IMPL_REFERENCE)) &&
            try_out(t, i, limit) <= limit)
            list[n++] = (bench_rival){.index = i, .text = c[i].text};
    return n;
}

/* At least LEAST_ROUNDS, and no further one after that moment. */
static bool run_rounds(bench_target *t, bench_rival *list, size_t n, int *rounds, double until,
                       bool quiet) {
    bench_progress p;
    bool ok = true;
    int all = *rounds;
    bench_progress_begin(&p, (size_t)all, quiet);
    for (int round = 0; round < all && ok && !bench_interrupted(); round++) {
        if (round >= LEAST_ROUNDS && tool_clock() > until)
            break;
        for (size_t k = 0; k < n && ok && !bench_interrupted(); k++) {
            size_t place = round % 2 ? n - 1 - k : k; /* each comes after many of the others */
            bench_rival *r = &list[(place + (size_t)round) % n];
            bench_progress_show(&p, (size_t)round, r->text, 0, 0);
            ok = run_steadily(t, r->index, r->seconds[round ? round - 1 : 0], &r->seconds[round]);
        }
        *rounds = round + 1;
    }
    bench_progress_end(&p);
    if (!ok)
        bench_say_error();
    return ok && !bench_interrupted();
}

static int by_median(const void *x, const void *y) {
    double a = ((const bench_rival *)x)->median, b = ((const bench_rival *)y)->median;
    return (a > b) - (a < b);
}

static void print_rivals(const bench_target *t, bench_rival *list, size_t n, int rounds) {
    char a[LE__TEXT];
    size_t choice = list[0].index;
    double chosen = list[0].median;
    qsort(list, n, sizeof *list, by_median);
    printf("%s  %s\n", t->operation, le_bench_problem(t->bench));
    for (size_t i = 0; i < n; i++)
        printf("%c %-56s %9s  %+.1f %%\n", list[i].index == choice ? '*' : ' ', list[i].text,
               le__seconds_text(list[i].median, a), 100 * (list[i].median / chosen - 1));
    printf("the choice (*) takes %.1f %% more than the best of %zu, medians of %d interleaved "
           "runs\n",
           100 * (chosen / list[0].median - 1), n, rounds);
}

bool bench_rivals_run(bench_target *t, int *rounds, double until, bool quiet, bench_rival **list,
                      size_t *n) {
    size_t choice, all;
    *n = 0;
    *list = NULL;
    if (!bench_target_find(t, NULL, &choice))
        return false;
    le_bench_candidates(t->bench, &all);
    *list = calloc(all + 1, sizeof **list);
    if (*list)
        *n = find_rivals(t, choice, *list);
    bool ok = *n > 0;
    for (size_t i = 0; i < *n && ok; i++)
        ok = ((*list)[i].seconds = calloc((size_t)*rounds, sizeof(double))) != NULL;
    ok = ok && run_rounds(t, *list, *n, rounds, until, quiet);
    for (size_t i = 0; i < *n && ok; i++)
        (*list)[i].median = le_stats_median((*list)[i].seconds, (size_t)*rounds);
    return ok;
}

void bench_rivals_free(bench_rival *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        free(list[i].seconds);
    free(list);
}

/* How many times the seconds of b those of a are, round by round: a machine that is slow for a
 * while is slow for both. */
static double ratio_of(const bench_rival *a, const bench_rival *b, int rounds, int first, int step) {
    double some[MOST_ROUNDS];
    size_t n = 0;
    for (int i = first; i < rounds && n < MOST_ROUNDS; i += step)
        some[n++] = a->seconds[i] / b->seconds[i];
    return le_stats_median(some, n);
}

static const bench_rival *best_by(const bench_rival *list, size_t n, int rounds, int first, int step) {
    const bench_rival *best = list;
    for (size_t i = 1; i < n; i++)
        if (ratio_of(&list[i], list, rounds, first, step) < ratio_of(best, list, rounds, first, step))
            best = &list[i];
    return best;
}

/* The best by half of the rounds: the other half knows nothing of that. */
double bench_rivals_above(const bench_rival *list, size_t n, int rounds, size_t which) {
    double sum = 0;
    for (int half = 0; half < 2; half++)
        sum += ratio_of(&list[which], best_by(list, n, rounds, half, 2), rounds, 1 - half, 2) - 1;
    return sum / 2;
}

size_t bench_rivals_best(const bench_rival *list, size_t n, int rounds) {
    return best_by(list, n, rounds, 0, 1)->index;
}

double bench_rivals_fastest(bench_target *t) {
    size_t n;
    double best = INFINITY;
    const le_bench_candidate *c = le_bench_candidates(t->bench, &n);
    for (size_t i = 0; i < n && !bench_interrupted(); i++)
        if (c[i].applies && !(c[i].implementation->flags & (LE_IMPL_LOSSY | LE_IMPL_REFERENCE)))
            best = fmin(best, try_out(t, i, best));
    return best;
}

int bench_rivals(const bench_settings *s) {
    int rounds = s->repeat > 0 ? s->repeat : DEFAULT_ROUNDS;
    bench_target t;
    bench_rival *list;
    size_t n;
    int status = bench_target_ask(&t, s, s->operations[0]);
    if (status == TOOL_OK) {
        bench_catch_interrupts();
        bool ok = bench_rivals_run(&t, &rounds, INFINITY, s->quiet, &list, &n);
        if (ok)
            print_rivals(&t, list, n, rounds);
        bench_rivals_free(list, n);
        bench_target_close(&t);
        status = ok ? TOOL_OK : TOOL_FAILED;
    }
    return status;
}
