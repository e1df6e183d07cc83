/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Running a caller's chain: its tensors by name, options, and handing the outputs over.
 */
#include "chain/chain.h"

#include "call/engine.h"
#include "call/outputs.h"
#include "call/storage.h"
#include "call/named.h"
#include "core/tick.h"
#include "trial/trial_server.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
    le_chain *chain;
    le_tensor *tensors;  /* by value; roots */
    le__output *outputs; /* by value; to the caller's tensors */
} job;

static const char *input_at(const void *chain, size_t i) {
    const le__chain_value *v = &((const le_chain *)chain)->values[i];
    return v->role == LE__VALUE_INPUT ? v->name : NULL;
}

static const char *output_at(const void *chain, size_t i) {
    const le__chain_value *v = &((const le_chain *)chain)->values[i];
    return v->output ? v->name : NULL;
}

static le_status find(const le_chain *c, const char *name, bool output, int *out) {
    *out = name ? le__chain_find(c, name, output) : -1;
    return *out >= 0 ? LE_OK
                     : le__fail_name(c->name, output ? "output" : "input", name,
                                     output ? output_at : input_at, c, (size_t)c->n_values);
}

static le_status take_input(job *j, const le_arg *a) {
    int i;
    le_status status = find(j->chain, a->name, false, &i);
    if (status != LE_OK)
        return status;
    const le_tensor *t = a->value.in;
    if (!t || (!t->data && !t->storage && le_tensor_count(t) != 0))
        return le_fail(LE_ERR_ARGUMENT, "%s: input '%s' has no data", j->chain->name, a->name);
    if (j->tensors[i].storage)
        return le_fail(LE_ERR_ARGUMENT, "%s: input '%s' was given twice", j->chain->name, a->name);
    if (!le__tensors_alike(t, &j->chain->values[i].shape))
        return le__tensor_fail(j->chain->name, "input", a->name, t, &j->chain->values[i].shape, "");
    status = le__tensor_check(j->chain->name, a->name, t);
    if (status != LE_OK)
        return status;
    return le__chain_take_input(&j->tensors[i], j->chain, i, t);
}

/* What a caller allocated for a value whose shape is not yet known: all of it, or its rows. */
static bool may_fit(const le__chain_value *v, const le_tensor *t) {
    return v->counted ? le__tensors_have_same_rows(t, &v->shape)
                      : t->dtype == v->shape.dtype && t->ndim == v->shape.ndim;
}

static le_status take_output(job *j, const le_arg *a) {
    int i;
    le_status status = find(j->chain, a->name, true, &i);
    if (status != LE_OK)
        return status;
    le_tensor *t = a->value.out;
    const le__chain_value *v = &j->chain->values[i];
    bool fits;
    if (!t || j->outputs[i].to)
        return le_fail(LE_ERR_ARGUMENT, "%s: output '%s' %s", j->chain->name, a->name,
                       t ? "was given twice" : "is NULL");
    j->outputs[i] = (le__output){v->name, &j->tensors[i], t, true, v->counted};
    if (!t->data && !t->storage)
        fits = !t->dtype || t->dtype == v->shape.dtype;
    else
        fits = v->dynamic ? may_fit(v, t) : le__tensors_alike(t, &v->shape);
    if (!fits)
        return le__tensor_fail(j->chain->name, "output", a->name, t, &v->shape, "");
    if (!le__is_allocated(t))
        return LE_OK;
    status = le__tensor_check(j->chain->name, a->name, t);
    if (status == LE_OK && !le__tensor_is_writable(t))
        status = le_fail(LE_ERR_ARGUMENT, "%s: elements of output '%s' overlap", j->chain->name,
                         a->name);
    return status;
}

static le_status take_option(le_chain *c, const le_arg *a) {
    const char *of_steps = a->option == LE_OPTION_RTOL        ? "LE_OPT_RTOL"
                           : a->option == LE_OPTION_ATOL      ? "LE_OPT_ATOL"
                           : a->option == LE_OPTION_OBJECTIVE ? "LE_OPT_OBJECTIVE"
                                                              : NULL;
    if (of_steps)
        return le_fail(LE_ERR_ARGUMENT, "%s: %s is for single calls: give it to a step", c->name,
                       of_steps);
    le_status status = le__constraint_take(&c->want, c->engine, c->name, a);
    if (c->want.run_type && !strcmp(c->want.run_type, "staged"))
        c->want.run_type = NULL;
    return status;
}

