/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of integrate_stored: chunk after chunk is decoded, then integrated.
 */
#include "scattering/integrate_stored.h"

typedef struct reading {
    le_call *call;
    le__sc_stored stored;
    uint8_t *elements; /* of a chunk */
    int64_t chunk;     /* of these; -1: none */
} reading;

static le_status read_frame(void *cookie, int64_t frame, const void **out) {
    reading *r = cookie;
    le__sc_stored *s = &r->stored;
    const int64_t each = le__sc_frames_of_chunk(r->call), chunk = frame / each;
    le_status status = LE_OK;
    if (chunk != r->chunk)
        status = le__sc_stored_decode(r->call, s, chunk, 1, le__sc_block_plain, r->elements);
    r->chunk = chunk;
    *out = s->wrong[chunk]
               ? NULL
               : r->elements + frame % each * (s->format.elements / each) * s->format.element;
    return status;
}

static le_status run(le_call *call) {
    reading r = {.call = call, .chunk = -1};
    le__sc_stored *s = &r.stored;
    le_status status =
        le__sc_stored_open(call, &le__sc_integrate_stored_args, "integrate_stored", s);
    if (status == LE_OK)
        status = le__sc_stored_verdict(s);
    if (status != LE_OK)
        return status;
    r.elements = le_call_scratch(call, (size_t)(s->format.elements * s->format.element));
    if (!r.elements)
        return le_fail(LE_ERR_MEMORY, "integrate_stored: no memory for a chunk");
    const le__sc_frame_source source = {read_frame, &r, s->dtype};
    return le__sc_integrate_reference_of(call, &source);
}

LE_IMPLEMENTATION(integrate_stored, reference, .run_type = "reference",
                  .summary = "decoded bit by bit, integrated pixel by pixel",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.01,
                  .run = run);
