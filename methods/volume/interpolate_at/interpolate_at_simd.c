/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The vector implementations of `interpolate_at`, compiled once for each instruction set.
 */
#include "common/isa.h"
#include "volume/interpolate_at/kernels_simd.h"

static bool applicable(const le_call *call, const char **why) {
    const le_tensor *values = le_call_in(call, ARG_VALUES);
    const int64_t *n = values->shape, *stride = values->strides;
    *why = "rows of the values do not lie one after another, element by element";
    if (stride[2] != 1 || stride[1] < n[2] || stride[0] < n[2])
        return false;
    *why = "a plane of the values is too large for 32-bit strides";
    return n[0] < INT32_MAX && n[1] < INT32_MAX && stride[0] < INT32_MAX && stride[1] < INT32_MAX;
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
