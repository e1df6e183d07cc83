/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * background_mesh on an OpenCL device: a work-group each cell.
 */
#include "imaging/background.h"
#include "imaging/clip_opencl.h"

#include "common/opencl.h"

#include <stdio.h>

extern const le_cl_source le_cl_imaging_mesh_cells, le_cl_imaging_mesh_maps;
static const le_cl_source *const sources[] = {&le_cl_imaging_mesh_cells, &le_cl_imaging_mesh_maps,
                                              NULL};

/* Cells of few pixels are clipped by work-groups of SMALL. */
enum { SMALL = 64, SMALL_DIGIT = 8, GROUP = 256, DIGIT = 11, FEW_PIXELS = 1024 };

/* mesh of mesh.clh */
typedef struct mesh {
    int64_t rows, cols;
    int32_t down, across;
} mesh;

typedef struct job {
    le_call *call;
    le_dtype dtype;
    mesh mesh;
    int32_t cells;
    bool small;
    /* of each cell, and the same filtered */
    le_cl_buffer *background, *noise, *filtered_background, *filtered_noise;
} job;

static le__im_mesh mesh_of(const le_call *call) {
    const le_tensor *image = le_call_in(call, BACKGROUND_IMAGE);
    return le__im_mesh_of(image->shape[0], image->shape[1], le_call_i64(call, BACKGROUND_CELL));
}

static int64_t cells_of(const le_call *call) {
    const le__im_mesh m = mesh_of(call);
    return m.down * m.across;
}

static le_status open_job(le_call *call, job *j) {
    const le__im_mesh m = mesh_of(call);
    *j = (job){.call = call,
               .dtype = le_call_in(call, BACKGROUND_IMAGE)->dtype,
               .mesh = {m.rows, m.cols, (int32_t)m.down, (int32_t)m.across},
               .cells = (int32_t)(m.down * m.across),
               .small = m.rows / m.down * (m.cols / m.across) < FEW_PIXELS};
    le_cl_buffer **const buffers[] = {&j->background, &j->noise, &j->filtered_background,
                                      &j->filtered_noise};
    le_status status = LE_OK;
    for (int k = 0; k < 4 && status == LE_OK; k++)
        status = le_cl_scratch(call, (size_t)j->cells * sizeof(double), buffers[k]);
    return status;
}

static le_status cells(const job *j, const char *kernel, le_dtype dtype, size_t groups,
                       const le_cl_karg *args, size_t n_args) {
    const int group = j->small ? SMALL : GROUP;
    char options[96];
    le__im_key_options(dtype, j->small ? SMALL_DIGIT : DIGIT, group, options, sizeof options);
    return le__cl_groups(j->call, &le_cl_imaging_mesh_cells, kernel, options, groups, (size_t)group,
                         args, n_args);
}

static le_status clip_cells(const job *j) {
    const le__im_cl_clip clip = le__im_cl_clip_of(&le__im_cell_clip);
    const le_cl_karg args[] = {LE_CL_ARG(BACKGROUND_IMAGE), LE_CL_STRUCT(&j->mesh),
                               LE_CL_STRUCT(&clip), LE_CL_BUF(j->background), LE_CL_BUF(j->noise)};
    return cells(j, "clip_cells", j->dtype, (size_t)j->cells, args, 5);
}

/* Every integer is finite: no cell is without a value. */
static le_status fill_gaps(const job *j) {
    enum { MAPS = 2 };
    const le_cl_karg args[] = {LE_CL_BUF(j->background), LE_CL_BUF(j->noise), LE_CL_I32(j->cells)};
    const bool gaps = j->dtype == LE_F32 || j->dtype == LE_F64;
    return gaps ? cells(j, "fill_gaps", LE_F64, MAPS, args, 3) : LE_OK;
}

static le_status write_maps(const job *j) {
    const size_t groups = (size_t)((j->mesh.cols + GROUP - 1) / GROUP * j->mesh.rows);
    const int32_t filter = (int32_t)le_call_i64(j->call, BACKGROUND_FILTER);
    const le_cl_karg about[] = {LE_CL_STRUCT(&j->mesh),
                                LE_CL_I32(filter),
                                LE_CL_BUF(j->background),
                                LE_CL_BUF(j->noise),
                                LE_CL_BUF(j->filtered_background),
                                LE_CL_BUF(j->filtered_noise)};
    const le_cl_karg maps[] = {LE_CL_STRUCT(&j->mesh), LE_CL_BUF(j->filtered_background),
                               LE_CL_BUF(j->filtered_noise), LE_CL_ARG(BACKGROUND_BACKGROUND),
                               LE_CL_ARG(BACKGROUND_NOISE)};
    char options[64];
    snprintf(options, sizeof options, "-DB=%s -DN=%s -DGROUP=%d",
             le_dtype_cl_type(le_call_out(j->call, BACKGROUND_BACKGROUND)->dtype),
             le_dtype_cl_type(le_call_out(j->call, BACKGROUND_NOISE)->dtype), GROUP);
    const le_status status =
        le__cl_groups(j->call, &le_cl_imaging_mesh_maps, "filter_cells", options,
                      (size_t)(j->cells + GROUP - 1) / GROUP, GROUP, about, 6);
    return status == LE_OK ? le__cl_groups(j->call, &le_cl_imaging_mesh_maps, "write_maps", options,
                                           groups, GROUP, maps, 5)
                           : status;
}

static le_status run(le_call *call) {
    job j;
    le_status status = open_job(call, &j);
    if (status == LE_OK)
        status = clip_cells(&j);
    if (status == LE_OK)
        status = fill_gaps(&j);
    return status == LE_OK ? write_maps(&j) : status;
}

static bool applicable(const le_call *call, const char **why) {
    const le_cl_info *device = le_cl_device(call);
    const le__im_mesh m = mesh_of(call);
    *why = "no pixels, or too many for the kernels";
    if (m.rows < 1 || m.cols < 1 || m.down * m.across > INT32_MAX ||
        (m.rows / m.down + 1) * (m.cols / m.across + 1) > INT32_MAX)
        return false;
    *why = "sums need double precision";
    if (device && !device->has_f64)
        return false;
    *why = "work-groups of 256 are not possible";
    return le__cl_takes_group(call, GROUP);
}

static int64_t memory(const le_call *call) {
    return 4 * cells_of(call) * (int64_t)sizeof(double);
}

LE_IMPLEMENTATION(background_mesh, opencl,
                  LE__CL_FIELDS(15, "a work-group each cell, middles digit by digit"),
                  .applicable = applicable, .memory = memory);
