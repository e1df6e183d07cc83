/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The trial server: requests and answers over a socket pair. A request carries the shape of the
 * wanted call (no data), which is all that a sample call may depend on.
 */
#include "trial_server.h"

#include "clock.h"
#include "engine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_TEXTS = 16384 };
static const double most_building_s = 60;
static const double first_run_factor = 2.5; /* drivers compile at the first run, too */

struct le__trial_server {
    pthread_mutex_t mutex;
    int socket;
    pid_t pid;
};

typedef struct request_arg {
    bool given;
    le_tensor tensor;
    double f64;
    int64_t i64;
    int32_t str, f64s; /* offsets in texts; -1: NULL */
    size_t count;
} request_arg;

typedef struct request {
    uint32_t operation;
    char implementation[64];
    int32_t device, threads, schedule;
    int64_t params[LE__MAX_TUNABLES];
    bool has_like;
    request_arg args[LE_MAX_ARGS];
    size_t used;
    _Alignas(8) char texts[MAX_TEXTS];
} request;

typedef struct answer {
    bool known;
    le__trial_result result;
} answer;

typedef struct progress { /* shared by the server and the child of a trial */
    _Atomic int done, building;
    answer answer;
} progress;

static progress *in_child; /* set in the child only, which has one thread at that time */

static bool marked_child; /* of a trial without server */

void le__trial_mark_child(void) {
    marked_child = true;
}

bool le__trial_is_child(void) {
    return in_child != NULL || marked_child;
}

void le__trial_building(bool building) {
    if (in_child)
        in_child->building = building;
}

/* --------------------------------------------------------------------------- packing --------- */

static int32_t keep(request *r, const void *data, size_t size) {
    size_t rounded = (size + 7) / 8 * 8;
    if (!data || rounded > MAX_TEXTS - r->used)
        return -1;
    int32_t at = (int32_t)r->used;
    memcpy(r->texts + at, data, size);
    r->used += rounded;
    return at;
}

static bool pack(request *r, const le__operation_entry *entry, const le__candidate *c,
                 const le_call *like) {
    memset(r, 0, offsetof(request, texts));
    r->operation = entry->id;
    snprintf(r->implementation, sizeof r->implementation, "%s", c->implementation->name);
    r->device = c->device->index;
    r->threads = c->threads;
    r->schedule = (int32_t)c->schedule;
    memcpy(r->params, c->params, sizeof r->params);
    r->has_like = like != NULL;
    for (size_t i = 0; like && i < entry->operation->n_args; i++) {
        const le__bound_arg *b = &like->args[i];
        request_arg *a = &r->args[i];
        *a = (request_arg){.given = b->given,
                           .tensor = b->tensor,
                           .f64 = b->f64,
                           .i64 = b->i64,
                           .count = b->count};
        a->tensor.data = NULL;
        a->tensor.storage = NULL;
        a->str = keep(r, b->str, b->str ? strlen(b->str) + 1 : 0);
        a->f64s = keep(r, b->f64s, b->count * sizeof *b->f64s);
        if ((b->str && a->str < 0) || (b->count && a->f64s < 0))
            return false;
    }
    return true;
}

/* A call that has shapes and scalars but no data. */
static le_status unpack_like(const request *r, le_engine *engine, le__operation_entry *entry,
                             le_call *like) {
    memset(like, 0, sizeof *like);
    like->engine = engine;
    like->entry = entry;
    like->operation = entry->operation;
    like->want.atol = entry->operation->atol;
    like->want.rtol = entry->operation->rtol;
    for (size_t i = 0; i < entry->operation->n_args; i++) {
        const request_arg *a = &r->args[i];
        like->args[i] = (le__bound_arg){.given = a->given,
                                        .tensor = a->tensor,
                                        .f64 = a->f64,
                                        .i64 = a->i64,
                                        .count = a->count};
        like->args[i].str = a->str >= 0 ? r->texts + a->str : NULL;
        const void *list = a->f64s >= 0 ? r->texts + a->f64s : NULL;
        like->args[i].f64s = list;
    }
    return entry->operation->check(like);
}

/* --------------------------------------------------------------------- in the server --------- */

