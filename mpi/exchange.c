/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Radix-k: in a round each of k neighbours in depth joins one k-th of what the others have.
 */
#include "exchange.h"

#include "factors.h"
#include "hooks.h"
#include "lost.h"
#include "patient.h"

#include "liquid_engine/le_boxes.h"
#include "liquid_engine/le_method.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 11, PIXEL = 4 * sizeof(float), PACKED = 24 };

/* ---------------------------------------------------------------------------------- pixels -- */

static bool is_empty(const float *p, float faint) {
    for (int c = 0; c < 4; c++)
        if (!(p[c] <= faint && p[c] >= -faint))
            return false;
    return true;
}

int64_t le__exchange_pack(const float *part, int64_t pixels, float faint, char *out) {
    char *to = out;
    for (int64_t i = 0, begin; i < pixels;) {
        uint32_t run[2] = {0, 0};
        for (; i < pixels && is_empty(part + 4 * i, faint); i++)
            run[0]++;
        for (begin = i; i < pixels && !is_empty(part + 4 * i, faint); i++)
            run[1]++;
        if (!run[1])
            break;
        memcpy(to, run, sizeof run);
        memcpy(to + sizeof run, part + 4 * begin, run[1] * (size_t)PIXEL);
        to += sizeof run + run[1] * (size_t)PIXEL;
    }
    return to - out;
}

void le__exchange_unpack(const char *in, int64_t bytes, float *part, int64_t pixels) {
    const char *end = in + bytes;
    memset(part, 0, (size_t)pixels * PIXEL);
    for (int64_t i = 0; in < end;) {
        uint32_t run[2];
        memcpy(run, in, sizeof run);
        i += run[0];
        memcpy(part + 4 * i, in + sizeof run, run[1] * (size_t)PIXEL);
        i += run[1];
        in += sizeof run + run[1] * (size_t)PIXEL;
    }
}

/* -------------------------------------------------------------------------------- messages -- */

static int64_t most_bytes(int64_t pixels) {
    return PACKED * pixels + PACKED;
}

int64_t le__exchange_bytes(void) {
    return 2 * PACKED + 2 * PIXEL + (int64_t)(4 * sizeof(double));
}

le_status le__exchange_open(le__exchange *x, le__world *world, const int *factors, size_t n_factors,
                            int64_t pixels) {
    int64_t product = 1;
    for (size_t i = 0; i < n_factors; i++)
        product = factors[i] > 1 && product <= world->ranks ? product * factors[i] : 0;
    *x = (le__exchange){.world = world,
                        .faint = FLT_EPSILON / 2,
                        .factors = factors,
                        .n_factors = n_factors,
                        .pixels = pixels};
    if (n_factors && product != world->ranks)
        return le_fail(LE_ERR_ARGUMENT, "the product of the factors is not %d ranks", world->ranks);
    x->part = malloc((size_t)pixels * PIXEL);
    x->near = malloc((size_t)pixels * PIXEL);
    x->far = malloc((size_t)pixels * 4 * sizeof *x->far);
    x->out = malloc((size_t)(most_bytes(pixels) + PACKED * (int64_t)world->ranks));
    x->in = malloc((size_t)(most_bytes(pixels)));
    x->requests = malloc((size_t)world->ranks * sizeof(MPI_Request));
    x->order = malloc(2 * (size_t)world->ranks * sizeof *x->order);
    x->pieces = malloc((size_t)world->ranks * sizeof *x->pieces);
    if (x->part && x->near && x->far && x->out && x->in && x->requests && x->order && x->pieces)
        return LE_OK;
    le__exchange_close(x);
    return le_fail(LE_ERR_MEMORY, "out of memory for %lld pixels", (long long)pixels);
}

void le__exchange_close(le__exchange *x) {
    free(x->part);
    free(x->near);
    free(x->far);
    free(x->out);
    free(x->in);
    free(x->requests);
    free(x->order);
    free(x->pieces);
    *x = (le__exchange){0};
}

