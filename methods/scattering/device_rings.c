/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Launches on rings.
 */
#include "scattering/device_rings.h"

#include "scattering/rings.h"

#include <stdio.h>

enum { LOADERS = 64, LEAST_GROUP = 64, SHARES = 2, PIXEL = 8, SPACE = 12, SPREADS = 2 };
#define BATCH_BYTES ((int64_t)160 << 20)

void le__sc_device_rings_options(const le__sc_device_rings *d, const char *options, char *out,
                                 size_t size) {
    snprintf(out, size, "-DTEAM=%d -DGROUP=%d %s", (int)d->team, (int)d->group, options);
}

static le_status build(le_call *call, const char *run, const char *options,
                       le__sc_device_rings *d) {
    const le_dtype dtype = le_call_in(call, SC_FRAMES)->dtype;
    char all[96];
    snprintf(all, sizeof all, "-DT=%s -DCOUNTING=%d", le_dtype_cl_type(dtype),
             le__sc_device_model(call) == 1);
    le_status status =
        le_cl_get_kernel(call, &le_cl_scattering_rings, "load_pixels", all, &d->load);
    le__sc_device_rings_options(d, options, all, sizeof all);
    if (status == LE_OK)
        status = le_cl_get_kernel(call, &le_cl_scattering_rings, run, all, &d->run);
    if (status != LE_OK || le__sc_device_model(call) != 2)
        return status;
    le__sc_device_rings_options(d, "-DPART=2", all, sizeof all);
    return le_cl_get_kernel(call, &le_cl_scattering_rings, "spread", all, &d->spread);
}

static size_t sums_bytes(const le__sc_device_rings *d, int64_t frames) {
    return (size_t)(frames * d->rows.table.n_bins) * SC_RING_SUMS * sizeof(le__sc_device_number);
}

static size_t spread_bytes(const le__sc_device_rings *d, int64_t rings) {
    return d->spread ? (size_t)rings * SPREADS * sizeof(le__sc_device_number) : 0;
}

static le_status open_spread(le_call *call, le__sc_device_rings *d, int64_t rings) {
    d->mean = le_call_scratch(call, (size_t)rings * sizeof *d->mean);
    if (!d->mean)
        return le_fail(LE_ERR_MEMORY, "no memory for the means of %lld rings", (long long)rings);
    le_status status = le_cl_scratch(call, (size_t)rings * sizeof *d->mean, &d->means);
    return status == LE_OK ? le_cl_scratch(call, spread_bytes(d, rings), &d->spreads) : status;
}

static int64_t batch_of(const le_call *call, int64_t bytes_of_frame) {
    const int64_t n = bytes_of_frame ? BATCH_BYTES / bytes_of_frame : 1,
                  frames = le__sc_setup_of(call)->frames;
    return n < 1 ? 1 : n < frames ? n : frames;
}

le_status le__sc_device_rings_open(le_call *call, const char *run, const char *options,
                                   int64_t team, size_t space, le__sc_device_rings *d) {
    *d = (le__sc_device_rings){.team = (size_t)team,
                               .group = (size_t)(team > 1 ? team : LEAST_GROUP)};
    le_status status = build(call, run, options, d);
    if (status == LE_OK)
        status = le__sc_rows_of(call, true, &d->rows);
    if (status != LE_OK)
        return status;
    d->parts = le__sc_rows_parts(&d->rows);
    d->batch = batch_of(call, d->parts * (int64_t)(PIXEL + space));
    const int64_t rings = d->batch * d->rows.table.n_bins;
    d->numbers = le_call_scratch(call, sums_bytes(d, d->batch) + spread_bytes(d, rings));
    if (!d->numbers)
        return le_fail(LE_ERR_MEMORY, "no memory for the sums of %lld bins",
                       (long long)d->rows.table.n_bins);
    status = le_cl_scratch(call, (size_t)(d->batch * d->parts + 1) * PIXEL, &d->pixels);
    if (status == LE_OK)
        status = le_cl_scratch(call, sums_bytes(d, d->batch), &d->sums);
    return status == LE_OK && d->spread ? open_spread(call, d, rings) : status;
}

le_status le__sc_device_parts_run(le_call *call, const le__sc_device_rings *d, le_cl_kernel *kernel,
                                  const le_cl_karg *kargs, size_t n_kargs) {
    const size_t global[2] = {(size_t)d->parts, (size_t)d->shape.frames}, local[2] = {LOADERS, 1};
    return d->parts ? le_cl_launch(call, kernel, 2, global, local, kargs, n_kargs) : LE_OK;
}

static le_status load(le_call *call, le__sc_device_rings *d, int64_t first, int64_t n) {
    const le__sc_geometry *g = &le__sc_setup_of(call)->geometry;
    const le__sc_rows *r = &d->rows;
    d->shape = le__sc_shape_of(call, g->rows * g->cols, n, first);
    const le_cl_karg kargs[] = {LE_CL_ARG(SC_FRAMES),          LE_CL_BUF(r->shares),
                                LE_CL_BUF(r->factor),          LE_CL_BUF(r->dark),
                                LE_CL_BUF(r->variance),        LE_CL_BUF(d->pixels),
                                LE_CL_U32((uint32_t)d->parts), LE_CL_STRUCT(&d->shape)};
    return le__sc_device_parts_run(call, d, d->load, kargs, 8);
}

