/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * select_labels on an OpenCL device.
 */
#include "imaging/select_labels.h"

#include "common/opencl.h"

#include <stdio.h>

extern const le_cl_source le_cl_imaging_select_labels;
static const le_cl_source *const sources[] = {&le_cl_imaging_select_labels, NULL};

enum { GROUP = 256, EACH = 16 };

typedef struct job {
    le_call *call;
    int32_t n, n_labels;
    le_cl_karg labels; /* the argument, or places of labels that are far apart */
    le_cl_buffer *areas, *seeded, *numbers, *count;
    char options[32];
} job;

static le_status launch(const job *j, const char *name, int64_t items, const le_cl_karg *args,
                        size_t n_args) {
    return le__cl_groups(j->call, &le_cl_imaging_select_labels, name, j->options,
                         (size_t)((items + GROUP - 1) / GROUP), GROUP, args, n_args);
}

static le_status zeros(le_call *call, size_t n, le_cl_buffer **out) {
    const int32_t zero = 0;
    le_status status = le_cl_scratch(call, n * sizeof zero, out);
    return status == LE_OK ? le_cl_fill(call, *out, &zero, sizeof zero, 0, n * sizeof zero)
                           : status;
}

/* Labels beyond the number of pixels: the host lists those that there are. */
static le_status find_places(job *j) {
    const size_t bytes = (size_t)j->n * sizeof(int32_t);
    int32_t *present = le_call_scratch(j->call, bytes);
    le_cl_buffer *places = NULL, *listed = NULL;
    le_status status =
        present ? le_cl_scratch(j->call, bytes, &places)
                : le_fail(LE_ERR_MEMORY, "select_labels: no memory for %d labels", (int)j->n);
    const le_cl_karg copied[] = {LE_CL_ARG(SELECT_LABELS), LE_CL_I32(j->n), LE_CL_BUF(places)};
    if (status == LE_OK)
        status = launch(j, "copy_labels", j->n, copied, 3);
    if (status == LE_OK)
        status = le_cl_download(j->call, places, 0, present, bytes);
    if (status != LE_OK)
        return status;
    const int32_t n = (int32_t)le__im_list_labels(present, j->n);
    const size_t used = (size_t)n * sizeof *present;
    status = le_cl_scratch(j->call, used, &listed);
    if (status == LE_OK)
        status = le_cl_upload(j->call, listed, 0, present, used);
    const le_cl_karg found[] = {LE_CL_BUF(places), LE_CL_I32(j->n), LE_CL_BUF(listed),
                                LE_CL_I32(n)};
    j->labels = LE_CL_BUF(places);
    j->n_labels = n + 1;
    return status == LE_OK ? launch(j, "find_places", j->n, found, 4) : status;
}

static le_status count_labels(job *j) {
    int32_t largest = 0;
    le_status status = zeros(j->call, 1, &j->count);
    const le_cl_karg args[] = {LE_CL_ARG(SELECT_LABELS), LE_CL_I32(j->n), LE_CL_BUF(j->count)};
    if (status == LE_OK)
        status = launch(j, "largest_label", ((int64_t)j->n + EACH - 1) / EACH, args, 3);
    if (status == LE_OK)
        status = le_cl_download(j->call, j->count, 0, &largest, sizeof largest);
    if (status == LE_OK && largest > j->n)
        return find_places(j);
    j->n_labels = largest + 1;
    return status;
}

static le_status choose(job *j) {
    const int32_t seeds = le_call_given(j->call, SELECT_SEEDS);
    const int32_t least = (int32_t)le_call_i64(j->call, SELECT_AREA);
    const size_t n = (size_t)j->n_labels;
    le_status status = zeros(j->call, n, &j->areas);
    if (status == LE_OK)
        status = zeros(j->call, seeds ? n : 1, &j->seeded);
    if (status == LE_OK)
        status = le_cl_scratch(j->call, n * sizeof(int32_t), &j->numbers);
    if (status != LE_OK)
        return status;
    const le_cl_karg pixels[] = {
        j->labels,           LE_CL_ARG(seeds ? SELECT_SEEDS : SELECT_LABELS),
        LE_CL_I32(seeds),    LE_CL_I32(j->n),
        LE_CL_BUF(j->areas), LE_CL_BUF(j->seeded)};
    const le_cl_karg labels[] = {LE_CL_BUF(j->areas),   LE_CL_BUF(j->seeded),
                                 LE_CL_BUF(j->numbers), LE_CL_I32(j->n_labels),
                                 LE_CL_I32(seeds),      LE_CL_I32(least)};
    const le_cl_karg sums[] = {LE_CL_BUF(j->numbers), LE_CL_I32(j->n_labels),
                               le_call_given(j->call, SELECT_COUNT) ? LE_CL_ARG(SELECT_COUNT)
                                                                    : LE_CL_BUF(j->count)};
    status = launch(j, "count_pixels", j->n, pixels, 6);
    if (status == LE_OK)
        status = launch(j, "choose", j->n_labels, labels, 6);
    return status == LE_OK ? launch(j, "add_up", 1, sums, 3) : status;
}

static le_status run(le_call *call) {
    job j = {.call = call,
             .n = (int32_t)le_tensor_count(le_call_in(call, SELECT_LABELS)),
             .labels = LE_CL_ARG(SELECT_LABELS)};
    snprintf(j.options, sizeof j.options, "-DGROUP=%d", GROUP);
    le_status status = count_labels(&j);
    if (status == LE_OK)
        status = choose(&j);
    const le_cl_karg args[] = {j.labels, LE_CL_I32(j.n), LE_CL_BUF(j.areas), LE_CL_BUF(j.numbers),
                               LE_CL_ARG(SELECT_RESULT)};
    return status == LE_OK ? launch(&j, "renumber", j.n, args, 5) : status;
}

static bool applicable(const le_call *call, const char **why) {
    const int64_t n = le_tensor_count(le_call_in(call, SELECT_LABELS));
    *why = "no pixels, or too many for the kernels";
    if (n < 1 || n > INT32_MAX)
        return false;
    *why = "work-groups of 256 are not possible";
    return le__cl_takes_group(call, GROUP);
}

/* As many labels as pixels at most, which are listed where they are far apart. */
static int64_t memory(const le_call *call) {
    return (6 * le_tensor_count(le_call_in(call, SELECT_LABELS)) + 2) * (int64_t)sizeof(int32_t);
}

LE_IMPLEMENTATION(select_labels, opencl, LE__CL_FIELDS(20, "areas with atomics, numbers by a scan"),
                  .applicable = applicable, .memory = memory);
