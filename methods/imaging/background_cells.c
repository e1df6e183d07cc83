/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * background_mesh, its reference and its implementation: cells are clipped pass by pass, or with
 * one look at their pixels.
 */
#include "imaging/background.h"
#include "imaging/clip_reference.h"
#include "imaging/clip_window.h"

typedef struct job {
    le_call *call;
    le__im_pixels image;
    le__im_mesh mesh;
    double *spare; /* of each worker: a cell, and what its clip needs */
    int64_t cell, room;
    bool plain; /* the reference */
} job;

/* Finite pixels of a cell. */
static int64_t gather(const job *j, int64_t at, double *out) {
    const le__im_mesh *m = &j->mesh;
    const int64_t y = at / m->across, x = at % m->across;
    const int64_t begin = le__im_cell_begin(x, m->across, m->cols),
                  width = le__im_cell_begin(x + 1, m->across, m->cols) - begin;
    int64_t n = 0;
    for (int64_t i = le__im_cell_begin(y, m->down, m->rows);
         i < le__im_cell_begin(y + 1, m->down, m->rows); i++) {
        double *line = out + n;
        le__im_load(&j->image, i * m->cols + begin, width, line);
        for (int64_t k = 0; k < width; k++) {
            const double value = line[k];
            out[n] = value;
            n += isfinite(value) != 0;
        }
    }
    return n;
}

static void clip_cells(void *context, size_t begin, size_t end, int worker) {
    job *j = context;
    double *values = j->spare + worker * j->room;
    for (int64_t at = (int64_t)begin; at < (int64_t)end; at++) {
        const int64_t n = gather(j, at, values);
        le__im_clipped c;
        if (j->plain)
            c = le__im_clip_reference(NULL, &le__im_cell_clip, values, n, values + j->cell);
        else
            le__im_clip_few(&le__im_cell_clip, values, n, values + j->cell, &c);
        le__im_mesh_put(&j->mesh, at, &c);
    }
}

/* Pixels of the largest cell; numbers that a worker needs for it, and the mesh for its cells. */
static int64_t pixels_of(const le__im_mesh *m) {
    return (m->rows / m->down + 1) * (m->cols / m->across + 1);
}

static int64_t room_of(const le__im_mesh *m) {
    return pixels_of(m) + le__im_few_spare(pixels_of(m));
}

static int64_t cells_of(const le__im_mesh *m, int64_t filter) {
    return 4 * m->down * m->across + 2 * filter * filter;
}

int64_t le__im_mesh_memory(const le_call *call, const le__im_mesh *mesh, int64_t filter) {
    return (room_of(mesh) * le_call_threads(call) + cells_of(mesh, filter)) *
           (int64_t)sizeof(double);
}

/* A cell and its clip for each worker, and the mesh. */
static bool make_room(job *j, int64_t filter) {
    le__im_mesh *m = &j->mesh;
    j->cell = pixels_of(m);
    j->room = room_of(m);
    j->spare =
        le_call_scratch(j->call, (size_t)(j->room * le_call_threads(j->call)) * sizeof(double));
    m->background = le_call_scratch(j->call, (size_t)cells_of(m, filter) * sizeof(double));
    m->noise = m->background + m->down * m->across;
    return j->spare && m->background;
}

static le_status make(job *j, int64_t filter) {
    const int64_t cells = j->mesh.down * j->mesh.across;
    if (!make_room(j, filter))
        return LE_ERR_MEMORY;
    const le_status status = le_parallel_for(j->call, (size_t)cells, clip_cells, j);
    if (status == LE_OK)
        le__im_mesh_filter(&j->mesh, filter, j->mesh.noise + cells);
    return status;
}

le_status le__im_mesh_make(le_call *call, const le__im_pixels *image, int64_t filter,
                           le__im_mesh *mesh) {
    job j = {.call = call, .image = *image, .mesh = *mesh};
    const le_status status = make(&j, filter);
    *mesh = j.mesh;
    return status;
}

/* The maps of f64 pixels as the operation rounds them: to f32. */
bool le__im_background_reference(le_call *call, const double *pixels, const le__im_shape *shape,
                                 int64_t cell, double *background, double *noise) {
    job j = {.call = call,
             .image = le__im_pixels_in(pixels),
             .mesh = le__im_mesh_of(shape->rows, shape->cols, cell),
             .plain = true};
    double *const maps[] = {background, noise};
    if (make(&j, LE__IM_MESH_FILTER) != LE_OK)
        return false;
    for (int k = 0; k < 2; k++)
        for (int64_t row = 0; row < shape->rows; row++) {
            double *line = maps[k] + row * shape->cols;
            le__im_mesh_span(&j.mesh, k ? j.mesh.noise : j.mesh.background, row, 0, shape->cols,
                             line);
            for (int64_t x = 0; x < shape->cols; x++)
                line[x] = (double)(float)line[x];
        }
    return true;
}

/* --- the operation --- */

static void write_lines(void *context, size_t begin, size_t end, int worker) {
    enum { PIECE = 256 };
    const job *j = context;
    const double *const values[] = {j->mesh.background, j->mesh.noise};
    double piece[PIECE];
    (void)worker;
    for (int64_t row = (int64_t)begin; row < (int64_t)end; row++)
        for (int k = 0; k < 2; k++) {
            const le_tensor *map = le_call_out(j->call, BACKGROUND_BACKGROUND + k);
            for (int64_t x = 0; x < j->mesh.cols; x += PIECE) {
                const int64_t n = j->mesh.cols - x < PIECE ? j->mesh.cols - x : PIECE;
                le__im_mesh_span(&j->mesh, values[k], row, x, n, piece);
                le__im_save(map->data, map->dtype, row * j->mesh.cols + x, n, piece);
            }
        }
}

static le_status run_as(le_call *call, bool plain) {
    const le_tensor *image = le_call_in(call, BACKGROUND_IMAGE);
    job j = {.call = call,
             .image = le__im_pixels_of(image),
             .mesh = le__im_mesh_of(image->shape[0], image->shape[1],
                                    le_call_i64(call, BACKGROUND_CELL)),
             .plain = plain};
    const le_status status = make(&j, le_call_i64(call, BACKGROUND_FILTER));
    if (status != LE_OK)
        return status == LE_ERR_MEMORY ? le_fail(status, "background_mesh: no memory for the cells")
                                       : status;
    return le_parallel_for(call, (size_t)image->shape[0], write_lines, &j);
}

static le_status run_plain(le_call *call) {
    return run_as(call, true);
}

static le_status run_sorted(le_call *call) {
    return run_as(call, false);
}

static int64_t memory(const le_call *call) {
    const le_tensor *image = le_call_in(call, BACKGROUND_IMAGE);
    const le__im_mesh mesh =
        le__im_mesh_of(image->shape[0], image->shape[1], le_call_i64(call, BACKGROUND_CELL));
    return le__im_mesh_memory(call, &mesh, le_call_i64(call, BACKGROUND_FILTER));
}

LE_IMPLEMENTATION(background_mesh, reference, .run_type = "reference",
                  .summary = "cells clipped pass by pass",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.4, .memory = memory,
                  .run = run_plain);
LE_IMPLEMENTATION(background_mesh, c, .run_type = "c",
                  .summary = "one look at the pixels of a cell", .flags = LE_IMPL_REPRODUCIBLE,
                  .speed = 1, .memory = memory, .run = run_sorted);
