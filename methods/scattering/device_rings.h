/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations on rings on an OpenCL device: launches of cl/scattering/rings.cl, in batches of
 * frames.
 */
#ifndef LE_SCATTERING_DEVICE_RINGS_H
#define LE_SCATTERING_DEVICE_RINGS_H

#include "scattering/device_rows.h"
#include "scattering/device_sums.h"

extern const le_cl_source le_cl_scattering_rings;

/* What is written for a ring of a frame. */
enum {
    SC_RING_SIGNAL,
    SC_RING_NORMALIZATION,
    SC_RING_NORMALIZATION2,
    SC_RING_COUNT,
    SC_RING_REFUSED,
    SC_RING_VARIANCE,
    SC_RING_SUMS
};

typedef struct le__sc_device_rings {
    le__sc_rows rows;
    int64_t parts, batch; /* of all rows; frames at once */
    le_cl_kernel *load, *run;
    le_cl_buffer *pixels;          /* float2: signal and variance of each part in each frame */
    le_cl_buffer *sums;            /* of a batch */
    le__sc_device_number *numbers; /* the same on the host */
    le__sc_shape shape;            /* of the present batch */
    /* For the spread about the mean, which is a launch of its own */
    le_cl_kernel *spread;
    le_cl_buffer *means, *spreads;
    le__sc_device_number *mean;
    size_t team, group;
} le__sc_device_rings;

/* For run. run: a kernel of cl/scattering/rings.cl, with these options; space: bytes that a part
 * has on the device beside its pixel while its frame is under way. */
le_status le__sc_device_rings_open(le_call *call, const char *run, const char *options,
                                   int64_t team, size_t space, le__sc_device_rings *out);
/* For kernels that see no values: the options of the others, for le_cl_get_kernel. */
void le__sc_device_rings_options(const le__sc_device_rings *d, const char *options, char *out,
                                 size_t size);
/* Frames [first, first + n), whose pixels are in their rows. */
typedef le_status (*le__sc_device_batch_fn)(le_call *call, void *cookie, int64_t first, int64_t n);
/* All frames of the call, batch by batch, and its axes. */
le_status le__sc_device_rings_all(le_call *call, le__sc_device_rings *d,
                                  le__sc_device_batch_fn batch, void *cookie);
/* A team for each ring of these frames. */
le_status le__sc_device_rings_run(le_call *call, const le__sc_device_rings *d,
                                  const le_cl_karg *kargs, size_t n_kargs);
/* A work-item for each part of these frames. */
le_status le__sc_device_parts_run(le_call *call, const le__sc_device_rings *d, le_cl_kernel *kernel,
                                  const le_cl_karg *kargs, size_t n_kargs);
/* Waits for the sums of these frames; those of a ring of one of them are then had by the last. */
le_status le__sc_device_rings_fetch(le_call *call, const le__sc_device_rings *d);
le__sc_sums le__sc_device_ring(const le_call *call, const le__sc_device_rings *d, int64_t frame,
                               int64_t bin, double *refused);
int64_t le__sc_device_rings_memory(const le_call *call);
bool le__sc_device_rings_takes(const le_call *call, const char **why);

#define LE__SC_DEVICE_RINGS(operation, the_summary)                                                \
    LE_IMPLEMENTATION(                                                                             \
        operation, opencl, .run_type = "opencl", .summary = the_summary,                           \
        .device = LE_DEVICE_OPENCL, .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_F64_ANYWHERE,          \
        .speed = 20, .tunables = tunables, .n_tunables = 1, .sources = sources,                    \
        .applicable = le__sc_device_rings_takes, .memory = le__sc_device_rings_memory, .run = run)

#endif
