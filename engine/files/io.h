/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the readers and writers of engine/files share: the parsed place, parallel
 * loops, whole-range file access and temporary names.
 */
#ifndef LE_IO_IO_H
#define LE_IO_IO_H

#include "core/tick.h"
#include "liquid_engine/le_io.h"
#include "liquid_engine/le_method.h"
#include "outfile.h"

/* Numbers of `from`, packed at the end of a buffer of count elements of `to`, become elements of
 * `to` at its start; `to` is no smaller. swap: the file's byte order is not the machine's. */
void le__io_convert(void *buffer, int64_t count, le_dtype from, le_dtype to, bool swap);

/* ------------------------------------------------------------------------------------ places -- */

typedef enum le__io_format {
    LE__IO_HDF5 = 1,
    LE__IO_NRRD,
    LE__IO_NPY,
    LE__IO_EDF,
    LE__IO_RAW,
    LE__IO_PNG,
    LE__IO_TIFF,
    LE__IO_CSV,
    LE__IO_FITS,
    LE__IO_VOTABLE
} le__io_format;

typedef struct le__io_slice {
    int64_t start, stop, step;
    bool has_start, has_stop;
    bool index; /* one element: the axis is dropped */
    bool ellipsis;
} le__io_slice;

typedef struct le__io_place {
    le__io_format format;
    const char *text; /* as given, for messages; borrowed */
    char *file;
    char *dataset; /* HDF5: its name; CSV: of a column; FITS: of an HDU. NULL: not named */
    char *column;  /* FITS: of a table, after the HDU. NULL: not named */
    le__io_slice slices[LE_MAX_DIMS + 1];
    int n_slices;
    bool has_layout; /* raw: type and shape given */
    le_dtype dtype;
    bool big_endian;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    int64_t offset;
} le__io_place;

/* On success le__io_place_free releases it; on error nothing is held. */
le_status le__io_place_parse(const char *text, le__io_place *out);
void le__io_place_free(le__io_place *place);
bool le__io_is_gzip(const le__io_place *place); /* by the name's ending */
bool le__io_names_dataset(const le__io_place *place); /* HDF5: one that can be written */

/* Whether the name of a file is relative and leads nowhere upwards; and the file of that name in the
 * folder of another one, malloc'ed, NULL when out of memory. */
bool le__io_is_beside(const char *name);
char *le__io_beside(const char *file, const char *name);

/* Splits a name with one %d: fails unless there is exactly one integer conversion; has_number false
 * and LE_OK when there is no '%' at all. */
le_status le__io_name_check(const char *name, bool *has_number);
/* The name with the number filled in, malloc'ed; NULL when out of memory. */
char *le__io_name_number(const char *name, int64_t number);
/* Files that are there and whose names this one stands for, as a pattern for glob(); NULL when out
 * of memory. A match may have something else than a number in the number's place. */
char *le__io_name_pattern(const char *name);

/* A selection along one axis: elements start, start + step, ... (count of them). */
typedef struct le__io_range {
    int64_t start, step, count;
    bool drop;
} le__io_range;

/* The slice that selects it. */
le__io_slice le__io_slice_of(const le__io_range *range);
/* Resolves the place's slices against the shape of a dataset, as Python does (clipped). */
le_status le__io_select(const le__io_place *place, int ndim, const int64_t *shape,
                        le__io_range *out);

/* ---------------------------------------------------------------------------- parallel loops -- */

struct le__pool;
typedef struct le__io_parallel {
    struct le__pool *pool; /* NULL: the calling thread alone */
    int threads;           /* workers are in [0, threads) */
} le__io_parallel;

/* What went wrong first, on any thread. */
typedef struct le__io_failure {
    _Atomic int status;
    char text[1024];
} le__io_failure;
/* Notes a failure, with this thread's error text. */
void le__io_failure_note(le__io_failure *f, le_status status);
/* LE_OK, or fails with it, when all threads are done. */
le_status le__io_failure_of(const le__io_failure *f);

