/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is done of a call, a byte an item in FILE.journal beside FILE.part: each rank notes a block
 * after its data. A job that ends before its time leaves both, and the same call, with any number
 * of ranks, does what is left.
 */
#include "job.h"
#include "patient.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------ what it is of --
 */

/* "web.h5:/images" is in "web.h5" */
static size_t file_length(const char *place) {
    const char *end = strstr(place, ":/");
    return end ? (size_t)(end - place) : strcspn(place, "[");
}

/* The size and date of an input's file. */
static uint64_t hash_input(uint64_t h, const char *place) {
    char file[4096];
    struct stat info = {0};
    int64_t about[3];
    snprintf(file, sizeof file, "%.*s", (int)file_length(place), place);
    if (stat(file, &info) != 0)
        return h;
    about[0] = (int64_t)info.st_size;
    about[1] = (int64_t)info.st_mtim.tv_sec;
    about[2] = (int64_t)info.st_mtim.tv_nsec;
    return XXH64(about, sizeof about, h);
}

static uint64_t hash_of(const le__job *j) {
    uint64_t h = XXH64(j->implementation, strlen(j->implementation), j->hash);
    for (size_t a = 0; a < j->op->n_args; a++) {
        const le_tensor *t = &j->shared[a].shape;
        if (!j->shared[a].given)
            continue;
        h = XXH64(t->shape, (size_t)t->ndim * sizeof t->shape[0], h);
        if (le__is_in(j, a) && j->shared[a].place)
            h = hash_input(h, j->shared[a].place);
    }
    return h;
}

/* ------------------------------------------------------------------------------------- on disk --
 */

static char *journal_of(const char *place) {
    size_t n = file_length(place), size = n + sizeof ".journal";
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s.journal", (int)n, place);
    return name;
}

/* Whether it is of this call; fills j->done then. */
static bool read_journal(le__job *j, uint64_t hash) {
    uint64_t found = 0;
    FILE *f = fopen(j->journal, "rb");
    bool good = f && fread(&found, sizeof found, 1, f) == 1 && found == hash &&
                fread(j->done, 1, (size_t)j->slabs.items, f) == (size_t)j->slabs.items;
    if (f)
        fclose(f);
    return good;
}

static le_status begin_journal(le__job *j, uint64_t hash) {
    FILE *f = fopen(j->journal, "wb");
    memset(j->done, 0, (size_t)j->slabs.items);
    bool good = f && fwrite(&hash, sizeof hash, 1, f) == 1 &&
                fwrite(j->done, 1, (size_t)j->slabs.items, f) == (size_t)j->slabs.items;
    int error = errno;
    if (f && fclose(f) != 0)
        good = false;
    return good ? LE_OK : le_fail(LE_ERR_IO, "%s: %s", j->journal, strerror(error));
}

/* ------------------------------------------------------------------------------------- opening --
 */

static bool all_in_place(const le__job *j, size_t *first) {
    size_t n = 0;
    for (size_t a = 0; a < j->op->n_args; a++) {
        if (!le__is_out(j, a))
            continue;
        if (!j->slabs.args[a].axis || !j->shared[a].place)
            return false;
        *first = n++ ? *first : a;
    }
    return n > 0;
}

/* With `again` only where it is there already. */
static le_status reserve_all(le__job *j, bool again) {
    le_status status = LE_OK;
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++) {
        le__shared *s = &j->shared[a];
        if (!le__is_out(j, a) || !s->place || !j->slabs.args[a].axis)
            continue;
        status = le_io_target_reserve(s->place, &s->shape, again, &s->offset);
        s->reserved = status == LE_OK;
        if (status == LE_ERR_UNSUPPORTED)
            status = LE_OK; /* no HDF5: rank 0 writes it from a tensor */
    }
    return status;
}

static bool reserved_all(const le__job *j) {
    for (size_t a = 0; a < j->op->n_args; a++)
        if (le__is_out(j, a) && !j->shared[a].reserved)
            return false;
    return true;
}

static bool prepare(le__job *j, size_t first) {
    j->journal = journal_of(j->shared[first].place);
    j->done = calloc((size_t)j->slabs.items + 1, 1);
    return j->journal && j->done;
}

static void forget(le__job *j) {
    free(j->journal);
    free(j->done);
    j->journal = NULL;
    j->done = NULL;
}

static le_status open_by_root(le__job *j) {
    size_t first = 0;
    uint64_t hash = hash_of(j);
    if (!all_in_place(j, &first))
        return reserve_all(j, false);
    if (!prepare(j, first))
        return le__job_no_memory(j);
    if (read_journal(j, hash) && reserve_all(j, true) == LE_OK && reserved_all(j))
        return LE_OK;
    le_status status = reserve_all(j, false);
    if (status == LE_OK && reserved_all(j))
        return begin_journal(j, hash);
    forget(j);
    return status;
}

/* What rank 0 has found, to all. */
static le_status share(le__job *j) {
    int keeps = j->journal != NULL;
    size_t first = 0;
    for (size_t a = 0; a < j->op->n_args; a++) {
        int reserved = j->shared[a].reserved;
        le__patient_bcast(&reserved, 1, MPI_INT, 0, j->world.comm);
        le__patient_bcast(&j->shared[a].offset, 1, MPI_INT64_T, 0, j->world.comm);
        j->shared[a].reserved = reserved;
    }
    le__patient_bcast(&keeps, 1, MPI_INT, 0, j->world.comm);
    if (!keeps)
        return LE_OK;
    bool good = j->world.rank == 0 || (all_in_place(j, &first) && prepare(j, first));
    le_status status = le__world_agree(&j->world, good ? LE_OK : le__job_no_memory(j));
    if (status == LE_OK)
        le__world_broadcast(&j->world, j->done, j->slabs.items);
    return status;
}

le_status le__journal_open(le__job *j) {
    le_status status = j->world.rank == 0 ? open_by_root(j) : LE_OK;
    status = le__world_agree(&j->world, status);
    return status == LE_OK ? share(j) : status;
}

/* ------------------------------------------------------------------------------------- marking --
 */

le_status le__journal_mark(const le__job *j, const le_slab_range *r) {
    size_t n = (size_t)(r->end - r->begin);
    if (!j->journal)
        return LE_OK;
    unsigned char *ones = malloc(n);
    int fd = open(j->journal, O_WRONLY | O_CLOEXEC);
    bool good = ones && fd >= 0;
    if (good) {
        memset(ones, 1, n);
        good = pwrite(fd, ones, n, (off_t)sizeof(uint64_t) + (off_t)r->begin) == (ssize_t)n;
    }
    int error = errno;
    if (fd >= 0)
        close(fd);
    free(ones);
    return good ? LE_OK : le_fail(LE_ERR_IO, "%s: %s", j->journal, strerror(error));
}

static bool any_done(const le__job *j) {
    char buffer[4096];
    bool any = false;
    FILE *f = fopen(j->journal, "rb");
    if (!f)
        return false;
    fseek(f, sizeof(uint64_t), SEEK_SET);
    for (size_t n; !any && (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
        any = memchr(buffer, 1, n) != NULL;
    fclose(f);
    return any;
}

bool le__journal_close(le__job *j, bool good) {
    int keeps = j->journal != NULL, stays = 0;
    le__patient_bcast(&keeps, 1, MPI_INT, 0, j->world.comm);
    if (keeps && j->world.rank == 0) {
        stays = !good && any_done(j);
        if (!stays)
            unlink(j->journal);
    }
    le__patient_bcast(&stays, 1, MPI_INT, 0, j->world.comm);
    return stays;
}
