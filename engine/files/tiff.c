/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * TIFF stacks: every page a frame. Pages must agree in size and type. ImageJ describes large
 * stacks, beyond 4 GiB, by the page of the first frame; the others lie behind it.
 */
#include "files/io.h"

#include "call/dtype.h"
#include "core/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef LE_WITH_TIFF

static le_status absent(const le__io_place *place) {
    return le_fail(LE_ERR_UNSUPPORTED, "%s: this library was built without libtiff", place->text);
}

le_status le__tiff_read(const le__io_request *r, le_tensor *out) {
    (void)out;
    return absent(r->place);
}

le_status le__tiff_write(const le__io_request *r, const le_tensor *t, const void *data) {
    (void)t, (void)data;
    return absent(r->place);
}

le_status le__tiff_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    (void)dtype, (void)ndim, (void)shape;
    return absent(place);
}

le_status le__tiff_stream_open(const le__io_request *r, le__tiff_stack **out,
                               le_io_stream_info *info) {
    (void)out, (void)info;
    return absent(r->place);
}

le_status le__tiff_stream_read(le__tiff_stack *s, int64_t first, int64_t count, void *data) {
    (void)s, (void)first, (void)count, (void)data;
    return LE_ERR_UNSUPPORTED;
}

void le__tiff_stream_close(le__tiff_stack *s) {
    (void)s;
}

#else

#include <tiffio.h>

static const int64_t CLASSIC_BYTES_MAX = 4000000000; /* beyond, offsets need BigTIFF */

typedef struct page {
    le_dtype type;
    uint32_t height, width;
    uint16_t channels;
} page;

struct le__tiff_stack {
    TIFF *tiff;
    char *file;
    page first;
    le_dtype dtype;     /* what is read becomes */
    int64_t pages, at;  /* at: the page that the library stands on */
    int64_t page_bytes; /* as stored */
    int64_t size;       /* of the file */
    void *block;        /* one strip or tile */
    tmsize_t block_size;
    int fd;         /* of the same file */
    int64_t behind; /* where the first of frames begins that lie one behind the other; 0: pages */
    int64_t max_bytes;
    char problem[200];
};

/* ------------------------------------------------------------------------- error reporting -- */

static int note_problem(TIFF *tiff, void *cookie, const char *module, const char *format,
                        va_list args) {
    le__tiff_stack *s = cookie;
    (void)tiff, (void)module;
    vsnprintf(s->problem, sizeof s->problem, format, args);
    return 1;
}

static int ignore(TIFF *tiff, void *cookie, const char *module, const char *format, va_list args) {
    (void)tiff, (void)cookie, (void)module, (void)format, (void)args;
    return 1;
}

#if TIFFLIB_VERSION >= 20221213
static TIFF *open_tiff(le__tiff_stack *s, const char *path, const char *mode) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, note_problem, s);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore, s);
    if (s->max_bytes < INT64_MAX / 2)
        TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)s->max_bytes);
    TIFF *tiff = TIFFOpenExt(path, mode, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}
#else
/* Before 4.5 the handlers are the process's: they can only be silenced. */
static TIFF *open_tiff(le__tiff_stack *s, const char *path, const char *mode) {
    (void)note_problem, (void)ignore, (void)s;
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    return TIFFOpen(path, mode);
}
#endif

static le_status fail(const le__tiff_stack *s, const char *what) {
    return le_fail(LE_ERR_IO, "%s: %s%s%s", s->file, what, *s->problem ? ": " : "", s->problem);
}

/* --------------------------------------------------------------------------------- reading -- */

static bool page_type(uint16_t format, uint16_t bits, le_dtype *out) {
    bool is_float = format == SAMPLEFORMAT_IEEEFP, is_signed = format == SAMPLEFORMAT_INT;
    if (!is_float && !is_signed && format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID)
        return false;
    switch (bits) {
    case 8:
        *out = is_signed ? LE_I8 : LE_U8;
        return !is_float;
    case 16:
        *out = is_signed ? LE_I16 : LE_U16;
        return !is_float;
    case 32:
        *out = is_float ? LE_F32 : is_signed ? LE_I32 : LE_U32;
        return true;
    case 64:
        *out = is_float ? LE_F64 : is_signed ? LE_I64 : LE_U64;
        return true;
    default:
        return false;
    }
}

