/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-bench --time CANDIDATE --problem TEXT OPERATION: times one candidate again, past the engine's
 * choosing. This is what le-report --reproduce prints.
 */
#include "bench_target.h"

#include <math.h>
#include <stdlib.h>

enum { WARM_UP = 1, DEFAULT_RUNS = 10 };

static void print_summary(const bench_target *t, const char *candidate, const double *x, int n) {
    char a[LE__TEXT], b[LE__TEXT], c[LE__TEXT];
    le_moments m = {0};
    double low = NAN, high = NAN;
    for (int i = 0; i < n; i++)
        le_moments_add(&m, log(x[i]));
    le_moments_interval(&m, 0.9, &low, &high);
    printf("%s  %s\n  %s\n  %d runs: mean %s", t->operation, le_bench_problem(t->bench), candidate,
           n, le__seconds_text(exp(m.mean), a));
    if (n > 1)
        printf(" (90 %%: %s .. %s)", le__seconds_text(exp(low), b), le__seconds_text(exp(high), c));
    printf(", median %s, least %s\n", le__seconds_text(le_stats_median(x, (size_t)n), a),
           le__seconds_text(le_stats_quantile(x, (size_t)n, 0), b));
}

static bool time_runs(bench_target *t, size_t index, double *x, int n) {
    for (int i = -WARM_UP; i < n && !bench_interrupted(); i++) {
        le_bench_stats stats = {.struct_size = sizeof stats};
        if (le_bench_run(t->bench, index, &stats) != LE_OK) {
            bench_say_error();
            return false;
        }
        if (i >= 0)
            x[i] = stats.seconds;
    }
    return !bench_interrupted();
}

int bench_time(const bench_settings *s) {
    int n = s->repeat > 0 ? s->repeat : DEFAULT_RUNS;
    double *x = calloc((size_t)n, sizeof *x);
    bench_target t;
    size_t index, count;
    int status = x ? bench_target_ask(&t, s, s->operations[0]) : TOOL_FAILED;
    if (status == TOOL_OK) {
        bool ok = bench_target_find(&t, s->candidate, &index) && time_runs(&t, index, x, n);
        if (ok)
            print_summary(&t, le_bench_candidates(t.bench, &count)[index].text, x, n);
        bench_target_close(&t);
        status = ok ? TOOL_OK : TOOL_FAILED;
    }
    free(x);
    return status;
}
