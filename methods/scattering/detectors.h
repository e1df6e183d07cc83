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
    double pixel[2];            /* m, not binned */
    int64_t module[2];          /* pixels of a module; 0: one piece */
    int64_t gap[2];             /* pixels between modules */
    const int16_t (*places)[2]; /* of the modules' first pixels, by row; NULL: a grid */
    int64_t n_places;
    int64_t seam;  /* pixels without data in the middle of a module, along axis 2 */
    bool disc;     /* only pixels in the largest circle have data */
    double border; /* size of the pixels at borders between modules; 0: as the others */
    bool has_dummy;
    double dummy, delta_dummy;
} le__sc_detector;

/* Of those of this name the one of this shape, or the first of them; NULL when there is none. */
const le__sc_detector *le__sc_detector_find(const char *name, const int64_t shape[2]);

/* What keeps a detector of this name from being one of those, and what to give instead where that
 * helps: "is bent: give ..."; NULL: not known. */
const char *le__sc_detector_is_other(const char *name);

/* Whether frames of this shape have nothing at a pixel: between modules, or beyond the circle of a
 * detector that is a disc. */
bool le__sc_detector_misses(const le__sc_detector *detector, const int64_t shape[2], int64_t row,
                            int64_t col);

/* Borders of n pixels along an axis, in m: n + 1 numbers. detector NULL: all of one size. */
void le__sc_detector_edges(const le__sc_detector *detector, int axis, int64_t n, double pixel,
                           double *out);

#endif
