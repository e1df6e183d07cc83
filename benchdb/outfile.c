/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files that appear complete: without a name until then, or with a temporary one.
 */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Length of the folder in a path, with its slash; 0: the current one. */
static int folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path + 1) : 0;
}

static char *temporary_name(const char *target) {
    static atomic_uint counter;
    char *name;
    int folder = folder_length(target);
    return asprintf(&name, "%.*s.%.100s.%ld-%u.tmp", folder, target, target + folder,
                    (long)getpid(), atomic_fetch_add(&counter, 1)) < 0
               ? NULL
               : name;
}

static int open_folder(const char *target, int flags) {
    char *folder = NULL;
    int length = folder_length(target);
    if (asprintf(&folder, "%.*s", length ? length : 1, length ? target : ".") < 0)
        return -1;
    int fd = open(folder, flags | O_CLOEXEC, 0666);
    free(folder);
    return fd;
}

static int open_named(le__outfile *f) {
    for (int attempt = 0; attempt < 100; attempt++) {
        f->name = temporary_name(f->target);
        if (!f->name)
            return ENOMEM;
        f->fd = open(f->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (f->fd >= 0)
            return 0;
        int error = errno;
        free(f->name);
        f->name = NULL;
        if (error != EEXIST)
            return error;
    }
    return EEXIST;
}

/* The name that links lead to where nothing is. */
static char *end_of_links(const char *path) {
    enum { MOST = 40 }; /* as Linux has it */
    char *name = strdup(path), to[PATH_MAX];
    for (int i = 0; name && i < MOST; i++) {
        ssize_t n = readlink(name, to, sizeof to - 1);
        if (n < 0)
            return name;
        to[n] = '\0';
        char *next;
        int folder = *to == '/' ? 0 : folder_length(name);
        if (asprintf(&next, "%.*s%s", folder, name, to) < 0)
            next = NULL;
        free(name);
        name = next;
    }
    if (name)
        errno = ELOOP;
    free(name);
    return NULL;
}

char *le__outfile_target(const char *path) {
    char *there = realpath(path, NULL);
    return there || errno == ENOMEM ? there : end_of_links(path);
}

int le__outfile_folders(char *path, mode_t mode) {
    struct stat info;
    for (char *p = *path ? strchr(path + 1, '/') : NULL; p; p = strchr(p + 1, '/')) {
        *p = '\0';
        int error = mkdir(path, mode) == 0 || errno == EEXIST ? 0 : errno;
        if (error && !(stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
            return error; /* some file systems refuse what is there already */
        *p = '/';
    }
    return 0;
}

int le__outfile_open(le__outfile *f, const char *path, bool named) {
    struct stat info;
    *f = (le__outfile){.fd = -1, .exists = stat(path, &info) == 0};
    if (f->exists && !S_ISREG(info.st_mode)) {
        f->fd = open(path, O_WRONLY | O_CLOEXEC);
        return f->fd < 0 ? errno : 0;
    }
    /* its folder alone decides what may be renamed */
    if (f->exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return errno;
    f->target = le__outfile_target(path);
    if (!f->target)
        return errno;
#ifdef O_TMPFILE
    f->fd = named ? -1 : open_folder(f->target, O_TMPFILE | O_RDWR);
#endif
    int error = f->fd < 0 ? open_named(f) : 0;
    if (!error && f->exists && fchmod(f->fd, info.st_mode & 0777) != 0)
        error = errno;
    if (error)
        le__outfile_abandon(f);
    return error;
}

/* Gives the file without a name one. An existing name cannot be taken over in one step: then a
 * temporary one is, and renamed. */
static int give_name(le__outfile *f) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", f->fd);
    if (!f->exists && linkat(AT_FDCWD, self, AT_FDCWD, f->target, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    if (!f->exists && errno != EEXIST)
        return errno;
    char *name = temporary_name(f->target);
    if (!name)
        return ENOMEM;
    if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0) {
        int error = errno;
        free(name);
        return error;
    }
    f->name = name;
    return 0;
}

static int sync_folder(const char *target) {
    int fd = open_folder(target, O_RDONLY | O_DIRECTORY);
    int error = fd < 0 || (fsync(fd) != 0 && errno != EINVAL) ? errno : 0;
    if (fd >= 0)
        close(fd);
    return error;
}

/* One after the other without renames between them: the file system then has one commit for all,
 * not one for each. */
static int sync_all(const le__outfile *files, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (files[i].target && files[i].exists && !files[i].on_disk && files[i].fd >= 0 &&
            fsync(files[i].fd) != 0)
            return errno;
    return 0;
}

static int put_in_place(le__outfile *f) {
    int error = f->name ? 0 : give_name(f);
    int fd = f->fd;
    f->fd = -1;
    if (fd >= 0 && close(fd) != 0 && !error) /* a full quota may show only here */
        error = errno;
    if (!error && f->name && rename(f->name, f->target) != 0)
        error = errno;
    if (error)
        return error;
    free(f->name);
    f->name = NULL;
    return 0;
}

static int finish(le__outfile *f) {
    if (f->target)
        return put_in_place(f);
    int error = f->fd >= 0 && close(f->fd) != 0 ? errno : 0;
    f->fd = -1;
    return error;
}

static bool same_folder(const char *a, const char *b) {
    const int n = folder_length(a);
    return n == folder_length(b) && strncmp(a, b, (size_t)n) == 0;
}

static int sync_folders(const le__outfile *files, size_t n) {
    const char *last = NULL;
    int error = 0;
    for (size_t i = 0; i < n && !error; i++)
        if (files[i].target && files[i].exists && !(last && same_folder(last, files[i].target))) {
            last = files[i].target;
            error = sync_folder(last);
        }
    return error;
}

int le__outfile_commit_all(le__outfile *files, size_t n) {
    int error = sync_all(files, n);
    for (size_t i = 0; i < n && !error; i++)
        error = finish(&files[i]);
    if (!error)
        error = sync_folders(files, n);
    for (size_t i = 0; i < n; i++)
        le__outfile_abandon(&files[i]);
    return error;
}

int le__outfile_write(int fd, const void *data, size_t bytes) {
    for (const char *at = data; bytes > 0;) {
        const ssize_t n = write(fd, at, bytes);
        if (n > 0) {
            at += n;
            bytes -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            return n == 0 ? ENOSPC : errno;
        }
    }
    return 0;
}

int le__outfile_commit(le__outfile *f) {
    return le__outfile_commit_all(f, 1);
}

void le__outfile_abandon(le__outfile *f) {
    if (f->fd >= 0)
        close(f->fd);
    if (f->name)
        (void)unlink(f->name);
    free(f->name);
    free(f->target);
    *f = (le__outfile){.fd = -1};
}

int le__outfile_folder_lock(const char *path, double most_s) {
    static const struct timespec nap = {.tv_nsec = 5000000};
    const int fd = open_folder(path, O_RDONLY | O_DIRECTORY);
    for (double waited_s = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0; waited_s += 0.005) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || waited_s >= most_s) {
            close(fd);
            return -1;
        }
        nanosleep(&nap, NULL);
    }
    return fd;
}

void le__outfile_folder_unlock(int lock) {
    if (lock >= 0)
        close(lock);
}
