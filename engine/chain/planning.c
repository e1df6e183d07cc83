/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where the steps of a chain run: the planner's problem made of surveys and transfer times, solved,
 * and the plan kept for further runs of the same chain on the same shapes.
 */
#include "chain/state.h"

#include "core/tick.h"
#include "call/candidate.h"
#include "chain/plan.h"
#include "call/storage.h"
#include "trial/discover.h"
#include "trial/trial_server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A plan in use stays unless another one is faster by this factor. */
static const double margin = 1.02;
static const double discover_after_s = 2; /* answered by chains before learning opens OpenCL */

typedef struct planner {
    le_chain *chain;
    const le_tensor *tensors;
    le__survey *surveys;
    le__device *devices[LE__PLAN_MAX_PLACES]; /* places; 0 is the host */
    int n_places;
    int *pieces;       /* by value: the planner's value of it, -1: none */
    int *piece_values; /* by planner value: the chain's value */
    int *newest;       /* by root: the planner value that was made last, -1: none */
    int *older;        /* by planner value: the one before it with the same root, -1: none */
    int *n_pieces;     /* by root */
    le__plan_value *values;
    le__plan_way *ways;
    int **lists; /* by step: what it reads and writes */
    double *transfer;
    le__plan_problem problem;
} planner;

/* --- where inputs are --- */

static uint32_t places_of(const planner *p, int root) {
    uint32_t places = 0, at = 1;
    if (p->tensors && p->tensors[root].storage)
        at = le__storage_places(p->tensors[root].storage, p->chain->engine);
    for (int i = 0; i < p->n_places; i++)
        places |= (at >> p->devices[i]->index & 1) << i;
    return places ? places : 1;
}

/* 0: all on the host. */
static uint64_t inputs_of(const planner *p) {
    uint64_t h = 0;
    bool host = true;
    for (int i = 0; i < p->chain->n_values; i++) {
        const le__chain_value *v = &p->chain->values[i];
        if (v->root != i || v->role == LE__VALUE_TEMP)
            continue;
        uint32_t places = places_of(p, i);
        h = h * 31 + places; /* few places, few inputs: no more than a number for them */
        host = host && places == 1;
    }
    return host ? 0 : h + 1;
}

/* --- the planner's problem --- */

static bool may_measure(const planner *p) {
    le_mode mode = p->chain->want.mode;
    return !p->chain->only_look && (mode == LE_MODE_LEARN || mode == LE_MODE_MEASURE);
}

/* Place 0 is always the host: values come from there and go there. */
static void find_places(planner *p) {
    le_engine *e = p->chain->engine;
    p->devices[0] = &e->devices[0];
    p->n_places = 1;
    for (int d = 1; d < e->n_devices && p->n_places < LE__PLAN_MAX_PLACES; d++)
        if (le__device_wanted(&e->devices[d], &p->chain->want) && !atomic_load(&e->devices[d].lost))
            p->devices[p->n_places++] = &e->devices[d];
}

/* That memory is to be made for. */
static int64_t bytes_of(const le__chain_value *v) {
    return v->dynamic ? v->room_bytes : le__tensor_size(&v->shape);
}

static void add_piece(planner *p, int value) {
    const le_chain *c = p->chain;
    const le__chain_value *v = &c->values[value], *root = &c->values[v->root];
    bool from_outside = root->role == LE__VALUE_INPUT || root->role == LE__VALUE_CONSTANT;
    int n = p->problem.n_values++;
    unsigned everywhere = (1u << p->n_places) - 1;
    p->pieces[value] = n;
    p->piece_values[n] = value;
    p->older[n] = p->newest[v->root];
    p->newest[v->root] = n;
    p->n_pieces[v->root]++;
    p->values[n] = (le__plan_value){.bytes = bytes_of(v),
                                    .pinned = (uint8_t)(from_outside ? places_of(p, v->root) : 0),
                                    .wanted = (uint8_t)(!root->output                   ? 0
                                                        : p->chain->want.keep_on_device ? everywhere
                                                                                        : 1)};
}

