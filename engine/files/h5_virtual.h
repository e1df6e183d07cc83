/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Virtual datasets of HDF5: their parts, and reading through them.
 */
#ifndef LE_IO_H5_VIRTUAL_H
#define LE_IO_H5_VIRTUAL_H

#include "files/h5.h"

/* Along one axis: count blocks of `block` elements, their starts `stride` apart. */
typedef struct le__h5_slab {
    int64_t start, stride, count, block;
} le__h5_slab;

typedef struct le__h5_map {
    char *file, *dataset; /* as the virtual dataset has them; file ".": its own */
    bool all;             /* of that dataset, whose shape is not known yet: no rank, from, axis */
    int rank;             /* of that dataset */
    le__h5_slab own[LE_MAX_DIMS],
        from[LE_MAX_DIMS]; /* where in the virtual one, where in that one */
    int axis[LE_MAX_DIMS]; /* of that dataset, for each own one; -1: one element */
} le__h5_map;

struct le__h5_maps {
    size_t n;
    le__h5_map map[];
};

/* Completes a part that is all of a dataset, once that one's shape is known. */
le_status le__h5_map_whole(const le__h5_dataset *d, le__h5_map *map, int rank,
                           const int64_t *shape);

/* Reads the selection of a dataset, which may be virtual, into row-major memory of d->dtype; what no
 * part has is its fill value. A part whose file is missing or broken is an error that names it. */
le_status le__h5_values(le__h5_dataset *d, const le__io_parallel *p, void *data);

#endif
