/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rings out of the table that was turned round.
 */
#include "scattering/rings.h"

#include <math.h>
#include <stdio.h>

typedef struct filling {
    const le__sc_turn *turn;
    bool weighted;
    uint32_t *pixel;
    float *share, *normalization;
} filling;

static void put_part(void *cookie, int64_t to, int64_t pixel, float share) {
    const filling *f = cookie;
    f->pixel[to] = (uint32_t)pixel;
    f->share[to] = share;
    f->normalization[to] = f->weighted ? f->turn->table->normalization[pixel] : 1;
}

/* Elements of each array of parts: there is room to read beyond the last. */
static size_t room_of(int64_t parts) {
    return ((size_t)parts + LE__SC_RING_LANES + 15) / 16 * 16;
}

static int64_t parts_of(const filling *f) {
    return le__sc_turn_begin(f->turn, f->turn->table->n_bins);
}

/* The arrays, one after the other. */
static void place(filling *f, void *data) {
    const size_t n = room_of(parts_of(f));
    f->pixel = data;
    f->share = (float *)data + n;
    f->normalization = f->share + n;
}

static le_status fill_parts(le_call *call, void *data, size_t bytes, void *cookie) {
    filling *f = cookie;
    (void)bytes;
    place(f, data);
    for (size_t k = (size_t)parts_of(f); k < room_of(parts_of(f)); k++) {
        f->pixel[k] = 0;
        f->share[k] = f->normalization[k] = 0;
    }
    return le__sc_turn_all(call, f->turn, put_part, f);
}

static int64_t longest_of(const le__sc_rings *rings) {
    int64_t most = 0;
    for (int64_t b = 0; b < rings->table.n_bins; b++) {
        const int64_t n = le__sc_ring_begin(rings, b + 1) - le__sc_ring_begin(rings, b);
        most = n > most ? n : most;
    }
    return most;
}

le_status le__sc_rings_of(le_call *call, le__sc_rings *out) {
    const le__sc_setup *s = le__sc_setup_of(call);
    filling f = {.turn = &out->turn, .weighted = s->weighted};
    char key[96];
    const void *data;
    *out = (le__sc_rings){0};
    le_status status = le__sc_table_of(call, &out->table);
    if (status == LE_OK)
        status = le__sc_turn_of(call, &out->table, &out->turn);
    if (status != LE_OK)
        return status;
    snprintf(key, sizeof key, "rings %d %016llx%016llx", s->weighted,
             (unsigned long long)out->table.identity[0],
             (unsigned long long)out->table.identity[1]);
    status =
        le_call_keep(call, key, 3 * room_of(parts_of(&f)) * sizeof(float), fill_parts, &f, &data);
    if (status != LE_OK)
        return status;
    place(&f, (void *)(uintptr_t)data);
    out->pixel = f.pixel;
    out->share = f.share;
    out->normalization = f.normalization;
    out->longest = longest_of(out);
    return LE_OK;
}

int64_t le__sc_rings_bytes(const le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    const int64_t pixels = s->geometry.rows * s->geometry.cols;
    return le__sc_table_bytes(call) + pixels * (s->bins.splitting == LE__SC_NO ? 12 : 20);
}

double le__sc_cutoff(double thres, double count) {
    const double chauvenet = sqrt(2 * log(fmax(count, 3) / 2.50662827463100050242));
    return fmax(thres, chauvenet) * (1 + 1e-9);
}
