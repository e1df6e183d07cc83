/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where the pixels of a FITS image lie on the sky: its cards for another image of the same pixels,
 * and longitudes and latitudes by WCSLIB.
 */
#include "files/fits.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the place's axes -- */

/* Of the tensor that a place gives: which axis of the file each axis is, and where it begins. */
typedef struct view {
    le__fits fits;
    int ndim;
    int axis[LE_MAX_DIMS];
    le__io_range range[LE_MAX_DIMS];
    int64_t fixed[LE__FITS_AXES]; /* of the file's other axes: the element, from 0 */
} view;

static le_status open_place(const le__io_place *place, bool checked, view *v) {
    le__fits_seen seen;
    const le__io_request q = {.place = place, .max_bytes = le__io_limit()};
    if (place->format != LE__IO_FITS)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: not a FITS file", place->text);
    le_status status = checked ? LE_OK : le__fits_look(&q, &seen);
    return status == LE_OK ? le__fits_open(place, q.max_bytes, &v->fits) : status;
}

/* checked: this is the child, or one was there before. */
static le_status open_view(const char *text, bool checked, view *v) {
    le__io_place place;
    le__io_range r[LE_MAX_DIMS];
    *v = (view){.fits = {.fd = -1}};
    le_status status = le__io_place_parse(text, &place);
    if (status != LE_OK)
        return status;
    status = open_place(&place, checked, v);
    if (status == LE_OK && v->fits.table)
        status = le_fail(LE_ERR_UNSUPPORTED, "%s: a table, expected an image", text);
    if (status == LE_OK)
        status = le__io_select(&place, v->fits.ndim, v->fits.shape, r);
    for (int i = 0; status == LE_OK && i < v->fits.ndim; i++) {
        v->fixed[v->fits.axis[i]] = r[i].start;
        if (r[i].drop)
            continue;
        v->axis[v->ndim] = v->fits.axis[i];
        v->range[v->ndim++] = r[i];
    }
    le__io_place_free(&place);
    if (status != LE_OK)
        le__fits_close(&v->fits);
    return status;
}

/* --------------------------------------------------------------------------- cards -- */

static bool starts(const char *card, const char *name) {
    return strncmp(card, name, strlen(name)) == 0;
}

/* SIP's polynomials: A_ORDER, A_1_2, BP_0_1 ... */
static bool is_distortion(const char *card) {
    size_t n = (card[0] == 'A' || card[0] == 'B') ? 1 + (card[1] == 'P') : 0;
    return n && card[n] == '_' &&
           (starts(card + n, "_ORDER") || starts(card + n, "_DMAX") ||
            isdigit((unsigned char)card[n + 1]));
}

static bool is_of_sky(const char *card) {
    char text[FLEN_CARD];
    snprintf(text, sizeof text, "%s", card);
    int kind = fits_get_keyclass(text);
    return kind == TYP_WCS_KEY || kind == TYP_REFSYS_KEY || is_distortion(card) ||
           (starts(card, "PC") && isdigit((unsigned char)card[2])) ||
           (starts(card, "PV") && isdigit((unsigned char)card[2])) || starts(card, "RADECSYS");
}

/* The axis that a card is about: the number at the end of its letters; 0: none. CDELT3, PC3_1. */
static int axis_of(const char *card, int *second) {
    size_t letters = strcspn(card, "0123456789 =");
    char *end = NULL;
    *second = 0;
    if (!isdigit((unsigned char)card[letters]) || is_distortion(card))
        return 0;
    long first = strtol(card + letters, &end, 10);
    bool matrix = *end == '_' && (starts(card, "PC") || starts(card, "CD"));
    if (matrix)
        *second = (int)strtol(end + 1, NULL, 10);
    return first < 1000 ? (int)first : 1000;
}

/* The tensor's axes are the file's first ones, and none is thinned: then cards need no other
 * numbers, and only CRPIX changes. */
static bool keeps_axes(const view *v, const le_tensor *image) {
    bool keeps = v->ndim == image->ndim;
    for (int i = 0; keeps && i < v->ndim; i++)
        keeps = v->axis[i] == v->ndim - 1 - i && v->range[i].step == 1 &&
                v->range[i].count == image->shape[i];
    return keeps;
}

static void copy_card(const view *v, const char *card, fitsfile *to) {
    int error = 0, second, axis = axis_of(card, &second);
    if (axis > v->ndim || second > v->ndim || starts(card, "WCSAXES"))
        return;
    int64_t start = axis ? v->range[v->ndim - axis].start : 0;
    char key[FLEN_KEYWORD], value[FLEN_VALUE], comment[FLEN_COMMENT];
    if (starts(card, "CRPIX") && start) {
        int length = 0;
        char text[FLEN_CARD];
        snprintf(text, sizeof text, "%s", card);
        fits_get_keyname(text, key, &length, &error);
        fits_parse_value(text, value, comment, &error);
        fits_update_key_dbl(to, key, le_number(value, NULL) - (double)start, -15, comment, &error);
    } else {
        fits_write_record(to, card, &error);
    }
}

