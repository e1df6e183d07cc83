/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Macro-pixel correction on a device; see sr_cl_correction.h.
 */
#include "sr_cl_correction.h"

typedef struct kernels {
    le_cl_kernel *row_sums, *phase_means, *divide;
} kernels;

static le_status build(le_call *call, le_dtype dtype, kernels *k) {
    const le_cl_source *source = &le_cl_superres_macro_pixel_correction;
    char options[160];
    le__sr_cl_options(call, dtype, options, " ");
    le_status status = le_cl_get_kernel(call, source, "row_sums", options, &k->row_sums);
    if (status == LE_OK)
        status = le_cl_get_kernel(call, source, "phase_means", options, &k->phase_means);
    if (status == LE_OK)
        status = le_cl_get_kernel(call, source, "divide", options, &k->divide);
    return status;
}

le_status le__sr_cl_correct(le_call *call, int in, le_dtype dtype, int out, int64_t frames,
                            int64_t rows, int64_t cols, int64_t m) {
    kernels k;
    le_cl_buffer *sums, *means;
    const size_t wide = le_cl_device(call)->has_f64 ? 8 : 4;
    const size_t phases = (size_t)(frames * m * m);
    le_status status = build(call, dtype, &k);
    if (status == LE_OK)
        status = le_cl_scratch(call, (size_t)(frames * rows * m) * wide, &sums);
    if (status == LE_OK)
        status = le_cl_scratch(call, phases * sizeof(float), &means);
    if (status != LE_OK)
        return status;
    const size_t group[3] = {(size_t)m * (64 / (size_t)m), 1, 1};
    const size_t one_a_row[3] = {group[0], (size_t)rows, (size_t)frames};
    const size_t pixels[3] = {(size_t)cols, (size_t)rows, (size_t)frames};
    const le_cl_karg of_rows[] = {LE_CL_ARG(in),
                                  LE_CL_BUF(sums),
                                  LE_CL_LOCAL(group[0] * wide),
                                  LE_CL_I32((int32_t)rows),
                                  LE_CL_I32((int32_t)cols),
                                  LE_CL_I32((int32_t)m)};
    const le_cl_karg of_phases[] = {LE_CL_BUF(sums),          LE_CL_BUF(means),
                                    LE_CL_I32((int32_t)rows), LE_CL_I32((int32_t)cols),
                                    LE_CL_I32((int32_t)m),    LE_CL_I32((int32_t)phases)};
    const le_cl_karg of_pixels[] = {LE_CL_ARG(in),
                                    LE_CL_BUF(means),
                                    LE_CL_ARG(out),
                                    LE_CL_I32((int32_t)rows),
                                    LE_CL_I32((int32_t)cols),
                                    LE_CL_I32((int32_t)m)};
    status = le_cl_launch(call, k.row_sums, 3, one_a_row, group, of_rows, 6);
    if (status == LE_OK)
        status = le_cl_launch(call, k.phase_means, 1, &phases, le__sr_cl_group, of_phases, 6);
    if (status == LE_OK)
        status = le_cl_launch(call, k.divide, 3, pixels, le__sr_cl_group, of_pixels, 6);
    return status;
}
