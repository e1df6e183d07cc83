/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * azimuthal_integrate on an OpenCL device.
 */
#include "scattering/integrate_device.h"

LE__SC_DEVICE(azimuthal_integrate);