/* Values from outside are whole; the others in the pieces that steps write. */
static void find_pieces(planner *p) {
    const le_chain *c = p->chain;
    for (int i = 0; i < c->n_values; i++)
        p->pieces[i] = p->newest[i] = -1;
    for (int i = 0; i < c->n_values; i++) {
        const le__chain_value *v = &c->values[i];
        if (v->root == i && (v->role == LE__VALUE_INPUT || v->role == LE__VALUE_CONSTANT))
            add_piece(p, i);
    }
    for (int s = 0; s < c->n_steps; s++)
        for (size_t a = 0; a < c->steps[s]->entry->operation->n_args; a++) {
            int v = c->steps[s]->values[a];
            if (v >= 0 && c->steps[s]->entry->operation->args[a].type == LE_TYPE_OUT &&
                p->pieces[v] < 0)
                add_piece(p, v);
        }
}

static int read_pieces(const planner *p, int value, int *out) {
    int n = 0;
    if (p->pieces[value] >= 0) {
        out[n++] = p->pieces[value];
        return n;
    }
    for (int i = p->newest[p->chain->values[value].root]; i >= 0; i = p->older[i])
        if (le__values_overlap(p->chain, value, p->piece_values[i]))
            out[n++] = i;
    return n;
}

/* false when out of memory */
static bool add_ways(planner *p, int step) {
    const le__chain_step *s = p->chain->steps[step];
    int n_reads = 0, n_writes = 0, writes_at = LE_MAX_ARGS * 2;
    for (size_t a = 0; a < s->entry->operation->n_args; a++)
        if (s->values[a] >= 0 && p->pieces[s->values[a]] < 0)
            writes_at += p->n_pieces[p->chain->values[s->values[a]].root];
    int *reads = malloc((size_t)(writes_at + LE_MAX_ARGS) * sizeof *reads);
    if (!reads)
        return false;
    int *writes = reads + writes_at;
    p->lists[step] = reads;
    for (size_t a = 0; a < s->entry->operation->n_args; a++) {
        if (s->values[a] < 0)
            continue;
        if (s->entry->operation->args[a].type == LE_TYPE_OUT)
            writes[n_writes++] = p->pieces[s->values[a]];
        else
            n_reads += read_pieces(p, s->values[a], reads + n_reads);
    }
    for (int place = 0; place < p->n_places; place++) {
        int d = p->devices[place]->index;
        if (!p->surveys[step].on[d].possible)
            continue;
        p->ways[p->problem.n_ways++] = (le__plan_way){.first = step,
                                                      .count = 1,
                                                      .place = place,
                                                      .seconds = p->surveys[step].on[d].seconds,
                                                      .memory = p->surveys[step].on[d].memory,
                                                      .reads = reads,
                                                      .n_reads = n_reads,
                                                      .writes = writes,
                                                      .n_writes = n_writes};
    }
    return true;
}

static void fill_transfers(planner *p) {
    int n = p->n_places;
    bool measure = may_measure(p);
    for (int v = 0; v < p->problem.n_values; v++)
        for (int from = 0; from < n; from++)
            for (int to = 0; to < n; to++) {
                const le__chain_value *value = &p->chain->values[p->piece_values[v]];
                int64_t bytes = value->dynamic ? value->expected_bytes : p->values[v].bytes;
                double seconds = 0;
                if (from != to)
                    seconds = le__transfer_seconds(p->chain->engine, p->devices[from], false, bytes,
                                                   measure) +
                              le__transfer_seconds(p->chain->engine, p->devices[to], true, bytes,
                                                   measure);
                p->transfer[(v * n + from) * n + to] = seconds;
            }
}

static void fill_limits(planner *p) {
    const le_options *o = &p->chain->engine->options;
    for (int place = 0; place < p->n_places; place++) {
        int64_t own = place == 0 ? o->memory_limit_bytes : p->devices[place]->info->memory_bytes;
        p->problem.limit[place] = le__constraint_memory(&p->chain->want, own);
    }
}

