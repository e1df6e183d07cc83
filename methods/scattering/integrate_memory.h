/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Integration of frames in memory with a table, for both operations on them; compiled once for each
 * instruction set.
 */
#ifndef LE_SCATTERING_INTEGRATE_MEMORY_H
#define LE_SCATTERING_INTEGRATE_MEMORY_H

#include "scattering/integrate_table.h"

static const void *values_in_memory(const task *t, int worker, int64_t frame, int lane, int64_t p,
                                    int64_t *n) {
    (void)worker;
    (void)lane;
    (void)n;
    return (const char *)t->source + (size_t)(frame * t->pixels + p) * le_dtype_size(t->dtype);
}

static le_status run_memory(le_call *call) {
    task t;
    parts p;
    le_status status = open_task(call, le_call_in(call, SC_FRAMES)->dtype, &t);
    if (status != LE_OK)
        return status;
    t.values = values_in_memory;
    t.source = le_call_contiguous(call, SC_FRAMES);
    if (!t.source)
        return le_fail(LE_ERR_MEMORY, "no memory for the frames");
    status = open_parts(&t, &p);
    if (status != LE_OK)
        return status;
    for (int k = 0; k < p.n; k++)
        for (int64_t group = 0; status == LE_OK && group < p.of[k].groups;
             group += p.of[k].wave) {
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
