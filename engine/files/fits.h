/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The FITS parts of engine/files among themselves. CFITSIO gets files that are open already, never
 * the name that a caller gave: it reads commands in names. What it does with a file that may come
 * from anyone it does in a child process first, and reading tiles and tables there only. All of it
 * between le__io_enter and le__io_leave.
 */
#ifndef LE_IO_FITS_H
#define LE_IO_FITS_H

#include "files/io.h"

#include <fitsio.h>

enum { LE__FITS_AXES = 32 };

typedef struct le__fits {
    fitsfile *file; /* at the HDU that is read */
    const char *text;
    int fd;
    int64_t size; /* bytes of the file, inflated */
    void *memory; /* of an inflated file; NULL: it is read as it is */
    size_t memory_bytes;
    int bitpix; /* as CFITSIO names the type of the values: USHORT_IMG ... */
    bool compressed;
    bool table; /* of rows and columns, binary or ASCII; else an image */
    int naxis;  /* as in the file, the fastest axis first */
    int64_t naxes[LE__FITS_AXES];
    int ndim; /* of the tensor: axes of length 1 are left out */
    int64_t shape[LE_MAX_DIMS];
    int axis[LE_MAX_DIMS]; /* of each axis of an image its number in the file, from 0 */
} le__fits;

/* Opens the image or table that the place names, else the first image of the file. *f must stay
 * where it is until it is closed. Where no child did it before, le__fits_look comes first. */
le_status le__fits_open(const le__io_place *place, int64_t max_bytes, le__fits *f);
void le__fits_close(le__fits *f); /* harmless on {.fd = -1} */
/* Fails with the file, what was tried and CFITSIO's words for the status. */
le_status le__fits_fail(const char *text, const char *what, int status);

/* By dtype: CFITSIO's type of an image of such values, and of memory; 0, 0: there is none. */
typedef struct le__fits_type {
    int bitpix, memory;
} le__fits_type;
extern const le__fits_type le__fits_types[LE_DTYPE_LAST + 1];

/* Of a table: sets its shape, once the file is at its HDU; r[1] becomes the column of that name, in
 * whatever case, and stays as it is for NULL; whether all columns in r hold one number a row; those
 * numbers into a float tensor, where the result is CFITSIO's status. */
le_status le__fits_table_open(le__fits *f);
le_status le__fits_table_select(const le__fits *f, const char *column, le__io_range *r);
le_status le__fits_table_check(const le__fits *f, const le__io_range *r);
int le__fits_table_read(const le__fits *f, const le__io_range *r, le_tensor *out);

/* What reading a place gives. */
typedef struct le__fits_seen {
    int64_t bytes, shape[LE_MAX_DIMS];
    le_dtype dtype;
    int ndim;
    bool in_child; /* its decoders believe what is in the file: of tiles and tables */
} le__fits_seen;

/* Opens and checks the image or table in a child process. Under the lock. */
le_status le__fits_look(const le__io_request *q, le__fits_seen *out);

/* Copies what says where on the sky the pixels of an image lie into the header of another one: the
 * cards of the tensor's axes, with the slices of the place. Places without such cards, or which are
 * no FITS images of this shape, change nothing. */
void le__fits_copy_sky(const char *like, const le_tensor *image, fitsfile *to);

#endif
