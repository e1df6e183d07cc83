/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of `composite` for x86.
 */
#ifndef LE_VOLUME_COMPOSITE_SIMD_H
#define LE_VOLUME_COMPOSITE_SIMD_H

#include <stdint.h>

enum { LE__COMPOSITE_PIXELS = 32 };

/* Composites up to LE__COMPOSITE_PIXELS pixels. rgba: the first of them in the first slice; slice:
 * floats from one slice to the next. */
void le__composite_avx2(const float *rgba, int64_t slice, int64_t depth, int64_t pixels, float *image);
void le__composite_avx512(const float *rgba, int64_t slice, int64_t depth, int64_t pixels,
                          float *image);

#endif
