/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chunks for sample calls and tests: bit by bit, from the definition of the format.
 */
#ifndef LE_SCATTERING_ENCODE_H
#define LE_SCATTERING_ENCODE_H

#include "scattering/bitshuffle.h"

/* The most bytes that a chunk can have. */
int64_t le__sc_encode_bound(const le__sc_format *format);
/* Writes the chunk of format->elements elements; format->block is that of the header, too. Returns
 * its bytes. */
int64_t le__sc_encode(const le__sc_format *format, const void *elements, uint8_t *out);

#endif
