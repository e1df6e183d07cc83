/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * FITS files opened for reading, at the image or table that is wanted, with every size checked
 * against the file's before it is used.
 */
#include "files/fits.h"

#include "core/os.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 68, HDUS_MAX = 10000 };

static const int64_t INFLATION_MAX = 4096, SMALL_IMAGE_BYTES = 64 << 20;

le_status le__fits_fail(const char *text, const char *what, int status) {
    char words[FLEN_STATUS] = "";
    fits_get_errstatus(status, words);
    return le_fail(status == MEMORY_ALLOCATION ? LE_ERR_MEMORY : LE_ERR_IO, "%s: %s: %s", text,
                   what, words);
}

/* ------------------------------------------------------------------------------------- files -- */

static le_status open_memory(le__fits *f, int64_t max_bytes) {
    le_status status = le__io_gunzip_all(f->fd, f->text, max_bytes, &f->memory, &f->memory_bytes);
    if (status != LE_OK)
        return status;
    int error = 0;
    f->size = (int64_t)f->memory_bytes;
    fits_open_memfile(&f->file, "inflated", READONLY, &f->memory, &f->memory_bytes, 0, NULL,
                      &error);
    return error ? le__fits_fail(f->text, "cannot be opened as FITS", error) : LE_OK;
}

static le_status open_file(le__fits *f) {
    char path[64];
    int error = 0;
    snprintf(path, sizeof path, LE__OS_OPEN_FILES "/%d", f->fd);
    fits_open_diskfile(&f->file, path, READONLY, &error);
    return error ? le__fits_fail(f->text, "cannot be opened as FITS", error) : LE_OK;
}

/* CFITSIO would inflate other kinds of files, too, and more than there is memory for. */
static le_status open_any(le__fits *f, int64_t max_bytes) {
    char first[9] = "";
    if (pread(f->fd, first, 8, 0) == 8 && strcmp(first, "SIMPLE  ") == 0)
        return open_file(f);
    if (first[0] == '\x1f' && first[1] == '\x8b')
        return open_memory(f, max_bytes);
    return le_fail(LE_ERR_IO, "%s: not a FITS file", f->text);
}

/* -------------------------------------------------------------------------------------- HDUs -- */

/* Extents of the image at the HDU; 0 axes where there is none. */
static int read_axes(le__fits *f) {
    LONGLONG naxes[LE__FITS_AXES];
    int error = 0, type = ANY_HDU;
    f->naxis = 0;
    fits_get_hdu_type(f->file, &type, &error);
    f->table = !error && type != IMAGE_HDU;
    if (error || f->table)
        return error;
    fits_get_img_paramll(f->file, LE__FITS_AXES, &f->bitpix, &f->naxis, naxes, &error);
    if (f->naxis > LE__FITS_AXES)
        return BAD_NAXIS;
    for (int i = 0; i < f->naxis; i++)
        f->naxes[i] = naxes[i];
    return error;
}

/* Axes that are longer than 1; 0 where one has no pixels. */
static int count_long_axes(const le__fits *f) {
    int n = 0;
    for (int i = 0; i < f->naxis; i++) {
        if (f->naxes[i] < 1)
            return 0;
        n += f->naxes[i] > 1;
    }
    return n;
}

/* The first HDU with axes, of which at least so many are longer than 1; -1: there is none. */
static int first_image(le__fits *f, int least) {
    int error = 0, n = 0;
    fits_get_num_hdus(f->file, &n, &error);
    for (int i = 1; !error && i <= n && i <= HDUS_MAX; i++)
        if (!fits_movabs_hdu(f->file, i, NULL, &error) && !(error = read_axes(f)) && f->naxis > 0 &&
            count_long_axes(f) >= least)
            return i;
    return -1;
}

static le_status find_first(le__fits *f) {
    for (int least = 2; least >= 0; least--) /* 0: a single pixel */
        if (first_image(f, least) > 0)
            return LE_OK;
    return le_fail(LE_ERR_IO, "%s: no image in the file; a table is named as FILE.fits[HDU]",
                   f->text);
}

/* NAME or NAME,VERSION, where a name may have commas of its own. */
static le_status find_name(le__fits *f, const char *text) {
    char name[NAME_MAX_BYTES + 1] = "";
    const char *comma = strrchr(text, ',');
    const bool versioned =
        comma && comma[1] && strspn(comma + 1, "0123456789") == strlen(comma + 1);
    const size_t length = versioned ? (size_t)(comma - text) : strlen(text);
    int error = 0, version = versioned ? atoi(comma + 1) : 0;
    if (length < sizeof name) {
        memcpy(name, text, length);
        fits_movnam_hdu(f->file, ANY_HDU, name, version, &error);
    }
    if (length >= sizeof name || error)
        return le_fail(LE_ERR_IO, "%s: the file has no HDU %s", f->text, text);
    return LE_OK;
}