/* The engine's threads; NULL: the calling thread. */
le__io_parallel le__io_parallel_of(le_engine *engine);
/* Runs fn over items in parallel, those of a file, until the caller's tick ends it: then
 * LE_ERR_CANCELLED, and some are not done. */
le_status le__io_run(const le__io_parallel *p, const char *file, size_t items, le_range_fn fn,
                     void *context);
/* le__ticker_end: what a reader or writer says when it was ended on its way is no fault of the
 * file.
 */
le_status le__io_end_ticks(le__ticker *t, const char *file, le_status status);

/* --------------------------------------------------------------------------- child processes -- */

/* The process-wide lock around all that HDF5, CFITSIO and WCSLIB do. One for all: a child of one
 * library would hold locks on files that another has open for longer than that knows. */
void le__io_enter(void);
void le__io_leave(void);
/* LE_ERR_UNSUPPORTED in a child of a fork that left these libraries in the middle of something. */
le_status le__io_check_fork(const char *text);

/* Runs fn in a child process, which ends afterwards: what it changes in memory that is not shared
 * is lost. Its status and error text come back; a crash, or no end within half a minute (and 20
 * MB/s for bytes), is an error. Under the lock, so that the child finds the library at rest. */
le_status le__io_in_child(const char *library, const char *text, int64_t bytes,
                          le_status (*fn)(void *), void *context);
/* LE_IO_TRUST=1: files are known to be sound, nothing is tried in a child first. */
bool le__io_trusted(void);
/* The same as le__io_in_child, or here where files are trusted. */
le_status le__io_apart(const char *library, const char *text, int64_t bytes,
                       le_status (*fn)(void *), void *context);
/* Zeros that child processes share; NULL when out of memory. */
void *le__io_shared(size_t bytes);
void le__io_unshare(void *memory, size_t bytes);

/* ------------------------------------------------------------------------------------- files -- */

/* Checks ndim and shape against overflow and the limit; *bytes (may be NULL) gets the size. */
le_status le__io_check_size(const char *text, le_dtype dtype, int ndim, const int64_t *shape,
                            int64_t max_bytes, int64_t *bytes);
/* The same of a tensor's, and of its number of axes; the data do not matter. */
le_status le__io_check_shape(const char *text, const le_tensor *t, int64_t *bytes);
/* Of a tensor that is to be written, its data too, which only an empty one can do without. */
le_status le__io_check_tensor(const char *text, const le_tensor *t);
/* Of an HDF5 place, and the name of the file that several processes write before it has the
 * place's: to be freed. */
le_status le__io_part_parse(const char *text, le__io_place *place, char **part);
int64_t le__io_limit(void); /* of bytes, unless the caller has one */
/* A caller's options, which may be NULL or of another version, with that limit in place. */
le_status le__io_take_options(le_io_options *known, const le_io_options *given);

/* As le_tensor_alloc, but with contents unspecified: the reader writes every element. */
le_status le__io_alloc(le_tensor *out, le_dtype dtype, int ndim, const int64_t *shape);

/* Makes *t hold such a tensor, in its own memory if that has room: {0}, or the result of an earlier
 * call with the same dtype and the same extents but the first. */
le_status le__io_room(le_tensor *t, const char *text, le_dtype dtype, int ndim,
                      const int64_t *shape, int64_t max_bytes);

/* Which file a name leads to, in which state; zeros: none. A machine's own number of a file system
 * is no part of it, so that others know the file again. */
typedef struct le__io_version {
    int64_t there, inode, bytes, seconds, nanoseconds;
} le__io_version;
le__io_version le__io_version_of(const char *file);
bool le__io_version_is(const le__io_version *v, const char *file);
/* How long the lock on a folder is waited for while its files are compared and replaced, by one process
 * at a time. Where it cannot be had it is done without. */
#define LE__IO_FOLDER_WAIT_S 10.0

