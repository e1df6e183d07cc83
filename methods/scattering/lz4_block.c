/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * LZ4 blocks. Every length is compared with what is left of the input and of the output before it
 * is believed.
 */
#include "scattering/lz4_block.h"

#include "scattering/lz4_cursor.h"

#include <string.h>

enum { STEP = 16, LONG_MATCH = 64 };
/* How blocks end: matches leave so many bytes, and begin where so many are left; behind the
 * literals of a sequence that is not the last one there are so many bytes at least. */
enum { LAST_LITERALS = 5, MATCH_LIMIT = 12, LEAST_REST = 2 + 1 + LAST_LITERALS };

typedef le__sc_lz4_cursor cursor;

static void write_zeros(cursor *c) {
    memset(c->out + c->at - c->zeros, 0, (size_t)c->zeros);
    c->zeros = 0;
}

static bool all_zero(const uint8_t *p, int64_t n) {
    uint8_t any = 0;
    for (int64_t i = 0; i < n; i++)
        any |= p[i];
    return any == 0;
}

/* The last literals of a block are at least five, and of a run of zeros zeros, too. */
static inline void copy_literals(cursor *c, int64_t n) {
    if (c->zeros && all_zero(c->p, n)) {
        c->zeros += n;
        return;
    }
    if (c->zeros)
        write_zeros(c);
    uint8_t *to = c->out + c->at;
    if (n + STEP <= c->bytes - c->at && n + STEP <= c->end - c->p)
        for (int64_t i = 0; i < n; i += STEP)
            memcpy(to + i, c->p + i, STEP);
    else
        memcpy(to, c->p, (size_t)n);
}

static inline void copy_match(cursor *c, int64_t offset, int64_t n) {
    if (c->zeros)
        write_zeros(c);
    uint8_t *to = c->out + c->at;
    const uint8_t *from = to - offset;
    if (n >= LONG_MATCH && offset <= LONG_MATCH && all_zero(from, offset))
        c->zeros = n;
    else if (offset >= STEP && n + STEP <= c->bytes - c->at)
        for (int64_t i = 0; i < n; i += STEP)
            memcpy(to + i, from + i, STEP);
    else if (offset >= 8 && n + 8 <= c->bytes - c->at)
        for (int64_t i = 0; i < n; i += 8)
            memcpy(to + i, from + i, 8);
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = from[i];
}

static inline bool all_sequences(cursor *c) {
    while (c->p < c->end) {
        const uint8_t token = *c->p++;
        int64_t literals = token >> 4, match = (token & 15) + 4;
        if (literals == 15 && !le__sc_lz4_length(c, &literals))
            return false;
        if (literals > c->end - c->p || literals > c->bytes - c->at)
            return false;
        if (c->out)
            copy_literals(c, literals);
        c->p += literals;
        c->at += literals;
        if (c->p == c->end)
            return c->at == c->bytes;
        if (c->end - c->p < LEAST_REST || c->bytes - c->at < MATCH_LIMIT)
            return false;
        const int64_t offset = c->p[0] | c->p[1] << 8;
        c->p += 2;
        if ((token & 15) == 15 && !le__sc_lz4_length(c, &match))
            return false;
        if (offset == 0 || offset > c->at || match > c->bytes - c->at - LAST_LITERALS)
            return false;
        if (c->out)
            copy_match(c, offset, match);
        c->at += match;
    }
    return false;
}

bool le__sc_lz4_check(const uint8_t *from, int64_t size, int64_t bytes) {
    cursor c = {.p = from, .end = from + size, .bytes = bytes};
    return all_sequences(&c);
}

bool le__sc_lz4_decode(const uint8_t *from, int64_t size, uint8_t *out, int64_t bytes,
                       int64_t *used) {
    cursor c = {.p = from, .end = from + size, .out = out, .bytes = bytes};
    le__sc_lz4_inside(&c);
    const bool good = all_sequences(&c);
    *used = c.at - c.zeros;
    return good;
}
