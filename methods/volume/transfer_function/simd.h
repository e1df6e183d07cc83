/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The logarithm and the exponential function of the vector kernels.
 */
#ifndef LE_VOLUME_TRANSFER_FUNCTION_SIMD_H
#define LE_VOLUME_TRANSFER_FUNCTION_SIMD_H

#include <stddef.h>

/* out[i] = ln(in[i]) and e^in[i], for tests. */
void le__ln_avx2(const float *in, float *out, size_t count);
void le__exp_avx2(const float *in, float *out, size_t count);
void le__ln_avx512(const float *in, float *out, size_t count);
void le__exp_avx512(const float *in, float *out, size_t count);

#endif
