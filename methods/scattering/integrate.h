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
/* The same of frames that are not the argument; bad: of each frame, or NULL. */
le_status le__sc_integrate_reference_of(le_call *call, const void *frames, le_dtype dtype,
                                        const bool *bad);

#endif
