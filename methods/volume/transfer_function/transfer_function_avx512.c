/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The kernels of `transfer_function` for AVX-512. Compiled with the instruction set's flags.
 */
#include "volume/transfer_function/kernels_simd.h"