static bool allocate(planner *p) {
    size_t values = (size_t)p->chain->n_values + 1, steps = (size_t)p->chain->n_steps + 1;
    p->surveys = calloc(steps, sizeof *p->surveys);
    p->pieces = calloc(5 * values, sizeof *p->pieces);
    p->values = calloc(values, sizeof *p->values);
    p->ways = calloc(steps * LE__PLAN_MAX_PLACES, sizeof *p->ways);
    p->lists = calloc(steps, sizeof *p->lists);
    p->transfer = calloc(values * LE__PLAN_MAX_PLACES * LE__PLAN_MAX_PLACES, sizeof *p->transfer);
    if (!p->surveys || !p->pieces || !p->values || !p->ways || !p->lists || !p->transfer)
        return false;
    p->piece_values = p->pieces + values;
    p->newest = p->piece_values + values;
    p->older = p->newest + values;
    p->n_pieces = p->older + values;
    return true;
}

static void release(planner *p) {
    for (int i = 0; p->lists && i < p->chain->n_steps; i++)
        free(p->lists[i]);
    free(p->surveys);
    free(p->pieces);
    free(p->values);
    free(p->ways);
    free(p->lists);
    free(p->transfer);
}

static le_status survey_all(planner *p) {
    le_chain *c = p->chain;
    for (int i = 0; i < c->n_steps; i++) {
        int same = 0;
        le_status status = le__step_survey(c, i, &p->surveys[i]);
        if (status != LE_OK)
            return status;
        for (same = i + 1; same < c->n_steps && c->steps[same]->entry == c->steps[i]->entry;
             same++) {
            le__step_prepare(c, same);
            if (le__problem_hash(&c->steps[same]->call) != p->surveys[i].question)
                break;
            p->surveys[same] = p->surveys[i];
        }
        i = same - 1;
    }
    return LE_OK;
}

static bool build_problem(planner *p) {
    bool ok = true;
    p->problem = (le__plan_problem){.n_places = p->n_places,
                                    .n_steps = p->chain->n_steps,
                                    .values = p->values,
                                    .ways = p->ways,
                                    .transfer = p->transfer};
    find_pieces(p);
    for (int i = 0; ok && i < p->chain->n_steps; i++)
        ok = add_ways(p, i);
    fill_transfers(p);
    fill_limits(p);
    return ok;
}

/* --- solving --- */

static bool is_guessed(const planner *p, const le__plan_way *w) {
    return p->surveys[w->first].on[p->devices[w->place]->index].guessed;
}

static bool any_guessed(const planner *p, const le__plan_way *ways, const le__plan *plan) {
    bool guessed = false;
    for (int i = 0; i < plan->n_ways; i++)
        guessed = guessed || is_guessed(p, &ways[plan->ways[i]]);
    return guessed;
}

/* The cheapest plan on one place alone; NaN when there is none, or a time is unknown. */
static double alone(const planner *p, int place) {
    le__plan_way *ways = malloc((size_t)(p->problem.n_ways + 1) * sizeof *ways);
    le__plan_problem problem = p->problem;
    le__plan plan;
    double seconds = NAN;
    problem.ways = ways;
    problem.n_ways = 0;
    for (int i = 0; ways && i < p->problem.n_ways; i++)
        if (p->ways[i].place == place)
            ways[problem.n_ways++] = p->ways[i];
    if (ways && le__plan_solve(&problem, &plan) == LE__PLAN_OK) {
        seconds = any_guessed(p, ways, &plan) ? NAN : plan.seconds;
        le__plan_free(&plan);
    }
    free(ways);
    return seconds;
}

static void note_moves(planner *p, const le__plan *plan) {
    int n = p->n_places;
    for (int i = 0; i < plan->n_moves; i++) {
        const le__plan_move *m = &plan->moves[i];
        int way = m->before < plan->n_ways ? m->before : plan->n_ways - 1;
        if (m->to < 0 || way < 0)
            continue;
        le__step_choice *choice = &p->chain->choices[p->ways[plan->ways[way]].first];
        choice->plan.transfer_s += p->transfer[(m->value * n + m->from) * n + m->to];
        choice->plan.bytes_moved += p->values[m->value].bytes;
    }
}

