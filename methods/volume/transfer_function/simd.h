/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of `transfer_function` for x86: count samples to quads of red, green, blue and opacity.
 */
#ifndef LE_VOLUME_TRANSFER_FUNCTION_SIMD_H
#define LE_VOLUME_TRANSFER_FUNCTION_SIMD_H

#include "volume/transfer.h"

/* samples: row-major, any dtype; begin: the first sample. */
void le__gaussians_avx2(const le__transfer *t, const void *samples, le_dtype dtype, int64_t begin,
                        int64_t count, float *rgba);
void le__gaussians_avx512(const le__transfer *t, const void *samples, le_dtype dtype, int64_t begin,
                          int64_t count, float *rgba);

/* out[i] = ln(in[i]) and e^in[i], for tests. */
void le__ln_avx2(const float *in, float *out, size_t count);
void le__exp_avx2(const float *in, float *out, size_t count);
void le__ln_avx512(const float *in, float *out, size_t count);
void le__exp_avx512(const float *in, float *out, size_t count);

#endif
