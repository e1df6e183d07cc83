/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the OpenCL implementations of the family share: options of the kernels, uploads of tables,
 * launches.
 */
#ifndef LE_SR_CL_H
#define LE_SR_CL_H

#include "common/opencl.h"
#include "sr_fused.h"

/* "-DT=ushort -DF64 ..." and more of the caller's, printf style. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void le__sr_cl_options(const le_call *call, le_dtype dtype, char out[160], const char *more, ...);

/* Whether kernels can number the pixels of a frame of this argument: they count in 32 bits. */
bool le__sr_cl_takes(const le_call *call, int arg, const char **why);

/* The work-group of every launch that needs no other: PoCL compiles a kernel anew for each size. */
extern const size_t le__sr_cl_group[3];
/* Gets a kernel and launches it with that work-group. */
le_status le__sr_cl_launch(le_call *call, const le_cl_source *source, const char *kernel,
                           const char *options, int ndim, const size_t *global,
                           const le_cl_karg *args, size_t n_args);

/* Sizes as the kernels take them; shape of cl/superres/esrrf.clh. */
typedef struct le__sr_cl_shape {
    int32_t rows, cols, m, reach, pad, plane, last_row, last_col, half_floats, frames, first_frame,
        frame_stride;
    float sensitivity;
} le__sr_cl_shape;

/* Device side of le__sr_tables. */
typedef struct le__sr_cl_tables {
    le_cl_buffer *taps, *tap_end, *factor_row, *factor, *ranges, *col_weight, *col_shift;
} le__sr_cl_tables;

le__sr_cl_shape le__sr_cl_shape_of(const le__sr_tables *t);
/* few: as FEW of cl/superres/convergence.cl */
le_status le__sr_cl_tables_upload(le_call *call, const le__sr_tables *t, bool few,
                                  le__sr_cl_tables *out);
/* Whole pixels of a work-item of the convergence: wide vectors on CPUs, 1 elsewhere. */
int le__sr_cl_width(const le_call *call);

#endif
