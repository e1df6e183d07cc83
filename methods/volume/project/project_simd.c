/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The vector implementations of `project`, compiled once for each instruction set: blocks of the
 * image whose sums stay in the cache, so that the volume is read once and in long runs whatever the
 * axis.
 */
#include <stdlib.h>

#include "common/isa.h"
#include "volume/project/kernels_simd.h"
#include "volume/project/project.h"

/* Sums of a block at most: 32 KiB; at least; and the blocks wanted for each thread. */
enum { MOST = 4096, LEAST = 256, BLOCKS = 8 };
/* Bytes of a piece of a block whose lines along the last axis are put in order: some lines of most
 * blocks, one at least of each. */
enum { PIECE = 1 << 17 };

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
    double *sums, *partial; /* MOST for each worker */
    char *pieces;           /* PIECE for each worker; NULL: lines are read where they are */
} context;

/* Lines along the last axis are read where they are, whatever the other strides. */
static bool in_place(const le_tensor *volume) {
    return volume->strides[2] == 1 || volume->shape[2] == 1;
}

static int64_t memory(const le_call *call) {
    const int64_t sums = (int64_t)sizeof(double) * MOST;
    return (in_place(le_call_in(call, ARG_VOLUME)) ? sums : 2 * sums + PIECE) *
           le_call_threads(call);
}

static le_status prepare(le_call *call, void **out) {
    const le_tensor *t = le_call_in(call, ARG_VOLUME);
    const size_t threads = (size_t)le_call_threads(call);
    context *x = le_call_scratch(call, sizeof *x);
    double *sums = le_call_scratch(call, sizeof *sums * MOST * threads), *partial = sums;
    char *pieces = NULL;
    if (!in_place(t)) {
        partial = le_call_scratch(call, sizeof *partial * MOST * threads);
        pieces = le_call_scratch(call, PIECE * threads);
    }
    if (!x || !sums || !partial || (!in_place(t) && !pieces))
        return le_fail(LE_ERR_MEMORY, "project: out of memory");
    *x = (context){.call = call,
                   .p = le_call_attached(call),
                   .volume = t->data,
                   .dtype = t->dtype,
                   .strides = {t->strides[0], t->strides[1], t->strides[2]},
                   .tiling = tiling_of(call),
                   .sums = sums,
                   .partial = partial,
                   .pieces = pieces};
    *out = x;
    return LE_OK;
}

static size_t items(const le_call *call) {
    tiling t = tiling_of(call);
    return (size_t)(t.down * t.across);
}

/* ------------------------------------------------------------------------------ pieces ------- */

typedef struct way {
    int64_t extent, from, to; /* strides in elements */
} way;

#define DEFINE_PUT(bits)                                                                           \
    static void put_##bits(const way w[3], const void *from, void *to) {                           \
        for (int64_t i = 0; i < w[0].extent; i++)                                                  \
            for (int64_t j = 0; j < w[1].extent; j++) {                                            \
                const uint##bits##_t *p =                                                          \
                    (const uint##bits##_t *)from + i * w[0].from + j * w[1].from;                  \
                uint##bits##_t *q = (uint##bits##_t *)to + i * w[0].to + j * w[1].to;              \
                for (int64_t k = 0; k < w[2].extent; k++)                                          \
                    q[k * w[2].to] = p[k * w[2].from];                                             \
            }                                                                                      \
    }
DEFINE_PUT(8)
DEFINE_PUT(16)
DEFINE_PUT(32)
DEFINE_PUT(64)
#undef DEFINE_PUT

static void swap_unless_wider(way *a, way *b) {
    if (llabs(a->from) >= llabs(b->from))
        return;
    const way w = *a;
    *a = *b;
    *b = w;
}

/* Some lines of a block in order in `to`: what is nearest in memory is read first. */
static le__project_block piece_of(const le__project_block *b, int64_t line, int64_t lines,
                                  void *to) {
    const size_t size = le_dtype_size(b->dtype);
    const char *from = (const char *)b->first + line * b->line_stride * (int64_t)size;
    le__project_block p = *b;
    p.first = to;
    p.lines = lines;
    p.line_stride = b->along ? 1 : b->rows * b->columns;
    p.column_stride = b->along ? lines : 1;
    p.row_stride = b->columns * p.column_stride;
    way w[3] = {{b->rows, b->row_stride, p.row_stride},
                {b->columns, b->column_stride, p.column_stride},
                {lines, b->line_stride, p.line_stride}};
    swap_unless_wider(&w[0], &w[1]);
    swap_unless_wider(&w[1], &w[2]);
    swap_unless_wider(&w[0], &w[1]);
    (size == 1 ? put_8 : size == 2 ? put_16 : size == 4 ? put_32 : put_64)(w, from, to);
    return p;
}

static void reduce_in_pieces(const le__project_block *b, void *piece, double *partial,
                             double *sums) {
    const int64_t pixels = b->rows * b->columns;
    const int64_t most = PIECE / (pixels * (int64_t)le_dtype_size(b->dtype));
    for (int64_t line = 0; line == 0 || line < b->lines; line += most) {
        const int64_t lines = b->lines - line < most ? b->lines - line : most;
        const le__project_block p = piece_of(b, line, lines, piece);
        reduce_block(&p, line == 0 ? sums : partial);
        for (int64_t i = 0; line > 0 && i < pixels; i++)
            sums[i] = join(b->reduce, sums[i], partial[i]);
    }
}

static void run_block(const context *x, int64_t block, int worker) {
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
    double *sums = x->sums + (int64_t)worker * MOST;
    if (x->pieces)
        reduce_in_pieces(&b, x->pieces + (int64_t)worker * PIECE,
                         x->partial + (int64_t)worker * MOST, sums);
    else
        reduce_block(&b, sums);
    for (int64_t r = 0; r < b.rows; r++)
        le__project_pixels(p, le_call_out(x->call, ARG_IMAGE), row + r, column, b.columns, b.lines,
                           sums + r * b.columns);
}

static void range(void *data, size_t begin, size_t end, int worker) {
    const context *x = data;
    for (size_t block = begin; block < end; block++)
        run_block(x, (int64_t)block, worker);
}

LE_IMPLEMENTATION(project, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = LE__ISA_TITLE ": blocks of the image, sums in double precision",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 2.0, 2.5), .memory = memory,
                  .prepare = prepare, .items = items, .range = range);
