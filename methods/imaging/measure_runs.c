/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * measure_sources by runs of equal labels, in one pass over image and labels.
 */
#include "imaging/measure_sources.h"

#include <string.h>

enum { PIECE = 512 };

typedef struct job {
    const void *image, *labels;
    le_dtype dtype, labels_dtype;
    le__im_shape shape;
    int64_t n; /* labels from 0 that have sums */
    le__im_sums *sums;
    bool background; /* label 0 is measured */
} job;

/* A part of a line of labels as 64-bit numbers. */
static void load_labels(const job *j, int64_t at, int64_t n, int64_t *restrict out) {
    switch (j->labels_dtype) {
#define LABELS(D, T)                                                                               \
    case D:                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                            \
            out[i] = ((const T *)j->labels)[at + i];                                               \
        break;
        LABELS(LE_U8, uint8_t)
        LABELS(LE_I16, int16_t)
        LABELS(LE_U16, uint16_t)
        LABELS(LE_U32, uint32_t)
#undef LABELS
    default:
        for (int64_t i = 0; i < n; i++)
            out[i] = ((const int32_t *)j->labels)[at + i];
        break;
    }
}

static int64_t largest_of(const job *j) {
    const int64_t n = le__im_lines(j->shape) * j->shape.cols;
    int64_t labels[PIECE], most = 0;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = n - at < PIECE ? n - at : PIECE;
        load_labels(j, at, count, labels);
        for (int64_t i = 0; i < count; i++)
            most = labels[i] > most ? labels[i] : most;
    }
    return most;
}

static bool all_zero(const void *memory, size_t bytes) {
    const char *c = memory;
    return c[0] == 0 && !memcmp(c, c + 1, bytes - 1);
}

static void add_piece(const job *j, int64_t line, int64_t col, int64_t n) {
    int64_t labels[PIECE];
    double values[PIECE];
    const int64_t at = line * j->shape.cols + col;
    const size_t size = le_dtype_size(j->labels_dtype);
    if (!j->background && all_zero((const char *)j->labels + (size_t)at * size, (size_t)n * size))
        return;
    load_labels(j, at, n, labels);
    le__im_load(j->image, j->dtype, at, n, values);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && labels[end] == labels[i]; end++)
            ;
        if (labels[i] >= !j->background && labels[i] < j->n)
            le__im_add_run(&j->sums[labels[i]], j->shape, line, col + i, end - i, values + i);
    }
}

static le_status run(le_call *call) {
    const le_tensor *image = le_call_in(call, MEASURE_IMAGE);
    job j = {.image = le_call_contiguous(call, MEASURE_IMAGE),
             .labels = le_call_contiguous(call, MEASURE_LABELS),
             .dtype = image->dtype,
             .labels_dtype = le_call_in(call, MEASURE_LABELS)->dtype,
             .shape = le__im_shape_of(image)};
    if (!j.image || !j.labels)
        return le_fail(LE_ERR_MEMORY, "measure_sources: no memory for the pixels");
    const le__im_index index = le__im_index_of(call, largest_of(&j));
    const size_t bytes = (size_t)(index.n + 1) * sizeof *j.sums;
    j.sums = le_call_scratch(call, bytes);
    if (!j.sums)
        return le_fail(LE_ERR_MEMORY, "measure_sources: no memory for the sums of %lld labels",
                       (long long)index.n);
    memset(j.sums, 0, bytes);
    j.n = index.n;
    j.background = le__im_measures_background(&index);
    for (int64_t line = 0; line < le__im_lines(j.shape); line++) {
        if (le_call_cancelled(call))
            return LE_ERR_CANCELLED;
        for (int64_t col = 0; col < j.shape.cols; col += PIECE)
            add_piece(&j, line, col, j.shape.cols - col < PIECE ? j.shape.cols - col : PIECE);
    }
    le__im_put_catalogue(call, &index, j.sums);
    return LE_OK;
}

LE_IMPLEMENTATION(measure_sources, c, .run_type = "c", .summary = "runs of equal labels, one pass",
                  .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 1, .run = run);