static le_status find_named(le__fits *f, const char *text) {
    int error = 0, n = 0;
    le_status status = LE_OK;
    if (strspn(text, "0123456789") == strlen(text)) {
        long at = strlen(text) < 6 ? atol(text) : HDUS_MAX;
        fits_get_num_hdus(f->file, &n, &error);
        if (error || at >= n || fits_movabs_hdu(f->file, (int)at + 1, NULL, &error))
            return le_fail(LE_ERR_IO, "%s: HDU %s of %d, which count from 0, cannot be read",
                           f->text, text, n);
    } else {
        status = find_name(f, text);
    }
    if (status == LE_OK && (error = read_axes(f)) != 0)
        status = le__fits_fail(f->text, "the HDU cannot be read", error);
    if (status == LE_OK && f->naxis == 0 && !f->table)
        status = le_fail(LE_ERR_IO, "%s: HDU %s holds neither image nor table", f->text, text);
    return status;
}

/* ------------------------------------------------------------------------------------- sizes -- */

/* The tensor of an image. */
static le_status drop_axes(le__fits *f) {
    for (int i = f->naxis - 1; i >= 0; i--) {
        bool only = f->ndim == 0 && i == 0; /* an image of one pixel is [1] */
        if (f->naxes[i] == 1 && !only)
            continue;
        if (f->ndim == LE_MAX_DIMS)
            return le_fail(LE_ERR_SHAPE, "%s: more than %d axes", f->text, LE_MAX_DIMS);
        f->axis[f->ndim] = i;
        f->shape[f->ndim++] = f->naxes[i];
    }
    return LE_OK;
}

static le_dtype stored_dtype(int bitpix) {
    return bitpix == 8 ? LE_U8 : abs(bitpix) == 16 ? LE_I16 : abs(bitpix) == 32 ? LE_I32 : LE_I64;
}

/* Pixels of a tile of a compressed image, as the header says. */
static double tile_pixels(const le__fits *f) {
    double pixels = 1;
    for (int i = 0; i < f->naxis; i++) {
        char key[FLEN_KEYWORD];
        LONGLONG extent = i ? 1 : f->naxes[0];
        int error = 0;
        snprintf(key, sizeof key, "ZTILE%d", i + 1);
        fits_read_key(f->file, TLONGLONG, key, &extent, NULL, &error);
        pixels *= extent > 0 ? (double)extent : INFINITY;
    }
    return pixels;
}

static le_status check_compressed(const le__fits *f, int64_t bytes) {
    if (bytes > SMALL_IMAGE_BYTES && bytes / INFLATION_MAX > f->size)
        return le_fail(LE_ERR_IO, "%s: %lld bytes of pixels in a file of %lld", f->text,
                       (long long)bytes, (long long)f->size);
    if (tile_pixels(f) * 8 > (double)(bytes > SMALL_IMAGE_BYTES ? bytes : SMALL_IMAGE_BYTES) * 4)
        return le_fail(LE_ERR_IO, "%s: tiles larger than the image", f->text);
    return LE_OK;
}

static le_status check_bytes(le__fits *f) {
    int64_t bytes;
    int error = 0;
    LONGLONG begin = 0;
    le_status status =
        le__io_check_size(f->text, stored_dtype(f->bitpix), f->ndim, f->shape, INT64_MAX, &bytes);
    if (status != LE_OK || (f->compressed = fits_is_compressed_image(f->file, &error) != 0))
        return status != LE_OK ? status : check_compressed(f, bytes);
    fits_get_hduaddrll(f->file, NULL, &begin, NULL, &error);
    if (error || begin > f->size || bytes > f->size - begin)
        return le_fail(LE_ERR_IO, "%s: the file ends before its data does: %lld bytes of %lld",
                       f->text, (long long)(begin < f->size ? f->size - begin : 0),
                       (long long)bytes);
    return LE_OK;
}

/* ------------------------------------------------------------------ open and close -- */

le_status le__fits_open(const le__io_place *place, int64_t max_bytes, le__fits *f) {
    *f = (le__fits){.text = place->text, .fd = -1}; /* CFITSIO keeps where its memory is noted */
    f->fd = le__io_open(place->file, &f->size);
    if (f->fd < 0)
        return LE_ERR_IO;
    le_status status = open_any(f, max_bytes);
    if (status == LE_OK)
        status = place->dataset ? find_named(f, place->dataset) : find_first(f);
    if (status == LE_OK && place->column && !f->table)
        status = le_fail(LE_ERR_IO, "%s: a column is named, but the HDU is an image", f->text);
    if (status == LE_OK && f->table)
        status = le__fits_table_open(f);
    else if (status == LE_OK && (status = drop_axes(f)) == LE_OK)
        status = check_bytes(f);
    if (status != LE_OK)
        le__fits_close(f);
    return status;
}

void le__fits_close(le__fits *f) {
    int error = 0;
    if (f->file)
        fits_close_file(f->file, &error);
    if (f->fd >= 0)
        close(f->fd);
    free(f->memory);
    *f = (le__fits){.fd = -1};
}
