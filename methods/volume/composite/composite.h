/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of the operation `composite`.
 */
#ifndef LE_VOLUME_COMPOSITE_H
#define LE_VOLUME_COMPOSITE_H

#include "liquid_engine/le_method.h"

enum { ARG_RGBA, ARG_IMAGE };

#endif