/* Whether some step of the chain has what is asked for by name. */
static le_status check_names(const le_chain *c, const le__named *names) {
    le__operation_entry **entries = calloc((size_t)c->n_steps + 1, sizeof *entries);
    if (!entries)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    for (int i = 0; i < c->n_steps; i++)
        entries[i] = c->steps[i]->entry;
    le_status status = le__named_check(c->engine, c->name, entries, (size_t)c->n_steps, names);
    free(entries);
    return status;
}

/* Which devices there are is known when planning has looked for them. */
static le_status check_device(const le_chain *c, le_status planned) {
    le_status status = planned == LE_ERR_NO_CANDIDATE
                           ? check_names(c, &(le__named){.device = c->want.device})
                           : LE_OK;
    return status == LE_OK ? planned : status;
}

static le_status check_forced(const le_chain *c) {
    return check_names(
        c, &(le__named){.run_type = c->want.run_type, .implementation = c->want.implementation});
}

/* What is asked for by name holds where a step has it; at least one must be able to use it, as a
 * single call must. */
static le_status check_usable(le_chain *c) {
    const char *run_type = c->want.run_type, *name = c->want.implementation;
    bool found = (!run_type && !name) || le__trial_is_child();
    char why[256] = "";
    le_status status = LE_OK;
    for (int i = 0; status == LE_OK && !found && i < c->n_steps; i++)
        status = le__step_find_liked(c, i, &found, why);
    if (status != LE_OK || found)
        return status;
    return le_fail(
        LE_ERR_NO_CANDIDATE, "%.48s: no step can use %s '%.48s', which is forced%s%.200s", c->name,
        name ? "implementation" : "run type", name ? name : run_type, *why ? "; " : "", why);
}

/* Before the options are taken. */
static void ask_for_nothing(le_chain *c) {
    c->want = (le__constraint){0};
    le__constraint_begin(&c->want, c->engine);
    c->only_look = false;
}

static le_status take_argument(job *j, const le_arg *a) {
    if (a->kind == LE_KIND_IN)
        return take_input(j, a);
    if (a->kind == LE_KIND_OUT)
        return take_output(j, a);
    if (a->kind == LE_KIND_OPTION)
        return take_option(j->chain, a);
    return le_fail(LE_ERR_ARGUMENT, "%s: '%s' is neither an input (LE_IN) nor an output (LE_OUT)",
                   j->chain->name, a->name ? a->name : "(null)");
}

static le_status fail_overlap(const job *j, int out, const char *name) {
    return le_fail(LE_ERR_ARGUMENT, "%s: output '%s' shares memory with '%s'", j->chain->name,
                   j->chain->values[out].name, name);
}

static le_status check_overlaps(const job *j, const le_arg *args, size_t n) {
    for (int o = 0; o < j->chain->n_values; o++)
        for (size_t i = 0; j->outputs[o].to && i < n; i++) {
            bool out = args[i].kind == LE_KIND_OUT;
            const le_tensor *t = out                          ? args[i].value.out
                                 : args[i].kind == LE_KIND_IN ? args[i].value.in
                                                              : NULL;
            if (!t || (out && !strcmp(args[i].name, j->chain->values[o].name)))
                continue;
            if (t == j->outputs[o].to || le__tensors_overlap(j->outputs[o].to, t))
                return fail_overlap(j, o, args[i].name);
        }
    return LE_OK;
}