static bool transfer(int fd, void *data, size_t size, bool writing) {
    char *p = data;
    while (size) {
        ssize_t n = writing ? send(fd, p, size, MSG_NOSIGNAL) : recv(fd, p, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

static const le_implementation *find(const le__operation_entry *e, const char *name,
                                     const char **hash) {
    for (size_t i = 0; i < e->n_implementations; i++)
        if (!strcmp(e->implementations[i]->name, name)) {
            *hash = e->source_hashes[i];
            return e->implementations[i];
        }
    return NULL;
}

/* The child of one trial: a fresh pool, a fresh OpenCL. */
static void run_trial(le_engine *engine, const request *r, progress *p) {
    in_child = p;
    if (le__pool_open(&engine->pool, le__pool_max_threads(engine->pool)) != LE_OK)
        _exit(1);
    pthread_mutex_init(&engine->devices_mutex, NULL); /* it was held when the server was forked */
    p->building = 1;                                  /* opening drivers takes its time too */
    le__engine_discover(engine);
    p->building = 0;
    le__operation_entry *entry = engine->registry.entries[r->operation];
    le__candidate c = {.threads = r->threads, .schedule = (le__schedule)r->schedule};
    c.implementation = find(entry, r->implementation, &c.source_hash);
    if (r->device >= engine->n_devices)
        _exit(1);
    c.device = &engine->devices[r->device];
    memcpy(c.params, r->params, sizeof c.params);
    le_call *like = malloc(sizeof *like);
    if (!like || (r->has_like && unpack_like(r, engine, entry, like) != LE_OK))
        _exit(1);
    p->answer.known = true;
    le__trial_here(engine, entry, &c, r->has_like ? like : NULL, &p->answer.result);
    p->done = 1;
    _exit(0);
}

static void watch(pid_t pid, progress *p, double limit_s) {
    double running = 0, building = 0, last = le__now();
    int state = 0;
    bool killed = false;
    while (waitpid(pid, &state, WNOHANG) == 0) {
        struct timespec nap = {0, 1000000};
        nanosleep(&nap, NULL);
        double now = le__now();
        *(p->building ? &building : &running) += now - last;
        last = now;
        if (!killed && (running > limit_s + le__trial_starved(pid) || building > most_building_s)) {
            kill(pid, SIGKILL);
            killed = true;
        }
    }
    le__trial_result *r = &p->answer.result;
    if (p->done || !(killed || WIFSIGNALED(state)))
        return;
    p->answer.known = true;
    r->status = killed ? LE_ERR_TIMEOUT : LE_ERR_CRASH;
    if (killed)
        snprintf(r->reason, sizeof r->reason, "did not end within %g s", limit_s);
    else
        snprintf(r->reason, sizeof r->reason, "crashed with signal %d (%s)", WTERMSIG(state),
                 strsignal(WTERMSIG(state)));
}

static void leave_files_alone(int keep_fd) {
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    if (keep_fd > 3)
        close_range(3, (unsigned)keep_fd - 1, 0);
    close_range((unsigned)keep_fd + 1, ~0u, 0);
}

static void serve(le_engine *engine, int fd) {
    leave_files_alone(fd);
    signal(SIGINT, SIG_IGN); /* a terminal's interrupt is for the caller; the server ends with it */
    request *r = malloc(sizeof *r);
    progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (r && p != MAP_FAILED && transfer(fd, r, sizeof *r, false)) {
        memset(p, 0, sizeof *p);
        const char *hash;
        bool known = r->operation < engine->registry.n &&
                     find(engine->registry.entries[r->operation], r->implementation, &hash);
        pid_t pid = known ? fork() : -1;
        if (pid == 0)
            run_trial(engine, r, p);
        if (pid > 0)
            watch(pid, p, first_run_factor * engine->options.trial_limit_s);
        if (!transfer(fd, &p->answer, sizeof p->answer, true))
            break;
    }
    _exit(0);
}

/* ------------------------------------------------------------------ in this process ---------- */

void le__trial_server_open(le__trial_server **out, le_engine *engine) {
    int pair[2];
    *out = NULL;
    le__trial_server *s = calloc(1, sizeof *s);
    if (!s || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        free(s);
        return;
    }
    pthread_mutex_init(&s->mutex, NULL);
    s->socket = pair[0];
    s->pid = fork();
    if (s->pid == 0)
        serve(engine, pair[1]);
    close(pair[1]);
    if (s->pid < 0)
        le__trial_server_close(s);
    else
        *out = s;
}

void le__trial_server_close(le__trial_server *s) {
    if (!s)
        return;
    close(s->socket);
    if (s->pid > 0)
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

bool le__trial_server_try(le__trial_server *s, const le__operation_entry *entry,
                          const le__candidate *candidate, const le_call *like,
                          le__trial_result *out) {
    request *r = s ? malloc(sizeof *r) : NULL;
    answer a = {0};
    if (!r)
        return false;
    pthread_mutex_lock(&s->mutex);
    bool ok = pack(r, entry, candidate, like) && transfer(s->socket, r, sizeof *r, true) &&
              transfer(s->socket, &a, sizeof a, false);
    pthread_mutex_unlock(&s->mutex);
    free(r);
    if (ok && a.known)
        *out = a.result;
    return ok && a.known;
}