static le_status read_page_info(le__tiff_stack *s, page *p) {
    uint16_t bits = 1, format = SAMPLEFORMAT_UINT, planar = PLANARCONFIG_CONTIG, kind = 0;
    uint32_t depth = 1;
    *p = (page){.height = 0};
    TIFFGetField(s->tiff, TIFFTAG_IMAGEWIDTH, &p->width);
    TIFFGetField(s->tiff, TIFFTAG_IMAGELENGTH, &p->height);
    TIFFGetFieldDefaulted(s->tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(s->tiff, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(s->tiff, TIFFTAG_SAMPLESPERPIXEL, &p->channels);
    TIFFGetFieldDefaulted(s->tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(s->tiff, TIFFTAG_IMAGEDEPTH, &depth);
    TIFFGetField(s->tiff, TIFFTAG_PHOTOMETRIC, &kind);
    if (p->width == 0 || p->height == 0 || p->channels == 0)
        return fail(s, "a page without size");
    if (!page_type(format, bits, &p->type))
        return le_fail(LE_ERR_DTYPE,
                       "%s: %u-bit samples of format %u; expected 8 to 64-bit integers "
                       "or 32 and 64-bit floats",
                       s->file, (unsigned)bits, (unsigned)format);
    if ((planar != PLANARCONFIG_CONTIG && p->channels > 1) || kind == PHOTOMETRIC_PALETTE ||
        kind == PHOTOMETRIC_YCBCR)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "%s: separate colour planes, palettes and YCbCr are not "
                       "supported",
                       s->file);
    if (depth > 1)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "%s: a page of %u planes (ImageDepth); expected a page for each plane",
                       s->file, (unsigned)depth);
    return LE_OK;
}

/* How many bytes of a page one byte of the file may stand for: of zstd's blocks of 128 KiB four may
 * do, and a file of zeros by LZMA has 1 in 7,000; older compressions stay far below 4,096. */
static int64_t most_expansion(const le__tiff_stack *s) {
    enum { LZMA = 34925, ZSTD = 50000 }; /* not in the headers of all versions */
    uint16_t compression = COMPRESSION_NONE;
    TIFFGetField(s->tiff, TIFFTAG_COMPRESSION, &compression);
    return compression == LZMA || compression == ZSTD ? 65536 : 4096;
}

/* The pages that are read before the first one whose data do not all lie in the file. */
static int64_t count_whole(le__tiff_stack *s) {
    const uint64_t size = (uint64_t)s->size;
    for (int64_t n = 0; n < s->pages; n++) {
        if (!(n ? TIFFReadDirectory(s->tiff) : TIFFSetDirectory(s->tiff, 0)))
            return n;
        const uint32_t pieces =
            TIFFIsTiled(s->tiff) ? TIFFNumberOfTiles(s->tiff) : TIFFNumberOfStrips(s->tiff);
        for (uint32_t k = 0; k < pieces; k++) {
            const uint64_t at = TIFFGetStrileOffset(s->tiff, k);
            if (at > size || TIFFGetStrileByteCount(s->tiff, k) > size - at)
                return n;
        }
    }
    return s->pages;
}

/* The library stands elsewhere afterwards. */
static le_status fail_at(le__tiff_stack *s, int64_t number, const char *what) {
    char problem[sizeof s->problem];
    memcpy(problem, s->problem, sizeof problem);
    const int64_t whole = count_whole(s);
    s->at = INT64_MAX; /* the next reader sets it */
    return le_fail(LE_ERR_IO, "%s: page %lld %s; the file holds %lld whole page%s before its end%s%s",
                   s->file, (long long)number, what, (long long)whole, whole == 1 ? "" : "s",
                   *problem ? ": " : "", problem);
}

static le_status copy_blocks(le__tiff_stack *s, const page *p, char *data, bool tiled) {
    uint32_t bw = p->width, bh = p->height;
    if (tiled) {
        TIFFGetField(s->tiff, TIFFTAG_TILEWIDTH, &bw);
        TIFFGetField(s->tiff, TIFFTAG_TILELENGTH, &bh);
    } else {
        TIFFGetFieldDefaulted(s->tiff, TIFFTAG_ROWSPERSTRIP, &bh);
    }
    if (bw == 0 || bh == 0)
        return fail(s, "a page without rows");
    int64_t pixel = (int64_t)le_dtype_size(p->type) * p->channels;
    for (uint32_t y = 0; y < p->height; y += bh < p->height - y ? bh : p->height - y) {
        for (uint32_t x = 0; x < p->width; x += bw < p->width - x ? bw : p->width - x) {
            int64_t rows = p->height - y < bh ? p->height - y : bh;
            int64_t line = (p->width - x < bw ? p->width - x : bw) * pixel;
            tmsize_t got = tiled
                               ? TIFFReadEncodedTile(s->tiff, TIFFComputeTile(s->tiff, x, y, 0, 0),
                                                     s->block, s->block_size)
                               : TIFFReadEncodedStrip(s->tiff, TIFFComputeStrip(s->tiff, y, 0),
                                                      s->block, s->block_size);
            if (got < (rows - 1) * bw * pixel + line)
                return fail_at(s, s->at, "is damaged or truncated");
            for (int64_t k = 0; k < rows; k++)
                memcpy(data + ((y + k) * p->width + x) * pixel, (char *)s->block + k * bw * pixel,
                       (size_t)line);
        }
    }
    return LE_OK;
}

/* The page that the library stands on, into page_bytes bytes of the machine's byte order. */
static le_status read_page(le__tiff_stack *s, char *data) {
    page p;
    le_status status = read_page_info(s, &p);
    if (status != LE_OK)
        return status;
    if (p.type != s->first.type || p.height != s->first.height || p.width != s->first.width ||
        p.channels != s->first.channels)
        return le_fail(LE_ERR_SHAPE, "%s: page %lld differs from the first in size or type",
                       s->file, (long long)s->at);
    bool tiled = TIFFIsTiled(s->tiff) != 0;
    tmsize_t block = tiled ? TIFFTileSize(s->tiff) : TIFFStripSize(s->tiff);
    if (block <= 0 || block > s->max_bytes)
        return fail(s, "absurd strips or tiles");
    if (block > s->block_size) {
        free(s->block);
        s->block_size = 0;
        s->block = malloc((size_t)block);
        if (!s->block)
            return le_fail(LE_ERR_MEMORY, "%s: out of memory", s->file);
        s->block_size = block;
    }
    return copy_blocks(s, &p, data, tiled);
}

/* Whether the file ends before the place of the page that follows, which libtiff takes for none. */
static bool lacks_next(const le__tiff_stack *s) {
    const off_t at = (off_t)TIFFCurrentDirOffset(s->tiff);
    unsigned char head[4], count[8];
    if (pread(s->fd, head, 4, 0) != 4)
        return true;
    const bool last_first = head[0] == 'I', wide = head[last_first ? 2 : 3] == 43; /* BigTIFF */
    const int bytes = wide ? 8 : 2;
    if (pread(s->fd, count, (size_t)bytes, at) != bytes)
        return true;
    int64_t tags = 0;
    for (int k = 0; k < bytes; k++)
        tags = (tags & 0xffffff) << 8 | count[last_first ? bytes - 1 - k : k];
    return s->size < at + (wide ? 8 + 20 * tags + 8 : 2 + 12 * tags + 4);
}

/* Of a file that is cut off the tags of a page are missing whose place another page knows. */
static le_status count_pages(le__tiff_stack *s) {
    for (s->pages = 1; !TIFFLastDirectory(s->tiff); s->pages++)
        if (!TIFFReadDirectory(s->tiff))
            return fail_at(s, s->pages, "cannot be found");
    return lacks_next(s) ? fail_at(s, s->pages, "cannot be found") : LE_OK;
}

/* As ImageJ's description of a stack has it; 1: there is none. */
static int64_t images_of(TIFF *tiff) {
    const char *text = NULL, *images;
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) || strncmp(text, "ImageJ=", 7) != 0)
        return 1;
    images = strstr(text, "\nimages=");
    return images ? strtoll(images + strlen("\nimages="), NULL, 10) : 1;
}

