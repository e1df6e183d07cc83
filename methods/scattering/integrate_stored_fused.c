/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Fused integrate_stored, compiled once per ISA: a block is decoded, and integrated while it is in
 * the cache; frames are never written. Results are put when all blocks have turned out well.
 */
#include "scattering/integrate_stored.h"
#include "scattering/integrate_table.h"
#include "scattering/unshuffle.h"

/* Elements [first, end) of a chunk that a lane of a worker has at hand. */
typedef struct held {
    int64_t chunk, first, end;
} held;

typedef struct reader {
    le__sc_stored stored;
    int64_t frames_of_chunk, room; /* bytes of elements of a lane */
    uint8_t *space, *elements;     /* planes, of each worker; elements, of each of its lanes */
    held *held;
} reader;

/* The block of an element, or as much of what is in no block as there is room for. */
static bool fetch(const reader *r, const le__sc_chunk *c, int64_t e, uint8_t *space, uint8_t *to,
                  held *h) {
    const le__sc_stored *s = &r->stored;
    int64_t rest, count;
    le__sc_stored_rest(s, c, &rest, &count);
    if (e >= rest) {
        const int64_t most = r->room / s->format.element, left = rest + count - e;
        h->first = e;
        h->end = e + (left < most ? left : most);
        le__sc_stored_put_rest(s, c, e, h->end - e, to);
        return true;
    }
    const char *wrong = NULL;
    int64_t low;
    const int64_t block = e / c->block, n = le__sc_block_count(&s->format, c, block);
    const uint8_t *planes =
        le__sc_block_low_planes(&s->format, c, block, space, &low, &wrong);
    if (wrong) {
        s->wrong[h->chunk] = wrong;
        return false;
    }
    unshuffle(planes, n, s->format.element, low, to);
    le__sc_stored_turn(s, to, n);
    h->first = le__sc_block_first(c, block);
    h->end = h->first + n;
    return true;
}

static const void *stored_values(const task *t, int worker, int64_t frame, int lane, int64_t p,
                                 int64_t *n) {
    const reader *r = t->source;
    const le__sc_stored *s = &r->stored;
    const int64_t chunk = frame / r->frames_of_chunk,
                  e = frame % r->frames_of_chunk * t->pixels + p;
    const int64_t slot = (int64_t)worker * MOST_LANES + lane;
    uint8_t *elements = r->elements + slot * r->room;
    held *h = &r->held[slot];
    if (s->wrong[chunk])
        return NULL;
    if (h->chunk != chunk || e < h->first || e >= h->end) {
        h->chunk = chunk;
        if (!fetch(r, &s->chunks[chunk], e, r->space + worker * s->block_bytes, elements, h)) {
            h->chunk = -1;
            return NULL;
        }
    }
    *n = h->end - e < *n ? h->end - e : *n;
    return elements + (e - h->first) * s->format.element;
}

static le_status open_reader(le_call *call, reader *r) {
    le__sc_stored *s = &r->stored;
    const size_t threads = (size_t)le_call_threads(call), slots = threads * MOST_LANES;
    le_status status =
        le__sc_stored_open(call, &le__sc_integrate_stored_args, "integrate_stored", s);
    if (status == LE_OK)
        status = le__sc_stored_verdict(s);
    if (status != LE_OK)
        return status;
    r->frames_of_chunk = le__sc_frames_of_chunk(call);
    r->room = s->block_bytes > 4096 ? (s->block_bytes + 63) / 64 * 64 : 4096;
    r->space = le_call_scratch(call, threads * (size_t)s->block_bytes + 1);
    r->elements = le_call_scratch(call, slots * (size_t)r->room);
    r->held = le_call_scratch(call, slots * sizeof *r->held);
    if (!r->space || !r->elements || !r->held)
        return le_fail(LE_ERR_MEMORY, "integrate_stored: no memory for blocks");
    for (size_t k = 0; k < slots; k++)
        r->held[k] = (held){.chunk = -1};
    return LE_OK;
}

static le_status run(le_call *call) {
    task t;
    parts p;
    reader r = {0};
    le_status status = open_reader(call, &r);
    if (status == LE_OK)
        status = open_task(call, r.stored.dtype, &t);
    if (status != LE_OK)
        return status;
    t.values = stored_values;
    t.source = &r;
    t.at_once = true;
    status = open_parts(&t, &p);
    if (status != LE_OK)
        return status;
    for (int k = 0; k < p.n && status == LE_OK; k++)
        status = sum_wave(&p.of[k], 0);
    if (status == LE_OK)
        status = le__sc_stored_verdict(&r.stored);
    const bool *bad = status == LE_OK ? le__sc_bad_frames(call, &r.stored) : NULL;
    if (status == LE_OK && !bad)
        status = le_fail(LE_ERR_MEMORY, "integrate_stored: no memory");
    if (status != LE_OK)
        return status;
    for (int k = 0; k < p.n && status == LE_OK; k++) {
        p.of[k].bad = bad;
        status = put_wave(&p.of[k], 0);
    }
    if (status == LE_OK)
        le__sc_put_axes(call, &t.table.bins);
    return status;
}

LE_IMPLEMENTATION(integrate_stored, LE__ISA_NAME(fused_), LE__ISA_FIELDS("fused"),
                  .summary = "blocks of eight frames, decoded and integrated in the cache; "
                             LE__ISA_WIDTH,
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 2, 3),
                  .memory = table_memory, .run = run);
