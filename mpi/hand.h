/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Blocks handed out while the ranks work: who has begun the last of his asks for more, and rank 0
 * answers, also in the midst of its own work. Nobody waits for ever for a rank that hangs.
 */
#ifndef LE_MPI_HAND_H
#define LE_MPI_HAND_H

#include "shares.h"
#include "world.h"

typedef struct le__hand {
    le__world *world;
    le__shares shares; /* rank 0's */
    le__range own;     /* to be done next */
    bool by_speed;     /* else the first share is all */
    bool asked;        /* the answer has not come */
    bool over;         /* nothing is left for this rank */
    int64_t done;      /* blocks */
    double worked, waited;
    double until; /* on MPI_Wtime: when a rank that has not come back hangs; 0: never */
    bool *back;   /* rank 0: who has ended */
    int out;      /* ranks that have not */
    double grace;
    int64_t answer[2]; /* as it comes */
    double due;        /* on MPI_Wtime: not before */
} le__hand;

/* Seconds that whoever is late has beyond the deadline. */
double le__hand_grace(void);
/* Of so many blocks. speeds: what is believed of the ranks', relative; NULL: nothing. deadline on
 * MPI_Wtime, 0: none. Collective. */
le_status le__hand_open(le__hand *h, le__world *world, int64_t blocks, const double *speeds,
                        bool by_speed, double deadline);
void le__hand_free(le__hand *h);
/* The number of the next block for this rank; -1: there is none. To be called until then, by all
 * ranks; `status`: an error here, after which nobody begins anything more. */
int64_t le__hand_next(le__hand *h, le_status status);
/* A block took so long. */
void le__hand_done(le__hand *h, double seconds);
/* Rank 0 answers who has asked; to be called now and then. */
void le__hand_answer(le__hand *h);

#endif
