/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Columns of numbers of FITS tables, binary and ASCII, as tensors [rows, columns].
 */
#include "files/fits.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static le_status check_bytes(const le__fits *f) {
    int error = 0;
    LONGLONG width = 0, begin = 0;
    fits_read_key(f->file, TLONGLONG, "NAXIS1", &width, NULL, &error);
    fits_get_hduaddrll(f->file, NULL, &begin, NULL, &error);
    if (error)
        return le__fits_fail(f->text, "the table's header cannot be read", error);
    if (width < 1 || f->shape[0] < 0 || f->shape[1] < 1)
        return le_fail(LE_ERR_IO, "%s: a table of %lld rows, %lld columns and %lld bytes a row",
                       f->text, (long long)f->shape[0], (long long)f->shape[1], (long long)width);
    if (begin > f->size || f->shape[0] > (f->size - begin) / width)
        return le_fail(LE_ERR_IO,
                       "%s: the file ends before its data does: %lld bytes, %lld rows of %lld",
                       f->text, (long long)(begin < f->size ? f->size - begin : 0),
                       (long long)f->shape[0], (long long)width);
    return LE_OK;
}

le_status le__fits_table_open(le__fits *f) {
    int error = 0, columns = 0;
    LONGLONG rows = 0;
    fits_get_num_rowsll(f->file, &rows, &error);
    fits_get_num_cols(f->file, &columns, &error);
    if (error)
        return le__fits_fail(f->text, "the table's header cannot be read", error);
    f->ndim = 2;
    f->shape[0] = rows;
    f->shape[1] = columns;
    return check_bytes(f);
}

/* TTYPEn without the blanks at its end; "" where there is none. */
static void name_of(const le__fits *f, int64_t column, char name[FLEN_VALUE]) {
    char key[FLEN_KEYWORD];
    int error = 0;
    fits_make_keyn("TTYPE", (int)column + 1, key, &error);
    fits_read_key(f->file, TSTRING, key, name, NULL, &error);
    if (error)
        *name = '\0';
    for (size_t n = strlen(name); n && name[n - 1] == ' '; n--)
        name[n - 1] = '\0';
}

le_status le__fits_table_select(const le__fits *f, const char *column, le__io_range *r) {
    char name[FLEN_VALUE];
    for (int64_t i = 0; column && i < f->shape[1]; i++) {
        name_of(f, i, name);
        if (strcasecmp(name, column) != 0)
            continue;
        r[1] = (le__io_range){.start = i, .step = 1, .count = 1, .drop = true};
        return LE_OK;
    }
    return column ? le_fail(LE_ERR_IO, "%s: the table has no column %s", f->text, column) : LE_OK;
}

/* What a column of this type holds that is not one number a row; NULL: it holds such. */
static const char *objection(int type, LONGLONG repeat) {
    if (type < 0)
        return "arrays of varying length";
    switch (type) {
    case TSTRING:
        return "text";
    case TLOGICAL:
        return "truth values";
    case TBIT:
        return "bits";
    case TCOMPLEX:
    case TDBLCOMPLEX:
        return "complex numbers";
    default:
        return repeat == 1 ? NULL : repeat == 0 ? "nothing" : "arrays";
    }
}

le_status le__fits_table_check(const le__fits *f, const le__io_range *r) {
    for (int64_t k = 0; k < r[1].count; k++) {
        int64_t column = r[1].start + k * r[1].step;
        char name[FLEN_VALUE];
        int error = 0, type = 0;
        LONGLONG repeat = 0, width; /* CFITSIO writes all of them for ASCII tables */
        if (fits_get_coltypell(f->file, (int)column + 1, &type, &repeat, &width, &error))
            return le__fits_fail(f->text, "the type of a column cannot be read", error);
        const char *held = objection(type, repeat);
        name_of(f, column, name);
        if (held)
            return le_fail(LE_ERR_DTYPE,
                           "%s: column %lld (%s) holds %s, expected one number a row; name the "
                           "columns that do as [HDU][COLUMN] or [HDU][:,FIRST:END]",
                           f->text, (long long)column, *name ? name : "without a name", held);
    }
    return LE_OK;
}

/* Looking for missing values CFITSIO takes infinities for such, and small numbers for 0: columns of
 * floats in binary tables have NaN of their own and are read without. */
static bool has_nulls(const le__fits *f, int column) {
    int error = 0, type = 0, hdu = ANY_HDU;
    LONGLONG repeat, width;
    fits_get_hdu_type(f->file, &hdu, &error);
    fits_get_coltypell(f->file, column, &type, &repeat, &width, &error);
    return hdu == ASCII_TBL || (type != TFLOAT && type != TDOUBLE);
}

/* Rows are stored one after the other: so some rows of all columns are read at a time. */
int le__fits_table_read(const le__fits *f, const le__io_range *r, le_tensor *out) {
    enum { ROWS = 1024 };
    double piece[ROWS], missing = NAN;
    int error = 0, any = 0;
    const int64_t columns = r[1].count;
    const int64_t some = r[0].step < ROWS ? (ROWS - 1) / r[0].step + 1 : 1;
    for (int64_t first = 0; !error && first < r[0].count; first += some) {
        int64_t n = r[0].count - first < some ? r[0].count - first : some;
        int64_t rows = (n - 1) * r[0].step + 1;
        for (int64_t k = 0; !error && k < columns; k++) {
            int column = (int)(r[1].start + k * r[1].step) + 1;
            fits_read_col(f->file, TDOUBLE, column, r[0].start + first * r[0].step + 1, 1, rows,
                          has_nulls(f, column) ? &missing : NULL, piece, &any, &error);
            for (int64_t i = 0; !error && i < n; i++)
                le_tensor_set(out, (first + i) * columns + k, piece[i * r[0].step]);
        }
    }
    return error;
}
