/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reads the text of a place: file, format, dataset and slices, or the layout of a headerless file.
 */
#include "files/io.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *ending;
    le__io_format format;
} endings[] = {
    {".h5", LE__IO_HDF5},      {".hdf5", LE__IO_HDF5},   {".hdf", LE__IO_HDF5},
    {".he5", LE__IO_HDF5},     {".nrrd", LE__IO_NRRD},   {".nhdr", LE__IO_NRRD},
    {".raw", LE__IO_RAW},      {".bin", LE__IO_RAW},     {".png", LE__IO_PNG},
    {".tif", LE__IO_TIFF},     {".tiff", LE__IO_TIFF},   {".csv", LE__IO_CSV},
    {".fits", LE__IO_FITS},    {".fit", LE__IO_FITS},    {".fts", LE__IO_FITS},
    {".fits.gz", LE__IO_FITS}, {".fit.gz", LE__IO_FITS}, {".fts.gz", LE__IO_FITS},
    {".fits.fz", LE__IO_FITS}, {".vot", LE__IO_VOTABLE}, {".xml", LE__IO_VOTABLE},
    {".npy", LE__IO_NPY},      {".edf", LE__IO_EDF},     {".edf.gz", LE__IO_EDF},
};

static le__io_format format_of(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i].ending);
        if (length > n && strncasecmp(name + length - n, endings[i].ending, n) == 0)
            return endings[i].format;
    }
    return 0;
}

/* What follows the file's name may begin with a bracket. */
static bool has_brackets(le__io_format format) {
    return format == LE__IO_HDF5 || format == LE__IO_CSV || format == LE__IO_FITS ||
           format == LE__IO_NPY;
}

/* Length of the file name: up to the first ':' or '[' after a known ending, or the first ":/". */
static size_t file_length(const char *text, le__io_format *format) {
    for (const char *p = strchr(text, ':'); p; p = strchr(p + 1, ':')) {
        *format = format_of(text, (size_t)(p - text));
        if (*format)
            return (size_t)(p - text);
    }
    *format = format_of(text, strlen(text));
    if (*format)
        return strlen(text);
    for (const char *b = strchr(text, '['); b; b = strchr(b + 1, '['))
        if (has_brackets(*format = format_of(text, (size_t)(b - text))))
            return (size_t)(b - text);
    const char *p = strstr(text, ":/");
    *format = p && p != text ? LE__IO_HDF5 : 0;
    return p ? (size_t)(p - text) : strlen(text);
}

static bool parse_i64(const char **p, int64_t *out) {
    char *end;
    if (!isdigit((unsigned char)**p) && **p != '-' && **p != '+')
        return false;
    errno = 0;
    long long v = strtoll(*p, &end, 10);
    if (end == *p || errno)
        return false;
    *p = end;
    *out = v;
    return true;
}

static bool parse_slice(const char **p, le__io_slice *s) {
    *s = (le__io_slice){.step = 1};
    if (strncmp(*p, "...", 3) == 0) {
        *p += 3;
        s->ellipsis = true;
        return true;
    }
    s->has_start = parse_i64(p, &s->start);
    if (**p != ':') {
        s->index = true;
        return s->has_start;
    }
    ++*p;
    s->has_stop = parse_i64(p, &s->stop);
    if (**p != ':')
        return true;
    ++*p;
    if (**p == ',' || **p == ']')
        return true;
    return parse_i64(p, &s->step) && s->step > 0;
}

static le_status parse_slices(const char *text, const char *p, le__io_place *out) {
    bool ellipsis = false;
    for (;;) {
        if (out->n_slices == LE_MAX_DIMS + 1)
            return le_fail(LE_ERR_ARGUMENT, "%s: more than %d slices", text, LE_MAX_DIMS);
        le__io_slice *s = &out->slices[out->n_slices];
        if (!parse_slice(&p, s) || (*p != ',' && *p != ']'))
            return le_fail(
                LE_ERR_ARGUMENT,
                "%s: bad slice at '%s'; expected start:stop:step (step > 0), an index or ...", text,
                p);
        if (s->ellipsis && ellipsis)
            return le_fail(LE_ERR_ARGUMENT, "%s: only one '...' is allowed", text);
        ellipsis = ellipsis || s->ellipsis;
        out->n_slices++;
        if (*p++ == ']')
            break;
    }
    if (*p)
        return le_fail(LE_ERR_ARGUMENT, "%s: text after ']'", text);
    return LE_OK;
}

