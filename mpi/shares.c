/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Shares by speed. What is handed out shrinks with what is left, so that all ranks end within about
 * a block of each other, whatever was believed of them.
 */
#include "shares.h"

#include <math.h>

/* Of a share. Little: a rank may be four times as slow as is believed, as one of identical nodes is
 * on which others compute too, and what it has begun with nobody takes from it. */
static const double head = 0.25;

static double believed_before(const le__shares *s, int rank) {
    double sum = 0;
    for (int r = 0; r < rank; r++)
        sum += s->ranks[r].belief;
    return sum;
}

/* Where a head ends, by the part of all beliefs up to there. */
static int64_t head_end(int64_t blocks, bool all, double part) {
    return (int64_t)((double)blocks * (all ? 1 : head) * part);
}

le__range le__shares_head(const le__shares *s, int64_t blocks, bool all, int rank) {
    const double sum = believed_before(s, s->n), before = believed_before(s, rank);
    const double after = before + s->ranks[rank].belief;
    return (le__range){head_end(blocks, all, before / sum), head_end(blocks, all, after / sum)};
}

void le__shares_begin(le__shares *s, int64_t blocks, bool all, double now) {
    const double sum = believed_before(s, s->n);
    double before = 0;
    int64_t end = 0;
    for (int r = 0; r < s->n; r++) {
        const int64_t begin = end;
        before += s->ranks[r].belief;
        end = head_end(blocks, all, before / sum);
        s->ranks[r].since = now;
        s->ranks[r].granted = end - begin;
    }
    s->left = (le__range){end, blocks};
}

/* Beliefs of ranks that have not been heard are scaled to the speeds of those that have. */
static double share_of(const le__shares *s, int rank) {
    double measured = 0, believed = 0, all = 0, own = 0;
    for (int r = 0; r < s->n; r++)
        if (s->ranks[r].speed > 0) {
            measured += s->ranks[r].speed;
            believed += s->ranks[r].belief;
        }
    const double scale = believed > 0 ? measured / believed : 1;
    for (int r = 0; r < s->n; r++) {
        const le__rank_share *k = &s->ranks[r];
        const double speed = k->speed > 0 ? k->speed : scale * k->belief;
        all += speed;
        own = r == rank ? speed : own;
    }
    return own / all;
}

static double free_at(const le__rank_share *k) {
    return k->speed > 0 ? k->since + (double)k->granted / k->speed : k->since;
}

/* Blocks beyond those that it has, of a rank whose speed is known. */
static double can_do_until(const le__rank_share *k, double time) {
    return k->over || k->speed <= 0 ? 0 : fmax(0, floor((time - free_at(k)) * k->speed));
}

static bool others_are_sooner(const le__shares *s, int rank) {
    const le__rank_share *own = &s->ranks[rank];
    double blocks = 0;
    for (int r = 0; own->speed > 0 && r < s->n; r++)
        if (r != rank)
            blocks += can_do_until(&s->ranks[r], free_at(own) + 1 / own->speed);
    return blocks >= (double)(s->left.end - s->left.begin);
}

le__range le__shares_more(le__shares *s, int rank, double speed, double now) {
    le__rank_share *own = &s->ranks[rank];
    const int64_t left = s->left.end - s->left.begin;
    if (speed > 0 && isfinite(speed))
        own->speed = speed;
    int64_t n = (int64_t)ceil((double)left * share_of(s, rank) / 2);
    n = n > left ? left : n;
    own->since = fmax(now, free_at(own));
    own->granted = 0;
    if (n == 1 && others_are_sooner(s, rank))
        n = 0;
    own->granted = n;
    own->over = n == 0;
    le__range r = {s->left.begin, s->left.begin + n};
    s->left.begin += n;
    return r;
}
