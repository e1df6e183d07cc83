/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Number types as files have them, and their conversion to the engine's dtypes.
 */
#include "io/io.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static const struct {
    const char *name;
    size_t size;
    le_dtype dtype;
} types[LE__IO_TYPES] = {
    [LE__IO_U8] = {"u8", 1, LE_U8},    [LE__IO_I8] = {"i8", 1, LE_I16},
    [LE__IO_U16] = {"u16", 2, LE_U16}, [LE__IO_I16] = {"i16", 2, LE_I16},
    [LE__IO_U32] = {"u32", 4, LE_U32}, [LE__IO_I32] = {"i32", 4, LE_I32},
    [LE__IO_U64] = {"u64", 8, LE_F64}, [LE__IO_I64] = {"i64", 8, LE_F64},
    [LE__IO_F32] = {"f32", 4, LE_F32}, [LE__IO_F64] = {"f64", 8, LE_F64},
};

size_t le__io_type_size(le__io_type type) {
    return types[type].size;
}

le_dtype le__io_type_dtype(le__io_type type) {
    return types[type].dtype;
}

bool le__io_type_from_name(const char *name, size_t length, le__io_type *out) {
    for (int i = 0; i < LE__IO_TYPES; i++) {
        if (strlen(types[i].name) == length && strncmp(name, types[i].name, length) == 0) {
            *out = (le__io_type)i;
            return true;
        }
    }
    return false;
}

static void swap_bytes(unsigned char *p, int64_t count, size_t size) {
    for (int64_t i = 0; i < count; i++, p += size) {
        for (size_t k = 0; k < size / 2; k++) {
            unsigned char t = p[k];
            p[k] = p[size - 1 - k];
            p[size - 1 - k] = t;
        }
    }
}

void le__io_convert(void *buffer, int64_t count, le__io_type type, bool swap) {
    unsigned char *bytes = buffer;
    if (swap && types[type].size > 1)
        swap_bytes(bytes, count, types[type].size);
    if (type == LE__IO_I8) {
        /* The source is the second half: element i is read before byte 2i + 1 reaches it. */
        for (int64_t i = 0; i < count; i++) {
            signed char v = (signed char)bytes[count + i];
            int16_t wide = v;
            memcpy(bytes + 2 * i, &wide, sizeof wide);
        }
    } else if (type == LE__IO_I64 || type == LE__IO_U64) {
        for (int64_t i = 0; i < count; i++) {
            int64_t v;
            uint64_t u;
            memcpy(&v, bytes + 8 * i, sizeof v);
            memcpy(&u, bytes + 8 * i, sizeof u);
            double wide = type == LE__IO_I64 ? (double)v : (double)u;
            memcpy(bytes + 8 * i, &wide, sizeof wide);
        }
    }
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
