/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables as lines of numbers with commas between them, and a line of names before.
 */
#include "files/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------- reading -- */

typedef struct csv {
    const char *text; /* of the place */
    char *data;       /* the file, ended by '\0' */
    int64_t size;
    const char *names; /* the first line, when it is none of numbers */
    const char *first; /* line of numbers */
    int64_t lines, columns;
} csv;

static const char *line_end(const char *p) {
    return p + strcspn(p, "\r\n");
}

static const char *next_line(const char *p) {
    p = line_end(p);
    return p + strspn(p, "\r\n");
}

/* The next line that is neither a comment nor empty, or blank; NULL at the end. */
static const char *useful(const char *p) {
    for (p += strspn(p, " \t\r\n"); *p == '#'; p += strspn(p, " \t\r\n"))
        p = line_end(p);
    return *p ? p : NULL;
}

static const char *skip_blanks(const char *p) {
    return p + strspn(p, " \t");
}

/* Reads a number, or nothing as NaN; *p is then at the comma or the end of the line. */
static bool take_number(const char **p, double *out) {
    const char *at = skip_blanks(*p);
    char *end = (char *)(uintptr_t)at;
    *out = NAN;
    if (*at && !strchr(",\r\n", *at))
        *out = le_number(at, &end);
    *p = skip_blanks(end);
    return !**p || strchr(",\r\n", **p);
}

/* Numbers in the line; -1: one of them is none. out (may be NULL) has room for max. */
static int64_t take_line(const char *p, double *out, int64_t max) {
    int64_t n = 0;
    double value;
    for (;; p++) {
        if (!take_number(&p, &value))
            return -1;
        if (out && n < max)
            out[n] = value;
        n++;
        if (*p != ',')
            return n;
    }
}

/* A field of the line of names: between its quotes, of which two together are one, with line breaks
 * that are there; or without blanks around it. */
typedef struct field {
    const char *begin, *end;
    bool quoted;
} field;

/* The quote that ends a field; the end of the line where there is none. */
static const char *quote_end(const char *p) {
    const char *end = strchr(p, '"');
    while (end && end[1] == '"')
        end = strchr(end + 2, '"');
    return end ? end : line_end(p);
}

/* Gives what follows it. */
static const char *take_name(const char *p, field *out) {
    p = skip_blanks(p);
    out->quoted = *p == '"';
    out->begin = p += out->quoted;
    out->end = p = out->quoted ? quote_end(p) : p + strcspn(p, ",\r\n");
    while (!out->quoted && out->end > out->begin && strchr(" \t", out->end[-1]))
        out->end--;
    return p + strcspn(p, ",\r\n");
}

static bool is_named(const field *f, const char *name) {
    const char *p = f->begin;
    for (; p < f->end && *p == *name; name++)
        p += f->quoted && *p == '"' ? 2 : 1;
    return p == f->end && !*name;
}

/* *p is then at the end of the line of names. */
static int64_t count_names(const char **p) {
    field name;
    int64_t n = 1;
    for (*p = take_name(*p, &name); **p == ','; *p = take_name(*p + 1, &name))
        n++;
    return n;
}

static int64_t line_number(const csv *c, const char *line) {
    int64_t n = 1;
    for (const char *p = c->data; p < line; p++)
        n += *p == '\n';
    return n;
}

/* Behind the mark of UTF-8 that some programs begin their files with. */
static const char *behind_mark(const char *p) {
    return strncmp(p, "\xEF\xBB\xBF", 3) == 0 ? p + 3 : p;
}

/* Counts lines and columns, so that nothing is allocated for a file that is no table. */
static le_status survey(csv *c) {
    const char *p = useful(behind_mark(c->data));
    if (p && take_line(p, NULL, 0) < 0) {
        c->names = p;
        c->columns = count_names(&p);
        p = useful(next_line(p));
    }
    c->first = p;
    for (; p; p = useful(next_line(p)), c->lines++) {
        int64_t n = take_line(p, NULL, 0);
        if (!c->columns)
            c->columns = n;
        if (n < 0)
            return le_fail(LE_ERR_IO, "%s: line %lld is not made of numbers and commas", c->text,
                           (long long)line_number(c, p));
        if (n != c->columns)
            return le_fail(LE_ERR_IO, "%s: line %lld has %lld fields, expected %lld", c->text,
                           (long long)line_number(c, p), (long long)n, (long long)c->columns);
    }
    if (!c->columns)
        return le_fail(LE_ERR_IO, "%s: no line with numbers or names", c->text);
    return LE_OK;
}

static le_status load(csv *c, const char *file, int64_t max_bytes) {
    int fd = le__io_open(file, &c->size);
    le_status status = LE_OK;
    if (fd < 0)
        return LE_ERR_IO;
    if (c->size > max_bytes || c->size >= (int64_t)PTRDIFF_MAX / 2 ||
        !(c->data = malloc((size_t)c->size + 1)))
        status = le_fail(LE_ERR_MEMORY, "%s: %lld bytes are more than there is memory for", c->text,
                         (long long)c->size);
    if (status == LE_OK) {
        le__io_parallel here = le__io_parallel_of(NULL);
        c->data[c->size] = '\0';
        status = le__io_pread(&here, fd, file, 0, c->data, c->size);
    }
    close(fd);
    if (status == LE_OK && strlen(c->data) != (size_t)c->size)
        status = le_fail(LE_ERR_IO, "%s: holds zero bytes, which no text does", c->text);
    return status == LE_OK ? survey(c) : status;
}

