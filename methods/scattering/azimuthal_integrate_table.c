/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * azimuthal_integrate with a table of shares, compiled once per ISA.
 */
#include "scattering/integrate_memory.h"

LE__SC_TABLE(azimuthal_integrate);
