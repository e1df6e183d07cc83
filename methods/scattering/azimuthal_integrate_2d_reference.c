/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of azimuthal_integrate_2d.
 */
#include "scattering/integrate.h"

LE_IMPLEMENTATION(azimuthal_integrate_2d, reference, .run_type = "reference",
                  .summary = "pixel by pixel, in double precision",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.01,
                  .run = le__sc_integrate_reference);
