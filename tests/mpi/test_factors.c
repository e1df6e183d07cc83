/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The closed forms of joining by radix-k against an exchange that is carried out, message by
 * message: what each rank has of which pixels, and from which boxes.
 */
#include "factors.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, PIXELS = 27720 }; /* 27720 can be divided by all numbers up to 12 */

static int failures;
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "line %d: %s\n", __LINE__, #x);                                        \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

typedef struct piece { /* pixels [low, high) of boxes [first, last) in depth order */
    int low, high, first, last;
} piece;

typedef struct counted {
    int64_t messages, pixels;
} counted;

static void send(const piece *part, counted *c) {
    c->messages++;
    c->pixels += part->high - part->low;
}

/* Neighbours that join before the rounds: returns how many pieces are left. */
static int join_pairs(piece *own, int ranks, int pairs, counted *c) {
    int n = 0;
    for (int r = 0; r < ranks; r++) {
        piece p = own[r];
        if (n < pairs) {
            send(&own[++r], c);
            p.last = own[r].last;
        }
        own[n++] = p;
    }
    return n;
}

/* One round among members of groups of k whose numbers are `stride` apart. */
static void join_round(piece *own, int ranks, int k, int stride, counted *c) {
    piece next[MOST];
    for (int r = 0; r < ranks; r++) {
        const int digit = r / stride % k, base = r - digit * stride;
        const int size = (own[r].high - own[r].low) / k;
        piece p = own[base];
        p.low = own[r].low + digit * size;
        p.high = p.low + size;
        for (int d = 0; d < k; d++) {
            const piece *from = &own[base + d * stride];
            const piece part = {p.low, p.high, from->first, from->last};
            CHECK(from->low <= p.low && p.high <= from->high);
            CHECK(d == 0 || from->first == p.last); /* in depth order, nobody left out */
            p.last = from->last;
            if (d != digit)
                send(&part, c);
        }
        next[r] = p;
    }
    for (int r = 0; r < ranks; r++)
        own[r] = next[r];
}

static void simulate(int ranks, const le__factors *f, counted *joined, counted *gathered) {
    piece own[MOST];
    bool seen[PIXELS] = {false};
    int stride = 1;
    for (int r = 0; r < ranks; r++)
        own[r] = (piece){0, PIXELS, r, r + 1};
    const int left = join_pairs(own, ranks, f->pairs, joined);
    for (int i = 0; i < f->n; stride *= f->list[i++])
        join_round(own, left, f->list[i], stride, joined);
    CHECK(stride == left);
    for (int r = 0; r < left; r++) {
        CHECK(own[r].first == 0 && own[r].last == ranks);
        for (int p = own[r].low; p < own[r].high; p++) {
            CHECK(!seen[p]);
            seen[p] = true;
        }
        if (r)
            send(&own[r], gathered);
    }
    for (int p = 0; p < PIXELS; p++)
        CHECK(seen[p]);
}

static void check(int ranks, const le__factors *f) {
    counted joined = {0}, gathered = {0};
    const double pixel = 16;
    simulate(ranks, f, &joined, &gathered);
    const le__cost join = le__factors_join(f, PIXELS * pixel, 1);
    const le__cost gather = le__factors_gather(f, PIXELS * pixel);
    CHECK(join.messages == joined.messages && gather.messages == gathered.messages);
    CHECK(fabs(join.bytes - pixel * (double)joined.pixels) <= 1e-9 * join.bytes);
    CHECK(fabs(gather.bytes - pixel * (double)gathered.pixels) <= 1e-9 * gather.bytes + 1e-9);
}

/* As counted once on a prototype: messages with gathering, by small factors and in one round. */
static void as_counted_before(void) {
    static const struct {
        int ranks, small, direct;
        double bytes; /* 60 x 60 pixels of 16 bytes */
    } rows[] = {{4, 11, 15, 216000},
                {5, 24, 24, 276480},
                {6, 23, 35, 336000},
                {8, 31, 63, 453600},
                {12, 59, 143, 686400}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int direct = 0; direct < 2; direct++) {
            const le__factors f = le__factors_of(rows[i].ranks, direct ? rows[i].ranks : 5);
            le__factors primes = f;
            for (int k = 0; !direct && k < primes.n; k++)
                if (primes.list[k] == 4) {
                    primes.list[k] = 2;
                    primes.list[primes.n++] = 2;
                }
            const le__cost a = le__factors_join(&primes, 57600, 1);
            const le__cost b = le__factors_gather(&primes, 57600);
            CHECK(a.messages + b.messages == (direct ? rows[i].direct : rows[i].small));
            CHECK(fabs(a.bytes + b.bytes - rows[i].bytes) < 1e-6);
        }
}

/* A rank among 64 with boxes of 1.5/16 of 64 MiB: 3 + 2.38 + 1.89 + 1.5 + ... MiB by binary swap.
 */
static void of_active_pixels(void) {
    const double mib = 1 << 20, cover = 1.5 / 16;
    const le__factors two = le__factors_of(64, 2), eight = le__factors_of(64, 8);
    double sum = 0;
    for (int round = 0; round < 6; round++) /* half the pixels, 2^(2/3) times as many of them */
        sum += 3 * pow(2, -round / 3.0);
    CHECK(two.n == 6 && eight.n == 2);
    CHECK(fabs(le__factors_join(&two, 64 * mib, cover).bytes / 64 / mib - sum) < 1e-9);
    CHECK(fabs(le__factors_join(&eight, 64 * mib, cover).bytes / 64 / mib - 7.875) < 1e-9);
    const le__network n = {2e-6, 12.5e9, 8e9};
    CHECK(fabs(le__factors_seconds(&n, 14, 1e9) - (28e-6 + 0.08 + 0.125)) < 1e-12);
}

int main(void) {
    for (int ranks = 1; ranks <= 12; ranks++)
        for (int most = 2; most <= 12; most++) {
            const le__factors f = le__factors_of(ranks, most);
            int left = 1;
            for (int i = 0; i < f.n; i++) {
                CHECK(f.list[i] >= 2 && f.list[i] <= most);
                left *= f.list[i];
            }
            CHECK(left + f.pairs == ranks && f.pairs <= ranks / 2);
            check(ranks, &f);
        }
    /* in any order */
    check(12, &(le__factors){3, {2, 3, 2}, 0});
    check(12, &(le__factors){2, {3, 4}, 0});
    check(9, &(le__factors){3, {2, 2, 2}, 1});
    as_counted_before();
    of_active_pixels();
    printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
