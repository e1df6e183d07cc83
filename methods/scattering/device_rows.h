/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The table of shares by bins, kept on an OpenCL device: each bin's row has its pixels, in their
 * order, with their shares. And what the kernels of such rows take and give.
 */
#ifndef LE_SCATTERING_DEVICE_ROWS_H
#define LE_SCATTERING_DEVICE_ROWS_H

#include "scattering/turn.h"

typedef struct le__sc_rows {
    le__sc_table table;      /* on the host, as the next two */
    le__sc_turn turn;        /* of the table here */
    const le__sc_sums *sums; /* as the table's, by the device's arithmetic: a bin that loses nearly
                                all of its pixels has the right rest; NULL for rings */
    le_cl_buffer *rows;      /* where each begins, and the end of the last */
    le_cl_buffer *shares;    /* uint2: pixel, bits of the share */
    le_cl_buffer *factor; /* of each pixel the normalization; where pixels are not weighted one over
                             it, but for rings */
    le_cl_buffer *dark, *variance; /* one a pixel; NULL: as in the table */
} le__sc_rows;

/* For run, on a device. rings: for work on all pixels of a row together, not for sums. */
le_status le__sc_rows_of(le_call *call, bool rings, le__sc_rows *out);

static inline int64_t le__sc_rows_parts(const le__sc_rows *rows) {
    return le__sc_turn_begin(&rows->turn, rows->table.n_bins);
}

/* shape of cl/scattering/rows.clh */
typedef struct le__sc_shape {
    int64_t stride;
    int32_t bins, frames, first, weighted, counting;
    float dummy, delta, limit;
} le__sc_shape;

le__sc_shape le__sc_shape_of(const le_call *call, int64_t stride, int64_t frames, int64_t first);
/* MODEL of kernels. */
int le__sc_device_model(const le_call *call);

/* sum of cl/scattering/sum.clh: two floats, or a double in their place. */
typedef union le__sc_device_number {
    float parts[2];
    double whole;
} le__sc_device_number;

/* The other way, for kernels that are the same with and without doubles. */
static inline void le__sc_two_floats(double x, float out[2]) {
    out[0] = (float)x;
    out[1] = (float)(x - (double)out[0]);
}

double le__sc_device_value(const le_call *call, const le__sc_device_number *x);
/* A number as kernels take it; INFINITY is one. */
le__sc_device_number le__sc_device_number_of(const le_call *call, double x);

/* Before results are put: they are written on the host. */
le_status le__sc_outputs_to_host(le_call *call);
/* Bytes on the device, about. */
int64_t le__sc_rows_bytes(const le_call *call);

#endif
