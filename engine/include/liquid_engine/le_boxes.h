/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Calls over a volume that does not fit in memory, box by box.
 *
 *     le_boxes_run(NULL, "volume_render",
 *                  (le_arg[]){LE_STR("volume", "cube.h5:/density"), LE_I64("size", 1024),
 *                             LE_OUT("images", &images), LE_OPT_MEMORY_LIMIT(1 << 30)}, 4);
 *
 * Boxes divide the cells of a grid, the spaces between neighbouring samples; those that touch share
 * a layer of samples. Each gives for each view a part: colour A and opacity S = 1 - T, where T is
 * the share of light that passes, neither of them clipped. Parts are joined in depth order, near
 * before far: A_near + T_near A_far, and S in the same way. The grouping does not matter, the order
 * does.
 *
 * Errors and threads: as le_call_run; one le_boxes_call for one thread at a time.
 */
#ifndef LIQUID_ENGINE_LE_BOXES_H
#define LIQUID_ENGINE_LE_BOXES_H

#include "liquid_engine/le.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------- boxes ------ */

/* Samples [first, first + extent) of a grid; extent >= 2. */
typedef struct le_box {
    int64_t first[3], extent[3];
} le_box;

/* The leaves of a kd-tree. */
typedef struct le_boxes le_boxes;

/* n boxes of the whole whose cells are as the weights are to each other (NULL: equal), numbered
 * along the tree, so that neighbouring numbers are neighbours in depth. LE_ERR_SHAPE: there are not
 * so many cells along the axes. */
LE_API le_status le_boxes_split(const le_box *whole, const double *weights, int64_t n,
                                le_boxes **out);
/* Boxes of at most so many samples, by halves of the longest axis; LE_ERR_MEMORY: fewer than 8. */
LE_API le_status le_boxes_within(const le_box *whole, int64_t samples, le_boxes **out);
/* Boxes of edge cells along each axis, fewer at the far ends. */
LE_API le_status le_boxes_grid(const le_box *whole, int64_t edge, le_boxes **out);
LE_API int64_t le_boxes_count(const le_boxes *boxes);
LE_API const le_box *le_boxes_box(const le_boxes *boxes, int64_t i);
/* The numbers of the boxes, farthest first, as rays pass them that come nearer by step (in samples
 * along the axes, any length). */
LE_API void le_boxes_order(const le_boxes *boxes, const double step[3], int64_t *order);
/* Sets *boxes to NULL; NULL is allowed. */
LE_API void le_boxes_free(le_boxes **boxes);

/* ---------------------------------------------------------------------------- parts of a call --
 */

/* A call whose operation has bricks (le_method.h). */
typedef struct le_boxes_call le_boxes_call;

typedef struct le_boxes_about {
    le_box whole; /* the volume */
    int64_t views, rows, columns;
    le_dtype dtype, image_dtype; /* of the volume as it is read, of the pictures */
    const double *steps;         /* 3 numbers a view, for le_boxes_order */
    int64_t limit;               /* of memory, in bytes; 0: none */
    bool fits;                   /* volume and pictures together do not exceed it */
    bool reproducible;           /* was asked for */
} le_boxes_about;

/* Checks a call as le_call_run does. The volume, and other inputs, may be places (LE_STR, le_io.h),
 * of which nothing is read yet. The output is a tensor or a place, and not touched.
 * LE_ERR_UNSUPPORTED: the operation cannot be worked off in boxes, or such a place cannot be read
 * in parts. The arguments are borrowed until le_boxes_close. */
LE_API le_status le_boxes_open(le_engine *engine, const char *operation, const le_arg *args,
                               size_t n_args, le_boxes_call **out);
LE_API const le_boxes_about *le_boxes_tell(const le_boxes_call *call);
/* The views whose parts a process should make at once within a limit of bytes (0: all). */
LE_API int64_t le_boxes_views(const le_boxes_call *call, int64_t limit);
/* Seconds that the parts of the views [begin, end) of a box are expected to take, by what the timings
 * database knows of such calls; NaN: nothing that is good within a factor of two. */
LE_API double le_boxes_predict(const le_boxes_call *call, const le_box *box, int64_t begin,
                               int64_t end);
/* Edge of the boxes of reproducible calls, in cells: a fourth of the volume's longest axis, at least
 * 32 and at most 256, or LE_BOX_EDGE in the environment. */
LE_API int64_t le_boxes_edge(const le_box *whole);
/* What a box adds to views [begin, end): parts [views, rows, columns, 4], overwritten. A box that
 * does not fit the limit is worked off in smaller ones. *owned (may be NULL) gets the number of
 * samples that the box owns. */
LE_API le_status le_boxes_part(le_boxes_call *call, const le_box *box, int64_t begin, int64_t end,
                               double *parts, int64_t *owned);
/* Joins a nearer part of so many pixels to a farther one. */
LE_API void le_boxes_join(double *far, const float *near, int64_t pixels);
/* The picture of a joined part before black: its colours, clipped to [0,1], to element `first` on.
 */
LE_API void le_boxes_picture(const double *part, int64_t pixels, le_tensor *pictures,
                             int64_t first);
/* Sets *call to NULL; NULL is allowed. */
LE_API void le_boxes_close(le_boxes_call **call);

/* The whole call on this machine. Its output is a tensor. Reproducible calls have the same bits for
 * every limit. *boxes (may be NULL): in so many. */
LE_API le_status le_boxes_run(le_engine *engine, const char *operation, const le_arg *args,
                              size_t n_args, int64_t *boxes);

#ifdef __cplusplus
}
#endif
#endif
