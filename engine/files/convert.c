/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Numbers as files have them: byte order, dtypes that the caller takes, planes of bytes.
 */
#include "files/io.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static void swap_bytes(unsigned char *p, int64_t count, size_t size) {
    for (int64_t i = 0; i < count; i++, p += size) {
        for (size_t k = 0; k < size / 2; k++) {
            unsigned char t = p[k];
            p[k] = p[size - 1 - k];
            p[size - 1 - k] = t;
        }
    }
}

/* The source is the end of the same memory: element i is read before what is written reaches it. */
static void widen(void *buffer, int64_t count, le_dtype from, le_dtype to) {
    const int64_t bytes = count * (int64_t)(le_dtype_size(to) - le_dtype_size(from));
    const le_tensor in = le_tensor_of((const char *)buffer + bytes, from, 1, &count);
    le_tensor out = le_tensor_of(buffer, to, 1, &count);
    for (int64_t i = 0; i < count; i++) {
        if (to == LE_I64)
            le_tensor_set_i64(&out, i, le_tensor_get_i64(&in, i));
        else
            le_tensor_set(&out, i, le_tensor_get(&in, i));
    }
}

void le__io_convert(void *buffer, int64_t count, le_dtype from, le_dtype to, bool swap) {
    bool parts = le_dtype_kind_of(from) == LE_DTYPE_KIND_COMPLEX;
    size_t size = le_dtype_size(from) / (parts ? 2 : 1);
    size_t wider = le_dtype_size(to) - le_dtype_size(from);
    if (swap && size > 1)
        swap_bytes((unsigned char *)buffer + (size_t)count * wider, parts ? 2 * count : count,
                   size);
    if (from != to)
        widen(buffer, count, from, to);
}

void le__io_unshuffle4(char *to, const unsigned char *from, int64_t planes, int64_t count) {
    const unsigned char *b0 = from, *b1 = b0 + planes, *b2 = b1 + planes, *b3 = b2 + planes;
    int64_t i = 0;
#ifdef __SSE2__
    for (; i + 16 <= count; i += 16) {
        __m128i v0 = _mm_loadu_si128((const __m128i *)(b0 + i));
        __m128i v1 = _mm_loadu_si128((const __m128i *)(b1 + i));
        __m128i v2 = _mm_loadu_si128((const __m128i *)(b2 + i));
        __m128i v3 = _mm_loadu_si128((const __m128i *)(b3 + i));
        __m128i low01 = _mm_unpacklo_epi8(v0, v1), low23 = _mm_unpacklo_epi8(v2, v3);
        __m128i high01 = _mm_unpackhi_epi8(v0, v1), high23 = _mm_unpackhi_epi8(v2, v3);
        __m128i *out = (__m128i *)(to + 4 * i);
        _mm_storeu_si128(out, _mm_unpacklo_epi16(low01, low23));
        _mm_storeu_si128(out + 1, _mm_unpackhi_epi16(low01, low23));
        _mm_storeu_si128(out + 2, _mm_unpacklo_epi16(high01, high23));
        _mm_storeu_si128(out + 3, _mm_unpackhi_epi16(high01, high23));
    }
#endif
    for (; i < count; i++) {
        to[4 * i] = (char)b0[i];
        to[4 * i + 1] = (char)b1[i];
        to[4 * i + 2] = (char)b2[i];
        to[4 * i + 3] = (char)b3[i];
    }
}
