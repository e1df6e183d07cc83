/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Integrations of frames in memory, in one dimension or two: what the implementations of both
 * operations run.
 */
#ifndef LE_SCATTERING_INTEGRATE_H
#define LE_SCATTERING_INTEGRATE_H

#include "scattering/pixels.h"
#include "scattering/results.h"

le_status le__sc_integrate_reference(le_call *call);
/* The same of frames that are not the argument, which come one after the other. Results are put
 * when all of them have come. */
typedef struct le__sc_frame_source {
    /* Pixels of a frame, until the next one is asked for; *out NULL: it cannot be read, and has no
     * results. */
    le_status (*frame)(void *cookie, int64_t frame, const void **out);
    void *cookie;
    le_dtype dtype;
} le__sc_frame_source;

le_status le__sc_integrate_reference_of(le_call *call, const le__sc_frame_source *source);

#endif
