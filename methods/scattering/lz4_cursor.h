/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Inside of LZ4 blocks, for those that decode them.
 */
#ifndef LE_SCATTERING_LZ4_CURSOR_H
#define LE_SCATTERING_LZ4_CURSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where a decoder is: `p` at a token, `at` bytes are there. */
typedef struct le__sc_lz4_cursor {
    const uint8_t *p, *end; /* input */
    uint8_t *out;           /* NULL: only checked */
    int64_t at, bytes;      /* output: place and size */
    int64_t zeros;          /* before `at` there are so many zeros that have not been written */
} le__sc_lz4_cursor;

/* A length whose token has 15: bytes are added, up to one other than 255. Where planes are zero
 * there are many, which are taken by eights. */
static inline bool le__sc_lz4_length(le__sc_lz4_cursor *c, int64_t *length) {
    uint64_t eight;
    uint8_t more;
    for (; c->end - c->p > (int64_t)sizeof eight; c->p += sizeof eight) {
        memcpy(&eight, c->p, sizeof eight);
        if (eight != UINT64_MAX)
            break;
        *length += 8 * 255;
    }
    do {
        if (c->p == c->end)
            return false;
        more = *c->p++;
        *length += more;
    } while (more == 255);
    return true;
}

/* Decodes from the beginning while all that sequences read and write lies well inside; the cursor
 * stays before the first that does not, or that is wrong. */
void le__sc_lz4_inside(le__sc_lz4_cursor *c);

#endif
