/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The passes of a clip, for any way to know finite numbers in ascending order.
 */
#ifndef LE_IMAGING_CLIP_PASSES_H
#define LE_IMAGING_CLIP_PASSES_H

#include "imaging/clip.h"

/* Each function returns false when it would have to know a number that it does not. */
typedef struct le__im_order {
    int64_t n;
    const void *of; /* what the functions are about */
    /* Numbers below the limit, or up to it where equal. */
    bool (*rank)(const void *of, double limit, bool equal, int64_t *out);
    /* Number `at`, from 0. */
    bool (*value)(const void *of, int64_t at, double *out);
    /* Mean and std of numbers [begin, end), of which there are some; shift: one near them. exactly:
     * rounded once only. */
    bool (*moments)(const void *of, int64_t begin, int64_t end, double shift, bool exactly,
                    le__im_moments *out);
} le__im_order;

/* False: one of the functions returned false. */
bool le__im_clip_passes(const le__im_clip *clip, const le__im_order *order, le__im_clipped *out);

#endif
