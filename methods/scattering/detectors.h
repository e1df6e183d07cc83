/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Detectors by name: size, pixels, gaps between modules, and the value that marks pixels without
 * data. Names are pyFAI's; case, blanks and '_' do not matter.
 */
#ifndef LE_SCATTERING_DETECTORS_H
#define LE_SCATTERING_DETECTORS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct le__sc_detector {
    const char *names; /* lower case, a blank between them */
    int64_t shape[2];
    double pixel[2];    /* m */
    int64_t module[2];  /* pixels of a module; 0: one piece */
    int64_t gap[2];     /* pixels between modules */
    int64_t seam;       /* pixels without data in the middle of a module, along axis 2 */
    double border;      /* size of the pixels at borders between modules; 0: as the others */
    bool has_dummy;
    double dummy, delta_dummy;
} le__sc_detector;

/* NULL when there is none of this name. */
const le__sc_detector *le__sc_detector_find(const char *name);

/* Whether row (axis 0) or column (axis 1) i lies in a gap. */
bool le__sc_detector_in_gap(const le__sc_detector *detector, int axis, int64_t i);

/* Borders of n pixels along an axis, in m: n + 1 numbers. detector NULL: all of one size. */
void le__sc_detector_edges(const le__sc_detector *detector, int axis, int64_t n, double pixel,
                           double *out);

#endif
