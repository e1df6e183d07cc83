/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operators' interface: sample calls, candidates one by one, comparison with the reference.
 */
#include "liquid_engine/le_bench.h"

#include "call/case.h"
#include "core/clock.h"
#include "core/tick.h"
#include "choose/dispatch.h"
#include "choose/verdicts.h"
#include "benchdb.h"
#include "engine.h"
#include "core/struct.h"
#include "call/problem.h"
#include "policy/replay.h"
#include "trial/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MACHINE_PARTS = 16 };

/* --- samples --- */

struct le_sample {
    le_case sample;
};

le_status le_sample_make(le_sample **out, le_engine *engine, const char *operation,
                         const le_case_request *request) {
    le__operation_entry *entry;
    *out = NULL;
    le_status status = le__engine_operation(&engine, operation, &entry);
    if (status != LE_OK)
        return status;
    le_sample *s = calloc(1, sizeof *s);
    if (!s)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", operation);
    le_case_request r = *request;
    r.like = NULL;
    status = le__case_make(&s->sample, entry->operation, &r);
    if (status == LE_OK)
        *out = s;
    else
        free(s);
    return status;
}

const le_arg *le_sample_args(const le_sample *sample, size_t *n_args) {
    *n_args = sample->sample.n;
    return sample->sample.args;
}

void le_sample_reset(le_sample *sample) {
    le__case_reset_outputs(&sample->sample);
}

void le_sample_free(le_sample **sample) {
    if (!sample || !*sample)
        return;
    le__case_free(&(*sample)->sample);
    free(*sample);
    *sample = NULL;
}

/* --- one by one --- */

struct le_bench {
    le_call call;
    le__candidate *candidates;
    le_bench_candidate *views;
    size_t n;
    char problem[LE__PROBLEM_TEXT];
    const le_arg *args;
    size_t n_args;
    le_call reference; /* bound when `referenced` */
    bool referenced;
    le_status reference_status;
    le_tensor reference_outputs[LE_MAX_ARGS];
};

static bool wants_opencl(const le_call *call) {
    const char *device = call->want.device;
    return !device || strcmp(device, "cpu") != 0;
}

static le_status list_candidates(le_bench *b, le_engine *engine, le__operation_entry *entry) {
    if (wants_opencl(&b->call))
        le__engine_discover(engine);
    le_status status = le__candidates_make(engine, entry, &b->candidates, &b->n);
    if (status != LE_OK)
        return status;
    b->views = calloc(b->n ? b->n : 1, sizeof *b->views);
    if (!b->views)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", entry->operation->name);
    for (size_t i = 0; i < b->n; i++) {
        const le__candidate *c = &b->candidates[i];
        const char *why = "";
        bool applies = le__candidate_applies(c, &b->call, &why);
        b->views[i] = (le_bench_candidate){.text = c->text,
                                           .implementation = c->implementation,
                                           .device = c->device->id,
                                           .applies = applies,
                                           .why = applies ? "" : why};
    }
    return LE_OK;
}

le_status le_bench_open(le_bench **out, le_engine *engine, const char *operation,
                        const le_arg *args, size_t n_args) {
    le__operation_entry *entry;
    *out = NULL;
    le_status status = le__engine_operation(&engine, operation, &entry);
    if (status != LE_OK)
        return status;
    le_bench *b = calloc(1, sizeof *b);
    if (!b)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", operation);
    b->args = args;
    b->n_args = n_args;
    status = le__call_bind(&b->call, engine, entry, args, n_args);
    if (status != LE_OK) {
        free(b);
        return status;
    }
    le__problem_text(&b->call, b->problem, sizeof b->problem);
    status = list_candidates(b, engine, entry);
    *out = b;
    if (status != LE_OK)
        le_bench_close(out);
    return status;
}

void le_bench_close(le_bench **bench) {
    if (!bench || !*bench)
        return;
    le_bench *b = *bench;
    le__call_unbind(&b->call);
    if (b->referenced)
        le__call_unbind(&b->reference);
    free(b->candidates);
    free(b->views);
    free(b);
    *bench = NULL;
}

const le_bench_candidate *le_bench_candidates(const le_bench *bench, size_t *count) {
    *count = bench->n;
    return bench->views;
}

const char *le_bench_problem(const le_bench *bench) {
    return bench->problem;
}

