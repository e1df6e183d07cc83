/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The public functions: parse the place and hand it to the format's reader or writer.
 */
#include "files/io.h"
#include "files/nrrd.h"

#include "core/struct.h"
#include "signals.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char only_read[] = "EDF files are for reading only";
static const char only_written[] = "VOTables are written only";

static const struct { /* NULL: only_read, only_written */
    le_status (*read)(const le__io_request *r, le_tensor *out);
    le_status (*peek)(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape);
    le_status (*write)(const le__io_request *r, const le_tensor *t, const void *data);
} formats[] = {
    [LE__IO_HDF5] = {le__h5_read, le__h5_peek, le__h5_write},
    [LE__IO_NRRD] = {le__nrrd_read, le__nrrd_peek, le__nrrd_write},
    [LE__IO_NPY] = {le__npy_read, le__npy_peek, le__npy_write},
    [LE__IO_EDF] = {le__edf_read, le__edf_peek, NULL},
    [LE__IO_RAW] = {le__raw_read, le__raw_peek, le__raw_write},
    [LE__IO_PNG] = {le__png_read, le__png_peek, le__png_write},
    [LE__IO_TIFF] = {le__tiff_read, le__tiff_peek, le__tiff_write},
    [LE__IO_CSV] = {le__csv_read, le__csv_peek, le__csv_write},
    [LE__IO_FITS] = {le__fits_read, le__fits_peek, le__fits_write},
    [LE__IO_VOTABLE] = {NULL, NULL, le__votable_write},
};

static le_status fail_way(const char *text, const char *why) {
    return le_fail(LE_ERR_UNSUPPORTED, "%s: %s", text, why);
}

static le_status read_place(le_engine *engine, const char *place_text, const le_io_options *options,
                            le_tensor *out) {
    le__io_place place;
    le_tensor t = {0};
    le_io_options o;
    le_status status = le__io_take_options(&o, options);
    if (status == LE_OK)
        status = le__io_place_parse(place_text, &place);
    if (status != LE_OK)
        return status;
    le__io_request r = {.place = &place,
                        .parallel = le__io_parallel_of(engine),
                        .max_bytes = o.max_bytes,
                        .dtypes = o.dtypes};
    status = formats[place.format].read ? formats[place.format].read(&r, &t)
                                        : fail_way(place_text, only_written);
    le__io_place_free(&place);
    if (status == LE_OK)
        *out = t;
    else
        le_tensor_free(&t);
    return status;
}

le_status le_io_read(le_engine *engine, const char *place, const le_io_options *options,
                     le_tensor *out) {
    le__ticker ticker;
    le__ticker_begin(&ticker, NULL, 0);
    return le__io_end_ticks(&ticker, place, read_place(engine, place, options, out));
}

static le_status write_place(const le__io_request *r, const le_tensor *t, const void *data) {
    return formats[r->place->format].write ? formats[r->place->format].write(r, t, data)
                                           : fail_way(r->place->text, only_read);
}

static le_status check_columns(const char *place, const le_tensor *t,
                               const le_io_write_options *o) {
    if (!o->columns || (t->ndim == 2 && (uint64_t)t->shape[1] == o->n_columns))
        return LE_OK;
    char what[128];
    le_tensor_describe(t, what, sizeof what);
    return le_fail(LE_ERR_ARGUMENT, "%s: %zu names of columns for %s; expected a table [rows, %zu]",
                   place, o->n_columns, what, o->n_columns);
}

le_status le_io_write_with(le_engine *engine, const char *place_text, le_tensor *tensor,
                           const le_io_write_options *options) {
    le__io_place place;
    const void *data;
    void *copy;
    le_io_write_options o = {.struct_size = sizeof o};
    le_status status =
        options ? le__struct_take(&o, sizeof o, options, offsetof(le_io_write_options, reserved),
                                  "le_io_write_options")
                : LE_OK;
    if (status == LE_OK)
        status = le__io_check_tensor(place_text ? place_text : "le_io_write", tensor);
    if (status == LE_OK)
        status = check_columns(place_text, tensor, &o);
    if (status == LE_OK)
        status = le__io_place_parse(place_text, &place);
    if (status != LE_OK)
        return status;
    status = le__io_contiguous(tensor, &data, &copy);
    if (status == LE_OK) {
        le__io_request r = {.place = &place,
                            .parallel = le__io_parallel_of(engine),
                            .columns = o.columns,
                            .like = o.like};
        le__signals signals;
        le__ticker ticker;
        le__signals_block(&signals);
        le__ticker_begin(&ticker, NULL, 0);
        status = le__io_end_ticks(&ticker, place_text, write_place(&r, tensor, data));
        le__signals_restore(&signals);
    }
    free(copy);
    le__io_place_free(&place);
    return status;
}

