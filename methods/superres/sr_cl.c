/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * OpenCL helpers of the family; see sr_cl.h.
 */
#include "sr_cl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const size_t le__sr_cl_group[3] = {64, 1, 1};

bool le__sr_cl_takes(const le_call *call, int arg, const char **why) {
    const le__sr_stack s = le__sr_stack_of(le_call_in(call, arg));
    *why = "2^31 pixels a frame, or more";
    return s.rows * s.cols <= INT32_MAX;
}

void le__sr_cl_options(const le_call *call, le_dtype dtype, char out[160], const char *more, ...) {
    const le_cl_info *info = le_cl_device(call);
    const int n =
        snprintf(out, 160, "-DT=%s%s ", le_dtype_cl_type(dtype), info->has_f64 ? " -DF64" : "");
    va_list list;
    va_start(list, more);
    vsnprintf(out + n, 160 - (size_t)n, more, list);
    va_end(list);
}

le_status le__sr_cl_launch(le_call *call, const le_cl_source *source, const char *kernel,
                           const char *options, int ndim, const size_t *global,
                           const le_cl_karg *args, size_t n_args) {
    le_cl_kernel *built;
    le_status status = le_cl_get_kernel(call, source, kernel, options, &built);
    return status == LE_OK ? le_cl_launch(call, built, ndim, global, le__sr_cl_group, args, n_args)
                           : status;
}

le__sr_cl_shape le__sr_cl_shape_of(const le__sr_tables *t) {
    const le__sr_rgc *p = &t->rgc;
    return (le__sr_cl_shape){
        .rows = (int32_t)p->rows,
        .cols = (int32_t)p->cols,
        .m = p->magnification,
        .reach = p->reach,
        .pad = (int32_t)t->pad,
        .plane = (int32_t)t->plane,
        .last_row = (int32_t)p->last_row,
        .last_col = (int32_t)p->last_col,
        .half_floats = (int32_t)((2 * p->rows + 2 * p->reach + 1) * LE__SR_HALF_ROW(t)),
        .frames = 1,
        .frame_stride = (int32_t)(p->rows * p->cols * p->magnification * p->magnification),
        .sensitivity = (float)p->sensitivity,
    };
}

/* From the output pixel to tap i of a phase, in pixels of 1/2M: whole numbers. */
static void whole_offset(const le__sr_tables *t, int phase, size_t i, float *x, float *y) {
    const int64_t m = t->rgc.magnification, row = LE__SR_HALF_ROW(t),
                  at = t->tap_offset[i] + t->pad + t->rgc.reach * row, ky = at / row - t->rgc.reach,
                  odd = at % row >= t->plane, kx = 2 * (at % row - odd * t->plane - t->pad) + odd;
    *x = (float)(kx * m - (2 * (phase % m) + 1));
    *y = (float)(ky * m - (2 * (phase / m) + 1));
}

/* (direction x, y, weight, offset as bits) a tap */
static le_status upload_taps(le_call *call, const le__sr_tables *t, bool few, size_t phases,
                             le_cl_buffer **out) {
    const size_t n = (size_t)t->tap_end[phases - 1];
    float *packed = le_call_scratch(call, (n + 1) * 4 * sizeof *packed);
    if (!packed)
        return le_fail(LE_ERR_MEMORY, "esrrf: no memory for %zu taps", n);
    for (size_t i = 0; i < n; i++) {
        packed[4 * i] = t->tap_x[i];
        packed[4 * i + 1] = t->tap_y[i];
        packed[4 * i + 2] = t->tap_w[i];
        memcpy(packed + 4 * i + 3, &t->tap_offset[i], sizeof(float));
    }
    for (size_t phase = 0, i = 0; few && phase < phases; phase++)
        for (; i < (size_t)t->tap_end[phase]; i++)
            whole_offset(t, (int)phase, i, packed + 4 * i, packed + 4 * i + 1);
    return le__cl_table(call, packed, (n + 1) * 4 * sizeof *packed, out);
}

le_status le__sr_cl_tables_upload(le_call *call, const le__sr_tables *t, bool few,
                                  le__sr_cl_tables *out) {
    const size_t m = (size_t)t->rgc.magnification, plane = (size_t)t->plane;
    int32_t ranges[2 * LE__SR_MAX_MAGNIFICATION];
    for (size_t px = 0; px < m; px++) {
        ranges[px] = (int32_t)t->first_x[px];
        ranges[m + px] = (int32_t)t->end_x[px];
    }
    const size_t rows = (size_t)t->rgc.rows * m;
    int32_t last = (int32_t)m - 1;
    for (size_t y = 0; y < rows; y++)
        last = t->factor_row[y] > last ? t->factor_row[y] : last;
    le_status status = upload_taps(call, t, few, m * m, &out->taps);
    if (status == LE_OK)
        status = le__cl_table(call, t->tap_end, m * m * 4, &out->tap_end);
    if (status == LE_OK)
        status = le__cl_table(call, t->factor_row, rows * 4, &out->factor_row);
    if (status == LE_OK)
        status = le__cl_table(call, t->factor, (size_t)(last + 1) * m * plane * 4, &out->factor);
    if (status == LE_OK)
        status = le__cl_table(call, ranges, 2 * m * 4, &out->ranges);
    if (status == LE_OK)
        status = le__cl_table(call, t->col_weight, 4 * m * plane * 4, &out->col_weight);
    if (status == LE_OK)
        status = le__cl_table(call, t->col_shift, m * 4, &out->col_shift);
    return status;
}

int le__sr_cl_width(const le_call *call) {
    const le_cl_info *info = le_cl_device(call);
    if (!info->is_cpu)
        return 1;
    return info->vector_width_f32 >= 16 ? 16 : info->vector_width_f32 >= 8 ? 8 : 4;
}
