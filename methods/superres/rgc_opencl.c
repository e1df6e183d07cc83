/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * radial_gradient_convergence on an OpenCL device.
 */
#include "radial_gradient_convergence.h"
#include "sr_cl_convergence.h"

static le_status split(le_call *call, const le__rgc_call *c, const le__sr_cl_convergence *v) {
    const le__sr_cl_shape *shape = &v->shape;
    char options[160];
    le__sr_cl_options(call, c->col.dtype, options, "-DVW=1 -DWEIGHTING=0 -DTEMPORAL=0%s",
                      v->few ? " -DFEW" : "");
    const size_t global[3] = {(size_t)(2 * shape->cols + 1), (size_t)(2 * shape->rows + 1),
                              (size_t)shape->frames};
    const le_cl_karg args[] = {LE_CL_ARG(RGC_GRADIENT_COL), LE_CL_ARG(RGC_GRADIENT_ROW),
                               LE_CL_BUF(v->half), LE_CL_STRUCT(shape)};
    return le__sr_cl_launch(call, &le_cl_superres_convergence, "split_gradients", options, 3,
                            global, args, 4);
}

/* Errors are measured by the largest value: only of few pixels may all be next to nothing. */
enum { FEW_PIXELS = 64 };

static bool is_few(const le__rgc_call *c) {
    return c->image.frames * c->rgc.rows * c->rgc.cols < FEW_PIXELS;
}

static le_status run(le_call *call) {
    const le__rgc_call c = le__rgc_call_of(call);
    le__sr_cl_convergence v = {.weighting = c.rgc.weighting ? LE__SR_CL_FULL : LE__SR_CL_UNWEIGHTED,
                               .dtype = c.image.dtype,
                               .few = is_few(&c),
                               .image = RGC_IMAGE,
                               .result = RGC_RESULT};
    le_status status = le__sr_cl_convergence_open(call, &c.rgc, c.image.frames, &v);
    for (int64_t f = 0; status == LE_OK && f < c.image.frames; f += v.batch) {
        v.shape.first_frame = (int32_t)f;
        v.shape.frames = (int32_t)(c.image.frames - f < v.batch ? c.image.frames - f : v.batch);
        status = split(call, &c, &v);
        if (status == LE_OK)
            status = le__sr_cl_convergence_launch(call, &v, 0);
    }
    return status;
}

static bool applicable(const le_call *call, const char **why) {
    const le__rgc_call c = le__rgc_call_of(call);
    if (!le__sr_cl_convergence_takes(&c.rgc, why))
        return false;
    *why = "arguments of different dtypes";
    const le_dtype dtype = le_call_in(call, RGC_GRADIENT_COL)->dtype;
    return le_call_in(call, RGC_GRADIENT_ROW)->dtype == dtype;
}

static int64_t memory(const le_call *call) {
    const le__rgc_call c = le__rgc_call_of(call);
    return le__sr_cl_convergence_bytes(&c.rgc, c.image.frames, LE__SR_NONE);
}

static const le_cl_source *const sources[] = {&le_cl_superres_convergence, NULL};

LE_IMPLEMENTATION(radial_gradient_convergence, opencl,
                  LE__CL_FIELDS(40, "tables of weights; a work-item a whole pixel of a row"),
                  .applicable = applicable, .memory = memory);
