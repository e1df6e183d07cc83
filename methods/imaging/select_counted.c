/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * select_labels by counting the pixels of all components at once.
 */
#include "imaging/select_labels.h"

#include <string.h>

typedef struct job {
    le__im_pixels labels, seeds; /* seeds: perhaps without a tensor */
    int64_t n;
    int32_t largest;
    int32_t *present; /* labels in ascending order, where there are fewer than numbers up to the
                         largest: places are those in this list; NULL: places are the labels */
    int64_t n_places; /* 0 is of no label */
    int32_t *numbers; /* of each place: area, then the number that its label gets */
    uint8_t *seeded;
    int32_t *result;
} job;

/* Some pixels, of which number `at` is the first; seeds: as many, or NULL. */
typedef void (*piece_fn)(job *j, const int32_t *labels, const uint8_t *seeds, int64_t at,
                         int64_t n);

static void for_pieces(job *j, int64_t begin, int64_t end, piece_fn fn) {
    enum { PIECE = 2048 };
    int32_t labels[PIECE];
    uint8_t seeds[PIECE];
    for (int64_t at = begin; at < end; at += PIECE) {
        const int64_t n = end - at < PIECE ? end - at : PIECE;
        fn(j, le__im_piece(&j->labels, at, n, labels),
           j->seeds.tensor ? le__im_piece(&j->seeds, at, n, seeds) : NULL, at, n);
    }
}

static void find_largest(job *j, const int32_t *labels, const uint8_t *seeds, int64_t at,
                         int64_t n) {
    (void)seeds;
    (void)at;
    for (int64_t i = 0; i < n; i++)
        j->largest = labels[i] > j->largest ? labels[i] : j->largest;
}

static void copy_piece(job *j, const int32_t *labels, const uint8_t *seeds, int64_t at, int64_t n) {
    (void)seeds;
    memcpy(j->present + 1 + at, labels, (size_t)n * sizeof *labels);
}

/* Each label once, which there are at most as many of as pixels. */
static le_status list_present(le_call *call, job *j) {
    j->present = le_call_scratch(call, ((size_t)j->n + 1) * sizeof *j->present);
    if (!j->present)
        return le_fail(LE_ERR_MEMORY, "select_labels: no memory for %lld labels", (long long)j->n);
    j->present[0] = 0;
    for_pieces(j, 0, j->n, copy_piece);
    j->n_places = 1 + le__im_list_labels(j->present + 1, j->n);
    return LE_OK;
}

static int64_t place_of(const job *j, int32_t label) {
    if (!j->present)
        return label;
    int64_t low = 0, high = j->n_places - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (j->present[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void count(job *j, const int32_t *labels, const uint8_t *seeds, int64_t at, int64_t n) {
    (void)at;
    for (int64_t i = 0; i < n; i++) {
        if (labels[i] <= 0)
            continue;
        const int64_t place = place_of(j, labels[i]);
        j->numbers[place]++;
        j->seeded[place] |= !seeds || seeds[i];
    }
}

static void renumber(job *j, const int32_t *labels, const uint8_t *seeds, int64_t at, int64_t n) {
    (void)seeds;
    for (int64_t i = 0; i < n; i++)
        j->result[at + i] = labels[i] > 0 ? j->numbers[place_of(j, labels[i])] : 0;
}

enum { BLOCK = 1 << 16 };

static void renumber_blocks(void *context, size_t begin, size_t end, int worker) {
    job *j = context;
    const int64_t stop = (int64_t)end * BLOCK < j->n ? (int64_t)end * BLOCK : j->n;
    (void)worker;
    for_pieces(j, (int64_t)begin * BLOCK, stop, renumber);
}

static le_status run(le_call *call) {
    job j = {.labels = le__im_pixels_of(le_call_in(call, SELECT_LABELS)),
             .n = le_tensor_count(le_call_in(call, SELECT_LABELS)),
             .result = le_call_out(call, SELECT_RESULT)->data};
    if (le_call_given(call, SELECT_SEEDS))
        j.seeds = le__im_pixels_of(le_call_in(call, SELECT_SEEDS));
    for_pieces(&j, 0, j.n, find_largest);
    j.n_places = (int64_t)j.largest + 1;
    const le_status status = j.n_places > j.n + 1 ? list_present(call, &j) : LE_OK;
    if (status != LE_OK)
        return status;
    const size_t n = (size_t)j.n_places;
    j.numbers = le_call_scratch(call, n * sizeof *j.numbers);
    j.seeded = le_call_scratch(call, n);
    if (!j.numbers || !j.seeded)
        return le_fail(LE_ERR_MEMORY, "select_labels: no memory for %zu labels", n);
    memset(j.numbers, 0, n * sizeof *j.numbers);
    memset(j.seeded, 0, n);
    for_pieces(&j, 0, j.n, count);
    int32_t kept = 0;
    const int64_t least = le_call_i64(call, SELECT_AREA);
    for (size_t k = 1; k < n; k++)
        j.numbers[k] = j.numbers[k] > 0 && j.seeded[k] && j.numbers[k] >= least ? ++kept : 0;
    if (le_call_given(call, SELECT_COUNT))
        *(int32_t *)le_call_out(call, SELECT_COUNT)->data = kept;
    return le_parallel_for(call, (size_t)((j.n + BLOCK - 1) / BLOCK), renumber_blocks, &j);
}

/* As many labels as pixels at most, which are listed where there are numbers beyond. */
static int64_t memory(const le_call *call) {
    const int64_t places = le_tensor_count(le_call_in(call, SELECT_LABELS)) + 1;
    return places * (int64_t)(2 * sizeof(int32_t) + 1);
}

LE_IMPLEMENTATION(select_labels, c, .run_type = "c", .summary = "all components counted at once",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1, .memory = memory, .run = run);
