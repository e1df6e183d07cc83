/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations registered at run time for the tests of chains and slabs. With CPU and OpenCL
 * implementations: chain_scale (factor * x), chain_add (a + b), and the composite chain_poly,
 * result[k] = factors[k] * x + x; chain_soften, of which even a frame can be cut. On the CPU:
 * chain_blur over neighbouring rows, chain_over frames, and chain_checked (result and twice: x and
 * 2x), which fails with LE_ERR_DATA as told.
 */
#ifndef CHAIN_OPS_H
#define CHAIN_OPS_H

#include "liquid_engine/le_chain.h"

/* chain_checked fails when an x is below this bound, ... */
#define CHAIN_OPS_LEAST (-1000.0f)
/* ... and when it has run so many times since this was set; negative: never. */
void chain_ops_fail_after(int runs);

/* While on, runs of chain_soften on OpenCL wait, when their commands are done, until two of them
 * have come so far; returns how often two met since it was turned on. */
int chain_ops_meet(bool on);

/* How often a call of chain_poly was expanded in this process. */
int chain_ops_expanded(void);

/* Registers all of them; LE_OK or the first error. */
le_status chain_ops_register(le_engine *engine);

#endif