/* Where the bytes of the page begin that lie there as they are, one strip behind the other; 0: they
 * do not. */
static int64_t plain_bytes_of(TIFF *tiff) {
    uint16_t compression = COMPRESSION_NONE;
    uint64_t *at = NULL;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (compression != COMPRESSION_NONE || TIFFIsTiled(tiff) ||
        !TIFFGetField(tiff, TIFFTAG_STRIPOFFSETS, &at) || !at || at[0] > INT64_MAX)
        return 0;
    for (uint64_t k = 1; k < TIFFNumberOfStrips(tiff); k++)
        if (at[k] != at[0] + k * (uint64_t)TIFFStripSize(tiff))
            return 0;
    return (int64_t)at[0];
}

static le_status find_frames_behind(le__tiff_stack *s, int64_t size) {
    const int64_t n = images_of(s->tiff), at = s->pages == 1 && n > 1 ? plain_bytes_of(s->tiff) : 0;
    if (s->pages > 1 || n <= 1)
        return LE_OK;
    if (at == 0)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "%s: %lld images by its ImageJ description, but one page, behind which the "
                       "others cannot lie: it is compressed or in pieces",
                       s->file, (long long)n);
    if (n > (size - at) / s->page_bytes)
        return le_fail(LE_ERR_IO,
                       "%s: %lld images by its ImageJ description, but one page, and the file ends "
                       "behind %lld whole ones",
                       s->file, (long long)n, (long long)((size - at) / s->page_bytes));
    s->pages = n;
    s->behind = at;
    return LE_OK;
}

