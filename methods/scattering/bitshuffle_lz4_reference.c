/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of bitshuffle_lz4: bit by bit.
 */
#include "scattering/bitshuffle_lz4.h"

static le_status run(le_call *call) {
    return le__sc_bits_run(call, le__sc_block_plain, false);
}

LE_IMPLEMENTATION(bitshuffle_lz4, reference, .run_type = "reference", .summary = "bit by bit",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.05,
                  .memory = le__sc_bits_memory, .run = run);
