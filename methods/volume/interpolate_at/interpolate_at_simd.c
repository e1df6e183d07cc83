/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Descriptors of the vector implementations of `interpolate_at` for x86.
 */
#include "volume/describe_simd.h"
#include "volume/interpolate_at/simd.h"

static bool applicable(const le_call *call, const char **why) {
    const int64_t *n = le_call_in(call, ARG_VALUES)->shape;
    *why = "a plane of the values is too large for 32-bit strides";
    return n[0] < INT32_MAX && n[1] < INT32_MAX / n[2];
}

static le_status run_range(le_call *call, le_range_fn range) {
    le__at_search s;
    le_status status = le__at_search_of_call(&s, call);
    if (status == LE_OK)
        le_parallel_for(call, s.blocks, range, &s);
    return status;
}

#define DESCRIBE(id, isa_bits, guess, text)                                                        \
    static le_status run_##id(le_call *call) {                                                     \
        return run_range(call, le__at_##id);                                                       \
    }                                                                                              \
    LE__DESCRIBE_SIMD(interpolate_at, id, "simd", isa_bits, guess, text,                           \
                      .applicable = applicable, .run = run_##id)

DESCRIBE(avx2, LE_ISA_AVX2, 1.5, "AVX2: vectors of points, cells found together, gathers");
DESCRIBE(avx512, LE_ISA_AVX512, 2.0, "AVX-512: vectors of points, cells found together, gathers");