static le_status open_stack(const char *file, int64_t max_bytes, uint32_t dtypes,
                            le__tiff_stack **out) {
    int64_t size;
    int fd = le__io_open(file, &size); /* refuses what is not a regular file */
    if (fd < 0)
        return LE_ERR_IO;
    le__tiff_stack *s = calloc(1, sizeof *s);
    if (!s || !(s->file = strdup(file))) {
        free(s);
        close(fd);
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", file);
    }
    s->fd = fd;
    s->size = size;
    s->max_bytes = max_bytes;
    s->tiff = open_tiff(s, file, "rm"); /* m: no memory map, so truncation cannot raise SIGBUS */
    le_status status = s->tiff ? read_page_info(s, &s->first) : fail(s, "cannot be opened as TIFF");
    if (status == LE_OK)
        status = count_pages(s);
    if (status == LE_OK) {
        s->dtype = le__dtype_nearest(s->first.type, dtypes);
        s->page_bytes = (int64_t)le_dtype_size(s->first.type) * s->first.channels;
        if (__builtin_mul_overflow(s->page_bytes, (int64_t)s->first.height, &s->page_bytes) ||
            __builtin_mul_overflow(s->page_bytes, (int64_t)s->first.width, &s->page_bytes) ||
            s->page_bytes / most_expansion(s) > size)
            status =
                le_fail(LE_ERR_IO,
                        "%s: pages of %u x %u pixels in a file of %lld bytes, which no "
                        "compression makes so small",
                        file, (unsigned)s->first.width, (unsigned)s->first.height, (long long)size);
    }
    if (status == LE_OK && !TIFFSetDirectory(s->tiff, 0))
        status = fail(s, "the first page cannot be read");
    if (status == LE_OK)
        status = find_frames_behind(s, size);
    if (status == LE_OK)
        *out = s;
    else
        le__tiff_stream_close(s);
    return status;
}

