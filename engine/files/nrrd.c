/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reads and writes NRRD volumes and headerless ones: both are a block of numbers in a file.
 */
#include "files/nrrd.h"

#include "call/dtype.h"
#include "core/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { HEADER_BYTES_MAX = 1 << 20 };

/* A block of numbers in an open file. */
typedef struct block {
    const char *name;
    int fd;
    int64_t offset; /* of the first stored byte; -1: the last bytes of the file */
    int64_t file_bytes;
    le_dtype dtype;
    bool big_endian, gzip;
    int ndim;
    const int64_t *shape;
    bool sliced; /* to the ranges */
    le__io_range ranges[LE_MAX_DIMS];
} block;

static const bool machine_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static le_status load(const le__io_request *r, block *b, char *data, int64_t bytes) {
    if (b->sliced)
        return le__io_pread_region(&r->parallel, b->fd, b->name, b->offset, le_dtype_size(b->dtype),
                                   b->ndim, b->shape, b->ranges, data);
    if (b->gzip)
        return le__io_gunzip_file(b->fd, b->name, b->offset, data, bytes);
    if (b->offset < 0)
        b->offset = b->file_bytes - bytes;
    if (b->offset < 0 || b->offset > b->file_bytes || b->file_bytes - b->offset < bytes)
        return le_fail(LE_ERR_IO, "%s: %lld bytes of data are expected, %lld are there", b->name,
                       (long long)bytes, (long long)(b->file_bytes - b->offset));
    return le__io_pread(&r->parallel, b->fd, b->name, b->offset, data, bytes);
}

static le_status read_block(const le__io_request *r, block *b, le_tensor *out) {
    le_dtype dtype = le__dtype_nearest(b->dtype, r->dtypes);
    int64_t bytes, whole, shape[LE_MAX_DIMS];
    int ndim = b->ndim;
    le_status status =
        le__io_check_size(r->place->text, b->dtype, ndim, b->shape, INT64_MAX, &whole);
    memcpy(shape, b->shape, (size_t)ndim * sizeof *shape);
    if (status == LE_OK && r->place->n_slices && ndim > 0) {
        status = le__io_narrow(r->place, &ndim, shape, b->ranges);
        b->sliced = true;
    }
    if (status == LE_OK)
        status = le__io_check_size(r->place->text, dtype, ndim, shape, r->max_bytes, &bytes);
    if (status != LE_OK)
        return status;
    int64_t count = bytes / (int64_t)le_dtype_size(dtype);
    int64_t stored = count * (int64_t)le_dtype_size(b->dtype);
    /* refuse before allocating: deflate cannot shrink by more than about 1032 */
    if (b->gzip ? whole / 1040 > b->file_bytes : whole > b->file_bytes)
        return le_fail(LE_ERR_IO, "%s: %lld bytes of data cannot be in a file of %lld", b->name,
                       (long long)whole, (long long)b->file_bytes);
    status = le__io_alloc(out, dtype, ndim, shape);
    if (status == LE_OK)
        status = load(r, b, (char *)out->data + (bytes - stored), stored);
    if (status == LE_OK)
        le__io_convert(out->data, count, b->dtype, dtype, b->big_endian != machine_big_endian);
    return status;
}

/* ------------------------------------------------------------------------------------ raw -- */

const char le__raw_layout[] = "give its layout as FILE.raw:TYPE:N,N,...";

le_status le__raw_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    le__io_range ranges[LE_MAX_DIMS];
    if (!place->has_layout)
        return le_fail(LE_ERR_ARGUMENT, "%s: %s", place->text, le__raw_layout);
    *dtype = place->dtype;
    *ndim = place->ndim;
    memcpy(shape, place->shape, sizeof place->shape);
    return le__io_narrow(place, ndim, shape, ranges);
}

le_status le__raw_read(const le__io_request *r, le_tensor *out) {
    const le__io_place *place = r->place;
    if (!place->has_layout)
        return le_fail(LE_ERR_ARGUMENT, "%s: %s", place->text, le__raw_layout);
    block b = {.name = place->file,
               .offset = place->offset,
               .dtype = place->dtype,
               .big_endian = place->big_endian,
               .ndim = place->ndim,
               .shape = place->shape};
    b.fd = le__io_open(place->file, &b.file_bytes);
    if (b.fd < 0)
        return LE_ERR_IO;
    le_status status = read_block(r, &b, out);
    close(b.fd);
    return status;
}

