/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * label by runs.
 */
#include "imaging/label.h"
#include "imaging/runs_simd.h"

typedef struct job {
    le__im_runs runs;
    le__im_pixels mask;
    char *room; /* of each worker: a line of any dtype, and one of bytes */
    int64_t each;
} job;

/* Foreground as bytes. */
static const uint8_t *bytes_of(const job *j, int64_t line, int worker) {
    const int64_t cols = j->runs.shape.cols;
    char *room = j->room + worker * j->each;
    const void *in = le__im_piece(&j->mask, line * cols, cols, room);
    uint8_t *restrict out = (uint8_t *)room + cols * (int64_t)sizeof(double);
    switch (j->mask.dtype) {
    case LE_U8:
        return in;
#define BYTES(D, T)                                                                                \
    case D:                                                                                        \
        for (int64_t i = 0; i < cols; i++)                                                         \
            out[i] = ((const T *)in)[i] != 0;                                                      \
        break;
        BYTES(LE_I16, int16_t)
        BYTES(LE_U16, uint16_t)
        BYTES(LE_I32, int32_t)
        BYTES(LE_U32, uint32_t)
        BYTES(LE_F32, float)
#undef BYTES
    default:
        for (int64_t i = 0; i < cols; i++)
            out[i] = ((const double *)in)[i] != 0;
        break;
    }
    return out;
}

static void find_starts(void *context, size_t begin, size_t end, int worker) {
    job *j = context;
    for (int64_t b = (int64_t)begin; b < (int64_t)end; b++) {
        for (int64_t l = le__im_block_begin(&j->runs, b); l < le__im_block_end(&j->runs, b); l++)
            le__im_bits(bytes_of(j, l, worker), j->runs.shape.cols,
                        j->runs.bits + l * j->runs.words);
        le__im_block_starts(&j->runs, b);
    }
}

static le_status run(le_call *call) {
    const le_tensor *mask = le_call_in(call, LABEL_MASK);
    job j = {.mask = le__im_pixels_of(mask)};
    const int reach = le__im_reach(le_call_i64(call, LABEL_CONNECTIVITY), mask->ndim);
    const le__im_shape shape = le__im_shape_of(mask);
    j.each = (shape.cols * (int64_t)(sizeof(double) + 1) / 64 + 1) * 64;
    j.room = le_call_scratch(call, (size_t)(j.each * le_call_threads(call)));
    if (!j.room || !le__im_runs_begin(call, shape, reach, &j.runs))
        return le_fail(LE_ERR_MEMORY, "label: no memory for the runs");
    le_status status = le_parallel_for(call, (size_t)j.runs.blocks, find_starts, &j);
    if (status == LE_OK && !le__im_runs_count(call, &j.runs))
        return le_fail(LE_ERR_MEMORY, "label: no memory for the runs");
    if (status == LE_OK)
        status = le_parallel_for(call, (size_t)j.runs.blocks, le__im_join_blocks, &j.runs);
    if (status != LE_OK)
        return status;
    const int32_t count = le__im_runs_number(&j.runs);
    if (le_call_given(call, LABEL_LABELS)) {
        le__im_labelling l = {&j.runs, le_call_out(call, LABEL_LABELS)->data};
        status = le_parallel_for(call, (size_t)j.runs.blocks, le__im_write_blocks, &l);
    }
    if (le_call_given(call, LABEL_COUNT))
        *(int32_t *)le_call_out(call, LABEL_COUNT)->data = count;
    return status;
}

static int64_t memory(const le_call *call) {
    return le__im_runs_memory(le__im_shape_of(le_call_in(call, LABEL_MASK)));
}

LE_IMPLEMENTATION(label, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "runs from words of 64 pixels, " LE__ISA_WIDTH,
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 2, 2.5), .memory = memory,
                  .run = run);
