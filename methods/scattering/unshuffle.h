/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * From bit planes to elements, included by sources that are compiled once for each instruction set.
 *
 * Eight planes are one byte of the elements. With vectors a register of each of the eight is
 * interleaved, byte by byte, so that a 64-bit number has the eight bits of eight elements as an 8 x 8
 * matrix, which three exchanges transpose; then the bytes of elements are interleaved. Bytes whose
 * planes are all zero, as the high ones of small counts are, are filled in as the low one is stored.
 */
#ifndef LE_SCATTERING_UNSHUFFLE_H
#define LE_SCATTERING_UNSHUFFLE_H

#include "common/isa.h"

#include <string.h>
#if LE_METHOD_ISA
#include <immintrin.h>
#endif

/* Transposes a matrix of 8 x 8 bits, one row a byte (Warren, Hacker's Delight, 7-3). */
static inline uint64_t transpose_bits(uint64_t x) {
    uint64_t t = (x ^ x >> 7) & 0x00AA00AA00AA00AAu;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000CCCC0000CCCCu;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000F0F0F0F0u;
    return x ^ t ^ t << 28;
}

/* Elements 8 * begin to 8 * end of a block, for any size of elements. */
static inline void unshuffle_plain(const uint8_t *planes, int64_t n, int64_t element, int64_t low,
                                   int64_t begin, int64_t end, uint8_t *out) {
    const int64_t plane = n / 8;
    for (int64_t k = 0; k < element; k++)
        for (int64_t i = begin; i < end; i++) {
            uint64_t x = 0;
            for (int b = 0; b < 8 && k < low; b++)
                x |= (uint64_t)planes[(8 * k + b) * plane + i] << 8 * b;
            x = x ? transpose_bits(x) : 0;
            for (int j = 0; j < 8; j++)
                out[(8 * i + j) * element + k] = (uint8_t)(x >> 8 * j);
        }
}

#if LE_METHOD_ISA

#if LE_METHOD_ISA == 512
typedef __m512i bits;
#define BITS(f)        _mm512_##f
#define BITS_XOR(a, b) _mm512_xor_si512(a, b)
#define BITS_AND(a, b) _mm512_and_si512(a, b)
#define BITS_OR(a, b)  _mm512_or_si512(a, b)
#define BITS_LOAD(p)   _mm512_loadu_si512(p)
#define BITS_ZERO      _mm512_setzero_si512()
static inline bool bits_any(bits x) {
    return _mm512_test_epi64_mask(x, x) != 0;
}
/* Part l of 16 bytes to each of the places that lie `step` apart. */
static inline void bits_store(uint8_t *out, int64_t step, bits x) {
    _mm_storeu_si128((__m128i *)out, _mm512_castsi512_si128(x));
    _mm_storeu_si128((__m128i *)(out + step), _mm512_extracti32x4_epi32(x, 1));
    _mm_storeu_si128((__m128i *)(out + 2 * step), _mm512_extracti32x4_epi32(x, 2));
    _mm_storeu_si128((__m128i *)(out + 3 * step), _mm512_extracti32x4_epi32(x, 3));
}
#else
typedef __m256i bits;
#define BITS(f)        _mm256_##f
#define BITS_XOR(a, b) _mm256_xor_si256(a, b)
#define BITS_AND(a, b) _mm256_and_si256(a, b)
#define BITS_OR(a, b)  _mm256_or_si256(a, b)
#define BITS_LOAD(p)   _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define BITS_ZERO      _mm256_setzero_si256()
static inline bool bits_any(bits x) {
    return !_mm256_testz_si256(x, x);
}
static inline void bits_store(uint8_t *out, int64_t step, bits x) {
    _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(x));
    _mm_storeu_si128((__m128i *)(out + step), _mm256_extracti128_si256(x, 1));
}
#endif

enum { BITS_BYTES = (int)sizeof(bits) };

#define BITS_EXCHANGE(x, distance, mask)                                                           \
    do {                                                                                           \
        const bits t_ = BITS_AND(BITS_XOR(x, BITS(srli_epi64)(x, distance)),                       \
                                 BITS(set1_epi64x)((long long)(mask)));                            \
        x = BITS_XOR(BITS_XOR(x, t_), BITS(slli_epi64)(t_, distance));                             \
    } while (0)
#if LE_METHOD_ISA == 512
#define _mm512_set1_epi64x _mm512_set1_epi64
#endif

