/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Descriptors of the fused implementations of `volume_render` for x86: two forms, with and without
 * skipping of empty bricks, for AVX2 and AVX-512.
 */
#include "volume/describe_simd.h"
#include "volume/volume_render/fused_prepare.h"

static const le__fused_isa isa_avx2 = {.classes = 7, .fraction_bits = 31};
static const le__fused_isa isa_avx512 = {.classes = 15, .fraction_bits = 32};

static le_status run(le_call *call, bool axis, bool bricks, const le__fused_isa *isa,
                     le_range_fn kernel)
{
    le__fused *f;
    le_status status = le__fused_prepare(call, axis, isa, &f);
    if (status == LE_OK && bricks)
        status = le__fused_make_bricks(call, f);
    if (status != LE_OK)
        return status;
    le_parallel_for(call, axis ? le__fused_row_groups(call) : le__fused_view_rows(call), kernel, f);
    return LE_OK;
}

#define DESCRIBE(id, form, suffix, skip, isa_bits, guess, text)                                    \
    static le_status run_##id(le_call *call)                                                       \
    {                                                                                              \
        return run(call, AXIS_##form, skip, &isa_##suffix, le__fused_##form##_##suffix);           \
    }                                                                                              \
    LE__DESCRIBE_SIMD(                                                                             \
        volume_render, id, "fused", isa_bits, guess, text,                                         \
        .applicable = le__fused_##form##_applicable,                                               \
        .memory = skip ? le__fused_##form##_bricks_memory : le__fused_##form##_memory,             \
        .run = run_##id)

enum { AXIS_rays = false, AXIS_axis = true };

DESCRIBE(rays_avx2, rays, avx2, false, LE_ISA_AVX2, 12.0,
         "AVX2: sample, classify and composite packets of rays, any rotation");
DESCRIBE(axis_avx2, axis, avx2, false, LE_ISA_AVX2, 16.0,
         "AVX2: planes of axis 0 blended once an image row, four corners a sample");
DESCRIBE(rays_bricks_avx2, rays, avx2, true, LE_ISA_AVX2, 10.0,
         "AVX2: any rotation, skips bricks that the transfer function does not show");
DESCRIBE(axis_bricks_avx2, axis, avx2, true, LE_ISA_AVX2, 13.0,
         "AVX2: blended planes, skips bricks that the transfer function does not show");
DESCRIBE(rays_avx512, rays, avx512, false, LE_ISA_AVX512, 20.0,
         "AVX-512: sample, classify and composite packets of rays, any rotation");
DESCRIBE(axis_avx512, axis, avx512, false, LE_ISA_AVX512, 30.0,
         "AVX-512: planes of axis 0 blended once an image row, four corners a sample");
DESCRIBE(rays_bricks_avx512, rays, avx512, true, LE_ISA_AVX512, 16.0,
         "AVX-512: any rotation, skips bricks that the transfer function does not show");
DESCRIBE(axis_bricks_avx512, axis, avx512, true, LE_ISA_AVX512, 25.0,
         "AVX-512: blended planes, skips bricks that the transfer function does not show");
