/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * From a table by pixels to one by bins.
 */
#include "scattering/device_rows.h"

#include <stdio.h>
#include <string.h>

enum { KEY = 96 };

/* Parts of a pixel that is not left out. */
static int64_t parts_of(const le__sc_table *t, int64_t pixel, le__sc_part pair[2],
                        const le__sc_part **out) {
    return t->normalization[pixel] == 0 ? 0 : le__sc_parts_of(t, pixel, pair, out);
}

typedef struct source {
    const le__sc_table *table;
    int64_t pixels;
    bool weighted, counting;
    const uint32_t *begin;
    const void *image; /* to be uploaded as it is */
} source;

static le_status fill_begin(le_call *call, void *data, size_t bytes, void *cookie) {
    const source *s = cookie;
    const le__sc_part *part;
    le__sc_part pair[2];
    uint32_t *begin = data;
    uint64_t all = 0;
    (void)call;
    memset(begin, 0, bytes);
    for (int64_t p = 0; p < s->pixels; p++)
        for (int64_t k = 0, n = parts_of(s->table, p, pair, &part); k < n; k++, all++)
            begin[part[k].bin + 1]++;
    if (all > UINT32_MAX)
        return le_fail(LE_ERR_UNSUPPORTED, "pixels have more than 2^32 shares of bins");
    for (int64_t b = 0; b < s->table->n_bins; b++)
        begin[b + 1] += begin[b];
    return LE_OK;
}

static float factor_of(const source *s, int64_t pixel) {
    const float w = s->table->normalization[pixel];
    return s->weighted ? w : w != 0 ? 1 / w : 0;
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

static le_status upload_factor(le_call *call, le_cl_buffer *buffer, size_t bytes, void *cookie) {
    const source *s = cookie;
    float *factor = le_call_scratch(call, bytes);
    if (!factor)
        return le_fail(LE_ERR_MEMORY, "no memory for the factors of pixels");
    for (int64_t p = 0; p < s->pixels; p++)
        factor[p] = factor_of(s, p);
    return le_cl_upload(call, buffer, 0, factor, bytes);
}

static le_status upload_image(le_call *call, le_cl_buffer *buffer, size_t bytes, void *cookie) {
    return le_cl_upload(call, buffer, 0, ((const source *)cookie)->image, bytes);
}

static le_status upload_shares(le_call *call, le_cl_buffer *buffer, size_t bytes, void *cookie) {
    const source *s = cookie;
    const size_t bins = (size_t)s->table->n_bins;
    const le__sc_part *part;
    le__sc_part pair[2];
    le__sc_part *row = le_call_scratch(call, bytes); /* with the pixel as bin */
    uint32_t *at = le_call_scratch(call, bins * sizeof *at);
    if (!row || !at)
        return le_fail(LE_ERR_MEMORY, "no memory for the rows of a table");
    memcpy(at, s->begin, bins * sizeof *at);
    for (int64_t p = 0; p < s->pixels; p++)
        for (int64_t k = 0, n = parts_of(s->table, p, pair, &part); k < n; k++)
            row[at[part[k].bin]++] = (le__sc_part){(uint32_t)p, part[k].share};
    return le_cl_upload(call, buffer, 0, row, bytes);
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
    name_key(s->table, s->weighted ? "normalization" : "one over normalization", key);
    le_status status = le_cl_keep(call, key, bytes, upload_factor, s, &out->factor);
    if (status == LE_OK)
        status = keep_image(call, s, "dark", s->table->dark, bytes, &out->dark);
    if (status == LE_OK)
        status = keep_image(call, s, "variance", s->table->variance, bytes, &out->variance);
    return status;
}

static le_status keep_rows(le_call *call, source *s, le__sc_rows *out) {
    const size_t bytes = (size_t)(s->table->n_bins + 1) * sizeof(uint32_t);
    char key[KEY];
    const void *begin;
    name_key(s->table, "begin", key);
    le_status status = le_call_keep(call, key, bytes, fill_begin, s, &begin);
    if (status != LE_OK)
        return status;
    out->begin = s->begin = begin;
    const size_t shares = s->begin[s->table->n_bins];
    name_key(s->table, "shares", key);
    status = le_cl_keep(call, key, (shares ? shares : 1) * sizeof(le__sc_part), upload_shares, s,
                        &out->shares);
    return status == LE_OK ? keep_image(call, s, "rows", begin, bytes, &out->rows) : status;
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

le_status le__sc_rows_of(le_call *call, le__sc_rows *out) {
    const le__sc_setup *setup = le__sc_setup_of(call);
    source s = {.table = &out->table,
                .pixels = setup->geometry.rows * setup->geometry.cols,
                .weighted = setup->weighted,
                .counting = setup->model == LE__SC_MODEL_POISSON};
    le_status status = le__sc_table_of(call, &out->table);
    if (status == LE_OK)
        status = keep_rows(call, &s, out);
    if (status == LE_OK)
        status = keep_sums(call, &s, out);
    return status == LE_OK ? keep_images(call, &s, out) : status;
}

int64_t le__sc_rows_bytes(const le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    enum { SHARES = 2, BYTES = 8, IMAGES = 2 };
    const int64_t pixels = s->geometry.rows * s->geometry.cols;
    return pixels * (SHARES * BYTES + IMAGES * 4) + 4 * le__sc_setup_bins(s);
}
