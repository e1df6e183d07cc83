/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations on rings, included by sources that are compiled once for each instruction set. A work
 * item is a ring, of one frame after the other, so that its pixels are looked up in the cache.
 */
#ifndef LE_SCATTERING_INTEGRATE_RINGS_H
#define LE_SCATTERING_INTEGRATE_RINGS_H

#include "common/isa.h"
#include "common/load.h"
#include "scattering/rings.h"

#include <math.h>

typedef struct ring { /* of one frame; arrays can be read up to a multiple of LE__SC_RING_LANES */
    int64_t n;
    const uint32_t *pixel;
    const float *share, *normalization;
    float *signal; /* NaN: no data, or left out */
    float *variance;
    void *space; /* of the operation: so many bytes a pixel as it asked for */
} ring;

typedef struct task task;

/* Makes the sums of the pixels that the operation takes. */
typedef void (*ring_fn)(const task *t, ring *r, le__sc_sums *out);

struct task {
    le_call *call;
    const le__sc_setup *setup;
    le__sc_rings rings;
    const char *frames; /* row-major, from the first one on */
    int64_t first, end; /* which ones they are */
    le_dtype dtype;
    ring_fn fn;
    int64_t room;  /* pixels of the longest ring, rounded up */
    float *values; /* signals and variances, for each worker */
    char *space;
    size_t space_bytes; /* of a worker */
    const void *how;    /* of the operation */
};

/* ------------------------------------------------------------------------------------- values --
 */

#define LE__X(D, T, suffix)                                                                        \
    static void gather_##suffix(const void *frame, const ring *r, float *restrict out) {           \
        const T *values = frame;                                                                   \
        for (int64_t i = 0; i < r->n; i++)                                                         \
            out[i] = (float)values[(int32_t)r->pixel[i]];                                          \
    }
LE__DTYPE_LIST(LE__X)
#undef LE__X

static void load_ring(const task *t, int64_t frame, ring *r) {
    const le__sc_table *table = &t->rings.table;
    const int64_t pixels = t->setup->geometry.rows * t->setup->geometry.cols;
    const char *of = t->frames + (size_t)((frame - t->first) * pixels) * le_dtype_size(t->dtype);
    LE__FOR_DTYPE(gather, t->dtype)(of, r, r->signal);
    for (int64_t i = 0; i < r->n; i++) {
        const float dark = table->dark ? table->dark[r->pixel[i]] : 0,
                    variance = table->variance ? table->variance[r->pixel[i]] : 0,
                    w = t->setup->weighted ? 1 : table->normalization[r->pixel[i]];
        const le__sc_ring_value v = le__sc_ring_value_of(t->setup, r->signal[i], dark, variance, w);
        r->signal[i] = v.signal;
        r->variance[i] = v.variance;
    }
    for (int64_t i = r->n; i % LE__SC_RING_LANES != 0; i++) {
        r->signal[i] = NAN;
        r->variance[i] = 0;
    }
}

static ring ring_of(const task *t, int64_t bin, int worker) {
    const int64_t begin = le__sc_ring_begin(&t->rings, bin);
    float *values = t->values + 2 * t->room * worker;
    return (ring){.n = le__sc_ring_begin(&t->rings, bin + 1) - begin,
                  .pixel = t->rings.pixel + begin,
                  .share = t->rings.share + begin,
                  .normalization = t->rings.normalization + begin,
                  .signal = values,
                  .variance = values + t->room,
                  .space = t->space + t->space_bytes * (size_t)worker};
}

static void rings_range(void *context, size_t begin, size_t end, int worker) {
    const task *t = context;
    for (size_t bin = begin; bin < end; bin++) {
        ring r = ring_of(t, (int64_t)bin, worker);
        for (int64_t frame = t->first; frame < t->end; frame++) {
            le__sc_sums sums = {0};
            load_ring(t, frame, &r);
            t->fn(t, &r, &sums);
            le__sc_put(t->call, frame, (int64_t)bin, &sums);
        }
    }
}

/* ---------------------------------------------------------------------------------------- run --
 */

/* Frames in any other layout are worked off one by one. */
static le_status run_frames(le_call *call, task *t) {
    const le_tensor *tensor = le_call_in(call, SC_FRAMES);
    const int64_t pixels = t->setup->geometry.rows * t->setup->geometry.cols;
    const bool at_once = le_tensor_is_contiguous(tensor);
    void *room = le_call_scratch(call, at_once ? 1 : (size_t)pixels * le_dtype_size(t->dtype));
    le_status status = room ? LE_OK : le_fail(LE_ERR_MEMORY, "no memory for a frame");
    for (t->first = 0; status == LE_OK && t->first < t->setup->frames; t->first = t->end) {
        t->end = at_once ? t->setup->frames : t->first + 1;
        t->frames =
            le_tensor_elements(tensor, t->first * pixels, (t->end - t->first) * pixels, room);
        status = le_parallel_for(call, (size_t)t->rings.table.n_bins, rings_range, t);
    }
    return status;
}

/* space: bytes a pixel of a ring that fn needs. */
static le_status run_rings(le_call *call, ring_fn fn, const void *how, size_t space) {
    task t = {.call = call, .setup = le__sc_setup_of(call), .fn = fn, .how = how};
    const size_t threads = (size_t)le_call_threads(call);
    le_status status = le__sc_rings_of(call, &t.rings);
    if (status != LE_OK)
        return status;
    t.dtype = le_call_in(call, SC_FRAMES)->dtype;
    t.room = (t.rings.longest / 16 + 1) * 16;
    t.space_bytes = space * (size_t)t.room;
    t.values = le_call_scratch(call, threads * 2 * (size_t)t.room * sizeof *t.values);
    t.space = le_call_scratch(call, threads * t.space_bytes + 1);
    if (!t.values || !t.space)
        return le_fail(LE_ERR_MEMORY, "no memory for rings of %lld pixels",
                       (long long)t.rings.longest);
    status = run_frames(call, &t);
    if (status == LE_OK)
        le__sc_put_axes(call, &t.rings.table.bins);
    return status;
}

#define LE__SC_RINGS(operation, the_summary)                                                       \
    LE_IMPLEMENTATION(operation, LE__ISA, LE__ISA_FIELDS("simd"), .summary = the_summary,          \
                      .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 2, 3),                 \
                      .memory = le__sc_rings_bytes, .run = run)

#endif
