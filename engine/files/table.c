/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What formats of tables share.
 */
#include "files/table.h"

#include "numbers.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

le_dtype le__io_table_dtype(uint32_t taken) {
    return taken && !(taken & LE_DTYPE_BIT(LE_F64)) && (taken & LE_DTYPE_BIT(LE_F32)) ? LE_F32
                                                                                      : LE_F64;
}

void le__io_print_number(const le_tensor *t, int64_t i, char out[LE__IO_NUMBER]) {
    double value = le_tensor_get(t, i);
    if (t->dtype == LE_U64)
        snprintf(out, LE__IO_NUMBER, "%llu", (unsigned long long)(uint64_t)le_tensor_get_i64(t, i));
    else if (t->dtype == LE_I64)
        snprintf(out, LE__IO_NUMBER, "%lld", (long long)le_tensor_get_i64(t, i));
    else if (isnan(value))
        snprintf(out, LE__IO_NUMBER, "nan");
    else
        le__number_print(out, LE__IO_NUMBER, t->dtype == LE_F32 ? "%.9g" : "%.17g", value);
}

const char *le__io_column_name(const le__io_request *r, int64_t i, char made[LE__IO_NUMBER]) {
    if (r->columns && r->columns[i])
        return r->columns[i];
    snprintf(made, LE__IO_NUMBER, "column_%lld", (long long)i);
    return made;
}

bool le__io_is_degrees(const char *name) {
    return !strcmp(name, "lon") || !strcmp(name, "lat");
}

le_status le__io_table(const le__io_request *r, const le_tensor *t, const void *data,
                       const char *format, le_tensor *out) {
    char what[128];
    le_tensor_describe(t, what, sizeof what);
    if (le_dtype_kind_of(t->dtype) == LE_DTYPE_KIND_COMPLEX)
        return le_fail(LE_ERR_DTYPE, "%s: %s; %s takes integers and floats", r->place->text, what,
                       format);
    if (t->ndim < 1 || t->ndim > 2)
        return le_fail(LE_ERR_SHAPE, "%s: %s; %s takes tables, [n] or [n,columns]", r->place->text,
                       what, format);
    *out =
        le_tensor_of(data, t->dtype, 2, (int64_t[]){t->shape[0], t->ndim == 2 ? t->shape[1] : 1});
    return LE_OK;
}

le_status le__io_put_text(const le__io_request *r, const le_tensor *table, le__io_text_fn fn) {
    le__outfile temp;
    le_status status = r->looks ? LE_OK : le__io_temp_open(r->place->file, false, &temp);
    if (status != LE_OK || r->looks)
        return status;
    errno = 0;
    int fd = dup(temp.fd);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    bool good = f != NULL;
    if (f) {
        fn(f, r, table);
        good = !ferror(f);
        good = fclose(f) == 0 && good;
    }
    int error = errno;
    if (!f && fd >= 0)
        close(fd);
    if (good)
        return le__io_temp_commit(r->place->file, &temp);
    le__outfile_abandon(&temp);
    return le_fail(LE_ERR_IO, "%s: cannot be written: %s", r->place->text,
                   strerror(error ? error : EIO));
}
