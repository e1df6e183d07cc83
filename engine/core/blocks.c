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
#include <sys/mman.h>

enum { ALIGNMENT = 64, SLOTS = 16 };

/* Blocks of pages of their own begin with a page, or in its middle, in turns. A load waits for an
 * earlier store where the low 12 bits of their addresses agree, so that a loop that reads one array
 * and writes another is up to 1.3 times slower where both begin at the same place of a page. And
 * rows whose length is a power of two touch more pages than they must where they begin elsewhere.
 */
enum { PAGE = 4096 };
static const size_t beginnings[] = {PAGE, PAGE + PAGE / 2}, before = 2 * (size_t)PAGE;

/* Smaller ones share their pages. What is kept beyond most_held is lent to the system, which takes
 * it where memory is short. A sanitizer is to see what is used after it was freed. */
static const size_t least = (size_t)1 << 12, most = LE__SANITIZED ? 0 : (size_t)512 << 20,
                    most_held = (size_t)128 << 20, most_kept = (size_t)512 << 20;

/* Of pages of their own: between large blocks that come and go the C library's heap is left with
 * holes that small ones pin, several times as large as what is in use where sizes vary. */
static const size_t least_mapped = LE__SANITIZED ? SIZE_MAX : (size_t)1 << 16;

typedef struct header {
    size_t bytes; /* behind it */
    void *pages;  /* its own ones; NULL: the C library's memory */
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

static header *map_pages(size_t bytes) {
    static atomic_uint next;
    enum { CHOICES = sizeof beginnings / sizeof *beginnings };
    char *pages =
        mmap(NULL, before + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    le__os_large_pages(pages, before + bytes);
    size_t begin = beginnings[atomic_fetch_add(&next, 1) % CHOICES];
    header *h = (header *)(void *)(pages + begin - ALIGNMENT);
    *h = (header){.bytes = bytes, .pages = pages};
    return h;
}

static header *allocate(size_t bytes) {
    if (bytes >= least_mapped)
        return map_pages(bytes);
    header *h = aligned_alloc(ALIGNMENT, ALIGNMENT + bytes);
    if (h)
        *h = (header){.bytes = bytes};
    return h;
}

static void release(header *h) {
    if (h && h->pages)
        munmap(h->pages, before + h->bytes);
    else
        free(h);
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
    atomic_fetch_add(&kept, h->bytes);
    for (int i = 0; i < SLOTS; i++) {
        header *none = NULL;
        if (atomic_compare_exchange_strong(&slots[i], &none, h))
            return;
    }
    h = atomic_exchange(&slots[atomic_fetch_add(&next, 1) % SLOTS], h);
    if (h)
        atomic_fetch_sub(&kept, h->bytes);
    release(h);
}

/* The header stays. */
static bool lend(header *h) {
    return h->pages && le__os_lend_pages((char *)h->pages + before, h->bytes);
}

static void keep(header *h) {
    static atomic_uint next;
    for (int i = 0; i < SLOTS && atomic_load(&kept) + h->bytes > most_kept; i++)
        release(take((int)(atomic_fetch_add(&next, 1) % SLOTS)));
    if (atomic_load(&kept) + h->bytes <= most_held || lend(h))
        put(h);
    else
        release(h);
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
    if (bytes > SIZE_MAX - 2 * before)
        return NULL;
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    header *h = find(rounded);
    if (!h)
        h = allocate(rounded ? rounded : ALIGNMENT);
    if (!h && atomic_load(&kept) > 0) {
        le__blocks_trim();
        h = allocate(rounded ? rounded : ALIGNMENT);
    }
    if (!h)
        return NULL;
    if (zero)
        memset(block_of(h), 0, rounded);
    return block_of(h);
}

void le__block_free(void *block) {
    if (!block)
        return;
    header *h = header_of(block);
    if (is_kept(h->bytes))
        keep(h);
    else
        release(h);
}

void le__blocks_trim(void) {
    for (int i = 0; i < SLOTS; i++)
        release(take(i));
}