/* The column of that name; -1: there is none. */
static int64_t column_of(const csv *c, const char *name) {
    const char *p = c->names;
    for (int64_t i = 0; p && i < c->columns; i++) {
        field f;
        const char *end = take_name(p, &f);
        if (is_named(&f, name))
            return i;
        p = end + (*end == ',');
    }
    return -1;
}

/* Which lines and columns the place asks for; ndim and shape of the result. */
static le_status choose(const csv *c, const le__io_place *place, le__io_range *r, int *ndim,
                        int64_t *shape) {
    const int64_t whole[2] = {c->lines, c->columns};
    le_status status = le__io_select(place, 2, whole, r);
    if (status != LE_OK)
        return status;
    if (place->dataset) {
        int64_t at = column_of(c, place->dataset);
        if (at < 0)
            return le_fail(LE_ERR_IO, "%s: the file has no column %s", place->text, place->dataset);
        r[1] = (le__io_range){.start = at, .step = 1, .count = 1, .drop = true};
    }
    *ndim = 0;
    for (int i = 0; i < 2; i++)
        if (!r[i].drop)
            shape[(*ndim)++] = r[i].count;
    return LE_OK;
}

static le_status fill(const csv *c, const le__io_range *r, le_tensor *out) {
    double *line = malloc((size_t)c->columns * sizeof *line);
    if (!line)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", c->text);
    const char *p = c->first;
    int64_t next = r[0].start, left = r[0].count, at = 0;
    for (int64_t i = 0; p && left > 0; i++, p = useful(next_line(p))) {
        if (i < next)
            continue;
        take_line(p, line, c->columns);
        for (int64_t k = 0; k < r[1].count; k++)
            le_tensor_set(out, at++, line[r[1].start + k * r[1].step]);
        next += r[0].step;
        left--;
    }
    free(line);
    return LE_OK;
}

le_status le__csv_read(const le__io_request *q, le_tensor *out) {
    csv c = {.text = q->place->text};
    le__io_range r[LE_MAX_DIMS];
    int ndim = 0;
    int64_t shape[LE_MAX_DIMS];
    const le_dtype dtype = le__io_table_dtype(q->dtypes);
    le_status status = load(&c, q->place->file, q->max_bytes);
    if (status == LE_OK)
        status = choose(&c, q->place, r, &ndim, shape);
    if (status == LE_OK)
        status = le__io_room(out, c.text, dtype, ndim, shape, q->max_bytes);
    if (status == LE_OK)
        status = fill(&c, r, out);
    free(c.data);
    return status;
}

le_status le__csv_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    csv c = {.text = place->text};
    le__io_range r[LE_MAX_DIMS];
    le_status status = load(&c, place->file, INT64_MAX);
    if (status == LE_OK)
        status = choose(&c, place, r, ndim, shape);
    *dtype = LE_F64;
    free(c.data);
    return status;
}

/* ---------------------------------------------------------------------------------- writing -- */

/* Whether it is read back as this name without quotes: not as a number, as nothing, or as a
 * comment. */
static bool is_plain(const char *name) {
    const char *p = name;
    return !strpbrk(name, ",\"\r\n") && *name != '#' && !strchr(" \t", *name) &&
           !strchr(" \t", name[strlen(name) - 1]) && !take_number(&p, &(double){0});
}

static void put_name(FILE *f, const char *name) {
    bool plain = is_plain(name);
    if (!plain)
        putc('"', f);
    for (const char *p = name; *p; p++) {
        if (*p == '"')
            putc('"', f);
        putc(*p, f);
    }
    if (!plain)
        putc('"', f);
}

static void put_names(FILE *f, const le__io_request *r, int64_t columns) {
    char made[LE__IO_NUMBER];
    for (int64_t k = 0; k < columns; k++) {
        if (k)
            putc(',', f);
        put_name(f, le__io_column_name(r, k, made));
    }
    putc('\n', f);
}

static void put_lines(FILE *f, const le__io_request *r, const le_tensor *t) {
    char number[LE__IO_NUMBER];
    int64_t columns = t->shape[1];
    put_names(f, r, columns);
    for (int64_t i = 0; i < t->shape[0]; i++)
        for (int64_t k = 0; k < columns; k++) {
            le__io_print_number(t, i * columns + k, number);
            fputs(number, f);
            putc(k + 1 < columns ? ',' : '\n', f);
        }
}

le_status le__csv_write(const le__io_request *r, const le_tensor *t, const void *data) {
    le_tensor table;
    le_status status = le__io_table(r, t, data, "CSV", &table);
    return status == LE_OK ? le__io_put_text(r, &table, put_lines) : status;
}
