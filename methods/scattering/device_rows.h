/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The table of shares by bins, kept on an OpenCL device: each bin's row has its pixels, in their
 * order, with their shares.
 */
#ifndef LE_SCATTERING_DEVICE_ROWS_H
#define LE_SCATTERING_DEVICE_ROWS_H

#include "scattering/table.h"

typedef struct le__sc_rows {
    le__sc_table table;      /* on the host, as the next two */
    const uint32_t *begin;   /* of each bin's row, and the end of the last */
    const le__sc_sums *sums; /* as the table's, by the device's arithmetic: a bin that loses nearly
                                all of its pixels has the right rest */
    le_cl_buffer *rows;      /* begin */
    le_cl_buffer *shares;    /* uint2: pixel, bits of the share */
    le_cl_buffer *factor; /* of each pixel the normalization; where pixels are not weighted one over
                             it */
    le_cl_buffer *dark, *variance; /* one a pixel; NULL: as in the table */
} le__sc_rows;

/* For run, on a device. */
le_status le__sc_rows_of(le_call *call, le__sc_rows *out);
/* Bytes on the device, about. */
int64_t le__sc_rows_bytes(const le_call *call);

#endif
