/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Integration of frames on an OpenCL device: sums over bins there, means and errors on the host.
 */
#ifndef LE_SCATTERING_DEVICE_SUMS_H
#define LE_SCATTERING_DEVICE_SUMS_H

#include "scattering/device_rows.h"

extern const le_cl_source le_cl_scattering_integrate;

/* Work-items that add up a row, for le_implementation.tunables. */
enum { LE__SC_TEAMS = 4 };
extern const int64_t le__sc_teams[LE__SC_TEAMS];
#define LE__SC_TEAM                                                                                \
    { .name = "team", .values = le__sc_teams, .n_values = LE__SC_TEAMS, .default_value = 64 }

typedef struct le__sc_device {
    le__sc_rows rows;
    le_cl_kernel *kernel;
    le_cl_buffer *sums;   /* of all frames of the call */
    le_cl_buffer *totals; /* float2: normalizations, for the spread; NULL: not needed */
    int64_t n_sums, pass; /* numbers of a bin of a frame; frames that share a pass */
    size_t team, group;
    bool checks;
} le__sc_device;

/* Whether frames of this dtype can be integrated on the device of a call. */
bool le__sc_device_takes(const le_call *call, le_dtype dtype, const char **why);
/* For run. team: work-items that add up a row; pass: frames for which it is read once. */
le_status le__sc_device_open(le_call *call, le_dtype dtype, int64_t team, int64_t pass,
                             le__sc_device *out);
/* Sums of the first n frames of the values, `stride` elements apart: frames [to, to + n) of the
 * call. */
le_status le__sc_device_sum(le_call *call, const le__sc_device *d, le_cl_karg values,
                            int64_t stride, int64_t n, int64_t to);
/* Waits, and writes all results. bad: of each frame, that it cannot be read; NULL: all can. */
le_status le__sc_device_put(le_call *call, const le__sc_device *d, const bool *bad);
int64_t le__sc_device_memory(const le_call *call);

#endif
