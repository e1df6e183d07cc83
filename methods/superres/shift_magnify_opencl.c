/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_magnify on an OpenCL device: weights from the host, a work-item an output pixel.
 */
#include "shift_magnify.h"
#include "sr_cl.h"

extern const le_cl_source le_cl_superres_shift_magnify;

typedef struct device_axis {
    le_cl_buffer *first, *weight;
} device_axis;

static le_status upload(le_call *call, const le__sr_axis *a, int taps, device_axis *out) {
    const size_t n = (size_t)a->n_out;
    float *weight = le_call_scratch(call, n * (size_t)taps * sizeof *weight);
    int32_t *first = le_call_scratch(call, n * sizeof *first);
    if (!weight || !first)
        return le_fail(LE_ERR_MEMORY, "shift_magnify: no memory for the tables of weights");
    for (size_t i = 0; i < n; i++) {
        first[i] = a->hi[i] > a->lo[i] ? a->first[i] : -taps; /* all outside */
        for (int k = 0; k < taps; k++)
            weight[i * (size_t)taps + (size_t)k] = (float)a->weight[LE__SR_TAPS * i + (size_t)k];
    }
    le_status status = le__cl_table(call, first, n * sizeof *first, &out->first);
    if (status == LE_OK)
        status = le__cl_table(call, weight, n * (size_t)taps * sizeof *weight, &out->weight);
    return status;
}

static le_status tables(le_call *call, le__sr_kind kind, int taps, const le__sr_stack *in,
                        const le__sr_stack *to, device_axis *rows, device_axis *cols) {
    le__sr_axis r, c;
    le_status status = le__sr_axis_make(call, kind, in->rows, to->rows,
                                        (float)le_call_f64(call, MAGNIFY_MAGNIFICATION_ROW),
                                        (float)le_call_f64(call, MAGNIFY_SHIFT_ROW), &r);
    if (status == LE_OK)
        status = le__sr_axis_make(call, kind, in->cols, to->cols,
                                  (float)le_call_f64(call, MAGNIFY_MAGNIFICATION_COL),
                                  (float)le_call_f64(call, MAGNIFY_SHIFT_COL), &c);
    if (status == LE_OK)
        status = upload(call, &r, taps, rows);
    if (status == LE_OK)
        status = upload(call, &c, taps, cols);
    return status;
}

static le_status run(le_call *call) {
    const le__sr_stack in = le__sr_stack_of(le_call_in(call, MAGNIFY_IMAGE));
    const le__sr_stack to = le__sr_stack_of(le_call_out(call, MAGNIFY_RESULT));
    const le__sr_kind kind = le__sr_kind_of(le_call_str(call, MAGNIFY_INTERPOLATOR));
    const int taps = le__sr_taps(kind);
    char options[160];
    le__sr_cl_options(call, in.dtype, options, "-DTAPS=%d", taps);
    device_axis rows, cols;
    le_status status = tables(call, kind, taps, &in, &to, &rows, &cols);
    if (status != LE_OK)
        return status;
    const size_t global[3] = {(size_t)to.cols, (size_t)to.rows, (size_t)to.frames};
    const le_cl_karg args[] = {LE_CL_ARG(MAGNIFY_IMAGE),    LE_CL_ARG(MAGNIFY_RESULT),
                               LE_CL_BUF(rows.first),       LE_CL_BUF(rows.weight),
                               LE_CL_BUF(cols.first),       LE_CL_BUF(cols.weight),
                               LE_CL_I32((int32_t)in.rows), LE_CL_I32((int32_t)in.cols),
                               LE_CL_I32((int32_t)to.rows), LE_CL_I32((int32_t)to.cols)};
    return le__sr_cl_launch(call, &le_cl_superres_shift_magnify, "magnify", options, 3, global,
                            args, sizeof args / sizeof args[0]);
}

static bool applicable(const le_call *call, const char **why) {
    return le__sr_cl_takes(call, MAGNIFY_IMAGE, why);
}

static const le_cl_source *const sources[] = {&le_cl_superres_shift_magnify, NULL};

LE_IMPLEMENTATION(shift_magnify, opencl,
                  LE__CL_FIELDS(20, "tables of weights; a work-item an output pixel"),
                  .applicable = applicable);