le_status le__sc_device_rings_all(le_call *call, le__sc_device_rings *d,
                                  le__sc_device_batch_fn batch, void *cookie) {
    const int64_t frames = le__sc_setup_of(call)->frames;
    le_status status = LE_OK;
    for (int64_t f = 0; status == LE_OK && f < frames; f += d->batch) {
        const int64_t n = frames - f < d->batch ? frames - f : d->batch;
        status = load(call, d, f, n);
        if (status == LE_OK)
            status = batch(call, cookie, f, n);
    }
    if (status == LE_OK)
        le__sc_put_axes(call, &d->rows.table.bins);
    return status;
}

static le_status launch_rings(le_call *call, const le__sc_device_rings *d, le_cl_kernel *kernel,
                              const le_cl_karg *kargs, size_t n_kargs) {
    const size_t global[2] = {(size_t)d->rows.table.n_bins * d->team, (size_t)d->shape.frames},
                 local[2] = {d->group, 1};
    return le_cl_launch(call, kernel, 2, global, local, kargs, n_kargs);
}

le_status le__sc_device_rings_run(le_call *call, const le__sc_device_rings *d,
                                  const le_cl_karg *kargs, size_t n_kargs) {
    return launch_rings(call, d, d->run, kargs, n_kargs);
}

/* Behind the sums. */
static le_status add_spreads(le_call *call, const le__sc_device_rings *d) {
    const int64_t rings = d->shape.frames * d->rows.table.n_bins;
    le__sc_device_number *spreads = d->numbers + rings * SC_RING_SUMS;
    for (int64_t k = 0; k < rings; k++) {
        const le__sc_device_number *of = d->numbers + k * SC_RING_SUMS;
        const double n = le__sc_device_value(call, &of[SC_RING_NORMALIZATION]);
        const double mean = n != 0 ? le__sc_device_value(call, &of[SC_RING_SIGNAL]) / n : 0;
        d->mean[k] = le__sc_device_number_of(call, mean);
    }
    const le_cl_karg kargs[] = {LE_CL_BUF(d->rows.rows),       LE_CL_BUF(d->rows.shares),
                                LE_CL_BUF(d->rows.factor),     LE_CL_BUF(d->pixels),
                                LE_CL_BUF(d->means),           LE_CL_BUF(d->spreads),
                                LE_CL_U32((uint32_t)d->parts), LE_CL_STRUCT(&d->shape)};
    le_status status = le_cl_upload(call, d->means, 0, d->mean, (size_t)rings * sizeof *d->mean);
    if (status == LE_OK)
        status = launch_rings(call, d, d->spread, kargs, 8);
    return status == LE_OK ? le_cl_download(call, d->spreads, 0, spreads, spread_bytes(d, rings))
                           : status;
}

le_status le__sc_device_rings_fetch(le_call *call, const le__sc_device_rings *d) {
    le_status status = le_cl_download(call, d->sums, 0, d->numbers, sums_bytes(d, d->shape.frames));
    return status == LE_OK && d->spread ? add_spreads(call, d) : status;
}

le__sc_sums le__sc_device_ring(const le_call *call, const le__sc_device_rings *d, int64_t frame,
                               int64_t bin, double *refused) {
    const le__sc_device_number *of =
        d->numbers + (frame * d->rows.table.n_bins + bin) * SC_RING_SUMS;
    double x[SC_RING_SUMS];
    for (int k = 0; k < SC_RING_SUMS; k++)
        x[k] = le__sc_device_value(call, &of[k]);
    *refused = x[SC_RING_REFUSED];
    if (d->spread) {
        const int64_t rings = d->shape.frames * d->rows.table.n_bins;
        const le__sc_device_number *spread =
            d->numbers + rings * SC_RING_SUMS + (frame * d->rows.table.n_bins + bin) * SPREADS;
        x[SC_RING_VARIANCE] = le__sc_spread(le__sc_device_value(call, &spread[0]),
                                            le__sc_device_value(call, &spread[1]));
    }
    return (le__sc_sums){.signal = x[SC_RING_SIGNAL],
                         .normalization = x[SC_RING_NORMALIZATION],
                         .normalization2 = x[SC_RING_NORMALIZATION2],
                         .variance = x[SC_RING_VARIANCE],
                         .count = x[SC_RING_COUNT]};
}

bool le__sc_device_rings_takes(const le_call *call, const char **why) {
    return le__sc_device_takes(call, le_call_in(call, SC_FRAMES)->dtype, why);
}

int64_t le__sc_device_rings_memory(const le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    const int64_t space = s->geometry.rows * s->geometry.cols * SHARES * (PIXEL + SPACE),
                  batch = batch_of(call, space);
    return le__sc_rows_bytes(call) + batch * (space + le__sc_setup_bins(s) * SC_RING_SUMS *
                                                          (int64_t)sizeof(le__sc_device_number));
}
