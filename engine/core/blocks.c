/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Memory for tensors.
 */
#include "core/blocks.h"

#include "core/os.h"
#include "core/sanitizer.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, SLOTS = 16 };

/* Smaller ones share their pages; larger ones take long enough to be filled. A sanitizer
 * is to see what is used after it was freed. */
static const size_t least = (size_t)1 << 12, most = LE__SANITIZED ? 0 : (size_t)64 << 20,
                    most_kept = (size_t)128 << 20;

typedef struct header {
    size_t bytes; /* behind it */
} header;

_Static_assert(sizeof(header) <= ALIGNMENT, "a header lies before its block");

static _Atomic(header *) slots[SLOTS];
static _Atomic size_t kept;

static header *header_of(void *block) {
    return (header *)(void *)((char *)block - ALIGNMENT);
}

static void *block_of(header *h) {
    return (char *)h + ALIGNMENT;
}

static header *take(int slot) {
    header *h = atomic_exchange(&slots[slot], NULL);
    if (h)
        atomic_fetch_sub(&kept, h->bytes);
    return h;
}

/* In an empty slot, else in that of one that was put before. */
static void put(header *h) {
    static atomic_uint next;
    for (int i = 0; i < SLOTS && atomic_load(&kept) + h->bytes > most_kept; i++)
        free(take((int)(atomic_fetch_add(&next, 1) % SLOTS)));
    atomic_fetch_add(&kept, h->bytes);
    for (int i = 0; i < SLOTS; i++) {
        header *none = NULL;
        if (atomic_compare_exchange_strong(&slots[i], &none, h))
            return;
    }
    h = atomic_exchange(&slots[atomic_fetch_add(&next, 1) % SLOTS], h);
    if (h)
        atomic_fetch_sub(&kept, h->bytes);
    free(h);
}

static bool is_kept(size_t bytes) {
    return bytes >= least && bytes <= most;
}

/* One that is hardly larger. */
static header *find(size_t bytes) {
    for (int i = 0; is_kept(bytes) && i < SLOTS; i++) {
        header *h = atomic_load(&slots[i]) ? take(i) : NULL;
        if (h && h->bytes >= bytes && h->bytes - bytes <= bytes / 8)
            return h;
        if (h)
            put(h);
    }
    return NULL;
}

void *le__block_new(size_t bytes, bool zero) {
    if (bytes > SIZE_MAX - 3 * ALIGNMENT)
        return NULL;
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    header *h = find(rounded);
    if (!h) {
        h = aligned_alloc(ALIGNMENT, ALIGNMENT + (rounded ? rounded : ALIGNMENT));
        if (!h)
            return NULL;
        h->bytes = rounded;
        le__os_large_pages(h, ALIGNMENT + rounded);
    }
    if (zero)
        memset(block_of(h), 0, rounded);
    return block_of(h);
}

void le__block_free(void *block) {
    if (!block)
        return;
    header *h = header_of(block);
    if (is_kept(h->bytes))
        put(h);
    else
        free(h);
}

void le__blocks_trim(void) {
    for (int i = 0; i < SLOTS; i++)
        free(take(i));
}
