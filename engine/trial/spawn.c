/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Finding and starting le-trial.
 */
#include "trial/spawn.h"

#include "core/os.h"
#include "trial/trial_request.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The folder of the library or program that holds this function. */
static bool own_folder(char *out, size_t size) {
    union {
        int (*function)(void);
        void *address;
    } here = {le__trial_spawn};
    Dl_info info;
    if (!dladdr(here.address, &info) || !info.dli_fname)
        return false;
    char *path = realpath(info.dli_fname, NULL);
    if (!path) /* a program that was started by its name alone */
        path = realpath(LE__OS_PROGRAM, NULL);
    char *slash = path ? strrchr(path, '/') : NULL;
    bool fits = slash && (size_t)(slash - path) < size;
    if (fits)
        snprintf(out, size, "%.*s", (int)(slash - path), path);
    free(path);
    return fits;
}

static const char *given_program(void) {
    const char *given = secure_getenv("LE_TRIAL_PROGRAM");
    return given && *given ? given : NULL;
}

static int why_no_program(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0 || access(path, X_OK) != 0)
        return errno;
    return S_ISREG(about.st_mode) ? 0 : EACCES;
}

const char *le__trial_program_missing(int *error) {
    const char *given = given_program();
    *error = given ? why_no_program(given) : 0;
    return *error ? given : NULL;
}

static bool find_program(char *out, size_t size) {
    static const char *const places[] = {"", "/" LE_TRIAL_FROM_LIB, "/" LE_TRIAL_FROM_BIN};
    const char *given = given_program();
    char folder[3072];
    if (given) {
        snprintf(out, size, "%s", given);
        return why_no_program(given) == 0;
    }
    if (!own_folder(folder, sizeof folder))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, size, "%s%s/le-trial", folder, places[i]);
        if (access(out, X_OK) == 0)
            return true;
    }
    return false;
}

/* Its signals are as in a program that a shell starts. */
static pid_t start(const char *program, int socket) {
    char identity[32];
    char *arguments[] = {(char *)"le-trial", identity, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    pid_t pid = -1;
    snprintf(identity, sizeof identity, "%016" PRIx64, le__trial_identity());
    sigemptyset(&none);
    sigfillset(&all);
    if (posix_spawn_file_actions_init(&files) != 0)
        return -1;
    if (posix_spawnattr_init(&attributes) == 0) {
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawn_file_actions_adddup2(&files, socket, LE__TRIAL_FD);
        if (posix_spawn(&pid, program, &files, &attributes, arguments, environ) != 0)
            pid = -1;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

/* It says a byte when it is ready and has the same built in. */
static bool is_ready(int socket) {
    static const int most_ms = 10000;
    char byte;
    struct pollfd p = {socket, POLLIN, 0};
    return poll(&p, 1, most_ms) == 1 && recv(socket, &byte, 1, 0) == 1;
}

int le__trial_spawn(void) {
    char program[4096];
    int pair[2];
    if (!find_program(program, sizeof program) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    /* a descriptor that is already number 3 would keep its mark to be closed */
    int theirs = pair[1] == LE__TRIAL_FD ? dup(pair[1]) : pair[1];
    pid_t pid = theirs < 0 ? -1 : start(program, theirs);
    if (theirs >= 0 && theirs != pair[1])
        close(theirs);
    close(pair[1]);
    if (pid > 0 && is_ready(pair[0]))
        return pair[0];
    close(pair[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return -1;
}
