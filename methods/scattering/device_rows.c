/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The table that was turned round on a device, and what launches that use it have in common.
 */
#include "scattering/device_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 96 };

/* Parts of a pixel that is not left out. */
static int64_t parts_of(const le__sc_table *t, int64_t pixel, le__sc_part pair[2],
                        const le__sc_part **out) {
    return t->normalization[pixel] == 0 ? 0 : le__sc_parts_of(t, pixel, pair, out);
}

typedef struct source {
    const le__sc_table *table;
    const le__sc_turn *turn;
    int64_t pixels;
    bool weighted, counting, inverse; /* inverse: factors are one over the normalization */
    const void *image;                /* to be uploaded as it is */
    le__sc_part *row;                 /* with the pixel as bin */
} source;

static float factor_of(const source *s, int64_t pixel) {
    const float w = s->table->normalization[pixel];
    return !s->inverse ? w : w != 0 ? 1 / w : 0;
}

/* In the words of cl/scattering/integrate.cl: what a lost pixel takes off is what it was here. */
static void add_sums(const source *s, int64_t pixel, float c, le__sc_sums *to) {
    const float factor = factor_of(s, pixel), w = s->weighted ? factor : 1,
                by = s->weighted ? 1 : factor, cw = c * w;
    const float given = s->counting ? 1 : s->table->variance ? s->table->variance[pixel] : 0;
    to->normalization += (double)c * (double)w;
    to->normalization2 += (double)cw * (double)cw;
    to->variance += (double)(c * c) * (double)(given * by * by);
    to->count += (double)c;
}

static le_status fill_sums(le_call *call, void *data, size_t bytes, void *cookie) {
    const source *s = cookie;
    const le__sc_part *part;
    le__sc_part pair[2];
    le__sc_sums *sums = data;
    (void)call;
    memset(sums, 0, bytes);
    for (int64_t p = 0; p < s->pixels; p++)
        for (int64_t k = 0, n = parts_of(s->table, p, pair, &part); k < n; k++)
            add_sums(s, p, part[k].share, &sums[part[k].bin]);
    return LE_OK;
}

/* Memory of the call would stay until its end. */
static le_status upload_inverse(le_call *call, le_cl_buffer *buffer, size_t bytes, void *cookie) {
    const source *s = cookie;
    float *factor = malloc(bytes);
    if (!factor)
        return le_fail(LE_ERR_MEMORY, "no memory for the factors of pixels");
    for (int64_t p = 0; p < s->pixels; p++)
        factor[p] = factor_of(s, p);
    le_status status = le_cl_upload(call, buffer, 0, factor, bytes);
    free(factor);
    return status;
}

static le_status upload_image(le_call *call, le_cl_buffer *buffer, size_t bytes, void *cookie) {
    return le_cl_upload(call, buffer, 0, ((const source *)cookie)->image, bytes);
}

static void put_share(void *cookie, int64_t to, int64_t pixel, float share) {
    const source *s = cookie;
    s->row[to] = (le__sc_part){(uint32_t)pixel, share};
}

static le_status upload_shares(le_call *call, le_cl_buffer *buffer, size_t bytes, void *cookie) {
    source *s = cookie;
    s->row = malloc(bytes);
    if (!s->row)
        return le_fail(LE_ERR_MEMORY, "no memory for the rows of a table");
    le_status status = le__sc_turn_all(call, s->turn, put_share, s);
    if (status == LE_OK)
        status = le_cl_upload(call, buffer, 0, s->row, bytes);
    free(s->row);
    return status;
}

static le_status upload_begin(le_call *call, le_cl_buffer *buffer, size_t bytes, void *cookie) {
    const source *s = cookie;
    uint32_t *begin = le_call_scratch(call, bytes);
    if (!begin)
        return le_fail(LE_ERR_MEMORY, "no memory for the rows of a table");
    for (int64_t b = 0; b <= s->table->n_bins; b++)
        begin[b] = (uint32_t)le__sc_turn_begin(s->turn, b);
    return le_cl_upload(call, buffer, 0, begin, bytes);
}

static void name_key(const le__sc_table *t, const char *what, char key[KEY]) {
    snprintf(key, KEY, "%016llx%016llx %s", (unsigned long long)t->identity[0],
             (unsigned long long)t->identity[1], what);
}

static le_status keep_image(le_call *call, source *s, const char *what, const void *image,
                            size_t bytes, le_cl_buffer **out) {
    char key[KEY];
    *out = NULL;
    if (!image)
        return LE_OK;
    name_key(s->table, what, key);
    s->image = image;
    return le_cl_keep(call, key, bytes, upload_image, s, out);
}

