/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The library without CFITSIO.
 */
#include "files/io.h"

static le_status absent(const char *text) {
    return le_fail(LE_ERR_UNSUPPORTED, "%s: this library was built without CFITSIO", text);
}

le_status le__fits_read(const le__io_request *r, le_tensor *out) {
    (void)out;
    return absent(r->place->text);
}

le_status le__fits_write(const le__io_request *r, const le_tensor *t, const void *data) {
    (void)t, (void)data;
    return absent(r->place->text);
}

le_status le__fits_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    (void)dtype, (void)ndim, (void)shape;
    return absent(place->text);
}

le_status le__fits_sky(const char *place, const double *positions, int64_t n, int axes,
                       double *sky) {
    (void)positions, (void)n, (void)axes, (void)sky;
    return absent(place);
}
