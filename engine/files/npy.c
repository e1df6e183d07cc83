/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * NumPy's .npy files: a header that is a Python dictionary, then the numbers
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
 */
#include "files/io.h"

#include "call/tensor.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_HEADER = 65536, PREFIX = 12 };

static le_status bad(const le__io_place *place, const char *what) {
    return le_fail(LE_ERR_IO, "%s: %s", place->file, what);
}

/* Behind 'key': and blanks; NULL: there is none. */
static const char *value_of(const char *header, const char *key) {
    const char *at = strstr(header, key);
    at = at ? strchr(at + strlen(key), ':') : NULL;
    return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

static le_status read_type(const char *at, le__io_place *out) {
    static const struct {
        const char *code;
        le_dtype dtype;
    } types[] = {{"b1", LE_U8},  {"u1", LE_U8},  {"u2", LE_U16},  {"u4", LE_U32}, {"u8", LE_U64},
                 {"i1", LE_I8},  {"i2", LE_I16}, {"i4", LE_I32},  {"i8", LE_I64}, {"f4", LE_F32},
                 {"f8", LE_F64}, {"c8", LE_C64}, {"c16", LE_C128}};
    char order = at && (*at == '\'' || *at == '"') ? at[1] : 0;
    const size_t length = order ? strcspn(at + 1, "'\"") : 0;
    for (size_t i = 0; length > 1 && i < sizeof types / sizeof *types; i++)
        if (strchr("<>|=", order) && strlen(types[i].code) == length - 1 &&
            !strncmp(at + 2, types[i].code, length - 1)) {
            out->dtype = types[i].dtype;
            out->big_endian = order == '>';
            return LE_OK;
        }
    return le_fail(LE_ERR_DTYPE,
                   "%s: its numbers are %.*s, expected booleans, integers of 1 to 8 bytes, f4, f8, "
                   "c8 or c16",
                   out->file, length && length < 40 ? (int)length : 9,
                   length ? at + 1 : "of others");
}

static le_status read_shape(const char *at, le__io_place *out) {
    if (!at || *at++ != '(')
        return bad(out, "its header names no shape");
    out->ndim = 0;
    for (at += strspn(at, " "); *at != ')'; at += strspn(at, " ,")) {
        char *end;
        errno = 0;
        if (out->ndim == LE_MAX_DIMS || !isdigit((unsigned char)*at))
            return bad(out, "its shape is not one of at most 8 sizes");
        out->shape[out->ndim++] = strtoll(at, &end, 10);
        if (errno)
            return bad(out, "its shape is absurd");
        at = end;
    }
    return LE_OK;
}

static void reverse(int n, int64_t *shape) {
    for (int i = 0; i < n / 2; i++) {
        const int64_t swap = shape[i];
        shape[i] = shape[n - 1 - i];
        shape[n - 1 - i] = swap;
    }
}

static le_status parse(char *header, le__io_place *out, bool *fortran) {
    const char *order = value_of(header, "'fortran_order'");
    le_status status = read_type(value_of(header, "'descr'"), out);
    if (status == LE_OK)
        status = read_shape(value_of(header, "'shape'"), out);
    *fortran = order && !strncmp(order, "True", 4);
    out->has_layout = true;
    return status;
}

/* The layout that the header tells; the shape as it lies in the file. */
static le_status read_header(const le__io_place *place, le__io_place *out, bool *fortran) {
    unsigned char prefix[PREFIX] = {0};
    int64_t size;
    int fd = le__io_open(place->file, &size);
    if (fd < 0)
        return LE_ERR_IO;
    *out = *place;
    char *header = calloc(1, LARGEST_HEADER + 1);
    le_status status = header ? LE_OK : le_fail(LE_ERR_MEMORY, "%s: out of memory", place->file);
    if (status == LE_OK && (pread(fd, prefix, PREFIX, 0) != PREFIX ||
                            memcmp(prefix, "\x93NUMPY", 6) != 0 || prefix[6] < 1 || prefix[6] > 3))
        status = bad(place, "not a NumPy file");
    const bool old = prefix[6] == 1;
    const int64_t length = prefix[8] | prefix[9] << 8 |
                           (old ? 0 : (int64_t)prefix[10] << 16 | (int64_t)prefix[11] << 24);
    out->offset = (old ? 10 : 12) + length;
    if (status == LE_OK &&
        (length > LARGEST_HEADER || pread(fd, header, (size_t)length, old ? 10 : 12) != length))
        status = bad(place, "its header is longer than the file, or than 64 KiB");
    if (status == LE_OK)
        status = parse(header, out, fortran);
    if (status == LE_OK && *fortran)
        reverse(out->ndim, out->shape);
    free(header);
    close(fd);
    return status;
}

/* Column-major numbers, read with their shape reversed, in row-major order. */
static le_status turn(le_tensor *t) {
    le_tensor from = *t, to;
    reverse(from.ndim, from.shape);
    reverse(from.ndim, from.strides);
    le_status status = le__io_alloc(&to, from.dtype, from.ndim, from.shape);
    if (status != LE_OK)
        return status;
    le__tensor_pack(to.data, &from);
    le_tensor_free(t);
    *t = to;
    return LE_OK;
}

/* The slices of axes that lie in the file in reverse. */
static le_status reverse_slices(le__io_place *at) {
    int64_t shape[LE_MAX_DIMS];
    le__io_range r[LE_MAX_DIMS];
    memcpy(shape, at->shape, sizeof shape);
    reverse(at->ndim, shape);
    le_status status = le__io_select(at, at->ndim, shape, r);
    if (status != LE_OK || !at->n_slices)
        return status;
    at->n_slices = at->ndim;
    for (int a = 0; a < at->ndim; a++)
        at->slices[at->ndim - 1 - a] = le__io_slice_of(&r[a]);
    return LE_OK;
}

le_status le__npy_read(const le__io_request *r, le_tensor *out) {
    le__io_place at;
    le__io_request own = *r;
    bool fortran = false;
    le_status status = read_header(r->place, &at, &fortran);
    own.place = &at;
    if (status == LE_OK && fortran)
        status = reverse_slices(&at);
    if (status == LE_OK)
        status = le__raw_read(&own, out);
    return status == LE_OK && fortran && out->ndim > 1 ? turn(out) : status;
}

le_status le__npy_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    le__io_place at;
    bool fortran = false;
    le_status status = read_header(place, &at, &fortran);
    if (status != LE_OK)
        return status;
    if (fortran)
        reverse(at.ndim, at.shape);
    return le__raw_peek(&at, dtype, ndim, shape);
}

