/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Parses the text of an NRRD header. Fields that do not change the array are skipped; those that
 * change it in a way not supported are errors.
 */
#include "files/nrrd.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { VALUE_MAX = 1024 };

typedef struct parser {
    const char *name;
    le__nrrd_header *h;
    bool has_type, has_sizes, has_encoding, has_endian, detached;
    bool pairs; /* the fastest axis has the parts of complex numbers */
    int n_sizes;
    int64_t sizes[LE_MAX_DIMS]; /* as written: fastest first */
} parser;

static const struct {
    le_dtype type;
    const char *names; /* each between two bars */
} type_names[] = {
    {LE_I8, "|signed char|int8|int8_t|"},
    {LE_U8, "|uchar|unsigned char|uint8|uint8_t|"},
    {LE_I16, "|short|short int|signed short|signed short int|int16|int16_t|"},
    {LE_U16, "|ushort|unsigned short|unsigned short int|uint16|uint16_t|"},
    {LE_I32, "|int|signed int|int32|int32_t|"},
    {LE_U32, "|uint|unsigned int|uint32|uint32_t|"},
    {LE_I64, "|longlong|long long|long long int|signed long long|signed long long int|"
             "int64|int64_t|"},
    {LE_U64, "|ulonglong|unsigned long long|unsigned long long int|uint64|uint64_t|"},
    {LE_F32, "|float|"},
    {LE_F64, "|double|"},
};

static le_status bad(const parser *p, const char *field, const char *value, const char *expected) {
    return le_fail(LE_ERR_IO, "%s: %s is '%.60s'; expected %s", p->name, field, value, expected);
}

static bool whole_number(const char **at, int64_t *out) {
    char *end;
    errno = 0;
    long long v = strtoll(*at, &end, 10);
    bool good = end != *at && !errno;
    while (*end == ' ' || *end == '\t')
        end++;
    *at = end;
    *out = v;
    return good;
}

static le_status parse_type(parser *p, const char *value) {
    char name[VALUE_MAX + 2];
    snprintf(name, sizeof name, "|%s|", value);
    for (size_t i = 0; !strchr(value, '|') && i < sizeof type_names / sizeof *type_names; i++) {
        if (strstr(type_names[i].names, name)) {
            p->h->type = type_names[i].type;
            p->has_type = true;
            return LE_OK;
        }
    }
    return bad(p, "type", value, "an integer type of 8 to 64 bits, float or double");
}

static le_status parse_dimension(parser *p, const char *value) {
    int64_t n;
    const char *at = value;
    if (!whole_number(&at, &n) || *at || n < 1 || n > LE_MAX_DIMS)
        return bad(p, "dimension", value, "1 to 8");
    p->h->ndim = (int)n;
    return LE_OK;
}

static le_status parse_sizes(parser *p, const char *value) {
    const char *at = value;
    for (p->n_sizes = 0; *at; p->n_sizes++) {
        if (p->n_sizes == LE_MAX_DIMS || !whole_number(&at, &p->sizes[p->n_sizes]) ||
            p->sizes[p->n_sizes] < 1)
            return bad(p, "sizes", value, "1 to 8 positive numbers");
    }
    p->has_sizes = true;
    return LE_OK;
}

static le_status parse_encoding(parser *p, const char *value) {
    p->h->gzip = strcasecmp(value, "gzip") == 0 || strcasecmp(value, "gz") == 0;
    if (!p->h->gzip && strcasecmp(value, "raw") != 0)
        return bad(p, "encoding", value, "raw or gzip");
    p->has_encoding = true;
    return LE_OK;
}

static le_status parse_endian(parser *p, const char *value) {
    p->h->big_endian = strcasecmp(value, "big") == 0;
    if (!p->h->big_endian && strcasecmp(value, "little") != 0)
        return bad(p, "endian", value, "little or big");
    p->has_endian = true;
    return LE_OK;
}

static le_status parse_skip(parser *p, const char *field, const char *value, int64_t low,
                            int64_t *out) {
    const char *at = value;
    if (!whole_number(&at, out) || *at || *out < low)
        return bad(p, field, value, low < 0 ? "-1 or more" : "0 or more");
    return LE_OK;
}

static le_status parse_data_file(parser *p, const char *value) {
    if (strncmp(value, "LIST", 4) == 0 || strchr(value, '%'))
        return bad(p, "data file", value, "one file (lists and patterns are not supported)");
    if (!*value || strlen(value) >= sizeof p->h->data_file)
        return bad(p, "data file", value, "a name of at most 255 bytes");
    if (!le__io_is_beside(value))
        return bad(p, "data file", value, "a file in the header's folder");
    strcpy(p->h->data_file, value);
    p->detached = true;
    return LE_OK;
}

