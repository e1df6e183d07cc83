/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation azimuthal_sigma_clip: its arguments beside those that integrations share.
 */
#ifndef LE_SCATTERING_AZIMUTHAL_SIGMA_CLIP_H
#define LE_SCATTERING_AZIMUTHAL_SIGMA_CLIP_H

#include "scattering/arguments.h"

enum { SC_THRES = SC_COMMON, SC_MAX_ITER };

#endif