static void stack_shape(const le__tiff_stack *s, le_dtype *dtype, int *ndim, int64_t *shape) {
    *dtype = s->dtype;
    *ndim = s->first.channels > 1 ? 4 : 3;
    shape[0] = s->pages;
    shape[1] = s->first.height;
    shape[2] = s->first.width;
    shape[3] = s->first.channels;
}

/* One colour image is no stack. */
static void image_shape(const le__tiff_stack *s, le_dtype *dtype, int *ndim, int64_t *shape) {
    stack_shape(s, dtype, ndim, shape);
    if (s->pages == 1 && s->first.channels >= 3) {
        memmove(shape, shape + 1, 3 * sizeof *shape);
        *ndim = 3;
    }
}

le_status le__tiff_stream_open(const le__io_request *r, le__tiff_stack **out,
                               le_io_stream_info *info) {
    le_status status = open_stack(r->place->file, r->max_bytes, r->dtypes, out);
    if (status != LE_OK)
        return status;
    stack_shape(*out, &info->dtype, &info->ndim, info->shape);
    info->block = 1;
    return LE_OK;
}

static le_status read_behind(le__tiff_stack *s, int64_t first, int64_t count, char *data) {
    const le__io_parallel alone = le__io_parallel_of(NULL);
    const int64_t elements = s->page_bytes / (int64_t)le_dtype_size(s->first.type) * count;
    const int64_t wide = elements * (int64_t)le_dtype_size(s->dtype), bytes = s->page_bytes * count;
    le_status status = le__io_pread(&alone, s->fd, s->file, s->behind + first * s->page_bytes,
                                    data + (wide - bytes), bytes);
    if (status == LE_OK)
        le__io_convert(data, elements, s->first.type, s->dtype, TIFFIsByteSwapped(s->tiff));
    return status;
}

le_status le__tiff_stream_read(le__tiff_stack *s, int64_t first, int64_t count, void *data) {
    int64_t elements = s->page_bytes / (int64_t)le_dtype_size(s->first.type);
    int64_t wide = elements * (int64_t)le_dtype_size(s->dtype);
    if (s->behind)
        return read_behind(s, first, count, data);
    if (s->at > first) {
        if (!TIFFSetDirectory(s->tiff, 0))
            return fail(s, "the first page cannot be read");
        s->at = 0;
    }
    for (int64_t i = 0; i < count; i++) {
        if (!le__ticker_look(le__ticker_here(), (double)i / (double)count))
            return le__ticker_fail(s->file);
        for (; s->at < first + i; s->at++)
            if (!TIFFReadDirectory(s->tiff))
                return fail_at(s, s->at + 1, "cannot be found");
        char *to = (char *)data + i * wide;
        le_status status = read_page(s, to + (wide - s->page_bytes));
        if (status != LE_OK)
            return status;
        /* libtiff swaps bytes itself */
        le__io_convert(to, elements, s->first.type, s->dtype, false);
    }
    return LE_OK;
}

void le__tiff_stream_close(le__tiff_stack *s) {
    if (!s)
        return;
    if (s->tiff)
        TIFFClose(s->tiff);
    close(s->fd);
    free(s->block);
    free(s->file);
    free(s);
}

le_status le__tiff_peek(const le__io_place *place, le_dtype *dtype, int *ndim, int64_t *shape) {
    le__tiff_stack *s;
    le_status status = open_stack(place->file, INT64_MAX, 0, &s);
    if (status != LE_OK)
        return status;
    image_shape(s, dtype, ndim, shape);
    le__tiff_stream_close(s);
    return LE_OK;
}

le_status le__tiff_read(const le__io_request *r, le_tensor *out) {
    le__tiff_stack *s;
    le_dtype dtype;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    le_status status = open_stack(r->place->file, r->max_bytes, r->dtypes, &s);
    if (status != LE_OK)
        return status;
    image_shape(s, &dtype, &ndim, shape);
    status = le__io_room(out, r->place->text, dtype, ndim, shape, r->max_bytes);
    if (status == LE_OK)
        status = le__tiff_stream_read(s, 0, s->pages, out->data);
    le__tiff_stream_close(s);
    return status;
}

