/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * EDF, the ESRF data format: "{ key = value ; ... }", then the numbers of an image. Of a file with
 * several images the first is read.
 */
#include "files/io.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LARGEST_HEADER = 1 << 17 };

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
    } types[] = {{"UnsignedByte", LE_U8},   {"SignedByte", LE_I8},       {"UnsignedShort", LE_U16},
                 {"SignedShort", LE_I16},   {"UnsignedInteger", LE_U32}, {"SignedInteger", LE_I32},
                 {"UnsignedLong", LE_U32},  {"SignedLong", LE_I32},      {"Unsigned64", LE_U64},
                 {"Signed64", LE_I64},      {"FloatValue", LE_F32},      {"Float", LE_F32},
                 {"DoubleValue", LE_F64},   {"Double", LE_F64},          {"RealValue", LE_F32}};
    char type[64], order[64], packing[64];
    value_of(header, "DataType", type, sizeof type);
    value_of(header, "ByteOrder", order, sizeof order);
    value_of(header, "COMPRESSION", packing, sizeof packing);
    out->big_endian = !strcasecmp(order, "HighByteFirst");
    if (*packing && strcasecmp(packing, "None") != 0)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: the image is compressed (%s)", out->file, packing);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcasecmp(type, types[i].name)) {
            out->dtype = types[i].dtype;
            return LE_OK;
        }
    return le_fail(LE_ERR_DTYPE, "%s: the DataType is '%s', which is not read", out->file, type);
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
            return le_fail(LE_ERR_IO, "%s: %s is '%s'", out->file, key, text);
    }
    return out->ndim ? LE_OK : le_fail(LE_ERR_IO, "%s: no EDF file: no Dim_1", out->file);
}

static le_status read_header(const le__io_place *place, le__io_place *out) {
    int64_t size;
    int fd = le__io_open(place->file, &size);
    if (fd < 0)
        return LE_ERR_IO;
    *out = *place;
    out->ndim = 0;
    char *header = calloc(1, LARGEST_HEADER + 1);
    ssize_t n = header ? pread(fd, header, LARGEST_HEADER, 0) : 0;
    close(fd);
    if (!header)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", place->file);
    char *begin = header + strspn(header, " \t\r\n"), *end = strstr(begin, "}\n");
    if (n > 0 && !end && (end = strstr(begin, "}\r\n")))
        end++;
    le_status status = *begin == '{' && end
                           ? LE_OK
                           : le_fail(LE_ERR_IO, "%s: no EDF file: no header in braces", place->file);
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

le_status le__edf_read(const le__io_request *r, le_tensor *out) {
    le__io_place at;
    le__io_request own = *r;
    le_status status = read_header(r->place, &at);
    own.place = &at;
    return status == LE_OK ? le__raw_read(&own, out) : status;
}

le_status le__edf_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    le__io_place at;
    le_status status = read_header(place, &at);
    if (status != LE_OK)
        return status;
    *dtype = at.dtype;
    *ndim = at.ndim;
    memcpy(shape, at.shape, sizeof at.shape);
    return LE_OK;
}
