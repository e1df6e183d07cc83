/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The kernels of `interpolate_at` for AVX2 with FMA. Compiled with the instruction set's flags.
 */
#include "volume/interpolate_at/kernels_simd.h"