static void send(le__exchange *x, const char *data, int64_t bytes, int64_t to, int *n) {
    le__hook_piece(x->world->rank);
    x->requests[*n] = MPI_REQUEST_NULL;
    MPI_Isend(data, (int)bytes, MPI_BYTE, (int)to, TAG, x->world->comm, &x->requests[(*n)++]);
    x->world->messages++;
    x->world->bytes += bytes;
}

/* A packed piece from another rank. */
static void receive(le__exchange *x, int64_t from, float *part, int64_t pixels) {
    MPI_Status status;
    int bytes = 0;
    if (le__patient_probe((int)from, TAG, x->world->comm, &status) == MPI_SUCCESS)
        MPI_Get_count(&status, MPI_BYTE, &bytes);
    le__patient_recv(x->in, bytes, MPI_BYTE, (int)from, TAG, x->world->comm);
    if (le__lost())
        bytes = 0;
    le__exchange_unpack(x->in, bytes, part, pixels);
}

static void wait_sent(le__exchange *x, int n) {
    for (int i = 0; i < n; i++)
        le__patient_wait(&x->requests[i]);
}

/* --------------------------------------------------------------------------------- rounds -- */

static le__piece cut(le__piece p, int64_t i, int64_t k) {
    return (le__piece){p.begin + (p.end - p.begin) * i / k,
                       p.begin + (p.end - p.begin) * (i + 1) / k};
}

/* x->far becomes the part of x, widened. */
static void begin_join(le__exchange *x, le__piece p, const float *farthest) {
    for (int64_t i = 0; i < 4 * (p.end - p.begin); i++)
        x->far[i] = (double)farthest[i];
}

static void end_join(le__exchange *x, le__piece p) {
    for (int64_t i = 0; i < 4 * (p.end - p.begin); i++)
        x->part[4 * p.begin + i] = (float)x->far[i];
}

/* Joins this rank's own piece, digit `own`, with those of the others of its round. */
static void join_round(le__exchange *x, le__piece p, const int64_t *members, int k, int own) {
    for (int d = 0; d < k; d++) {
        const float *one = d == own ? x->part + 4 * p.begin : x->near;
        if (d != own)
            receive(x, members[d], x->near, p.end - p.begin);
        if (d == 0)
            begin_join(x, p, one);
        else
            le_boxes_join(x->far, one, p.end - p.begin);
    }
    end_join(x, p);
}

/* at: this party's place in depth; parties that are `stride` places apart meet. */
static le__piece run_round(le__exchange *x, le__piece p, const int64_t *order, int64_t at,
                           int64_t stride, int k, int64_t *members) {
    const int own = (int)(at / stride % k);
    int n = 0;
    char *to = x->out;
    for (int d = 0; d < k; d++)
        members[d] = order[at + (d - own) * stride];
    for (int d = 0; d < k; d++) {
        le__piece q = cut(p, d, k);
        if (d == own)
            continue;
        int64_t bytes = le__exchange_pack(x->part + 4 * q.begin, q.end - q.begin, x->faint, to);
        send(x, to, bytes, members[d], &n);
        to += bytes;
    }
    le__piece q = cut(p, own, k);
    join_round(x, q, members, k, own);
    wait_sent(x, n);
    return q;
}

/* Of the first pairs of neighbours the lower rank takes both parts, until so many parties are left.
 * Returns whether this rank is one; *order names them then. */
static bool pair_up(le__exchange *x, int64_t pixels, int64_t *order, int64_t parties) {
    const int64_t ranks = x->world->ranks, pairs = ranks - parties;
    const le__piece all = {0, pixels};
    bool is_party = true;
    for (int64_t i = 0; i < pairs; i++) {
        int64_t pair[2] = {order[2 * i], order[2 * i + 1]};
        int64_t stays = pair[0] < pair[1] ? pair[0] : pair[1];
        int n = 0;
        if (pair[0] + pair[1] - stays == x->world->rank) {
            send(x, x->out, le__exchange_pack(x->part, pixels, x->faint, x->out), stays, &n);
            is_party = false;
        } else if (stays == x->world->rank) {
            join_round(x, all, pair, 2, pair[1] == stays);
        }
        wait_sent(x, n);
        order[i] = stays;
    }
    memmove(order + pairs, order + 2 * pairs, (size_t)(ranks - 2 * pairs) * sizeof *order);
    return is_party;
}

