/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The parts that the descriptors of the fused implementations are put together from.
 */
#ifndef LE_VOLUME_FUSED_PREPARE_H
#define LE_VOLUME_FUSED_PREPARE_H

#include "volume/volume_render/fused.h"

bool le__fused_axis_applicable(const le_call *call, const char **why);
bool le__fused_rays_applicable(const le_call *call, const char **why);
int64_t le__fused_axis_memory(const le_call *call);
int64_t le__fused_rays_memory(const le_call *call);
int64_t le__fused_axis_bricks_memory(const le_call *call);
int64_t le__fused_rays_bricks_memory(const le_call *call);
/* Items of the axis form, and of the rays form. */
size_t le__fused_row_groups(const le_call *call);
size_t le__fused_view_rows(const le_call *call);

/* What the kernels of an instruction set expect. */
typedef struct le__fused_isa {
    int classes;                 /* that its tables hold */
    int fraction_bits;           /* of its coordinates */
} le__fused_isa;

/* Prepares a call in its scratch memory. */
le_status le__fused_prepare(le_call *call, bool axis, const le__fused_isa *isa, le__fused **out);

/* Finds the bricks that can show and sets sums. Uses the thread pool. */
le_status le__fused_make_bricks(le_call *call, le__fused *f);

#endif
