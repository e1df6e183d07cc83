/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Images and tables of FITS files as tensors.
 */
#include "files/fits.h"
#include "files/table.h"

#include "call/dtype.h"
#include "core/os.h"

#include <math.h>
#include <string.h>

/* What becomes of the pixels. */
typedef struct pixels {
    le_dtype stored, dtype; /* as the header means them; as they are wanted */
    bool made;              /* numbers that CFITSIO computes, from scaled or quantised ones */
    bool blank;             /* it looks for pixels without a value, which become NaN */
} pixels;

static bool has_key(const le__fits *f, const char *name) {
    char value[FLEN_VALUE];
    int error = 0;
    fits_read_keyword(f->file, name, value, NULL, &error);
    return error == 0;
}

static bool has_column(const le__fits *f, const char *name) {
    char text[FLEN_KEYWORD];
    int error = 0, column = 0;
    strcpy(text, name);
    fits_get_colnum(f->file, CASEINSEN, text, &column, &error);
    return error == 0;
}

static bool has_either(const le__fits *f, const char *name) {
    return has_key(f, name) || (f->compressed && has_column(f, name));
}

const le__fits_type le__fits_types[LE_DTYPE_LAST + 1] = {
    [LE_U8] = {BYTE_IMG, TBYTE},           [LE_I8] = {SBYTE_IMG, TSBYTE},
    [LE_U16] = {USHORT_IMG, TUSHORT},      [LE_I16] = {SHORT_IMG, TSHORT},
    [LE_U32] = {ULONG_IMG, TUINT},         [LE_I32] = {LONG_IMG, TINT},
    [LE_U64] = {ULONGLONG_IMG, TULONGLONG}, [LE_I64] = {LONGLONG_IMG, TLONGLONG},
    [LE_F32] = {FLOAT_IMG, TFLOAT},        [LE_F64] = {DOUBLE_IMG, TDOUBLE}};

static le_dtype dtype_of(int bitpix) {
    le_dtype d = LE_DTYPE_LAST;
    while (d > 0 && le__fits_types[d].bitpix != bitpix)
        d--;
    return d ? d : LE_F64;
}

static double key_or(const le__fits *f, const char *name, double otherwise) {
    double value = otherwise;
    int error = 0;
    fits_read_key(f->file, TDOUBLE, name, &value, NULL, &error);
    return error ? otherwise : value;
}

/* Whether integers are more than stored with the offset that makes unsigned ones of signed ones, or
 * of 8 bits signed ones. */
static bool is_scaled(const le__fits *f) {
    const double offset = f->bitpix == BYTE_IMG ? -128 : ldexp(1, f->bitpix - 1);
    const double zero = key_or(f, "BZERO", 0);
    return key_or(f, "BSCALE", 1) != 1 || (zero != 0 && zero != offset);
}

/* What the values are once they are scaled. CFITSIO overlooks scaled 64-bit ones, and takes whole
 * scales for integers. */
static int value_type(const le__fits *f, int *error) {
    int bitpix = f->bitpix;
    fits_get_img_equivtype(f->file, &bitpix, error);
    if (f->bitpix > 0 && is_scaled(f))
        return f->bitpix <= 16 ? FLOAT_IMG : DOUBLE_IMG;
    return f->bitpix == LONGLONG_IMG && key_or(f, "BZERO", 0) != 0 ? ULONGLONG_IMG : bitpix;
}

/* Integers with pixels that have no value become the floats that hold them. CFITSIO takes
 * infinities for missing values, too, and small numbers for 0, when it looks for such: so it must
 * not where floats are stored as they are. */
static le_status survey(const le__fits *f, uint32_t taken, pixels *p) {
    if (f->table) {
        *p = (pixels){.dtype = le__io_table_dtype(taken)};
        return LE_OK;
    }
    int error = 0, bitpix = value_type(f, &error);
    if (error)
        return le__fits_fail(f->text, "the type of its pixels cannot be read", error);
    bool whole = f->bitpix > 0;
    *p = (pixels){.stored = dtype_of(bitpix)};
    p->blank = whole ? has_key(f, "BLANK") || has_either(f, "ZBLANK")
                     : f->compressed && has_either(f, "ZSCALE");
    bool is_float = le_dtype_kind_of(p->stored) == LE_DTYPE_KIND_FLOAT;
    if (whole && p->blank && !is_float)
        p->stored = abs(f->bitpix) <= 16 ? LE_F32 : LE_F64;
    p->made = (whole && (p->blank || is_float)) || p->blank;
    p->dtype = le__dtype_nearest(p->stored, taken);
    return LE_OK;
}

