/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation sigma_clip: its arguments, and the sets of pixels that are
 * clipped apart.
 */
#ifndef LE_IMAGING_SIGMA_CLIP_H
#define LE_IMAGING_SIGMA_CLIP_H

#include "imaging/clip.h"

enum {
    SIGMA_CLIP_IMAGE,
    SIGMA_CLIP_SETTINGS,
    SIGMA_CLIP_AXIS = SIGMA_CLIP_SETTINGS + LE__IM_CLIP_COUNT,
    SIGMA_CLIP_STATISTICS,
    SIGMA_CLIP_MASK
};

/* Set s has `length` pixels, `step` apart, the first of them at
 * le__im_first(sets, s). Without an axis there is one set, of all pixels. */
typedef struct le__im_sets {
    int64_t n, length, step;
} le__im_sets;

/* Of a call that names one: counted from the first axis. */
int le__im_clip_axis(const le_call *call);
le__im_sets le__im_sets_of(const le_call *call);
/* Whether there is one in every call of the kind, whatever the image's shape. */
bool le__im_is_one_set(const le_call *call);

static inline int64_t le__im_first(const le__im_sets *sets, int64_t set) {
    return set / sets->step * sets->step * sets->length + set % sets->step;
}

/* Where the results go; NULL: they are not asked for. */
typedef struct le__im_clip_outputs {
    double *statistics;
    uint8_t *mask;
} le__im_clip_outputs;

le__im_clip_outputs le__im_clip_outputs_of(const le_call *call);
/* Writes the mask of pixels [begin, end) of a contiguous image. */
void le__im_clip_mask(const le__im_clipped *c, const le__im_pixels *image, int64_t begin,
                      int64_t end, uint8_t *mask);

#endif
