/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * find_sources, reference: the references of its steps one after the other.
 */
#include "imaging/background.h"
#include "imaging/clip_reference.h"
#include "imaging/find_sources.h"
#include "imaging/label.h"
#include "imaging/label_flood.h"
#include "imaging/measure_members.h"
#include "imaging/threshold.h"

#include <string.h>

/* Everything of a call, as doubles. */
typedef struct job {
    le_call *call;
    int64_t n;
    le__im_shape shape;
    double *detection, *background, *noise, *spare; /* spare: as much again, and a filter's cells */
    int32_t *labels, *seeds, *waiting;
    double statistics[LE__IM_STATISTICS];
} job;

/* Pixels of an image without a filter take little, those of one with it do not. */
static bool over(const job *j, int64_t i) {
    enum { FILTERED = 1 << 12 };
    return le_call_given(j->call, FIND_KERNEL)
               ? i % FILTERED == FILTERED - 1 && le_call_cancelled(j->call)
               : le__im_over(j->call, i);
}

static int64_t mirrored(int64_t i, int64_t n) {
    const int64_t at = (i % (2 * n) + 2 * n) % (2 * n);
    return at < n ? at : 2 * n - 1 - at;
}

static double convolved(const job *j, const le_tensor *kernel, int64_t y, int64_t x) {
    const le_tensor *image = le_call_in(j->call, FIND_IMAGE);
    const int64_t rows = kernel->shape[0], cols = kernel->shape[1];
    double sum = 0;
    for (int64_t k = 0; k < rows; k++)
        for (int64_t l = 0; l < cols; l++)
            sum += le_tensor_get(kernel, k * cols + l) *
                   le_tensor_get(image,
                                 mirrored(y + (rows - 1) / 2 - k, j->shape.rows) * j->shape.cols +
                                     mirrored(x + (cols - 1) / 2 - l, j->shape.cols));
    return sum;
}

static void detect(job *j) {
    const bool filtered = le_call_given(j->call, FIND_KERNEL);
    for (int64_t i = 0; i < j->n && !over(j, i); i++)
        j->detection[i] = filtered ? convolved(j, le_call_table(j->call, FIND_KERNEL),
                                               i / j->shape.cols, i % j->shape.cols)
                                   : le_tensor_get(le_call_in(j->call, FIND_IMAGE), i);
}

static void clip(job *j) {
    const le__im_clip how = le__im_clip_of(j->call, FIND_CLIP);
    int64_t finite = 0;
    for (int64_t i = 0; i < j->n && !over(j, i); i++)
        if (isfinite(j->detection[i]))
            j->spare[finite++] = j->detection[i];
    const le__im_clipped c =
        le__im_clip_reference(j->call, &how, j->spare, finite, j->spare + j->n);
    le__im_statistics(&c, 1, j->statistics);
}

static void mark(const job *j, double k, int32_t *out) {
    const bool mesh = le__im_find_mesh(j->call);
    const double level =
        le__im_level(j->statistics, k, !strcmp(le_call_str(j->call, FIND_RULE), "median"));
    for (int64_t i = 0; i < j->n && !over(j, i); i++)
        out[i] =
            mesh ? j->detection[i] - j->background[i] > k * j->noise[i] : j->detection[i] > level;
}

/* Drops components without a seed, and small ones. */
static int32_t select_labels(const job *j, int32_t count, bool seeded) {
    int32_t kept = 0;
    for (int32_t label = 1; label <= count && !le_call_cancelled(j->call); label++) {
        int64_t area = 0, seeds = 0;
        for (int64_t i = 0; i < j->n; i++) {
            area += j->labels[i] == label;
            seeds += j->labels[i] == label && j->seeds[i];
        }
        const bool good = area >= le_call_i64(j->call, FIND_MINIMUM_AREA) && (!seeded || seeds > 0);
        kept += good;
        for (int64_t i = 0; i < j->n; i++)
            if (j->labels[i] == label)
                j->labels[i] = good ? kept : 0;
    }
    return kept;
}