/* One byte of the elements: part l of out[r] has those of elements 128 l + 16 r on. False: all 0. */
static inline bool byte_of_elements(const uint8_t *planes, int64_t plane, bits out[8]) {
    bits p[8], a[8], any = BITS_ZERO;
    for (int b = 0; b < 8; b++) {
        p[b] = BITS_LOAD(planes + b * plane);
        any = BITS_OR(any, p[b]);
    }
    if (!bits_any(any))
        return false;
    for (int b = 0; b < 4; b++) {
        a[2 * b] = BITS(unpacklo_epi8)(p[2 * b], p[2 * b + 1]);
        a[2 * b + 1] = BITS(unpackhi_epi8)(p[2 * b], p[2 * b + 1]);
    }
    for (int h = 0; h < 2; h++) { /* planes 0 to 3, 4 to 7 */
        for (int s = 0; s < 2; s++) {
            p[4 * h + 2 * s] = BITS(unpacklo_epi16)(a[4 * h + s], a[4 * h + s + 2]);
            p[4 * h + 2 * s + 1] = BITS(unpackhi_epi16)(a[4 * h + s], a[4 * h + s + 2]);
        }
    }
    for (int r = 0; r < 4; r++) {
        out[2 * r] = BITS(unpacklo_epi32)(p[r], p[r + 4]);
        out[2 * r + 1] = BITS(unpackhi_epi32)(p[r], p[r + 4]);
    }
    for (int r = 0; r < 8; r++) {
        BITS_EXCHANGE(out[r], 7, 0x00AA00AA00AA00AA);
        BITS_EXCHANGE(out[r], 14, 0x0000CCCC0000CCCC);
        BITS_EXCHANGE(out[r], 28, 0x00000000F0F0F0F0);
    }
    return true;
}

static inline void put_u8(bits k[1][8], uint8_t *out) {
    for (int r = 0; r < 8; r++)
        bits_store(out + 16 * r, 128, k[0][r]);
}

static inline void put_u16(bits k[2][8], uint8_t *out) {
    for (int r = 0; r < 8; r++) {
        bits_store(out + 32 * r, 256, BITS(unpacklo_epi8)(k[0][r], k[1][r]));
        bits_store(out + 32 * r + 16, 256, BITS(unpackhi_epi8)(k[0][r], k[1][r]));
    }
}

static inline void put_u32(bits k[4][8], uint8_t *out) {
    for (int r = 0; r < 8; r++) {
        const bits x[2] = {BITS(unpacklo_epi8)(k[0][r], k[1][r]),
                           BITS(unpackhi_epi8)(k[0][r], k[1][r])},
                   y[2] = {BITS(unpacklo_epi8)(k[2][r], k[3][r]),
                           BITS(unpackhi_epi8)(k[2][r], k[3][r])};
        for (int h = 0; h < 2; h++) {
            bits_store(out + 64 * r + 32 * h, 512, BITS(unpacklo_epi16)(x[h], y[h]));
            bits_store(out + 64 * r + 32 * h + 16, 512, BITS(unpackhi_epi16)(x[h], y[h]));
        }
    }
}

static inline void put_u64(bits k[8][8], uint8_t *out) {
    for (int r = 0; r < 8; r++) {
        bits x[4][2];
        for (int p = 0; p < 4; p++) {
            x[p][0] = BITS(unpacklo_epi8)(k[2 * p][r], k[2 * p + 1][r]);
            x[p][1] = BITS(unpackhi_epi8)(k[2 * p][r], k[2 * p + 1][r]);
        }
        for (int h = 0; h < 2; h++) {
            const bits y[4] = {BITS(unpacklo_epi16)(x[0][h], x[1][h]),
                               BITS(unpackhi_epi16)(x[0][h], x[1][h]),
                               BITS(unpacklo_epi16)(x[2][h], x[3][h]),
                               BITS(unpackhi_epi16)(x[2][h], x[3][h])};
            for (int q = 0; q < 2; q++) {
                uint8_t *to = out + 128 * r + 64 * h + 32 * q;
                bits_store(to, 1024, BITS(unpacklo_epi32)(y[q], y[q + 2]));
                bits_store(to + 16, 1024, BITS(unpackhi_epi32)(y[q], y[q + 2]));
            }
        }
    }
}

