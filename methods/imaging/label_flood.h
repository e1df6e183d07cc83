/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Connected components as they are defined: from each pixel not yet numbered to
 * all that can be reached.
 */
#ifndef LE_IMAGING_LABEL_FLOOD_H
#define LE_IMAGING_LABEL_FLOOD_H

#include "imaging/pixels.h"

/* labels: other than 0 where there is foreground; becomes its numbers. spare:
 * room for as many pixels. Returns the number of components, of some only where the call is to end;
 * NULL: it never is. */
int32_t le__im_flood(const le_call *call, int32_t *labels, le__im_shape shape, int reach, int32_t *spare);

#endif
