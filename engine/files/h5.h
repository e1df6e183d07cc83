/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The HDF5 parts of engine/files among themselves. Every HDF5 call lies between le__h5_enter and
 * le__h5_leave: one process-wide lock, error printing off, the caller's settings put back.
 */
#ifndef LE_IO_H5_H
#define LE_IO_H5_H

#include "files/io.h"

#include <hdf5.h>

typedef struct le__h5_guard {
    H5E_auto2_t report;
    void *cookie;
} le__h5_guard;

void le__h5_enter(le__h5_guard *guard);
void le__h5_leave(const le__h5_guard *guard);

/* Runs fn in a child process, unless files are trusted; twice: where the child has come to no harm,
 * or there was none, here too. As le__io_in_child, but not under the lock, which it takes. */
le_status le__h5_guarded(const char *text, int64_t bytes, bool twice, le_status (*fn)(void *),
                         void *context);

/* Closes whatever it is. Of less than 1, as a failure or H5S_ALL, there is nothing to close. */
void le__h5_drop(hid_t id);

/* A file that is open already, and what HDF5 does with it through a driver of our own. */
typedef struct le__h5_handle {
    int fd;
    bool taken;      /* HDF5 has it open; parts of virtual datasets get nothing through it */
    bool unlocked;   /* whoever holds a lock on the file does not matter */
    bool truncated;  /* HDF5 is not to mind that the file may end too early */
    bool locating;   /* a chunk is looked up, not read */
    haddr_t address; /* where it lies */
} le__h5_handle;

/* A file access list with that driver, for any name; to be closed. Under the lock. The handle lives
 * as long as the HDF5 file. */
hid_t le__h5_access(le__h5_handle *handle);
/* The file of that handle, opened with H5F_ACC_ flags (TRUNC: made anew); -1 with the error set. Under
 * the lock. */
hid_t le__h5_file(le__h5_handle *handle, const char *name, unsigned flags);
/* The file of that handle, of so many bytes, for reading, also while somebody writes it (HDF5's
 * SWMR); *out is -1 on an error. Under the lock. */
le_status le__h5_file_read(le__h5_handle *handle, const char *name, int64_t bytes, hid_t *out);

/* A chunk in the file. size 0: it was never written; -1: it cannot be read. */
typedef struct le__h5_stored {
    int64_t address, size;
    uint32_t mask; /* filters that it did not pass: bit i for filter i */
} le__h5_stored;

/* Looks one chunk up, by the coordinates of its first element; false when the index is damaged.
 * Under the lock. */
bool le__h5_locate(le__h5_handle *handle, hid_t set, const hsize_t *chunk, le__h5_stored *out);

/* Lets HDF5 know the filters that the library decodes. Under the lock. */
void le__h5_know_filters(void);

/* Where the signature of HDF5 is in a file of so many bytes: at the start, or behind a user block
 * of 512, 1024, 2048 ... bytes; -1: it is no HDF5 file. */
int64_t le__h5_signature(int fd, int64_t size);

/* HDF5's own words for the innermost error, until it is called again; NULL: there is none. Under the
 * lock. */
const char *le__h5_said(void);
/* Fails with the file, what was tried and HDF5's own words for the innermost error. Under the
 * lock. */
le_status le__h5_fail(const char *text, const char *what);

/* Where the data of a dataset that is stored in one piece begin in the file, its user block counted;
 * -1: it is not, or nowhere yet. Under the lock. */
int64_t le__h5_address(hid_t file, hid_t set);

/* n texts as an attribute, as h5py stores a list of them, in place of an older one; -1: one text,
 * alone. Under the lock. */
bool le__h5_put_texts(hid_t object, const char *name, const char *const *texts, int64_t n);
/* Of such texts, to be closed. */
hid_t le__h5_text_type(void);

/* An access list under which no link to another file is followed; *left tells that one was met. */
hid_t le__h5_inside(bool *left);

/* Where the chunks that a selection touches are stored, for some at a time. Chunks are numbered in
 * row-major order: along the first axis from the dataset's first, along the others from the first
 * that the selection touches. */
typedef struct le__h5_index {
    le__h5_stored *window; /* of chunks [begin, end); shared with child processes */
    int64_t begin, end;
    int64_t first[H5S_MAX_RANK], grid[H5S_MAX_RANK]; /* of all axes but the first: touched chunks */
    int64_t last;                                    /* one past the last chunk touched */
} le__h5_index;

/* A file's state and what is opened in it, to compare bit by bit. */
typedef struct le__h5_known {
    uint64_t device, inode;
    int64_t bytes, changed[2], modified[2], n_slices;
    le__io_slice slices[LE_MAX_DIMS + 1];
    char dataset[256];
} le__h5_known;

/* False where it cannot be known again: changed a moment ago, or of a long name. */
bool le__h5_known_make(int fd, const le__io_place *place, le__h5_known *out);
/* Whether a child process has opened it, as it is, before. Under the lock, as the next. */
bool le__h5_known_has(const le__h5_known *k);
void le__h5_known_add(const le__h5_known *k);