static le_status fill_in(job *j) {
    le_chain *c = j->chain;
    bool any = false;
    for (int i = 0; i < c->n_values; i++) {
        const le__chain_value *v = &c->values[i];
        const le_tensor *user = j->outputs[i].to;
        any = any || user;
        if (v->role == LE__VALUE_INPUT && v->root == i && !j->tensors[i].storage)
            return le_fail(LE_ERR_ARGUMENT, "%s: input '%s' is missing", c->name, v->name);
        le_status status = LE_OK;
        if (v->role == LE__VALUE_CONSTANT && v->root == i)
            status = le__chain_wrap(&j->tensors[i], &v->constant, true);
        else if (user && user->data && !user->storage && le__chain_may_write_out(c, i))
            status = le__chain_wrap(&j->tensors[i], user, false);
        if (status != LE_OK)
            return status;
    }
    return any ? LE_OK : le_fail(LE_ERR_ARGUMENT, "%s: no output was asked for", c->name);
}

static le_status take_arguments(job *j, const le_arg *args, size_t n) {
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < n; i++)
        status = take_argument(j, &args[i]);
    if (status == LE_OK)
        status = check_overlaps(j, args, n);
    return status == LE_OK ? fill_in(j) : status;
}

static le_status hand_over(job *j) {
    le_chain *c = j->chain;
    le__moved moved = {0};
    for (int i = 0; i < c->n_values; i++) {
        le__output *o = &j->outputs[i];
        o->host = o->to && (le__is_allocated(o->to) || !c->want.keep_on_device);
    }
    le_status status = le__outputs_hand_over(c->name, j->outputs, (size_t)c->n_values, &moved);
    c->report.bytes_from_device += moved.bytes;
    return status;
}

static le_status run_job(job *j, const le_arg *args, size_t n_args) {
    le_chain *c = j->chain;
    ask_for_nothing(c);
    le_status status = take_arguments(j, args, n_args);
    if (status == LE_OK)
        status = check_forced(c);
    if (status == LE_OK)
        status = check_device(c, le__chain_plan(c, j->tensors));
    if (status == LE_OK)
        status = check_usable(c);
    if (status == LE_OK)
        status = le__chain_execute(c, j->tensors);
    return status == LE_OK ? hand_over(j) : status;
}

le_status le__chain_run(le_chain *c, const le_arg *args, size_t n_args) {
    if (c->status != LE_OK)
        return le_chain_status(c);
    job j = {.chain = c,
             .tensors = calloc((size_t)c->n_values + 1, sizeof(le_tensor)),
             .outputs = calloc((size_t)c->n_values + 1, sizeof(le__output))};
    le_status status = LE_OK;
    le__ticker ticker;
    le__ticker_begin(&ticker, args, n_args);
    pthread_mutex_lock(&c->mutex);
    if (j.tensors && j.outputs)
        status = run_job(&j, args, n_args);
    else
        status = le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    pthread_mutex_unlock(&c->mutex);
    le__ticker_end(&ticker);
    for (int i = 0; j.tensors && i < c->n_values; i++)
        le__storage_release(j.tensors[i].storage);
    free(j.tensors);
    free(j.outputs);
    return status;
}

le_status le__chain_foresee(le_chain *c, le_chain_plan **out) {
    c->only_look = true;
    le_status status = le__chain_plan(c, NULL);
    for (int i = 0; status == LE_OK && i < c->n_steps; i++)
        status = le__step_foresee(c, i);
    return status == LE_OK ? le__chain_copy_plan(c, out) : status;
}

le_status le__chain_explain(le_chain *c, le_chain_plan **out, const le_arg *options,
                            size_t n_options) {
    le_status status = LE_OK;
    if (c->status != LE_OK)
        return le_chain_status(c);
    pthread_mutex_lock(&c->mutex);
    ask_for_nothing(c);
    for (size_t i = 0; status == LE_OK && i < n_options; i++)
        status = options[i].kind == LE_KIND_OPTION
                     ? take_option(c, &options[i])
                     : le_fail(LE_ERR_ARGUMENT, "%s: only options are expected", c->name);
    if (status == LE_OK)
        status = check_forced(c);
    if (status == LE_OK)
        status = check_device(c, le__chain_foresee(c, out));
    if (status == LE_OK)
        status = check_usable(c);
    if (status != LE_OK)
        le_chain_plan_free(out);
    pthread_mutex_unlock(&c->mutex);
    return status;
}
