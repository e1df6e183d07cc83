/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chunks in batches, so that the bit planes of all of them need no memory at once.
 */
#include "scattering/bitshuffle_device.h"

static const char name[] = "bitshuffle_lz4";

#define BATCH_BYTES ((int64_t)256 << 20)

static int64_t batch_of(const le__sc_stored *s) {
    const int64_t n = BATCH_BYTES / (s->format.elements * s->format.element);
    return n < 1 ? 1 : n < s->n ? n : s->n;
}

bool le__sc_bits_device_takes(const le_call *call, const char **why) {
    if (!le__sc_decoder_takes(call, &le__sc_bits_args, why))
        return false;
    *why = "the result is of another type than the elements";
    return le_call_out(call, BITS_ARG_RESULT)->dtype ==
           le__sc_stored_dtype(call, &le__sc_bits_args);
}

static le_status decode_all(le_call *call, le__sc_decoder *d) {
    const int64_t elements = d->stored->format.elements;
    le_status status = LE_OK;
    for (int64_t k = 0; k < d->stored->n && status == LE_OK; k += d->most) {
        const int64_t left = d->stored->n - k;
        status = le__sc_decode(call, d, k, left < d->most ? left : d->most, k * elements,
                               LE_CL_ARG(BITS_ARG_RESULT));
    }
    return status == LE_OK ? le__sc_decoded(call, d) : status;
}

/* Of bad chunks that are skipped; some of them were known to be bad and are 0 already. */
static le_status clear_bad(le_call *call, le__sc_decoder *d) {
    const int64_t elements = d->stored->format.elements;
    le_status status = LE_OK;
    for (int64_t k = 0; k < d->stored->n && status == LE_OK; k++)
        if (d->stored->wrong[k])
            status = le__sc_decode(call, d, k, 1, k * elements, LE_CL_ARG(BITS_ARG_RESULT));
    return status;
}

static le_status put_decoded(le_call *call, const le__sc_stored *s) {
    if (!le_call_given(call, BITS_ARG_DECODED))
        return LE_OK;
    le_tensor *decoded = le_call_out(call, BITS_ARG_DECODED);
    le_status status = le_tensor_to_host(decoded);
    for (int64_t k = 0; k < s->n && status == LE_OK; k++)
        ((uint8_t *)decoded->data)[k * decoded->strides[0]] = !s->wrong[k];
    return status;
}

le_status le__sc_bits_device_run(le_call *call, int64_t group) {
    le__sc_stored s;
    le__sc_decoder d;
    le_status status = le__sc_stored_open(call, &le__sc_bits_args, name, &s);
    if (status == LE_OK)
        status = le__sc_stored_verdict(&s);
    if (status == LE_OK)
        status = le__sc_decoder_open(call, &le__sc_bits_args, &s, batch_of(&s), s.format.elements,
                                     group, &d);
    if (status == LE_OK)
        status = decode_all(call, &d);
    if (status == LE_OK)
        status = clear_bad(call, &d);
    return status == LE_OK ? put_decoded(call, &s) : status;
}

int64_t le__sc_bits_device_memory(const le_call *call) {
    const int64_t all = le__sc_bits_memory(call);
    return le__sc_decoder_memory(1, all < BATCH_BYTES ? all : BATCH_BYTES);
}