#if LE_METHOD_ISA == 512
/* Elements of which only the low byte is not zero. */
static inline void put_low_u16(bits k[8], uint8_t *out) {
#define LE__PART(l)                                                                                \
    _mm256_storeu_si256((__m256i *)(void *)(out + 32 * r + 256 * l),                               \
                        _mm256_cvtepu8_epi16(_mm512_extracti32x4_epi32(k[r], l)))
    for (int r = 0; r < 8; r++) {
        LE__PART(0);
        LE__PART(1);
        LE__PART(2);
        LE__PART(3);
    }
#undef LE__PART
}

static inline void put_low_u32(bits k[8], uint8_t *out) {
#define LE__PART(l)                                                                                \
    _mm512_storeu_si512(out + 64 * r + 512 * l,                                                    \
                        _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(k[r], l)))
    for (int r = 0; r < 8; r++) {
        LE__PART(0);
        LE__PART(1);
        LE__PART(2);
        LE__PART(3);
    }
#undef LE__PART
}
#else
static inline void put_low_u16(bits k[8], uint8_t *out) {
    for (int r = 0; r < 8; r++) {
        _mm256_storeu_si256((__m256i *)(void *)(out + 32 * r),
                            _mm256_cvtepu8_epi16(_mm256_castsi256_si128(k[r])));
        _mm256_storeu_si256((__m256i *)(void *)(out + 32 * r + 256),
                            _mm256_cvtepu8_epi16(_mm256_extracti128_si256(k[r], 1)));
    }
}

static inline void put_low_u32(bits k[8], uint8_t *out) {
    for (int r = 0; r < 8; r++)
        for (int l = 0; l < 2; l++) {
            const __m128i x =
                l ? _mm256_extracti128_si256(k[r], 1) : _mm256_castsi256_si128(k[r]);
            __m256i *to = (__m256i *)(void *)(out + 64 * r + 512 * l);
            _mm256_storeu_si256(to, _mm256_cvtepu8_epi32(x));
            _mm256_storeu_si256(to + 1, _mm256_cvtepu8_epi32(_mm_srli_si128(x, 8)));
        }
}
#endif

/* So many bytes behind as many from here on: frames are larger than caches, and a line that is
 * written without having been asked for before is waited for. */
static inline void prefetch_next(const uint8_t *here, int64_t bytes) {
    for (int64_t b = 0; b < bytes; b += 64)
        __builtin_prefetch((const void *)((uintptr_t)here + (uintptr_t)(bytes + b)), 1);
}

/* Whole registers of a block; returns how many of its plane bytes are done. */
static inline int64_t unshuffle_vectors(const uint8_t *planes, int64_t n, int64_t element,
                                        int64_t low, uint8_t *out) {
    const int64_t plane = n / 8;
    int64_t i = 0;
    for (; i + BITS_BYTES <= plane; i += BITS_BYTES) {
        bits k[8][8];
        bool high = false;
        const int64_t size = 8 * BITS_BYTES * element;
        uint8_t *to = out + 8 * i * element;
        prefetch_next(to, size); /* of the next round, or of the next block */
        for (int64_t b = 0; b < element; b++)
            if (b < low && byte_of_elements(planes + 8 * b * plane + i, plane, k[b]))
                high |= b > 0;
            else
                for (int r = 0; r < 8; r++)
                    k[b][r] = BITS_ZERO;
        if (element == 1)
            put_u8(k, to);
        else if (element == 2 && !high)
            put_low_u16(k[0], to);
        else if (element == 4 && !high)
            put_low_u32(k[0], to);
        else if (element == 2)
            put_u16(k, to);
        else if (element == 4)
            put_u32(k, to);
        else
            put_u64(k, to);
    }
    return i;
}

#endif

/* n elements of a block, a multiple of eight, of which only the first `low` bytes have planes that are
 * not zero. */
static inline void unshuffle(const uint8_t *planes, int64_t n, int64_t element, int64_t low,
                             uint8_t *out) {
    int64_t done = 0;
#if LE_METHOD_ISA
    if (element == 4)
        done = unshuffle_vectors(planes, n, 4, low, out);
    else if (element == 2)
        done = unshuffle_vectors(planes, n, 2, low, out);
    else if (element == 1)
        done = unshuffle_vectors(planes, n, 1, low, out);
    else if (element == 8)
        done = unshuffle_vectors(planes, n, 8, low, out);
#endif
    unshuffle_plain(planes, n, element, low, done, n / 8, out);
}

#endif
