/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A call that is worked off in boxes, and its volume.
 */
#ifndef LE_RUN_BOXES_H
#define LE_RUN_BOXES_H

#include "call/call.h"
#include "engine.h"
#include "files/io.h"
#include "liquid_engine/le_boxes.h"

/* A volume in memory, or at a place of which parts are read. */
typedef struct le__grid {
    const char *place; /* NULL: the tensor */
    const le_tensor *tensor;
    uint32_t dtypes; /* that are taken */
    le_dtype dtype;  /* as it is read */
    int ndim;        /* of the place or tensor: 3 */
    int64_t shape[LE_MAX_DIMS];
    int stored_ndim; /* of the place without its slices */
    int64_t stored[LE_MAX_DIMS];
    le__io_range ranges[LE_MAX_DIMS]; /* the slices of the place */
    int length;                       /* of the place's text without them */
} le__grid;

/* Reads headers only. LE_ERR_UNSUPPORTED: the format is not read in parts. */
le_status le__grid_open(le__grid *g, const le_arg *arg, uint32_t dtypes);
/* A box of it: read, or a view of the tensor. le_tensor_free. */
le_status le__grid_read(const le__grid *g, le_engine *engine, const le_box *box, le_tensor *out);

#endif
