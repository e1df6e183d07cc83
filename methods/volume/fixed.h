/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Camera coordinates as fixed-point numbers, for vector code.
 *
 * An index along a data axis is a sum of one number for the depth, one for the row and one for the
 * column, each rounded once to 2^-32 of a voxel: float coordinates would lose 1e-5 of a voxel at 256.
 * Between an empty and a dense voxel a sample's value is proportional to the fraction of its
 * coordinate, so the fraction's error, 8e-10 here, has to be small beside the fraction itself.
 *
 * Vectors hold the fraction and, already multiplied by the strides and summed over the axes, the whole
 * parts: adding the depth's fraction to the column's gives a carry, which moves the offset by one
 * stride.
 *
 * A sample on a voxel has a fraction of exactly 0, as with le__view_index: the sum of the three numbers
 * may miss the whole one by one of their last digits either way, so that the depth's is LE__FIXED_AHEAD
 * of them ahead, and the weights leave out what is less than twice that.
 */
#ifndef LE_VOLUME_FIXED_H
#define LE_VOLUME_FIXED_H

#include "volume/camera.h"

#define LE__FIXED_AHEAD 2 /* 2^-32 of a voxel each */

typedef struct le__fixed_view {
    const le__view *view;
    int64_t *column[3];      /* [axis][iz]: 32 fraction bits; padded with copies of the last */
    uint32_t *fraction[3];   /* [axis][iy]: depth, with the view's origin and the bias, ahead */
    int32_t *index[3];       /* [axis][iy]: whole part of the same */
    int32_t *offset;         /* [iy]: sum over the axes of index * stride */
    int32_t *begin, *end;    /* [iz]: depths inside axes 1 and 2; padded. NULL: not made */
} le__fixed_view;

typedef struct le__fixed_options {
    int fraction_bits;       /* of the vectors' fractions: 31 or 32 */
    int64_t strides[3];      /* elements */
    double bias[3];          /* voxels added to the index */
    bool ranges;             /* make begin and end */
} le__fixed_options;

/* Options for samples of a volume (planes: 0), or of so many interleaved planes of its axis 0. */
le__fixed_options le__fixed_options_of(const le_tensor *volume, int planes, int fraction_bits);

/* Columns that the tables have: size rounded up to a multiple of 16. */
static inline int64_t le__fixed_columns(int64_t size)
{
    return (size + 15) / 16 * 16;
}

/* Floats of a row of interleaved planes, each padded by a voxel at both ends, with room for one vector
 * more: an odd number of cache lines, so that rows do not share the same sets. */
static inline int64_t le__plane_pitch(const int64_t shape[3], int planes)
{
    return ((planes * (shape[2] + 2 + 16) + 15) / 16 | 1) * 16;
}

/* Bytes of memory that le__fixed_make needs for each view. */
size_t le__fixed_bytes(const le__camera *camera);

/* Fills the tables of a view. memory has 64-byte alignment and outlives *out. */
void le__fixed_make(le__fixed_view *out, const le__camera *camera, size_t view,
                    const le__fixed_options *options, void *memory);

/* The number of an image row along an axis, 32 fraction bits. */
int64_t le__fixed_row(const le__view *view, int axis, int64_t ix);

#endif
