/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Running a caller's chain: its tensors by name, options, and handing the outputs over.
 */
#include "chain/chain.h"

#include "engine.h"
#include "core/options.h"
#include "call/storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    le_chain *chain;
    le__chain_want want;
    le_tensor *tensors; /* by value; roots */
    le_tensor **users;  /* outputs: the caller's tensor; by value */
} job;

static le_status fail_tensor(const le_chain *c, const char *what, const char *name,
                             const le_tensor *given, const le_tensor *expected) {
    char a[256], b[256];
    le_tensor_describe(given, a, sizeof a);
    le_tensor_describe(expected, b, sizeof b);
    return le_fail(given->dtype == expected->dtype ? LE_ERR_SHAPE : LE_ERR_DTYPE,
                   "%s: %s '%s' is %s, expected %s", c->name, what, name, a, b);
}

static bool same_shape(const le_tensor *a, const le_tensor *b) {
    return a->dtype == b->dtype && a->ndim == b->ndim &&
           !memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof a->shape[0]);
}

static le_status fail_name(const le_chain *c, const char *name, bool output) {
    char names[512] = "";
    size_t n = 0;
    for (int i = 0; i < c->n_values && n < sizeof names; i++) {
        const le__chain_value *v = &c->values[i];
        if (v->name && (output ? v->output : v->role == LE__VALUE_INPUT))
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", v->name);
    }
    return le_fail(LE_ERR_ARGUMENT, "%s: there is no %s '%s'; expected one of %s", c->name,
                   output ? "output" : "input", name ? name : "(null)", names);
}

static le_status take_input(job *j, const le_arg *a) {
    int i = a->name ? le__chain_find(j->chain, a->name, false) : -1;
    if (i < 0)
        return fail_name(j->chain, a->name, false);
    const le_tensor *t = a->value.in;
    if (!t || (!t->data && !t->storage && le_tensor_count(t) != 0))
        return le_fail(LE_ERR_ARGUMENT, "%s: input '%s' has no data", j->chain->name, a->name);
    if (j->tensors[i].storage)
        return le_fail(LE_ERR_ARGUMENT, "%s: input '%s' was given twice", j->chain->name, a->name);
    if (!same_shape(t, &j->chain->values[i].shape))
        return fail_tensor(j->chain, "input", a->name, t, &j->chain->values[i].shape);
    return le__chain_wrap(&j->tensors[i], t, true);
}

static le_status take_output(job *j, const le_arg *a) {
    int i = a->name ? le__chain_find(j->chain, a->name, true) : -1;
    if (i < 0)
        return fail_name(j->chain, a->name, true);
    le_tensor *t = a->value.out;
    const le_tensor *shape = &j->chain->values[i].shape;
    if (!t || j->users[i])
        return le_fail(LE_ERR_ARGUMENT, "%s: output '%s' %s", j->chain->name, a->name,
                       t ? "was given twice" : "is NULL");
    j->users[i] = t;
    if (!t->data && !t->storage)
        return t->dtype && t->dtype != shape->dtype
                   ? fail_tensor(j->chain, "output", a->name, t, shape)
                   : LE_OK;
    return same_shape(t, shape) ? LE_OK : fail_tensor(j->chain, "output", a->name, t, shape);
}

static le_status take_option(le__chain_want *want, const char *chain, const le_arg *a) {
    le__constraint w = {.run_type = want->run_type,
                        .implementation = want->implementation,
                        .device = want->device,
                        .mode = want->mode,
                        .memory_limit = want->memory_limit,
                        .reproducible = want->reproducible,
                        .keep_on_device = want->keep_on_device};
    if (a->option == LE_OPTION_RTOL || a->option == LE_OPTION_ATOL ||
        a->option == LE_OPTION_OBJECTIVE)
        return le_fail(LE_ERR_ARGUMENT, "%s: option %d is for single calls: give it to a step",
                       chain, (int)a->option);
    le_status status = le__constraint_take(&w, chain, a);
    want->run_type = w.run_type && strcmp(w.run_type, "staged") ? w.run_type : NULL;
    want->implementation = w.implementation;
    want->device = w.device;
    want->mode = w.mode;
    want->memory_limit = w.memory_limit;
    want->reproducible = w.reproducible;
    want->keep_on_device = w.keep_on_device;
    return status;
}

static le_status take_argument(job *j, const le_arg *a) {
    if (a->kind == LE_KIND_IN)
        return take_input(j, a);
    if (a->kind == LE_KIND_OUT)
        return take_output(j, a);
    if (a->kind == LE_KIND_OPTION)
        return take_option(&j->want, j->chain->name, a);
    return le_fail(LE_ERR_ARGUMENT, "%s: '%s' is neither an input (LE_IN) nor an output (LE_OUT)",
                   j->chain->name, a->name ? a->name : "(null)");
}

static le_status fail_overlap(const job *j, int out, const char *name) {
    return le_fail(LE_ERR_ARGUMENT, "%s: output '%s' shares memory with '%s'", j->chain->name,
                   j->chain->values[out].name, name);
}

