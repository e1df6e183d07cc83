/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-bench --suite=chain.
 */
#ifndef LE_BENCH_CHAIN_H
#define LE_BENCH_CHAIN_H

#include "bench.h"

/* settings->operations: the composite operation, default esrrf. Exit status. */
int bench_chain(const bench_settings *settings);

#endif