/* --------------------------------------------------------------------------------- writing -- */

typedef struct frames {
    int64_t count, height, width, channels;
    const char *data;
    tmsize_t bytes; /* a frame, which is in memory */
} frames;

static bool write_frame(TIFF *tiff, le_dtype dtype, const frames *f, int64_t k) {
    le_dtype_kind kind = le_dtype_kind_of(dtype);
    uint16_t format = kind == LE_DTYPE_KIND_FLOAT    ? SAMPLEFORMAT_IEEEFP
                      : kind == LE_DTYPE_KIND_SIGNED ? SAMPLEFORMAT_INT
                                                     : SAMPLEFORMAT_UINT;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)f->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)f->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, (int)(8 * le_dtype_size(dtype)));
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, (int)format);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, (int)f->channels);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                 f->channels >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)f->height);
    if (f->channels == 4) {
        uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    }
    /* libtiff only reads from the buffer: it copies what it must swap */
    return TIFFWriteEncodedStrip(tiff, 0, (char *)(uintptr_t)(f->data + k * f->bytes), f->bytes) >=
               0 &&
           TIFFWriteDirectory(tiff);
}

static bool split_frames(const le_tensor *t, const void *data, frames *f) {
    int last = t->ndim - 1;
    if (t->ndim < 2 || t->ndim > 4 || (t->ndim == 4 && (t->shape[3] < 1 || t->shape[3] > 4)))
        return false;
    bool image = t->ndim == 3 && (t->shape[2] == 3 || t->shape[2] == 4); /* as in PNG */
    bool colour = t->ndim == 4 || image;
    f->channels = colour ? t->shape[last--] : 1;
    f->width = t->shape[last];
    f->height = t->shape[last - 1];
    f->count = t->ndim == 2 || image ? 1 : t->shape[0];
    f->data = data;
    f->bytes = (tmsize_t)(f->height * f->width * f->channels * (int64_t)le_dtype_size(t->dtype));
    return f->count > 0 && f->bytes > 0 && f->height <= INT32_MAX && f->width <= INT32_MAX;
}

le_status le__tiff_write(const le__io_request *r, const le_tensor *t, const void *data) {
    frames f;
    le__outfile temp;
    char text[128];
    le_tensor_describe(t, text, sizeof text);
    if (le_dtype_kind_of(t->dtype) == LE_DTYPE_KIND_COMPLEX)
        return le_fail(LE_ERR_DTYPE,
                       "%s: %s; TIFF takes integers and floats, HDF5, NRRD and raw files take "
                       "complex numbers",
                       r->place->text, text);
    if (!split_frames(t, data, &f))
        return le_fail(LE_ERR_SHAPE,
                       "%s: %s; TIFF takes [h,w], [h,w,3], [h,w,4], [frames,h,w] or "
                       "[frames,h,w,channels]",
                       r->place->text, text);
    le_status status = r->looks ? LE_OK : le__io_temp_open(r->place->file, false, &temp);
    if (status != LE_OK || r->looks)
        return status;
    char path[64]; /* the file has no name yet */
    snprintf(path, sizeof path, LE__OS_OPEN_FILES "/%d", temp.fd);
    le__tiff_stack s = {.file = r->place->file, .max_bytes = INT64_MAX};
    errno = 0;
    s.tiff = open_tiff(&s, path, f.bytes > CLASSIC_BYTES_MAX / f.count ? "w8" : "w");
    bool good = s.tiff != NULL;
    for (int64_t k = 0; good && k < f.count; k++)
        good = le__ticker_look(le__ticker_here(), (double)k / (double)f.count) &&
               write_frame(s.tiff, t->dtype, &f, k);
    good = good && TIFFFlush(s.tiff);
    int error = errno;
    if (s.tiff)
        TIFFClose(s.tiff);
    if (good)
        return le__io_temp_commit(r->place->file, &temp);
    status = le__io_system_error(s.file, error);
    if (status == LE_OK)
        status = fail(&s, "cannot be written");
    le__outfile_abandon(&temp);
    return status;
}
#endif