/* Drops of values that have a storage of their own. */
static void note_drops(planner *p, const le__plan *plan) {
    le_chain *c = p->chain;
    le__drop *drops = malloc((size_t)(plan->n_moves + 1) * sizeof *drops);
    int n = 0;
    for (int i = 0; drops && i < plan->n_moves; i++) {
        const le__plan_move *m = &plan->moves[i];
        int value = p->piece_values[m->value];
        if (m->to < 0 && m->before < plan->n_ways && c->values[value].root == value)
            drops[n++] =
                (le__drop){p->ways[plan->ways[m->before]].first, value, p->devices[m->from]->index};
    }
    le__chain_copy_drops(c, drops, n);
    free(drops);
}

static void take_plan(planner *p, const le__plan *plan) {
    le__chain_totals *t = &p->chain->totals;
    for (int i = 0; i < plan->n_ways; i++) {
        const le__plan_way *w = &p->ways[plan->ways[i]];
        p->chain->choices[w->first] =
            (le__step_choice){.plan = {.device = p->devices[w->place],
                                       .predicted_s = is_guessed(p, w) ? NAN : w->seconds}};
    }
    note_moves(p, plan);
    note_drops(p, plan);
    t->predicted_s = any_guessed(p, p->ways, plan) ? NAN : plan->seconds;
    t->peak_bytes = 0;
    for (int place = 0; place < p->n_places; place++)
        if (plan->peak[place] > t->peak_bytes)
            t->peak_bytes = plan->peak[place];
    t->why = p->n_places > 1 ? "planned" : "only";
    if (p->chain->want.places || p->chain->want.device || p->chain->want.run_type ||
        p->chain->want.implementation)
        t->why = "forced";
}

static void compare_places(planner *p) {
    le__chain_totals *t = &p->chain->totals;
    t->cpu_s = alone(p, 0);
    t->device_s = NAN;
    for (int place = 1; place < p->n_places; place++) {
        double seconds = alone(p, place);
        t->device_s = isnan(t->device_s) || seconds < t->device_s ? seconds : t->device_s;
    }
}

/* Replaces the new plan by the one in use (the chain's choices) where that is as good. Ways of
 * other devices are then gone. */
static void prefer_plan_in_use(planner *p, le__plan *plan) {
    le__plan old;
    le__plan_way *all = malloc((size_t)(p->problem.n_ways + 1) * sizeof *all);
    int n_all = p->problem.n_ways, n = 0;
    if (!all)
        return;
    memcpy(all, p->ways, (size_t)n_all * sizeof *all);
    for (int i = 0; i < n_all; i++)
        if (p->devices[all[i].place]->index == p->chain->choices[all[i].first].plan.device->index)
            p->ways[n++] = all[i];
    p->problem.n_ways = n;
    if (le__plan_solve(&p->problem, &old) == LE__PLAN_OK) {
        if (plan->seconds * margin > old.seconds) {
            le__plan_free(plan);
            *plan = old;
            free(all);
            return;
        }
        le__plan_free(&old);
    }
    memcpy(p->ways, all, (size_t)n_all * sizeof *all);
    p->problem.n_ways = n_all;
    free(all);
}

static le_status explain_failure(const planner *p, le__plan_status status) {
    if (status == LE__PLAN_CANCELLED)
        return le__ticker_fail(p->chain->name);
    if (status == LE__PLAN_NO_MEMORY)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", p->chain->name);
    for (int i = 0; i < p->chain->n_steps; i++) {
        bool any = false;
        for (int place = 0; place < p->n_places; place++)
            any = any || p->surveys[i].on[p->devices[place]->index].possible;
        if (!any)
            return le__step_refusal(p->chain, i);
    }
    return le_fail(LE_ERR_NO_CANDIDATE, "chain '%s': its values do not fit the memory limits",
                   p->chain->name);
}