static le_status parse_field(parser *p, const char *field, const char *value) {
    if (strcasecmp(field, "type") == 0)
        return parse_type(p, value);
    if (strcasecmp(field, "dimension") == 0)
        return parse_dimension(p, value);
    if (strcasecmp(field, "sizes") == 0)
        return parse_sizes(p, value);
    if (strcasecmp(field, "kinds") == 0)
        p->pairs = strncmp(value, "complex", 7) == 0 && (value[7] == ' ' || value[7] == '\0');
    if (strcasecmp(field, "encoding") == 0)
        return parse_encoding(p, value);
    if (strcasecmp(field, "endian") == 0)
        return parse_endian(p, value);
    if (strcasecmp(field, "byte skip") == 0 || strcasecmp(field, "byteskip") == 0)
        return parse_skip(p, field, value, -1, &p->h->byte_skip);
    if (strcasecmp(field, "line skip") == 0 || strcasecmp(field, "lineskip") == 0)
        return parse_skip(p, field, value, 0, &p->h->line_skip);
    if (strcasecmp(field, "data file") == 0 || strcasecmp(field, "datafile") == 0)
        return parse_data_file(p, value);
    return LE_OK; /* spacings, directions, comments: not part of the array */
}

/* One line without its end; "field: value". Key/value pairs (":=") and comments are skipped. */
static le_status parse_line(parser *p, const char *line, size_t length) {
    char text[VALUE_MAX];
    if (length == 0 || *line == '#')
        return LE_OK;
    const char *colon = memchr(line, ':', length);
    if (!colon)
        return le_fail(LE_ERR_IO, "%s: the header has a line without ':': '%.*s'", p->name,
                       (int)(length < 60 ? length : 60), line);
    if (colon + 1 < line + length && colon[1] == '=')
        return LE_OK;
    if (length >= sizeof text)
        return LE_OK; /* no field that is read here is so long */
    memcpy(text, line, length);
    text[length] = '\0';
    text[colon - line] = '\0';
    char *value = text + (colon - line) + 1;
    while (*value == ' ' || *value == '\t')
        value++;
    for (char *end = value + strlen(value); end > value && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    return parse_field(p, text, value);
}

/* Pairs of other types stay an axis of their own: there are no complex integers. */
static le_status join_pairs(parser *p) {
    le__nrrd_header *h = p->h;
    if (p->sizes[0] != 2)
        return le_fail(LE_ERR_IO, "%s: the axis of kind complex has size %lld, expected 2", p->name,
                       (long long)p->sizes[0]);
    if (h->type == LE_F32 || h->type == LE_F64) {
        h->type = h->type == LE_F32 ? LE_C64 : LE_C128;
        h->ndim--;
    }
    return LE_OK;
}

static le_status finish(parser *p) {
    le__nrrd_header *h = p->h;
    if (!p->has_type || !p->has_sizes || !p->has_encoding || h->ndim == 0)
        return le_fail(LE_ERR_IO, "%s: the header lacks %s", p->name,
                       !p->has_type    ? "type"
                       : !p->has_sizes ? "sizes"
                       : h->ndim == 0  ? "dimension"
                                       : "encoding");
    if (p->n_sizes != h->ndim)
        return le_fail(LE_ERR_IO, "%s: %d sizes for dimension %d", p->name, p->n_sizes, h->ndim);
    if (le_dtype_size(h->type) > 1 && !p->has_endian)
        return le_fail(LE_ERR_IO, "%s: the header lacks endian", p->name);
    if (h->gzip && h->byte_skip != 0)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: byte skip within gzip data is not supported",
                       p->name);
    for (int i = 0; i < h->ndim; i++)
        h->shape[i] = p->sizes[h->ndim - 1 - i];
    return p->pairs ? join_pairs(p) : LE_OK;
}

le_status le__nrrd_parse(const char *name, const char *text, size_t size, le__nrrd_header *out) {
    parser p = {.name = name, .h = out};
    *out = (le__nrrd_header){.length = 0};
    if (size < 8 || memcmp(text, "NRRD000", 7) != 0)
        return le_fail(LE_ERR_IO, "%s: not an NRRD file", name);
    const char *at = text, *end = text + size;
    bool first = true;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        const char *next = newline ? newline + 1 : end;
        if (length > 0 && at[length - 1] == '\r')
            length--;
        le_status status = first ? LE_OK : parse_line(&p, at, length);
        if (status != LE_OK)
            return status;
        at = next;
        if (length == 0 && !first) {
            out->length = at - text;
            return finish(&p);
        }
        first = false;
    }
    if (!p.detached)
        return le_fail(LE_ERR_IO, "%s: the header does not end", name);
    out->length = (int64_t)size; /* a detached header may end with the file */
    return finish(&p);
}
