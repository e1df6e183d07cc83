/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The vector implementations of `interpolate_at`, compiled once for each instruction set.
 */
#include "common/isa.h"
#include "volume/interpolate_at/kernels_simd.h"

static bool applicable(const le_call *call, const char **why) {
    const int64_t *n = le_call_in(call, ARG_VALUES)->shape;
    *why = "a plane of the values is too large for 32-bit strides";
    return n[0] < INT32_MAX && n[1] < INT32_MAX / n[2];
}

static le_status run(le_call *call) {
    le__at_search s;
    le_status status = le__at_search_of_call(&s, call);
    return status == LE_OK ? le_parallel_for(call, s.blocks, range, &s) : status;
}

LE_IMPLEMENTATION(interpolate_at, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = LE__ISA_TITLE ": vectors of points, cells found together, gathers",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 1.5, 2.0),
                  .applicable = applicable, .run = run);
