/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The engine's own state: what le_open makes and le_close ends.
 */
#ifndef LE_ENGINE_H
#define LE_ENGINE_H

#include "choose/device.h"
#include "core/pool.h"
#include "call/registry.h"

#include <pthread.h>

struct le__cl;
struct le__dispatch;
struct le_profile;
struct le__chains;
struct le__trial_server;

enum { LE__MAX_DEVICES = 16 };

struct le_engine {
    le_options options; /* with the environment applied; texts are owned */
    le__log log;
    le__registry registry;
    le__pool *pool;
    uint32_t isa; /* le_isa bits of this CPU, less what LE_ISA masks */
    pthread_mutex_t devices_mutex;
    bool discovered; /* OpenCL has been looked for */
    struct le__cl *cl;
    le__device devices[LE__MAX_DEVICES];
    _Atomic int n_devices;                 /* only grows; devices[0] is the CPU */
    struct le__trial_server *trial_server; /* of the process; NULL: none */
    _Atomic double race_until; /* races end at this le__now(); 0: when they are decided */
    struct le__dispatch *dispatch;
    struct le__chains *chains;  /* plans and transfer times */
    struct le_profile *profile; /* NULL: none is under way */
};

/* The default engine, opened when needed; NULL with an error text when that fails. */
le_engine *le__engine_or_default(le_engine *engine);
/* Opens OpenCL if that has not been done and LE_DEVICE allows it. Thread-safe. */
void le__engine_discover(le_engine *engine);

#endif
