/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tensors as FITS images, tables with names of columns as binary tables.
 */
#include "files/fits.h"
#include "files/table.h"

#include "core/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 2880, CARD = 80, PIECE_BYTES = 1 << 20 };

/* ------------------------------------------------------------------- a file under construction --
 */

/* A header of a file without data: CFITSIO creates files by name only, and this one has none. */
static le_status put_empty(const char *text, int fd) {
    char block[BLOCK];
    static const char *const cards[] = {"SIMPLE  =                    T",
                                        "BITPIX  =                    8",
                                        "NAXIS   =                    0", "END"};
    memset(block, ' ', sizeof block);
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        memcpy(block + i * CARD, cards[i], strlen(cards[i]));
    return le__io_write_all(fd, text, block, sizeof block);
}

static le_status fail(const char *text, int error) {
    le_status status = le__io_system_error(text, errno);
    return status ? status : le__fits_fail(text, "cannot be written", error);
}

/* A writer for a file that is under construction: a primary HDU without data, at its end. To be
 * closed with finish. */
static le_status begin(const char *text, const le__outfile *temp, fitsfile **out) {
    char path[64];
    int error = 0;
    le_status status = put_empty(text, temp->fd);
    snprintf(path, sizeof path, LE__OS_OPEN_FILES "/%d", temp->fd);
    if (status == LE_OK && fits_open_diskfile(out, path, READWRITE, &error))
        status = fail(text, error);
    return status;
}

/* Fails with status, or with what goes wrong on the way out. */
static le_status finish(const char *text, fitsfile *file, int status) {
    int error = 0;
    fits_close_file(file, &error);
    return status || error ? fail(text, status ? status : error) : LE_OK;
}

/* ------------------------------------------------------------------------------------- images --
 */

/* In pieces of our own, for CFITSIO may swap the bytes of what it is given. */
static int put_pixels(fitsfile *file, const le_tensor *t, const void *data) {
    int error = 0;
    int64_t size = (int64_t)le_dtype_size(t->dtype), count = le_tensor_count(t);
    char *piece = malloc(PIECE_BYTES);
    if (!piece)
        return MEMORY_ALLOCATION;
    for (int64_t at = 0; !error && at < count; at += PIECE_BYTES / size) {
        int64_t n = count - at < PIECE_BYTES / size ? count - at : PIECE_BYTES / size;
        memcpy(piece, (const char *)data + at * size, (size_t)(n * size));
        fits_write_img(file, le__fits_types[t->dtype].memory, at + 1, n, piece, &error);
    }
    free(piece);
    return error;
}

static int put_image(fitsfile *file, const le_tensor *t, const void *data, const char *like) {
    LONGLONG naxes[LE_MAX_DIMS];
    int error = 0;
    for (int i = 0; i < t->ndim; i++)
        naxes[i] = t->shape[t->ndim - 1 - i];
    fits_resize_imgll(file, le__fits_types[t->dtype].bitpix, t->ndim, naxes, &error);
    if (!error && like)
        le__fits_copy_sky(like, t, file);
    fits_set_hdustruc(file, &error); /* from here on values are stored as the header says */
    return error ? error : put_pixels(file, t, data);
}

/* ------------------------------------------------------------------------------------- tables --
 */

typedef struct columns {
    char **names, **forms, **units;
    int n;
} columns;

static void free_columns(columns *c) {
    for (int i = 0; c->names && i < c->n; i++)
        free(c->names[i]);
    free(c->names);
    free(c->forms);
    free(c->units);
}

static bool make_columns(const le__io_request *r, int n, columns *c) {
    static char form[] = "1D", degrees[] = "deg", none[] = "";
    size_t room = (size_t)n + 1;
    *c = (columns){calloc(room, sizeof(char *)), calloc(room, sizeof(char *)),
                   calloc(room, sizeof(char *)), n};
    bool good = c->names && c->forms && c->units;
    for (int i = 0; good && i < n; i++) {
        char made[LE__IO_NUMBER];
        const char *name = le__io_column_name(r, i, made);
        c->names[i] = strdup(name);
        c->forms[i] = form;
        c->units[i] = le__io_is_degrees(name) ? degrees : none;
        good = c->names[i] != NULL;
    }
    return good;
}

/* A table is stored line by line: so it is written, some columns of some lines at a time. */
static int put_cells(fitsfile *file, const le_tensor *t) {
    enum { LINES = 1024 };
    double piece[LINES];
    int error = 0;
    int64_t rows = t->shape[0], n = t->shape[1];
    for (int64_t first = 0; !error && first < rows; first += LINES) {
        int64_t lines = rows - first < LINES ? rows - first : LINES;
        for (int64_t k = 0; !error && k < n; k++) {
            for (int64_t i = 0; i < lines; i++)
                piece[i] = le_tensor_get(t, (first + i) * n + k);
            fits_write_col(file, TDOUBLE, (int)k + 1, first + 1, 1, lines, piece, &error);
        }
    }
    return error;
}

static int put_table(fitsfile *file, const le__io_request *r, const le_tensor *t) {
    static const char *const name = "CATALOGUE";
    columns c;
    int error = t->shape[1] > 999 ? BAD_TFIELDS : 0;
    if (error)
        return error;
    if (make_columns(r, (int)t->shape[1], &c))
        fits_create_tbl(file, BINARY_TBL, t->shape[0], c.n, c.names, c.forms, c.units, name,
                        &error);
    else
        error = MEMORY_ALLOCATION;
    free_columns(&c);
    return error ? error : put_cells(file, t);
}

/* -------------------------------------------------------------------------------------- write --
 */

static le_status check(const le__io_request *r, const le_tensor *t) {
    char what[128];
    le_tensor_describe(t, what, sizeof what);
    if (le_dtype_kind_of(t->dtype) == LE_DTYPE_KIND_COMPLEX)
        return le_fail(LE_ERR_DTYPE,
                       "%s: %s; FITS takes integers and floats, HDF5, NRRD and raw files take "
                       "complex numbers",
                       r->place->text, what);
    if (le__io_is_gzip(r->place))
        return le_fail(LE_ERR_UNSUPPORTED, "%s: gzipped FITS files are for reading only",
                       r->place->text);
    if (!r->columns && (t->ndim == 0 || le_tensor_count(t) == 0))
        return le_fail(LE_ERR_SHAPE, "%s: %s; a FITS image has axes and pixels", r->place->text,
                       what);
    return LE_OK;
}

static le_status write_into(const le__io_request *r, const le_tensor *t, const void *data,
                            const le__outfile *temp) {
    const le_tensor packed = le_tensor_of(data, t->dtype, t->ndim, t->shape);
    fitsfile *file = NULL;
    errno = 0;
    le_status status = begin(r->place->text, temp, &file);
    if (status != LE_OK)
        return status;
    int error = r->columns ? put_table(file, r, &packed) : put_image(file, &packed, data, r->like);
    return finish(r->place->text, file, error);
}

le_status le__fits_write(const le__io_request *r, const le_tensor *t, const void *data) {
    le__outfile temp;
    le_status status = check(r, t);
    if (status == LE_OK && !r->looks)
        status = le__io_temp_open(r->place->file, false, &temp);
    if (status != LE_OK || r->looks)
        return status;
    le__io_enter();
    status = write_into(r, t, data, &temp);
    le__io_leave();
    if (status == LE_OK)
        return le__io_temp_commit(r->place->file, &temp);
    le__outfile_abandon(&temp);
    return status;
}
