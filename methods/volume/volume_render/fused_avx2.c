/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The fused kernels of `volume_render` for AVX2 with FMA. Compiled with the instruction set's flags.
 */
#include "volume/volume_render/fused_axis_simd.h"
