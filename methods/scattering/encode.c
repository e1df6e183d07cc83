/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Encoding chunks.
 */
#include "scattering/encode.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static int64_t block_of(const le__sc_format *f) {
    const int64_t n = 8192 / f->element / 8 * 8;
    return f->block ? f->block : n > 128 ? n : 128;
}

int64_t le__sc_encode_bound(const le__sc_format *f) {
    const int64_t bytes = f->elements * f->element, blocks = f->elements / block_of(f) + 1;
    return 12 + bytes + bytes / 100 + 700 * blocks;
}

static int64_t put_big_endian(uint8_t *out, uint64_t x, int bytes) {
    for (int k = 0; k < bytes; k++)
        out[k] = (uint8_t)(x >> 8 * (bytes - 1 - k));
    return bytes;
}

static void shuffle_bits(const uint8_t *in, int64_t n, int64_t element, uint8_t *planes) {
    memset(planes, 0, (size_t)(n * element));
    for (int64_t e = 0; e < n; e++)
        for (int64_t p = 0; p < 8 * element; p++)
            if (in[e * element + p / 8] >> p % 8 & 1)
                planes[p * (n / 8) + e / 8] |= (uint8_t)(1u << e % 8);
}

static int64_t compress(const le__sc_format *f, const uint8_t *planes, int64_t bytes,
                        uint8_t *out) {
    const int64_t room = bytes + bytes / 100 + 600;
    if (f->compression == LE__SC_BITS_ZSTD)
        return (int64_t)ZSTD_compress(out, (size_t)room, planes, (size_t)bytes, 1);
    return LZ4_compress_default((const char *)planes, (char *)out, (int)bytes, (int)room);
}

int64_t le__sc_encode(const le__sc_format *f, const void *elements, uint8_t *out) {
    const int64_t block = block_of(f);
    const bool plain = f->compression == LE__SC_BITS_PLAIN;
    uint8_t *planes = malloc((size_t)(block * f->element));
    int64_t at = 0, e = 0;
    if (!planes)
        return 0;
    if (!plain) {
        at += put_big_endian(out, (uint64_t)(f->elements * f->element), 8);
        at += put_big_endian(out + at, (uint64_t)(block * f->element), 4);
    }
    while (f->elements - e >= 8) {
        const int64_t left = (f->elements - e) / 8 * 8, n = left < block ? left : block;
        const int64_t bytes = n * f->element;
        shuffle_bits((const uint8_t *)elements + e * f->element, n, f->element, planes);
        int64_t size = bytes;
        if (plain)
            memcpy(out + at, planes, (size_t)bytes);
        else {
            size = compress(f, planes, bytes, out + at + 4);
            at += put_big_endian(out + at, (uint64_t)size, 4);
        }
        at += size;
        e += n;
    }
    const int64_t tail = (f->elements - e) * f->element;
    memcpy(out + at, (const uint8_t *)elements + e * f->element, (size_t)tail);
    free(planes);
    return at + tail;
}
