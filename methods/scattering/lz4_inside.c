/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * LZ4 sequences of bit planes of counts are short and alike in nothing: two of three matches are at
 * most eight bytes, of any distance, and a branch that depends on it would be guessed wrong every
 * other time. So sixteen bytes are stored whatever the lengths; matches that overlap themselves
 * repeat their distance by a shuffle. Only lengths that do not fit are branches.
 */
#include "scattering/lz4_cursor.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define TARGET __attribute__((target("ssse3")))

enum { WIDE = 16, AHEAD = 48 }; /* a short sequence ends before that */

/* Bytes 0 to offset - 1 again and again; and how many of them are whole times the offset. */
#define ROW(n)                                                                                     \
    {                                                                                              \
        0 % (n), 1 % (n), 2 % (n), 3 % (n), 4 % (n), 5 % (n), 6 % (n), 7 % (n), 8 % (n), 9 % (n),  \
            10 % (n), 11 % (n), 12 % (n), 13 % (n), 14 % (n), 15 % (n)                             \
    }
static const uint8_t rows[WIDE + 1][WIDE] = {ROW(16), ROW(1),  ROW(2),  ROW(3),  ROW(4),  ROW(5),
                                             ROW(6),  ROW(7),  ROW(8),  ROW(9),  ROW(10), ROW(11),
                                             ROW(12), ROW(13), ROW(14), ROW(15), ROW(16)};
static const uint8_t steps[WIDE + 1] = {16, 16, 16, 15, 16, 15, 12, 14, 16,
                                        9,  10, 11, 12, 13, 14, 15, 16};

TARGET static inline __m128i load(const uint8_t *p) {
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

TARGET static inline void store(uint8_t *p, __m128i x) {
    _mm_storeu_si128((__m128i *)(void *)p, x);
}

/* At least n bytes, of which there are WIDE more on both sides. A loop that stores what it has
 * just loaded would be made a call of memcpy, which takes longer than such few bytes. */
TARGET static inline void put_literals(uint8_t *to, const uint8_t *from, int64_t n) {
    __m128i x = load(from);
    for (int64_t i = WIDE; i < n; i += WIDE) {
        const __m128i next = load(from + i);
        store(to + i - WIDE, x);
        x = next;
    }
    store(to + (n - 1) / WIDE * WIDE, x);
}

TARGET static inline void put_match(uint8_t *to, int64_t offset, int64_t n) {
    const int64_t row = offset < WIDE ? offset : WIDE, step = steps[row];
    const __m128i x = _mm_shuffle_epi8(load(to - offset), load(rows[row]));
    store(to, x);
    if (n <= step)
        return;
    if (offset >= WIDE) /* what was stored just now may be what is loaded next */
        for (int64_t i = WIDE; i < n; i += WIDE)
            store(to + i, load(to + i - offset));
    else
        for (int64_t i = step; i < n; i += step)
            store(to + i, x);
}

TARGET static void inside(le__sc_lz4_cursor *c) {
    while (c->end - c->p > AHEAD) {
        le__sc_lz4_cursor s = *c;
        const uint8_t token = *s.p++;
        int64_t literals = token >> 4, match = (token & 15) + 4;
        if (literals == 15 && (!le__sc_lz4_length(&s, &literals) || literals > s.end - s.p - AHEAD))
            return;
        if (literals > s.bytes - s.at - AHEAD)
            return;
        put_literals(s.out + s.at, s.p, literals | 1);
        s.p += literals;
        s.at += literals;
        const int64_t offset = s.p[0] | s.p[1] << 8;
        s.p += 2;
        if (match == 15 + 4 && !le__sc_lz4_length(&s, &match))
            return;
        if (offset == 0 || offset > s.at || match > s.bytes - s.at - AHEAD)
            return;
        put_match(s.out + s.at, offset, match);
        s.at += match;
        *c = s;
    }
}

void le__sc_lz4_inside(le__sc_lz4_cursor *c) {
    if (__builtin_cpu_supports("ssse3"))
        inside(c);
}
#else
void le__sc_lz4_inside(le__sc_lz4_cursor *c) {
    (void)c;
}
#endif
