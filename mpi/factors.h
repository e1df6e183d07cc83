/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What joining the images of P boxes costs by radix-k (Peterka et al. 2009): in a round each of k
 * depth neighbours joins one k-th of the others' piece, P = k1 k2 ...; [P] is direct send,
 * [2,2,...] binary swap. Numbers only.
 */
#ifndef LE_MPI_FACTORS_H
#define LE_MPI_FACTORS_H

#include <stdint.h>

enum { LE__MOST_FACTORS = 32 };

typedef struct le__factors {
    int n, list[LE__MOST_FACTORS];
    int pairs; /* neighbours that join before, so that P - pairs has no larger factor */
} le__factors;

/* Factors of at most `most` >= 2, the largest first. */
le__factors le__factors_of(int ranks, int most);

typedef struct le__cost {
    int64_t messages; /* of all ranks */
    double bytes;
} le__cost;

/* The sum over all ranks. image: bytes of one; cover: the part of it that a box's pixels take, of
 * which those of n boxes that lie together take n^(2/3) times as much, at most all. */
le__cost le__factors_join(const le__factors *factors, double image, double cover);
/* Bringing the pieces to one rank. */
le__cost le__factors_gather(const le__factors *factors, double image);

typedef struct le__network {
    double message_s, bytes_s, join_bytes_s; /* seconds a message; bytes a second */
} le__network;

/* Of one rank, which sends as much as it joins. */
double le__factors_seconds(const le__network *network, double messages, double bytes);

#endif