/* Of the first version. */
static const size_t stats_bytes = offsetof(le_bench_stats, peak_bytes) + sizeof(int64_t);
static const size_t comparison_bytes = offsetof(le_bench_comparison, within) + sizeof(bool);

static le_status give_stats(const le_call *call, le_bench_stats *out) {
    const le__run_stats *s = &call->stats;
    const le_bench_stats known = {.seconds = s->seconds,
                                  .kernel_seconds = s->kernel_seconds,
                                  .setup_seconds = s->setup_seconds,
                                  .bytes_to_device = s->bytes_to_device,
                                  .bytes_from_device = s->bytes_from_device,
                                  .peak_bytes = s->peak_scratch_bytes};
    return le__struct_give(out, &known, sizeof known, stats_bytes, "le_bench_run: out");
}

static le_status check_index(const le_bench *b, size_t index) {
    const char *name = b->call.operation->name;
    if (index >= b->n)
        return le_fail(LE_ERR_ARGUMENT, "%s: there is no candidate %zu of %zu", name, index, b->n);
    if (!b->views[index].applies)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: %s: %s", name, b->views[index].text,
                       b->views[index].why);
    return LE_OK;
}

le_status le_bench_run(le_bench *bench, size_t index, le_bench_stats *out) {
    le__ticker ticker;
    le_status status = le__struct_check(out, stats_bytes, "le_bench_run: out");
    if (status == LE_OK)
        status = check_index(bench, index);
    le__ticker_begin(&ticker, bench->args, bench->n_args);
    if (status == LE_OK)
        status = le__execute(&bench->call, &bench->candidates[index], LE__OUTPUTS_FRESH);
    le__ticker_end(&ticker);
    return status == LE_OK ? give_stats(&bench->call, out) : status;
}

/* --- comparing --- */

le_status le_bench_reference(le_bench *b) {
    le_call *call = &b->call;
    le__candidate reference;
    if (b->referenced)
        return b->reference_status;
    if (b->n_args > LE_MAX_ARGS || !le__reference_candidate(call->engine, call->entry, &reference))
        return le_fail(LE_ERR_UNSUPPORTED, "%s has no reference", call->operation->name);
    le_arg args[LE_MAX_ARGS];
    memcpy(args, b->args, b->n_args * sizeof *args);
    le__args_for_reference(call->operation, args, b->n_args, b->reference_outputs);
    le_status status = le__call_bind(&b->reference, call->engine, call->entry, args, b->n_args);
    if (status != LE_OK)
        return status;
    le__ticker ticker;
    le__ticker_begin(&ticker, b->args, b->n_args);
    b->reference_status = le__execute(&b->reference, &reference, LE__OUTPUTS_FRESH);
    le__ticker_end(&ticker);
    b->referenced = b->reference_status != LE_ERR_CANCELLED;
    if (!b->referenced)
        le__call_unbind(&b->reference);
    return b->reference_status;
}

static le_status compare(le_bench *b, size_t index, unsigned char poison,
                         le_bench_comparison *out) {
    const char *name = b->call.operation->name;
    le_status status = check_index(b, index);
    if (status != LE_OK)
        return status;
    if (!b->referenced)
        return le_fail(LE_ERR_ARGUMENT, "%s: le_bench_reference comes before le_bench_check", name);
    b->call.poison = poison;
    b->call.tight = poison == 0;
    le__ticker ticker;
    le__ticker_begin(&ticker, b->args, b->n_args);
    status = le__execute(&b->call, &b->candidates[index], LE__OUTPUTS_GUARDED);
    le__ticker_end(&ticker);
    if (status == LE_ERR_WRONG_RESULT || /* its counts make no sense; the text says which */
        status == LE_ERR_CANCELLED)
        return status;
    if (status != b->reference_status)
        return le_fail(status == LE_OK || b->reference_status == LE_OK ? LE_ERR_WRONG_RESULT
                                                                       : status,
                       "gives '%s', the reference '%s'%s%s", le_status_text(status),
                       le_status_text(b->reference_status), status == LE_OK ? "" : ": ",
                       status == LE_OK ? "" : le_error_message());
    if (status != LE_OK) {
        out->within = true;
        return LE_OK;
    }
    le__error_profile error = {0};
    status = le__error_of_guarded(&error, &b->call, &b->reference);
    out->max_abs = error.max_abs;
    out->rtol = le__error_needs(&error, b->call.want.atol);
    out->within = le__error_allows(&error, b->call.want.atol, b->call.want.rtol);
    return status;
}