static le_status keep_images(le_call *call, source *s, le__sc_rows *out) {
    const size_t bytes = (size_t)s->pixels * sizeof(float);
    char key[KEY];
    le_status status;
    if (s->inverse) {
        name_key(s->table, "one over normalization", key);
        status = le_cl_keep(call, key, bytes, upload_inverse, s, &out->factor);
    } else {
        status = keep_image(call, s, "normalization", s->table->normalization, bytes, &out->factor);
    }
    if (status == LE_OK)
        status = keep_image(call, s, "dark", s->table->dark, bytes, &out->dark);
    if (status == LE_OK)
        status = keep_image(call, s, "variance", s->table->variance, bytes, &out->variance);
    return status;
}

static le_status keep_rows(le_call *call, source *s, le__sc_rows *out) {
    char key[KEY];
    le_status status = le__sc_turn_of(call, &out->table, &out->turn);
    if (status != LE_OK)
        return status;
    const int64_t parts = le__sc_rows_parts(out);
    if (parts > UINT32_MAX)
        return le_fail(LE_ERR_UNSUPPORTED, "pixels have more than 2^32 shares of bins");
    name_key(s->table, "rows", key);
    status = le_cl_keep(call, key, (size_t)(s->table->n_bins + 1) * sizeof(uint32_t), upload_begin,
                        s, &out->rows);
    if (status != LE_OK)
        return status;
    name_key(s->table, "shares", key);
    return le_cl_keep(call, key, (size_t)(parts ? parts : 1) * sizeof(le__sc_part), upload_shares,
                      s, &out->shares);
}

static le_status keep_sums(le_call *call, source *s, le__sc_rows *out) {
    char what[32], key[KEY];
    const void *sums;
    snprintf(what, sizeof what, "sums %d %d", s->weighted, s->counting);
    name_key(s->table, what, key);
    le_status status = le_call_keep(call, key, (size_t)s->table->n_bins * sizeof(le__sc_sums),
                                    fill_sums, s, &sums);
    out->sums = sums;
    return status;
}

le_status le__sc_rows_of(le_call *call, bool rings, le__sc_rows *out) {
    const le__sc_setup *setup = le__sc_setup_of(call);
    source s = {.table = &out->table,
                .turn = &out->turn,
                .pixels = setup->geometry.rows * setup->geometry.cols,
                .weighted = setup->weighted,
                .inverse = !setup->weighted && !rings,
                .counting = setup->model == LE__SC_MODEL_POISSON};
    le_status status = le__sc_table_of(call, &out->table);
    if (status == LE_OK)
        status = keep_rows(call, &s, out);
    if (status == LE_OK && !rings)
        status = keep_sums(call, &s, out);
    return status == LE_OK ? keep_images(call, &s, out) : status;
}

/* ---------------------------------------------------------------------------------- launches -- */

le__sc_shape le__sc_shape_of(const le_call *call, int64_t stride, int64_t frames, int64_t first) {
    const le__sc_setup *s = le__sc_setup_of(call);
    return (le__sc_shape){.stride = stride,
                          .bins = (int32_t)le__sc_setup_bins(s),
                          .frames = (int32_t)frames,
                          .first = (int32_t)first,
                          .weighted = s->weighted,
                          .counting = s->model == LE__SC_MODEL_POISSON,
                          .dummy = s->has_dummy ? (float)s->dummy : NAN,
                          .delta = (float)s->delta_dummy,
                          .limit = s->limit};
}

int le__sc_device_model(const le_call *call) {
    const le__sc_model model = le__sc_setup_of(call)->model;
    return model == LE__SC_MODEL_POISSON ? 1 : model == LE__SC_MODEL_AZIMUTHAL ? 2 : 0;
}

double le__sc_device_value(const le_call *call, const le__sc_device_number *x) {
    return le_cl_device(call)->has_f64 ? x->whole : (double)x->parts[0] + (double)x->parts[1];
}

le__sc_device_number le__sc_device_number_of(const le_call *call, double x) {
    le__sc_device_number out;
    if (le_cl_device(call)->has_f64)
        return (le__sc_device_number){.whole = x};
    le__sc_two_floats(x, out.parts);
    if (isinf(x))
        out.parts[1] = 0;
    return out;
}

le_status le__sc_outputs_to_host(le_call *call) {
    le_status status = LE_OK;
    for (int k = SC_RADIAL; k < SC_COMMON && status == LE_OK; k++)
        if (le_call_given(call, k))
            status = le_tensor_to_host(le_call_out(call, k));
    if (status == LE_OK && le__sc_setup_of(call)->bins.azimuth.n > 0 &&
        le_call_given(call, SC_AZIMUTHAL))
        status = le_tensor_to_host(le_call_out(call, SC_AZIMUTHAL));
    return status;
}

int64_t le__sc_rows_bytes(const le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    enum { SHARES = 2, BYTES = 8, IMAGES = 2 };
    const int64_t pixels = s->geometry.rows * s->geometry.cols;
    return pixels * (SHARES * BYTES + IMAGES * 4) + 4 * le__sc_setup_bins(s);
}
