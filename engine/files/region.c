/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A part of a row-major block of numbers in a file: row by row, without what lies between.
 */
#include "files/io.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 }; /* read by one thread at a time */

typedef struct region_job {
    int fd, ndim;
    int64_t offset, rows;
    size_t item; /* bytes of an element */
    const int64_t *shape;
    const le__io_range *ranges;
    char *out;
    _Atomic int error; /* errno; -1: the file is too short */
} region_job;

/* Where row number i of the part begins in the file. */
static int64_t row_start(const region_job *j, int64_t i) {
    int64_t at = 0, stride = 1;
    for (int a = j->ndim - 1; a >= 0; stride *= j->shape[a--]) {
        const le__io_range *r = &j->ranges[a];
        at += stride * (r->start + (a == j->ndim - 1 ? 0 : i % r->count * r->step));
        i = a == j->ndim - 1 ? i : i / r->count;
    }
    return j->offset + at * (int64_t)j->item;
}

/* span: room for all elements between the first and the last of a row; NULL: they are neighbours */
static int read_row(const region_job *j, int64_t i, char *span) {
    const le__io_range *last = &j->ranges[j->ndim - 1];
    char *to = j->out + i * last->count * (int64_t)j->item;
    int64_t bytes = ((last->count - 1) * last->step + 1) * (int64_t)j->item;
    int error = le__io_read_exact(j->fd, span ? span : to, row_start(j, i), bytes);
    for (int64_t k = 0; span && !error && k < last->count; k++)
        memcpy(to + k * (int64_t)j->item, span + k * last->step * (int64_t)j->item, j->item);
    return error;
}

static void read_rows(void *context, size_t begin, size_t end, int worker) {
    region_job *j = context;
    const le__io_range *last = &j->ranges[j->ndim - 1];
    char *span = NULL;
    int error = 0;
    (void)worker;
    if (last->step > 1 && !(span = malloc((size_t)(last->count * last->step) * j->item)))
        error = ENOMEM;
    for (int64_t i = (int64_t)begin * ROWS; !error && i < (int64_t)end * ROWS && i < j->rows; i++)
        error = read_row(j, i, span);
    free(span);
    if (error)
        atomic_store(&j->error, error);
}

le_status le__io_pread_region(const le__io_parallel *p, int fd, const char *file, int64_t offset,
                              size_t item, int ndim, const int64_t *shape,
                              const le__io_range *ranges, void *out) {
    region_job j = {.fd = fd,
                    .ndim = ndim,
                    .offset = offset,
                    .rows = 1,
                    .item = item,
                    .shape = shape,
                    .ranges = ranges,
                    .out = out};
    for (int a = 0; a + 1 < ndim; a++)
        j.rows *= ranges[a].count;
    if (ranges[ndim - 1].count == 0)
        j.rows = 0;
    le_status status = le__io_run(p, file, (size_t)((j.rows + ROWS - 1) / ROWS), read_rows, &j);
    return status == LE_OK ? le__io_read_outcome(file, atomic_load(&j.error)) : status;
}

le_status le__io_narrow(const le__io_place *place, int *ndim, int64_t *shape,
                        le__io_range ranges[LE_MAX_DIMS]) {
    int left = 0;
    le_status status = le__io_select(place, *ndim, shape, ranges);
    for (int a = 0; status == LE_OK && a < *ndim; a++)
        if (!ranges[a].drop)
            shape[left++] = ranges[a].count;
    if (status == LE_OK)
        *ndim = left;
    return status;
}
