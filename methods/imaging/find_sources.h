/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation find_sources: its arguments.
 */
#ifndef LE_IMAGING_FIND_SOURCES_H
#define LE_IMAGING_FIND_SOURCES_H

#include "imaging/catalogue.h"
#include "imaging/clip.h"

enum {
    FIND_IMAGE,
    FIND_K,
    FIND_RULE,
    FIND_CONNECTIVITY,
    FIND_CLIP,
    FIND_BACKGROUND = FIND_CLIP + LE__IM_CLIP_COUNT,
    FIND_CELL,
    FIND_KERNEL,
    FIND_FLOOD,
    FIND_MINIMUM_AREA,
    FIND_COLUMNS,
    FIND_SATURATION,
    FIND_CATALOGUE,
    FIND_LABELS,
    FIND_STATISTICS
};

/* Background and noise of each pixel's own. */
bool le__im_find_mesh(const le_call *call);
/* Bytes that its mesh takes; 0 without one. */
int64_t le__im_find_mesh_memory(const le_call *call);
/* Some components are dropped after they were found. */
bool le__im_find_selects(const le_call *call);

#endif
