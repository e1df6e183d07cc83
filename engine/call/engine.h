/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The engine's own state: what le_open makes and le_close ends. Rooms above this one keep theirs
 * behind a pointer.
 */
#ifndef LE_CALL_ENGINE_H
#define LE_CALL_ENGINE_H

#include "call/device.h"
#include "call/registry.h"
#include "core/options.h"
#include "core/pool.h"

#include <pthread.h>

struct le__cl;
struct le__dispatch;
struct le_profile;
struct le__chains;
struct le__keep;
struct le__trial_server;

enum { LE__MAX_DEVICES = 16 };

struct le_engine {
    uint32_t process;   /* le__os_process() of who opened it */
    le_options options; /* with the environment applied; texts are owned */
    le__log log;
    le__registry registry;
    le__pool *pool;
    uint32_t isa; /* le_isa bits of this CPU, less what LE_ISA masks */
    pthread_mutex_t devices_mutex;
    atomic_bool discovered; /* OpenCL has been looked for */
    struct le__cl *cl;
    le__device devices[LE__MAX_DEVICES];
    _Atomic int n_devices;                 /* only grows; devices[0] is the CPU */
    struct le__trial_server *trial_server; /* of the process; NULL: none */
    le__trials trials;
    _Atomic double race_until; /* races end at this le__now(); 0: when they are decided */
    struct le__dispatch *dispatch;
    struct le__chains *chains;  /* plans and transfer times */
    struct le__keep *kept;      /* data that implementations keep */
    struct le_profile *profile; /* NULL: none is under way */
    /* before a fork under a sanitizer: returns when the threads of the database hold no lock */
    void (*rest)(le_engine *engine);
    /* in the child of a trial, where only one thread is left: locks that others held are made anew,
     * as is the pool. What those locks guard may be half changed: choosing, the database and
     * profiles are out of bounds there. */
    le_status (*in_child)(le_engine *engine, int threads);
};

#endif