/* --------------------------------------------------------------------------------- writing -- */

static const char *code_of(le_dtype dtype) {
    static const char *const codes[LE_DTYPE_LAST + 1] = {
        [LE_U8] = "|u1",  [LE_I8] = "|i1",  [LE_U16] = "<u2", [LE_I16] = "<i2",
        [LE_U32] = "<u4", [LE_I32] = "<i4", [LE_U64] = "<u8", [LE_I64] = "<i8",
        [LE_F32] = "<f4", [LE_F64] = "<f8", [LE_C64] = "<c8", [LE_C128] = "<c16"};
    return codes[dtype];
}

/* The prefix, and the dictionary padded to a multiple of 64 bytes. */
static int64_t make_header(const le_tensor *t, char *out, size_t size) {
    int n = snprintf(out + 10, size - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                     code_of(t->dtype));
    for (int d = 0; d < t->ndim; d++)
        n += snprintf(out + 10 + n, size - 10 - (size_t)n, "%lld,%s", (long long)t->shape[d],
                      d + 1 < t->ndim ? " " : "");
    n += snprintf(out + 10 + n, size - 10 - (size_t)n, "), }");
    while ((10 + n + 1) % 64)
        out[10 + n++] = ' ';
    out[10 + n++] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)(n & 255);
    out[9] = (char)(n >> 8);
    return 10 + n;
}

le_status le__npy_write(const le__io_request *r, const le_tensor *t, const void *data) {
    char header[1024];
    const int64_t length = make_header(t, header, sizeof header);
    if (r->place->n_slices)
        return le_fail(LE_ERR_ARGUMENT, "%s: slices are for reading only", r->place->text);
    return r->looks ? LE_OK : le__io_put_block(r->place->file, header, length, t, data);
}