le_status le_io_may_write(const char *place_text, le_dtype dtype, int ndim, const int64_t *shape) {
    le__io_place place;
    if (ndim < 0 || ndim > LE_MAX_DIMS)
        return le_fail(LE_ERR_SHAPE, "le_io_may_write: %d dimensions", ndim);
    if (!le_io_is_place(place_text, true))
        return LE_ERR_ARGUMENT;
    le_status status = le__io_place_parse(place_text, &place);
    if (status != LE_OK)
        return status;
    int64_t known[LE_MAX_DIMS];
    for (int d = 0; d < ndim; d++)
        known[d] = d == 0 && shape[d] < 1 ? 1 : shape[d];
    status = le__io_check_size(place_text, dtype, ndim, known, INT64_MAX, NULL);
    if (status == LE_OK && place.format != LE__IO_HDF5) {
        const le_tensor t = le_tensor_of(NULL, dtype, ndim, known);
        const le__io_request r = {.place = &place, .looks = true};
        status = write_place(&r, &t, NULL);
    }
    le__io_place_free(&place);
    return status;
}

le_status le_io_write(le_engine *engine, const char *place, le_tensor *tensor) {
    return le_io_write_with(engine, place, tensor, NULL);
}

le_status le_io_peek(const char *place_text, le_dtype *dtype, int *ndim, int64_t *shape) {
    le_dtype d = LE_U8;
    int n = 0;
    int64_t lengths[LE_MAX_DIMS] = {0};
    le__io_place place;
    le_status status = le__io_place_parse(place_text, &place);
    if (status != LE_OK)
        return status;
    status = formats[place.format].peek ? formats[place.format].peek(&place, &d, &n, lengths)
                                        : fail_way(place_text, only_written);
    le__io_place_free(&place);
    if (status == LE_OK) {
        *dtype = d;
        *ndim = n;
        memcpy(shape, lengths, (size_t)n * sizeof *shape);
    }
    return status;
}

bool le_io_is_place(const char *place_text, bool for_writing) {
    le__io_place place;
    if (le__io_place_parse(place_text, &place) != LE_OK)
        return false;
    const char *problem = NULL;
    if (place.format == LE__IO_HDF5 && for_writing && !le__io_names_dataset(&place))
        problem = "name the dataset to write, as FILE.h5:/NAME";
    else if (place.format == LE__IO_FITS && for_writing && le__io_is_gzip(&place))
        problem = "gzipped FITS files are for reading only";
    else if (place.format == LE__IO_VOTABLE && !for_writing)
        problem = only_written;
    else if (for_writing && place.n_slices)
        problem = "slices are for reading only";
    else if (place.format != LE__IO_HDF5 && for_writing && place.dataset)
        problem = "for writing give the file name only";
    else if (place.format == LE__IO_RAW && for_writing && strcmp(place.file, place_text) != 0)
        problem = "for writing give the file name only; type and shape are the tensor's";
    else if (place.format == LE__IO_RAW && !for_writing && !place.has_layout)
        problem = le__raw_layout;
    else if (place.format == LE__IO_EDF && for_writing)
        problem = only_read;
    else if (place.format == LE__IO_HDF5 && for_writing && !le__h5_built)
        problem = "this library was built without HDF5";
    else if (place.format == LE__IO_NRRD && for_writing && !le__nrrd_may_name(place.file))
        problem = le__nrrd_names;
    if (problem)
        le_fail(LE_ERR_ARGUMENT, "%s: %s", place_text, problem);
    le__io_place_free(&place);
    return !problem;
}

le_status le_io_sky(const char *place, const double *positions, int64_t n, int axes, double *sky) {
    if (n < 0 || axes < 1 || axes > LE_MAX_DIMS || (n && (!positions || !sky)))
        return le_fail(LE_ERR_ARGUMENT, "le_io_sky: %lld positions with %d axes", (long long)n,
                       axes);
    return le__fits_sky(place, positions, n, axes, sky);
}
