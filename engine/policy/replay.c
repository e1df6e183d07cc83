/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The virtual machine that runs a trace: the policy decides, the trace answers, the clock advances.
 */
#include "policy/replay.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "policy/draw.h"
#include "policy/trace.h"
#include "numbers.h"

typedef struct machine {
    const le__trace *trace;
    le__policy *policy;
    le__policy_allowed *allowed;
    int family, *problems;     /* the policy's ids; -1: not met yet */
    bool *tuned;
    le__draw *draw;
    double now;
    le_mode mode;
    le__replay_fn fn;
    void *cookie;
    le__replay_sum *sum;
} machine;

static double slowness(const le__trace *t, int candidate, long call) {
    double factor = 1.0;
    for (int i = 0; i < t->n_slow; i++) {
        const le__trace_slow *s = &t->slow[i];
        if (s->resource == t->resource_of[candidate] && (double)call >= s->first &&
            (double)call <= s->last)
            factor *= s->factor;
    }
    return factor;
}

static double best_truth(const le__trace *t, int problem, long call) {
    double best = INFINITY;
    for (int c = 0; c < t->n_candidates; c++)
        best = fmin(best, le__trace_truth(t, problem, c) * slowness(t, c, call));
    return best;
}

/* Runs a candidate until it is done or has taken stop_seconds. */
static void run(machine *m, double stop_seconds, le__replay_event *e) {
    double seconds = le__draw_next(m->draw, e->problem, e->candidate, &e->cold) *
                     slowness(m->trace, e->candidate, e->call);
    e->cut = seconds > stop_seconds;
    e->seconds = e->cut ? stop_seconds : seconds;
    e->best_seconds = best_truth(m->trace, e->problem, e->call);
    m->now += e->seconds;
}

static void tell(const machine *m, const le__replay_event *e) {
    if (m->fn)
        m->fn(m->cookie, e);
}

static le__policy_question question(const machine *m, int problem) {
    return (le__policy_question){.family = m->family, .problem = m->problems[problem],
                                 .allowed = m->allowed,
                                 .n_allowed = (size_t)m->trace->n_candidates,
                                 .may_explore = m->mode == LE_MODE_LEARN, .now = m->now};
}

static le_status race(machine *m, int problem, long call) {
    le__policy_question q = question(m, problem);
    le__policy_race *r = le__policy_race_new(m->policy, &q);
    size_t index;
    bool cold;
    if (!r)
        return LE_ERR_MEMORY;
    while (le__policy_race_next(r, &index, &cold)) {
        le__replay_event e = {.call = call, .problem = problem, .candidate = (int)index,
                              .why = LE__WHY_MEASURE};
        run(m, le__policy_race_stop(r, index), &e);
        if (e.cut)
            le__policy_race_cut(r, index, e.seconds, e.seconds, 1.0, m->now);
        else
            le__policy_race_observe(r, index, e.seconds, e.seconds, 1.0, m->now);
        tell(m, &e);
    }
    le__policy_race_end(&r, NULL);
    m->tuned[problem] = true;
    return LE_OK;
}

static bool meet(machine *m, int problem) {
    if (m->problems[problem] < 0) {
        le__policy_features f = {.work = m->trace->work[problem]};
        m->problems[problem] =
            le__policy_add_problem(m->policy, m->family, (uint64_t)problem, &f);
        le__policy_hold_problem(m->policy, m->family, m->problems[problem]);
    }
    return m->problems[problem] >= 0;
}

/* One run for a call. stopped: a run before it was. */
static bool attempt(machine *m, int problem, long call, bool stopped, le__replay_event *e) {
    le__policy_decision d;
    le__policy_question q = question(m, problem);
    q.stopped = stopped;
    if (le__policy_decide(m->policy, &q, &d) != 0)
        return false;
    *e = (le__replay_event){.call = call, .problem = problem, .candidate = (int)d.index,
                            .low = d.low, .high = isfinite(d.high) ? d.high : 0.0, .why = d.why};
    run(m, d.stop_seconds, e);
    le__policy_sample s = {.family = m->family, .problem = m->problems[problem],
                           .candidate = d.candidate, .why = d.why, .cold = e->cold,
                           .cut = e->cut, .n = 1, .mean_log = log(e->seconds),
                           .seconds = e->seconds, .weight = 1.0, .now = m->now};
    le__policy_observe(m->policy, &s);
    m->sum->seconds += e->seconds;
    tell(m, e);
    return true;
}

static le_status call_once(machine *m, int problem, long call) {
    le__replay_event e;
    if (!meet(m, problem))
        return LE_ERR_MEMORY;
    if (m->mode == LE_MODE_MEASURE && !m->tuned[problem]) {
        le_status status = race(m, problem, call);
        if (status != LE_OK)
            return status;
    }
    if (!attempt(m, problem, call, false, &e) || (e.cut && !attempt(m, problem, call, true, &e)))
        return LE_ERR_MEMORY;
    m->sum->calls++;
    m->sum->best_seconds += e.best_seconds;
    return LE_OK;
}