le_status le_bench_check(le_bench *b, size_t index, unsigned char poison,
                         le_bench_comparison *out) {
    static const char what[] = "le_bench_check: out";
    le_bench_comparison known = {0};
    le_status status = le__struct_check(out, comparison_bytes, what);
    if (status != LE_OK)
        return status;
    status = compare(b, index, poison, &known);
    le__struct_give(out, &known, sizeof known, comparison_bytes, what);
    return status;
}

/* --- stored choices --- */

typedef void (*question_fn)(le__dispatch *d, le__question *q, le_call *call, void *to);

static le_status with_question(le_engine *engine, const char *operation, const le_arg *args,
                               size_t n_args, question_fn fn, void *to) {
    le_call call;
    le_status status = le__engine_bind(&engine, operation, args, n_args, &call);
    if (status != LE_OK)
        return status;
    le__question *q;
    if (wants_opencl(&call)) /* the choice may be a candidate of a device not yet looked for */
        le__engine_discover(engine);
    status = le__dispatch_question(engine->dispatch, &call, &q);
    if (status == LE_OK) {
        fn(engine->dispatch, q, &call, to);
        le__question_release(q);
    }
    le__call_unbind(&call);
    return status;
}

static void read_known(le__dispatch *d, le__question *q, le_call *call, void *to) {
    pthread_mutex_lock(&q->op->mutex);
    bool stored = le__question_is_decided(q);
    pthread_mutex_unlock(&q->op->mutex);
    *(bool *)to = stored && !le__dispatch_has_newcomers(d, q, call);
}

static void read_under_load(le__dispatch *d, le__question *q, le_call *call, void *to) {
    (void)d;
    (void)call;
    pthread_mutex_lock(&q->op->mutex);
    *(bool *)to = q->stored >= 0 && q->chosen == LE__CHOSEN_UNDER_LOAD;
    pthread_mutex_unlock(&q->op->mutex);
}

static void forget(le__dispatch *d, le__question *q, le_call *call, void *to) {
    (void)d;
    (void)call;
    (void)to;
    pthread_mutex_lock(&q->op->mutex);
    q->measured = false;
    q->stored = -1;
    le__verdicts_take_back(q);
    pthread_mutex_unlock(&q->op->mutex);
    le__question_forget(q);
}

bool le_bench_is_known(le_engine *engine, const char *operation, const le_arg *args,
                       size_t n_args) {
    bool known = false;
    return with_question(engine, operation, args, n_args, read_known, &known) == LE_OK && known;
}

bool le_bench_is_under_load(le_engine *engine, const char *operation, const le_arg *args,
                            size_t n_args) {
    bool loaded = false;
    return with_question(engine, operation, args, n_args, read_under_load, &loaded) == LE_OK &&
           loaded;
}

le_status le_bench_forget(le_engine *engine, const char *operation, const le_arg *args,
                          size_t n_args) {
    return with_question(engine, operation, args, n_args, forget, NULL);
}

typedef struct waiting {
    double seconds;
    bool unfinished;
} waiting;

