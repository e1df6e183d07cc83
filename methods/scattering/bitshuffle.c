/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The container of bitshuffle's chunks. Sizes come from files: each is compared with what is left.
 */
#include "scattering/bitshuffle.h"

#include "scattering/lz4_block.h"

#include <lz4.h>
#include <string.h>
#include <zstd.h>

enum { HEADER = 12, LARGEST_BLOCK = 1 << 28 };

static const char no_lz4[] = "a block is no LZ4 data of its size";

const char *const le__sc_compressions[] = {"lz4", "zstd", "none", NULL};

uint64_t le__sc_big_endian(const uint8_t *p, int bytes) {
    uint64_t x = 0;
    for (int k = 0; k < bytes; k++)
        x = x << 8 | p[k];
    return x;
}

/* About 8 KiB, a multiple of eight elements. */
static int64_t usual_block(int64_t element) {
    const int64_t n = 8192 / element / 8 * 8;
    return n > 128 ? n : 128;
}

static int64_t whole_eights(int64_t n) {
    return n / 8 * 8;
}

static void count_blocks(const le__sc_format *f, le__sc_chunk *c) {
    c->blocks = f->elements / c->block + (f->elements % c->block >= 8);
}

static const char *open_plain(const le__sc_format *f, le__sc_chunk *c) {
    c->block = f->block ? f->block : usual_block(f->element);
    if (c->block < 8 || c->block % 8)
        return "the block is not a multiple of eight elements";
    count_blocks(f, c);
    if (c->size != f->elements * f->element)
        return "its size is not that of its elements";
    return NULL;
}

const char *le__sc_chunk_open(const le__sc_format *f, const uint8_t *bytes, int64_t size, bool raw,
                              le__sc_chunk *c) {
    *c = (le__sc_chunk){.bytes = bytes, .size = size, .raw = raw, .missing = size == 0};
    if (c->missing)
        return NULL;
    if (raw)
        return size == f->elements * f->element ? NULL : "its size is not that of its elements";
    if (f->compression == LE__SC_BITS_PLAIN)
        return open_plain(f, c);
    if (size < HEADER)
        return "it is shorter than its header";
    if (size > UINT32_MAX)
        return "it is larger than 4 GiB";
    if (le__sc_big_endian(bytes, 8) != (uint64_t)(f->elements * f->element))
        return "its header is of another size than the chunk";
    const int64_t block = (int64_t)le__sc_big_endian(bytes + 8, 4);
    c->block = block ? block / f->element : usual_block(f->element);
    if (block % (8 * f->element) || c->block < 8 || c->block * f->element > LARGEST_BLOCK)
        return "its block is not a multiple of eight elements";
    count_blocks(f, c);
    return NULL;
}

int64_t le__sc_block_first(const le__sc_chunk *c, int64_t k) {
    return k * c->block;
}

int64_t le__sc_block_count(const le__sc_format *f, const le__sc_chunk *c, int64_t k) {
    const int64_t left = f->elements - k * c->block;
    return left >= c->block ? c->block : whole_eights(left);
}

static int64_t tail_count(const le__sc_format *f) {
    return f->elements - whole_eights(f->elements);
}

const char *le__sc_chunk_scan(const le__sc_format *f, le__sc_chunk *c, uint32_t *starts) {
    if (c->raw || c->missing || f->compression == LE__SC_BITS_PLAIN)
        return NULL;
    const int64_t end = c->size - tail_count(f) * f->element;
    int64_t at = HEADER;
    for (int64_t k = 0; k < c->blocks; k++) {
        if (end - at < 4)
            return "it ends before its last block";
        const int64_t size = (int64_t)le__sc_big_endian(c->bytes + at, 4);
        at += 4;
        if (size > end - at)
            return "a block is larger than what is left";
        starts[k] = (uint32_t)at;
        at += size;
    }
    starts[c->blocks] = (uint32_t)at + 4; /* as if another block followed */
    if (at != end)
        return at < end ? "there are bytes behind its last block" : "its last elements are missing";
    c->starts = starts;
    return NULL;
}

/* Of its data, as they are stored. */
static int64_t block_size(const le__sc_chunk *c, int64_t k) {
    return (int64_t)c->starts[k + 1] - 4 - (int64_t)c->starts[k];
}

const uint8_t *le__sc_block_planes(const le__sc_format *f, const le__sc_chunk *c, int64_t k,
                                   uint8_t *space, const char **wrong) {
    const int64_t bytes = le__sc_block_count(f, c, k) * f->element;
    if (!c->starts)
        return c->bytes + le__sc_block_first(c, k) * f->element;
    const char *from = (const char *)c->bytes + c->starts[k];
    const int64_t size = block_size(c, k);
    if (f->compression == LE__SC_BITS_LZ4) {
        /* liblz4 takes an offset of 0, and gives what the memory held */
        if (le__sc_lz4_check(c->bytes + c->starts[k], size, bytes) &&
            LZ4_decompress_safe(from, (char *)space, (int)size, (int)bytes) == bytes)
            return space;
        *wrong = no_lz4;
        return NULL;
    }
    if (ZSTD_decompress(space, (size_t)bytes, from, (size_t)size) == (size_t)bytes)
        return space;
    *wrong = "a block is no zstd data of its size";
    return NULL;
}

const uint8_t *le__sc_block_low_planes(const le__sc_format *f, const le__sc_chunk *c, int64_t k,
                                       uint8_t *space, int64_t *low, const char **wrong) {
    const int64_t n = le__sc_block_count(f, c, k), bytes = n * f->element;
    int64_t used;
    *low = f->element;
    if (!c->starts || f->compression != LE__SC_BITS_LZ4)
        return le__sc_block_planes(f, c, k, space, wrong);
    if (!le__sc_lz4_decode(c->bytes + c->starts[k], block_size(c, k), space, bytes, &used)) {
        *wrong = no_lz4;
        return NULL;
    }
    *low = (used + n - 1) / n; /* n bytes are the eight planes of a byte */
    memset(space + used, 0, (size_t)(*low * n - used));
    return space;
}

const char *le__sc_blocks_check(const le__sc_format *f, const le__sc_chunk *c, int64_t first,
                                int64_t end) {
    for (int64_t k = first; k < end; k++)
        if (!le__sc_lz4_check(c->bytes + c->starts[k], block_size(c, k),
                              le__sc_block_count(f, c, k) * f->element))
            return no_lz4;
    return NULL;
}

const uint8_t *le__sc_chunk_tail(const le__sc_format *f, const le__sc_chunk *c, int64_t *first,
                                 int64_t *count) {
    *count = tail_count(f);
    *first = f->elements - *count;
    return c->bytes + c->size - *count * f->element;
}
