/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The kernels of `project` for AVX2 with FMA. Compiled with the instruction set's flags.
 */
#include "volume/project/kernels_simd.h"
