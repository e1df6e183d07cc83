/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * select_labels by counting the pixels of all components at once.
 */
#include "imaging/select_labels.h"

#include <string.h>

typedef struct job {
    const int32_t *labels;
    const uint8_t *seeds;
    int64_t n;
    int32_t *numbers; /* of each label: area, then the number that it gets */
    uint8_t *seeded;
    int32_t *result;
} job;

static int32_t largest_of(const job *j) {
    int32_t most = 0;
    for (int64_t i = 0; i < j->n; i++)
        most = j->labels[i] > most ? j->labels[i] : most;
    return most;
}

static void count(const job *j) {
    for (int64_t i = 0; i < j->n; i++) {
        const int32_t label = j->labels[i];
        if (label <= 0)
            continue;
        j->numbers[label]++;
        j->seeded[label] |= !j->seeds || j->seeds[i];
    }
}

enum { BLOCK = 1 << 16 };

static void renumber(void *context, size_t begin, size_t end, int worker) {
    const job *j = context;
    const int64_t stop = (int64_t)end * BLOCK < j->n ? (int64_t)end * BLOCK : j->n;
    (void)worker;
    for (int64_t i = (int64_t)begin * BLOCK; i < stop; i++)
        j->result[i] = j->labels[i] > 0 ? j->numbers[j->labels[i]] : 0;
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
    const int32_t largest = largest_of(&j);
    const size_t n = (size_t)largest + 1;
    j.numbers = le_call_scratch(call, n * sizeof *j.numbers);
    j.seeded = le_call_scratch(call, n);
    if (!j.numbers || !j.seeded)
        return le_fail(LE_ERR_MEMORY, "select_labels: no memory for %d labels", (int)largest);
    memset(j.numbers, 0, n * sizeof *j.numbers);
    memset(j.seeded, 0, n);
    count(&j);
    int32_t kept = 0;
    for (size_t k = 1; k < n; k++)
        j.numbers[k] =
            j.numbers[k] > 0 && j.seeded[k] && j.numbers[k] >= le_call_i64(call, SELECT_AREA)
                ? ++kept
                : 0;
    if (le_call_given(call, SELECT_COUNT))
        *(int32_t *)le_call_out(call, SELECT_COUNT)->data = kept;
    return le_parallel_for(call, (size_t)((j.n + BLOCK - 1) / BLOCK), renumber, &j);
}

LE_IMPLEMENTATION(select_labels, c, .run_type = "c", .summary = "all components counted at once",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1, .run = run);
