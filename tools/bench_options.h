/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The command line of le-bench.
 */
#ifndef LE_BENCH_OPTIONS_H
#define LE_BENCH_OPTIONS_H

#include "bench.h"

typedef enum way {
    WAY_WARM,
    WAY_VERIFY,
    WAY_OVERHEAD,
    WAY_PROFILE,
    WAY_TIME,
    WAY_SUITE,
    WAY_CHAIN,
    WAY_CHOICES,
    WAY_RIVALS,
    WAY_REPLAY,
    WAY_HELP_ENV,
    WAY_DEVICES
} way;

typedef struct command {
    bench_settings s;
    way way;
    size_t n;       /* operations */
    unsigned given; /* options that not every way takes; bench_options.c's */
} command;

/* Fills *out, whose s.operations has room for argc + 1 names. Wrong usage ends the process. */
void bench_parse(command *out, int argc, char **argv);

#endif
