/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Launches of cl/scattering/integrate.cl, and results from its sums.
 */
#include "scattering/device_sums.h"

#include "common/opencl.h"

#include <stdio.h>

const int64_t le__sc_teams[LE__SC_TEAMS] = {1, 8, 64, 256};

enum { LEAST_GROUP = 64, LOST = 5, MOST_SUMS = 2 + LOST };

bool le__sc_device_takes(const le_call *call, le_dtype dtype, const char **why) {
    *why = "the device has no double precision";
    return dtype != LE_F64 || le_cl_device(call)->has_f64;
}

static bool checks_values(const le_call *call, le_dtype dtype) {
    return le__sc_setup_of(call)->has_dummy || dtype == LE_F32 || dtype == LE_F64;
}

static le_status build(le_call *call, le_dtype dtype, le__sc_device *d) {
    char options[128];
    snprintf(options, sizeof options,
             "-DT=%s -DTEAM=%d -DGROUP=%d -DFRAMES=%d -DMODEL=%d -DCHECKS=%d",
             le_dtype_cl_type(dtype), (int)d->team, (int)d->group, (int)d->pass,
             le__sc_device_model(call), d->checks);
    return le_cl_get_kernel(call, &le_cl_scattering_integrate, "integrate", options, &d->kernel);
}

static le_status upload_totals(le_call *call, le__sc_device *d) {
    const size_t bins = (size_t)d->rows.table.n_bins;
    float *totals = le_call_scratch(call, 2 * bins * sizeof *totals);
    if (!totals)
        return le_fail(LE_ERR_MEMORY, "no memory for an integration");
    for (size_t b = 0; b < bins; b++)
        le__sc_two_floats(d->rows.sums[b].normalization, totals + 2 * b);
    return le__cl_table(call, totals, 2 * bins * sizeof *totals, &d->totals);
}

static size_t sums_bytes(const le_call *call, const le__sc_device *d) {
    return (size_t)(le__sc_setup_of(call)->frames * d->rows.table.n_bins * d->n_sums) *
           sizeof(le__sc_device_number);
}

le_status le__sc_device_open(le_call *call, le_dtype dtype, int64_t team, int64_t pass,
                             le__sc_device *d) {
    const le__sc_setup *s = le__sc_setup_of(call);
    *d = (le__sc_device){.team = (size_t)team,
                         .group = (size_t)(team > LEAST_GROUP ? team : LEAST_GROUP),
                         .pass = pass <= s->frames ? pass : 1,
                         .checks = checks_values(call, dtype)};
    d->n_sums = 1 + (le__sc_device_model(call) != 0) + (d->checks ? LOST : 0);
    le_status status = build(call, dtype, d);
    if (status == LE_OK)
        status = le__sc_rows_of(call, false, &d->rows);
    if (status == LE_OK)
        status = le_cl_scratch(call, sums_bytes(call, d), &d->sums);
    if (status == LE_OK && le__sc_device_model(call) == 2)
        status = upload_totals(call, d);
    return status;
}

le_status le__sc_device_sum(le_call *call, const le__sc_device *d, le_cl_karg values,
                            int64_t stride, int64_t n, int64_t to) {
    const le__sc_rows *r = &d->rows;
    const le__sc_shape about = le__sc_shape_of(call, stride, n, to);
    const le_cl_karg kargs[] = {values,
                                LE_CL_BUF(r->rows),
                                LE_CL_BUF(r->shares),
                                LE_CL_BUF(r->factor),
                                LE_CL_BUF(r->dark),
                                LE_CL_BUF(r->variance),
                                LE_CL_BUF(d->totals),
                                LE_CL_BUF(d->sums),
                                LE_CL_STRUCT(&about)};
    const size_t global[2] = {(size_t)r->table.n_bins * d->team,
                              (size_t)((n + d->pass - 1) / d->pass)};
    const size_t local[2] = {d->group, 1};
    return le_cl_launch(call, d->kernel, 2, global, local, kargs, 9);
}

/* ------------------------------------------------------------------------------------ results --
 */

static le__sc_sums sums_of(const le_call *call, const le__sc_device *d, int64_t bin,
                           const le__sc_device_number *numbers) {
    double of[MOST_SUMS] = {0};
    for (int64_t k = 0; k < d->n_sums; k++)
        of[k] = le__sc_device_value(call, &numbers[k]);
    le__sc_sums s = d->rows.sums[bin];
    s.signal = of[0];
    if (d->checks) {
        const double *lost = of + d->n_sums - LOST;
        const bool kept = lost[4] < 0; /* see integrate.cl */
        if (lost[4] == (double)(le__sc_turn_begin(&d->rows.turn, bin + 1) -
                                le__sc_turn_begin(&d->rows.turn, bin)))
            return (le__sc_sums){0};
        s.normalization = kept ? lost[0] : s.normalization - lost[0];
        s.normalization2 = kept ? lost[1] : s.normalization2 - lost[1];
        s.variance = kept ? lost[2] : s.variance - lost[2];
        s.count = kept ? lost[3] : s.count - lost[3];
    }
    const le__sc_model model = le__sc_setup_of(call)->model;
    const double mean = s.normalization != 0 ? s.signal / s.normalization : 0;
    if (model == LE__SC_MODEL_POISSON)
        s.variance += of[1];
    if (model == LE__SC_MODEL_AZIMUTHAL)
        s.variance = le__sc_spread(of[1], 2 * mean * mean * s.normalization2);
    return s;
}

typedef struct putting {
    le_call *call;
    const le__sc_device *device;
    const bool *bad; /* frames; NULL: none */
    const le__sc_device_number *numbers;
} putting;

/* Bins of the first frame, then of the next. */
static void put_range(void *context, size_t begin, size_t end, int worker) {
    const putting *p = context;
    const int64_t bins = p->device->rows.table.n_bins;
    (void)worker;
    for (int64_t k = (int64_t)begin; k < (int64_t)end; k++) {
        const int64_t f = k / bins, b = k % bins;
        const le__sc_sums s = p->bad && p->bad[f] ? le__sc_unknown
                                                  : sums_of(p->call, p->device, b,
                                                            p->numbers + k * p->device->n_sums);
        le__sc_put(p->call, f, b, &s);
    }
}

le_status le__sc_device_put(le_call *call, const le__sc_device *d, const bool *bad) {
    const int64_t bins = d->rows.table.n_bins;
    const size_t bytes = sums_bytes(call, d);
    le__sc_device_number *numbers = le_call_scratch(call, bytes);
    putting p = {call, d, bad, numbers};
    if (!numbers)
        return le_fail(LE_ERR_MEMORY, "no memory for the sums of %lld bins", (long long)bins);
    le_status status = le_cl_download(call, d->sums, 0, numbers, bytes);
    if (status == LE_OK)
        status = le__sc_outputs_to_host(call);
    if (status != LE_OK)
        return status;
    le__sc_put_axes(call, &d->rows.table.bins);
    return le_parallel_for(call, (size_t)(le__sc_setup_of(call)->frames * bins), put_range, &p);
}

int64_t le__sc_device_memory(const le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    return le__sc_rows_bytes(call) + s->frames * le__sc_setup_bins(s) * MOST_SUMS * 8;
}