/* Whether a bracket holds slices; one number alone is a name. */
static bool is_slices(const char *p) {
    size_t n = strspn(p, "0123456789+-:.,");
    return p[n] == ']' && (strcspn(p, ":,") < n || strncmp(p, "...", 3) == 0);
}

static le_status parse_hdf5(const char *rest, le__io_place *out) {
    if (*rest == ':')
        rest++;
    size_t length = strlen(rest);
    const char *bracket = length && rest[length - 1] == ']' ? strrchr(rest, '[') : NULL;
    if (bracket) {
        le_status status = parse_slices(out->text, bracket + 1, out);
        if (status != LE_OK)
            return status;
        length = (size_t)(bracket - rest);
    }
    if (length == 0)
        return LE_OK;
    out->dataset = strndup(rest, length);
    return out->dataset ? LE_OK : le_fail(LE_ERR_MEMORY, "%s: out of memory", out->text);
}

/* A name in brackets, if that is what comes next. */
static le_status take_name(const char **rest, const char *text, char **out) {
    if (**rest != '[' || is_slices(*rest + 1))
        return LE_OK;
    size_t length = strcspn(++*rest, "[]");
    if (length == 0 || (*rest)[length] != ']')
        return le_fail(LE_ERR_ARGUMENT, "%s: bad name at '%s'; expected [NAME]", text, *rest);
    *out = strndup(*rest, length);
    *rest += length + 1;
    return *out ? LE_OK : le_fail(LE_ERR_MEMORY, "%s: out of memory", text);
}

/* [NAME], [SLICES] or both; FITS: [HDU][COLUMN], too, where a number alone is a row. */
static le_status parse_brackets(const char *rest, le__io_place *out) {
    le_status status = take_name(&rest, out->text, &out->dataset);
    bool number = rest[0] == '[' && rest[1 + strspn(rest + 1, "0123456789+-")] == ']';
    if (status == LE_OK && out->dataset && out->format == LE__IO_FITS && !number)
        status = take_name(&rest, out->text, &out->column);
    if (status != LE_OK)
        return status;
    if (*rest == '[')
        return parse_slices(out->text, rest + 1, out);
    return *rest ? le_fail(LE_ERR_ARGUMENT, "%s: text after the name: '%s'", out->text, rest)
                 : LE_OK;
}

static bool parse_shape(const char *p, size_t length, le__io_place *out) {
    const char *end = p + length;
    for (;;) {
        if (out->ndim == LE_MAX_DIMS || !isdigit((unsigned char)*p) ||
            !parse_i64(&p, &out->shape[out->ndim++]))
            return false;
        if (p == end)
            return true;
        if (p > end || (*p != ',' && *p != 'x'))
            return false;
        p++;
    }
}

static bool parse_dtype(const char *p, size_t length, le_dtype *out) {
    char name[8] = "";
    if (length >= sizeof name)
        return false;
    memcpy(name, p, length);
    return le_dtype_from_name(name, out);
}

static bool parse_raw_option(const char *p, size_t length, le__io_place *out) {
    if (length > 7 && strncmp(p, "offset=", 7) == 0) {
        const char *number = p + 7;
        return parse_i64(&number, &out->offset) && number == p + length && out->offset >= 0;
    }
    out->big_endian = length == 3 && strncmp(p, "big", 3) == 0;
    return out->big_endian || (length == 6 && strncmp(p, "little", 6) == 0);
}

static le_status parse_raw(const char *rest, le__io_place *out) {
    for (int field = 0; *rest == ':'; field++) {
        size_t length = strcspn(++rest, ":[");
        bool good = field == 0   ? parse_dtype(rest, length, &out->dtype)
                    : field == 1 ? parse_shape(rest, length, out)
                                 : parse_raw_option(rest, length, out);
        if (!good)
            return le_fail(LE_ERR_ARGUMENT,
                           "%s: '%.*s' is not %s; expected "
                           "FILE.raw:TYPE:N,N,...[:offset=BYTES][:big][[SLICES]]",
                           out->text, (int)length, rest,
                           field == 0   ? "a type (u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 c64 c128)"
                           : field == 1 ? "a shape of 1 to 8 sizes"
                                        : "offset=BYTES, big or little");
        out->has_layout = field >= 1;
        rest += length;
    }
    return *rest && out->has_layout ? parse_slices(out->text, rest + 1, out) : LE_OK;
}