void le__fits_copy_sky(const char *like, const le_tensor *image, fitsfile *to) {
    view v;
    char card[FLEN_CARD];
    int n = 0, error = 0;
    if (open_view(like, le__io_trusted(), &v) != LE_OK)
        return;
    fits_get_hdrspace(v.fits.file, &n, NULL, &error);
    for (int i = 1; !error && i <= n && keeps_axes(&v, image); i++)
        if (!fits_read_record(v.fits.file, i, card, &error) && is_of_sky(card))
            copy_card(&v, card, to);
    le__fits_close(&v.fits);
}

/* ------------------------------------------------------------------------------ coordinates -- */

#ifndef LE_WITH_WCSLIB

static le_status to_sky(const view *v, const char *text, const double *positions, int64_t n,
                        double *sky) {
    (void)v, (void)positions, (void)n, (void)sky;
    return le_fail(LE_ERR_UNSUPPORTED, "%s: this library was built without WCSLIB", text);
}

#else

#include <wcs.h>
#include <wcsfix.h>
#include <wcshdr.h>

typedef struct coordinates {
    struct wcsprm *all; /* alternative descriptions; the first is used */
    int n;
} coordinates;

static le_status refuse(const char *text) {
    return le_fail(LE_ERR_UNSUPPORTED, "%s: its header has no longitude and latitude", text);
}

static le_status load(const view *v, const char *text, coordinates *c) {
    char *header = NULL;
    int cards = 0, error = 0, rejected = 0;
    LONGLONG axes = 0;
    *c = (coordinates){0};
    fits_read_key(v->fits.file, TLONGLONG, "WCSAXES", &axes, NULL, &error);
    error = 0;
    if (axes > LE__FITS_AXES)
        return refuse(text);
    fits_convert_hdr2str(v->fits.file, 0, NULL, 0, &header, &cards, &error);
    if (!error && wcspih(header, cards, WCSHDR_all, 0, &rejected, &c->n, &c->all) != 0)
        error = MEMORY_ALLOCATION;
    if (header)
        fits_free_memory(header, &(int){0});
    if (error)
        return le__fits_fail(text, "its coordinates cannot be read", error);
    int fixed[NWCSFIX];
    if (c->n > 0)
        wcsfix(0, NULL, c->all, fixed);
    return c->n > 0 && wcsset(c->all) == 0 && c->all->lng >= 0 && c->all->lat >= 0 &&
                   c->all->naxis <= LE__FITS_AXES
               ? LE_OK
               : refuse(text);
}

/* The point of the file's axes, which count from 1, at a position in the tensor. */
static void pixel_of(const view *v, const double *position, int axes, double *pixel) {
    for (int k = 0; k < axes; k++)
        pixel[k] = (double)v->fixed[k] + 1;
    for (int a = 0; a < v->ndim; a++)
        if (v->axis[a] < axes)
            pixel[v->axis[a]] =
                (double)v->range[a].start + (double)v->range[a].step * position[a] + 1;
}

static void convert(const view *v, struct wcsprm *wcs, const double *position, double *sky) {
    double pixel[LE__FITS_AXES], plane[LE__FITS_AXES], world[LE__FITS_AXES], phi, theta;
    int bad = 0;
    bool finite = true;
    pixel_of(v, position, wcs->naxis, pixel);
    for (int k = 0; k < wcs->naxis; k++)
        finite = finite && isfinite(pixel[k]);
    bool good = finite && wcsp2s(wcs, 1, wcs->naxis, pixel, plane, &phi, &theta, world, &bad) == 0;
    sky[0] = good ? world[wcs->lng] : NAN;
    sky[1] = good ? world[wcs->lat] : NAN;
}

static le_status to_sky(const view *v, const char *text, const double *positions, int64_t n,
                        double *sky) {
    coordinates c;
    le_status status = load(v, text, &c);
    for (int64_t i = 0; status == LE_OK && i < n; i++)
        convert(v, c.all, positions + i * v->ndim, sky + 2 * i);
    wcsvfree(&c.n, &c.all);
    return status;
}
#endif

typedef struct sky_job {
    const char *place;
    const double *positions;
    int64_t n;
    int axes;
    double *sky; /* in memory that a child shares */
} sky_job;

static le_status locate(void *context) {
    const sky_job *job = context;
    view v;
    le_status status = open_view(job->place, true, &v);
    if (status == LE_OK && v.ndim != job->axes)
        status = le_fail(LE_ERR_SHAPE, "%s: positions with %d axes in an image with %d", job->place,
                         job->axes, v.ndim);
    if (status == LE_OK)
        status = to_sky(&v, job->place, job->positions, job->n, job->sky);
    le__fits_close(&v.fits);
    return status;
}

/* WCSLIB reads the header's texts: in a child, too. */
le_status le__fits_sky(const char *place, const double *positions, int64_t n, int axes,
                       double *sky) {
    size_t bytes = (size_t)n * 2 * sizeof *sky;
    sky_job job = {place, positions, n, axes, le__io_shared(bytes + 1)};
    if (!job.sky)
        return le_fail(LE_ERR_MEMORY, "le_io_sky: out of memory");
    le__io_enter();
    le_status status = le__io_apart("CFITSIO or WCSLIB", place, n, locate, &job);
    le__io_leave();
    if (status == LE_OK && bytes)
        memcpy(sky, job.sky, bytes);
    le__io_unshare(job.sky, bytes + 1);
    return status;
}
