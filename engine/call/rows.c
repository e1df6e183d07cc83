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

bool le__rows_known(const le__rows *r, uint64_t key, le__rows_share *out) {
    uint64_t i = key % LE__ROWS_SLOTS;
    *out = (le__rows_share){get(&r->slots[i].most), get(&r->slots[i].mean)};
    return atomic_load_explicit(&r->slots[i].key, memory_order_relaxed) == key;
}

void le__rows_learn(le__rows *r, uint64_t key, double share) {
    uint64_t i = key % LE__ROWS_SLOTS;
    le__rows_share s;
    if (!le__rows_known(r, key, &s))
        s = (le__rows_share){share, share};
    set(&r->slots[i].most, share > s.most ? share : s.most + pace * (share - s.most));
    set(&r->slots[i].mean, s.mean + pace * (share - s.mean));
    atomic_store_explicit(&r->slots[i].key, key, memory_order_relaxed);
}
