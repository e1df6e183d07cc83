/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A two-dimensional tensor as a picture: colours, a bar that tells their values, axes in pixels or
 * on the sky, and circles with numbers.
 */
#ifndef LE_TOOLS_PICTURE_H
#define LE_TOOLS_PICTURE_H

#include "marks.h"

typedef struct picture {
    const le_tensor *image; /* [rows, columns], in host memory */
    bool upwards;           /* row 0 is the lowest, as FITS images are shown */
    const char *sky;        /* a place whose positions on the sky (le_io_sky) are the image's: then
                               axes are longitudes along the lower edge and latitudes along the left
                               one, where these rise or fall all the way. NULL: pixels */
    const mark *marks;
    size_t n_marks;
    const char *title;
} picture;

/* Colours follow asinh from a little below the median to the value that one pixel in a thousand is
 * above, so that noise and sources can both be seen; linear where most pixels are equal. file: PNG
 * or SVG, by its ending. */
le_status picture_write(le_engine *engine, const char *file, const picture *p);

#endif
