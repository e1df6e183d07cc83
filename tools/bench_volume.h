/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A volume from a file in the place of le-bench's made-up one.
 */
#ifndef LE_BENCH_VOLUME_H
#define LE_BENCH_VOLUME_H

#include "bench.h"

#include <limits.h>

typedef struct bench_volume {
    le_tensor tensor;
    le_sample *sample;
    le_arg args[LE_MAX_ARGS];
    size_t n_args;
} bench_volume;

/* Whether the operation has an input of three axes called "volume". */
bool bench_takes_volume(const le_operation *op);

/* The arguments of the operation's typical call for a cube of the volume's least edge, with the
 * volume read from the place. *out is released with bench_volume_free, also after an error: then
 * false, after a message. */
bool bench_volume_make(bench_volume *out, le_engine *engine, const char *operation,
                       const char *place, uint64_t seed);
void bench_volume_free(bench_volume *v);

/* The small real cube that comes with the library: beside the installed program, else in the source
 * tree around it. NULL where there is none; else `out`. */
const char *bench_default_volume(char out[PATH_MAX]);

#endif
