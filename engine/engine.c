/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Opening and closing engines, the default engine, run-time registration.
 */
#include "engine.h"

#include "chain/chain.h"
#include "core/cpu.h"
#include "choose/dispatch.h"
#include "opencl/opencl.h"
#include "core/options.h"
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t default_mutex = PTHREAD_MUTEX_INITIALIZER;
static le_engine *_Atomic default_engine;

static le_log_level log_level(void) {
    static const char *const names[] = {"error", "warning", "info", "debug"};
    const char *v = secure_getenv("LE_LOG");
    for (le_log_level l = LE_LOG_ERROR; v && l <= LE_LOG_DEBUG; l++)
        if (!strcmp(v, names[l]))
            return l;
    return LE_LOG_INFO;
}

static uint32_t allowed_isa(void) {
    uint32_t isa = le__cpu_isa();
    const char *v = secure_getenv("LE_ISA");
    if (!v || !*v || !strcmp(v, "avx512"))
        return isa;
    if (!strcmp(v, "avx2"))
        return isa & (LE_ISA_SSE2 | LE_ISA_AVX2);
    return !strcmp(v, "sse2") ? isa & LE_ISA_SSE2 : 0;
}

static void add_cpu(le_engine *e) {
    le__device *d = &e->devices[0];
    d->kind = LE_DEVICE_CPU;
    d->cpu_type = true;
    snprintf(d->id, sizeof d->id, "cpu");
    snprintf(d->name, sizeof d->name, "CPU pool");
    e->n_devices = 1;
}

le_status le_open(le_engine **out, const le_options *options) {
    if (!out)
        return le_fail(LE_ERR_ARGUMENT, "le_open: out is NULL");
    *out = NULL;
    le_engine *e = calloc(1, sizeof *e);
    if (!e)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    pthread_mutex_init(&e->devices_mutex, NULL);
    le_status status = le__options_resolve(&e->options, options);
    if (status == LE_OK) {
        e->log = (le__log){e->options.log, e->options.log_cookie, log_level()};
        e->isa = allowed_isa();
        add_cpu(e);
        status = le__registry_open(&e->registry);
    }
    if (status == LE_OK)
        status = le__pool_open(&e->pool, e->options.threads);
    if (status == LE_OK)
        status = le__dispatch_open(&e->dispatch, e);
    if (status == LE_OK)
        status = le__chains_open(&e->chains);
    if (status != LE_OK)
        le_close(&e);
    *out = e;
    return status;
}

void le_close(le_engine **engine) {
    if (!engine || !*engine)
        return;
    le_engine *e = *engine;
    *engine = NULL;
    le__chains_close(e->chains);
    le__dispatch_close(e->dispatch);
    le__pool_close(e->pool);
    le__profile_close(e);
    le__cl_close(e->cl);
    le__registry_close(&e->registry);
    le__options_free(&e->options);
    pthread_mutex_destroy(&e->devices_mutex);
    free(e);
}

/* Without it the last samples of a program that just returns from main would be lost. A forked
 * child that exits must leave its parent's engine alone. */
static pid_t default_pid;

static void shutdown_at_exit(void) {
    if (getpid() == default_pid)
        le_shutdown();
}

static le_status open_default(le_engine **out) {
    le_status status = le_open(out, NULL);
    if (status == LE_OK && !default_pid)
        atexit(shutdown_at_exit);
    default_pid = getpid();
    return status;
}

le_engine *le__engine_or_default(le_engine *engine) {
    if (engine)
        return engine;
    engine = default_engine;
    if (engine)
        return engine;
    pthread_mutex_lock(&default_mutex);
    engine = default_engine;
    if (!engine && open_default(&engine) == LE_OK)
        default_engine = engine;
    pthread_mutex_unlock(&default_mutex);
    return engine;
}

void le_shutdown(void) {
    pthread_mutex_lock(&default_mutex);
    le_engine *e = default_engine;
    default_engine = NULL;
    le_close(&e);
    pthread_mutex_unlock(&default_mutex);
}

le_status le_register_operation(le_engine *engine, const le_operation *operation) {
    engine = le__engine_or_default(engine);
    return engine ? le__registry_add_operation(&engine->registry, operation) : LE_ERR_MEMORY;
}

le_status le_register_implementation(le_engine *engine, const le_implementation *implementation) {
    engine = le__engine_or_default(engine);
    if (!engine)
        return LE_ERR_MEMORY;
    return le__registry_register(&engine->registry, implementation);
}

const le_operation *le_engine_operation(le_engine *engine, const char *name) {
    engine = le__engine_or_default(engine);
    le__operation_entry *e = engine && name ? le__registry_find(&engine->registry, name) : NULL;
    return e ? e->operation : NULL;
}

const le_operation *const *le_engine_operations(le_engine *engine, size_t *count) {
    engine = le__engine_or_default(engine);
    *count = engine ? engine->registry.n : 0;
    return engine ? engine->registry.operations : NULL;
}

const le_implementation *const *le_engine_implementations(le_engine *engine, const char *operation,
                                                          size_t *count) {
    engine = le__engine_or_default(engine);
    le__operation_entry *e =
        engine && operation ? le__registry_find(&engine->registry, operation) : NULL;
    *count = e ? e->n_implementations : 0;
    return e ? e->implementations : NULL;
}
