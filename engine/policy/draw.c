/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Draws from a trace's samples and models.
 */
#include "policy/draw.h"

#include "stats.h"

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586

typedef struct sequence {
    int *order;      /* of the samples from index 1 on; NULL until the second run */
    long runs;
    uint64_t random;
} sequence;

struct le__draw {
    const le__trace *trace;
    sequence *sequences; /* [problem][candidate] */
};

/* In (0, 1). */
static double uniform(uint64_t *state) {
    return ((double)(le_stats_random(state) >> 11) + 0.5) * 0x1p-53;
}

static int count(const le__trace *t) {
    return t->n_problems * t->n_candidates;
}

le__draw *le__draw_new(const le__trace *trace, uint64_t seed) {
    le__draw *draw = calloc(1, sizeof *draw);
    int n = count(trace);
    if (!draw)
        return NULL;
    draw->trace = trace;
    draw->sequences = calloc((size_t)(n ? n : 1), sizeof *draw->sequences);
    if (!draw->sequences) {
        free(draw);
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        uint64_t mixed = seed;
        mixed = le_stats_random(&mixed) + (uint64_t)i;
        draw->sequences[i].random = le_stats_random(&mixed);
    }
    return draw;
}

void le__draw_free(le__draw *draw) {
    if (!draw)
        return;
    for (int i = 0; i < count(draw->trace); i++)
        free(draw->sequences[i].order);
    free(draw->sequences);
    free(draw);
}

/* Fisher and Yates. Without memory the samples come as they were recorded. */
static void shuffle(sequence *s, int n) {
    s->order = malloc((size_t)n * sizeof *s->order);
    if (!s->order)
        return;
    for (int i = 0; i < n; i++) {
        int k = (int)(le_stats_random(&s->random) % ((uint64_t)i + 1));
        s->order[i] = s->order[k];
        s->order[k] = i + 1;
    }
}

static double recorded(sequence *s, const le__trace_series *series, bool *cold) {
    long k = s->runs++;
    *cold = k == 0;
    if (k == 0 || series->n < 2)
        return series->seconds[0];
    if (!s->order)
        shuffle(s, series->n - 1);
    int at = (int)((k - 1) % (series->n - 1));
    return series->seconds[s->order ? s->order[at] : at + 1];
}

double le__draw_next(le__draw *draw, int problem, int candidate, bool *cold) {
    const le__trace *t = draw->trace;
    sequence *s = &draw->sequences[problem * t->n_candidates + candidate];
    const le__trace_series *series = &t->series[problem * t->n_candidates + candidate];
    if (series->n > 0)
        return recorded(s, series, cold);
    double var = log1p(t->models[candidate].cv * t->models[candidate].cv);
    double u = uniform(&s->random), v = uniform(&s->random);
    double normal = sqrt(-2.0 * log(u)) * cos(TWO_PI * v);
    *cold = false;
    return le__trace_truth(t, problem, candidate) * exp(sqrt(var) * normal - 0.5 * var);
}
