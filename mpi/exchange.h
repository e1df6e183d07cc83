/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Parts of a picture, one a rank, joined in depth order: radix-k, and box after box.
 */
#ifndef LE_MPI_EXCHANGE_H
#define LE_MPI_EXCHANGE_H

#include "world.h"

enum { LE__FACTOR = 8 }; /* the largest one by default */

typedef struct le__piece {
    int64_t begin, end; /* pixels */
} le__piece;

typedef struct le__exchange {
    le__world *world;
    const int *factors; /* their product is the number of ranks; NULL: the usual ones */
    size_t n_factors;
    float faint;    /* pixels with nothing above it are taken for empty: what 1 - T cannot tell */
    int64_t pixels; /* of a picture, or of a band of one, at most */
    float *part;    /* [pixels][4]: of this rank; what it has after each round */
    float *near;    /* of another */
    double *far;    /* joined */
    char *out, *in; /* messages */
    MPI_Request *requests;
    int64_t *order; /* two a rank */
    le__piece *pieces;
} le__exchange;

typedef struct le__packed { /* a part, as le__exchange_pack has it */
    char *data;
    int64_t bytes;
} le__packed;

/* LE_ERR_ARGUMENT: the factors are not those of the number of ranks. Not collective. */
le_status le__exchange_open(le__exchange *x, le__world *world, const int *factors, size_t n_factors,
                            int64_t pixels);
void le__exchange_close(le__exchange *x);
/* Bytes that it takes for a pixel. */
int64_t le__exchange_bytes(void);

/* Joins x->part of all ranks, which `order` names farthest first; rank 0 has the whole in x->part.
 * Only pixels that are not empty travel. Collective. */
void le__exchange_join(le__exchange *x, int64_t pixels, const int64_t *order);

/* The same for several parts a rank, joined one after the other: of the boxes starts[rank] to
 * starts[rank + 1]; order names boxes. x->faint is 0: what does not travel is a number where it was
 * made. */
void le__exchange_boxes(le__exchange *x, int64_t pixels, const le__packed *parts,
                        const int64_t *starts, const int64_t *order);

/* Runs (skip, count) of pixels that are not empty, with these; returns the bytes, at most 16 a
 * pixel and 12 for each two, and 8. */
int64_t le__exchange_pack(const float *part, int64_t pixels, float faint, char *out);
void le__exchange_unpack(const char *in, int64_t bytes, float *part, int64_t pixels);

#endif
