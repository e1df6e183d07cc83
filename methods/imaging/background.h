/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation background_mesh, and the mesh: background and noise of cells, filtered, and between
 * their centers on straight lines.
 */
#ifndef LE_IMAGING_BACKGROUND_H
#define LE_IMAGING_BACKGROUND_H

#include "imaging/clip.h"

enum {
    BACKGROUND_IMAGE,
    BACKGROUND_CELL,
    BACKGROUND_FILTER,
    BACKGROUND_BACKGROUND,
    BACKGROUND_NOISE
};

#define LE__IM_CELL_ARG                                                                            \
    {                                                                                              \
        .name = "cell", .doc = "pixels of a cell of the mesh, each way", .type = LE_TYPE_I64,      \
        .optional = true, .cost = true, .min = 4, .max = 65536, .has_default = true,               \
        .default_f64 = 64                                                                          \
    }

/* Cells share out an axis: each has the cell's pixels or up to twice as many. */
typedef struct le__im_mesh {
    int64_t rows, cols;         /* of the image */
    int64_t down, across;       /* cells */
    double *background, *noise; /* of each cell */
} le__im_mesh;

le__im_mesh le__im_mesh_of(int64_t rows, int64_t cols, int64_t cell);
/* First pixel of cell i of n along an axis; that of cell n is the axis' end. */
static inline int64_t le__im_cell_begin(int64_t i, int64_t n, int64_t pixels) {
    return i * pixels / n;
}

/* The clip of a cell: 3 standard deviations about the median, until nothing changes. */
extern const le__im_clip le__im_cell_clip;
/* Background and noise from a cell's statistics; NaN where a cell has no finite pixel. */
void le__im_mesh_put(le__im_mesh *mesh, int64_t at, const le__im_clipped *c);
/* Cells without a value get the median of all; then each the median of its filter x filter
 * neighbourhood. spare: as many numbers as cells, and filter^2. */
void le__im_mesh_filter(le__im_mesh *mesh, int64_t filter, double *spare);
/* A line of a map from the values of cells. */
void le__im_mesh_line(const le__im_mesh *mesh, const double *values, int64_t row, double *out);

/* Reference of both maps, of f64 pixels with two axes, as f32. False: no memory. */
bool le__im_background_reference(le_call *call, const double *pixels, const le__im_shape *shape,
                                 int64_t cell, double *background, double *noise);

#endif
