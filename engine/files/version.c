/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files that are replaced by what was made of them: whether somebody else has done so meanwhile.
 * Nobody holds a lock on a file for as long as it takes: HDF5's readers lock files themselves.
 */
#include "files/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

le__io_version le__io_version_of(const char *file) {
    struct stat info;
    if (stat(file, &info) != 0)
        return (le__io_version){0};
    return (le__io_version){.there = 1,
                            .inode = (int64_t)info.st_ino,
                            .bytes = (int64_t)info.st_size,
                            .seconds = (int64_t)info.st_mtim.tv_sec,
                            .nanoseconds = (int64_t)info.st_mtim.tv_nsec};
}

bool le__io_version_is(const le__io_version *v, const char *file) {
    const le__io_version now = le__io_version_of(file);
    return memcmp(v, &now, sizeof now) == 0;
}

static int open_folder(const char *file) {
    const char *slash = strrchr(file, '/');
    char *folder = slash ? strndup(file, (size_t)(slash - file + 1)) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    return fd;
}

/* Not for ever: a program of the user may hold it. */
int le__io_folder_lock(const char *file) {
    enum { TRIES = 2000 };
    static const struct timespec nap = {.tv_nsec = 5000000};
    int fd = open_folder(file);
    for (int i = 0; fd >= 0 && i < TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR))
            break;
        nanosleep(&nap, NULL);
    }
    return fd;
}

void le__io_folder_unlock(int fd) {
    if (fd >= 0)
        close(fd);
}