/* What CFITSIO puts where there is no value; NULL: it does not look. */
static void *null_of(le_dtype dtype, bool blank) {
    static const double nan_f64 = NAN;
    static const float nan_f32 = NAN;
    const void *p = dtype == LE_F32 ? (const void *)&nan_f32 : (const void *)&nan_f64;
    return blank ? (void *)(uintptr_t)p : NULL;
}

/* Elements of the selection into memory; ranges by axis of the tensor. */
static int read_range(const le__fits *f, const le__io_range *r, le_dtype dtype, bool blank,
                      void *out) {
    long first[LE__FITS_AXES], last[LE__FITS_AXES], step[LE__FITS_AXES];
    int error = 0, any = 0;
    for (int i = 0; i < f->naxis; i++)
        first[i] = last[i] = step[i] = 1;
    for (int i = 0; i < f->ndim; i++) {
        int k = f->axis[i];
        first[k] = (long)r[i].start + 1;
        last[k] = (long)(r[i].start + (r[i].count - 1) * r[i].step) + 1;
        step[k] = (long)r[i].step;
    }
    fits_read_subset(f->file, le__fits_types[dtype].memory, first, last, step,
                     null_of(dtype, blank), out, &any, &error);
    return error;
}

/* All of it, and as CFITSIO can read all: compressed images of more than three axes it reads as
 * parts only. */
static bool is_whole(const le__fits *f, const le__io_range *r) {
    bool whole = !f->compressed || f->naxis <= 3;
    for (int i = 0; i < f->ndim; i++)
        whole = whole && r[i].count == f->shape[i];
    return whole;
}

static int read_whole(const le__fits *f, int64_t count, le_dtype dtype, bool blank, void *out) {
    LONGLONG first[LE__FITS_AXES];
    int error = 0, any = 0;
    for (int i = 0; i < f->naxis; i++)
        first[i] = 1;
    fits_read_pixll(f->file, le__fits_types[dtype].memory, first, count, null_of(dtype, blank), out,
                    &any, &error);
    return error;
}

/* count: elements of the selection; out has room for them in the wanted dtype. */
static le_status read_pixels(const le__fits *f, const pixels *p, const le__io_range *r,
                             int64_t count, void *out) {
    if (count == 0)
        return LE_OK;
    /* what it computes it may compute in the wanted precision; the rest is made wider here */
    le_dtype read = p->made ? p->dtype : p->stored;
    char *to = (char *)out + count * (int64_t)(le_dtype_size(p->dtype) - le_dtype_size(read));
    int error = is_whole(f, r) ? read_whole(f, count, read, p->blank, to)
                               : read_range(f, r, read, p->blank, to);
    if (error)
        return le__fits_fail(f->text, "the pixels cannot be read", error);
    le__io_convert(out, count, read, p->dtype, false);
    return LE_OK;
}

/* -------------------------------------------------------------------------- guarded -- */

typedef struct read_job {
    const le__io_request *request;
    le__fits_seen *seen; /* in memory that a child shares */
    void *out;           /* so is this; NULL: nothing but headers is read */
    bool in_child;
} read_job;

/* The tensor that the place asks for. */
static le_status choose(const le__fits *f, const read_job *job, const pixels *p, le__io_range *r,
                        le__fits_seen *seen) {
    memset(seen, 0, sizeof *seen); /* it is compared as a whole */
    const le__io_place *place = job->request->place;
    seen->dtype = p->dtype;
    seen->in_child = f->compressed || f->table;
    le_status status = le__io_select(place, f->ndim, f->shape, r);
    if (status == LE_OK && f->table)
        status = le__fits_table_select(f, place->column, r);
    if (status == LE_OK && f->table)
        status = le__fits_table_check(f, r);
    for (int i = 0; status == LE_OK && i < f->ndim; i++)
        if (!r[i].drop)
            seen->shape[seen->ndim++] = r[i].count;
    return status == LE_OK ? le__io_check_size(f->text, seen->dtype, seen->ndim, seen->shape,
                                               job->request->max_bytes, &seen->bytes)
                           : status;
}

