/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Messages and bytes of radix-k by closed forms.
 */
#include "factors.h"

#include <math.h>

/* What is left of n when factors of at most `most` are taken out. */
static int take_out(int n, int most, le__factors *f) {
    f->n = 0;
    for (int k = most; k > 1; k--)
        while (n % k == 0 && f->n < LE__MOST_FACTORS) {
            f->list[f->n++] = k;
            n /= k;
        }
    return n;
}

le__factors le__factors_of(int ranks, int most) {
    le__factors f = {0};
    while (take_out(ranks - f.pairs, most, &f) > 1)
        f.pairs++;
    return f;
}

static int ranks_of(const le__factors *f) {
    int ranks = 1;
    for (int i = 0; i < f->n; i++)
        ranks *= f->list[i];
    return ranks;
}

static double cover_of(double boxes, double cover) {
    return fmin(1, cover * pow(boxes, 2.0 / 3));
}

le__cost le__factors_join(const le__factors *f, double image, double cover) {
    const int ranks = ranks_of(f);
    le__cost sum = {f->pairs, f->pairs * image * cover_of(1, cover)};
    double boxes = (double)(ranks + f->pairs) / ranks, piece = image;
    for (int i = 0; i < f->n; i++) {
        const double k = f->list[i];
        sum.messages += (int64_t)ranks * (f->list[i] - 1);
        sum.bytes += ranks * (k - 1) / k * piece * cover_of(boxes, cover);
        piece /= k;
        boxes *= k;
    }
    return sum;
}

le__cost le__factors_gather(const le__factors *f, double image) {
    const int ranks = ranks_of(f);
    return (le__cost){ranks - 1, image * (ranks - 1) / ranks};
}

double le__factors_seconds(const le__network *n, double messages, double bytes) {
    return messages * n->message_s + bytes / n->bytes_s + bytes / n->join_bytes_s;
}
