/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Connected components as they are defined.
 */
#include "imaging/label_flood.h"

#include <stdlib.h>

enum { NEIGHBOURS = 27, OFTENER = 16 };

typedef struct flood {
    const le_call *call;
    int64_t filled;
    int32_t *labels, *waiting;
    int64_t n_waiting;
    le__im_shape shape;
    int reach;
} flood;

static void visit(flood *f, int64_t z, int64_t y, int64_t x, int32_t number) {
    const le__im_shape s = f->shape;
    if (z < 0 || z >= s.planes || y < 0 || y >= s.rows || x < 0 || x >= s.cols)
        return;
    const int64_t at = (z * s.rows + y) * s.cols + x;
    if (f->labels[at] != -1)
        return;
    f->labels[at] = number;
    f->waiting[f->n_waiting++] = (int32_t)at;
}

static void fill(flood *f, int32_t number) {
    while (f->n_waiting && !le__im_over(f->call, f->filled++ * OFTENER + OFTENER - 1)) {
        const int64_t at = f->waiting[--f->n_waiting], line = at / f->shape.cols;
        for (int step = 0; step < NEIGHBOURS; step++) {
            const int dz = step / 9 - 1, dy = step / 3 % 3 - 1, dx = step % 3 - 1;
            if (abs(dz) + abs(dy) + abs(dx) <= f->reach)
                visit(f, line / f->shape.rows + dz, line % f->shape.rows + dy,
                      at % f->shape.cols + dx, number);
        }
    }
}

int32_t le__im_flood(const le_call *call, int32_t *labels, le__im_shape shape, int reach, int32_t *spare) {
    flood f = {.call = call, .labels = labels, .waiting = spare, .shape = shape, .reach = reach};
    const int64_t n = le__im_lines(shape) * shape.cols;
    int32_t count = 0;
    for (int64_t i = 0; i < n; i++)
        labels[i] = labels[i] ? -1 : 0;
    for (int64_t i = 0; i < n && !le__im_over(call, i); i++) {
        if (labels[i] != -1)
            continue;
        const int64_t line = i / shape.cols;
        visit(&f, line / shape.rows, line % shape.rows, i % shape.cols, ++count);
        fill(&f, count);
    }
    return count;
}
