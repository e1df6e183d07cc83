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

/* The default of `filter`, and what find_sources has. */
enum { LE__IM_MESH_FILTER = 3 };

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
/* Bytes that making it takes: those of its cells, and of one for each thread. */
int64_t le__im_mesh_memory(const le_call *call, const le__im_mesh *mesh, int64_t filter);
/* The mesh of an image by sorting its cells, and filtered; its memory is the call's. LE_ERR_MEMORY
 * without a message. */
le_status le__im_mesh_make(le_call *call, const le__im_pixels *image, int64_t filter,
                           le__im_mesh *mesh);

/* Where pixel i of an axis lies among the centers of cells, from 0 to cells - 1; scale: cells over
 * pixels. */
static inline double le__im_mesh_at(int64_t i, int64_t cells, double scale) {
    const double at = ((double)i + 0.5) * scale - 0.5, most = (double)(cells - 1);
    return at < 0 ? 0 : at > most ? most : at;
}

/* Pixels [col, col + n) of a row of a map from the values of cells: on straight lines between the
 * centers of neighbouring cells, first along columns, then along the row. */
static inline void le__im_mesh_span(const le__im_mesh *m, const double *values, int64_t row,
                                    int64_t col, int64_t n, double *restrict out) {
    const double down = (double)m->down / (double)m->rows,
                 across = (double)m->across / (double)m->cols;
    const double y = le__im_mesh_at(row, m->down, down);
    const int64_t above = m->down > 1 && y >= (double)(m->down - 1) ? m->down - 2 : (int64_t)y;
    const double t = y - (double)above;
    const double *upper = values + above * m->across,
                 *lower = upper + (m->down > 1 ? m->across : 0);
    for (int64_t begin = 0, end = 0; begin < n; begin = end) {
        const int64_t x = (int64_t)le__im_mesh_at(col + begin, m->across, across);
        const int64_t next = x + 1 < m->across ? x + 1 : x;
        const double left = upper[x] + t * (lower[x] - upper[x]),
                     right = upper[next] + t * (lower[next] - upper[next]);
        /* about where the next center is; the last one is never passed */
        const double stop = ((double)x + 1.5) / across - 0.5 - (double)col;
        end = next == x || stop >= (double)(n - 1) ? n
              : stop < (double)begin               ? begin + 1
                                                   : (int64_t)stop + 1;
        for (int64_t i = begin; i < end; i++)
            out[i] =
                left + (le__im_mesh_at(col + i, m->across, across) - (double)x) * (right - left);
    }
}

/* Reference of both maps, of f64 pixels with two axes, as f32. False: no memory. */
bool le__im_background_reference(le_call *call, const double *pixels, const le__im_shape *shape,
                                 int64_t cell, double *background, double *noise);

#endif
