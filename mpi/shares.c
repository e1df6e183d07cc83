/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Shares by speed. What is handed out shrinks with what is left, so that all ranks end within about
 * a block of each other, whatever was believed of them.
 */
#include "shares.h"

#include <math.h>

static int64_t head_begin(int64_t blocks, double part, const double *beliefs, int ranks, int rank) {
    double before = 0, all = 0;
    for (int r = 0; r < ranks; r++) {
        before += r < rank ? beliefs[r] : 0;
        all += beliefs[r];
    }
    return (int64_t)((double)blocks * part * (before / all));
}

le__range le__shares_head(int64_t blocks, double part, const double *beliefs, int ranks, int rank) {
    int64_t begin = head_begin(blocks, part, beliefs, ranks, rank);
    return (le__range){begin,
                       rank < ranks ? head_begin(blocks, part, beliefs, ranks, rank + 1) : blocks};
}

/* Beliefs of ranks that have not been heard are scaled to the speeds of those that have. */
static double share_of(const le__shares *s, int rank) {
    double measured = 0, believed = 0, all = 0, own = 0;
    for (int r = 0; r < s->ranks; r++)
        if (s->speeds[r] > 0) {
            measured += s->speeds[r];
            believed += s->beliefs[r];
        }
    const double scale = believed > 0 ? measured / believed : 1;
    for (int r = 0; r < s->ranks; r++) {
        const double speed = s->speeds[r] > 0 ? s->speeds[r] : scale * s->beliefs[r];
        all += speed;
        own = r == rank ? speed : own;
    }
    return own / all;
}

le__range le__shares_more(le__shares *s, int rank, double speed) {
    const int64_t left = s->left.end - s->left.begin;
    if (speed > 0 && isfinite(speed))
        s->speeds[rank] = speed;
    int64_t n = (int64_t)ceil((double)left * share_of(s, rank) / 2);
    n = n < left ? n : left;
    le__range r = {s->left.begin, s->left.begin + n};
    s->left.begin += n;
    return r;
}
