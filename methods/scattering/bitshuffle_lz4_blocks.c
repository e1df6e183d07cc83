/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * bitshuffle_lz4 in blocks, whose planes stay in the cache; compiled once per ISA.
 */
#include "scattering/bitshuffle_lz4.h"
#include "scattering/unshuffle.h"

static const char *decode(const le__sc_stored *s, const le__sc_chunk *c, int64_t k, uint8_t *space,
                          uint8_t *out) {
    const char *wrong = NULL;
    int64_t low;
    const int64_t n = le__sc_block_count(&s->format, c, k);
    const uint8_t *planes = le__sc_block_low_planes(&s->format, c, k, space, &low, &wrong);
    if (wrong)
        return wrong;
    unshuffle(planes, n, s->format.element, low, out);
    le__sc_stored_turn(s, out, n);
    return NULL;
}

static le_status run(le_call *call) {
    return le__sc_bits_run(call, decode, true);
}

LE_IMPLEMENTATION(bitshuffle_lz4, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "blocks, planes transposed by eights of bits; " LE__ISA_WIDTH,
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 3, 4),
                  .memory = le__sc_bits_memory, .run = run);
