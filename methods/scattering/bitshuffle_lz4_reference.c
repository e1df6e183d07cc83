/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of bitshuffle_lz4: bit by bit.
 */
#include "scattering/bitshuffle_lz4.h"

#include <string.h>

static const char *decode(const le__sc_stored *s, const le__sc_chunk *c, int64_t k, uint8_t *space,
                          uint8_t *out) {
    const char *wrong = NULL;
    const int64_t n = le__sc_block_count(&s->format, c, k), element = s->format.element;
    const uint8_t *planes = le__sc_block_planes(&s->format, c, k, space, &wrong);
    if (wrong)
        return wrong;
    memset(out, 0, (size_t)(n * element));
    for (int64_t e = 0; e < n; e++)
        for (int64_t p = 0; p < 8 * element; p++)
            if (planes[p * (n / 8) + e / 8] >> e % 8 & 1)
                out[e * element + p / 8] |= (uint8_t)(1u << p % 8);
    le__sc_stored_turn(s, out, n);
    return NULL;
}

static le_status run(le_call *call) {
    return le__sc_bits_run(call, decode);
}

LE_IMPLEMENTATION(bitshuffle_lz4, reference, .run_type = "reference", .summary = "bit by bit",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.05,
                  .memory = le__sc_bits_memory, .run = run);
