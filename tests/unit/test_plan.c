/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The planner against exhaustive enumeration on random chains and small graphs, and against plans
 * worked out by hand. The enumeration relaxes a dense table of all states until nothing changes; it
 * shares no code and no short cut with the planner.
 */
#include "chain/plan.h"
#include "core/sanitizer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { P = 3, MAX_STEPS = 8, MAX_VALUES = 12, MAX_WAYS = 64, MAX_LIVE = 4 };

typedef struct instance {
    le__plan_problem problem;
    le__plan_value values[MAX_VALUES];
    le__plan_way ways[MAX_WAYS];
    double transfer[MAX_VALUES * P * P];
    int lists[2 * MAX_WAYS][MAX_VALUES];
} instance;

static uint64_t random_state;

static uint64_t draw(void) { /* splitmix64 (Steele, Lea, Flood 2014) */
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int below(int n) {
    return (int)(draw() % (uint64_t)n);
}

static double uniform(void) {
    return (double)(draw() >> 11) * 0x1p-53;
}

/* ------------------------------------------------------------------- exhaustive enumeration -- */

/* A state between two steps: the mask of each value that is alive there, in base 8. */
typedef struct table {
    int live[MAX_VALUES], n;
    double *cost;
    int size;
} table;

static int last_use(const le__plan_problem *p, int v) {
    int last = -1;
    for (int w = 0; w < p->n_ways; w++)
        for (int i = 0; i < p->ways[w].n_reads + p->ways[w].n_writes; i++) {
            int u = i < p->ways[w].n_reads ? p->ways[w].reads[i]
                                           : p->ways[w].writes[i - p->ways[w].n_reads];
            if (u == v && p->ways[w].first + p->ways[w].count - 1 > last)
                last = p->ways[w].first + p->ways[w].count - 1;
        }
    return last;
}

static int first_write(const le__plan_problem *p, int v) {
    int first = p->values[v].pinned ? 0 : p->n_steps;
    for (int w = 0; w < p->n_ways; w++)
        for (int i = 0; i < p->ways[w].n_writes; i++)
            if (p->ways[w].writes[i] == v && p->ways[w].first + 1 < first)
                first = p->ways[w].first + 1;
    return first;
}

static void unpack(const table *t, int state, int *masks) {
    for (int v = 0; v < MAX_VALUES; v++)
        masks[v] = 0;
    for (int i = 0; i < t->n; i++, state /= 8)
        masks[t->live[i]] = state % 8;
}

static int pack(const table *t, const int *masks) {
    int state = 0;
    for (int i = t->n - 1; i >= 0; i--)
        state = 8 * state + masks[t->live[i]];
    return state;
}

static bool within(const le__plan_problem *p, const int *masks, int place, int64_t more) {
    for (int v = 0; v < p->n_values; v++)
        if (masks[v] >> place & 1 && !((p->values[v].pinned | p->values[v].wanted) >> place & 1))
            more += p->values[v].bytes;
    return p->limit[place] == 0 || more <= p->limit[place];
}

static bool improve(table *t, const int *masks, double cost) {
    int state = pack(t, masks);
    if (!(cost < t->cost[state]))
        return false;
    t->cost[state] = cost;
    return true;
}

static bool relax_moves(const le__plan_problem *p, table *t, int state) {
    int masks[MAX_VALUES];
    bool changed = false;
    double cost = t->cost[state];
    for (int i = 0; i < t->n; i++)
        for (int place = 0; place < P; place++) {
            int v = t->live[i];
            unpack(t, state, masks);
            if (masks[v] >> place & 1) { /* drop it */
                masks[v] &= ~(1 << place);
                if (masks[v] && !(p->values[v].pinned >> place & 1))
                    changed = improve(t, masks, cost) || changed;
                continue;
            }
            for (int from = 0; from < P; from++) { /* copy it */
                unpack(t, state, masks);
                double seconds = p->transfer[(v * P + from) * P + place];
                bool is_there = masks[v] >> from & 1;
                masks[v] |= 1 << place;
                if (is_there && within(p, masks, place, 0))
                    changed = improve(t, masks, cost + seconds) || changed;
            }
        }
    return changed;
}

static void run_ways(const le__plan_problem *p, table *tables, int boundary, int state) {
    for (int w = 0; w < p->n_ways; w++) {
        const le__plan_way *way = &p->ways[w];
        int masks[MAX_VALUES], during[MAX_VALUES], end = boundary + way->count;
        double cost = tables[boundary].cost[state] + way->seconds;
        bool possible = way->first == boundary;
        unpack(&tables[boundary], state, masks);
        memcpy(during, masks, sizeof during);
        for (int i = 0; i < way->n_reads; i++)
            possible = possible && masks[way->reads[i]] >> way->place & 1;
        for (int i = 0; i < way->n_writes; i++) {
            masks[way->writes[i]] = 1 << way->place;
            during[way->writes[i]] |= 1 << way->place;
        }
        if (!possible || !within(p, during, way->place, way->memory))
            continue;
        for (int v = 0; v < p->n_values; v++) {
            int last = last_use(p, v);
            if (last < boundary || last >= end || !p->values[v].wanted)
                continue;
            double best = INFINITY;
            for (int from = 0; from < P; from++)
                for (int to = 0; to < P; to++)
                    if (masks[v] >> from & 1 && p->values[v].wanted >> to & 1) {
                        double seconds = from == to ? 0 : p->transfer[(v * P + from) * P + to];
                        best = seconds < best ? seconds : best;
                    }
            cost += best;
        }
        improve(&tables[end], masks, cost);
    }
}

static double enumerate(const le__plan_problem *p) {
    table tables[MAX_STEPS + 1];
    int masks[MAX_VALUES] = {0};
    for (int b = 0; b <= p->n_steps; b++) {
        tables[b].n = 0;
        for (int v = 0; v < p->n_values; v++)
            if (first_write(p, v) <= b && last_use(p, v) >= b)
                tables[b].live[tables[b].n++] = v;
        tables[b].size = 1 << (3 * tables[b].n);
        tables[b].cost = malloc((size_t)tables[b].size * sizeof(double));
        for (int i = 0; i < tables[b].size; i++)
            tables[b].cost[i] = INFINITY;
    }
    for (int v = 0; v < p->n_values; v++)
        masks[v] = p->values[v].pinned;
    improve(&tables[0], masks, 0);
    for (int b = 0; b < p->n_steps; b++) {
        for (bool changed = true; changed;) {
            changed = false;
            for (int s = 0; s < tables[b].size; s++)
                if (isfinite(tables[b].cost[s]))
                    changed = relax_moves(p, &tables[b], s) || changed;
        }
        for (int s = 0; s < tables[b].size; s++)
            if (isfinite(tables[b].cost[s]))
                run_ways(p, tables, b, s);
    }
    double best = tables[p->n_steps].cost[0];
    for (int b = 0; b <= p->n_steps; b++)
        free(tables[b].cost);
    return best;
}

/* --------------------------------------------------------------------------- random problems -- */

static void add_way(instance *in, int first, int count, const int *reads, int n_reads,
                    const int *writes, int n_writes) {
    int w = in->problem.n_ways++;
    memcpy(in->lists[2 * w], reads, (size_t)n_reads * sizeof *reads);
    memcpy(in->lists[2 * w + 1], writes, (size_t)n_writes * sizeof *writes);
    in->ways[w] = (le__plan_way){.first = first,
                                 .count = count,
                                 .place = below(P),
                                 .seconds = 10 * uniform() * count,
                                 .memory = below(3) ? 0 : below(40),
                                 .reads = in->lists[2 * w],
                                 .n_reads = n_reads,
                                 .writes = in->lists[2 * w + 1],
                                 .n_writes = n_writes};
}

/* Steps 0..n-1; step i writes value inputs + i and reads one to three earlier ones. */
static void add_steps(instance *in, int inputs, bool chain) {
    le__plan_problem *p = &in->problem;
    int reads[MAX_STEPS][3], n_reads[MAX_STEPS];
    for (int i = 0; i < p->n_steps; i++) {
        int newest = inputs + i - 1, written = inputs + i;
        n_reads[i] = 1;
        reads[i][0] = newest;
        while (!chain && n_reads[i] < 3 && below(3) == 0)
            reads[i][n_reads[i]++] = below(newest + 1);
        for (int k = 1 + below(3); k > 0; k--)
            add_way(in, i, 1, reads[i], n_reads[i], &written, 1);
    }
    for (int i = 0; i + 1 < p->n_steps;
         i++) { /* fused: the first's reads, the second's other reads */
        int fused[6], n = 0, written[2] = {inputs + i + 1, inputs + i};
        if (below(3))
            continue;
        for (int k = 0; k < n_reads[i]; k++)
            fused[n++] = reads[i][k];
        for (int k = 0; k < n_reads[i + 1]; k++)
            if (reads[i + 1][k] != inputs + i)
                fused[n++] = reads[i + 1][k];
        add_way(in, i, 2, fused, n, written, 1 + below(2));
    }
}

static bool small_enough(const le__plan_problem *p) {
    for (int b = 0; b <= p->n_steps; b++) {
        int live = 0;
        for (int v = 0; v < p->n_values; v++)
            live += first_write(p, v) <= b && last_use(p, v) >= b;
        if (live > MAX_LIVE)
            return false;
    }
    return true;
}

static void make_random(instance *in) {
    do {
        le__plan_problem *p = &in->problem;
        int inputs = 1 + below(2);
        *p = (le__plan_problem){.n_places = P, .n_steps = 2 + below(MAX_STEPS - 1)};
        p->n_values = inputs + p->n_steps;
        p->values = in->values;
        p->ways = in->ways;
        p->transfer = in->transfer;
        for (int v = 0; v < p->n_values; v++)
            in->values[v] = (le__plan_value){.bytes = 1 + below(100),
                                             .pinned = (uint8_t)(v < inputs ? 1 + below(2) : 0)};
        for (int v = inputs; v < p->n_values; v++)
            if (v == p->n_values - 1 || below(8) == 0)
                in->values[v].wanted = (uint8_t)(1 + below(7));
        for (int i = 0; i < p->n_values * P * P; i++)
            in->transfer[i] = below(20) ? 5 * uniform() : INFINITY;
        if (below(2))
            for (int place = 0; place < P; place++)
                p->limit[place] = below(2) ? 60 + below(200) : 0;
        add_steps(in, inputs, below(2) == 0);
    } while (!small_enough(&in->problem));
}

/* The cost of the plan's own list of ways and moves, by carrying it out; -1 when it breaks a rule.
 */
static double carry_out(const le__plan_problem *p, const le__plan *plan) {
    int masks[MAX_VALUES], move = 0, done = 0;
    double cost = 0;
    for (int v = 0; v < p->n_values; v++)
        masks[v] = p->values[v].pinned;
    for (int k = 0; k <= plan->n_ways; k++) {
        for (; move < plan->n_moves && plan->moves[move].before == k; move++) {
            const le__plan_move *m = &plan->moves[move];
            if (!(masks[m->value] >> m->from & 1))
                return -1;
            if (m->to < 0)
                masks[m->value] &= ~(1 << m->from);
            else
                cost += p->transfer[(m->value * P + m->from) * P + m->to];
            masks[m->value] |= m->to < 0 ? 0 : 1 << m->to;
            if (!masks[m->value])
                return -1;
        }
        if (k == plan->n_ways)
            break;
        const le__plan_way *w = &p->ways[plan->ways[k]];
        for (int i = 0; i < w->n_reads; i++)
            if (!(masks[w->reads[i]] >> w->place & 1))
                return -1;
        if (w->first != done)
            return -1;
        done += w->count;
        cost += w->seconds;
        for (int i = 0; i < w->n_writes; i++)
            masks[w->writes[i]] = 1 << w->place;
    }
    for (int v = 0; v < p->n_values; v++)
        if (p->values[v].wanted && !(masks[v] & p->values[v].wanted))
            return -1;
    return done == p->n_steps ? cost : -1;
}

static int rounds(void) {
    return LE__SANITIZED ? 500 : 10000;
}

static void equals_enumeration(void **state) {
    (void)state;
    const char *given = getenv("LE_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    int possible = 0, limited = 0;
    print_message("seed %llu (LE_TEST_SEED)\n", (unsigned long long)seed);
    static instance in;
    for (int i = 0; i < rounds(); i++) {
        le__plan plan;
        random_state = seed * 1000003u + (uint64_t)i;
        make_random(&in);
        double expected = enumerate(&in.problem);
        le__plan_status status = le__plan_solve(&in.problem, &plan);
        if ((status == LE__PLAN_OK) != (isfinite(expected) != 0))
            fail_msg("problem %d: status %d, enumeration %g", i, (int)status, expected);
        if (status != LE__PLAN_OK)
            continue;
        possible++;
        limited += in.problem.limit[0] || in.problem.limit[1] || in.problem.limit[2];
        if (!(fabs(plan.seconds - expected) <= 1e-9 * (1 + expected)) || !plan.exact)
            fail_msg("problem %d: planned %.12g, enumeration %.12g", i, plan.seconds, expected);
        double cost = carry_out(&in.problem, &plan);
        if (!(fabs(cost - expected) <= 1e-9 * (1 + expected)))
            fail_msg("problem %d: carried out %.12g, enumeration %.12g", i, cost, expected);
        for (int place = 0; place < P; place++)
            if (in.problem.limit[place] && plan.peak[place] > in.problem.limit[place])
                fail_msg("problem %d: limit of place %d is broken", i, place);
        le__plan_free(&plan);
    }
    print_message("%d problems, %d possible, %d of them with limits\n", rounds(), possible,
                  limited);
    assert_true(possible > rounds() / 2 && limited > rounds() / 10);
}

/* --------------------------------------------------------------------------------- by hand --- */

/* Two steps that are faster on the device, data on the host: 1+1 s on the host, .1+.1 on the
 * device. */
static void stays_on_the_device(void **state) {
    (void)state;
    enum { IN, MID, OUT };
    const int in[] = {IN}, mid[] = {MID}, out[] = {OUT};
    double transfer[3 * 2 * 2];
    for (int i = 0; i < 12; i++)
        transfer[i] = 0.5;
    const le__plan_value values[] = {{100, 1, 0}, {100, 0, 0}, {100, 0, 1}};
    const le__plan_way ways[] = {{0, 1, 0, 1, 0, in, mid, 1, 1},
                                 {0, 1, 1, 0.1, 0, in, mid, 1, 1},
                                 {1, 1, 0, 1, 0, mid, out, 1, 1},
                                 {1, 1, 1, 0.1, 0, mid, out, 1, 1}};
    le__plan_problem p = {2, 3, 2, 4, values, ways, transfer, {0}};
    le__plan plan;
    assert_int_equal(le__plan_solve(&p, &plan), LE__PLAN_OK);
    assert_true(fabs(plan.seconds - 1.2) < 1e-12);
    assert_int_equal(plan.n_moves, 2);
    assert_int_equal(plan.ways[0], 1);
    assert_int_equal(plan.ways[1], 3);
    assert_int_equal(plan.peak[1], 200); /* IN ends where OUT begins */
    le__plan_free(&plan);
    p.limit[1] = 200;
    assert_int_equal(le__plan_solve(&p, &plan), LE__PLAN_OK);
    assert_true(fabs(plan.seconds - 1.2) < 1e-12);
    le__plan_free(&plan);
    p.limit[1] = 199; /* too little for any step */
    assert_int_equal(le__plan_solve(&p, &plan), LE__PLAN_OK);
    assert_true(fabs(plan.seconds - 2) < 1e-12);
    le__plan_free(&plan);
}

static void nothing_fits(void **state) {
    (void)state;
    const int in[] = {0}, out[] = {1};
    const double transfer[4] = {0};
    const le__plan_value values[] = {{100, 1, 0}, {100, 0, 1}};
    const le__plan_way ways[] = {{0, 1, 0, 1, 500, in, out, 1, 1}};
    le__plan_problem p = {1, 2, 1, 1, values, ways, transfer, {499}};
    le__plan plan;
    assert_int_equal(le__plan_solve(&p, &plan), LE__PLAN_IMPOSSIBLE);
    p.limit[0] = 500; /* both values are the caller's memory there */
    assert_int_equal(le__plan_solve(&p, &plan), LE__PLAN_OK);
    assert_int_equal(plan.peak[0], 500);
    le__plan_free(&plan);
}

/* Steps alternate between the places, the data always on the other one: each step is a transfer and
 * a run. Every tenth step's value is an output that is wanted on the host. Values of steps are
 * alive for two steps, so neither time nor memory may grow with their number at each step. */
static void long_chains(void **state) {
    (void)state;
    enum { STEPS = 50000, OUTPUTS = STEPS / 10 };
    static le__plan_value values[STEPS + 1];
    static le__plan_way ways[STEPS];
    static int numbers[STEPS + 1];
    double *transfer = malloc((STEPS + 1) * 4 * sizeof *transfer);
    for (int i = 0; i < (STEPS + 1) * 4; i++)
        transfer[i] = 0.25;
    for (int i = 0; i <= STEPS; i++) {
        numbers[i] = i;
        values[i] = (le__plan_value){.bytes = 100, .wanted = i % 10 == 0};
    }
    values[0].pinned = 1;
    for (int i = 0; i < STEPS; i++)
        ways[i] = (le__plan_way){i, 1, 1 - i % 2, 0.5, 0, &numbers[i], &numbers[i + 1], 1, 1};
    le__plan_problem p = {2, STEPS + 1, STEPS, STEPS, values, ways, transfer, {0, 1000}};
    le__plan plan;
    assert_int_equal(le__plan_solve(&p, &plan), LE__PLAN_OK);
    assert_true(plan.exact);
    assert_int_equal(plan.n_ways, STEPS);
    /* Outputs are written on the host: steps of odd numbers run there. */
    assert_int_equal(plan.n_moves, STEPS);
    assert_true(fabs(plan.seconds - 0.75 * STEPS) < 1e-6);
    assert_int_equal(plan.peak[0], 200); /* a copy to read from and what is written */
    assert_int_equal(plan.peak[1], 200);
    le__plan_free(&plan);
    free(transfer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_on_the_device),
        cmocka_unit_test(nothing_fits),
        cmocka_unit_test(equals_enumeration),
        cmocka_unit_test(long_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
