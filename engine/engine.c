/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Opening and closing engines, the default engine, run-time registration.
 */
#include "engine.h"

#include "call/keep.h"
#include "call/profile.h"
#include "chain/chain.h"
#include "chain/slabs.h"
#include "choose/dispatch.h"
#include "core/blocks.h"
#include "core/options.h"
#include "core/os.h"
#include "opencl/opencl.h"
#include "trial/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t default_mutex = PTHREAD_MUTEX_INITIALIZER;
static le_engine *_Atomic default_engine;

static const le__maker makers[] = {le__staged_implementations, le__slabs_implementations, NULL};

static void add_cpu(le_engine *e) {
    le__device *d = &e->devices[0];
    d->kind = LE_DEVICE_CPU;
    d->cpu_type = true;
    snprintf(d->id, sizeof d->id, "cpu");
    snprintf(d->name, sizeof d->name, "CPU pool");
    e->n_devices = 1;
}

static le_status in_child(le_engine *e, int threads) {
    e->process = le__os_process();
    pthread_mutex_init(&e->devices_mutex, NULL);
    le__chains_in_child(e->chains);
    le__keep_in_child(e->kept);
    e->profile = NULL;
    return le__pool_open(&e->pool, threads);
}

static void check_trial_program(const le_engine *e) {
    int error;
    const char *missing = le__trial_program_missing(&error);
    if (missing && (e->trials == LE__TRIALS_DEFAULT || e->trials == LE__TRIALS_SPAWN))
        le__log_write(&e->log, LE_LOG_WARNING,
                      "LE_TRIAL_PROGRAM is '%.256s', which cannot be run: %s; trials do without it",
                      missing, strerror(error));
}

le_status le_open(le_engine **out, const le_options *options) {
    if (!out)
        return le_fail(LE_ERR_ARGUMENT, "le_open: out is NULL");
    *out = NULL;
    le_engine *e = calloc(1, sizeof *e);
    if (!e)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    pthread_mutex_init(&e->devices_mutex, NULL);
    e->process = le__os_process();
    e->in_child = in_child;
    le_status status = le__options_resolve(&e->options, options);
    e->log = (le__log){e->options.log, e->options.log_cookie, LE_LOG_INFO};
    if (status == LE_OK)
        status = le__options_log_level(&e->log.level);
    if (status == LE_OK)
        status = le__options_isa(&e->isa);
    if (status == LE_OK)
        status = le__options_trials(&e->trials);
    if (status == LE_OK) {
        add_cpu(e);
        status = le__registry_open(&e->registry, makers);
    }
    if (status == LE_OK)
        status = le__pool_open(&e->pool, e->options.threads);
    if (status == LE_OK)
        status = le__dispatch_open(&e->dispatch, e);
    if (status == LE_OK)
        status = le__chains_open(&e->chains);
    if (status == LE_OK)
        status = le__keep_open(&e->kept);
    if (status == LE_OK)
        check_trial_program(e);
    else
        le_close(&e);
    *out = e;
    return status;
}

void le_close(le_engine **engine) {
    if (!engine || !*engine)
        return;
    le_engine *e = *engine;
    *engine = NULL;
    if (e->process != le__os_process())
        return; /* its threads and locks are another process's */
    le__chains_close(e->chains);
    le__dispatch_close(e->dispatch);
    le__pool_close(e->pool);
    le__cl_set_profile(e->cl, NULL);
    le__profile_free(e->profile);
    le__keep_close(e->kept);
    le__blocks_trim();
    le__cl_close(e->cl);
    le__registry_close(&e->registry);
    le__options_free(&e->options);
    pthread_mutex_destroy(&e->devices_mutex);
    free(e);
}

/* A child has a default engine of its own. */
static void forget_default(void) {
    default_engine = NULL;
}

/* Without it the last samples of a program that just returns from main would be lost. */
static void prepare_default(void) {
    atexit(le_shutdown);
    pthread_atfork(NULL, NULL, forget_default);
}

static le_status open_default(le_engine **out) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_default);
    return le_open(out, NULL);
}

static le_status check_process(const le_engine *e) {
    return e->process == le__os_process()
               ? LE_OK
               : le_fail(LE_ERR_UNSUPPORTED,
                         "this engine was opened in another process, before a fork: a child has to "
                         "open its own");
}

le_status le__engine_or_default(le_engine **engine) {
    le_status status = LE_OK;
    if (!*engine)
        *engine = default_engine;
    if (*engine)
        return check_process(*engine);
    le__os_lock(&default_mutex);
    *engine = default_engine;
    if (!*engine)
        status = open_default(engine);
    if (status == LE_OK)
        default_engine = *engine;
    pthread_mutex_unlock(&default_mutex);
    return status;
}

le_status le__engine_operation(le_engine **engine, const char *name, le__operation_entry **out) {
    le_status opened = le__engine_or_default(engine);
    return opened == LE_OK ? le__registry_get(&(*engine)->registry, name, out) : opened;
}

le_status le__engine_bind(le_engine **engine, const char *operation, const le_arg *args,
                          size_t n_args, le_call *out) {
    le__operation_entry *entry;
    le_status status = le__engine_operation(engine, operation, &entry);
    return status == LE_OK ? le__call_bind(out, *engine, entry, args, n_args) : status;
}

void le_shutdown(void) {
    le__os_lock(&default_mutex);
    le_engine *e = default_engine;
    default_engine = NULL;
    le_close(&e);
    pthread_mutex_unlock(&default_mutex);
}

le_status le_register_operation(le_engine *engine, const le_operation *operation) {
    le_status opened = le__engine_or_default(&engine);
    return opened == LE_OK ? le__registry_add_operation(&engine->registry, operation) : opened;
}

le_status le_register_implementation(le_engine *engine, const le_implementation *implementation) {
    le_status opened = le__engine_or_default(&engine);
    if (opened != LE_OK)
        return opened;
    return le__registry_register(&engine->registry, implementation);
}

le_status le_unregister_operation(le_engine *engine, const char *operation) {
    le_status opened = le__engine_or_default(&engine);
    return opened == LE_OK ? le__registry_drop_operation(&engine->registry, operation) : opened;
}

le_status le_unregister_implementation(le_engine *engine, const char *operation,
                                       const char *implementation) {
    le_status opened = le__engine_or_default(&engine);
    if (opened != LE_OK)
        return opened;
    return le__registry_drop_implementation(&engine->registry, operation, implementation);
}

const le_operation *le_engine_operation(le_engine *engine, const char *name) {
    bool open = le__engine_or_default(&engine) == LE_OK;
    le__operation_entry *e = open && name ? le__registry_find(&engine->registry, name) : NULL;
    return e ? e->operation : NULL;
}

const le_operation *const *le_engine_operations(le_engine *engine, size_t *count) {
    bool open = le__engine_or_default(&engine) == LE_OK;
    *count = open ? engine->registry.n : 0;
    return open ? engine->registry.operations : NULL;
}

const le_implementation *const *le_engine_implementations(le_engine *engine, const char *operation,
                                                          size_t *count) {
    bool open = le__engine_or_default(&engine) == LE_OK;
    le__operation_entry *e =
        open && operation ? le__registry_find(&engine->registry, operation) : NULL;
    *count = e ? e->n_implementations : 0;
    return e ? e->implementations : NULL;
}
