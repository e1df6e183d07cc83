/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kappa-sigma clipping as it is written down in textbooks.
 */
#ifndef LE_IMAGING_CLIP_REFERENCE_H
#define LE_IMAGING_CLIP_REFERENCE_H

#include "imaging/clip.h"

/* Of n finite numbers, whose order is changed; spare has as much room. Anything where the call is to
 * end; NULL: it never is. */
le__im_clipped le__im_clip_reference(const le_call *call, const le__im_clip *clip, double *values,
                                     int64_t n, double *spare);

#endif