static le_status solve(planner *p, bool in_use) {
    le__plan plan;
    le_status status = survey_all(p);
    if (status != LE_OK)
        return status;
    if (!build_problem(p))
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", p->chain->name);
    le__plan_status solved = le__plan_solve(&p->problem, &plan);
    if (solved != LE__PLAN_OK)
        return explain_failure(p, solved);
    compare_places(p);
    if (in_use)
        prefer_plan_in_use(p, &plan);
    if (le__ticker_over(le__ticker_here())) {
        le__plan_free(&plan);
        return explain_failure(p, LE__PLAN_CANCELLED);
    }
    take_plan(p, &plan);
    le__plan_free(&plan);
    return LE_OK;
}

/* --- the whole --- */

static double answered_s(le__chains *chains) {
    pthread_mutex_lock(&chains->mutex);
    double seconds = chains->answered_s;
    pthread_mutex_unlock(&chains->mutex);
    return seconds;
}

static bool is_liked(const le_implementation *impl, const le__constraint *want) {
    return (want->implementation && le__implementation_is_named(impl, want->implementation)) ||
           (want->run_type && !strcmp(impl->run_type, want->run_type));
}

/* Whether what is liked is there on OpenCL devices only. */
static bool likes_opencl(const le_chain *c) {
    bool any = false;
    for (int i = 0; i < c->n_steps; i++) {
        const le__operation_entry *entry = c->steps[i]->entry;
        for (size_t k = 0; k < entry->n_implementations; k++) {
            if (!is_liked(entry->implementations[k], &c->want))
                continue;
            if (entry->implementations[k]->device != LE_DEVICE_OPENCL)
                return false;
            any = true;
        }
    }
    return any;
}

/* OpenCL is opened for calls that ask for it, benchmarks, chains that have taken long, and, where
 * there may be a GPU, reproducible ones, since it must not change their bits later. */
static void discover(const planner *p) {
    le_engine *e = p->chain->engine;
    le_mode mode = p->chain->want.mode;
    bool named = le__names_opencl(p->chain->want.device) || le__names_opencl(e->options.devices) ||
                 likes_opencl(p->chain);
    if (e->discovered || p->chain->want.places)
        return;
    if (named || mode == LE_MODE_MEASURE ||
        (p->chain->want.reproducible && le__machine_may_have_gpu()) ||
        (le__engine_may_discover(e, mode) && answered_s(e->chains) > discover_after_s))
        le__engine_discover(e);
}

static le_status plan_in_trial(le_chain *c) {
    c->totals = (le__chain_totals){NAN, NAN, NAN, 0, "only"};
    le_status expected = le__chain_expect(c);
    if (expected != LE_OK)
        return expected;
    for (int i = 0; i < c->n_steps; i++) {
        le_status status = le__step_decide_simply(c, i);
        if (status != LE_OK)
            return status;
    }
    return LE_OK;
}

/* Follows the plan that is kept, or stored, until it is time for a new one. */
le_status le__chain_plan(le_chain *c, const le_tensor *tensors) {
    c->waited = 0;
    planner p = {.chain = c, .tensors = tensors};
    if (!c->choices)
        c->choices = calloc((size_t)c->n_steps + 1, sizeof *c->choices);
    if (!c->choices)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    le__chain_lay_out(c, tensors);
    if (le__trial_is_child())
        return plan_in_trial(c);
    discover(&p);
    find_places(&p);
    uint64_t inputs = inputs_of(&p);
    if (le__chain_is_planned(c, inputs))
        return LE_OK;
    le_status status = le__chain_expect(c);
    if (status != LE_OK)
        return status;
    for (int i = 0; i < c->n_steps; i++)
        le__step_prepare(c, i);
    le__kept kept = le__chain_take_kept(c, inputs);
    if (kept == LE__KEPT_GOOD)
        return LE_OK;
    bool in_use = kept == LE__KEPT_DUE || le__chain_recall(c);
    if (c->want.mode != LE_MODE_FROZEN || !in_use) {
        find_places(&p); /* a stored plan may have made devices known */
        status = allocate(&p) ? solve(&p, in_use)
                              : le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
        release(&p);
    }
    if (status == LE_OK)
        le__chain_keep(c);
    return status;
}
