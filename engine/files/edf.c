/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * EDF, the ESRF data format: "{ key = value ; ... }", then the numbers of an image, and so on for
 * further images, which must be like the first. What gzip has packed is unpacked into a file in
 * memory.
 */
#include "files/io.h"

#include "call/tensor.h"
#include "core/array.h"
#include "core/os.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LARGEST_HEADER = 1 << 17, LARGEST_PEEK = 1 << 30, BLOCK = 512 };

/* The value of a key, without blanks; "" where there is none. */
static void value_of(const char *header, const char *key, char *out, size_t size) {
    *out = '\0';
    const size_t length = strlen(key);
    for (const char *at = header; *at; at += strcspn(at, ";\n"), at += *at != '\0') {
        at += strspn(at, " \t\r{");
        if (strncasecmp(at, key, length) != 0)
            continue;
        const char *v = at + length + strspn(at + length, " \t");
        if (*v++ != '=')
            continue;
        v += strspn(v, " \t");
        size_t n = strcspn(v, ";\n");
        while (n > 0 && isspace((unsigned char)v[n - 1]))
            n--;
        snprintf(out, size, "%.*s", n < size ? (int)n : (int)size - 1, v);
        return;
    }
}

static le_status read_type(const char *header, le__io_place *out) {
    static const struct {
        const char *name;
        le_dtype dtype;
    } types[] = {{"UnsignedByte", LE_U8},  {"SignedByte", LE_I8},       {"UnsignedShort", LE_U16},
                 {"SignedShort", LE_I16},  {"UnsignedInteger", LE_U32}, {"SignedInteger", LE_I32},
                 {"UnsignedLong", LE_U32}, {"SignedLong", LE_I32},      {"Unsigned64", LE_U64},
                 {"Signed64", LE_I64},     {"FloatValue", LE_F32},      {"Float", LE_F32},
                 {"DoubleValue", LE_F64},  {"Double", LE_F64},          {"RealValue", LE_F32}};
    char type[64], order[64], packing[64];
    value_of(header, "DataType", type, sizeof type);
    value_of(header, "ByteOrder", order, sizeof order);
    value_of(header, "COMPRESSION", packing, sizeof packing);
    out->big_endian = !strcasecmp(order, "HighByteFirst");
    if (*packing && strcasecmp(packing, "None") != 0)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: the image is compressed (%s)", out->text, packing);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcasecmp(type, types[i].name)) {
            out->dtype = types[i].dtype;
            return LE_OK;
        }
    return le_fail(LE_ERR_DTYPE,
                   "%s: the DataType is '%s', expected an integer type (UnsignedShort, say), "
                   "FloatValue or DoubleValue",
                   out->text, type);
}

static le_status read_shape(const char *header, le__io_place *out) {
    for (int d = LE_MAX_DIMS; d >= 1; d--) { /* Dim_1 is the fastest */
        char key[16], text[64], *end;
        snprintf(key, sizeof key, "Dim_%d", d);
        value_of(header, key, text, sizeof text);
        if (!*text)
            continue;
        errno = 0;
        out->shape[out->ndim++] = strtoll(text, &end, 10);
        if (errno || *end || out->shape[out->ndim - 1] < 1)
            return le_fail(LE_ERR_IO, "%s: %s is '%s'", out->text, key, text);
    }
    return out->ndim ? LE_OK : le_fail(LE_ERR_IO, "%s: no EDF file: no Dim_1", out->text);
}

typedef struct image {
    int64_t offset; /* of its numbers */
    bool big_endian;
} image;

typedef struct edf {
    le__io_place at; /* the first image, in the file or in memory */
    int fd;
    char path[64]; /* of what is in memory */
    image *images; /* owned */
    size_t n, room;
} edf;

/* max_bytes: when unpacked. */
static le_status unpack(edf *e, int64_t max_bytes) {
    void *data;
    size_t n;
    le_status status = le__io_gunzip_all(e->fd, e->at.text, max_bytes, &data, &n);
    if (status != LE_OK)
        return status;
    const int memory = le__os_memory_file(n, e->path, sizeof e->path);
    status = memory < 0 ? le_fail(LE_ERR_MEMORY, "%s: no memory for what it contains", e->at.text)
                        : le__io_write_all(memory, e->at.text, data, (int64_t)n);
    free(data);
    close(e->fd);
    e->fd = memory;
    e->at.file = e->path;
    return status;
}

static le_status open_file(const le__io_place *place, int64_t max_bytes, edf *e) {
    int64_t size;
    unsigned char first[2] = {0};
    *e = (edf){.at = *place, .fd = le__io_open(place->file, &size)};
    if (e->fd < 0)
        return LE_ERR_IO;
    const bool packed = pread(e->fd, first, 2, 0) == 2 && first[0] == 0x1f && first[1] == 0x8b;
    return packed ? unpack(e, max_bytes) : LE_OK;
}

static void close_file(edf *e) {
    if (e->fd >= 0)
        close(e->fd);
    free(e->images);
}

/* Where the numbers end: an image may have more room than it needs. */
static le_status find_end(const char *header, const le__io_place *at, int64_t *end) {
    char text[64];
    int64_t bytes;
    le_status status =
        le__io_check_size(at->text, at->dtype, at->ndim, at->shape, INT64_MAX, &bytes);
    value_of(header, "Size", text, sizeof text);
    if (!*text)
        value_of(header, "EDF_BinarySize", text, sizeof text);
    const int64_t room = strtoll(text, NULL, 10);
    if (status == LE_OK && __builtin_add_overflow(at->offset, room > bytes ? room : bytes, end))
        *end = INT64_MAX;
    return status;
}

