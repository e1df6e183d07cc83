/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of the operation `volume_render` and what its check attaches to the call.
 */
#ifndef LE_VOLUME_RENDER_H
#define LE_VOLUME_RENDER_H

#include "volume/box.h"
#include "volume/transfer.h"

enum {
    ARG_VOLUME,
    ARG_SIZE,
    ARG_ANGLES,
    ARG_ROTATION,
    ARG_OUTSIDE,
    ARG_TRANSFER,
    ARG_SCALE,
    ARG_IMAGES
};

typedef struct le__render {
    le__camera *camera;
    le__transfer *transfer;
    le__box *box;            /* volume_part: what the tensor is of the camera's volume; else NULL */
} le__render;

/* Whether the rounding of samples between corners of both signs may show: on a logarithm, to tight
 * tolerances, and where single precision holds the dtype's largest numbers too coarsely for how wide the
 * Gaussians are. */
bool le__render_watches(const le_call *call);

/* The camera in voxels of the tensor. */
static inline const le__camera *le__render_camera(const le__render *r)
{
    return r->box ? r->box->camera : r->camera;
}

#endif
