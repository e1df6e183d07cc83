/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `project` in scalar C: whole lines of the volume are added to one row of sums, in double precision.
 */
#include <math.h>
#include <string.h>

#include "common/load.h"
#include "volume/project/project.h"

typedef struct context {
    le_call *call;
    double *sums; /* one row of the image for each worker */
    char *lines;  /* one line for each worker; NULL: lines are read where they are */
} context;

/* One line along the last axis into the sums, which are then the image's columns. */
#define DEFINE_ADD(D, T, s)                                                                        \
    static void add_##s(const void *data, int64_t at, int64_t n, le__reduce reduce,                \
                        double *restrict sum)                                                      \
    {                                                                                              \
        const T *restrict line = (const T *)data + at;                                             \
        if (reduce == LE__MAX)                                                                     \
            for (int64_t i = 0; i < n; i++) {                                                      \
                double v = (double)line[i];                                                        \
                sum[i] = v > sum[i] || v != v ? v : sum[i];                                        \
            }                                                                                      \
        else if (reduce == LE__MIN)                                                                \
            for (int64_t i = 0; i < n; i++) {                                                      \
                double v = (double)line[i];                                                        \
                sum[i] = v < sum[i] || v != v ? v : sum[i];                                        \
            }                                                                                      \
        else                                                                                       \
            for (int64_t i = 0; i < n; i++)                                                        \
                sum[i] += (double)line[i];                                                         \
    }                                                                                              \
    static double along_##s(const void *data, int64_t at, int64_t n, le__reduce reduce)            \
    {                                                                                              \
        const T *line = (const T *)data + at;                                                      \
        double part[4] = {0.0, 0.0, 0.0, 0.0}, all = (double)line[0];                              \
        if (reduce == LE__MAX || reduce == LE__MIN) {                                              \
            for (int64_t i = 0; i < n; i++)                                                        \
                add_##s(line, i, 1, reduce, &all);                                                 \
            return all;                                                                            \
        }                                                                                          \
        int64_t i = 0;                                                                             \
        for (; i + 4 <= n; i += 4)                                                                 \
            for (int k = 0; k < 4; k++)                                                            \
                part[k] += (double)line[i + k];                                                    \
        for (; i < n; i++)                                                                         \
            part[0] += (double)line[i];                                                            \
        return (part[0] + part[1]) + (part[2] + part[3]);                                          \
    }
LE__DTYPE_LIST(DEFINE_ADD)
#undef DEFINE_ADD

static int64_t line_bytes(const le_tensor *volume)
{
    return volume->shape[2] * (int64_t)le_dtype_size(volume->dtype);
}

static bool in_place(const le_tensor *volume)
{
    return volume->strides[2] == 1 || volume->shape[2] == 1;
}

static int64_t columns_of(const le_call *call)
{
    const le__project *p = le_call_attached(call);
    return le_call_in(call, ARG_VOLUME)->shape[p->columns] + 8;
}

static int64_t memory(const le_call *call)
{
    const le_tensor *t = le_call_in(call, ARG_VOLUME);
    int64_t line = in_place(t) ? 0 : line_bytes(t);
    return le_call_threads(call) * (columns_of(call) * (int64_t)sizeof(double) + line);
}

static le_status prepare(le_call *call, void **out)
{
    const le_tensor *t = le_call_in(call, ARG_VOLUME);
    size_t threads = (size_t)le_call_threads(call);
    context *x = le_call_scratch(call, sizeof *x);
    double *sums = le_call_scratch(call, threads * (size_t)columns_of(call) * sizeof *sums);
    char *lines = in_place(t) ? NULL : le_call_scratch(call, threads * (size_t)line_bytes(t));
    if (!x || !sums || (!in_place(t) && !lines))
        return le_fail(LE_ERR_MEMORY, "project: out of memory");
    *x = (context){call, sums, lines};
    *out = x;
    return LE_OK;
}

/* The samples along the last axis, one after the other. */
static const void *line_at(const context *x, int64_t i, int64_t j, int worker)
{
    const le_tensor *t = le_call_in(x->call, ARG_VOLUME);
    int64_t size = (int64_t)le_dtype_size(t->dtype), step = t->strides[2] * size;
    const char *first = (const char *)t->data + (i * t->strides[0] + j * t->strides[1]) * size;
    if (!x->lines)
        return first;
    char *line = x->lines + worker * line_bytes(t);
    for (int64_t k = 0; k < t->shape[2]; k++)
        memcpy(line + k * size, first + k * step, (size_t)size);
    return line;
}

static size_t items(const le_call *call)
{
    const le__project *p = le_call_attached(call);
    return (size_t)le_call_in(call, ARG_VOLUME)->shape[p->rows];
}

static void reduce_row(const context *x, int64_t row, double *sum, int worker)
{
    const le__project *p = le_call_attached(x->call);
    const le_tensor *t = le_call_in(x->call, ARG_VOLUME);
    const int64_t *n = t->shape;
    if (p->axis == 2) {
        for (int64_t c = 0; c < n[1]; c++)
            sum[c] = LE__FOR_DTYPE(along, t->dtype)(line_at(x, row, c, worker), 0, n[2],
                                                    p->reduce);
        return;
    }
    double first = p->reduce == LE__MAX ? -INFINITY : p->reduce == LE__MIN ? INFINITY : 0.0;
    for (int64_t c = 0; c < n[2]; c++)
        sum[c] = first;
    for (int64_t i = 0; i < n[p->axis]; i++) {
        const void *line =
            p->axis == 0 ? line_at(x, i, row, worker) : line_at(x, row, i, worker);
        LE__FOR_DTYPE(add, t->dtype)(line, 0, n[2], p->reduce, sum);
    }
}

static void range(void *data, size_t begin, size_t end, int worker)
{
    const context *x = data;
    const le__project *p = le_call_attached(x->call);
    const le_tensor *t = le_call_in(x->call, ARG_VOLUME);
    int64_t columns = t->shape[p->columns];
    double *sum = x->sums + worker * columns_of(x->call);
    for (int64_t row = (int64_t)begin; row < (int64_t)end; row++) {
        reduce_row(x, row, sum, worker);
        le__project_pixels(p, le_call_out(x->call, ARG_IMAGE), row, 0, columns, t->shape[p->axis],
                           sum);
    }
}

LE_IMPLEMENTATION(project, c, .run_type = "c", .summary = "line by line, sums in double precision",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1.0, .memory = memory, .prepare = prepare,
                  .items = items, .range = range);