static le_status read_table(const le__fits *f, const le__io_range *r, const le__fits_seen *seen,
                            void *out) {
    le_tensor t = le_tensor_of(out, seen->dtype, seen->ndim, seen->shape);
    int error = seen->bytes ? le__fits_table_read(f, r, &t) : 0;
    return error ? le__fits_fail(f->text, "the table cannot be read", error) : LE_OK;
}

/* In a child: CFITSIO believes damaged sizes, and inflates a tile that ends too soon into ever more
 * memory. Reading an image takes some numbers for each of its pixels. */
static void limit_memory(const le__fits *f) {
    static const double room = 0x1p30, bytes = 32, most = 0x1p56;
    double all = 1;
    for (int i = 0; i < f->naxis; i++)
        all *= (double)f->naxes[i];
    le__os_limit_memory((int64_t)fmin(room + bytes * all, most));
}

/* Looks, or reads what was seen before. */
static le_status look_or_read(void *context) {
    const read_job *job = context;
    le__fits f;
    pixels p = {.blank = false};
    le__io_range r[LE_MAX_DIMS];
    le__fits_seen seen;
    le_status status = le__fits_open(job->request->place, job->request->max_bytes, &f);
    if (status != LE_OK)
        return status;
    status = survey(&f, job->request->dtypes, &p);
    if (status == LE_OK)
        status = choose(&f, job, &p, r, &seen);
    if (status == LE_OK && job->out && memcmp(&seen, job->seen, sizeof seen) != 0)
        status = le_fail(LE_ERR_IO, "%s: the file changes while it is read", f.text);
    if (status == LE_OK && job->out && job->in_child)
        limit_memory(&f);
    if (status == LE_OK && job->out)
        status = f.table ? read_table(&f, r, &seen, job->out)
                         : read_pixels(&f, &p, r, seen.bytes / (int64_t)le_dtype_size(seen.dtype),
                                       job->out);
    else if (status == LE_OK)
        *job->seen = seen;
    le__fits_close(&f);
    return status;
}

le_status le__fits_look(const le__io_request *q, le__fits_seen *out) {
    le__fits_seen *seen = le__io_shared(sizeof *seen);
    if (!seen)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", q->place->text);
    read_job job = {.request = q, .seen = seen};
    le_status status = le__io_apart("CFITSIO", q->place->text, 0, look_or_read, &job);
    *out = *seen;
    le__io_unshare(seen, sizeof *seen);
    return status;
}

static le_status read_seen(const le__io_request *q, le__fits_seen *seen, le_tensor *t) {
    read_job job = {.request = q, .seen = seen, .out = t->data};
    if (!seen->in_child || le__io_trusted() || !seen->bytes)
        return look_or_read(&job);
    size_t bytes = (size_t)seen->bytes;
    job.in_child = true;
    job.out = le__io_shared(bytes);
    if (!job.out)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", q->place->text);
    le_status status = le__io_in_child("CFITSIO", q->place->text, seen->bytes, look_or_read, &job);
    if (status == LE_OK)
        memcpy(t->data, job.out, bytes);
    le__io_unshare(job.out, bytes);
    return status;
}

le_status le__fits_read(const le__io_request *q, le_tensor *out) {
    le__fits_seen seen;
    le__io_enter();
    le_status status = le__fits_look(q, &seen);
    if (status == LE_OK)
        status = le__io_alloc(out, seen.dtype, seen.ndim, seen.shape);
    if (status == LE_OK)
        status = read_seen(q, &seen, out);
    le__io_leave();
    return status;
}

le_status le__fits_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    le__fits_seen seen;
    const le__io_request q = {.place = place, .max_bytes = le__io_limit()};
    le__io_enter();
    le_status status = le__fits_look(&q, &seen);
    le__io_leave();
    if (status == LE_OK) {
        *dtype = seen.dtype;
        *ndim = seen.ndim;
        memcpy(shape, seen.shape, sizeof seen.shape);
    }
    return status;
}
