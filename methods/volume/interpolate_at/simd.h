/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of `interpolate_at` for x86.
 */
#ifndef LE_VOLUME_AT_SIMD_H
#define LE_VOLUME_AT_SIMD_H

#include "volume/interpolate_at/at.h"

/* Range functions over the blocks of a le__at_search. */
void le__at_avx2(void *search, size_t begin, size_t end, int worker);
void le__at_avx512(void *search, size_t begin, size_t end, int worker);

#endif