/* A link to another file that was met on the way to a dataset. */
typedef struct le__h5_link {
    bool found;
    char file[1024], dataset[1024]; /* as the link has them; not found: the name in this file that
                                       soft links lead to */
} le__h5_link;

/* Looks for the first one on the way to a name, through soft links too. Under the lock. */
void le__h5_link_find(hid_t file, const char *name, le__h5_link *out);
/* The file that it leads to from the file `from`, malloc'ed; LE_ERR_IO where that is not beside it.
 */
le_status le__h5_link_follow(const le__h5_link *link, const char *text, const char *from,
                             char **file);

typedef struct le__h5_maps le__h5_maps; /* h5_virtual.h */
/* Reads the parts from the list that a dataset was created with. Under the lock. */
le_status le__h5_maps_read(struct le__h5_dataset *d, hid_t plist);
void le__h5_maps_free(le__h5_maps *maps);
/* What a dataset is opened for. */
typedef enum le__h5_wish {
    LE__H5_VALUES,
    LE__H5_STORED,     /* chunks as they are, whatever their filters */
    LE__H5_STORED_SKIP /* the same; those that cannot be read have size -1 */
} le__h5_wish;

struct le__h5_dataset {
    const char *text;      /* the place, for messages; borrowed */
    const char *file_name; /* borrowed, or own_file */
    char *own_file;        /* the file with the data, where links led to another one */
    char own_name[1024];   /* its name there */
    le__h5_link *link;     /* while it is opened: shared with child processes */
    le__h5_handle handle;  /* its descriptor also serves reads past HDF5 */
    int64_t file_bytes;
    hid_t file, set, memory_type; /* memory_type is owned */
    le_dtype dtype;
    int rank;
    int64_t shape[H5S_MAX_RANK];
    le__io_range range[H5S_MAX_RANK];
    int64_t address; /* contiguous data in the machine's own type; -1: none */
    /* chunks that the fast path can decode itself */
    bool fast;
    le__h5_wish wish;
    bool chunked;
    int64_t chunk[H5S_MAX_RANK];
    int64_t chunk_bytes;
    int shuffle, deflate; /* place in the filter pipeline; -1: absent */
    le__h5_index index;
    le__h5_maps *maps; /* of a virtual dataset; NULL: none */
    int within;        /* virtual datasets that this one is a part of, one within the other */
    int64_t max_bytes;
};

/* The type of a dtype's elements in memory, to be closed; complex ones are h5py's compounds of two
 * floats, r and i. */
hid_t le__h5_type(le_dtype dtype);
/* The dataset of a place as chunks: le__h5_open that also looks chunks up that only others decode.
 */
le_status le__h5_open_stored(const le__io_place *place, int64_t max_bytes, bool skip,
                             le__h5_dataset *out);
/* One element of d->dtype for chunks that were never written. Not under the lock. */
le_status le__h5_fill(le__h5_dataset *d, void *fill);

/* Not under the lock. Opens for reading, follows links to files beside it, checks the type, finds
 * the nearest of dtypes (mask; 0: any) and applies the place's slices. */
le_status le__h5_open(const le__io_place *place, int64_t max_bytes, uint32_t dtypes,
                      le__h5_dataset *out);
/* Its elements as HDF5 converts them to another dtype. Not under the lock. */
le_status le__h5_read_as(le__h5_dataset *d, le_dtype dtype);
void le__h5_close(le__h5_dataset *d);
/* An empty window. */
le_status le__h5_index_new(le__h5_dataset *d);
void le__h5_index_free(le__h5_index *index);
/* Once the selection is known (and not empty): where the window begins and ends. */
void le__h5_index_begin(le__h5_dataset *d);
/* Looks the window's chunks up. Under the lock. */
le_status le__h5_index_fill(le__h5_dataset *d);
/* Not under the lock. Moves the window so that it begins with this chunk, unless it holds it; looks
 * up in a child process where files are not trusted. */
le_status le__h5_index_move(le__h5_dataset *d, int64_t chunk);
/* The chunks that the selection touches now. */
void le__h5_chunks_of(const le__h5_dataset *d, int64_t *begin, int64_t *end);
/* A chunk's place in the grid of all chunks. */
void le__h5_chunk_at(const le__h5_dataset *d, int64_t chunk, int64_t *at);

/* Reads the selection of a dataset that is not virtual into row-major memory of d->dtype. */
le_status le__h5_load(le__h5_dataset *d, const le__io_parallel *p, void *data);
/* Changes a copy of an existing file, in a child process where it is not trusted; the copy then takes
 * the file's place. Not under the lock. */
le_status le__h5_edit(const le__io_place *place, le_status (*edit)(void *context, hid_t file),
                      void *context);

/* Reads the selection into row-major memory of d->dtype chunk by chunk, decoded on the threads of
 * p; only where d->fast. */
le_status le__h5_load_chunks(le__h5_dataset *d, const le__io_parallel *p, void *data);

#endif