le_status le__raw_write(const le__io_request *r, const le_tensor *t, const void *data) {
    const le__io_place *place = r->place;
    if (place->has_layout || strcmp(place->file, place->text) != 0)
        return le_fail(LE_ERR_ARGUMENT,
                       "%s: for writing give the file name only; type and shape are "
                       "the tensor's",
                       place->text);
    return r->looks ? LE_OK : le__io_put_block(place->file, "", 0, t, data);
}

/* ----------------------------------------------------------------------------------- nrrd -- */

/* Skips whole lines before the data. */
static le_status skip_lines(block *b, int64_t lines) {
    char buffer[4096];
    while (lines > 0) {
        ssize_t n = pread(b->fd, buffer, sizeof buffer, b->offset);
        if (n <= 0)
            return le_fail(LE_ERR_IO, "%s: fewer lines than line skip says", b->name);
        char *at = memchr(buffer, '\n', (size_t)n);
        b->offset += at ? at - buffer + 1 : n;
        lines -= at != NULL;
    }
    return LE_OK;
}

static le_status read_header(const char *file, int fd, int64_t size, le__nrrd_header *h) {
    size_t length = size < HEADER_BYTES_MAX ? (size_t)size : HEADER_BYTES_MAX;
    char *text = malloc(length + 1);
    if (!text)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", file);
    ssize_t n = pread(fd, text, length, 0);
    le_status status = n < 0 ? le_fail(LE_ERR_IO, "%s: %s", file, strerror(errno))
                             : le__nrrd_parse(file, text, (size_t)n, h);
    free(text);
    return status;
}

/* Opens the file that has the data, which for a detached header is another one. */
static le_status open_data(const char *file, const le__nrrd_header *h, block *b, char **data_name) {
    close(b->fd);
    b->fd = -1;
    *data_name = le__io_beside(file, h->data_file);
    if (!*data_name)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", file);
    b->name = *data_name;
    b->offset = 0;
    b->fd = le__io_open(*data_name, &b->file_bytes);
    return b->fd < 0 ? LE_ERR_IO : LE_OK;
}

static le_status open_nrrd(const char *file, le__nrrd_header *h, block *b) {
    b->name = file;
    b->fd = le__io_open(file, &b->file_bytes);
    return b->fd < 0 ? LE_ERR_IO : read_header(file, b->fd, b->file_bytes, h);
}

le_status le__nrrd_read(const le__io_request *r, le_tensor *out) {
    le__nrrd_header h;
    block b = {.fd = -1};
    char *data_name = NULL;
    le_status status = open_nrrd(r->place->file, &h, &b);
    if (status == LE_OK) {
        b.dtype = h.type;
        b.big_endian = h.big_endian;
        b.gzip = h.gzip;
        b.ndim = h.ndim;
        b.shape = h.shape;
        b.offset = h.length;
        if (h.data_file[0])
            status = open_data(r->place->file, &h, &b, &data_name);
    }
    if (status == LE_OK)
        status = skip_lines(&b, h.line_skip);
    if (status == LE_OK && __builtin_add_overflow(b.offset, h.byte_skip, &b.offset))
        status = le_fail(LE_ERR_IO, "%s: absurd byte skip", r->place->text);
    if (status == LE_OK && h.byte_skip < 0)
        b.offset = -1;
    if (status == LE_OK)
        status = read_block(r, &b, out);
    if (b.fd >= 0)
        close(b.fd);
    free(data_name);
    return status;
}

le_status le__nrrd_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    le__nrrd_header h;
    block b = {.fd = -1};
    le_status status = open_nrrd(place->file, &h, &b);
    if (b.fd >= 0)
        close(b.fd);
    if (status != LE_OK)
        return status;
    *dtype = h.type;
    *ndim = h.ndim;
    memcpy(shape, h.shape, sizeof h.shape);
    return LE_OK;
}

/* Complex numbers are pairs along the fastest axis, which says so by its kind. */
static const char *nrrd_type(le_dtype dtype) {
    static const char *const names[] = {
        [LE_U8] = "uint8",   [LE_I16] = "int16",  [LE_U16] = "uint16", [LE_I32] = "int32",
        [LE_U32] = "uint32", [LE_F32] = "float",  [LE_F64] = "double", [LE_I8] = "int8",
        [LE_I64] = "int64",  [LE_U64] = "uint64", [LE_C64] = "float",  [LE_C128] = "double"};
    return names[dtype];
}

