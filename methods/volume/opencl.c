/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Shared parts of the family's OpenCL implementations.
 */
#include "volume/opencl.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* AHEAD: of a voxel, so that rounding leaves samples on it behind none; see cl/volume/index.clh */
enum { FRACTION_BITS = 40, AHEAD = 512, VIEW_NUMBERS = 12, LIST_FLOATS = 8 };

le_status le__volume_cl_kernel(le_call *call, const le_cl_source *source, const char *name,
                               le_dtype in, le_dtype out, le_cl_kernel **kernel, const char *more,
                               ...) {
    char options[256];
    const int n = snprintf(options, sizeof options, "-DTYPE=%s -DOUT=%s ", le_dtype_cl_type(in),
                           le_dtype_cl_type(out));
    va_list list;
    va_start(list, more);
    vsnprintf(options + n, sizeof options - (size_t)n, more, list);
    va_end(list);
    return le_cl_get_kernel(call, source, name, options, kernel);
}

bool le__volume_cl_image_takes(const le_call *call, int out, const char **why) {
    *why = "the device has no double precision";
    return le_cl_device(call)->has_f64 || le_call_out(call, out)->dtype != LE_F64;
}

static const int64_t groups[] = {8008, 16008, 32004, 64002};

const le_tunable le__volume_cl_group = {
    .name = "group", .values = groups, .n_values = 4, .default_value = 16008};

const size_t *le__volume_cl_local(const le_call *call, size_t local[3]) {
    int64_t group = le_call_param(call, 0);
    local[0] = (size_t)(group / 1000);
    local[1] = (size_t)(group % 1000);
    local[2] = 1;
    return local;
}

int64_t le__volume_cl_fixed(double voxels) {
    return llrint(ldexp(voxels, FRACTION_BITS));
}

le_status le__volume_cl_views(le_call *call, const le__camera *camera, le_cl_buffer **out) {
    size_t bytes = camera->n_views * VIEW_NUMBERS * sizeof(int64_t);
    int64_t *numbers = le_call_scratch(call, bytes);
    if (!numbers)
        return le_fail(LE_ERR_MEMORY, "volume: no memory for %zu views", camera->n_views);
    for (size_t k = 0; k < camera->n_views; k++)
        for (int a = 0; a < 3; a++) {
            int64_t *to = numbers + k * VIEW_NUMBERS + a;
            to[0] = le__volume_cl_fixed(camera->views[k].origin[a]) + AHEAD;
            for (int of = 0; of < 3; of++)
                to[3 + 3 * of] = le__volume_cl_fixed(camera->views[k].step[of][a]);
        }
    return le__cl_table(call, numbers, bytes, out);
}

/* --- transfer functions --- */

static double largest(const double *v, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

/* Least exp(-d^2/w) of a Gaussian that may show. With opacities in [0,1], leaving an opacity a out
 * of a sample changes the pixel by at most 2 a cmax, and leaving a colour out where another
 * Gaussian's opacity shows changes it by at most that colour, because the opacities that reach the
 * eye add up to 1. */
static double threshold(const le__transfer *t, const le__gaussian *g, int64_t samples,
                        double atol) {
    double n = (double)t->n, color = 0.0, alpha = 0.0;
    for (size_t j = 0; j < t->n; j++) {
        color += largest(t->gaussians[j].rgba, 3);
        alpha += t->gaussians[j].rgba[3] >= 0.0 ? t->gaussians[j].rgba[3] : 2.0;
    }
    if (samples == 0)
        return 0.01 * atol / (n * largest(g->rgba, 4) + DBL_MIN);
    if (alpha > 1.0)
        return 0.0;
    double eps = 0.05 * atol / n;
    return fmin(eps / (largest(g->rgba, 3) + DBL_MIN),
                eps / ((double)samples * 2.0 * color * g->rgba[3] + DBL_MIN));
}

static void put_gaussian(float *to, const le__transfer *t, const le__gaussian *g, int64_t samples,
                         double atol) {
    double least = fmin(fmax(threshold(t, g, samples, atol), 1e-37), 0.99);
    double reach = sqrt(-g->width * log(least)), low = g->centre - reach, high = g->centre + reach;
    if (t->log) {
        low = fmax(exp(low), (double)FLT_MIN);
        high = exp(high);
    }
    to[0] = (float)g->centre;
    to[1] = (float)(-1.0 / g->width);
    to[2] = nextafterf((float)fmax(low, -(double)FLT_MAX), -FLT_MAX);
    to[3] = nextafterf((float)fmin(high, (double)FLT_MAX), FLT_MAX);
    for (int c = 0; c < 4; c++)
        to[4 + c] = (float)g->rgba[c];
}

static void put_knot(float *to, const le__knot *k) {
    to[0] = (float)k->s;
    to[1] = to[2] = to[3] = 0.0f;
    for (int c = 0; c < 4; c++)
        to[4 + c] = (float)k->rgba[c];
}

bool le__volume_cl_constant(const le__transfer *t) {
    return !t->table && t->n <= 1024; /* 32 KiB; every device has 64 KiB */
}

le_status le__volume_cl_transfer(le_call *call, const le__transfer *t, int64_t samples,
                                 le_cl_buffer **out) {
    size_t bytes = t->n * LIST_FLOATS * sizeof(float);
    float *list = le_call_scratch(call, bytes);
    if (!list)
        return le_fail(LE_ERR_MEMORY, "volume: no memory for a transfer function");
    for (size_t i = 0; i < t->n; i++) {
        if (t->table)
            put_knot(list + i * LIST_FLOATS, &t->knots[i]);
        else
            put_gaussian(list + i * LIST_FLOATS, t, &t->gaussians[i], samples, le_call_atol(call));
    }
    return le__cl_table(call, list, bytes, out);
}
