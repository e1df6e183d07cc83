/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Results that are put together from pieces in any order. They lie in a file without a name until
 * they are whole; from there the kernel copies them into an HDF5 file, so that memory does not
 * grow. Those of several processes lie in the file that one of them has made (reserve.c).
 */
#include "files/io.h"

#include "liquid_engine/le_stream.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct le_target {
    le_engine *engine;
    char *text; /* NULL: no place, it is only looked at */
    le__outfile spool;
    bool joined;     /* the spool is others', too, */
    int64_t offset;  /* and the elements begin there */
    le_tensor shape; /* without data */
    size_t element;
    int64_t bytes;
    void *map;
};

static void release(le_target *t) {
    if (t->map)
        munmap(t->map, (size_t)t->bytes);
    le__outfile_abandon(&t->spool);
    free(t->text);
    free(t);
}

static le_status open_spool(le_target *t) {
    char beside[4096];
    const char *folder = secure_getenv("TMPDIR");
    le__io_place place = {0};
    le_status status = LE_OK;
    if (t->text && !le_io_is_place(t->text, true))
        return LE_ERR_ARGUMENT;
    if (t->text)
        status = le__io_place_parse(t->text, &place);
    snprintf(beside, sizeof beside, "%s/le-result-%ld", folder && *folder ? folder : "/tmp",
             (long)getpid());
    if (status == LE_OK && place.format == LE__IO_HDF5)
        status = le__h5_try(&place);
    if (status == LE_OK)
        status = le__io_temp_open(t->text ? place.file : beside, false, &t->spool);
    le__io_place_free(&place);
    if (status == LE_OK && ftruncate(t->spool.fd, (off_t)t->bytes) != 0)
        status = le_fail(LE_ERR_IO, "%s: no room for the result: %s", t->text ? t->text : beside,
                         strerror(errno));
    return status;
}

/* Without a spool; to be released. */
static le_status new_target(le_engine *engine, const char *place, le_dtype dtype, int ndim,
                            const int64_t *shape, le_target **out) {
    le_target *t = *out = calloc(1, sizeof *t);
    if (!t || (place && !(t->text = strdup(place)))) {
        free(t);
        *out = NULL;
        return le_fail(LE_ERR_MEMORY, "le_io_target: out of memory");
    }
    t->engine = engine;
    t->spool.fd = -1;
    t->element = le_dtype_size(dtype);
    t->shape = le_tensor_of(NULL, dtype, ndim, shape);
    return le__io_check_shape(place ? place : "result", &t->shape, &t->bytes);
}

static le_status keep_or_release(le_status status, le_target *t, le_target **out) {
    *out = status == LE_OK ? t : NULL;
    if (status != LE_OK && t)
        release(t);
    return status;
}

le_status le_io_target(le_engine *engine, const char *place, le_dtype dtype, int ndim,
                       const int64_t *shape, le_target **out) {
    le_target *t;
    le_status status = new_target(engine, place, dtype, ndim, shape, &t);
    if (status == LE_OK)
        status = open_spool(t);
    return keep_or_release(status, t, out);
}

static le_status open_part(le_target *t) {
    le__io_place place;
    char *part;
    le_status status = le__io_part_parse(t->text, &place, &part);
    if (status != LE_OK)
        return status;
    t->spool.fd = open(part, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (t->spool.fd < 0)
        status = le_fail(LE_ERR_IO, "%s: %s", part, strerror(errno));
    free(part);
    le__io_place_free(&place);
    return status;
}

le_status le_io_target_join(const char *place, const le_tensor *shape, int64_t offset,
                            le_target **out) {
    le_target *t;
    le_status status = new_target(NULL, place, shape->dtype, shape->ndim, shape->shape, &t);
    if (status == LE_OK) {
        t->joined = true;
        t->offset = offset;
        status = open_part(t);
    }
    return keep_or_release(status, t, out);
}

static le_status fail_joined(const le_target *t, const char *what) {
    return le_fail(LE_ERR_UNSUPPORTED, "%s: a target that several processes write %s", t->text,
                   what);
}

le_status le_target_put(le_target *t, int64_t first, int64_t n, const void *elements) {
    const int64_t all = le_tensor_count(&t->shape);
    if (first < 0 || n < 0 || first > all || n > all - first)
        return le_fail(LE_ERR_ARGUMENT, "le_target_put: %lld elements at %lld of %lld",
                       (long long)n, (long long)first, (long long)all);
    const int64_t size = (int64_t)t->element;
    return le__io_write_at(t->spool.fd, t->text ? t->text : "result", elements, n * size,
                           t->offset + first * size);
}

le_status le_target_grow(le_target *t, int64_t extent) {
    int64_t bytes, shape[LE_MAX_DIMS];
    memcpy(shape, t->shape.shape, sizeof shape);
    shape[0] = extent;
    if (t->joined)
        return fail_joined(t, "cannot grow");
    if (t->shape.ndim < 1 || extent < t->shape.shape[0])
        return le_fail(LE_ERR_ARGUMENT, "le_target_grow: from %lld to %lld",
                       (long long)t->shape.shape[0], (long long)extent);
    le_status status = le__io_check_size(t->text ? t->text : "result", t->shape.dtype,
                                         t->shape.ndim, shape, INT64_MAX, &bytes);
    if (status == LE_OK && ftruncate(t->spool.fd, (off_t)bytes) != 0)
        status = le_fail(LE_ERR_IO, "%s: no room for the result: %s", t->text ? t->text : "result",
                         strerror(errno));
    if (status != LE_OK)
        return status;
    if (t->map)
        munmap(t->map, (size_t)t->bytes);
    t->map = NULL;
    t->bytes = bytes;
    t->shape.shape[0] = extent;
    return LE_OK;
}

le_status le_target_tensor(le_target *t, le_tensor *out) {
    static char nothing[16];
    if (t->joined)
        return fail_joined(t, "cannot be looked at");
    if (t->bytes && !t->map) {
        t->map = mmap(NULL, (size_t)t->bytes, PROT_READ, MAP_SHARED, t->spool.fd, 0);
        if (t->map == MAP_FAILED) {
            t->map = NULL;
            return le_fail(LE_ERR_IO, "%s: what has come cannot be read again: %s",
                           t->text ? t->text : "result", strerror(errno));
        }
    }
    *out = le_tensor_of(t->bytes ? t->map : nothing, t->shape.dtype, t->shape.ndim, t->shape.shape);
    return LE_OK;
}

static le_status write_h5(le_target *t, const le__io_place *place) {
    le__io_request r = {.place = place, .parallel = le__io_parallel_of(t->engine)};
    le__signals signals;
    le__signals_block(&signals);
    le_status status = le__h5_write_from(&r, &t->shape, t->spool.fd, 0);
    le__signals_restore(&signals);
    return status;
}

static le_status write_whole(le_target *t) {
    le__io_place place;
    le_tensor whole;
    le_status status = le__io_place_parse(t->text, &place);
    if (status != LE_OK)
        return status;
    if (place.format == LE__IO_HDF5) {
        status = write_h5(t, &place);
    } else {
        status = le_target_tensor(t, &whole);
        if (status == LE_OK)
            status = le_io_write(t->engine, t->text, &whole);
    }
    le__io_place_free(&place);
    return status;
}

le_status le_io_target_close(le_target **target, bool complete) {
    le_target *t = target ? *target : NULL;
    if (!t)
        return LE_OK;
    le_status status = complete && t->text && !t->joined ? write_whole(t) : LE_OK;
    release(t);
    *target = NULL;
    return status;
}
