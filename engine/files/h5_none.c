/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The library without HDF5.
 */
#include "files/source.h"

const bool le__h5_built = false;

static le_status absent(const char *text) {
    return le_fail(LE_ERR_UNSUPPORTED, "%s: this library was built without HDF5", text);
}

le_status le__h5_read(const le__io_request *r, le_tensor *out) {
    (void)out;
    return absent(r->place->text);
}

le_status le__h5_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    (void)dtype, (void)ndim, (void)shape;
    return absent(place->text);
}

/* ----------------------------------------------------------------------------------- writing -- */

le_status le__h5_write(const le__io_request *r, const le_tensor *t, const void *data) {
    (void)t, (void)data;
    return absent(r->place->text);
}

le_status le__h5_try(const le__io_place *place) {
    return absent(place->text);
}

le_status le__h5_write_from(const le__io_request *r, const le_tensor *t, int fd, int64_t offset) {
    (void)t, (void)fd, (void)offset;
    return absent(r->place->text);
}

le_status le__h5_reserve(const le__io_place *place, int fd, bool begun, const le_tensor *t,
                         int64_t *offset) {
    (void)fd, (void)begun, (void)t, (void)offset;
    return absent(place->text);
}

le_status le__h5_reserved(const le__io_place *place, char *file, const le_tensor *t,
                          int64_t *offset) {
    (void)file, (void)t, (void)offset;
    return absent(place->text);
}

le_status le_io_write_plot(const le_io_plot *plot) {
    return absent(plot->group);
}

/* --------------------------------------------------------------------------------- what it is --
 */

bool le__h5_any_origin(const le__io_place *place,
                       bool (*fn)(const le__io_place *origin, void *cookie), void *cookie) {
    return fn(place, cookie);
}

/* Nothing is written to HDF5 files, so that nothing in them is replaced. */
bool le__h5_same_dataset(const le__io_place *a, const le__io_place *b) {
    (void)a, (void)b;
    return false;
}

/* ---------------------------------------------------------------------------- frames, chunks -- */

le_status le__h5_stream_open(const le__io_request *r, le__h5_dataset **out,
                             le_io_stream_info *info) {
    (void)out, (void)info;
    return absent(r->place->text);
}

le_status le__h5_stream_read(le__h5_dataset *d, const le__io_parallel *p, int64_t first,
                             int64_t count, void *data) {
    (void)d, (void)p, (void)first, (void)count, (void)data;
    return LE_ERR_UNSUPPORTED;
}

void le__h5_stream_close(le__h5_dataset *d) {
    (void)d;
}

le_status le__h5_list(const le__io_place *place, bool frames, le__h5_names *out) {
    (void)frames, (void)out;
    return absent(place->text);
}

void le__h5_names_free(le__h5_names *names) {
    (void)names;
}

le_status le__h5_stored_open(const le__io_request *r, bool skip, le__h5_stored_source **out) {
    (void)skip, (void)out;
    return absent(r->place->text);
}

int le__h5_axes(const le__io_place *place) {
    (void)place;
    return -1;
}

void le__h5_stored_select(le_stored_info *info, int axis, const le__io_range *range) {
    (void)info, (void)axis, (void)range;
}

int64_t le__h5_stored_ready(le__h5_stored_source *s, int64_t most) {
    (void)s, (void)most;
    return 0;
}

void le__h5_stored_leave(le__h5_stored_source *s, int64_t items) {
    (void)s, (void)items;
}

const le_stored_info *le__h5_stored_info(const le__h5_stored_source *s) {
    (void)s;
    return NULL;
}

le_status le__h5_stored_next(le__h5_stored_source *s, int64_t items, le_tensor *parts) {
    (void)s, (void)items, (void)parts;
    return LE_ERR_UNSUPPORTED;
}

void le__h5_stored_close(le__h5_stored_source *s) {
    (void)s;
}