/* Ends the text at the brace that closes the header; what lies behind it, NULL: there is none. */
static const char *end_header(char *header) {
    for (char *at = strchr(header, '}'); at; at = strchr(at + 1, '}')) {
        const char *next = at + 1 + (at[1] == '\r');
        if (*next == '\n') {
            *at = '\0';
            return next + 1;
        }
    }
    return NULL;
}

/* The layout of the image whose header lies at out->offset; *end: where its numbers end. */
static le_status read_header(const edf *e, le__io_place *out, int64_t *end) {
    char *header = calloc(1, LARGEST_HEADER + 1);
    ssize_t n = header ? pread(e->fd, header, LARGEST_HEADER, out->offset) : 0;
    if (!header)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", out->text);
    char *begin = header + strspn(header, " \t\r\n");
    const char *numbers = n > 0 && *begin == '{' ? end_header(begin) : NULL;
    le_status status = LE_OK;
    if (!numbers)
        status =
            e->n ? le_fail(LE_ERR_IO, "%s: the header of image %zu does not end", out->text, e->n)
                 : le_fail(LE_ERR_IO, "%s: no EDF file: no header in braces", out->text);
    out->ndim = 0;
    out->has_layout = true;
    if (status == LE_OK) {
        out->offset += numbers - header;
        status = read_type(begin, out);
    }
    if (status == LE_OK)
        status = read_shape(begin, out);
    if (status == LE_OK)
        status = find_end(begin, out, end);
    free(header);
    return status;
}

/* Blanks may follow the last image. */
static bool has_header(const edf *e, int64_t at) {
    char block[BLOCK + 1] = "";
    return pread(e->fd, block, BLOCK, at) > 0 && block[strspn(block, " \t\r\n")] == '{';
}

static le_status add_image(edf *e, const le__io_place *at) {
    const le_tensor own = le_tensor_of(NULL, at->dtype, at->ndim, at->shape),
                    first = le_tensor_of(NULL, e->at.dtype, e->at.ndim, e->at.shape);
    if (!le__tensors_alike(&own, &first)) {
        char text[2][128];
        le_tensor_describe(&own, text[0], sizeof text[0]);
        le_tensor_describe(&first, text[1], sizeof text[1]);
        return le_fail(
            LE_ERR_SHAPE,
            "%s: image %zu is %s, the first %s; images of one shape and type are expected",
            at->text, e->n, text[0], text[1]);
    }
    if (!LE__ARRAY_ROOM(e->images, e->n, e->room))
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", at->text);
    e->images[e->n++] = (image){at->offset, at->big_endian};
    return LE_OK;
}

static le_status find_images(edf *e) {
    int64_t end = 0;
    le_status status = read_header(e, &e->at, &end);
    if (status == LE_OK)
        status = add_image(e, &e->at);
    while (status == LE_OK && has_header(e, end)) {
        le__io_place at = e->at;
        at.offset = end;
        status = read_header(e, &at, &end);
        if (status == LE_OK)
            status = add_image(e, &at);
    }
    if (status == LE_OK && e->n > 1 && e->at.ndim == LE_MAX_DIMS)
        status = le_fail(LE_ERR_SHAPE, "%s: %zu images with %d axes", e->at.text, e->n, e->at.ndim);
    return status;
}

static le_status open_edf(const le__io_place *place, int64_t max_bytes, edf *e) {
    const le_status status = open_file(place, max_bytes, e);
    return status == LE_OK ? find_images(e) : status;
}

static void shape_of(const edf *e, int *ndim, int64_t *shape) {
    const int stacked = e->n > 1;
    shape[0] = (int64_t)e->n;
    memcpy(shape + stacked, e->at.shape, (size_t)e->at.ndim * sizeof *shape);
    *ndim = e->at.ndim + stacked;
}

static le_status read_images(const le__io_request *r, const edf *e, le_tensor *all) {
    le__io_place at = e->at;
    le__io_request own = *r;
    int64_t shape[LE_MAX_DIMS];
    int ndim;
    le_status status = LE_OK;
    shape_of(e, &ndim, shape);
    own.place = &at;
    for (size_t k = 0; k < e->n && status == LE_OK; k++) {
        le_tensor one = {0};
        at.offset = e->images[k].offset;
        at.big_endian = e->images[k].big_endian;
        status = le__raw_read(&own, &one);
        if (status == LE_OK && k == 0)
            status = le__io_room(all, at.text, one.dtype, ndim, shape, r->max_bytes);
        if (status == LE_OK) {
            const size_t part = (size_t)le__tensor_size(all) / e->n;
            memcpy((char *)all->data + k * part, one.data, part);
        }
        le_tensor_free(&one);
    }
    return status;
}

le_status le__edf_read(const le__io_request *r, le_tensor *out) {
    edf e;
    le__io_request own = *r;
    int64_t most; /* with headers, which may be larger than small images */
    if (__builtin_mul_overflow(r->max_bytes, 2, &most) ||
        __builtin_add_overflow(most, LARGEST_HEADER, &most))
        most = INT64_MAX;
    le_status status = open_edf(r->place, most, &e);
    own.place = &e.at;
    if (status == LE_OK)
        status = e.n > 1 ? read_images(r, &e, out) : le__raw_read(&own, out);
    close_file(&e);
    return status;
}

le_status le__edf_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    edf e;
    const le_status status = open_edf(place, LARGEST_PEEK, &e);
    if (status == LE_OK) {
        *dtype = e.at.dtype;
        shape_of(&e, ndim, shape);
    }
    close_file(&e);
    return status;
}
