/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A box of a volume, and which samples are its own.
 *
 * Boxes that share a layer of voxels divide the cells between them. A sample belongs to the box that
 * holds its cell, one outside the volume to the box of the nearest cell along each axis. The cell is
 * found in the whole volume, in double precision, before anything is counted from the box: so each
 * sample has one owner, whoever asks.
 */
#ifndef LE_VOLUME_BOX_H
#define LE_VOLUME_BOX_H

#include "volume/camera.h"

typedef struct le__box {
    int64_t first[3];        /* voxel of the volume */
    int64_t shape[3];        /* voxels */
    le__camera *camera;      /* with indices in voxels of the box */
} le__box;

/* A box of the volume of a camera; free(out->camera), free(out). NULL: no memory. */
le__box *le__box_new(const le__camera *whole, const int64_t first[3], const int64_t shape[3]);

/* Depths [*begin, *end) of the ray (ix, iz) whose samples are the box's own. Empty: *begin == *end. */
void le__box_ray(const le__box *box, const le__camera *whole, const le__view *view, int64_t ix,
                 int64_t iz, int64_t *begin, int64_t *end);

#endif
