/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Shares of rooms, learnt.
 */
#include "call/rows.h"

static const double pace = 1.0 / 8; /* of what is seen in what is known */

static double get(const _Atomic double *d) {
    return atomic_load_explicit(d, memory_order_relaxed);
}

static void set(_Atomic double *d, double value) {
    atomic_store_explicit(d, value, memory_order_relaxed);
}

static int find(const le__rows *r, uint64_t key) {
    for (int i = 0; i < LE__ROWS_SLOTS; i++)
        if (atomic_load_explicit(&r->slots[i].key, memory_order_relaxed) == key)
            return i;
    return -1;
}

bool le__rows_known(const le__rows *r, uint64_t key, le__rows_share *out) {
    int i = find(r, key);
    if (i >= 0)
        *out = (le__rows_share){get(&r->slots[i].most), get(&r->slots[i].mean)};
    return i >= 0;
}

void le__rows_recall(le__rows *r, uint64_t key, le__rows_share share) {
    int i = find(r, key);
    if (i < 0) /* the one that came first goes */
        i = (int)(atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed) % LE__ROWS_SLOTS);
    set(&r->slots[i].most, share.most);
    set(&r->slots[i].mean, share.mean);
    atomic_store_explicit(&r->slots[i].key, key, memory_order_relaxed);
}

void le__rows_learn(le__rows *r, uint64_t key, double share) {
    le__rows_share s;
    if (!le__rows_known(r, key, &s))
        s = (le__rows_share){share, share};
    s.most = share > s.most ? share : s.most + pace * (share - s.most);
    s.mean += pace * (share - s.mean);
    le__rows_recall(r, key, s);
}
