/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The trial server itself: a process that forks a child for each trial and watches it.
 */
#include "trial/trial_server.h"

#include "core/clock.h"
#include "core/os.h"
#include "call/engine.h"
#include "opencl/opencl.h"
#include "trial/child.h"
#include "trial/rehearsal.h"
#include "trial/trial_request.h"
#include "numbers.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const double most_opening_s = 10, most_building_s = 60;
static const double first_run_factor = 2.5; /* drivers compile at the first run, too */

typedef struct progress { /* shared by the server and the child of a trial */
    _Atomic int done, building;
    le__trial_answer answer;
} progress;

static progress *in_child; /* set in the child only, which has one thread at that time */

static bool marked_child; /* of a trial without server */

void le__trial_mark_child(void) {
    marked_child = true;
}

bool le__trial_is_child(void) {
    return in_child != NULL || marked_child;
}

static void building(bool begins) {
    in_child->building = begins;
}

/* --- the child of one trial --- */

static const le_implementation *find(const le__operation_entry *e, const char *name,
                                     const char **hash) {
    for (size_t i = 0; i < e->n_implementations; i++)
        if (!strcmp(e->implementations[i]->name, name)) {
            *hash = e->source_hashes[i];
            return e->implementations[i];
        }
    return NULL;
}

/* Whether this process has what is asked for as it is there: it knows what was registered, at the
 * time when it was forked, in the engine that forked it. */
static bool is_known(const le_engine *e, const le__trial_request *r) {
    const char *hash;
    if (r->rehearsal >= 0)
        return true;
    le__operation_entry *entry = le__registry_find(&e->registry, r->operation);
    const le_implementation *impl = entry ? find(entry, r->implementation, &hash) : NULL;
    return impl && le__trial_descriptor(entry, impl, hash) == r->descriptor;
}

/* The asking engine may be another one than that which the server was forked with. */
static void take_options(le_engine *e, const le__trial_request *r) {
    e->isa = r->isa;
    e->options.seed = r->seed;
    e->options.memory_limit_bytes = r->memory_limit;
    e->options.device_memory_limit_bytes = r->device_memory_limit;
    e->options.cl_dir = le__trial_text(r, r->cl_dir);
    e->options.cache_dir = le__trial_text(r, r->cache_dir);
    /* what is asked for by name is its affair; devices are counted without a filter */
    e->options.devices = e->options.run_type = e->options.implementation = NULL;
    if (le__trial_text(r, r->library))
        setenv("LE_OPENCL_LIBRARY", le__trial_text(r, r->library), 1);
    else
        unsetenv("LE_OPENCL_LIBRARY");
}

typedef struct child {
    le_engine *engine;
    const le__trial_request *request;
    progress *progress;
} child;

/* What the machine has no room for just now says nothing of the candidate. */
static void lack(progress *p, const char *what) {
    le__trial_result *r = &p->answer.result;
    *r = (le__trial_result){.status = LE_ERR_MEMORY, .tested = true};
    snprintf(r->reason, sizeof r->reason, "%s", what);
    p->answer.known = true;
    p->done = 1;
}

/* A fresh pool, a fresh OpenCL. */
static void run_trial(void *context) {
    le_engine *engine = ((child *)context)->engine;
    const le__trial_request *r = ((child *)context)->request;
    progress *p = in_child = ((child *)context)->progress;
    le__cl_on_building(building);
    take_options(engine, r);
    if (r->device == 0)
        le__trial_limit_memory();
    if (engine->in_child(engine, r->pool_threads) != LE_OK) {
        lack(p, le_error_message());
        return;
    }
    p->building = 1; /* opening drivers takes its time too */
    if (r->device > 0)
        le__cl_add_devices(engine);
    engine->discovered = true;
    p->building = 0;
    if (r->device >= engine->n_devices)
        _exit(1);
    if (r->rehearsal >= 0) {
        p->answer.known = true;
        le__rehearse_here(engine, &engine->devices[r->device], le__trial_text(r, r->rehearsal),
                          &p->answer.result);
        p->done = 1;
        return;
    }
    le__operation_entry *entry = le__registry_find(&engine->registry, r->operation);
    le__candidate c = {.threads = r->threads, .schedule = (le__schedule)r->schedule};
    c.implementation = find(entry, r->implementation, &c.source_hash);
    c.device = &engine->devices[r->device];
    memcpy(c.params, r->params, sizeof c.params);
    le_call *like = malloc(sizeof *like);
    if (!like) {
        lack(p, "out of memory");
        return;
    }
    if (r->has_like && le__trial_unpack(r, engine, entry, like) != LE_OK)
        _exit(1);
    p->answer.known = true;
    le__trial_watch_walls(&p->answer.result, &p->done);
    le__trial_here(engine, entry, &c, r->has_like ? like : NULL, &p->answer.result);
    p->done = 1;
}

/* --- the server --- */

typedef struct running { /* a trial */
    le__trial_request *request;
    progress *progress;
    pid_t pid;
    bool killed, again;
    bool yields; /* to calls: none waits for it any more */
    bool broken; /* it did not end by itself */
    double run_s, building_s, last, starved;
    le__trial_watch watch;
    bool idle;
} running;

