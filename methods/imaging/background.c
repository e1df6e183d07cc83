/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation background_mesh: background and noise of an image, each where it is.
 */
#include "imaging/background.h"

#include "imaging/scene.h"

#include <string.h>

static const le_arg_desc args[] = {
    [BACKGROUND_IMAGE] = {.name = "image",
                          .doc = "pixels; those not finite are left out",
                          .type = LE_TYPE_IN,
                          .dtypes = LE_DTYPES_ALL,
                          .min_ndim = 2,
                          .max_ndim = 2,
                          .shape = "[H,W]"},
    [BACKGROUND_CELL] = LE__IM_CELL_ARG,
    [BACKGROUND_FILTER] = {.name = "filter",
                           .doc = "cells, each way, of the median that each cell is replaced by",
                           .type = LE_TYPE_I64,
                           .optional = true,
                           .min = 1,
                           .max = 15,
                           .has_default = true,
                           .default_f64 = LE__IM_MESH_FILTER},
    [BACKGROUND_BACKGROUND] = {.name = "background",
                               .doc = "median of the clipped cell, linear between cells' centers",
                               .type = LE_TYPE_OUT,
                               .dtypes = LE_DTYPES_FLOAT,
                               .min_ndim = 2,
                               .max_ndim = 2,
                               .shape = "as image"},
    [BACKGROUND_NOISE] = {.name = "noise",
                          .doc = "standard deviation of the clipped cell, in the same way",
                          .type = LE_TYPE_OUT,
                          .dtypes = LE_DTYPES_FLOAT,
                          .min_ndim = 2,
                          .max_ndim = 2,
                          .shape = "as image"}};

const le__im_clip le__im_cell_clip = {.sigma_lower = 3, .sigma_upper = 3};

le__im_mesh le__im_mesh_of(int64_t rows, int64_t cols, int64_t cell) {
    return (le__im_mesh){.rows = rows,
                         .cols = cols,
                         .down = rows > cell ? rows / cell : 1,
                         .across = cols > cell ? cols / cell : 1};
}

void le__im_mesh_put(le__im_mesh *mesh, int64_t at, const le__im_clipped *c) {
    mesh->background[at] = c->median;
    mesh->noise[at] = c->std;
}

static double median(double *values, int64_t n) {
    le__im_sort(NULL, values, n, values + n);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void fill_gaps(double *values, int64_t n, double *spare) {
    int64_t known = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            spare[known++] = values[i];
    const double middle = known ? median(spare, known) : NAN;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            values[i] = middle;
}

static double neighbourhood(const le__im_mesh *m, const double *values, int64_t at, int64_t filter,
                            double *spare) {
    const int64_t y = at / m->across, x = at % m->across, reach = filter / 2;
    int64_t n = 0;
    for (int64_t i = y - reach; i < y - reach + filter; i++)
        for (int64_t j = x - reach; j < x - reach + filter; j++)
            if (i >= 0 && i < m->down && j >= 0 && j < m->across)
                spare[n++] = values[i * m->across + j];
    return median(spare, n);
}

void le__im_mesh_filter(le__im_mesh *mesh, int64_t filter, double *spare) {
    double *const maps[] = {mesh->background, mesh->noise};
    const int64_t n = mesh->down * mesh->across;
    for (int k = 0; k < 2; k++) {
        fill_gaps(maps[k], n, spare);
        for (int64_t i = 0; i < n; i++)
            spare[i] = neighbourhood(mesh, maps[k], i, filter, spare + n);
        memcpy(maps[k], spare, (size_t)n * sizeof *spare);
    }
}

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, BACKGROUND_IMAGE);
    le_status status = le_call_set_out(call, BACKGROUND_BACKGROUND, LE_F32, 2, image->shape);
    return status == LE_OK ? le_call_set_out(call, BACKGROUND_NOISE, LE_F32, 2, image->shape)
                           : status;
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *image = le_call_in(call, BACKGROUND_IMAGE);
    const double n = (double)le_tensor_count(image);
    *out = (le_work){60 * n + 1, n * (8 + (double)le_dtype_size(image->dtype))};
}

static le_status make_case(le_case *c, const le_case_request *r) {
    const le_tensor *image = le__im_scene_2d(c, r, BACKGROUND_IMAGE);
    if (!image)
        return le_case_status(c);
    if (r->like) {
        le_case_like(c, r->like);
    } else if (r->kind == LE_CASE_CHECK) {
        le_case_i64(c, "cell", 4 + r->index * 5 % 37);
        le_case_i64(c, "filter", 1 + r->index % 5);
    }
    le_case_out(c, "background", r->index % 3 == 1 ? LE_F64 : LE_F32);
    le_case_out(c, "noise", LE_F32);
    return le_case_status(c);
}

extern const le_operation le_operation_background_mesh;
const le_operation le_operation_background_mesh = {
    .abi = LE_METHOD_ABI,
    .name = "background_mesh",
    .family = "imaging",
    .summary = "background and noise of an image on a mesh of clipped cells",
    .reference = "Bertin and Arnouts, A&AS 117 (1996), 7.1, with medians and bilinear maps",
    .args = args,
    .n_args = sizeof args / sizeof args[0],
    .check = check,
    .work = work,
    .norm = LE_NORM_MAX,
    .atol = 1e-6,
    .make_case = make_case};
