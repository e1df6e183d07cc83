/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A clip with one look at the pixels. A sample tells about where the last
 * bounds and the median will be. Pixels well within those bounds, the core, are
 * summed up; those beyond, the tails, are listed, and so are those of the core
 * in a window about the median. Bounds are then searched for among the tails,
 * medians within the window. Where the sample was not like the image, so that a
 * bound falls into the core or the median beside the window, the pixels have to
 * be sorted after all.
 *
 * Pixels are worked off in blocks, whose sums and lists are joined in order.
 */
#ifndef LE_IMAGING_CLIP_WINDOW_H
#define LE_IMAGING_CLIP_WINDOW_H

#include "imaging/clip.h"

/* Numbers of the pixels' type: the core is [lower, upper], the window a part of
 * it. */
typedef struct le__im_edges {
    double lower, upper, window_lower, window_upper;
    double shift; /* of the sums */
} le__im_edges;

/* What one block has. Lists hold numbers of the pixels' type, f32 or f64. */
typedef struct le__im_block {
    int64_t n_core, n_below, n_tails, n_window; /* n_below: of the core, below the window */
    le__dd sum, sum2;
    void *tails, *window;
    bool full; /* a list had no room: what is in them counts for nothing */
} le__im_block;

typedef struct le__im_window {
    le__im_clip clip;
    le__im_pixels pixels;
    bool wide;                /* worked off as f64, else as f32 */
    int64_t n, blocks, block; /* pixels; blocks and pixels of each */
    int64_t window_room;      /* of a block */
    le__im_edges edges;
    le__im_block *parts;
    /* of the joined lists */
    double *tails;
    double *listed; /* of the window, as they come; then room to sort a bucket */
    double *window; /* by buckets of values */
    int64_t n_window;
    uint32_t *ends;        /* of buckets, in the window */
    int32_t bucket_sorted; /* the one that is in order */
    bool extremes_known;
    double extremes[2]; /* of the core */
} le__im_window;

enum { LE__IM_BUCKETS = 4096 };

/* Looks at a sample. block: pixels of a block. LE_OK with w->blocks 0: not for
 * such pixels. */
le_status le__im_window_begin(le_call *call, const le__im_clip *clip, const le__im_pixels *pixels,
                              int64_t n, int64_t block, le__im_window *w);
/* Bytes that these take: where the sample is not like the image, the lists and then room to sort all
 * pixels. */
int64_t le__im_window_memory(const le__im_clip *clip, le_dtype dtype, int64_t n);
/* When all blocks have been worked off, else by sorting the pixels.
 * LE_ERR_MEMORY without a message.
 */
le_status le__im_window_end(le_call *call, le__im_window *w, le__im_clipped *out);

/* The same of few finite numbers, by one thread; their order is lost. spare: room for
 * le__im_few_spare(n) of them. */
void le__im_clip_few(const le__im_clip *clip, double *values, int64_t n, double *spare,
                     le__im_clipped *out);
int64_t le__im_few_spare(int64_t n);

#endif
