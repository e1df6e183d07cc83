/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * azimuthal_sigma_clip on an OpenCL device: a launch refuses pixels and adds up the rest; the
 * limits of the next one are made here, out of few numbers and as all implementations make them.
 */
#include "scattering/azimuthal_sigma_clip.h"

#include "scattering/device_rings.h"
#include "scattering/rings.h"

#include <math.h>

static const le_tunable tunables[] = {LE__SC_TEAM};
static const le_cl_source *const sources[] = {&le_cl_scattering_rings, NULL};

typedef struct limit { /* as the kernel takes it */
    le__sc_device_number mean, most;
} limit;

typedef struct clipping {
    le__sc_device_rings device;
    le_cl_buffer *limits;
    limit *of;         /* of the rings of a batch */
    le__sc_sums *sums; /* of these */
} clipping;

static limit limit_of(const le_call *call, double mean, double most) {
    return (limit){le__sc_device_number_of(call, mean), le__sc_device_number_of(call, most)};
}

/* There is nothing to refuse any more. */
static limit done_limit(const le_call *call) {
    return limit_of(call, 0, -1);
}

static bool is_done(const le_call *call, const limit *of) {
    return le__sc_device_value(call, &of->most) < 0;
}

static le_status pass(le_call *call, const clipping *c) {
    const le__sc_device_rings *d = &c->device;
    const le_cl_karg kargs[] = {LE_CL_BUF(d->rows.rows),       LE_CL_BUF(d->rows.shares),
                                LE_CL_BUF(d->rows.factor),     LE_CL_BUF(d->pixels),
                                LE_CL_BUF(c->limits),          LE_CL_BUF(d->sums),
                                LE_CL_U32((uint32_t)d->parts), LE_CL_STRUCT(&d->shape)};
    const size_t rings = (size_t)(d->shape.frames * d->rows.table.n_bins);
    le_status status = le_cl_upload(call, c->limits, 0, c->of, rings * sizeof *c->of);
    if (status == LE_OK)
        status = le__sc_device_rings_run(call, d, kargs, 8);
    return status == LE_OK ? le__sc_device_rings_fetch(call, d) : status;
}

/* Limits that follow from the sums. Where the device's numbers cannot tell one from 0, all pixels
 * are at the mean to them. */
static limit next_limit(const le_call *call, const le__sc_sums *sums, double refused) {
    if (!(refused > 0) || sums->normalization == 0 || !(sums->variance > 0))
        return done_limit(call);
    const double mean = sums->signal / sums->normalization,
                 most = le__sc_cutoff(le_call_f64(call, SC_THRES), sums->count) *
                        sqrt(sums->variance / sums->normalization2);
    const limit out = limit_of(call, mean, most);
    return le__sc_device_value(call, &out.most) > 0 ? out : done_limit(call);
}

/* Takes the sums of rings that are not done; whether some are still not. */
static bool take(const le_call *call, clipping *c, int64_t n, bool first) {
    const int64_t bins = c->device.rows.table.n_bins;
    bool any = false;
    for (int64_t ring = 0; ring < n * bins; ring++) {
        double refused;
        if (is_done(call, &c->of[ring]))
            continue;
        c->sums[ring] = le__sc_device_ring(call, &c->device, ring / bins, ring % bins, &refused);
        c->of[ring] = next_limit(call, &c->sums[ring], first ? 1 : refused);
        any |= !is_done(call, &c->of[ring]);
    }
    return any;
}

static le_status run_batch(le_call *call, void *cookie, int64_t first, int64_t n) {
    clipping *c = cookie;
    const int64_t bins = c->device.rows.table.n_bins, most = le_call_i64(call, SC_MAX_ITER);
    le_status status = LE_OK;
    bool any = true;
    for (int64_t ring = 0; ring < n * bins; ring++)
        c->of[ring] = limit_of(call, 0, INFINITY);
    for (int64_t k = 0; status == LE_OK && any && k <= most; k++) {
        status = pass(call, c);
        if (status == LE_OK)
            any = take(call, c, n, k == 0);
        if (le_call_cancelled(call))
            return LE_ERR_CANCELLED;
    }
    for (int64_t ring = 0; status == LE_OK && ring < n * bins; ring++)
        le__sc_put(call, first + ring / bins, ring % bins, &c->sums[ring]);
    return status;
}

static le_status open_clipping(le_call *call, clipping *c) {
    le__sc_device_rings *d = &c->device;
    le_status status =
        le__sc_device_rings_open(call, "clip", "-DPART=0", le_call_param(call, 0), 0, d);
    if (status != LE_OK)
        return status;
    const size_t rings = (size_t)(d->batch * d->rows.table.n_bins);
    c->of = le_call_scratch(call, rings * sizeof *c->of);
    c->sums = le_call_scratch(call, rings * sizeof *c->sums);
    if (!c->of || !c->sums)
        return le_fail(LE_ERR_MEMORY, "no memory for the sums of %lld rings", (long long)rings);
    status = le_cl_scratch(call, rings * sizeof *c->of, &c->limits);
    return status == LE_OK ? le__sc_outputs_to_host(call) : status;
}

static le_status run(le_call *call) {
    clipping c = {0};
    le_status status = open_clipping(call, &c);
    return status == LE_OK ? le__sc_device_rings_all(call, &c.device, run_batch, &c) : status;
}

LE__SC_DEVICE_RINGS(azimuthal_sigma_clip,
                    "frames put into rows, refused and added up there, a team a ring");
