/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Decoding of LZ4 blocks that end in zeros, which bit planes of small counts do: three quarters of
 * their bytes are one long copy of zeros, which liblz4 writes and the next step reads. Here they are
 * counted only. And blocks can be checked without being decoded, so that what is right is written
 * where it belongs at once.
 *
 * Format: sequences of a token (lengths of literals and match, 15: bytes that are added follow, up to
 * one other than 255), literals, offset (u16, little endian), match length. The last one ends after its
 * literals (LZ4 block format description, Y. Collet, with its rules for the end of a block: what
 * liblz4 refuses for them is refused).
 */
#ifndef LE_SCATTERING_LZ4_BLOCK_H
#define LE_SCATTERING_LZ4_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Whether so many bytes at `from` decode to exactly `bytes`. */
bool le__sc_lz4_check(const uint8_t *from, int64_t size, int64_t bytes);

/* Decodes what le__sc_lz4_check is true for; else false, and what was written is unspecified. From *used
 * on there is nothing but zeros, which are not written. */
bool le__sc_lz4_decode(const uint8_t *from, int64_t size, uint8_t *out, int64_t bytes,
                       int64_t *used);

#endif
