/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Integration of frames in memory with a table, for both operations on them; compiled once for each
 * instruction set.
 */
#ifndef LE_SCATTERING_INTEGRATE_MEMORY_H
#define LE_SCATTERING_INTEGRATE_MEMORY_H

#include "scattering/integrate_table.h"

typedef struct frames_in_memory {
    const le_tensor *tensor;
    const char *all; /* row-major; NULL: they lie otherwise */
    char *room;      /* a tile for each worker and lane */
} frames_in_memory;

enum { TILE_BYTES = TILE * sizeof(double) };

static const void *values_in_memory(const task *t, int worker, int64_t frame, int lane, int64_t p,
                                    int64_t *n) {
    const frames_in_memory *f = t->source;
    const int64_t at = frame * t->pixels + p;
    if (f->all)
        return f->all + (size_t)at * le_dtype_size(t->dtype);
    return le_tensor_elements(f->tensor, at, *n,
                              f->room + (worker * MOST_LANES + lane) * TILE_BYTES);
}

static le_status run_memory(le_call *call) {
    const le_tensor *tensor = le_call_in(call, SC_FRAMES);
    frames_in_memory frames = {tensor, le_tensor_is_contiguous(tensor) ? tensor->data : NULL, NULL};
    task t;
    parts p;
    le_status status = open_task(call, tensor->dtype, &t);
    if (status != LE_OK)
        return status;
    t.values = values_in_memory;
    t.source = &frames;
    frames.room = le_call_scratch(call, (size_t)le_call_threads(call) * MOST_LANES * TILE_BYTES);
    if (!frames.room)
        return le_fail(LE_ERR_MEMORY, "no memory for the frames");
    status = open_parts(&t, &p);
    if (status != LE_OK)
        return status;
    for (int k = 0; k < p.n; k++)
        for (int64_t group = 0; status == LE_OK && group < p.of[k].groups; group += p.of[k].wave) {
            status = sum_wave(&p.of[k], group);
            if (status == LE_OK)
                status = put_wave(&p.of[k], group);
        }
    if (status == LE_OK)
        le__sc_put_axes(call, &t.table.bins);
    return status;
}

#define LE__SC_TABLE(operation)                                                                    \
    LE_IMPLEMENTATION(operation, LE__ISA, LE__ISA_FIELDS("simd"),                                  \
                      .summary = "a kept table of shares, eight frames a pass; " LE__ISA_WIDTH,    \
                      .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 1.5, 2),               \
                      .memory = table_memory, .run = run_memory)

#endif
