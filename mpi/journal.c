/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is done of a call, a byte an item in FILE.journal beside FILE.part: each rank notes a block
 * after its data. A job that ends before its time leaves both, and the same call, with any number
 * of ranks, does what is left.
 */
#include "job.h"
#include "patient.h"
#include "rows.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct head {
    char magic[8];
    uint64_t call;  /* that it is of, with its inputs as they are */
    uint64_t parts; /* the files in which its results are */
} head;

static const char magic[8] = "lempi 1";

/* ------------------------------------------------------------------------------ what it is of --
 */

/* false: it is no file, or several. */
static bool hash_file(const char *file, uint64_t *h) {
    struct stat info = {0};
    int64_t about[3];
    if (stat(file, &info) != 0)
        return false;
    about[0] = (int64_t)info.st_size;
    about[1] = (int64_t)info.st_mtim.tv_sec;
    about[2] = (int64_t)info.st_mtim.tv_nsec;
    *h = XXH64(about, sizeof about, *h);
    return true;
}

static bool hash_place(const char *place, uint64_t *h) {
    char *file;
    const bool known = le_io_place_file(place, &file) == LE_OK && hash_file(file, h);
    free(file);
    return known;
}

/* false: its elements cannot be read here. */
static bool hash_tensor(const le_tensor *given, uint64_t *h) {
    le_tensor t = given ? *given : (le_tensor){0};
    if (!given || le_tensor_to_host(&t) != LE_OK || !t.data)
        return false;
    const size_t bytes = (size_t)le_tensor_count(&t) * le_dtype_size(t.dtype);
    if (le_tensor_is_contiguous(&t)) {
        *h = XXH64(t.data, bytes, *h);
        return true;
    }
    void *packed = malloc(bytes + 1);
    if (packed) {
        le__rows_pack(packed, &t);
        *h = XXH64(packed, bytes, *h);
    }
    free(packed);
    return packed != NULL;
}

/* What the call's own hash has no more of than a name or a place in memory. */
static bool hash_input(const le_arg *a, bool tensor, uint64_t *h) {
    if (a->kind == LE_KIND_IN || a->kind == LE_KIND_TABLE)
        return hash_tensor(a->value.in, h);
    if (a->kind == LE_KIND_STR && tensor)
        return hash_place(a->value.str, h);
    if (a->kind == LE_KIND_STR && a->value.str)
        (void)hash_file(a->value.str, h); /* a geometry, for instance; or no file at all */
    return true;
}

/* false: what it works on is not known well enough to know it again. */
static bool hash_of(const le__job *j, uint64_t *h) {
    bool known = true;
    *h = XXH64(j->implementation, strlen(j->implementation), j->hash);
    for (size_t a = 0; a < j->op->n_args; a++) {
        const le_tensor *t = &j->shared[a].shape;
        if (j->shared[a].given)
            *h = XXH64(t->shape, (size_t)t->ndim * sizeof t->shape[0], *h);
    }
    for (size_t k = 0; known && k < j->n_args; k++) {
        const int a = le__job_arg(j, j->args[k].name);
        if (a >= 0 && !le__is_out(j, (size_t)a))
            known = hash_input(&j->args[k], le__is_in(j, (size_t)a), h);
    }
    return known;
}

/* ------------------------------------------------------------------------------------- on disk --
 */

static char *name_beside(const char *place, const char *ending) {
    char *file, *name = NULL;
    if (le_io_place_file(place, &file) != LE_OK)
        return NULL;
    const size_t size = strlen(file) + strlen(ending) + 1;
    name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s", file, ending);
    free(file);
    return name;
}

/* Another call may have put files of its own into their places. */
static uint64_t hash_parts(const le__job *j) {
    uint64_t h = 0;
    for (size_t a = 0; a < j->op->n_args; a++) {
        struct stat info = {0};
        char *name = le__is_out(j, a) ? name_beside(j->shared[a].place, ".part") : NULL;
        const int64_t inode = name && stat(name, &info) == 0 ? (int64_t)info.st_ino : 0;
        if (le__is_out(j, a))
            h = XXH64(&inode, sizeof inode, h);
        free(name);
    }
    return h;
}

static bool read_head(FILE *f, head *h) {
    return f && fread(h, sizeof *h, 1, f) == 1 && !memcmp(h->magic, magic, sizeof magic);
}

/* Whether it is of this call; fills j->done then, and *parts. */
static bool read_journal(le__job *j, uint64_t hash, uint64_t *parts) {
    head h;
    FILE *f = fopen(j->journal, "rb");
    bool good = read_head(f, &h) && h.call == hash &&
                fread(j->done, 1, (size_t)j->slabs.items, f) == (size_t)j->slabs.items;
    if (f)
        fclose(f);
    *parts = good ? h.parts : 0;
    return good;
}

/* A file that has the journal's name and is none. */
static bool is_taken(const char *name) {
    head h;
    struct stat info;
    if (lstat(name, &info) != 0)
        return false;
    FILE *f = S_ISREG(info.st_mode) ? fopen(name, "rb") : NULL;
    const bool own = read_head(f, &h);
    if (f)
        fclose(f);
    return !own;
}

static le_status begin_journal(le__job *j, uint64_t hash) {
    head h = {.call = hash, .parts = hash_parts(j)};
    FILE *f = fopen(j->journal, "wb");
    memcpy(h.magic, magic, sizeof magic);
    memset(j->done, 0, (size_t)j->slabs.items);
    bool good = f && fwrite(&h, sizeof h, 1, f) == 1 &&
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

static void leave_all(le__job *j) {
    for (size_t a = 0; a < j->op->n_args; a++) {
        if (j->shared[a].reserved)
            le_io_target_leave(j->shared[a].place);
        j->shared[a].reserved = false;
    }
}

static bool prepare(le__job *j, size_t first) {
    j->journal = name_beside(j->shared[first].place, ".journal");
    j->done = calloc((size_t)j->slabs.items + 1, 1);
    return j->journal && j->done;
}

static void forget(le__job *j) {
    free(j->journal);
    free(j->done);
    j->journal = NULL;
    j->done = NULL;
}

/* What an earlier job has left of the call, in the files that it was left in. */
static bool go_on(le__job *j, uint64_t hash) {
    uint64_t parts;
    if (!read_journal(j, hash, &parts))
        return false;
    if (reserve_all(j, true) == LE_OK && reserved_all(j) && parts == hash_parts(j))
        return true;
    leave_all(j);
    return false;
}

static le_status open_by_root(le__job *j) {
    size_t first = 0;
    uint64_t hash;
    if (!all_in_place(j, &first) || !hash_of(j, &hash))
        return reserve_all(j, false);
    if (!prepare(j, first))
        return le__job_no_memory(j);
    if (go_on(j, hash))
        return LE_OK;
    le_status status = reserve_all(j, false);
    if (status == LE_OK && reserved_all(j) && !is_taken(j->journal))
        status = begin_journal(j, hash);
    else
        forget(j);
    if (status != LE_OK)
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
        good = pwrite(fd, ones, n, (off_t)sizeof(head) + (off_t)r->begin) == (ssize_t)n;
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
    fseek(f, sizeof(head), SEEK_SET);
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
