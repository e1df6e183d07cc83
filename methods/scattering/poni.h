/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * PONI files: pyFAI's calibrations (versions 1, 2 and 2.1), lines "key: value" of which the last
 * one of each key counts, '#' before comments. Nothing of the others is left: a Detector_config
 * replaces the one before as a whole.
 */
#ifndef LE_SCATTERING_PONI_H
#define LE_SCATTERING_PONI_H

#include "liquid_engine/le_method.h"

typedef enum le__sc_number {
    LE__SC_DISTANCE,
    LE__SC_PONI1,
    LE__SC_PONI2,
    LE__SC_ROT1,
    LE__SC_ROT2,
    LE__SC_ROT3,
    LE__SC_WAVELENGTH,
    LE__SC_PIXEL1,
    LE__SC_PIXEL2,
    LE__SC_NUMBERS
} le__sc_number;

typedef struct le__sc_poni {
    double number[LE__SC_NUMBERS]; /* m, rad */
    bool given[LE__SC_NUMBERS];
    int64_t shape[2];   /* 0: not given */
    int orientation;    /* 0: not given */
    char detector[256]; /* a name, "" */
    char file[1024];    /* of the detector, as the text has it; "" */
} le__sc_poni;

/* Parses the text of a PONI file; `name` is for messages. */
le_status le__sc_poni_parse(const char *text, const char *name, le__sc_poni *out);
/* Reads a file. */
le_status le__sc_poni_read(const char *path, le__sc_poni *out);

#endif