/* Opens for reading; only regular files. *size gets its bytes. -1 with the error set. */
int le__io_open(const char *file, int64_t *size);
/* Reads exactly bytes from the offset: 0, an errno, or -1 where the file ends too early; what that is as
 * a status. */
int le__io_read_exact(int fd, void *to, int64_t offset, int64_t bytes);
le_status le__io_read_outcome(const char *file, int error);
/* The same, on the threads of p. */
le_status le__io_pread(const le__io_parallel *p, int fd, const char *file, int64_t offset,
                       void *data, int64_t bytes);
/* Reads the ranges of a row-major block of `shape` that lies from the offset on; ndim is not 0. */
le_status le__io_pread_region(const le__io_parallel *p, int fd, const char *file, int64_t offset,
                              size_t item, int ndim, const int64_t *shape,
                              const le__io_range *ranges, void *out);
/* The place's slices of a block: the ranges, and the shape and axes that they leave. */
le_status le__io_narrow(const le__io_place *place, int *ndim, int64_t *shape,
                        le__io_range ranges[LE_MAX_DIMS]);
/* Writes exactly bytes where the file stands, or at an offset that is not negative. */
le_status le__io_write_all(int fd, const char *file, const void *data, int64_t bytes);
le_status le__io_write_at(int fd, const char *file, const void *data, int64_t bytes, int64_t at);
/* Fails where errno says why a file could not be written (a full disk, a quota, too many open
 * files), which the libraries that write it do not tell; LE_OK where it says something else. */
le_status le__io_system_error(const char *file, int error);

/* Creates missing folders and a file that is not in its place yet (outfile.h); only where there is
 * none, or a regular one. named: it has a temporary name, so that fd may be closed before the end.
 */
le_status le__io_temp_open(const char *file, bool named, le__outfile *out);
/* What replaces a file must be on the disk before it does: done here it is not done with the next.
 */
le_status le__io_temp_sync(const char *file, le__outfile *temp);
/* Puts it in its place. Releases *temp in any case. */
le_status le__io_temp_commit(const char *file, le__outfile *temp);
le_status le__io_temps_commit(const char *file, le__outfile *temps, size_t n);

/* A file of a header of so many bytes, and the elements of t, at data (NULL: none): not in its place
 * yet, where on an error nothing is held; or all of it. */
le_status le__io_begin_block(const char *file, const void *header, int64_t length,
                             const le_tensor *t, const void *data, le__outfile *temp);
le_status le__io_put_block(const char *file, const void *header, int64_t length,
                           const le_tensor *t, const void *data);

/* Tensor data as row-major memory: its own, or a copy in *copy that the caller frees. */
le_status le__io_contiguous(le_tensor *tensor, const void **data, void **copy);

/* ----------------------------------------------------------------------------------- formats -- */

/* zlib format; exactly out_bytes must come out. */
bool le__io_inflate(const void *in, size_t in_bytes, void *out, size_t out_bytes);
/* Elements of 4 bytes from four planes of bytes, `planes` bytes apart. */
void le__io_unshuffle4(char *to, const unsigned char *from, int64_t planes, int64_t count);
/* A zlib or gzip stream from a file, possibly of several members; exactly out_bytes are wanted. */
le_status le__io_gunzip_file(int fd, const char *file, int64_t offset, void *out,
                             int64_t out_bytes);
/* All of a gzip file into memory of its own, which the caller frees; at most limit bytes. */
le_status le__io_gunzip_all(int fd, const char *file, int64_t limit, void **data, size_t *size);

typedef struct le__io_request {
    const le__io_place *place;
    le__io_parallel parallel;
    int64_t max_bytes;
    uint32_t dtypes;
    /* for writing, as in le_io_write_options */
    const char *const *columns;
    const char *like;
    bool looks; /* nothing is written: whether the format takes such a tensor */
} le__io_request;

