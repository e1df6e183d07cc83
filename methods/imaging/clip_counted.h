/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Clips of integers of up to 16 bits, from how often each of them occurs.
 */
#ifndef LE_IMAGING_CLIP_COUNTED_H
#define LE_IMAGING_CLIP_COUNTED_H

#include "imaging/clip.h"

enum { LE__IM_VALUES = 65536, LE__IM_COUNTED_MEMORY = 4 * (LE__IM_VALUES + 1) };

/* u8, u16, i16 */
static inline bool le__im_countable(le_dtype dtype) {
    return dtype == LE_U8 || dtype == LE_U16 || dtype == LE_I16;
}

/* Adds pixels [begin, end) to LE__IM_VALUES counts. */
void le__im_count_pixels(const le__im_pixels *pixels, int64_t begin, int64_t end, uint32_t *counts);
/* memory: LE__IM_COUNTED_MEMORY numbers. */
le__im_clipped le__im_clip_counted(const le__im_clip *clip, le_dtype dtype, const uint32_t *counts,
                                   int64_t *memory);

#endif
