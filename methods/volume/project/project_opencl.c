/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `project` on OpenCL devices: a pixel a work-item across lines, a pixel a work-group along them;
 * compensated sums.
 */
#include "volume/opencl.h"
#include "volume/project/project.h"

extern const le_cl_source le_cl_volume_project;
static const le_cl_source *const sources[] = {&le_cl_volume_project, NULL};

enum { LINE_ITEMS = 64 };

typedef struct map {
    le_cl_buffer *knots;
    int32_t n;
} map;

static le_status upload_map(le_call *call, const le__colormap *colors, map *out) {
    double knots[LE__COLORMAP_KNOTS][4];
    float list[LE__COLORMAP_KNOTS][8] = {{0}};
    out->n = colors ? le__colormap_knots(colors, knots) : 0;
    for (int i = 0; i < out->n; i++) {
        list[i][0] = (float)knots[i][0];
        for (int c = 0; c < 3; c++)
            list[i][4 + c] = (float)knots[i][1 + c];
    }
    return le__cl_table(call, list, sizeof list, &out->knots);
}

static le_status launch_along(le_call *call, le_cl_kernel *kernel, const map *m) {
    const le__project *p = le_call_attached(call);
    const int64_t *n = le_call_in(call, ARG_VOLUME)->shape;
    size_t pixels = (size_t)(n[0] * n[1]), global = pixels * LINE_ITEMS, local = LINE_ITEMS;
    const le_cl_karg kargs[] = {LE_CL_ARG(ARG_VOLUME),
                                LE_CL_ARG(ARG_IMAGE),
                                LE_CL_BUF(m->knots),
                                LE_CL_I32(m->n),
                                LE_CL_I32((int32_t)n[2]),
                                LE_CL_I64((int64_t)pixels),
                                LE_CL_F32((float)p->limits[0]),
                                LE_CL_F32((float)p->limits[1]),
                                LE_CL_LOCAL(LINE_ITEMS * sizeof(float))};
    return le_cl_launch(call, kernel, 1, &global, &local, kargs, 9);
}

static le_status launch_across(le_call *call, le_cl_kernel *kernel, const map *m) {
    const le__project *p = le_call_attached(call);
    const int64_t *n = le_call_in(call, ARG_VOLUME)->shape;
    int64_t plane = n[1] * n[2], rows = n[p->rows];
    const size_t global[2] = {(size_t)n[2], (size_t)rows}, local[2] = {32, 4};
    const le_cl_karg kargs[] = {LE_CL_ARG(ARG_VOLUME),
                                LE_CL_ARG(ARG_IMAGE),
                                LE_CL_BUF(m->knots),
                                LE_CL_I32(m->n),
                                LE_CL_I32((int32_t)n[p->axis]),
                                LE_CL_I32((int32_t)rows),
                                LE_CL_I32((int32_t)n[2]),
                                LE_CL_I64(p->axis == 0 ? n[2] : plane),
                                LE_CL_I64(p->axis == 0 ? plane : n[2]),
                                LE_CL_F32((float)p->limits[0]),
                                LE_CL_F32((float)p->limits[1])};
    return le_cl_launch(call, kernel, 2, global, local, kargs, 11);
}

static le_status run(le_call *call) {
    const le__project *p = le_call_attached(call);
    le_dtype dtype = le_call_in(call, ARG_VOLUME)->dtype, out = le_call_out(call, ARG_IMAGE)->dtype;
    le_cl_kernel *kernel;
    map m;
    le_status status = le__volume_cl_kernel(
        call, &le_cl_volume_project, p->axis == 2 ? "along" : "across", dtype, out, &kernel,
        "-DREDUCE=%d -DLOG=%d -DMAP=%d -DTABLE=1", (int)p->reduce, p->log, p->map != NULL);
    if (status == LE_OK)
        status = upload_map(call, p->map, &m);
    if (status != LE_OK)
        return status;
    return p->axis == 2 ? launch_along(call, kernel, &m) : launch_across(call, kernel, &m);
}

LE_IMPLEMENTATION(project, opencl,
                  LE__CL_FIELDS(20.0, "OpenCL, compensated sums in single precision"));
