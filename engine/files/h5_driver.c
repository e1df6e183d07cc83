/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A driver that lets HDF5 read and write through a file descriptor that is open already: a file is
 * opened once, however its name may change hands, and a file without a name can be written. HDF5
 * tells no address of a single chunk without walking its index from the start; asked to read the
 * chunk it looks it up, and the driver notes where it wanted to read.
 */
#include "files/h5.h"

#include "core/tick.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct open_file {
    H5FD_t base; /* HDF5's own part */
    le__h5_handle *handle;
    haddr_t end; /* as HDF5 has allocated */
} open_file;

static herr_t fail_as(hid_t minor, int error) {
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, minor, "%s",
             strerror(error));
    return -1;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t max) {
    le__h5_handle *const *handle = H5Pget_driver_info(access);
    (void)name, (void)max;
    if (handle && (*handle)->taken) {
        fail_as(H5E_CANTOPENFILE, EBUSY);
        return NULL;
    }
    if (!handle || ((flags & H5F_ACC_TRUNC) && ftruncate((*handle)->fd, 0) != 0)) {
        fail_as(H5E_CANTOPENFILE, errno);
        return NULL;
    }
    open_file *f = calloc(1, sizeof *f);
    if (f) {
        f->handle = *handle;
        f->handle->taken = true;
    }
    return (H5FD_t *)f;
}

static herr_t driver_close(H5FD_t *file) {
    ((open_file *)file)->handle->taken = false;
    free(file);
    return 0;
}

/* Never the same: files that are equal would share the descriptor of whoever was first. */
static int driver_compare(const H5FD_t *a, const H5FD_t *b) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return (x > y) - (x < y);
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags) {
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE |
             H5FD_FEAT_SUPPORTS_SWMR_IO;
    return 0;
}

static haddr_t driver_get_end(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return ((const open_file *)file)->end;
}

static herr_t driver_set_end(H5FD_t *file, H5FD_mem_t type, haddr_t end) {
    (void)type;
    ((open_file *)file)->end = end;
    return 0;
}

static haddr_t driver_size(const H5FD_t *file, H5FD_mem_t type) {
    const le__h5_handle *h = ((const open_file *)file)->handle;
    struct stat info;
    (void)type;
    if (h->truncated)
        return (haddr_t)INT64_MAX / 2;
    return fstat(h->fd, &info) == 0 ? (haddr_t)info.st_size : HADDR_UNDEF;
}

enum { PIECE_BYTES = 16 << 20 };

/* Whether the caller wants it to go on. Of values alone, which may be many: a caller who forks
 * meanwhile waits for this. Half-written HDF5 cannot close. */
static bool goes_on(bool writes, H5FD_mem_t type) {
    return writes || type != H5FD_MEM_DRAW || le__ticker_look(le__ticker_here(), NAN);
}

/* Bytes that are left where the file ends, or -1. */
static int64_t transfer(int fd, bool writes, H5FD_mem_t type, char *bytes, size_t size,
                        haddr_t at) {
    for (ssize_t n = 1; size > 0 && n != 0;) {
        size_t piece = size < PIECE_BYTES ? size : PIECE_BYTES;
        errno = ECANCELED;
        if (!goes_on(writes, type))
            return -1;
        n = writes ? pwrite(fd, bytes, piece, (off_t)at) : pread(fd, bytes, piece, (off_t)at);
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0) {
            bytes += n;
            at += (haddr_t)n;
            size -= (size_t)n;
        }
    }
    return (int64_t)size;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t size,
                          void *buffer) {
    le__h5_handle *h = ((open_file *)file)->handle;
    (void)list;
    if (h->locating && type == H5FD_MEM_DRAW) {
        h->address = at;
        return 0;
    }
    int64_t left = transfer(h->fd, false, type, buffer, size, at);
    if (left < 0)
        return fail_as(H5E_READERROR, errno);
    memset((char *)buffer + size - left, 0, (size_t)left); /* as HDF5's own driver does */
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t size,
                           const void *buffer) {
    union {
        const void *in;
        void *out;
    } from = {buffer}; /* is only read */
    (void)list;
    bool all = transfer(((open_file *)file)->handle->fd, true, type, from.out, size, at) == 0;
    return all ? 0 : fail_as(H5E_WRITEERROR, errno);
}

