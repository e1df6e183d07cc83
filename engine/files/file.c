/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Plain file access for all formats: size limits, whole-range reads, temporary names and renaming,
 * and tensors as contiguous memory.
 */
#include "files/io.h"

#include "call/storage.h"
#include "call/tensor.h"
#include "core/os.h"
#include "core/struct.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_PIECE_BYTES = 4 << 20, WRITE_PIECE_BYTES = 16 << 20 };

int64_t le__io_limit(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (int64_t)pages * page / 2 : INT64_MAX;
}

le_status le__io_take_options(le_io_options *known, const le_io_options *given) {
    *known = (le_io_options){.struct_size = sizeof *known};
    le_status status = given ? le__struct_take(known, sizeof *known, given,
                                               offsetof(le_io_options, dtypes), "le_io_options")
                             : LE_OK;
    if (known->max_bytes <= 0)
        known->max_bytes = le__io_limit();
    return status;
}

le_status le__io_check_size(const char *text, le_dtype dtype, int ndim, const int64_t *shape,
                            int64_t max_bytes, int64_t *bytes) {
    int64_t total = (int64_t)le_dtype_size(dtype);
    bool overflow = false, empty = false;
    if (total == 0)
        return le_fail(LE_ERR_DTYPE, "%s: there is no dtype %d", text, (int)dtype);
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            return le_fail(LE_ERR_SHAPE, "%s: dimension %d is negative", text, i);
        empty = empty || shape[i] == 0;
        overflow = __builtin_mul_overflow(total, shape[i], &total) || overflow;
    }
    if (empty)
        total = 0;
    else if (overflow)
        return le_fail(LE_ERR_MEMORY, "%s: the dimensions overflow 64 bits", text);
    if (max_bytes > PTRDIFF_MAX / 2) /* of 32 bits, say */
        max_bytes = PTRDIFF_MAX / 2;
    if (total > max_bytes)
        return le_fail(LE_ERR_MEMORY, "%s: %lld bytes are more than the limit of %lld", text,
                       (long long)total, (long long)max_bytes);
    if (bytes)
        *bytes = total;
    return LE_OK;
}

le_status le__io_check_shape(const char *text, const le_tensor *t, int64_t *bytes) {
    if (t->ndim < 0 || t->ndim > LE_MAX_DIMS)
        return le_fail(LE_ERR_SHAPE, "%s: %d dimensions given, 0 to %d are possible", text, t->ndim,
                       LE_MAX_DIMS);
    return le__io_check_size(text, t->dtype, t->ndim, t->shape, INT64_MAX, bytes);
}

le_status le__io_check_tensor(const char *text, const le_tensor *t) {
    char what[128];
    int64_t bytes = 0;
    le_status status = le__io_check_shape(text, t, &bytes);
    if (status != LE_OK || t->data || t->storage || bytes == 0)
        return status;
    le_tensor_describe(t, what, sizeof what);
    return le_fail(LE_ERR_ARGUMENT, "%s: the tensor %s has no data", text, what);
}

le_status le__io_alloc(le_tensor *out, le_dtype dtype, int ndim, const int64_t *shape) {
    size_t bytes;
    le_tensor t = le_tensor_of(NULL, dtype, ndim, shape);
    if (!le__tensor_bytes(&t, &bytes))
        return le_fail(LE_ERR_SHAPE, "the shape is negative or too large");
    le_status status = le__storage_new(&t.storage, bytes, true, false);
    if (status != LE_OK)
        return status;
    t.data = t.storage->host;
    *out = t;
    return LE_OK;
}

