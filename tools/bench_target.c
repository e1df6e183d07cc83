/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Making the call that is measured, and finding a candidate in it.
 */
#include "bench_target.h"

#include "engine/report/again.h"
#include "operation.h"

#include <string.h>

static bool make_args(bench_target *t, const bench_settings *s, int64_t size, le_dtype dtype) {
    char why[256];
    if (s->problem) {
        if (!le__problem_args_make(&t->problem, t->engine, t->operation, s->problem, PROBLEM_FILLED,
                                   why, sizeof why)) {
            tool_message("%s", why);
            return false;
        }
        t->args = t->problem.args;
        t->n_args = t->problem.n;
        return true;
    }
    if (s->volume) {
        if (!bench_volume_make(&t->volume, t->engine, t->operation, s->volume, s->seed))
            return false;
        t->args = t->volume.args;
        t->n_args = t->volume.n_args;
        return true;
    }
    le_case_request request = {
        .kind = LE_CASE_BENCH, .seed = s->seed, .size = size, .dtype = dtype};
    if (le_sample_make(&t->sample, t->engine, t->operation, &request) != LE_OK) {
        bench_say_error();
        return false;
    }
    t->args = le_sample_args(t->sample, &t->n_args);
    return true;
}

/* What a problem's text says of the contents of an argument, as of a kernel, makes no argument. */
static bool is_as_asked(const bench_target *t, const bench_settings *s) {
    const char *made = le_bench_problem(t->bench);
    if (!s->problem || !strcmp(made, s->problem))
        return true;
    tool_message("%s: no call can be made from the problem '%s'; it would be '%s'", t->operation,
                 s->problem, made);
    return false;
}

int bench_target_open(bench_target *t, const bench_settings *s, const char *operation, int64_t size,
                      le_dtype dtype) {
    *t = (bench_target){.engine = bench_engine(s, NULL, LE_MODE_FROZEN), .operation = operation};
    const bool known = t->engine && tool_operation(t->engine, operation);
    bool ok = known && make_args(t, s, size, dtype);
    if (ok && le_bench_open(&t->bench, t->engine, operation, t->args, t->n_args) != LE_OK) {
        bench_say_error();
        ok = false;
    }
    ok = ok && is_as_asked(t, s);
    const int status = ok ? TOOL_OK : known || !t->engine ? TOOL_FAILED : TOOL_USAGE;
    if (!ok)
        bench_target_close(t);
    return status;
}

int bench_target_ask(bench_target *t, const bench_settings *s, const char *operation) {
    int64_t size;
    le_dtype dtype;
    if (!bench_one_problem(s, &size, &dtype))
        return TOOL_USAGE;
    return bench_target_open(t, s, operation, size, dtype);
}

void bench_target_close(bench_target *t) {
    le_bench_close(&t->bench);
    le_sample_free(&t->sample);
    le__problem_args_free(&t->problem);
    bench_volume_free(&t->volume);
    le_close(&t->engine);
}

bool bench_target_find(bench_target *t, const char *text, size_t *index) {
    size_t n;
    const le_bench_candidate *list = le_bench_candidates(t->bench, &n);
    le_explanation *e = NULL;
    if (!text && le_call_explain(t->engine, &e, t->operation, t->args, t->n_args) == LE_OK &&
        *e->choice)
        text = e->choice;
    const le_bench_candidate *found = le__again_find(t->engine, t->bench, text);
    if (!found)
        tool_message("%s has no candidate '%s' for %s", t->operation, text ? text : "",
                     le_bench_problem(t->bench));
    else if (!found->applies)
        tool_message("%s does not apply: %s", found->text, found->why);
    le_explanation_free(&e);
    *index = found ? (size_t)(found - list) : 0;
    return found && found->applies;
}
