/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chunks of the HDF5 filter 32008 (bitshuffle, with LZ4, zstd or nothing), block by block.
 *
 * A chunk with LZ4 or zstd: u64 bytes when decoded, u32 bytes of a block, both big endian; then
 * every block with its u32 size before it. Blocks hold bit planes: bit b of byte k of all their
 * elements, then bit b + 1. The last block may be short, a multiple of eight elements; what is left
 * lies behind it as it is. Without compression there are no header and no sizes. Everything is
 * checked: a chunk that passes lies within its bytes and fills its elements, no more and no less.
 */
#ifndef LE_SCATTERING_BITSHUFFLE_H
#define LE_SCATTERING_BITSHUFFLE_H

#include "liquid_engine/le_method.h"

typedef enum le__sc_compression {
    LE__SC_BITS_LZ4,
    LE__SC_BITS_ZSTD,
    LE__SC_BITS_PLAIN
} le__sc_compression;

extern const char *const le__sc_compressions[]; /* names, NULL-ended */

typedef struct le__sc_format {
    le__sc_compression compression;
    int64_t element;  /* bytes */
    int64_t elements; /* of a chunk */
    int64_t block;    /* elements of a block, where there is no header; 0: the filter's own */
} le__sc_format;

typedef struct le__sc_chunk {
    const uint8_t *bytes;
    int64_t size;
    bool raw; /* the filter was skipped: one block, of elements as they are */
    bool missing; /* never written: no bytes */
    int64_t block, blocks;  /* elements of a full block; how many blocks */
    const uint32_t *starts; /* of the blocks' data, and the end of the last; NULL: one after the other */
} le__sc_chunk;

/* An unsigned number of so many bytes, its highest first. */
uint64_t le__sc_big_endian(const uint8_t *p, int bytes);

/* Reads the header. Returns NULL, or what is wrong (static text). */
const char *le__sc_chunk_open(const le__sc_format *format, const uint8_t *bytes, int64_t size,
                              bool raw, le__sc_chunk *out);
/* Finds the blocks: starts has room for blocks + 1. Returns NULL, or what is wrong. */
const char *le__sc_chunk_scan(const le__sc_format *format, le__sc_chunk *chunk, uint32_t *starts);

/* Elements of block k, and where they begin in the chunk. */
int64_t le__sc_block_first(const le__sc_chunk *chunk, int64_t k);
int64_t le__sc_block_count(const le__sc_format *format, const le__sc_chunk *chunk, int64_t k);
/* The bit planes of block k: in the chunk, or decompressed into `space` of so many bytes. NULL:
 * *wrong says what is wrong. */
const uint8_t *le__sc_block_planes(const le__sc_format *format, const le__sc_chunk *chunk,
                                   int64_t k, uint8_t *space, const char **wrong);
/* The same, without what is zero: of each element only the first *low bytes have planes that are not,
 * and only these are there. */
const uint8_t *le__sc_block_low_planes(const le__sc_format *format, const le__sc_chunk *chunk,
                                       int64_t k, uint8_t *space, int64_t *low,
                                       const char **wrong);
/* Whether blocks [first, end) of a chunk with LZ4 can be decompressed: what is wrong, or NULL. */
const char *le__sc_blocks_check(const le__sc_format *format, const le__sc_chunk *chunk,
                                int64_t first, int64_t end);
/* The elements behind the last block: fewer than eight. */
const uint8_t *le__sc_chunk_tail(const le__sc_format *format, const le__sc_chunk *chunk,
                                 int64_t *first, int64_t *count);

#endif
