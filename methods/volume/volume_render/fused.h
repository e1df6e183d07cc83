/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The fused implementations of `volume_render`: what they prepare once a call.
 *
 * Two forms. `axis`: every rotation is about data axis 0, so an image row lies between two planes of the
 * volume; they are blended once into a plane of floats, padded by one voxel all round, and every view's
 * row reads four corners of it. One item is LE__ROWS image
 * rows of all views. `rays`: any rotation, eight
 * corners; one item is one row of one view.
 *
 * A packet is a vector of neighbouring columns of one row. It goes from the nearest depth to the
 * farthest in chunks: first the chunk's samples are taken and those that can show are kept, then these
 * are classified and composited.
 */
#ifndef LE_VOLUME_FUSED_H
#define LE_VOLUME_FUSED_H

#include "volume/fixed.h"
#include "volume/voxels.h"
#include "volume/volume_render/classify.h"
#include "volume/volume_render/render.h"

enum { LE__CHUNK = 20, LE__BRICK = 8, LE__ROWS = 4 };

typedef struct le__fused {
    const le_call *call;
    const le__camera *camera;    /* in voxels of the tensor */
    const le__box *box;          /* its own samples alone, without clipping; NULL: a whole volume */
    const le__camera *whole;     /* of the volume that the box is of */
    le__voxels volume;
    int64_t strides[3];          /* of the volume, or of interleaved planes */
    le__fixed_view *views;
    le__classify classify;
    bool fill_shows;             /* the fill value is visible */
    const le_tensor *images;
    bool watch;                  /* the signs of corners: a logarithm shows what cancels */
    /* axis form */
    const struct le__fused *signed_rays; /* for rows between planes with negative voxels; or NULL */
    float *planes;               /* LE__ROWS interleaved planes for each worker */
    int64_t plane_floats;
    int32_t *spans;              /* [ny+2][2]: first and end column of a plane's row that is read */
    /* skipping: sums[i][j][k] counts the visible bricks below (i,j,k); NULL: none is skipped */
    const int32_t *sums;
    int64_t bricks[3];
} le__fused;

#endif
