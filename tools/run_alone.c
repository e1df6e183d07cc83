/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A tool by itself: where a launcher has started several, it becomes le-run-mpi or le-bench-mpi, so
 * that nobody else needs the libraries of MPI.
 */
#include "run_world.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside the tool, or where it was installed. */
static bool find_part(char *out, size_t size) {
    static const char *const places[] = {"", "/" LE_MPI_FROM_BIN};
    char folder[3072];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, size, "%s%s/%s-mpi", folder, places[i], slash + 1);
        if (access(out, X_OK) == 0)
            return true;
    }
    return false;
}

void run_world_start(char **argv) {
    run_launch l = run_launched();
    char part[4096];
    if (!l.launcher && !run_is_left(argv + 1))
        return;
    if (find_part(part, sizeof part))
        execv(part, argv);
    if (!l.launcher)
        return;
    tool_message("rank %d of %d, but this build has no MPI part (LE_WITH_MPI); LE_MPI=off lets "
                 "each process do everything",
                 l.rank, l.ranks);
    exit(TOOL_FAILED);
}

int run_world_ranks(void) {
    return 1;
}

int run_world_rank(void) {
    return 0;
}

bool run_world_shares(void) {
    return false;
}

le_status run_world_open(le_engine **out, const le_options *options) {
    return le_open(out, options);
}

le_status run_world_call(le_engine *engine, const char *operation, const le_arg *args, size_t n,
                         int64_t *left) {
    *left = -1;
    return le_call_run(engine, operation, args, n);
}

int64_t run_world_boxes(void) {
    return 0;
}

le_status run_world_agree(le_status status) {
    return status;
}

bool run_world_all(bool own) {
    return own;
}

/* Mode measure does it where there is nobody else. */
le_status run_world_race(le_engine *engine, const char *operation, const le_arg *args, size_t n) {
    return le_call_run(engine, operation, args, n);
}

void run_world_begin(void) {}

bool run_world_again(void) {
    return false;
}

int64_t run_world_tell(int64_t number) {
    return number;
}

void run_world_broadcast(void *data, int64_t bytes) {
    (void)data, (void)bytes;
}

void run_world_done(int64_t items, double seconds) {
    (void)items, (void)seconds;
}

double *run_world_speeds(double own) {
    (void)own;
    return NULL;
}

void run_world_learn(le_engine *engine) {
    (void)engine;
}

/* There is nobody to send to. */
void run_world_send(const void *data, int64_t bytes) {
    (void)data, (void)bytes;
}

void run_world_receive(void *data, int64_t bytes, int from) {
    (void)data, (void)bytes, (void)from;
}
