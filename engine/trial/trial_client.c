/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * This process's side of the servers of trials. One that is forked and one that is spawned serve
 * all engines of the process, and live until the process ends: once OpenCL has been opened no other
 * can be forked.
 */
#include "trial/trial_server.h"

#include "core/clock.h"
#include "core/os.h"
#include "core/tick.h"
#include "call/engine.h"
#include "trial/spawn.h"
#include "trial/trial_request.h"

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LATE = 32 };

struct le__trial_server {
    pthread_mutex_t mutex; /* guards all below */
    int socket;
    pid_t owner;                            /* the process that forked it */
    uint64_t under_way[LE__TRIALS_AT_ONCE]; /* keys of requests whose answers are still to come */
    size_t n_under_way;
    le__trial_answer *late[LATE]; /* that nobody waited for */
    size_t n_late;
    bool gone;
};

static le__trial_server server = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static le__trial_server helper = {.mutex = PTHREAD_MUTEX_INITIALIZER}; /* spawned */

/* Mutex held. */
static void begin_server(le__trial_server *s, int socket) {
    s->owner = getpid();
    s->socket = socket;
    s->gone = false;
    s->n_under_way = s->n_late = 0;
}

le__trial_server *le__trial_helper_open(void) {
    le__os_lock(&helper.mutex);
    if (helper.owner != getpid()) {
        int socket = le__trial_spawn();
        begin_server(&helper, socket);
        helper.gone = socket < 0;
    }
    bool there = !helper.gone;
    pthread_mutex_unlock(&helper.mutex);
    return there ? &helper : NULL;
}

le__trial_server *le__trial_server_open(le_engine *engine, bool clean) {
    int pair[2];
    le__trial_server *s = NULL;
    le__os_lock(&server.mutex);
    if (server.owner == getpid()) {
        s = &server;
    } else if (clean && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0) {
        le__trial_rest(engine);
        pid_t pid = le__options_fork(&engine->options);
        if (pid == 0)
            le__trial_serve(engine, pair[1]);
        close(pair[1]);
        if (pid > 0) {
            begin_server(&server, pair[0]);
            s = &server;
        } else {
            close(pair[0]);
        }
    }
    pthread_mutex_unlock(&server.mutex);
    return s;
}

/* --- mutex held below --- */

static bool is_readable(const le__trial_server *s, double seconds) {
    struct pollfd p = {s->socket, POLLIN, 0};
    return poll(&p, 1, (int)ceil(seconds * 1e3)) > 0;
}

static bool is_under_way(const le__trial_server *s, uint64_t key) {
    for (size_t i = 0; i < s->n_under_way; i++)
        if (s->under_way[i] == key)
            return true;
    return false;
}

/* Receives one answer: to out if it is that of the key, else it is kept for the one who asked;
 * without room he may ask again. */
static bool receive(le__trial_server *s, uint64_t key, le__trial_answer *out) {
    le__trial_answer *a = malloc(sizeof *a), none, *to = a ? a : &none;
    s->gone = !le__trial_transfer(s->socket, to, sizeof *to, false);
    bool wanted = !s->gone && to->key == key;
    if (wanted)
        *out = *to;
    for (size_t i = 0; !s->gone && i < s->n_under_way; i++)
        if (s->under_way[i] == to->key) {
            s->under_way[i] = s->under_way[--s->n_under_way];
            break;
        }
    if (a && !wanted && !s->gone && s->n_late < LATE)
        s->late[s->n_late++] = a;
    else
        free(a);
    return wanted;
}

static bool take_late(le__trial_server *s, uint64_t key, le__trial_answer *out) {
    for (size_t i = 0; i < s->n_late; i++)
        if (s->late[i]->key == key) {
            *out = *s->late[i];
            free(s->late[i]);
            s->late[i] = s->late[--s->n_late];
            return true;
        }
    return false;
}

/* Whether the answer is there. */
static bool collect(le__trial_server *s, uint64_t key, le__trial_answer *a) {
    while (!s->gone && is_readable(s, 0))
        if (receive(s, key, a))
            return true;
    return take_late(s, key, a);
}

static void begin(le__trial_server *s, le__trial_request *r) {
    s->gone = s->gone || !le__trial_transfer_request(s->socket, r, true);
    s->under_way[s->n_under_way++] = r->key;
}

/* --- mutex not held --- */

/* False: pending. Others may take an answer from the socket for the one who waits for it. */
static bool ask(le__trial_server *s, le__trial_request *r, double wait_s, le__trial_answer *a) {
    static const double nap = 0.01;
    double end = le__now() + wait_s;
    for (bool first = true;; first = false) {
        pthread_mutex_lock(&s->mutex);
        bool over = collect(s, r->key, a) || s->gone, begun = is_under_way(s, r->key);
        if (!over && !begun && s->n_under_way < LE__TRIALS_AT_ONCE)
            begin(s, r);
        pthread_mutex_unlock(&s->mutex);
        double left = end - le__now();
        bool others = first && begun && isfinite(wait_s);
        if (over || others || left <= 0 || !le__ticker_look(le__ticker_here(), NAN))
            return over;
        is_readable(s, fmin(left, nap));
    }
}

le__late le__trial_server_look(le__trial_server *s, const le__candidate *candidate,
                               const le_call *like, le__trial_result *out) {
    uint64_t key = le__trial_key(candidate, like);
    le__trial_answer a = {0};
    if (!s)
        return LE__LATE_UNKNOWN;
    if (pthread_mutex_trylock(&s->mutex) != 0)
        return LE__LATE_PENDING;
    bool there = collect(s, key, &a), pending = is_under_way(s, key);
    pthread_mutex_unlock(&s->mutex);
    *out = a.result;
    return there && a.known ? LE__LATE_THERE : pending ? LE__LATE_PENDING : LE__LATE_UNKNOWN;
}

bool le__trial_server_try(le__trial_server *s, const le__operation_entry *entry,
                          const le__candidate *candidate, const le_call *like,
                          const char *rehearsal, double wait_s, le__trial_result *out) {
    le__trial_answer a = {0};
    if (!s)
        return false;
    le__trial_request *r = malloc(sizeof *r);
    if (!r) {
        *out =
            (le__trial_result){.status = LE_ERR_MEMORY, .tested = true, .reason = "out of memory"};
        return true;
    }
    le__trial_pack(r, entry, candidate, like, rehearsal, like->engine);
    r->wait_s = wait_s;
    bool pending = !ask(s, r, wait_s, &a);
    pthread_mutex_lock(&s->mutex);
    bool gone = s->gone;
    pthread_mutex_unlock(&s->mutex);
    free(r);
    *out = a.result;
    out->pending = pending;
    if (a.known)
        return true;
    if (a.unregistered || (gone && s == &helper))
        return false;
    /* what cannot be tried outside this process is not tried: it might take the caller with it */
    const char *why = pending ? "its trial is under way"
                      : gone  ? "the process for trials is gone"
                              : "the device is not there in trials";
    *out = (le__trial_result){.status = LE_ERR_UNSUPPORTED, .tested = true, .pending = pending};
    snprintf(out->reason, sizeof out->reason, "%s", why);
    return true;
}