le_status le__io_room(le_tensor *t, const char *text, le_dtype dtype, int ndim,
                      const int64_t *shape, int64_t max_bytes) {
    int64_t bytes;
    le_status status = le__io_check_size(text, dtype, ndim, shape, max_bytes, &bytes);
    if (status != LE_OK)
        return status;
    if (t->storage && t->dtype == dtype && t->ndim == ndim && (size_t)bytes <= t->storage->bytes) {
        t->shape[0] = shape[0]; /* row-major: the strides stay */
        le_tensor_touch(t);
        return LE_OK;
    }
    /* what varies has room to do so, or every larger one would be another block of memory */
    enum { SPARE = 16 };
    int64_t roomy[LE_MAX_DIMS];
    memcpy(roomy, shape, (size_t)ndim * sizeof *shape);
    if (t->storage && ndim > 0)
        roomy[0] += shape[0] / SPARE;
    le_tensor_free(t);
    status = le__io_alloc(t, dtype, ndim, roomy);
    if (status == LE_OK && ndim > 0)
        t->shape[0] = shape[0];
    return status;
}

int le__io_open(const char *file, int64_t *size) {
    struct stat info;
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not hang the caller */
    if (fd < 0 || fstat(fd, &info) != 0) {
        le_fail(LE_ERR_IO, "%s: %s", file, strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        le_fail(LE_ERR_IO, "%s: not a regular file", file);
    } else {
        *size = info.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

typedef struct read_job {
    int fd;
    int64_t offset, bytes;
    char *data;
    atomic_int error; /* errno, or -1 for the end of the file */
} read_job;

int le__io_read_exact(int fd, void *to, int64_t offset, int64_t bytes) {
    char *data = to;
    while (bytes > 0) {
        ssize_t n = pread(fd, data, (size_t)bytes, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : -1;
        data += n;
        offset += n;
        bytes -= n;
    }
    return 0;
}

static void read_pieces(void *context, size_t begin, size_t end, int worker) {
    read_job *job = context;
    (void)worker;
    for (size_t i = begin; i < end && !atomic_load(&job->error); i++) {
        int64_t at = (int64_t)i * READ_PIECE_BYTES;
        int64_t left = job->bytes - at;
        int error = le__io_read_exact(job->fd, job->data + at, job->offset + at,
                                      left < READ_PIECE_BYTES ? left : READ_PIECE_BYTES);
        if (error)
            atomic_store(&job->error, error);
    }
}

le_status le__io_pread(const le__io_parallel *p, int fd, const char *file, int64_t offset,
                       void *data, int64_t bytes) {
    read_job job = {.fd = fd, .offset = offset, .bytes = bytes, .data = data};
    size_t pieces = (size_t)((bytes + READ_PIECE_BYTES - 1) / READ_PIECE_BYTES);
    le_status status = le__io_run(p, file, pieces, read_pieces, &job);
    return status == LE_OK ? le__io_read_outcome(file, atomic_load(&job.error)) : status;
}

le_status le__io_read_outcome(const char *file, int error) {
    return !error ? LE_OK
                  : le_fail(LE_ERR_IO, "%s: %s", file,
                            error < 0 ? "the file ends before its data does" : strerror(error));
}

le_status le__io_write_at(int fd, const char *file, const void *data, int64_t bytes, int64_t at) {
    const char *p = data;
    const double all = (double)bytes;
    while (bytes > 0) {
        size_t piece = (size_t)(bytes < WRITE_PIECE_BYTES ? bytes : WRITE_PIECE_BYTES);
        if (!le__ticker_look(le__ticker_here(), at < 0 ? 1 - (double)bytes / all : NAN))
            return le__ticker_fail(file);
        ssize_t n = at < 0 ? write(fd, p, piece) : pwrite(fd, p, piece, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return le_fail(LE_ERR_IO, "%s: %s", file, strerror(n < 0 ? errno : ENOSPC));
        p += n;
        at += at < 0 ? 0 : n;
        bytes -= n;
    }
    return LE_OK;
}

le_status le__io_write_all(int fd, const char *file, const void *data, int64_t bytes) {
    return le__io_write_at(fd, file, data, bytes, -1);
}

le_status le__io_system_error(const char *file, int error) {
    static const int known[] = {ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (error == known[i])
            return le_fail(LE_ERR_IO, "%s: cannot be written: %s", file, strerror(error));
    return LE_OK;
}

/* ------------------------------------------------------------------------ temporary names -- */

le_status le__io_temp_open(const char *file, bool named, le__outfile *out) {
    struct stat info;
    *out = (le__outfile){.fd = -1};
    if (stat(file, &info) == 0 && !S_ISREG(info.st_mode))
        return le_fail(LE_ERR_IO, "%s: exists and is not a regular file", file);
    char *path = strdup(file);
    if (!path)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", file);
    int error = le__outfile_folders(path, 0777);
    le_status status =
        error ? le_fail(LE_ERR_IO, "%s: cannot create the folder: %s", path, strerror(error))
              : LE_OK;
    free(path);
    if (status != LE_OK)
        return status;
    error = le__outfile_open(out, file, named);
    return error ? le_fail(LE_ERR_IO, "%s: cannot be created: %s", file, strerror(error)) : LE_OK;
}

/* What replaces a file must reach the disk first, and fsync alone hears nobody. */
static le_status flush(const char *file, int fd) {
    enum { PIECE = 8 << 20 };
    struct stat info;
    off_t bytes = fstat(fd, &info) == 0 ? info.st_size : 0;
    for (off_t at = 0; at < bytes; at += PIECE) {
        if (!le__ticker_look(le__ticker_here(), NAN))
            return le__ticker_fail(file);
        le__os_flush(fd, at, PIECE);
    }
    return LE_OK;
}

le_status le__io_temp_sync(const char *file, le__outfile *temp) {
    if (!temp->exists || temp->on_disk || temp->fd < 0)
        return LE_OK;
    le_status status = flush(file, temp->fd);
    if (status == LE_OK && fsync(temp->fd) != 0)
        status = le_fail(LE_ERR_IO, "%s: %s", file, strerror(errno));
    temp->on_disk = status == LE_OK;
    return status;
}

le_status le__io_temps_commit(const char *file, le__outfile *temps, size_t n) {
    le_status status = LE_OK;
    for (size_t i = 0; i < n && status == LE_OK; i++)
        if (temps[i].exists && !temps[i].on_disk && temps[i].fd >= 0)
            status = flush(file, temps[i].fd);
    if (status != LE_OK) {
        for (size_t i = 0; i < n; i++)
            le__outfile_abandon(&temps[i]);
        return status;
    }
    int error = le__outfile_commit_all(temps, n);
    return error ? le_fail(LE_ERR_IO, "%s: %s", file, strerror(error)) : LE_OK;
}

le_status le__io_temp_commit(const char *file, le__outfile *temp) {
    return le__io_temps_commit(file, temp, 1);
}

le_status le__io_begin_block(const char *file, const void *header, int64_t length,
                             const le_tensor *t, const void *data, le__outfile *temp) {
    le_status status = le__io_temp_open(file, false, temp);
    if (status != LE_OK)
        return status;
    status = le__io_write_all(temp->fd, file, header, length);
    if (status == LE_OK && data)
        status = le__io_write_all(temp->fd, file, data, le__tensor_size(t));
    if (status != LE_OK)
        le__outfile_abandon(temp);
    return status;
}

le_status le__io_put_block(const char *file, const void *header, int64_t length, const le_tensor *t,
                           const void *data) {
    le__outfile temp;
    le_status status = le__io_begin_block(file, header, length, t, data, &temp);
    return status == LE_OK ? le__io_temp_commit(file, &temp) : status;
}

/* ----------------------------------------------------------------------- contiguous memory -- */

le_status le__io_contiguous(le_tensor *tensor, const void **data, void **copy) {
    *copy = NULL;
    le_status status = le_tensor_to_host(tensor);
    if (status != LE_OK)
        return status;
    *data = tensor->data;
    if (le_tensor_is_contiguous(tensor))
        return LE_OK;
    int64_t bytes;
    status = le__io_check_size("le_io_write", tensor->dtype, tensor->ndim, tensor->shape, INT64_MAX,
                               &bytes);
    if (status != LE_OK)
        return status;
    *copy = malloc((size_t)(bytes ? bytes : 1));
    if (!*copy)
        return le_fail(LE_ERR_MEMORY, "le_io_write: out of memory for a contiguous copy");
    le__tensor_pack(*copy, tensor);
    *data = *copy;
    return LE_OK;
}
