/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * background_mesh, its reference and its implementation: cells are clipped pass by pass, or sorted.
 */
#include "imaging/background.h"
#include "imaging/clip_reference.h"

typedef struct job {
    le_call *call;
    const void *image;
    le_dtype dtype;
    le__im_mesh mesh;
    double *spare; /* of each worker: two cells, or a line */
    int64_t room;
    bool plain; /* the reference */
} job;

/* Finite pixels of a cell. */
static int64_t gather(const job *j, int64_t at, double *out) {
    const le__im_mesh *m = &j->mesh;
    const int64_t y = at / m->across, x = at % m->across;
    const int64_t begin = le__im_cell_begin(x, m->across, m->cols),
                  end = le__im_cell_begin(x + 1, m->across, m->cols);
    int64_t n = 0;
    for (int64_t i = le__im_cell_begin(y, m->down, m->rows);
         i < le__im_cell_begin(y + 1, m->down, m->rows); i++)
        for (int64_t k = begin; k < end; k++) {
            out[n] = le__load(j->image, j->dtype, i * m->cols + k);
            n += isfinite(out[n]) != 0;
        }
    return n;
}

static void clip_cells(void *context, size_t begin, size_t end, int worker) {
    job *j = context;
    double *values = j->spare + worker * j->room;
    for (int64_t at = (int64_t)begin; at < (int64_t)end; at++) {
        const int64_t n = gather(j, at, values);
        le__im_clipped c;
        if (j->plain) {
            c = le__im_clip_reference(&le__im_cell_clip, values, n, values + j->room / 2);
        } else {
            le__im_sort(values, n, values + j->room / 2);
            const le__im_sorted sorted = {.low = values, .n_low = n, .high = values};
            le__im_clip_sorted(&le__im_cell_clip, &sorted, &c); /* all is listed */
        }
        le__im_mesh_put(&j->mesh, at, &c);
    }
}

static void write_lines(void *context, size_t begin, size_t end, int worker) {
    const job *j = context;
    const double *const values[] = {j->mesh.background, j->mesh.noise};
    double *line = j->spare + worker * j->room;
    for (int64_t row = (int64_t)begin; row < (int64_t)end; row++)
        for (int k = 0; k < 2; k++) {
            const le_tensor *map = le_call_out(j->call, BACKGROUND_BACKGROUND + k);
            le__im_mesh_line(&j->mesh, values[k], row, line);
            for (int64_t x = 0; x < j->mesh.cols; x++)
                le__store(map->data, map->dtype, row * j->mesh.cols + x, line[x]);
        }
}

/* Two cells or a line for each worker, and the mesh. */
static bool make_room(job *j, int64_t filter) {
    le__im_mesh *m = &j->mesh;
    const int64_t cells = m->down * m->across;
    const int64_t largest = (m->rows / m->down + 1) * (m->cols / m->across + 1);
    j->room = 2 * (largest > m->cols ? largest : m->cols);
    j->spare =
        le_call_scratch(j->call, (size_t)(j->room * le_call_threads(j->call)) * sizeof(double));
    m->background =
        le_call_scratch(j->call, (size_t)(4 * cells + 2 * filter * filter) * sizeof(double));
    m->noise = m->background + cells;
    return j->spare && m->background;
}

static le_status run_as(le_call *call, bool plain) {
    const le_tensor *image = le_call_in(call, BACKGROUND_IMAGE);
    const int64_t filter = le_call_i64(call, BACKGROUND_FILTER);
    job j = {.call = call,
             .image = le_call_contiguous(call, BACKGROUND_IMAGE),
             .dtype = image->dtype,
             .mesh = le__im_mesh_of(image->shape[0], image->shape[1],
                                    le_call_i64(call, BACKGROUND_CELL)),
             .plain = plain};
    if (!j.image || !make_room(&j, filter))
        return le_fail(LE_ERR_MEMORY, "background_mesh: no memory for the cells");
    const int64_t cells = j.mesh.down * j.mesh.across;
    const le_status status = le_parallel_for(call, (size_t)cells, clip_cells, &j);
    if (status != LE_OK)
        return status;
    le__im_mesh_filter(&j.mesh, filter, j.mesh.noise + cells);
    return le_parallel_for(call, (size_t)image->shape[0], write_lines, &j);
}

/* The maps of f64 pixels as the operation rounds them: to f32. */
bool le__im_background_reference(le_call *call, const double *pixels, const le__im_shape *shape,
                                 int64_t cell, double *background, double *noise) {
    job j = {.call = call,
             .image = pixels,
             .dtype = LE_F64,
             .mesh = le__im_mesh_of(shape->rows, shape->cols, cell),
             .plain = true};
    double *const maps[] = {background, noise};
    const int64_t filter = 3;
    if (!make_room(&j, filter))
        return false;
    clip_cells(&j, 0, (size_t)(j.mesh.down * j.mesh.across), 0);
    le__im_mesh_filter(&j.mesh, filter, j.mesh.noise + j.mesh.down * j.mesh.across);
    for (int64_t i = 0; i < shape->rows * shape->cols; i++)
        for (int k = 0; k < 2; k++) {
            if (i % shape->cols == 0)
                le__im_mesh_line(&j.mesh, k ? j.mesh.noise : j.mesh.background, i / shape->cols,
                                 maps[k] + i);
            maps[k][i] = (double)(float)maps[k][i];
        }
    return true;
}

static le_status run_plain(le_call *call) {
    return run_as(call, true);
}

static le_status run_sorted(le_call *call) {
    return run_as(call, false);
}

LE_IMPLEMENTATION(background_mesh, reference, .run_type = "reference",
                  .summary = "cells clipped pass by pass",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.4,
                  .run = run_plain);
LE_IMPLEMENTATION(background_mesh, c, .run_type = "c", .summary = "cells sorted once",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1, .run = run_sorted);
