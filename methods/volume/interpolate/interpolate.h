/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of the operation `interpolate`. The call's attached data is its le__camera (one view).
 */
#ifndef LE_VOLUME_INTERPOLATE_H
#define LE_VOLUME_INTERPOLATE_H

#include "volume/camera.h"

enum { ARG_VOLUME, ARG_SIZE, ARG_ANGLE, ARG_ROTATION, ARG_OUTSIDE, ARG_SAMPLES };

#endif
