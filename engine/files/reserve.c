/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files whose data several processes write: room first, under a name of its own, then the name.
 * The file with that name ends with a mark, and whoever has reserved holds a lock on it: so nobody
 * takes another one's for his own. The mark says which state of the file it was made of: of another
 * one it does not take the place, its datasets are written into it.
 */
#include "files/io.h"

#include "core/os.h"
#include "liquid_engine/le_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct mark {
    char magic[16];
    le__io_version file;
} mark;

static const char magic[16] = "liquid-engine 1";

/* A dataset that this process has reserved, not the one that it was forked from. */
typedef struct held {
    struct held *next;
    uint32_t process;
    char *text;      /* its place */
    int fd;          /* of the file, under the lock that all of the file share */
    le_tensor shape; /* without data */
    int64_t offset;  /* of the data */
    bool done, good; /* published */
} held;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static held *all_held;

static char *part_of(const char *file) {
    char *name;
    return asprintf(&name, "%s.part", file) < 0 ? NULL : name;
}

le_status le__io_part_parse(const char *text, le__io_place *place, char **part) {
    *part = NULL;
    le_status status = le__io_place_parse(text, place);
    if (status != LE_OK)
        return status;
    if (place->format != LE__IO_HDF5)
        status = le_fail(LE_ERR_UNSUPPORTED, "%s: only HDF5 files are written in parts", text);
    else if (!(*part = part_of(place->file)))
        status = le_fail(LE_ERR_MEMORY, "%s: out of memory", text);
    if (status != LE_OK)
        le__io_place_free(place);
    return status;
}

/* ------------------------------------------------------------------------------------ the mark --
 */

static bool read_mark(int fd, mark *m) {
    struct stat info;
    return fstat(fd, &info) == 0 && info.st_size >= (off_t)sizeof *m &&
           pread(fd, m, sizeof *m, info.st_size - (off_t)sizeof *m) == (ssize_t)sizeof *m &&
           memcmp(m->magic, magic, sizeof magic) == 0;
}

static le_status add_mark(int fd, const char *part, const mark *m) {
    struct stat info;
    return fstat(fd, &info) == 0 ? le__io_write_at(fd, part, m, sizeof *m, info.st_size)
                                 : le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
}

static le_status remove_mark(int fd, const char *part) {
    struct stat info;
    return fstat(fd, &info) == 0 && ftruncate(fd, info.st_size - (off_t)sizeof(mark)) == 0
               ? LE_OK
               : le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
}

/* ------------------------------------------------------------------------------------ the lock --
 */

static bool is_file(int fd, const struct stat *other) {
    struct stat info;
    return fstat(fd, &info) == 0 && info.st_dev == other->st_dev && info.st_ino == other->st_ino;
}

/* Anything that this process holds of the file; NULL: nothing. */
static held *find_file(const char *part) {
    struct stat info;
    if (lstat(part, &info) != 0)
        return NULL;
    for (held *h = all_held; h; h = h->next)
        if (h->process == le__os_process() && is_file(h->fd, &info))
            return h;
    return NULL;
}

static held **find_place(held **from, const char *text) {
    while (*from && ((*from)->process != le__os_process() || strcmp((*from)->text, text) != 0))
        from = &(*from)->next;
    return from;
}

/* The lock ends with the last one of the file, also where a child of fork() has its descriptor. */
static void release(held **at) {
    held *h = *at;
    struct stat info;
    *at = h->next;
    bool last = fstat(h->fd, &info) == 0;
    for (const held *other = all_held; other; other = other->next)
        last = last && !is_file(other->fd, &info);
    if (last)
        flock(h->fd, LOCK_UN);
    close(h->fd);
    free(h->text);
    free(h);
}

/* Takes over fd. */
static le_status hold(const char *text, int fd, const le_tensor *shape, int64_t offset) {
    held *h = calloc(1, sizeof *h);
    if (!h || !(h->text = strdup(text))) {
        free(h);
        close(fd);
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", text);
    }
    h->process = le__os_process();
    h->fd = fd;
    h->shape = le_tensor_of(NULL, shape->dtype, shape->ndim, shape->shape);
    h->offset = offset;
    h->next = all_held;
    all_held = h;
    held **old = find_place(&h->next, text);
    if (*old)
        release(old);
    return LE_OK;
}

