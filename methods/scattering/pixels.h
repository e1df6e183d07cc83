/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Pixels with their corrections, and the ends of the axes that they span.
 *
 * signal = frame - dark; normalization = factor * flat * solid angle * polarization * absorption.
 * A pixel is left out when it is masked, in a gap of the detector, or when an image has no finite
 * number there or the normalization, as f32, is 0 or no finite number (or the flat is the dummy);
 * in a frame also when the value is no finite number or is the dummy, and from a ring when signal
 * or variance, divided by the normalization, are beyond f32.
 */
#ifndef LE_SCATTERING_PIXELS_H
#define LE_SCATTERING_PIXELS_H

#include "scattering/setup.h"

/* The images of a call as row-major memory. */
typedef struct le__sc_images {
    le__sc_image mask, dark, flat, absorption, variance;
} le__sc_images;

le_status le__sc_images_of(le_call *call, le__sc_images *out);

typedef struct le__sc_pixel {
    double normalization;  /* as f32 finite; 0: left out of every frame */
    double dark, variance; /* both finite as f32, which the dark is rounded to, as frames are */
} le__sc_pixel;

/* What a walk needs for le__sc_pixel_of and le__sc_split. */
int le__sc_wanted_of_pixels(const le__sc_setup *setup);
/* Pixel j of the walk's row. */
void le__sc_pixel_of(const le__sc_setup *setup, const le__sc_images *images,
                     const le__sc_walk *walk, int64_t j, le__sc_pixel *out);

/* Whether a pixel of the detector is masked or in a gap. */
bool le__sc_masked(const le__sc_setup *setup, const le__sc_images *images, int64_t row, int64_t j);

/* What the frame has there, as f32; NaN where it has no data. */
static inline float le__sc_value(const le__sc_setup *s, float raw) {
    const float delta = raw - (float)s->dummy, size = raw < 0 ? -raw : raw;
    const bool dummy = s->has_dummy && (delta < 0 ? -delta : delta) <= (float)s->delta_dummy;
    return dummy || !(size < s->limit) ? (float)(0.0 / 0.0) : raw;
}

/* Sets those ends of the axes that the call leaves to the pixels, from their extents, and the
 * extent of the widest pixel. */
le_status le__sc_find_ends(le_call *call, const le__sc_images *images, le__sc_loaded *loaded);

#endif