static void start(le_engine *engine, running *t) {
    memset(t->progress, 0, sizeof *t->progress);
    t->run_s = t->building_s = t->starved = 0;
    t->killed = t->broken = t->idle = t->yields = false;
    t->watch = (le__trial_watch){0};
    t->last = le__now();
    t->pid = fork();
    if (t->pid == 0)
        le__trial_child(run_trial, &(child){engine, t->request, t->progress});
    if (t->pid < 0)
        lack(t->progress, "no process could begin for its trial");
}

static const int yielding = 10; /* a tenth of what calls get of a core that both want */

/* Its threads are in its group. Races would take hanging kernels for the machine's usual load. */
static void yield_unwaited(running *t) {
    if (!t->yields && t->run_s + t->building_s >= t->request->wait_s)
        t->yields = setpriority(PRIO_PGRP, (id_t)t->pid, yielding) == 0; /* not before there is a group */
}

static void stop_late(running *t, double limit_s) {
    double now = le__now();
    *(t->progress->building ? &t->building_s : &t->run_s) += now - t->last;
    t->last = now;
    yield_unwaited(t);
    t->starved = fmax(t->starved, le__os_starved(t->pid));
    le__trial_look(&t->watch, t->pid);
    double building_s = t->progress->answer.known ? most_building_s : most_opening_s;
    if (t->killed || (t->run_s <= limit_s + t->starved && t->building_s <= building_s + t->starved))
        return;
    t->idle = le__trial_idle(&t->watch, limit_s / 2);
    kill(t->pid, SIGKILL);
    t->killed = true;
}

static void judge(running *t, int state, double limit_s) {
    le__trial_answer *a = &t->progress->answer;
    le__trial_result *r = &a->result;
    a->key = t->request->key;
    r->starved = t->starved;
    t->broken = t->killed || WIFSIGNALED(state) || (a->known && !t->progress->done);
    if (t->progress->done || !a->known || !t->broken)
        return; /* what breaks before it is known breaks in the driver: no candidate has run */
    r->tested = true;
    r->idle = t->idle;
    r->status = t->killed ? LE_ERR_TIMEOUT : LE_ERR_CRASH;
    if (t->killed)
        le__number_print(r->reason, sizeof r->reason, "did not end within %g s", limit_s);
    else
        le__trial_child_tell_end(state, r->reason, sizeof r->reason);
}

/* A device that is lost in two trials of one candidate, and is there before each of them, was lost
 * by the candidate; a driver that did not open gets another chance. False: the trial goes on. */
static bool is_over(le_engine *engine, running *t) {
    double limit_s = t->request->limit_s * (t->request->device > 0 ? first_run_factor : 1);
    int state = 0;
    if (t->pid > 0 && !le__trial_child_ended(t->pid, &state)) {
        stop_late(t, limit_s);
        return false;
    }
    if (t->pid > 0)
        judge(t, state, limit_s);
    le__trial_answer *a = &t->progress->answer;
    bool unopened = !a->known && t->broken;
    bool lost = a->known && a->result.status == LE_ERR_DEVICE_LOST;
    if (!unopened && !lost)
        return true;
    if (t->again) {
        a->result.status = lost ? LE_ERR_CRASH : a->result.status;
        return true;
    }
    t->again = true;
    start(engine, t);
    return false;
}

static void leave_files_alone(int keep_fd) {
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    le__os_close_files(keep_fd);
}

typedef struct running_list {
    running of[LE__TRIALS_AT_ONCE];
    size_t n;
} running_list;

/* False: the other side closed or is confused. */
static bool take_request(le_engine *engine, int fd, running_list *l) {
    running *t = &l->of[l->n];
    *t = (running){.request = malloc(sizeof *t->request)};
    t->progress =
        mmap(NULL, sizeof *t->progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    le__trial_request *r = t->request;
    if (!r || t->progress == MAP_FAILED || !le__trial_transfer_request(fd, r, false))
        return false;
    l->n++;
    if (is_known(engine, r))
        start(engine, t);
    else
        t->progress->answer = (le__trial_answer){.key = r->key, .unregistered = true};
    return true;
}

static bool answer_ended(le_engine *engine, int fd, running_list *l) {
    bool ok = true;
    for (size_t i = 0; i < l->n && ok;) {
        running *t = &l->of[i];
        if (!is_over(engine, t)) {
            i++;
            continue;
        }
        t->progress->answer.key = t->request->key;
        ok = le__trial_transfer(fd, &t->progress->answer, sizeof(le__trial_answer), true);
        free(t->request);
        munmap(t->progress, sizeof *t->progress);
        *t = l->of[--l->n];
    }
    return ok;
}

void le__trial_serve(le_engine *engine, int fd) {
    running_list l = {.n = 0};
    bool ok = true;
    leave_files_alone(fd);
    signal(SIGINT, SIG_IGN); /* a terminal's interrupt is for the caller; the server ends with it */
    while (ok) {
        struct pollfd p = {fd, l.n < LE__TRIALS_AT_ONCE ? POLLIN : 0, 0};
        int n = poll(&p, 1, l.n ? 1 : -1);
        if (n > 0) /* with a full list only the other side's end is waited for */
            ok = l.n < LE__TRIALS_AT_ONCE && take_request(engine, fd, &l);
        ok = ok && answer_ended(engine, fd, &l);
    }
    for (size_t i = 0; i < l.n; i++)
        if (l.of[i].pid > 0)
            kill(-l.of[i].pid, SIGKILL);
    _exit(0);
}
