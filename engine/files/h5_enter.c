/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Into HDF5 and out again: under the process-wide lock, and its errors as ours.
 */
#include "files/h5.h"

#include <string.h>

const bool le__h5_built = true;

void le__h5_enter(le__h5_guard *guard) {
    le__io_enter();
    H5Eget_auto2(H5E_DEFAULT, &guard->report, &guard->cookie);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void le__h5_leave(const le__h5_guard *guard) {
    H5Eset_auto2(H5E_DEFAULT, guard->report, guard->cookie);
    le__io_leave();
}

le_status le__h5_guarded(const char *text, int64_t bytes, bool twice, le_status (*fn)(void *),
                         void *context) {
    le__h5_guard guard;
    const bool trusted = le__io_trusted();
    le__h5_enter(&guard);
    le_status status = trusted ? LE_OK : le__io_in_child("HDF5", text, bytes, fn, context);
    if (status == LE_OK && (trusted || twice))
        status = fn(context);
    le__h5_leave(&guard);
    return status;
}

void le__h5_drop(hid_t id) {
    if (id > 0 && H5Iget_type(id) == H5I_DATASET)
        H5Dclose(id);
    else if (id > 0)
        H5Idec_ref(id);
}

static herr_t innermost(unsigned n, const H5E_error2_t *error, void *cookie) {
    if (n == 0)
        *(const char **)cookie = error->desc;
    return 0;
}

const char *le__h5_said(void) {
    const char *said = NULL;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &said);
    return said;
}

le_status le__h5_fail(const char *text, const char *what) {
    const char *said = le__h5_said();
    const int n = said ? (int)strcspn(said, "\n") : 0;
    return le_fail(LE_ERR_IO, "%s: %s%s%.*s", text, what, n ? ": " : "", n, n ? said : "");
}
