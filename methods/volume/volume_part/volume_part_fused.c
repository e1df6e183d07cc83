/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `volume_part` by the fused kernels of volume_render for any rotation, compiled once for each
 * instruction set. Those that blend planes work whole image rows off, and ask for no sample's owner.
 */
#include "common/isa.h"
#include "volume/volume_part/part.h"
#include "volume/volume_render/fused_prepare.h"
#include "volume/volume_render/fused_rays_simd.h"

static const le__fused_isa isa = {.classes = V_TABLE - 1, .fraction_bits = V_FRACTION_BITS};

typedef struct rows {
    le_call *call;
    le__fused *fused;
} rows;

static void range(void *context, size_t begin, size_t end, int worker)
{
    const rows *x = context;
    int64_t n = x->fused->camera->size;
    rays_range(x->fused, begin, end, worker);
    for (size_t i = begin; le_call_given(x->call, ARG_OWNED) && i < end; i++)
        le__part_count(x->call, (int64_t)i / n, (int64_t)i % n);
}

static le_status run(le_call *call)
{
    rows x = {.call = call};
    le_status status = le__fused_prepare(call, false, &isa, &x.fused);
    if (status != LE_OK)
        return status;
    return le_parallel_for(call, le__fused_view_rows(call), range, &x);
}

LE_IMPLEMENTATION(volume_part, LE__ISA_NAME(rays_), LE__ISA_FIELDS("fused"),
                  .summary = LE__ISA_TITLE ": packets of rays, the depths that the box owns",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 10.0, 16.0),
                  .applicable = le__fused_rays_applicable, .memory = le__fused_rays_memory,
                  .run = run);
