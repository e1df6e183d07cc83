/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Results on their way to rank 0, in messages of what lies together.
 */
#include "scan_ranks.h"

#include "liquid_engine/le_method.h"
#include "run_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 16 << 20 };

static int64_t begin_by_speed(const double *speeds, int64_t ranks, int rank, int64_t units) {
    double before = 0, sum = 0;
    for (int r = 0; r < ranks; r++) {
        before += r < rank ? speeds[r] : 0;
        sum += speeds[r];
    }
    return rank < ranks ? (int64_t)ceil((double)units * (before / sum)) : units;
}

le_status scan_shared_of(const unsigned char *done, int64_t first, int64_t all, int64_t unit,
                         scan_shared *out) {
    *out = (scan_shared){.unit = unit, .items = malloc((size_t)(all + 1) * sizeof *out->items)};
    if (!out->items)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    for (int64_t begin = first, end; begin < all; begin = end) {
        end = all - begin < unit ? all : begin + unit;
        if (memchr(done + begin, 0, (size_t)(end - begin)))
            for (int64_t i = begin; i < end; i++)
                out->items[out->n++] = i;
    }
    return LE_OK;
}

void scan_shared_free(scan_shared *all) {
    free(all->items);
    free(all->speeds);
    *all = (scan_shared){0};
}

int64_t scan_share_run(const scan_shared *all, int64_t at, int64_t end) {
    int64_t n = 1;
    while (at + n < end && all->items[at + n] == all->items[at] + n)
        n++;
    return n;
}

static int64_t begin_of(const scan_shared *all, int rank) {
    const int64_t ranks = run_world_ranks(), units = (all->n + all->unit - 1) / all->unit;
    int64_t begin = (units * rank + ranks - 1) / ranks * all->unit;
    if (all->speeds)
        begin = begin_by_speed(all->speeds, ranks, rank, units) * all->unit;
    return begin < all->n ? begin : all->n;
}

scan_share scan_share_of(const scan_shared *all, int rank) {
    return (scan_share){.begin = begin_of(all, rank), .end = begin_of(all, rank + 1)};
}

typedef struct passing {
    const scan_result *result;
    int rank;          /* whose share it is */
    const char *whole; /* there; NULL: it cannot be read */
    char *buffer;      /* of one message, 0 */
    int64_t most;      /* cells of one */
    int64_t to, n;     /* cells that wait for what lies behind them */
    le_status status;
} passing;

/* Messages are as agreed whatever has gone wrong here, so that nobody waits for one. */
static void pass(passing *p) {
    const scan_result *r = p->result;
    const int64_t bytes = p->n * (int64_t)r->cell_bytes;
    if (run_world_rank() > 0) {
        run_world_send(p->whole ? p->whole + p->to * (int64_t)r->cell_bytes : p->buffer, bytes);
    } else {
        run_world_receive(p->buffer, bytes, p->rank);
        if (p->status == LE_OK)
            p->status =
                le_target_put(r->target, p->to * r->elements, p->n * r->elements, p->buffer);
    }
    p->n = 0;
}

static le_status add(void *cookie, int64_t from, int64_t to, int64_t n) {
    passing *p = cookie;
    (void)from;
    while (n > 0) {
        if (p->n && (p->to + p->n != to || p->n == p->most))
            pass(p);
        if (!p->n)
            p->to = to;
        const int64_t some = n < p->most - p->n ? n : p->most - p->n;
        p->n += some;
        to += some;
        n -= some;
    }
    return LE_OK;
}

static le_status pass_result(const scan_result *result, const scan_shared *all,
                             const scan_share *share, int rank, char *buffer) {
    const int64_t cells = MESSAGE_BYTES / (int64_t)result->cell_bytes;
    passing p = {.result = result, .rank = rank, .buffer = buffer, .most = cells > 0 ? cells : 1};
    le_tensor whole;
    if (run_world_rank() > 0) {
        p.status = le_target_tensor(result->target, &whole);
        p.whole = p.status == LE_OK ? whole.data : NULL;
    }
    for (int64_t i = share->begin; i < share->end; i++)
        if (result->layout)
            scan_layout_item(result->layout, all->items[i], add, &p);
        else
            add(&p, 0, all->items[i], 1);
    if (p.n)
        pass(&p);
    return p.status;
}

static le_status pass_share(const scan_result *results, int n_results, char *bad,
                            const scan_shared *all, int rank, char *buffer) {
    const scan_share share = scan_share_of(all, rank);
    le_status status = LE_OK;
    for (int k = 0; k < n_results && share.begin < share.end; k++) {
        le_status one = pass_result(&results[k], all, &share, rank, buffer);
        status = status == LE_OK ? one : status;
    }
    if (run_world_rank() > 0)
        run_world_send(bad + share.begin, share.end - share.begin);
    else
        run_world_receive(bad + share.begin, share.end - share.begin, rank);
    return status;
}

le_status scan_ranks_gather(const scan_result *results, int n_results, char *bad,
                            const scan_shared *all) {
    const int me = run_world_rank();
    size_t size = MESSAGE_BYTES;
    for (int k = 0; k < n_results; k++)
        size = results[k].cell_bytes > size ? results[k].cell_bytes : size;
    char *buffer = calloc(1, size);
    le_status status = run_world_agree(buffer ? LE_OK : le_fail(LE_ERR_MEMORY, "out of memory"));
    const bool buffers = status == LE_OK;
    for (int rank = 1; buffers && rank < run_world_ranks(); rank++)
        if (me == 0 || me == rank) {
            le_status one = pass_share(results, n_results, bad, all, rank, buffer);
            status = status == LE_OK ? one : status;
        }
    free(buffer);
    return status;
}
