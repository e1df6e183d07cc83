/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The stored chunks of a call: their arguments, and where their blocks are.
 */
#ifndef LE_SCATTERING_STORED_H
#define LE_SCATTERING_STORED_H

#include <stdatomic.h>

#include "scattering/bitshuffle.h"

/* Indices of the arguments, which operations number as they like. */
typedef struct le__sc_stored_args {
    int bytes, offsets, skipped, chunk, type, big_endian, compression, block, fill, bad;
} le__sc_stored_args;

extern const char *const le__sc_element_types[]; /* names, NULL-ended */
extern const char *const le__sc_bad_words[];     /* refuse, skip */

#define LE__SC_STORED_OFFSETS                                                                      \
    {                                                                                              \
        .name = "offsets", .doc = "where each chunk begins in the bytes, and the end of the last", \
        .type = LE_TYPE_IN, .dtypes = LE_DTYPE_BIT(LE_I64), .min_ndim = 1, .max_ndim = 1,          \
        .shape = "[n+1]"                                                                           \
    }
#define LE__SC_STORED_BYTES(the_name)                                                              \
    {                                                                                              \
        .name = the_name, .doc = "stored chunks, one after the other", .type = LE_TYPE_IN,         \
        .dtypes = LE_DTYPE_BIT(LE_U8), .min_ndim = 1, .max_ndim = 1, .shape = "[bytes]",           \
        .elastic = 1                                                                               \
    }
#define LE__SC_STORED_SKIPPED                                                                      \
    {                                                                                              \
        .name = "skipped",                                                                         \
        .doc = "of each chunk: 0, the filters it was stored without, or that it is unreadable",    \
        .type = LE_TYPE_IN, .optional = true, .dtypes = LE_DTYPE_BIT(LE_U32), .min_ndim = 1,       \
        .max_ndim = 1, .shape = "[n]"                                                              \
    }
#define LE__SC_STORED_CHUNK                                                                        \
    {                                                                                              \
        .name = "chunk", .doc = "elements of a chunk along each axis", .type = LE_TYPE_F64S,       \
        .cost = true, .min_count = 1, .max_count = LE_MAX_DIMS, .min = 1, .max = 1e9               \
    }
#define LE__SC_STORED_TYPE                                                                         \
    {                                                                                              \
        .name = "type", .doc = "of the elements", .type = LE_TYPE_STR, .optional = true,           \
        .cost = true, .words = le__sc_element_types, .default_str = "u32"                          \
    }
#define LE__SC_STORED_BIG_ENDIAN                                                                   \
    {                                                                                              \
        .name = "big_endian", .doc = "1: elements have their highest byte first",                  \
        .type = LE_TYPE_I64, .optional = true, .has_default = true, .cost = true, .min = 0,        \
        .max = 1                                                                                   \
    }
#define LE__SC_STORED_COMPRESSION                                                                  \
    {                                                                                              \
        .name = "compression", .doc = "of the blocks, inside of filter 32008",                     \
        .type = LE_TYPE_STR, .optional = true, .cost = true, .words = le__sc_compressions,         \
        .default_str = "lz4"                                                                       \
    }
#define LE__SC_STORED_BLOCK                                                                        \
    {                                                                                              \
        .name = "block", .doc = "elements of a block without compression; 0: the filter's own",    \
        .type = LE_TYPE_I64, .optional = true, .has_default = true, .min = 0, .max = 1 << 28       \
    }
#define LE__SC_STORED_FILL                                                                         \
    {                                                                                              \
        .name = "fill",                                                                            \
        .doc = "value of chunks that were never written (no bytes); absent: these are bad",        \
        .type = LE_TYPE_F64, .optional = true                                                      \
    }
#define LE__SC_STORED_BAD(the_name)                                                                \
    {                                                                                              \
        .name = the_name, .doc = "chunks that cannot be decoded: an error, or left out",           \
        .type = LE_TYPE_STR, .optional = true, .words = le__sc_bad_words, .default_str = "refuse"  \
    }

typedef struct le__sc_stored {
    le__sc_format format;
    le_dtype dtype;
    bool big_endian, skip;
    double fill;
    int64_t n;
    const uint8_t *bytes; /* that all chunks lie in */
    le__sc_chunk *chunks;
    _Atomic(const char *) *wrong; /* of each chunk: why it cannot be decoded; NULL: it can */
    int64_t block_bytes;          /* of the largest block */
    const char *who;              /* for messages */
} le__sc_stored;

/* For check: shapes and numbers; the elements of a chunk. */
le_status le__sc_stored_check(const le_call *call, const le__sc_stored_args *args, const char *who,
                              int64_t *n, int64_t *elements);
le_dtype le__sc_stored_dtype(const le_call *call, const le__sc_stored_args *args);

/* For run: finds all blocks. Bad chunks have their reason. Memory is the call's. */
le_status le__sc_stored_open(le_call *call, const le__sc_stored_args *args, const char *who,
                             le__sc_stored *out);
/* An error that names the first bad chunk, unless they are skipped. */
le_status le__sc_stored_verdict(const le__sc_stored *stored);

/* Decodes block k of a chunk into its elements; space is for its bit planes. NULL or a reason. */
typedef const char *(*le__sc_block_fn)(const le__sc_stored *stored, const le__sc_chunk *chunk,
                                       int64_t k, uint8_t *space, uint8_t *out);

/* That function from the definition: bit by bit. */
const char *le__sc_block_plain(const le__sc_stored *stored, const le__sc_chunk *chunk, int64_t k,
                               uint8_t *space, uint8_t *out);

/* Elements of a chunk that are in no block: all of one that is as it is, or was never written; else
 * the last ones. */
void le__sc_stored_rest(const le__sc_stored *stored, const le__sc_chunk *chunk, int64_t *first,
                        int64_t *count);
/* Writes n of them, from element `first` of the chunk on. */
void le__sc_stored_put_rest(const le__sc_stored *stored, const le__sc_chunk *chunk, int64_t first,
                            int64_t n, uint8_t *out);

/* Decodes chunks [first, first + n), one after the other; what is found to be bad on the way is in
 * the verdict, which is returned. */
le_status le__sc_stored_decode(le_call *call, le__sc_stored *stored, int64_t first, int64_t n,
                               le__sc_block_fn decode, uint8_t *out);

/* Exchanges the bytes of elements that are big endian. */
void le__sc_stored_turn(const le__sc_stored *stored, void *elements, int64_t n);
/* Writes the fill value n times. */
void le__sc_stored_fill(const le__sc_stored *stored, void *out, int64_t n);

#endif
