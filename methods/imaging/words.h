/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Words of 64 bits, one for each of 64 pixels, the first the least significant.
 * Included by sources that are compiled once for each instruction set.
 */
#ifndef LE_IMAGING_WORDS_H
#define LE_IMAGING_WORDS_H

#include "common/isa.h"

#include <stdint.h>
#if LE_METHOD_ISA
#include <immintrin.h>
#endif

enum { LE__IM_WORD = 64 };

/* Which of the 64 bytes are not 0. */
static inline uint64_t le__im_word(const uint8_t *bytes) {
#if LE_METHOD_ISA == 512
    const __m512i v = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(v, v);
#elif LE_METHOD_ISA == 2
    const __m256i zero = _mm256_setzero_si256();
    uint64_t word = 0;
    for (int half = 0; half < 2; half++) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32 * half));
        const uint32_t none = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, zero));
        word |= (uint64_t)(uint32_t)~none << (32 * half);
    }
    return word;
#else
    uint8_t one[LE__IM_WORD];
    uint64_t word = 0;
    for (int k = 0; k < LE__IM_WORD; k++)
        one[k] = bytes[k] != 0;
    for (int k = 0; k < LE__IM_WORD; k += 8) {
        const uint8_t *b = one + k;
        const uint64_t eight = (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 |
                               (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 |
                               (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
        /* the product's highest byte has bit 8 i of the factor as its bit i */
        word |= (eight * UINT64_C(0x0102040810204080) >> 56) << k;
    }
    return word;
#endif
}

#endif