/* Where the file system has no locks nobody is kept out. */
static bool lock_part(int fd) {
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* One that a process has left: opened and locked, with what its mark says. *fd -1: there is none.
 */
static le_status take_part(const char *part, int *fd, mark *m) {
    struct stat info;
    *fd = open(part, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (*fd < 0 && errno == ENOENT)
        return LE_OK;
    le_status status = LE_OK;
    if (*fd < 0)
        status = le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
    else if (!read_mark(*fd, m))
        status = le_fail(LE_ERR_IO,
                         "%s: is no unfinished result of this library; move it elsewhere, for "
                         "results are to be collected in a file of this name",
                         part);
    else if (!lock_part(*fd))
        status = le_fail(LE_ERR_IO, "%s: another process is writing it; try again when it is done",
                         part);
    else if (lstat(part, &info) != 0 || !is_file(*fd, &info))
        status = le_fail(LE_ERR_IO, "%s: another process has just finished it", part);
    if (status != LE_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

/* --------------------------------------------------------------------------------- reserving --
 */

static le_status check_part(const char *part) {
    int fd;
    mark m;
    le_status status = take_part(part, &fd, &m);
    if (fd >= 0)
        close(fd);
    return status;
}

static void copy_mode(const char *file, int fd) {
    struct stat info;
    if (stat(file, &info) == 0)
        (void)fchmod(fd, info.st_mode & 0777);
}

/* Under its name, and locked: *fd. */
static le_status name_part(const char *part, le__outfile *temp, int *fd) {
    int old = -1;
    mark m;
    *fd = dup(temp->fd);
    temp->on_disk = true; /* nothing of it is needed before it has the other name */
    const int lock = le__outfile_folder_lock(part, LE__IO_FOLDER_WAIT_S);
    le_status status = *fd >= 0 && lock_part(*fd)
                           ? take_part(part, &old, &m)
                           : le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
    if (status == LE_OK) {
        status = le__io_temp_commit(part, temp);
        if (old >= 0)
            close(old);
    } else {
        le__outfile_abandon(temp);
    }
    le__outfile_folder_unlock(lock);
    if (status != LE_OK && *fd >= 0)
        close(*fd);
    return status;
}

static le_status make_part(const le__io_place *place, const char *part, const le_tensor *shape,
                           int64_t *offset) {
    le__outfile temp; /* first one that makes the folders on the way, and refuses what is no file */
    mark m = {.file = le__io_version_of(place->file)};
    int fd = -1;
    le_status status = le__io_temp_open(place->file, false, &temp);
    if (status != LE_OK)
        return status;
    le__outfile_abandon(&temp);
    memcpy(m.magic, magic, sizeof magic);
    status = check_part(part);
    if (status == LE_OK)
        status = le__io_temp_open(part, false, &temp);
    if (status != LE_OK)
        return status;
    copy_mode(place->file, temp.fd);
    status = le__h5_reserve(place, temp.fd, false, shape, offset);
    if (status == LE_OK)
        status = add_mark(temp.fd, part, &m);
    if (status == LE_OK)
        status = name_part(part, &temp, &fd);
    else
        le__outfile_abandon(&temp);
    return status == LE_OK ? hold(place->text, fd, shape, *offset) : status;
}

/* Another dataset in a file that this process has reserved. */
static le_status add_to_part(const held *h, const le__io_place *place, const char *part,
                             const le_tensor *shape, int64_t *offset) {
    mark m;
    if (!read_mark(h->fd, &m))
        return le_fail(LE_ERR_IO, "%s: was changed by another program", part);
    const int fd = dup(h->fd);
    le_status status =
        fd >= 0 ? remove_mark(fd, part) : le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
    if (status == LE_OK)
        status = le__h5_reserve(place, fd, true, shape, offset);
    if (status == LE_OK)
        status = add_mark(fd, part, &m);
    if (status == LE_OK)
        return hold(place->text, fd, shape, *offset);
    if (fd >= 0)
        close(fd);
    return status;
}

/* HDF5 opens no file on which there is a lock, be it our own. */
static le_status take_again(held *h, const le__io_place *place, char *part, const le_tensor *shape,
                            int64_t *offset) {
    mark m;
    int fd = h ? dup(h->fd) : -1;
    const le__io_version looked_at = le__io_version_of(part);
    if (fd >= 0)
        flock(fd, LOCK_UN);
    le_status status = le__h5_reserved(place, part, shape, offset);
    if (fd >= 0 && !lock_part(fd) && status == LE_OK)
        status = le_fail(LE_ERR_IO, "%s: another process is writing it", part);
    if (fd < 0 && status == LE_OK)
        status = take_part(part, &fd, &m);
    if (status == LE_OK && (!read_mark(fd, &m) || !le__io_version_is(&looked_at, part)))
        status = le_fail(LE_ERR_IO, "%s: was changed by another program", part);
    if (status == LE_OK)
        return hold(place->text, fd, shape, *offset);
    if (fd >= 0)
        close(fd);
    return status;
}

le_status le_io_target_reserve(const char *place_text, const le_tensor *shape, bool again,
                               int64_t *offset) {
    le__io_place place;
    char *part;
    le_status status = le__io_check_shape(place_text ? place_text : "result", shape, NULL);
    if (status == LE_OK)
        status = le__io_part_parse(place_text, &place, &part);
    if (status != LE_OK)
        return status;
    le__os_lock(&mutex);
    held *h = find_file(part);
    status = again ? take_again(h, &place, part, shape, offset)
             : h   ? add_to_part(h, &place, part, shape, offset)
                   : make_part(&place, part, shape, offset);
    pthread_mutex_unlock(&mutex);
    free(part);
    le__io_place_free(&place);
    return status;
}

/* -------------------------------------------------------------------------------- publishing --
 */

/* Whether it has taken the place of the file: only of one that nobody has changed, and of no link.
 */
static le_status rename_part(int fd, const char *part, const char *file, bool *renamed) {
    struct stat info;
    mark m;
    *renamed = false;
    if (!read_mark(fd, &m))
        return le_fail(LE_ERR_IO, "%s: was changed by another program", part);
    if (fsync(fd) != 0)
        return le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
    const int lock = le__outfile_folder_lock(file, LE__IO_FOLDER_WAIT_S);
    le_status status = LE_OK;
    if (le__io_version_is(&m.file, file) && (lstat(file, &info) != 0 || !S_ISLNK(info.st_mode))) {
        status = remove_mark(fd, part);
        if (status == LE_OK && rename(part, file) != 0)
            status = le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
        *renamed = status == LE_OK;
    }
    le__outfile_folder_unlock(lock);
    return status;
}

static le_status write_held(const held *h, const char *part) {
    le__io_place place;
    le_status status = le__io_place_parse(h->text, &place);
    if (status != LE_OK)
        return status;
    const le__io_request r = {.place = &place};
    status = le__h5_write_from(&r, &h->shape, h->fd, h->offset);
    le__io_place_free(&place);
    return status == LE_OK
               ? status
               : le_fail(status, "%s; the result is kept in %s", le_error_message(), part);
}

/* All of a file, whose datasets have all been published. */
static le_status publish_file(int fd, const struct stat *info, const char *part, const char *file,
                              bool good) {
    bool renamed = false;
    le_status status = good ? rename_part(fd, part, file, &renamed) : LE_OK;
    for (held *h = all_held; good && !renamed && status == LE_OK && h; h = h->next)
        if (is_file(h->fd, info))
            status = write_held(h, part);
    if (!renamed && status == LE_OK)
        unlink(part);
    for (held **h = &all_held; *h;)
        if (is_file((*h)->fd, info))
            release(h);
        else
            h = &(*h)->next;
    return status;
}

static le_status publish(const le__io_place *place, const char *part, bool good) {
    struct stat info;
    bool all_good = true;
    held *own = *find_place(&all_held, place->text);
    if (!own)
        return le_fail(LE_ERR_ARGUMENT, "%s: this process has not reserved it", place->text);
    own->done = true;
    own->good = good;
    if (fstat(own->fd, &info) != 0)
        return le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
    for (const held *h = all_held; h; h = h->next)
        if (is_file(h->fd, &info)) {
            if (!h->done)
                return LE_OK;
            all_good = all_good && h->good;
        }
    return publish_file(own->fd, &info, part, place->file, all_good);
}

le_status le_io_target_publish(const char *place_text, bool good) {
    le__io_place place;
    char *part;
    le_status status = le__io_part_parse(place_text, &place, &part);
    if (status != LE_OK)
        return status;
    le__os_lock(&mutex);
    status = publish(&place, part, good);
    pthread_mutex_unlock(&mutex);
    free(part);
    le__io_place_free(&place);
    return status;
}

void le_io_target_leave(const char *place_text) {
    le__os_lock(&mutex);
    held **h = find_place(&all_held, place_text ? place_text : "");
    if (*h)
        release(h);
    pthread_mutex_unlock(&mutex);
}