/* The pieces of the parties, in the order of `pieces`, to rank 0. */
static void gather(le__exchange *x, le__piece own, bool is_party, const int64_t *order,
                   int64_t parties, const le__piece *pieces) {
    int n = 0;
    if (is_party && x->world->rank != 0)
        send(x, x->out,
             le__exchange_pack(x->part + 4 * own.begin, own.end - own.begin, x->faint, x->out), 0,
             &n);
    for (int64_t i = 0; x->world->rank == 0 && i < parties; i++)
        if (order[i] != 0)
            receive(x, order[i], x->part + 4 * pieces[i].begin, pieces[i].end - pieces[i].begin);
    wait_sent(x, n);
}

/* What a party has after all rounds. */
static le__piece last_piece(int64_t at, int64_t pixels, const int *factors, size_t n) {
    le__piece p = {0, pixels};
    for (size_t r = 0; r < n; at /= factors[r++])
        p = cut(p, at % factors[r], factors[r]);
    return p;
}

void le__exchange_join(le__exchange *x, int64_t pixels, const int64_t *told) {
    const le__factors usual = le__factors_of(x->world->ranks, LE__FACTOR);
    const int *factors = x->n_factors ? x->factors : usual.list;
    const size_t n = x->n_factors ? x->n_factors : (size_t)usual.n;
    const int64_t parties = x->world->ranks - (x->n_factors ? 0 : usual.pairs);
    int64_t at = 0, stride = 1;
    int64_t *order = x->order, *members = order + x->world->ranks;
    le__piece *pieces = x->pieces, own = {0, pixels};
    memcpy(order, told, (size_t)x->world->ranks * sizeof *order);
    bool is_party = pair_up(x, pixels, order, parties);
    while (is_party && order[at] != x->world->rank)
        at++;
    for (size_t r = 0; is_party && r < n; stride *= factors[r++])
        own = run_round(x, own, order, at, stride, factors[r], members);
    for (int64_t i = 0; i < parties; i++)
        pieces[i] = last_piece(i, pixels, factors, n);
    gather(x, own, is_party, order, parties, pieces);
}

/* --------------------------------------------------------------------------- box after box -- */

/* This rank's part, to all others, and its own piece of it. */
static void deal(le__exchange *x, const le__packed *part, int64_t pixels) {
    const int ranks = x->world->ranks, me = x->world->rank;
    char *to = x->out;
    int n = 0;
    le__exchange_unpack(part->data, part->bytes, x->part, pixels);
    for (int r = 0; r < ranks; r++) {
        const le__piece p = x->pieces[r];
        if (r == me)
            continue;
        int64_t bytes = le__exchange_pack(x->part + 4 * p.begin, p.end - p.begin, x->faint, to);
        send(x, to, bytes, r, &n);
        to += bytes;
    }
    const le__piece own = x->pieces[me];
    memcpy(x->near, x->part + 4 * own.begin, (size_t)(own.end - own.begin) * PIXEL);
    wait_sent(x, n);
}

void le__exchange_boxes(le__exchange *x, int64_t pixels, const le__packed *parts,
                        const int64_t *starts, const int64_t *order) {
    const int ranks = x->world->ranks, me = x->world->rank;
    const le__piece all = {0, pixels}, own = cut(all, me, ranks);
    const int64_t share = own.end - own.begin;
    int64_t *senders = x->order;
    for (int r = 0; r < ranks; r++) {
        x->pieces[r] = cut(all, r, ranks);
        senders[r] = r;
    }
    memset(x->far, 0, (size_t)share * 4 * sizeof *x->far);
    for (int64_t i = 0; i < starts[ranks]; i++) {
        int owner = 0;
        while (order[i] >= starts[owner + 1])
            owner++;
        if (owner == me)
            deal(x, &parts[order[i] - starts[me]], pixels);
        else
            receive(x, owner, x->near, share);
        le_boxes_join(x->far, x->near, share);
    }
    end_join(x, own);
    gather(x, own, true, senders, ranks, x->pieces);
}
