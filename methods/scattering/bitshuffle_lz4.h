/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation bitshuffle_lz4: indices of its arguments, and what its implementations share.
 */
#ifndef LE_SCATTERING_BITSHUFFLE_LZ4_H
#define LE_SCATTERING_BITSHUFFLE_LZ4_H

#include "scattering/stored.h"

enum {
    BITS_ARG_BYTES,
    BITS_ARG_OFFSETS,
    BITS_ARG_SKIPPED,
    BITS_ARG_CHUNK,
    BITS_ARG_TYPE,
    BITS_ARG_BIG_ENDIAN,
    BITS_ARG_COMPRESSION,
    BITS_ARG_BLOCK,
    BITS_ARG_FILL,
    BITS_ARG_BAD,
    BITS_ARG_RESULT,
    BITS_ARG_DECODED
};

extern const le__sc_stored_args le__sc_bits_args;

/* Runs a call block by block. Where a chunk turns out bad the caller's memory is as it was. checks:
 * `decode` takes all blocks that le__sc_blocks_check lets pass. */
le_status le__sc_bits_run(le_call *call, le__sc_block_fn decode, bool checks);
int64_t le__sc_bits_memory(const le_call *call);

#endif
