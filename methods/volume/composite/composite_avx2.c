/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The kernels of `composite` for AVX2 with FMA. Compiled with the instruction set's flags.
 */
#include "volume/composite/kernels_simd.h"