static le_status set_up(machine *m) {
    const le__trace *t = m->trace;
    size_t n = (size_t)t->n_candidates, p = (size_t)t->n_problems;
    m->policy = le__policy_new(NULL);
    m->allowed = calloc(n, sizeof *m->allowed);
    m->problems = malloc((p ? p : 1) * sizeof *m->problems);
    m->tuned = calloc(p ? p : 1, sizeof *m->tuned);
    m->sum->choice = malloc((p ? p : 1) * sizeof *m->sum->choice);
    if (!m->policy || !m->allowed || !m->problems || !m->tuned || !m->draw || !m->sum->choice)
        return LE_ERR_MEMORY;
    m->family = le__policy_family(m->policy, 1);
    for (size_t i = 0; i < p; i++)
        m->problems[i] = m->sum->choice[i] = -1;
    for (int i = 0; i < t->n_candidates; i++) {
        le__policy_candidate c = {.resource = t->resource_of[i]};
        m->allowed[i].candidate = le__policy_add_candidate(m->policy, m->family,
                                                           (uint64_t)i, &c);
        if (m->allowed[i].candidate < 0)
            return LE_ERR_MEMORY;
    }
    return LE_OK;
}

static void final_choices(machine *m) {
    for (int p = 0; p < m->trace->n_problems; p++) {
        le__policy_decision d;
        le__policy_question q = question(m, p);
        q.may_explore = false;
        if (m->problems[p] >= 0 && le__policy_decide(m->policy, &q, &d) == 0)
            m->sum->choice[p] = (int)d.index;
    }
}

static le_status run_all(machine *m) {
    le_status status = set_up(m);
    long call = 0;
    for (int i = 0; status == LE_OK && i < m->trace->n_calls; i++)
        for (long k = 0; status == LE_OK && k < m->trace->calls[i].count; k++)
            status = call_once(m, m->trace->calls[i].problem, call++);
    if (status == LE_OK)
        final_choices(m);
    return status;
}

le_status le__replay(const le__trace *trace, uint64_t seed, le_mode mode, le__replay_fn fn,
                     void *cookie, le__replay_sum *sum) {
    *sum = (le__replay_sum){0};
    machine m = {.trace = trace, .draw = le__draw_new(trace, seed), .fn = fn, .cookie = cookie, .sum = sum,
                 .mode = mode == LE_MODE_DEFAULT ? LE_MODE_LEARN : mode};
    le_status status = run_all(&m);
    le__policy_free(&m.policy);
    free(m.allowed);
    free(m.problems);
    free(m.tuned);
    le__draw_free(m.draw);
    if (status != LE_OK) {
        free(sum->choice);
        *sum = (le__replay_sum){0};
    }
    return status;
}

/* ------------------------------------------------------------------------------ printing ------ */

typedef struct printer {
    const le__trace *trace;
    char **problems, **candidates; /* as JSON texts */
    FILE *out;
} printer;

static void print_event(void *cookie, const le__replay_event *e) {
    const printer *p = cookie;
    fprintf(p->out,
            "{\"call\":%ld,\"problem\":%s,\"candidate\":%s,\"seconds\":%.9g,\"why\":\"%s\"%s}\n",
            e->call, p->problems[e->problem], p->candidates[e->candidate], e->seconds,
            le__why_text(e->why), e->cut ? ",\"cut\":true" : "");
}

static void print_sum(const printer *p, const le__replay_sum *sum) {
    const char *comma = "";
    fprintf(p->out, "{\"calls\":%ld,\"total_seconds\":%.9g,\"choice\":{", sum->calls, sum->seconds);
    for (int i = 0; i < p->trace->n_problems; i++) {
        if (sum->choice[i] < 0)
            continue;
        fprintf(p->out, "%s%s:%s", comma, p->problems[i], p->candidates[sum->choice[i]]);
        comma = ",";
    }
    fputs("}}\n", p->out);
}

static void free_quoted(char **texts, int n) {
    for (int i = 0; texts && i < n; i++)
        free(texts[i]);
    free(texts);
}

static char **quoted(char *const *names, int n) {
    char **texts = calloc((size_t)n + 1, sizeof *texts);
    for (int i = 0; texts && i < n; i++) {
        cJSON *item = cJSON_CreateString(names[i]);
        texts[i] = item ? le__json_show(item) : NULL;
        cJSON_Delete(item);
        if (!texts[i]) {
            free_quoted(texts, i);
            texts = NULL;
        }
    }
    return texts;
}

int le__replay_file(const char *path, uint64_t seed, le_mode mode, FILE *out, FILE *err) {
    locale_t before = le__numbers_begin(); /* for what is read and printed */
    le__trace *trace = le__trace_read(path, err);
    if (!trace) {
        le__numbers_end(before);
        return 1;
    }
    printer p = {trace, quoted(trace->problems, trace->n_problems),
                 quoted(trace->candidates, trace->n_candidates), out};
    le__replay_sum sum = {0};
    le_status status = p.problems && p.candidates
                           ? le__replay(trace, seed, mode, print_event, &p, &sum)
                           : LE_ERR_MEMORY;
    if (status == LE_OK)
        print_sum(&p, &sum);
    else
        fprintf(err, "%s: out of memory\n", path);
    bool written = fflush(out) == 0 && !ferror(out);
    if (!written)
        fprintf(err, "%s: the output could not be written\n", path);
    free(sum.choice);
    free_quoted(p.problems, trace->n_problems);
    free_quoted(p.candidates, trace->n_candidates);
    le__trace_free(trace);
    le__numbers_end(before);
    return status == LE_OK && written ? 0 : 1;
}
