/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The fused implementations of `volume_render`, compiled once for each instruction set: two forms, with
 * and without skipping of empty bricks.
 */
#include "common/isa.h"
#include "volume/volume_render/fused_axis_simd.h"
#include "volume/volume_render/fused_prepare.h"

static const le__fused_isa isa = {.classes = V_TABLE - 1, .fraction_bits = V_FRACTION_BITS};

static le_status run(le_call *call, bool axis, bool bricks)
{
    le__fused *f;
    le_status status = le__fused_prepare(call, axis, &isa, &f);
    if (status == LE_OK && bricks)
        status = le__fused_make_bricks(call, f);
    if (status != LE_OK)
        return status;
    if (axis)
        return le_parallel_for(call, le__fused_row_groups(call), axis_range, f);
    return le_parallel_for(call, le__fused_view_rows(call), rays_range, f);
}

#define DESCRIBE(form, parts, is_axis, skips, guess, text)                                         \
    static le_status run_##parts(le_call *call)                                                    \
    {                                                                                              \
        return run(call, is_axis, skips);                                                          \
    }                                                                                              \
    LE_IMPLEMENTATION(volume_render, LE__ISA_NAME(parts##_), LE__ISA_FIELDS("fused"),              \
                      .summary = LE__ISA_TITLE ": " text, .flags = LE_IMPL_REPRODUCIBLE,           \
                      .speed = guess, .applicable = le__fused_##form##_applicable,                 \
                      .memory = le__fused_##parts##_memory, .run = run_##parts)

DESCRIBE(rays, rays, false, false, LE__BY_ISA(1, 12.0, 20.0),
         "sample, classify and composite packets of rays, any rotation");
DESCRIBE(axis, axis, true, false, LE__BY_ISA(1, 16.0, 30.0),
         "planes of axis 0 blended once an image row, four corners a sample");
DESCRIBE(rays, rays_bricks, false, true, LE__BY_ISA(1, 10.0, 16.0),
         "any rotation, skips bricks that the transfer function does not show");
DESCRIBE(axis, axis_bricks, true, true, LE__BY_ISA(1, 13.0, 25.0),
         "blended planes, skips bricks that the transfer function does not show");
