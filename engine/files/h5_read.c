/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reads HDF5 datasets: whole, sliced, or some frames at a time.
 */
#include "files/h5_virtual.h"

#include <stdlib.h>
#include <string.h>

/* Shape after slicing; *ndim may exceed LE_MAX_DIMS only on error. */
static le_status result_shape(const le__h5_dataset *d, int *ndim, int64_t *shape) {
    *ndim = 0;
    for (int i = 0; i < d->rank; i++) {
        if (d->range[i].drop)
            continue;
        if (*ndim == LE_MAX_DIMS)
            return le_fail(LE_ERR_SHAPE, "%s: more than %d dimensions", d->text, LE_MAX_DIMS);
        shape[(*ndim)++] = d->range[i].count;
    }
    return LE_OK;
}

le_status le__h5_read(const le__io_request *r, le_tensor *out) {
    le__h5_dataset d;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    le_status status = le__h5_open(r->place, r->max_bytes, r->dtypes, &d);
    if (status != LE_OK)
        return status;
    status = result_shape(&d, &ndim, shape);
    if (status == LE_OK)
        status = le__io_room(out, r->place->text, d.dtype, ndim, shape, r->max_bytes);
    if (status == LE_OK)
        status = le__h5_values(&d, &r->parallel, out->data);
    le__h5_close(&d);
    return status;
}

le_status le__h5_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    le__h5_dataset d;
    le_status status = le__h5_open(place, INT64_MAX, 0, &d);
    if (status != LE_OK)
        return status;
    *dtype = d.dtype;
    status = result_shape(&d, ndim, shape);
    le__h5_close(&d);
    return status;
}

le_status le__h5_reserved(const le__io_place *place, char *file, const le_tensor *t,
                          int64_t *offset) {
    le__h5_dataset d;
    const le__io_place at = {
        .format = LE__IO_HDF5, .text = place->text, .file = file, .dataset = place->dataset};
    le_status status = le__h5_open(&at, INT64_MAX, 0, &d);
    if (status != LE_OK)
        return status;
    bool same = d.address >= 0 && d.dtype == t->dtype && d.rank == t->ndim &&
                !memcmp(d.shape, t->shape, (size_t)t->ndim * sizeof t->shape[0]);
    *offset = d.address;
    le__h5_close(&d);
    return same ? LE_OK : le_fail(LE_ERR_IO, "%s: another dataset is there", place->text);
}

/* Links of any kind lead to the same object header. */
static haddr_t header_of(const le__io_place *place) {
    le__h5_dataset d;
    le__h5_guard guard;
    H5O_info_t info = {.addr = HADDR_UNDEF};
    if (le__h5_open(place, INT64_MAX, 0, &d) != LE_OK)
        return HADDR_UNDEF;
    le__h5_enter(&guard);
    if (H5Oget_info2(d.set, &info, H5O_INFO_BASIC) < 0)
        info.addr = HADDR_UNDEF;
    le__h5_leave(&guard);
    le__h5_close(&d);
    return info.addr;
}

bool le__h5_same_dataset(const le__io_place *a, const le__io_place *b) {
    haddr_t address = header_of(a);
    return address != HADDR_UNDEF && address == header_of(b);
}

/* ---------------------------------------------------------------------------------- frames -- */

le_status le__h5_stream_open(const le__io_request *r, le__h5_dataset **out,
                             le_io_stream_info *info) {
    le__h5_dataset *d = malloc(sizeof *d);
    if (!d)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", r->place->text);
    le_status status = le__h5_open(r->place, r->max_bytes, r->dtypes, d);
    if (status != LE_OK) {
        free(d);
        return status;
    }
    status = result_shape(d, &info->ndim, info->shape);
    if (status == LE_OK && (info->ndim == 0 || d->range[0].drop))
        status = le_fail(LE_ERR_SHAPE, "%s: frames need a first axis", r->place->text);
    if (status != LE_OK) {
        le__h5_stream_close(d);
        return status;
    }
    info->dtype = d->dtype;
    info->block = d->fast ? d->chunk[0] : 1;
    *out = d;
    return LE_OK;
}

le_status le__h5_stream_read(le__h5_dataset *d, const le__io_parallel *p, int64_t first,
                             int64_t count, void *data) {
    le__io_range whole = d->range[0];
    d->range[0].start += first * whole.step;
    d->range[0].count = count;
    le_status status = le__h5_values(d, p, data);
    d->range[0] = whole;
    return status;
}

void le__h5_stream_close(le__h5_dataset *d) {
    if (d) {
        le__h5_close(d);
        free(d);
    }
}
