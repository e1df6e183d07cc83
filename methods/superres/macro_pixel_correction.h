/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of macro_pixel_correction, by index.
 */
#ifndef LE_MACRO_PIXEL_CORRECTION_H
#define LE_MACRO_PIXEL_CORRECTION_H

#include "superres.h"

enum { CORRECTION_IMAGE, CORRECTION_MAGNIFICATION, CORRECTION_RESULT };

#endif