static int32_t label(const job *j) {
    const bool flood = le_call_given(j->call, FIND_FLOOD);
    const double k = le_call_f64(j->call, FIND_K);
    mark(j, k, j->seeds);
    mark(j, flood ? le_call_f64(j->call, FIND_FLOOD) : k, j->labels);
    const int ndim = le_call_in(j->call, FIND_IMAGE)->ndim;
    const int32_t count =
        le__im_flood(j->call, j->labels, j->shape,
                     le__im_reach(le_call_i64(j->call, FIND_CONNECTIVITY), ndim), j->waiting);
    return le__im_find_selects(j->call) ? select_labels(j, count, flood) : count;
}

static void measure(job *j, int32_t count) {
    const le_tensor *image = le_call_in(j->call, FIND_IMAGE);
    const le__im_table table = le__im_table_of(j->call, FIND_IMAGE, FIND_COLUMNS, FIND_SATURATION);
    le_tensor *catalogue = le_call_out(j->call, FIND_CATALOGUE);
    const le_tensor numbers = le_tensor_of(j->labels, LE_I32, image->ndim, image->shape);
    const le__im_index all = {count, (int64_t)count + 1, NULL, NULL};
    const le__im_members members = le__im_members_of(&numbers, &all, (int64_t *)(void *)j->spare);
    for (int64_t i = 0; i < count && i < catalogue->shape[0] && !le_call_cancelled(j->call); i++)
        le__im_measure_reference(image, &table, &members, (double)(i + 1),
                                 (double *)catalogue->data + i * catalogue->shape[1]);
    le_call_set_count(j->call, FIND_CATALOGUE, count);
}

static bool begin(le_call *call, job *j) {
    const le_tensor *image = le_call_in(call, FIND_IMAGE);
    *j = (job){.call = call, .n = le_tensor_count(image), .shape = le__im_shape_of(image)};
    const size_t n = (size_t)j->n;
    j->detection = le_call_scratch(call, (5 * n + 1024) * sizeof(double));
    j->labels = le_call_scratch(call, (3 * n + 1) * sizeof(int32_t));
    if (!j->detection || !j->labels)
        return false;
    j->background = j->detection + n;
    j->noise = j->background + n;
    j->spare = j->noise + n;
    j->seeds = j->labels + n;
    j->waiting = j->seeds + n;
    return true;
}

static le_status run(le_call *call) {
    job j;
    if (!begin(call, &j))
        return le_fail(LE_ERR_MEMORY, "find_sources: no memory for the pixels");
    detect(&j);
    clip(&j);
    if (le__im_find_mesh(call) &&
        !le__im_background_reference(call, j.detection, &j.shape, le_call_i64(call, FIND_CELL),
                                     j.background, j.noise))
        return le_fail(LE_ERR_MEMORY, "find_sources: no memory for the mesh");
    if (le_call_cancelled(call))
        return LE_ERR_CANCELLED;
    const int32_t count = label(&j);
    if (le_call_cancelled(call))
        return LE_ERR_CANCELLED;
    if (le_call_given(call, FIND_CATALOGUE))
        measure(&j, count);
    const int64_t given = le_call_given(call, FIND_LABELS) ? j.n : 0;
    for (int64_t i = 0; i < given && !over(&j, i); i++)
        le_tensor_set(le_call_out(call, FIND_LABELS), i, j.labels[i]);
    for (int k = 0; le_call_given(call, FIND_STATISTICS) && k < LE__IM_STATISTICS; k++)
        le_tensor_set(le_call_out(call, FIND_STATISTICS), k, j.statistics[k]);
    return LE_OK;
}

static int64_t memory(const le_call *call) {
    const int64_t n = le_tensor_count(le_call_in(call, FIND_IMAGE));
    return (5 * n + 1024) * (int64_t)sizeof(double) + (3 * n + 1) * (int64_t)sizeof(int32_t) +
           le__im_find_mesh_memory(call);
}

LE_IMPLEMENTATION(find_sources, reference, .run_type = "reference",
                  .summary = "the references of its steps, one after the other",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.1,
                  .memory = memory, .run = run);
