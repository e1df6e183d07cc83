/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The public functions: parse the place and hand it to the format's reader or writer.
 */
#include "files/io.h"

#include "signals.h"

#include <stdlib.h>
#include <string.h>

le_status le_io_read(le_engine *engine, const char *place_text, const le_io_options *options,
                     le_tensor *out) {
    le__io_place place;
    le_tensor t = {0};
    le_status status = le__io_place_parse(place_text, &place);
    if (status != LE_OK)
        return status;
    le__io_request r = {.place = &place,
                        .parallel = le__io_parallel_of(engine),
                        .max_bytes = le__io_limit(options),
                        .dtypes = le__io_dtypes(options)};
    switch (place.format) {
    case LE__IO_HDF5:
        status = le__h5_read(&r, &t);
        break;
    case LE__IO_NRRD:
        status = le__nrrd_read(&r, &t);
        break;
    case LE__IO_RAW:
        status = le__raw_read(&r, &t);
        break;
    case LE__IO_PNG:
        status = le__png_read(&r, &t);
        break;
    case LE__IO_TIFF:
        status = le__tiff_read(&r, &t);
        break;
    }
    le__io_place_free(&place);
    if (status == LE_OK)
        *out = t;
    return status;
}

static le_status write_place(const le__io_request *r, const le_tensor *t, const void *data) {
    switch (r->place->format) {
    case LE__IO_HDF5:
        return le__h5_write(r, t, data);
    case LE__IO_NRRD:
        return le__nrrd_write(r, t, data);
    case LE__IO_RAW:
        return le__raw_write(r, t, data);
    case LE__IO_PNG:
        return le__png_write(r, t, data);
    case LE__IO_TIFF:
        return le__tiff_write(r, t, data);
    }
    return LE_ERR_INTERNAL;
}

le_status le_io_write(le_engine *engine, const char *place_text, le_tensor *tensor) {
    le__io_place place;
    const void *data;
    void *copy;
    le_status status = le__io_place_parse(place_text, &place);
    if (status != LE_OK)
        return status;
    status = le__io_contiguous(tensor, &data, &copy);
    if (status == LE_OK) {
        le__io_request r = {.place = &place, .parallel = le__io_parallel_of(engine)};
        le__signals signals;
        le__signals_block(&signals);
        status = write_place(&r, tensor, data);
        le__signals_restore(&signals);
    }
    free(copy);
    le__io_place_free(&place);
    return status;
}

static le_status peek_raw(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    if (!place->has_layout)
        return le_fail(LE_ERR_ARGUMENT, "%s: give its layout as FILE.raw:TYPE:N,N,...",
                       place->text);
    *dtype = place->dtype;
    *ndim = place->ndim;
    memcpy(shape, place->shape, sizeof place->shape);
    return LE_OK;
}

le_status le_io_peek(const char *place_text, le_dtype *dtype, int *ndim, int64_t *shape) {
    le__io_place place;
    le_status status = le__io_place_parse(place_text, &place);
    if (status != LE_OK)
        return status;
    switch (place.format) {
    case LE__IO_HDF5:
        status = le__h5_peek(&place, dtype, ndim, shape);
        break;
    case LE__IO_NRRD:
        status = le__nrrd_peek(&place, dtype, ndim, shape);
        break;
    case LE__IO_RAW:
        status = peek_raw(&place, dtype, ndim, shape);
        break;
    case LE__IO_PNG:
        status = le__png_peek(&place, dtype, ndim, shape);
        break;
    case LE__IO_TIFF:
        status = le__tiff_peek(&place, dtype, ndim, shape);
        break;
    }
    le__io_place_free(&place);
    return status;
}

bool le_io_is_place(const char *place_text, bool for_writing) {
    le__io_place place;
    if (le__io_place_parse(place_text, &place) != LE_OK)
        return false;
    const char *problem = NULL;
    if (place.format == LE__IO_HDF5 && for_writing && !place.dataset)
        problem = "name the dataset to write, as FILE.h5:/NAME";
    else if (place.format == LE__IO_HDF5 && for_writing && place.n_slices)
        problem = "slices are for reading only";
    else if (place.format == LE__IO_RAW && for_writing && strcmp(place.file, place_text) != 0)
        problem = "for writing give the file name only; type and shape are the tensor's";
    else if (place.format == LE__IO_RAW && !for_writing && !place.has_layout)
        problem = "give its layout as FILE.raw:TYPE:N,N,...";
    if (problem)
        le_fail(LE_ERR_ARGUMENT, "%s: %s", place_text, problem);
    le__io_place_free(&place);
    return !problem;
}
