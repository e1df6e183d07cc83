/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation integrate_stored: its arguments beside those that integrations share. Argument 0 is
 * the bytes of the chunks.
 */
#ifndef LE_SCATTERING_INTEGRATE_STORED_H
#define LE_SCATTERING_INTEGRATE_STORED_H

#include "scattering/integrate.h"
#include "scattering/stored.h"

enum {
    SC_OFFSETS = SC_COMMON,
    SC_SKIPPED,
    SC_CHUNK,
    SC_TYPE,
    SC_BIG_ENDIAN,
    SC_COMPRESSION,
    SC_BLOCK,
    SC_FILL,
    SC_BAD
};

extern const le__sc_stored_args le__sc_integrate_stored_args;

/* Frames in a chunk. */
int64_t le__sc_frames_of_chunk(const le_call *call);
/* For each frame whether its chunk is bad; the call's memory, NULL when there is none. */
bool *le__sc_bad_frames(le_call *call, const le__sc_stored *stored);

#endif