static le_status parse_rest(const char *rest, le__io_place *out) {
    switch (out->format) {
    case LE__IO_HDF5:
        return parse_hdf5(rest, out);
    case LE__IO_RAW:
        return parse_raw(rest, out);
    case LE__IO_CSV:
    case LE__IO_FITS:
        return parse_brackets(rest, out);
    case LE__IO_PNG: {
        bool number;
        if (*rest == '\0')
            return le__io_name_check(out->file, &number);
        break;
    }
    case LE__IO_NPY:
        if (*rest)
            return *rest == '['
                       ? parse_slices(out->text, rest + 1, out)
                       : le_fail(LE_ERR_ARGUMENT, "%s: text after the name: '%s'", out->text, rest);
        return LE_OK;
    case LE__IO_NRRD:
    case LE__IO_EDF:
    case LE__IO_TIFF:
    case LE__IO_VOTABLE:
        if (*rest == '\0')
            return LE_OK;
        break;
    }
    return le_fail(LE_ERR_ARGUMENT, "%s: nothing may follow the file name, but '%s' does",
                   out->text, rest);
}

le_status le__io_place_parse(const char *text, le__io_place *out) {
    *out = (le__io_place){.text = text};
    if (!text || !*text)
        return le_fail(LE_ERR_ARGUMENT, "a file name is expected, nothing was given");
    size_t length = file_length(text, &out->format);
    if (!out->format)
        return le_fail(
            LE_ERR_ARGUMENT,
            "%s: unknown kind of file; expected FILE.h5:/dataset, .nrrd, .raw:type:shape, "
            ".npy, .edf, .png, .tif, .fits or .csv",
            text);
    if (out->format == LE__IO_HDF5 || out->format == LE__IO_FITS) {
        le_status status = le__io_check_fork(text);
        if (status != LE_OK)
            return status;
    }
    out->file = strndup(text, length);
    if (!out->file)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", text);
    le_status status = parse_rest(text + length, out);
    if (status != LE_OK)
        le__io_place_free(out);
    return status;
}

void le__io_place_free(le__io_place *place) {
    free(place->file);
    free(place->dataset);
    free(place->column);
    place->file = place->dataset = place->column = NULL;
}

le_status le_io_place_file(const char *place, char **file) {
    le__io_place parsed;
    *file = NULL;
    le_status status = le__io_place_parse(place, &parsed);
    if (status != LE_OK)
        return status;
    *file = parsed.file;
    parsed.file = NULL;
    le__io_place_free(&parsed);
    return LE_OK;
}

bool le__io_names_dataset(const le__io_place *place) {
    return place->dataset && place->dataset[strspn(place->dataset, "/")];
}

bool le__io_is_gzip(const le__io_place *place) {
    size_t length = strlen(place->file);
    return length > 3 && strcasecmp(place->file + length - 3, ".gz") == 0;
}

bool le__io_is_beside(const char *name) {
    if (!*name || *name == '/')
        return false;
    for (const char *part = name; *part; part += strspn(part, "/")) {
        size_t n = strcspn(part, "/");
        if (n == 2 && !strncmp(part, "..", 2))
            return false;
        part += n;
    }
    return true;
}

char *le__io_beside(const char *file, const char *name) {
    const char *slash = strrchr(file, '/');
    char *path;
    return asprintf(&path, "%.*s%s", slash ? (int)(slash - file + 1) : 0, file, name) < 0 ? NULL
                                                                                          : path;
}

/* ---------------------------------------------------------------------------- numbered names -- */

/* Length of an integer conversion at p ("%d", "%03d", "%4i"), 0 when it is none. */
static size_t conversion_length(const char *p, bool *zero, int *width) {
    size_t n = 1;
    *zero = p[n] == '0';
    *width = 0;
    while (isdigit((unsigned char)p[n]) && n < 4)
        *width = *width * 10 + (p[n++] - '0');
    return p[n] == 'd' || p[n] == 'i' || p[n] == 'u' ? n + 1 : 0;
}

