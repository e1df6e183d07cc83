/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * EDF, the ESRF data format: "{ key = value ; ... }", then the numbers of an image. Of a file with
 * several images the first is read. What gzip has packed is unpacked into a file in memory.
 */
#include "files/io.h"

#include "core/os.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LARGEST_HEADER = 1 << 17, LARGEST_PEEK = 1 << 30 };

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

typedef struct edf {
    le__io_place at; /* the numbers, in the file or in memory */
    int fd;
    char path[64]; /* of what is in memory */
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
}

static le_status read_header(edf *e) {
    le__io_place *out = &e->at;
    out->ndim = 0;
    char *header = calloc(1, LARGEST_HEADER + 1);
    ssize_t n = header ? pread(e->fd, header, LARGEST_HEADER, 0) : 0;
    if (!header)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", out->text);
    char *begin = header + strspn(header, " \t\r\n"), *end = strstr(begin, "}\n");
    if (n > 0 && !end && (end = strstr(begin, "}\r\n")))
        end++;
    le_status status = *begin == '{' && end
                           ? LE_OK
                           : le_fail(LE_ERR_IO, "%s: no EDF file: no header in braces", out->text);
    if (status == LE_OK) {
        out->offset = end + 2 - header;
        *end = '\0';
        status = read_type(begin, out);
    }
    if (status == LE_OK)
        status = read_shape(begin, out);
    out->has_layout = true;
    free(header);
    return status;
}

static le_status open_edf(const le__io_place *place, int64_t max_bytes, edf *e) {
    const le_status status = open_file(place, max_bytes, e);
    return status == LE_OK ? read_header(e) : status;
}

le_status le__edf_read(const le__io_request *r, le_tensor *out) {
    edf e;
    le__io_request own = *r;
    const int64_t most =
        r->max_bytes < INT64_MAX - LARGEST_HEADER ? r->max_bytes + LARGEST_HEADER : INT64_MAX;
    le_status status = open_edf(r->place, most, &e);
    own.place = &e.at;
    if (status == LE_OK)
        status = le__raw_read(&own, out);
    close_file(&e);
    return status;
}

le_status le__edf_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    edf e;
    const le_status status = open_edf(place, LARGEST_PEEK, &e);
    if (status == LE_OK) {
        *dtype = e.at.dtype;
        *ndim = e.at.ndim;
        memcpy(shape, e.at.shape, sizeof e.at.shape);
    }
    close_file(&e);
    return status;
}