static bool overlap(const le_tensor *a, const le_tensor *b) {
    const char *low, *high, *low2, *high2;
    if (!a || !b || !a->data || !b->data)
        return false;
    le__tensor_extent(a, &low, &high);
    le__tensor_extent(b, &low2, &high2);
    return low < high2 && low2 < high;
}

static le_status check_overlaps(const job *j, const le_arg *args, size_t n) {
    for (int o = 0; o < j->chain->n_values; o++)
        for (size_t i = 0; j->users[o] && i < n; i++) {
            const le_tensor *t = args[i].kind == LE_KIND_IN    ? args[i].value.in
                                 : args[i].kind == LE_KIND_OUT ? args[i].value.out
                                                               : NULL;
            if (!(args[i].kind == LE_KIND_OUT && t == j->users[o]) && overlap(j->users[o], t))
                return fail_overlap(j, o, args[i].name);
        }
    return LE_OK;
}

static le_status fill_in(job *j) {
    le_chain *c = j->chain;
    bool any = false;
    for (int i = 0; i < c->n_values; i++) {
        const le__chain_value *v = &c->values[i];
        any = any || j->users[i];
        if (v->role == LE__VALUE_INPUT && v->root == i && !j->tensors[i].storage)
            return le_fail(LE_ERR_ARGUMENT, "%s: input '%s' is missing", c->name, v->name);
        le_status status = LE_OK;
        if (v->role == LE__VALUE_CONSTANT && v->root == i)
            status = le__chain_wrap(&j->tensors[i], &v->constant, true);
        else if (j->users[i] && j->users[i]->data && !j->users[i]->storage &&
                 le__chain_may_write_out(c, i, &j->want))
            status = le__chain_wrap(&j->tensors[i], j->users[i], false);
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

static bool is_allocated(const le_tensor *t) {
    return t->data || t->storage;
}

/* What can fail of handing an output over: bringing it to the host, unless the caller wants it left
 * where it is. */
static le_status fetch(job *j, int i) {
    le_tensor *user = j->users[i];
    le_status status = LE_OK;
    if (is_allocated(user) || !j->want.keep_on_device)
        status = le__chain_to_host(&j->tensors[i], &j->chain->report.bytes_from_device);
    if (status == LE_OK && user->storage) {
        void *host;
        status = le__storage_host(user->storage, true, false, &host);
        if (status == LE_OK)
            user->data = (char *)host + user->offset * (int64_t)le_dtype_size(user->dtype);
    }
    return status;
}

static void hand_over(job *j, int i) {
    le_tensor *user = j->users[i], *t = &j->tensors[i];
    if (!is_allocated(user)) {
        *user = *t;
        t->storage = NULL;
    } else if (user->data != t->data) {
        le__tensor_unpack(user, t->data);
    }
}

static le_status run_job(job *j, const le_arg *args, size_t n_args) {
    le_chain *c = j->chain;
    j->want.beside = c->beside;
    le_status status = take_arguments(j, args, n_args);
    if (status == LE_OK)
        status = le__chain_plan(c, j->tensors, &j->want);
    if (status == LE_OK)
        status = le__chain_execute(c, j->tensors, &j->want);
    for (int i = 0; status == LE_OK && i < c->n_values; i++)
        if (j->users[i])
            status = fetch(j, i);
    for (int i = 0; status == LE_OK && i < c->n_values; i++)
        if (j->users[i])
            hand_over(j, i);
    return status;
}

le_status le_chain_run_args(le_chain *c, const le_arg *args, size_t n_args) {
    if (c->status != LE_OK)
        return le_chain_status(c);
    job j = {.chain = c,
             .tensors = calloc((size_t)c->n_values + 1, sizeof(le_tensor)),
             .users = calloc((size_t)c->n_values + 1, sizeof(le_tensor *))};
    le_status status = LE_OK;
    pthread_mutex_lock(&c->mutex);
    if (j.tensors && j.users)
        status = run_job(&j, args, n_args);
    else
        status = le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    pthread_mutex_unlock(&c->mutex);
    for (int i = 0; j.tensors && i < c->n_values; i++)
        le__storage_release(j.tensors[i].storage);
    free(j.tensors);
    free(j.users);
    return status;
}

le_status le__chain_foresee(le_chain *c, le__chain_want *want, le_chain_plan **out) {
    want->only_look = true;
    le_status status = le__chain_plan(c, NULL, want);
    for (int i = 0; status == LE_OK && i < c->n_steps; i++)
        status = le__step_foresee(c, i, want);
    return status == LE_OK ? le__chain_copy_plan(c, out) : status;
}

le_status le_chain_explain(le_chain *c, le_chain_plan **out, const le_arg *options,
                           size_t n_options) {
    le__chain_want want = {0};
    *out = NULL;
    if (c->status != LE_OK)
        return le_chain_status(c);
    for (size_t i = 0; i < n_options; i++) {
        le_status status = options[i].kind == LE_KIND_OPTION
                               ? take_option(&want, c->name, &options[i])
                               : le_fail(LE_ERR_ARGUMENT, "%s: only options are expected", c->name);
        if (status != LE_OK)
            return status;
    }
    pthread_mutex_lock(&c->mutex);
    le_status status = le__chain_foresee(c, &want, out);
    pthread_mutex_unlock(&c->mutex);
    return status;
}