extern const bool le__h5_built; /* false: each of these fails with LE_ERR_UNSUPPORTED */
/* *out is {0} before; after an error the caller frees what has come of it, as with all formats. */
le_status le__h5_read(const le__io_request *r, le_tensor *out);
le_status le__h5_write(const le__io_request *r, const le_tensor *t, const void *data);
/* Whether a dataset of the place's name can be put into its file as that is now. */
le_status le__h5_try(const le__io_place *place);
/* The same with the data from a file, at an offset; t has no more than dtype and shape. */
le_status le__h5_write_from(const le__io_request *r, const le_tensor *t, int fd, int64_t offset);
/* The file behind fd, which is empty and becomes what the place's file is, or has been begun so,
 * gets a dataset of the dtype and shape of t whose elements lie together, unspecified, from *offset
 * on.
 */
le_status le__h5_reserve(const le__io_place *place, int fd, bool begun, const le_tensor *t,
                         int64_t *offset);
/* Where it has been reserved in `file`; LE_ERR_IO: it has not. */
le_status le__h5_reserved(const le__io_place *place, char *file, const le_tensor *t,
                          int64_t *offset);
le_status le__nrrd_read(const le__io_request *r, le_tensor *out);
le_status le__nrrd_write(const le__io_request *r, const le_tensor *t, const void *data);
le_status le__npy_read(const le__io_request *r, le_tensor *out);
le_status le__npy_write(const le__io_request *r, const le_tensor *t, const void *data);
le_status le__edf_read(const le__io_request *r, le_tensor *out);
extern const char le__raw_layout[]; /* what a place has to give */
le_status le__raw_read(const le__io_request *r, le_tensor *out);
le_status le__raw_write(const le__io_request *r, const le_tensor *t, const void *data);
le_status le__png_read(const le__io_request *r, le_tensor *out);
le_status le__png_write(const le__io_request *r, const le_tensor *t, const void *data);
le_status le__tiff_read(const le__io_request *r, le_tensor *out);
le_status le__tiff_write(const le__io_request *r, const le_tensor *t, const void *data);
le_status le__csv_read(const le__io_request *r, le_tensor *out);
le_status le__csv_write(const le__io_request *r, const le_tensor *t, const void *data);
le_status le__fits_read(const le__io_request *r, le_tensor *out);
le_status le__fits_write(const le__io_request *r, const le_tensor *t, const void *data);
le_status le__votable_write(const le__io_request *r, const le_tensor *t, const void *data);
/* As le_io_sky. */
le_status le__fits_sky(const char *place, const double *positions, int64_t n, int axes,
                       double *sky);

/* Whether fn says so of a place, behind links to other files, of any part of the virtual dataset
 * that it names, or of any dataset of the group. */
bool le__h5_any_origin(const le__io_place *place,
                       bool (*fn)(const le__io_place *origin, void *cookie), void *cookie);
/* Whether both name the same dataset of one file, through links too. */
bool le__h5_same_dataset(const le__io_place *a, const le__io_place *b);

le_status le__h5_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape);
le_status le__nrrd_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape);
le_status le__npy_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape);
le_status le__edf_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape);
le_status le__raw_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape);
le_status le__png_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape);
le_status le__tiff_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape);
le_status le__fits_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape);
le_status le__csv_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape);

/* Frame readers. read fills memory for frames [first, first + count). */
typedef struct le__h5_dataset le__h5_dataset;
typedef struct le__tiff_stack le__tiff_stack;
le_status le__h5_stream_open(const le__io_request *r, le__h5_dataset **out,
                             le_io_stream_info *info);
le_status le__h5_stream_read(le__h5_dataset *d, const le__io_parallel *p, int64_t first,
                             int64_t count, void *data);
void le__h5_stream_close(le__h5_dataset *d);
le_status le__tiff_stream_open(const le__io_request *r, le__tiff_stack **out,
                               le_io_stream_info *info);
le_status le__tiff_stream_read(le__tiff_stack *s, int64_t first, int64_t count, void *data);
void le__tiff_stream_close(le__tiff_stack *s);

#endif
