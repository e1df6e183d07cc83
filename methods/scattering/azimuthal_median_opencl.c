/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * azimuthal_median on an OpenCL device. The ends of the band are found between pixels drawn by lot:
 * each look at a ring tells the length before one of them.
 */
#include "scattering/azimuthal_median.h"

#include "scattering/device_rings.h"

static const le_tunable tunables[] = {LE__SC_TEAM};
static const le_cl_source *const sources[] = {&le_cl_scattering_rings, NULL};

static const char options[] = "-DPART=1";

typedef struct bands {
    le__sc_device_rings device;
    le_cl_kernel *find;
    le_cl_buffer *places, *lengths;
} bands;

static le_status find_places(le_call *call, const bands *b) {
    const le__sc_device_rings *d = &b->device;
    const le_cl_karg kargs[] = {LE_CL_BUF(d->rows.shares), LE_CL_BUF(d->rows.factor),
                                LE_CL_BUF(d->pixels),      LE_CL_BUF(b->places),
                                LE_CL_BUF(b->lengths),     LE_CL_U32((uint32_t)d->parts),
                                LE_CL_STRUCT(&d->shape)};
    return le__sc_device_parts_run(call, d, b->find, kargs, 7);
}

static le_status add_bands(le_call *call, const bands *b) {
    const le__sc_device_rings *d = &b->device;
    const le__sc_band band = le__sc_band_in(le__sc_band_of(call), 1);
    struct {
        float from[2], to[2];
    } quantiles;
    le__sc_two_floats(band.from, quantiles.from);
    le__sc_two_floats(band.to, quantiles.to);
    const le_cl_karg kargs[] = {LE_CL_BUF(d->rows.rows),   LE_CL_BUF(d->rows.shares),
                                LE_CL_BUF(d->rows.factor), LE_CL_BUF(d->pixels),
                                LE_CL_BUF(b->places),      LE_CL_BUF(b->lengths),
                                LE_CL_BUF(d->sums),        LE_CL_U32((uint32_t)d->parts),
                                LE_CL_STRUCT(&quantiles),  LE_CL_STRUCT(&d->shape)};
    return le__sc_device_rings_run(call, d, kargs, 10);
}

static le_status run_batch(le_call *call, void *cookie, int64_t first, int64_t n) {
    const bands *b = cookie;
    const le__sc_device_rings *d = &b->device;
    le_status status = find_places(call, b);
    if (status == LE_OK)
        status = add_bands(call, b);
    if (status == LE_OK)
        status = le__sc_device_rings_fetch(call, d);
    for (int64_t f = 0; status == LE_OK && f < n; f++)
        for (int64_t bin = 0; bin < d->rows.table.n_bins; bin++) {
            double refused;
            const le__sc_sums sums = le__sc_device_ring(call, d, f, bin, &refused);
            le__sc_put(call, first + f, bin, &sums);
        }
    return status;
}

static le_status open_bands(le_call *call, bands *b) {
    enum { EACH = sizeof(le__sc_device_number) + sizeof(float) };
    le__sc_device_rings *d = &b->device;
    char all[96];
    le_status status =
        le__sc_device_rings_open(call, "band", options, le_call_param(call, 0), EACH, d);
    if (status != LE_OK)
        return status;
    le__sc_device_rings_options(d, options, all, sizeof all);
    status = le_cl_get_kernel(call, &le_cl_scattering_rings, "find_places", all, &b->find);
    const size_t parts = (size_t)(d->batch * d->parts) + 1;
    if (status == LE_OK)
        status = le_cl_scratch(call, parts * sizeof(le__sc_device_number), &b->places);
    if (status == LE_OK)
        status = le_cl_scratch(call, parts * sizeof(float), &b->lengths);
    return status == LE_OK ? le__sc_outputs_to_host(call) : status;
}

static le_status run(le_call *call) {
    bands b = {0};
    le_status status = open_bands(call, &b);
    return status == LE_OK ? le__sc_device_rings_all(call, &b.device, run_batch, &b) : status;
}

LE__SC_DEVICE_RINGS(azimuthal_median,
                    "frames put into rows, ends of the band drawn by lot, a team a ring");
