/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The HDF5 parts of engine/io among themselves. Every HDF5 call lies between le__h5_enter and
 * le__h5_leave: one process-wide lock, error printing off, the caller's settings put back.
 */
#ifndef LE_IO_H5_H
#define LE_IO_H5_H

#include "io/io.h"

#include <hdf5.h>

typedef struct le__h5_guard {
    H5E_auto2_t report;
    void *cookie;
} le__h5_guard;

void le__h5_enter(le__h5_guard *guard);
void le__h5_leave(const le__h5_guard *guard);

/* Fails with the file, what was tried and HDF5's own words for the innermost error. Under the
 * lock. */
le_status le__h5_fail(const char *text, const char *what);

/* Runs fn in a child process, which ends afterwards: what it changes in memory is lost. Its status
 * and error text come back; a crash, or no end within half a minute (and 20 MB/s for bytes), is an
 * error. Under the lock, so that the child finds the library at rest. */
le_status le__h5_in_child(const char *text, int64_t bytes, le_status (*fn)(void *), void *context);
/* LE_IO_TRUST=1: files are known to be sound, nothing is tried in a child first. */
bool le__h5_trusted(void);

/* An access list under which no link to another file is followed; *left tells that one was met. */
hid_t le__h5_inside(bool *left);

struct le__h5_dataset {
    const char *text;             /* the place, for messages; borrowed */
    const char *file_name;        /* borrowed */
    int fd;                       /* the same file, for reads past HDF5 */
    int64_t file_bytes;
    hid_t file, set, memory_type;
    le_dtype dtype;
    int rank;
    int64_t shape[H5S_MAX_RANK];
    le__io_range range[H5S_MAX_RANK];
    int64_t address;              /* contiguous data in the machine's own type; -1: none */
    /* chunks that the fast path can decode itself */
    bool fast;
    int64_t chunk[H5S_MAX_RANK];
    int64_t chunk_bytes;
    int shuffle, deflate;         /* place in the filter pipeline; -1: absent */
    int64_t max_bytes;
};

/* Not under the lock. Opens for reading, checks the type and applies the place's slices. */
le_status le__h5_open(const le__io_place *place, int64_t max_bytes, le__h5_dataset *out);
void le__h5_close(le__h5_dataset *d);
/* Reads the selection into row-major memory of d->dtype. */
le_status le__h5_load(le__h5_dataset *d, const le__io_parallel *p, void *data);
/* The same chunk by chunk, decoded on the threads of p; only where d->fast. */
le_status le__h5_load_chunks(le__h5_dataset *d, const le__io_parallel *p, void *data);

#endif
