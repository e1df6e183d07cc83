/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Decompression: whole zlib blocks (libdeflate where the build has it: about twice zlib's speed)
 * and gzip streams from a file.
 */
#include "core/array.h"
#include "files/io.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#ifdef LE_WITH_LIBDEFLATE
#include <libdeflate.h>

bool le__io_inflate(const void *in, size_t in_bytes, void *out, size_t out_bytes) {
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    if (!d)
        return false;
    enum libdeflate_result r = libdeflate_zlib_decompress(d, in, in_bytes, out, out_bytes, NULL);
    libdeflate_free_decompressor(d);
    return r == LIBDEFLATE_SUCCESS; /* NULL above: fewer bytes than out_bytes are an error */
}
#else
bool le__io_inflate(const void *in, size_t in_bytes, void *out, size_t out_bytes) {
    uLongf got = out_bytes;
    return uncompress(out, &got, in, in_bytes) == Z_OK && got == out_bytes;
}
#endif

enum { GUNZIP_INPUT_BYTES = 256 << 10, GUNZIP_OUTPUT_STEP = 1 << 30 };

/* More input into the stream's buffer; false at the end of the file or on an error. */
static bool refill(z_stream *z, int fd, unsigned char *buffer, int64_t *offset) {
    ssize_t n;
    if (!le__ticker_look(le__ticker_here(), NAN))
        return false;
    do
        n = pread(fd, buffer, GUNZIP_INPUT_BYTES, *offset);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return false;
    *offset += n;
    z->next_in = buffer;
    z->avail_in = (uInt)n;
    return true;
}

static bool gunzip(z_stream *z, int fd, unsigned char *buffer, int64_t offset, int64_t left) {
    while (left > 0) {
        if (z->avail_in == 0 && !refill(z, fd, buffer, &offset))
            return false;
        uInt room = (uInt)(left < GUNZIP_OUTPUT_STEP ? left : GUNZIP_OUTPUT_STEP);
        z->avail_out = room;
        int r = inflate(z, Z_NO_FLUSH);
        left -= room - z->avail_out;
        if (r == Z_STREAM_END && left > 0)
            r = inflateReset(z); /* the next member of a concatenated file */
        if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
            return false;
    }
    return true;
}

le_status le__io_gunzip_file(int fd, const char *file, int64_t offset, void *out,
                             int64_t out_bytes) {
    unsigned char *buffer = malloc(GUNZIP_INPUT_BYTES);
    z_stream z = {.next_out = out};
    if (!buffer || inflateInit2(&z, 15 + 32) != Z_OK) { /* 32: zlib or gzip by the header */
        free(buffer);
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", file);
    }
    bool good = gunzip(&z, fd, buffer, offset, out_bytes);
    inflateEnd(&z);
    free(buffer);
    return good ? LE_OK
                : le_fail(LE_ERR_IO,
                          "%s: the compressed data is damaged or shorter than its header says",
                          file);
}

/* Twice the room, up to the limit; false when that is reached or memory has run out. */
static bool grow(void **data, size_t *room, int64_t limit) {
    size_t more = *room < (size_t)limit / 2 ? 2 * *room : (size_t)limit;
    if (more <= *room || !le__array_resize(data, more))
        return false;
    *room = more;
    return true;
}

/* All members, into memory that grows. */
static le_status gunzip_growing(z_stream *z, int fd, const char *file, int64_t limit, void **data,
                                size_t *size, unsigned char *buffer) {
    size_t room = *size;
    int64_t offset = 0;
    int r = Z_OK;
    *size = 0;
    while (z->avail_in > 0 || refill(z, fd, buffer, &offset)) {
        if (*size == room && !grow(data, &room, limit))
            return le_fail(LE_ERR_MEMORY, "%s: more than %lld bytes when inflated", file,
                           (long long)limit);
        size_t left = room - *size;
        z->next_out = (unsigned char *)*data + *size;
        z->avail_out = (uInt)(left < GUNZIP_OUTPUT_STEP ? left : GUNZIP_OUTPUT_STEP);
        uInt before = z->avail_out;
        if (r == Z_STREAM_END && *z->next_in != 0x1f)
            break; /* padding, as on tapes */
        if (r == Z_STREAM_END)
            inflateReset(z);
        r = inflate(z, Z_NO_FLUSH);
        *size += before - z->avail_out;
        if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
            break;
    }
    return r == Z_STREAM_END
               ? LE_OK
               : le_fail(LE_ERR_IO, "%s: the compressed data is damaged or cut", file);
}

le_status le__io_gunzip_all(int fd, const char *file, int64_t limit, void **data, size_t *size) {
    unsigned char *buffer = malloc(GUNZIP_INPUT_BYTES);
    z_stream z = {.next_out = NULL};
    *size = GUNZIP_INPUT_BYTES;
    *data = malloc(*size);
    if (!buffer || !*data || inflateInit2(&z, 15 + 16) != Z_OK) { /* 16: gzip */
        free(buffer);
        free(*data);
        *data = NULL;
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", file);
    }
    le_status status = gunzip_growing(&z, fd, file, limit, data, size, buffer);
    inflateEnd(&z);
    free(buffer);
    if (status != LE_OK) {
        free(*data);
        *data = NULL;
    }
    return status;
}