le_status le__io_name_check(const char *name, bool *has_number) {
    int found = 0, width;
    bool zero;
    for (const char *p = strchr(name, '%'); p; p = strchr(p, '%')) {
        size_t n = p[1] == '%' ? 2 : conversion_length(p, &zero, &width);
        if (n == 0)
            return le_fail(LE_ERR_ARGUMENT,
                           "%s: '%%' must begin one integer like %%d or %%02d, or be written %%%%",
                           name);
        found += p[1] != '%';
        p += n;
    }
    *has_number = found == 1;
    if (found > 1)
        return le_fail(LE_ERR_ARGUMENT, "%s: %d numbers in the name, at most one is expected", name,
                       found);
    return LE_OK;
}

char *le__io_name_number(const char *name, int64_t number) {
    size_t size = strlen(name) + 1024; /* widths have at most three digits */
    char *out = malloc(size), *to = out;
    if (!out)
        return NULL;
    while (*name) {
        bool zero = false;
        int width = 0;
        if (*name != '%') {
            *to++ = *name++;
        } else if (name[1] == '%') {
            *to++ = '%';
            name += 2;
        } else {
            name += conversion_length(name, &zero, &width);
            to += zero ? snprintf(to, size - (size_t)(to - out), "%0*lld", width, (long long)number)
                       : snprintf(to, size - (size_t)(to - out), "%*lld", width, (long long)number);
        }
    }
    *to = '\0';
    return out;
}

char *le__io_name_pattern(const char *name) {
    char *out = malloc(2 * strlen(name) + 1), *to = out;
    if (!out)
        return NULL;
    while (*name) {
        bool zero, number = name[0] == '%' && name[1] != '%';
        int width;
        if (!number && strchr("*?[]\\", *name))
            *to++ = '\\';
        *to++ = number ? '*' : *name;
        name += number ? conversion_length(name, &zero, &width) : name[0] == '%' ? 2 : 1;
    }
    *to = '\0';
    return out;
}

/* ------------------------------------------------------------------------------ selection -- */

le__io_slice le__io_slice_of(const le__io_range *r) {
    return (le__io_slice){.start = r->start,
                          .stop = r->start + (r->count ? (r->count - 1) * r->step + 1 : 0),
                          .step = r->step,
                          .has_start = true,
                          .has_stop = true,
                          .index = r->drop};
}

static int64_t clip_end(int64_t value, int64_t size) {
    if (value < 0)
        value += size; /* Python: from the end */
    return value < 0 ? 0 : value > size ? size : value;
}

static le_status select_axis(const char *text, int axis, const le__io_slice *s, int64_t size,
                             le__io_range *out) {
    if (s->index) {
        int64_t at = s->start < 0 ? s->start + size : s->start;
        if (at < 0 || at >= size)
            return le_fail(LE_ERR_SHAPE, "%s: index %lld is outside axis %d of size %lld", text,
                           (long long)s->start, axis, (long long)size);
        *out = (le__io_range){.start = at, .step = 1, .count = 1, .drop = true};
        return LE_OK;
    }
    int64_t start = s->has_start ? clip_end(s->start, size) : 0;
    int64_t stop = s->has_stop ? clip_end(s->stop, size) : size;
    int64_t count = stop > start ? (stop - start - 1) / s->step + 1 : 0;
    *out = (le__io_range){.start = start, .step = s->step, .count = count};
    return LE_OK;
}

le_status le__io_select(const le__io_place *place, int ndim, const int64_t *shape,
                        le__io_range *out) {
    int named = 0;
    for (int i = 0; i < place->n_slices; i++)
        named += !place->slices[i].ellipsis;
    if (named > ndim)
        return le_fail(LE_ERR_SHAPE, "%s: %d slices for a dataset of %d dimensions", place->text,
                       named, ndim);
    int axis = 0;
    for (int i = 0; i < place->n_slices; i++) {
        const le__io_slice *s = &place->slices[i];
        for (int k = ndim - named; s->ellipsis && k > 0; k--, axis++)
            out[axis] = (le__io_range){.step = 1, .count = shape[axis]};
        if (s->ellipsis)
            continue;
        le_status status = select_axis(place->text, axis, s, shape[axis], &out[axis]);
        if (status != LE_OK)
            return status;
        axis++;
    }
    for (; axis < ndim; axis++)
        out[axis] = (le__io_range){.step = 1, .count = shape[axis]};
    return LE_OK;
}
