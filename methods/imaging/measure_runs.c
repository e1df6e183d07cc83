/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * measure_sources by runs of equal labels: all threads look where there are
 * labels, and how large they are; then one adds up, in order, what lies there.
 */
#include "imaging/measure_sources.h"

#include <string.h>

enum { PIECE = 128 };

typedef struct job {
    le__im_pixels image, labels;
    le__im_shape shape;
    le__im_index index;
    le__im_sums *sums;
    bool background; /* label 0 is measured */
    int64_t pieces;  /* of a line */
    uint8_t *empty;  /* of each line and piece: all labels are 0 */
    int64_t *most;   /* largest label of each line */
} job;

/* Labels as 64-bit numbers. */
static void widen(const void *labels, le_dtype dtype, int64_t n, int64_t *restrict out) {
    switch (dtype) {
#define LABELS(D, T)                                                                               \
    case D:                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                            \
            out[i] = ((const T *)labels)[i];                                                       \
        break;
        LABELS(LE_U8, uint8_t)
        LABELS(LE_I16, int16_t)
        LABELS(LE_U16, uint16_t)
        LABELS(LE_U32, uint32_t)
#undef LABELS
    default:
        for (int64_t i = 0; i < n; i++)
            out[i] = ((const int32_t *)labels)[i];
        break;
    }
}

static int64_t piece_end(const job *j, int64_t piece) {
    const int64_t end = (piece + 1) * PIECE;
    return end < j->shape.cols ? end : j->shape.cols;
}

static bool all_zero(const void *memory, size_t bytes) {
    const char *c = memory;
    return c[0] == 0 && !memcmp(c, c + 1, bytes - 1);
}

/* Lines: where labels are, and the largest. */
static void look(void *context, size_t begin, size_t end, int worker) {
    job *j = context;
    const size_t size = le_dtype_size(j->labels.dtype);
    int64_t labels[PIECE];
    uint32_t room[PIECE];
    (void)worker;
    for (int64_t line = (int64_t)begin; line < (int64_t)end; line++) {
        int64_t most = 0;
        for (int64_t p = 0; p < j->pieces; p++) {
            const int64_t at = line * j->shape.cols + p * PIECE, n = piece_end(j, p) - p * PIECE;
            const void *piece = le__im_piece(&j->labels, at, n, room);
            const bool empty = all_zero(piece, (size_t)n * size);
            j->empty[line * j->pieces + p] = empty;
            if (!empty)
                widen(piece, j->labels.dtype, n, labels);
            for (int64_t i = 0; i < n && !empty; i++)
                most = labels[i] > most ? labels[i] : most;
        }
        j->most[line] = most;
    }
}

static int64_t largest_of(const job *j) {
    int64_t most = 0;
    for (int64_t line = 0; line < le__im_lines(j->shape); line++)
        most = j->most[line] > most ? j->most[line] : most;
    return most;
}

static void add_piece(const job *j, int64_t line, int64_t col, int64_t n) {
    int64_t labels[PIECE];
    uint32_t room[PIECE];
    double values[PIECE];
    const int64_t at = line * j->shape.cols + col;
    widen(le__im_piece(&j->labels, at, n, room), j->labels.dtype, n, labels);
    le__im_load(&j->image, at, n, values);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && labels[end] == labels[i]; end++)
            ;
        const int64_t place =
            labels[i] < !j->background ? -1 : le__im_place_of(&j->index, (double)labels[i]);
        if (place >= 0)
            le__im_add_run(&j->sums[place], j->shape, line, col + i, end - i, values + i);
    }
}

static le_status begin(le_call *call, job *j) {
    const le_tensor *image = le_call_in(call, MEASURE_IMAGE);
    *j = (job){.image = le__im_pixels_of(image),
               .labels = le__im_pixels_of(le_call_in(call, MEASURE_LABELS)),
               .shape = le__im_shape_of(image)};
    const size_t lines = (size_t)le__im_lines(j->shape);
    j->pieces = (j->shape.cols + PIECE - 1) / PIECE;
    j->empty = le_call_scratch(call, lines * (size_t)j->pieces + 1);
    j->most = le_call_scratch(call, (lines + 1) * sizeof *j->most);
    if (!j->empty || !j->most)
        return le_fail(LE_ERR_MEMORY, "measure_sources: no memory for the pixels");
    return le_parallel_for(call, lines, look, j);
}

/* Of the labels in an index: more would be numbers between them. */
static int64_t most_places(int64_t rows) {
    return 2 * rows + 1024;
}

static le_status run(le_call *call) {
    job j;
    le_status status = begin(call, &j);
    if (status != LE_OK)
        return status;
    j.index = le__im_index_of(call, largest_of(&j));
    status = le__im_list_index(call, most_places(j.index.rows), &j.index);
    if (status != LE_OK)
        return status;
    const size_t bytes = (size_t)(j.index.n + 1) * sizeof *j.sums;
    j.sums = le_call_scratch(call, bytes);
    if (!j.sums)
        return le_fail(LE_ERR_MEMORY, "measure_sources: no memory for the sums of %lld labels",
                       (long long)j.index.n);
    memset(j.sums, 0, bytes);
    j.background = le__im_measures_background(&j.index);
    for (int64_t line = 0; line < le__im_lines(j.shape); line++) {
        if (le_call_cancelled(call))
            return LE_ERR_CANCELLED;
        for (int64_t p = 0; p < j.pieces; p++)
            if (j.background || !j.empty[line * j.pieces + p])
                add_piece(&j, line, p * PIECE, piece_end(&j, p) - p * PIECE);
    }
    return le__im_put_catalogue(call, &j.index, j.sums);
}

/* Without an index as many sums as there are rows. */
static int64_t memory(const le_call *call) {
    const le_tensor *image = le_call_in(call, MEASURE_IMAGE);
    const le__im_shape s = le__im_shape_of(image);
    const int64_t rows = le_call_out(call, MEASURE_CATALOGUE)->shape[0];
    const int64_t places = (le_call_given(call, MEASURE_INDEX) ? most_places(rows) : rows) + 1,
                  lines = le__im_lines(s) + 1;
    return places * (int64_t)sizeof(le__im_sums) + rows * (int64_t)sizeof(double) +
           lines * (s.cols / PIECE + 1 + (int64_t)sizeof(int64_t));
}

LE_IMPLEMENTATION(measure_sources, c, .run_type = "c", .summary = "runs of equal labels",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1, .memory = memory, .run = run);
