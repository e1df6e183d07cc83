/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Components of a mask by its runs: what all blocks have in common.
 */
#include "imaging/runs.h"

enum { BLOCK_LINES = 64, PADDING = 16 };

bool le__im_runs_begin(le_call *call, le__im_shape shape, int reach, le__im_runs *out) {
    const int64_t lines = le__im_lines(shape);
    le__im_runs r = {.shape = shape, .reach = reach, .words = (shape.cols + 63) / 64};
    /* a block ends with a plane, so that its first plane alone touches earlier
     * blocks */
    r.block = shape.planes > 1 && shape.rows > 0
                  ? (BLOCK_LINES + shape.rows - 1) / shape.rows * shape.rows
                  : BLOCK_LINES;
    r.blocks = (lines + r.block - 1) / r.block;
    const size_t words = (size_t)(lines * r.words) + 1;
    r.bits = le_call_scratch(call, words * sizeof *r.bits);
    r.starts = le_call_scratch(call, words * sizeof *r.starts);
    r.first = le_call_scratch(call, words * sizeof *r.first);
    r.blocks_first = le_call_scratch(call, ((size_t)r.blocks + 1) * sizeof *r.blocks_first);
    *out = r;
    return r.bits && r.starts && r.first && r.blocks_first;
}

bool le__im_runs_count(le_call *call, le__im_runs *r) {
    r->blocks_first[0] = 0;
    for (int64_t b = 0; b < r->blocks; b++)
        r->blocks_first[b + 1] += r->blocks_first[b];
    const size_t n = (size_t)r->blocks_first[r->blocks] + PADDING;
    r->parent = le_call_scratch(call, n * sizeof *r->parent);
    r->labels = le_call_scratch(call, n * sizeof *r->labels);
    return r->parent && r->labels;
}

int32_t le__im_runs_number(le__im_runs *r) {
    const uint32_t n = r->blocks_first[r->blocks];
    const int64_t rows = r->shape.planes > 1 ? r->shape.rows : 1;
    int32_t count = 0;
    for (int64_t b = 1; b < r->blocks; b++)
        for (int64_t k = 0; k < rows; k++)
            le__im_join_line(r, le__im_block_begin(r, b) + k, le__im_block_begin(r, b), false);
    r->labels[0] = 0;
    for (uint32_t k = n + 1; k < n + PADDING; k++) /* vectors of labels are read beyond the last */
        r->labels[k] = 0;
    for (uint32_t run = 0; run < n; run++) {
        const bool root = r->parent[run] == run;
        count += root;
        r->labels[run + 1] = root ? count : r->labels[r->parent[run] + 1];
    }
    return count;
}

int64_t le__im_runs_memory(le__im_shape shape) {
    const int64_t words = le__im_lines(shape) * ((shape.cols + 63) / 64);
    return words * (2 * (int64_t)sizeof(uint64_t) + 4 + 32 * 8);
}
