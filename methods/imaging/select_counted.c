/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * select_labels by counting the pixels of all components at once.
 */
#include "imaging/select_labels.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
    const int32_t *labels;
    const uint8_t *seeds;
    int64_t n;
    int32_t *present; /* labels in ascending order, where there are fewer than numbers up to the
                         largest: places are those in this list; NULL: places are the labels */
    int64_t n_places; /* 0 is of no label */
    int32_t *numbers; /* of each place: area, then the number that its label gets */
    uint8_t *seeded;
    int32_t *result;
} job;

static int32_t largest_of(const job *j) {
    int32_t most = 0;
    for (int64_t i = 0; i < j->n; i++)
        most = j->labels[i] > most ? j->labels[i] : most;
    return most;
}

static int ascending(const void *x, const void *y) {
    const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

/* Each label once, which there are at most as many of as pixels. */
static le_status list_present(le_call *call, job *j) {
    int64_t n = 0, different = 0;
    j->present = le_call_scratch(call, ((size_t)j->n + 1) * sizeof *j->present);
    if (!j->present)
        return le_fail(LE_ERR_MEMORY, "select_labels: no memory for %lld labels", (long long)j->n);
    j->present[0] = 0;
    for (int64_t i = 0; i < j->n; i++)
        if (j->labels[i] > 0 && j->labels[i] != j->present[n])
            j->present[++n] = j->labels[i];
    qsort(j->present + 1, (size_t)n, sizeof *j->present, ascending);
    for (int64_t i = 1; i <= n; i++)
        if (j->present[i] != j->present[different])
            j->present[++different] = j->present[i];
    j->n_places = different + 1;
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

static void count(const job *j) {
    for (int64_t i = 0; i < j->n; i++) {
        if (j->labels[i] <= 0)
            continue;
        const int64_t place = place_of(j, j->labels[i]);
        j->numbers[place]++;
        j->seeded[place] |= !j->seeds || j->seeds[i];
    }
}

enum { BLOCK = 1 << 16 };

static void renumber(void *context, size_t begin, size_t end, int worker) {
    const job *j = context;
    const int64_t stop = (int64_t)end * BLOCK < j->n ? (int64_t)end * BLOCK : j->n;
    (void)worker;
    for (int64_t i = (int64_t)begin * BLOCK; i < stop; i++)
        j->result[i] = j->labels[i] > 0 ? j->numbers[place_of(j, j->labels[i])] : 0;
}

static le_status run(le_call *call) {
    job j = {.labels = le_call_contiguous(call, SELECT_LABELS),
             .n = le_tensor_count(le_call_in(call, SELECT_LABELS)),
             .result = le_call_out(call, SELECT_RESULT)->data};
    const bool seeds = le_call_given(call, SELECT_SEEDS);
    if (seeds)
        j.seeds = le_call_contiguous(call, SELECT_SEEDS);
    if (!j.labels || (seeds && !j.seeds))
        return le_fail(LE_ERR_MEMORY, "select_labels: no memory for the pixels");
    j.n_places = (int64_t)largest_of(&j) + 1;
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
    count(&j);
    int32_t kept = 0;
    const int64_t least = le_call_i64(call, SELECT_AREA);
    for (size_t k = 1; k < n; k++)
        j.numbers[k] = j.numbers[k] > 0 && j.seeded[k] && j.numbers[k] >= least ? ++kept : 0;
    if (le_call_given(call, SELECT_COUNT))
        *(int32_t *)le_call_out(call, SELECT_COUNT)->data = kept;
    return le_parallel_for(call, (size_t)((j.n + BLOCK - 1) / BLOCK), renumber, &j);
}

LE_IMPLEMENTATION(select_labels, c, .run_type = "c", .summary = "all components counted at once",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1, .run = run);
