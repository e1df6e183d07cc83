/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * select_labels, reference: component by component.
 */
#include "imaging/select_labels.h"

#include <stdlib.h>

typedef struct pixel {
    int64_t label, at;
} pixel;

static int by_label(const void *a, const void *b) {
    const pixel *p = a, *q = b;
    return (p->label > q->label) - (p->label < q->label);
}

/* The pixels of components, those of each beside one another; how many. */
static int64_t sort_pixels(const le_tensor *labels, pixel *list) {
    int64_t n = 0;
    for (int64_t i = 0; i < le_tensor_count(labels); i++) {
        const int64_t label = le_tensor_get_i64(labels, i);
        if (label > 0)
            list[n++] = (pixel){label, i};
    }
    qsort(list, (size_t)n, sizeof *list, by_label);
    return n;
}

static int64_t area_of(const pixel *list, int64_t n) {
    int64_t area = 1;
    while (area < n && list[area].label == list->label)
        area++;
    return area;
}

static bool is_kept(const le_call *call, const pixel *component, int64_t area) {
    bool seeded = !le_call_given(call, SELECT_SEEDS);
    for (int64_t k = 0; k < area && !seeded; k++)
        seeded = le_tensor_get(le_call_in(call, SELECT_SEEDS), component[k].at) != 0;
    return seeded && area >= le_call_i64(call, SELECT_AREA);
}

static le_status run(le_call *call) {
    const le_tensor *labels = le_call_in(call, SELECT_LABELS);
    le_tensor *result = le_call_out(call, SELECT_RESULT);
    pixel *list = le_call_scratch(call, (size_t)(le_tensor_count(labels) + 1) * sizeof *list);
    if (!list)
        return le_fail(LE_ERR_MEMORY, "select_labels: no memory for the order of pixels");
    for (int64_t i = 0; i < le_tensor_count(labels); i++)
        le_tensor_set(result, i, 0);
    const int64_t n = sort_pixels(labels, list);
    double count = 0;
    for (int64_t first = 0, area; first < n && !le__im_over(call, first); first += area) {
        area = area_of(list + first, n - first);
        if (!is_kept(call, list + first, area))
            continue;
        count++;
        for (int64_t k = 0; k < area; k++)
            le_tensor_set(result, list[first + k].at, count);
    }
    if (le_call_given(call, SELECT_COUNT))
        le_tensor_set(le_call_out(call, SELECT_COUNT), 0, count);
    return LE_OK;
}

static int64_t memory(const le_call *call) {
    return (le_tensor_count(le_call_in(call, SELECT_LABELS)) + 1) * (int64_t)sizeof(pixel);
}

LE_IMPLEMENTATION(select_labels, reference, .run_type = "reference",
                  .summary = "component by component",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.1,
                  .memory = memory, .run = run);