static void format_header(const le_tensor *t, const char *data_file, char *out, size_t size) {
    bool pairs = le_dtype_kind_of(t->dtype) == LE_DTYPE_KIND_COMPLEX;
    le__text x = le__text_in(out, size);
    le__text_add(&x, "NRRD0004\ntype: %s\ndimension: %d\nsizes:%s", nrrd_type(t->dtype),
                 t->ndim + pairs, pairs ? " 2" : "");
    for (int i = t->ndim - 1; i >= 0; i--)
        le__text_add(&x, " %lld", (long long)t->shape[i]);
    if (pairs)
        le__text_add(&x, "\nkinds: complex");
    for (int i = 0; pairs && i < t->ndim; i++)
        le__text_add(&x, " domain");
    le__text_add(&x, "\nencoding: raw\nendian: %s\n", machine_big_endian ? "big" : "little");
    if (data_file)
        le__text_add(&x, "data file: %s\n", data_file);
    else
        le__text_add(&x, "\n");
}

static bool is_detached(const char *file) {
    return strcasecmp(file + strlen(file) - 5, ".nhdr") == 0;
}

static char *raw_name(const char *file) {
    char *name;
    return asprintf(&name, "%.*s.raw", (int)strlen(file) - 5, file) < 0 ? NULL : name;
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *le__nrrd_data_name(const char *file, bool for_writing) {
    le__nrrd_header h;
    block b;
    if (for_writing || access(file, F_OK) != 0)
        return is_detached(file) ? raw_name(file) : NULL;
    le_status status = open_nrrd(file, &h, &b);
    if (b.fd >= 0)
        close(b.fd);
    return status == LE_OK && h.data_file[0] ? le__io_beside(file, h.data_file) : NULL;
}

const char le__nrrd_names[] = "a detached header names a file in one line of at most 255 bytes, "
                              "without % and not as LIST; write .nrrd instead";

bool le__nrrd_may_name(const char *file) {
    char *data = is_detached(file) ? raw_name(file) : NULL, *header = NULL;
    const char *name = data ? last_part(data) : NULL;
    le__nrrd_header h;
    bool good = !name;
    if (name && asprintf(&header,
                         "NRRD0004\ntype: uint8\ndimension: 1\nsizes: 1\nencoding: raw\n"
                         "data file: %s\n",
                         name) >= 0) {
        good =
            le__nrrd_parse(file, header, strlen(header), &h) == LE_OK && !strcmp(h.data_file, name);
        free(header);
    }
    free(data);
    return good;
}

/* Both files appear, or neither does. */
static le_status write_detached(const char *file, const le_tensor *t, const void *data) {
    char header[1024];
    le__outfile temps[2];
    if (!le__nrrd_may_name(file))
        return le_fail(LE_ERR_ARGUMENT, "%s: %s", file, le__nrrd_names);
    char *data_file = raw_name(file);
    if (!data_file)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", file);
    format_header(t, last_part(data_file), header, sizeof header);
    le_status status = le__io_begin_block(data_file, "", 0, t, data, &temps[0]);
    if (status == LE_OK) {
        status = le__io_begin_block(file, header, (int64_t)strlen(header), NULL, NULL, &temps[1]);
        if (status == LE_OK)
            status = le__io_temps_commit(file, temps, 2);
        else
            le__outfile_abandon(&temps[0]);
    }
    free(data_file);
    return status;
}

le_status le__nrrd_write(const le__io_request *r, const le_tensor *t, const void *data) {
    const char *file = r->place->file;
    char header[1024];
    if (t->ndim < 1 || le_tensor_count(t) < 1)
        return le_fail(LE_ERR_SHAPE, "%s: NRRD holds arrays of at least one element and dimension",
                       file);
    if (t->ndim == LE_MAX_DIMS && le_dtype_kind_of(t->dtype) == LE_DTYPE_KIND_COMPLEX)
        return le_fail(
            LE_ERR_SHAPE,
            "%s: complex numbers take an axis of the file, at most %d others are possible", file,
            LE_MAX_DIMS - 1);
    if (r->looks)
        return LE_OK;
    if (is_detached(file))
        return write_detached(file, t, data);
    format_header(t, NULL, header, sizeof header);
    return le__io_put_block(file, header, (int64_t)strlen(header), t, data);
}
