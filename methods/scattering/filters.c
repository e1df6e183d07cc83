/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The HDF5 filters 32008 (bitshuffle) and 32004 (LZ4), chunk by chunk, for readers of files.
 */
#include "scattering/bitshuffle.h"
#include "scattering/lz4_block.h"
#include "scattering/unshuffle.h"

#include <lz4.h>
#include <stdlib.h>

/* --------------------------------------------------------------------------------- bitshuffle -- */

/* Values of the filter: 2 bytes of an element, 3 elements of a block, 4 compression. */
static bool format_of(const uint32_t *values, size_t n, int64_t bytes, le__sc_format *out) {
    const uint32_t kind = n > 4 ? values[4] : 0;
    if (n < 3 || values[2] == 0 || bytes % values[2])
        return false;
    *out = (le__sc_format){.compression = kind == 2   ? LE__SC_BITS_LZ4
                                          : kind == 3 ? LE__SC_BITS_ZSTD
                                                      : LE__SC_BITS_PLAIN,
                           .element = values[2],
                           .elements = bytes / values[2],
                           .block = kind == 0 && n > 3 ? values[3] : 0};
    return kind == 0 || kind == 2 || kind == 3;
}

static int64_t bits_decoded(const uint32_t *values, size_t n, const uint8_t *in, int64_t bytes) {
    if (n <= 4 || values[4] == 0)
        return bytes;
    const uint64_t out = bytes < 12 ? 0 : le__sc_big_endian(in, 8);
    return out > 0 && out <= UINT32_MAX ? (int64_t)out : -1;
}

static const char *decode_blocks(const le__sc_format *f, const le__sc_chunk *c, uint8_t *space,
                                 uint8_t *out) {
    const char *wrong = NULL;
    for (int64_t k = 0; k < c->blocks && !wrong; k++) {
        const int64_t count = le__sc_block_count(f, c, k);
        const uint8_t *planes = le__sc_block_planes(f, c, k, space, &wrong);
        if (!wrong)
            unshuffle(planes, count, f->element, f->element,
                      out + le__sc_block_first(c, k) * f->element);
    }
    if (!wrong) {
        int64_t first, count;
        const uint8_t *tail = le__sc_chunk_tail(f, c, &first, &count);
        memcpy(out + first * f->element, tail, (size_t)(count * f->element));
    }
    return wrong;
}

static const char *bits_decode(const uint32_t *values, size_t n, const uint8_t *in, int64_t bytes,
                               uint8_t *out, int64_t out_bytes) {
    le__sc_format f;
    le__sc_chunk c;
    if (!format_of(values, n, out_bytes, &f))
        return "the filter's values are none that are known";
    const char *wrong = le__sc_chunk_open(&f, in, bytes, false, &c);
    if (wrong)
        return wrong;
    const int64_t block = c.block < f.elements ? c.block : f.elements;
    uint32_t *starts = malloc((size_t)(c.blocks + 1) * sizeof *starts);
    uint8_t *space = malloc((size_t)(block * f.element) + 1);
    wrong = starts && space ? le__sc_chunk_scan(&f, &c, starts) : "no memory";
    if (!wrong)
        wrong = decode_blocks(&f, &c, space, out);
    free(starts);
    free(space);
    return wrong;
}

extern const le_filter le_filter_bitshuffle;
const le_filter le_filter_bitshuffle = {
    .id = 32008, .name = "bitshuffle", .decoded = bits_decoded, .decode = bits_decode};

/* ---------------------------------------------------------------------------------------- LZ4 -- */

enum { HEADER = 12 };

/* u64 bytes when decoded, u32 bytes of a block, both big endian; then blocks behind their sizes. A
 * block that would not shrink is stored as it is. */
static int64_t lz4_decoded(const uint32_t *values, size_t n, const uint8_t *in, int64_t bytes) {
    (void)values, (void)n;
    const uint64_t out = bytes < HEADER ? 0 : le__sc_big_endian(in, 8);
    return out > 0 && out <= UINT32_MAX ? (int64_t)out : -1;
}

static const char *lz4_decode(const uint32_t *values, size_t n, const uint8_t *in, int64_t bytes,
                              uint8_t *out, int64_t out_bytes) {
    (void)values, (void)n;
    const int64_t block = (int64_t)le__sc_big_endian(in + 8, 4);
    int64_t at = HEADER;
    if (block == 0 || block > INT32_MAX)
        return "its blocks are of no size that is possible";
    for (int64_t done = 0; done < out_bytes; done += block) {
        const int64_t wanted = out_bytes - done < block ? out_bytes - done : block;
        const int64_t size = bytes - at < 4 ? INT64_MAX : (int64_t)le__sc_big_endian(in + at, 4);
        at += 4;
        if (size > bytes - at)
            return "a block is larger than what is left";
        if (size == wanted)
            memcpy(out + done, in + at, (size_t)wanted);
        else if (!le__sc_lz4_check(in + at, size, wanted) ||
                 LZ4_decompress_safe((const char *)in + at, (char *)out + done, (int)size,
                                     (int)wanted) != wanted)
            return "a block is no LZ4 data of its size";
        at += size;
    }
    return at == bytes ? NULL : "there are bytes behind its last block";
}

extern const le_filter le_filter_lz4;
const le_filter le_filter_lz4 = {
    .id = 32004, .name = "LZ4", .decoded = lz4_decoded, .decode = lz4_decode};