static herr_t driver_truncate(H5FD_t *file, hid_t list, hbool_t closing) {
    const open_file *f = (open_file *)file;
    (void)list, (void)closing;
    if (driver_size(file, H5FD_MEM_DEFAULT) != f->end &&
        ftruncate(f->handle->fd, (off_t)f->end) != 0)
        return fail_as(H5E_WRITEERROR, errno);
    return 0;
}

/* As HDF5's own driver does, so that nobody reads what somebody is writing. */
static herr_t driver_lock(H5FD_t *file, hbool_t for_writing) {
    const le__h5_handle *h = ((open_file *)file)->handle;
    bool good = h->unlocked || flock(h->fd, (for_writing ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 ||
                errno == ENOSYS;
    return good ? 0 : fail_as(H5E_CANTOPENFILE, errno);
}

static herr_t driver_unlock(H5FD_t *file) {
    const le__h5_handle *h = ((open_file *)file)->handle;
    bool good = h->unlocked || flock(h->fd, LOCK_UN) == 0 || errno == ENOSYS;
    return good ? 0 : fail_as(H5E_CANTOPENFILE, errno);
}

/* HDF5 forgets its drivers when the program closes the library. */
static hid_t driver(void) {
    static hid_t id = H5I_INVALID_HID;
    static const H5FD_class_t class = {
#if H5_VERSION_GE(1, 13, 0)
        .version = H5FD_CLASS_VERSION,
        .value = 600, /* of those for drivers that nobody else knows */
#endif
        .name = "le_descriptor",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_WEAK,
        .fapl_size = sizeof(le__h5_handle *),
        .open = driver_open,
        .close = driver_close,
        .cmp = driver_compare,
        .query = driver_query,
        .get_eoa = driver_get_end,
        .set_eoa = driver_set_end,
        .get_eof = driver_size,
        .read = driver_read,
        .write = driver_write,
        .truncate = driver_truncate,
        .lock = driver_lock,
        .unlock = driver_unlock,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    if (H5Iget_type(id) != H5I_VFL)
        id = H5FDregister(&class);
    return id;
}

hid_t le__h5_access(le__h5_handle *handle) {
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (list >= 0 && H5Pset_driver(list, driver(), &handle) < 0) {
        H5Pclose(list);
        return H5I_INVALID_HID;
    }
    return list;
}

hid_t le__h5_file(le__h5_handle *handle, const char *name, unsigned flags) {
    hid_t access = le__h5_access(handle);
    hid_t file = access < 0              ? -1
                 : flags & H5F_ACC_TRUNC ? H5Fcreate(name, flags, H5P_DEFAULT, access)
                                         : H5Fopen(name, flags, access);
    if (file < 0)
        le__h5_fail(name,
                    flags == H5F_ACC_RDONLY ? "cannot be opened" : "cannot be opened for writing");
    le__h5_drop(access); /* forgets HDF5's errors */
    return file;
}

/* A chunk that was never written is an error to HDF5's look-ups. When the error is none of those
 * that say so, a walk along the whole index tells for certain. */
static bool absent(hid_t set, const hsize_t *chunk) {
    static const char *const words[] = {"chunk storage is not allocated",
                                        "chunk address isn't defined"};
    const char *said = le__h5_said();
    for (size_t i = 0; said && i < sizeof words / sizeof *words; i++)
        if (!strcmp(said, words[i]))
            return true;
    unsigned mask;
    hsize_t size;
    haddr_t address = 0;
    return H5Dget_chunk_info_by_coord(set, chunk, &mask, &address, &size) >= 0 &&
           address == HADDR_UNDEF;
}

bool le__h5_locate(le__h5_handle *handle, hid_t set, const hsize_t *chunk, le__h5_stored *out) {
    char unused = 0;
    hsize_t size = 0;
    herr_t r = H5Dget_chunk_storage_size(set, chunk, &size);
    *out = (le__h5_stored){.size = 0};
    if (r >= 0 && size == 0)
        return true;
    handle->locating = true;
    handle->address = HADDR_UNDEF;
    if (r >= 0)
        r = H5Dread_chunk(set, H5P_DEFAULT, chunk, &out->mask, &unused);
    handle->locating = false;
    if (r < 0)
        return absent(set, chunk);
    out->address = (int64_t)handle->address;
    out->size = (int64_t)size;
    return handle->address <= (haddr_t)INT64_MAX && size <= (hsize_t)INT64_MAX;
}
