/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chunks go to the device as they are stored, all at once; there they are decoded and integrated in
 * batches, whose frames are written over each other and never come back.
 */
#include "scattering/stored_device.h"

#include "scattering/integrate_stored.h"

static const char name[] = "integrate_stored";

enum { PASS = 4, ALIGNED = 16 }; /* frames that share a reading of the table; elements */
/* A CPU's own memory, where two frames keep all cores busy. */
#define BATCH_BYTES     ((int64_t)160 << 20)
#define CPU_BATCH_BYTES ((int64_t)40 << 20)

typedef struct stored_run {
    le__sc_stored stored;
    le__sc_decoder decoder;
    le__sc_device device;
    le_cl_buffer *frames; /* of a batch */
    int64_t frames_of_chunk, batch;
    int64_t chunk_stride, frame_stride; /* elements */
} stored_run;

bool le__sc_stored_device_takes(const le_call *call, const char **why) {
    return le__sc_decoder_takes(call, &le__sc_integrate_stored_args, why) &&
           le__sc_device_takes(call, le__sc_stored_dtype(call, &le__sc_integrate_stored_args), why);
}

static int64_t batch_bytes(const le_call *call) {
    return le_cl_device(call)->is_cpu ? CPU_BATCH_BYTES : BATCH_BYTES;
}

/* Frames that are chunks lie where wide stores can begin. */
static void shape_run(le_call *call, stored_run *r) {
    const le__sc_format *f = &r->stored.format;
    r->frames_of_chunk = le__sc_frames_of_chunk(call);
    r->frame_stride = f->elements / r->frames_of_chunk;
    if (r->frames_of_chunk == 1)
        r->frame_stride = (f->elements + ALIGNED - 1) / ALIGNED * ALIGNED;
    r->chunk_stride = r->frame_stride * r->frames_of_chunk;
    int64_t n = batch_bytes(call) / (r->chunk_stride * f->element);
    n = n > PASS ? n / PASS * PASS : n;
    r->batch = n < 1 ? 1 : n < r->stored.n ? n : r->stored.n;
}

static le_status open_run(le_call *call, int64_t team, int64_t group, stored_run *r) {
    le__sc_stored *s = &r->stored;
    le_status status = le__sc_stored_open(call, &le__sc_integrate_stored_args, name, s);
    if (status == LE_OK)
        status = le__sc_stored_verdict(s);
    if (status != LE_OK)
        return status;
    shape_run(call, r);
    status = le__sc_decoder_open(call, &le__sc_integrate_stored_args, s, r->batch, r->chunk_stride,
                                 group, &r->decoder);
    if (status == LE_OK)
        status = le__sc_device_open(call, s->dtype, team, PASS, &r->device);
    return status == LE_OK
               ? le_cl_scratch(call, (size_t)(r->batch * r->chunk_stride * s->format.element),
                               &r->frames)
               : status;
}

static le_status integrate_batch(le_call *call, stored_run *r, int64_t chunk) {
    const int64_t left = r->stored.n - chunk, n = left < r->batch ? left : r->batch;
    le_status status = le__sc_decode(call, &r->decoder, chunk, n, 0, LE_CL_BUF(r->frames));
    if (status != LE_OK)
        return status;
    return le__sc_device_sum(call, &r->device, LE_CL_BUF(r->frames), r->frame_stride,
                             n * r->frames_of_chunk, chunk * r->frames_of_chunk);
}

le_status le__sc_stored_device_run(le_call *call, int64_t team, int64_t group) {
    stored_run r;
    le_status status = open_run(call, team, group, &r);
    for (int64_t k = 0; k < r.stored.n && status == LE_OK; k += r.batch) {
        if (le_call_cancelled(call))
            return le_fail(LE_ERR_CANCELLED, "%s: cancelled", name);
        status = integrate_batch(call, &r, k);
    }
    if (status == LE_OK)
        status = le__sc_decoded(call, &r.decoder);
    if (status != LE_OK)
        return status;
    const bool *bad = le__sc_bad_frames(call, &r.stored);
    if (!bad)
        return le_fail(LE_ERR_MEMORY, "%s: no memory", name);
    return le__sc_device_put(call, &r.device, bad);
}

int64_t le__sc_stored_device_memory(const le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    const int64_t element =
        (int64_t)le_dtype_size(le__sc_stored_dtype(call, &le__sc_integrate_stored_args));
    const int64_t chunk =
        s->geometry.rows * s->geometry.cols * le__sc_frames_of_chunk(call) * element;
    const int64_t chunks = chunk < BATCH_BYTES ? BATCH_BYTES / chunk : 1;
    return le__sc_device_memory(call) + chunk * chunks + le__sc_decoder_memory(chunks, chunk);
}
