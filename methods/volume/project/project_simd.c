/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The vector implementations of `project`, compiled once for each instruction set: blocks of the
 * image whose sums stay in the cache, so that the volume is read once and in long runs whatever the
 * axis.
 */
#include "common/isa.h"
#include "volume/project/kernels_simd.h"
#include "volume/project/project.h"

/* Sums of a block at most: 32 KiB; at least; and the blocks wanted for each thread. */
enum { MOST = 4096, LEAST = 256, BLOCKS = 8 };

typedef struct tiling {
    int64_t rows, columns; /* of a block */
    int64_t down, across;  /* blocks */
} tiling;

static tiling tiling_of(const le_call *call) {
    const le__project *p = le_call_attached(call);
    const int64_t *n = le_call_in(call, ARG_VOLUME)->shape;
    int64_t rows = n[p->rows], columns = n[p->columns];
    int64_t pixels = rows * columns / (BLOCKS * le_call_threads(call));
    pixels = pixels < LEAST ? LEAST : pixels > MOST ? MOST : pixels;
    tiling t = {.columns = columns < pixels ? columns : pixels};
    if (rows == 0 || columns == 0)
        return (tiling){0};
    t.rows = pixels / t.columns;
    t.down = (rows + t.rows - 1) / t.rows;
    t.across = (columns + t.columns - 1) / t.columns;
    return t;
}

typedef struct context {
    le_call *call;
    const le__project *p;
    const char *volume;
    le_dtype dtype;
    int64_t strides[3];
    tiling tiling;
    double *sums; /* MOST for each worker */
} context;

/* Lines along the last axis are read where they are, whatever the other strides. */
static bool in_place(const le_tensor *volume) {
    return volume->strides[2] == 1 || volume->shape[2] == 1;
}

static int64_t memory(const le_call *call) {
    const le_tensor *t = le_call_in(call, ARG_VOLUME);
    int64_t copy = in_place(t) ? 0 : le_tensor_count(t) * (int64_t)le_dtype_size(t->dtype);
    return copy + (int64_t)sizeof(double) * MOST * le_call_threads(call);
}

static le_status prepare(le_call *call, void **out) {
    const le_tensor *t = le_call_in(call, ARG_VOLUME);
    context *x = le_call_scratch(call, sizeof *x);
    double *sums = le_call_scratch(call, sizeof *sums * MOST * (size_t)le_call_threads(call));
    const void *volume = in_place(t) ? t->data : le_call_contiguous(call, ARG_VOLUME);
    if (!x || !sums || (!volume && le_tensor_count(t) > 0))
        return le_fail(LE_ERR_MEMORY, "project: no memory for a contiguous volume");
    *x = (context){.call = call,
                   .p = le_call_attached(call),
                   .volume = volume,
                   .dtype = t->dtype,
                   .strides = {t->shape[1] * t->shape[2], t->shape[2], 1},
                   .tiling = tiling_of(call),
                   .sums = sums};
    for (int a = 0; in_place(t) && a < 2; a++)
        x->strides[a] = t->strides[a];
    *out = x;
    return LE_OK;
}

static size_t items(const le_call *call) {
    tiling t = tiling_of(call);
    return (size_t)(t.down * t.across);
}

static void run_block(const context *x, int64_t block, double *sums) {
    const le__project *p = x->p;
    const tiling *t = &x->tiling;
    const int64_t *n = le_call_in(x->call, ARG_VOLUME)->shape;
    int64_t row = block / t->across * t->rows, column = block % t->across * t->columns;
    int64_t rows = n[p->rows] - row, columns = n[p->columns] - column;
    int64_t at = row * x->strides[p->rows] + column * x->strides[p->columns];
    le__project_block b = {.first = x->volume + at * (int64_t)le_dtype_size(x->dtype),
                           .dtype = x->dtype,
                           .reduce = p->reduce,
                           .along = p->axis == 2,
                           .rows = rows < t->rows ? rows : t->rows,
                           .columns = columns < t->columns ? columns : t->columns,
                           .lines = n[p->axis],
                           .row_stride = x->strides[p->rows],
                           .column_stride = x->strides[p->columns],
                           .line_stride = x->strides[p->axis]};
    reduce_block(&b, sums);
    for (int64_t r = 0; r < b.rows; r++)
        le__project_pixels(p, le_call_out(x->call, ARG_IMAGE), row + r, column, b.columns, b.lines,
                           sums + r * b.columns);
}

static void range(void *data, size_t begin, size_t end, int worker) {
    const context *x = data;
    for (size_t block = begin; block < end; block++)
        run_block(x, (int64_t)block, x->sums + (int64_t)worker * MOST);
}

LE_IMPLEMENTATION(project, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = LE__ISA_TITLE ": blocks of the image, sums in double precision",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 2.0, 2.5), .memory = memory,
                  .prepare = prepare, .items = items, .range = range);
