/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Asking and answering. A rank asks before its range ends, so that the answer comes while it works;
 * its measured speed is all that it says, FAILED that it has given up. The answer is a range; an
 * empty one is the last, after which the rank says when it has ENDED with what it has.
 */
#include "hand.h"

#include "hooks.h"
#include "lost.h"
#include "patient.h"

#include "liquid_engine/le_method.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ASK = 8, ANSWER, NAP_NS = 200000 };
static const double FAILED = -1, ENDED = -2;

double le__hand_grace(void) {
    return le__hook_grace(30);
}

le_status le__hand_open(le__hand *h, le__world *world, int64_t blocks, const double *speeds,
                        bool by_speed, double deadline) {
    const size_t n = (size_t)world->ranks;
    *h = (le__hand){.world = world, .by_speed = by_speed, .grace = le__hand_grace()};
    h->shares = (le__shares){.n = world->ranks, .ranks = calloc(n, sizeof *h->shares.ranks)};
    h->back = calloc(n, sizeof *h->back);
    bool good = h->shares.ranks && h->back;
    le_status status =
        le__world_agree(world, good ? LE_OK : le_fail(LE_ERR_MEMORY, "out of memory"));
    if (status != LE_OK)
        return status;
    for (size_t r = 0; r < n; r++)
        h->shares.ranks[r].belief = speeds ? speeds[r] : 1;
    h->own = le__shares_head(&h->shares, blocks, !by_speed, world->rank);
    le__shares_begin(&h->shares, blocks, !by_speed, MPI_Wtime());
    h->out = world->ranks - 1;
    h->until = deadline > 0 ? deadline + h->grace : 0;
    return LE_OK;
}

void le__hand_free(le__hand *h) {
    free(h->shares.ranks);
    free(h->back);
}

/* --------------------------------------------------------------------------------- who hangs -- */

static void name_missing(const le__hand *h, char *out, size_t size) {
    size_t n = (size_t)snprintf(out, size, "%s", h->world->rank ? " 0" : "");
    for (int r = 1; !h->world->rank && r < h->world->ranks && n < size; r++)
        if (!h->back[r])
            n += (size_t)snprintf(out + n, size - n, " %d", r);
}

/* A little, for an answer. Rank 0 is given as long again to say who hangs. */
static void nap(const le__hand *h) {
    const struct timespec t = {.tv_nsec = NAP_NS};
    const double until = h->until + (h->world->rank ? h->grace : 0);
    char missing[256];
    nanosleep(&t, NULL);
    if (h->until == 0 || MPI_Wtime() < until)
        return;
    name_missing(h, missing, sizeof missing);
    fprintf(stderr, "liquid engine: rank%s of %d: not back long after the deadline; the job ends\n",
            missing, h->world->ranks);
    MPI_Abort(MPI_COMM_WORLD, 1); /* MPICH 4.0 waits for the ranks of another communicator first */
}

/* --------------------------------------------------------------------------------- answering -- */

static bool any_asks(const le__hand *h, MPI_Status *from) {
    int asks = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, ASK, h->world->comm, &asks, from);
    return asks != 0;
}

static void answer(le__hand *h, int rank) {
    double speed = 0;
    le__patient_recv(&speed, 1, MPI_DOUBLE, rank, ASK, h->world->comm);
    if (speed == ENDED) {
        h->back[rank] = true;
        h->out--;
        return;
    }
    if (speed == FAILED) /* nobody begins anything more */
        h->own.begin = h->own.end = h->shares.left.begin = h->shares.left.end;
    const le__range r = le__shares_more(&h->shares, rank, speed, MPI_Wtime());
    const int64_t both[2] = {r.begin, r.end};
    le__patient_send(both, 2, MPI_INT64_T, rank, ANSWER, h->world->comm);
    h->world->asks++;
}

void le__hand_answer(le__hand *h) {
    MPI_Status from;
    while (h->world->rank == 0 && h->out > 0 && any_asks(h, &from) && !le__lost())
        answer(h, from.MPI_SOURCE);
}

/* ------------------------------------------------------------------------------------ asking -- */

static double speed_of(const le__hand *h) {
    return h->worked > 0 ? (double)h->done / h->worked : 0;
}

/* As rank 0 may be at work and look for who asks as often as work is looked after. */
static const double ahead_s = 0.06;

static bool is_time_to_ask(const le__hand *h) {
    const int64_t left = h->own.end - h->own.begin;
    return h->by_speed && !h->asked && h->done > 0 && left > 0 &&
           (left == 1 || (double)left <= ahead_s * speed_of(h));
}

static void say(le__hand *h, double what) {
    le__patient_send(&what, 1, MPI_DOUBLE, 0, ASK, h->world->comm);
    h->world->asks++;
}

static void ask(le__hand *h, double speed) {
    say(h, speed);
    h->asked = true;
    h->due = MPI_Wtime() + 2 * le__hook_delay(); /* there and back; nobody's work waits for it */
}

static le__range wait_for_answer(le__hand *h) {
    int come = 0;
    MPI_Request request;
    const double since = MPI_Wtime();
    MPI_Irecv(h->answer, 2, MPI_INT64_T, 0, ANSWER, h->world->comm, &request);
    MPI_Test(&request, &come, MPI_STATUS_IGNORE);
    while ((!come || MPI_Wtime() < h->due) && !le__lost()) {
        nap(h);
        MPI_Test(&request, &come, MPI_STATUS_IGNORE);
    }
    h->asked = false;
    h->waited += MPI_Wtime() - since;
    return le__lost() ? (le__range){0, 0} : (le__range){h->answer[0], h->answer[1]};
}

/* Of another rank than 0. */
static void get_more(le__hand *h) {
    if (!h->asked)
        ask(h, speed_of(h));
    h->own = wait_for_answer(h);
    h->over = h->own.begin == h->own.end;
}

static void give_up(le__hand *h) {
    if (h->asked && !h->over) {
        le__range unwanted = wait_for_answer(h);
        h->over = unwanted.begin == unwanted.end;
    }
    while (!h->over) {
        ask(h, FAILED);
        le__range none = wait_for_answer(h);
        h->over = none.begin == none.end;
    }
    h->own.begin = h->own.end;
}

static void wait_for_all(le__hand *h) {
    const double since = MPI_Wtime();
    for (le__hand_answer(h); h->out > 0 && !le__lost(); le__hand_answer(h))
        nap(h);
    h->waited += MPI_Wtime() - since;
}

static void next_of_root(le__hand *h, le_status status) {
    le__hand_answer(h);
    if (status != LE_OK)
        h->own.begin = h->own.end = h->shares.left.begin = h->shares.left.end;
    else if (h->own.begin == h->own.end)
        h->own = le__shares_more(&h->shares, 0, speed_of(h), MPI_Wtime());
    if (h->own.begin == h->own.end)
        wait_for_all(h);
}

static void next_of_other(le__hand *h, le_status status) {
    if (status != LE_OK)
        give_up(h);
    else if (h->own.begin == h->own.end && !h->over)
        get_more(h);
    if (is_time_to_ask(h))
        ask(h, speed_of(h));
    if (h->own.begin == h->own.end && !le__lost())
        say(h, ENDED);
}

int64_t le__hand_next(le__hand *h, le_status status) {
    if (h->world->rank == 0)
        next_of_root(h, status);
    else
        next_of_other(h, status);
    return h->own.begin < h->own.end && !le__lost() ? h->own.begin++ : -1;
}

void le__hand_done(le__hand *h, double seconds) {
    h->done++;
    h->worked += seconds;
}
