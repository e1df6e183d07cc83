/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of integrate_stored: all frames are decoded, then integrated.
 */
#include "scattering/integrate_stored.h"

static le_status run(le_call *call) {
    le__sc_stored stored;
    le_status status = le__sc_stored_open(call, &le__sc_integrate_stored_args, "integrate_stored",
                                          &stored);
    if (status == LE_OK)
        status = le__sc_stored_verdict(&stored);
    if (status != LE_OK)
        return status;
    void *frames = le_call_scratch(
        call, (size_t)(stored.n * stored.format.elements * stored.format.element));
    if (!frames)
        return le_fail(LE_ERR_MEMORY, "integrate_stored: no memory for the frames");
    status = le__sc_stored_decode(call, &stored, le__sc_block_plain, frames);
    if (status != LE_OK)
        return status;
    const bool *bad = le__sc_bad_frames(call, &stored);
    if (!bad)
        return le_fail(LE_ERR_MEMORY, "integrate_stored: no memory");
    return le__sc_integrate_reference_of(call, frames, stored.dtype, bad);
}

LE_IMPLEMENTATION(integrate_stored, reference, .run_type = "reference",
                  .summary = "decoded bit by bit, integrated pixel by pixel",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.01,
                  .run = run);