static void await_trials(le__dispatch *d, le__question *q, le_call *call, void *to) {
    waiting *w = to;
    double end = le__now() + w->seconds;
    for (bool more = true; more;) {
        pthread_mutex_lock(&q->op->mutex);
        le__dispatch_settle(d, q, call);
        more = q->n_aside > 0 && le__now() < end;
        pthread_mutex_unlock(&q->op->mutex);
        if (more)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    w->unfinished = !q->measured;
}

bool le_bench_is_unfinished(le_engine *engine, const char *operation, const le_arg *args,
                            size_t n_args, double seconds) {
    waiting w = {.seconds = seconds};
    return with_question(engine, operation, args, n_args, await_trials, &w) == LE_OK &&
           w.unfinished;
}

typedef struct team_work {
    const le_bench_team *team;
    bool race, joined;
    le_status status;
} team_work;

static void join_team(le__dispatch *d, le__question *q, le_call *call, void *to) {
    team_work *w = to;
    w->joined = true;
    w->status = le__dispatch_together(d, q, call, w->team, w->race);
}

static le_status work_together(le_engine *engine, const char *operation, const le_arg *args,
                               size_t n_args, const le_bench_team *team, bool race) {
    team_work w = {.team = team, .race = race};
    le__ticker ticker;
    le__ticker_begin(&ticker, args, n_args);
    le_status status = with_question(engine, operation, args, n_args, join_team, &w);
    le__ticker_end(&ticker);
    if (!w.joined) /* the others are waiting for this one */
        team->all(team->context, false);
    return status == LE_OK ? w.status : status;
}

le_status le_bench_race(le_engine *engine, const char *operation, const le_arg *args, size_t n_args,
                        const le_bench_team *team) {
    return work_together(engine, operation, args, n_args, team, true);
}

le_status le_bench_prove(le_engine *engine, const char *operation, const le_arg *args,
                         size_t n_args, const le_bench_team *team) {
    return work_together(engine, operation, args, n_args, team, false);
}

le_mode le_bench_mode(const le_engine *engine) {
    return engine->options.mode;
}

le_status le_bench_flush(le_engine *engine) {
    static const double most_s = 5;
    char path[4096];
    le_db_default_path(engine->options.db_path, path, sizeof path);
    if (!strcmp(path, ":memory:") || le_db_flush(le__store_db(engine->dispatch->store), most_s))
        return LE_OK;
    return le_fail(LE_ERR_IO, "%s: what was measured could not be stored", path);
}

void le_bench_limit_races(le_engine *engine, double seconds) {
    engine->race_until = seconds < 0 ? 0 : le__now() + seconds;
}

/* --- processes that work together --- */

le_status le_bench_hand_out(le_engine *engine, le_bench_news what, char **text, size_t *size) {
    *text = NULL;
    *size = 0;
    return le__dispatch_hand_out(engine->dispatch, what, text, size);
}

le_status le_bench_hand_in(le_engine *engine, le_bench_news what, const char *text, size_t size) {
    return size ? le__dispatch_hand_in(engine->dispatch, what, text, size) : LE_OK;
}

static const double well_known = 4; /* from the low end of the 90 % interval to its high end */

static double predict(le__dispatch *d, le_call *call) {
    double seconds = NAN;
    le__question *q;
    le__decision c;
    if (le__dispatch_question(d, call, &q) != LE_OK)
        return NAN;
    call->only_look = true;
    if (le__dispatch_decide(d, q, call, false, &c) == LE_OK && c.of.high < well_known * c.of.low)
        seconds = c.of.seconds;
    le__question_release(q);
    return seconds;
}

double le_bench_predict(le_engine *engine, const char *operation, const le_arg *args,
                        size_t n_args) {
    le_call call;
    if (le__engine_bind(&engine, operation, args, n_args, &call) != LE_OK)
        return NAN;
    const double seconds = predict(engine->dispatch, &call);
    le__call_unbind(&call);
    return seconds;
}

uint64_t le_bench_machine(bool with_name) {
    le_db_part parts[MACHINE_PARTS];
    char buffer[2048];
    size_t n = le_db_machine_parts(parts, MACHINE_PARTS, buffer, sizeof buffer), kept = 0;
    for (size_t i = 0; i < n; i++)
        if (with_name || strcmp(parts[i].name, "host") != 0)
            parts[kept++] = parts[i];
    return (uint64_t)le_db_identity_id(LE_DB_MACHINE, parts, kept);
}

/* --- engine, environment --- */

static le_bench_device about_device(const le__device *d) {
    le_bench_device out = {.is_cpu = d->cpu_type};
    memcpy(out.id, d->id, sizeof out.id);
    memcpy(out.name, d->name, sizeof out.name);
    memcpy(out.vendor, d->vendor, sizeof out.vendor);
    memcpy(out.driver, d->driver, sizeof out.driver);
    memcpy(out.version, d->version, sizeof out.version);
    return out;
}

size_t le_bench_devices(le_engine *engine, le_bench_device *out, size_t max) {
    if (le__engine_or_default(&engine) != LE_OK)
        return 0;
    le__engine_discover(engine);
    size_t n = 0;
    for (int i = 0; i < engine->n_devices; i++) {
        const le__device *d = &engine->devices[i];
        if (!le__device_matches(d, engine->options.devices))
            continue;
        if (n < max)
            out[n] = about_device(d);
        n++;
    }
    return n;
}

int le_bench_threads(le_engine *engine) {
    return le__engine_or_default(&engine) == LE_OK ? le__pool_max_threads(engine->pool) : 0;
}

int le_bench_replay(const char *path, uint64_t seed, le_mode mode, FILE *out, FILE *err) {
    return le__replay_file(path, seed, mode, out, err);
}
