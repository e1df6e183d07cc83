/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Inputs: each rank reads its part of a place, halos are read twice.
 */
#include "job.h"
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool le__is_in(const le__job *j, size_t arg) {
    return j->shared[arg].given && j->op->args[arg].type == LE_TYPE_IN;
}

/* One element stands for all: enough for checks, which never read data. */
static void stand_in(le_tensor *t) {
    static const double element[2];
    t->data = (void *)(uintptr_t)element;
    memset(t->strides, 0, sizeof t->strides);
}

static bool takes(const le_arg_desc *d, le_dtype dtype) {
    return d->dtypes & LE_DTYPE_BIT(dtype);
}

static le_status read_whole(const le__job *j, size_t arg, le_tensor *out) {
    const le_io_options o = {.struct_size = sizeof o, .dtypes = j->op->args[arg].dtypes};
    return le_io_read(j->engine, j->shared[arg].place, &o, out);
}

/* As what the operation takes the place is read: the first element tells. false: it has slices
 * already, or none can be read. */
static bool peek_converted(const le__job *j, size_t arg, int ndim, le_dtype *dtype) {
    const le_io_options o = {.struct_size = sizeof o, .dtypes = j->op->args[arg].dtypes};
    char text[4096];
    le_tensor first = {0};
    int n = snprintf(text, sizeof text, "%s[", j->shared[arg].place);
    for (int d = 0; d < ndim && n > 0 && (size_t)n < sizeof text; d++)
        n += snprintf(text + n, sizeof text - (size_t)n, d + 1 < ndim ? "0:1," : "0:1]");
    if (ndim < 1 || n < 0 || (size_t)n >= sizeof text || strchr(j->shared[arg].place, '[') ||
        le_io_read(j->engine, text, &o, &first) != LE_OK)
        return false;
    *dtype = first.dtype;
    le_tensor_free(&first);
    return takes(&j->op->args[arg], *dtype);
}

/* Rank 0 looks, so that a file is opened once and not by thousands. */
static le_status peek(le__job *j, size_t arg) {
    le__shared *s = &j->shared[arg];
    struct {
        int dtype, ndim;
        int64_t shape[LE_MAX_DIMS];
    } found = {0};
    le_dtype dtype = LE_U8;
    le_status status = LE_OK;
    if (j->world.rank == 0)
        status = le_io_peek(s->place, &dtype, &found.ndim, found.shape);
    if (j->world.rank == 0 && status == LE_OK && !takes(&j->op->args[arg], dtype))
        peek_converted(j, arg, found.ndim, &dtype);
    found.dtype = (int)dtype;
    status = le__world_agree(&j->world, status);
    if (status != LE_OK)
        return status;
    le__world_broadcast(&j->world, &found, sizeof found);
    s->shape = (le_tensor){.dtype = (le_dtype)found.dtype, .ndim = found.ndim};
    memcpy(s->shape.shape, found.shape, sizeof s->shape.shape);
    if (takes(&j->op->args[arg], s->shape.dtype)) {
        stand_in(&s->shape);
        return LE_OK;
    }
    status = le__world_agree(&j->world, read_whole(j, arg, &s->whole));
    s->shape = s->whole; /* as the operation takes it */
    s->own = true;
    return status;
}

/* Rank 0's, for checks. */
static void describe_tensor(le__job *j, size_t arg) {
    le__shared *s = &j->shared[arg];
    le_tensor t = le__agree_form(j, s->in);
    stand_in(&t);
    s->shape = j->world.rank == 0 ? *s->in : t;
}

/* This rank's own, which may lie on a device. */
static le_status hold(le__shared *s) {
    s->whole = *s->in;
    le_status status = le_tensor_to_host(&s->whole);
    s->shape = s->whole;
    return status;
}

le_status le__inputs_take(le__job *j) {
    le_status status = LE_OK;
    for (size_t a = 0; a < j->op->n_args; a++) {
        if (!le__is_in(j, a) || j->shared[a].place)
            continue;
        if (j->options.in == LE_MPI_ROOT) {
            describe_tensor(j, a);
            continue;
        }
        le_status one = le__agree_tensor(j, a, j->shared[a].in);
        if (one == LE_OK)
            one = hold(&j->shared[a]);
        status = status == LE_OK ? one : status;
    }
    return le__world_agree(&j->world, status);
}

le_status le__inputs_describe(le__job *j) {
    le_status status = LE_OK;
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++)
        if (le__is_in(j, a) && j->shared[a].place)
            status = peek(j, a);
    return status;
}

/* Rank 0's, row-major, on all ranks. */
static le_status broadcast(le__job *j, size_t arg) {
    le__shared *s = &j->shared[arg];
    le_tensor own = *s->in;
    le_status status = le_tensor_alloc(&s->whole, s->shape.dtype, s->shape.ndim, s->shape.shape);
    s->own = status == LE_OK;
    if (status == LE_OK && j->world.rank == 0)
        status = le_tensor_to_host(&own);
    if (status == LE_OK && j->world.rank == 0)
        le__rows_pack(s->whole.data, &own);
    status = le__world_agree(&j->world, status);
    if (status != LE_OK)
        return status;
    le__world_broadcast(&j->world, s->whole.data,
                        le_tensor_count(&s->whole) * (int64_t)le_dtype_size(s->whole.dtype));
    s->shape = s->whole;
    return LE_OK;
}

le_status le__inputs_share(le__job *j) {
    le_status status = LE_OK;
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++)
        if (le__is_in(j, a) && !j->shared[a].place && j->options.in == LE_MPI_ROOT)
            status = broadcast(j, a);
    return status;
}

/* "cube.h5:/density[:,10:20]"; false: it has slices already, or is no file that can be read so. */
static bool slice(const le__job *j, size_t arg, int64_t begin, int64_t end, char *text,
                  size_t size) {
    const le__shared *s = &j->shared[arg];
    int axis = j->slabs.args[arg].axis - 1, n = snprintf(text, size, "%s[", s->place);
    le_dtype dtype;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    for (int i = 0; i < axis && n > 0 && (size_t)n < size; i++)
        n += snprintf(text + n, size - (size_t)n, ":,");
    if (n < 0 || (size_t)n >= size || strchr(s->place, '['))
        return false;
    n += snprintf(text + n, size - (size_t)n, "%lld:%lld]", (long long)begin, (long long)end);
    return (size_t)n < size && le_io_peek(text, &dtype, &ndim, shape) == LE_OK &&
           ndim == s->shape.ndim && shape[axis] == end - begin;
}

le_status le__inputs_prepare(le__job *j) {
    char text[4096];
    for (size_t a = 0; a < j->op->n_args; a++) {
        le__shared *s = &j->shared[a];
        if (!le__is_in(j, a) || s->own)
            continue;
        if (s->place && j->slabs.args[a].axis && slice(j, a, 0, 1, text, sizeof text))
            continue;
        le_status status = s->place ? read_whole(j, a, &s->whole) : hold(s);
        if (status != LE_OK)
            return status;
        s->own = s->place != NULL;
    }
    return LE_OK;
}

static le_status copy_run(void *cookie, const char *data, int64_t bytes, int64_t at) {
    memcpy((char *)cookie + at, data, (size_t)bytes);
    return LE_OK;
}

/* Items [from, from + n) of a place. */
static le_status read_stretch(const le__job *j, size_t arg, int64_t from, int64_t n,
                              le_tensor *out) {
    const le_io_options o = {.struct_size = sizeof o, .dtypes = j->op->args[arg].dtypes};
    char text[4096];
    const int64_t begin = le_slab_elements(&j->slabs, arg, from);
    const int64_t end = le_slab_elements(&j->slabs, arg, from + n) + j->slabs.args[arg].ends;
    if (!slice(j, arg, begin, end, text, sizeof text))
        return le_fail(LE_ERR_DATA, "%s: its shape has changed", j->shared[arg].place);
    return le_io_read(j->engine, text, &o, out);
}

/* Stretches of a place, one after the other. */
static le_status read_stretches(const le__job *j, size_t arg, const le_slab_range *r,
                                le_tensor *out) {
    const int axis = j->slabs.args[arg].axis - 1;
    le_status status = LE_OK;
    for (int64_t at = r->low, n, from; status == LE_OK && at < r->high; at += n) {
        le_tensor one = {0};
        n = le_slab_stretch(&j->slabs, r, at, &from);
        status = read_stretch(j, arg, from, n, &one);
        if (status == LE_OK && n == r->high - r->low) {
            *out = one;
            return LE_OK;
        }
        le_tensor whole = one;
        whole.shape[axis] = le_slab_elements(&j->slabs, arg, r->high - r->low);
        if (status == LE_OK && at == r->low)
            status = le_tensor_alloc(out, whole.dtype, whole.ndim, whole.shape);
        if (status == LE_OK)
            status =
                le__rows_each(&one, one.data, axis, le_slab_elements(&j->slabs, arg, at - r->low),
                              whole.shape[axis], copy_run, out->data);
        le_tensor_free(&one);
    }
    return status;
}

le_status le__inputs_part(const le__job *j, size_t arg, const le_slab_range *items,
                          le_tensor *out) {
    const le__shared *s = &j->shared[arg];
    *out = (le_tensor){0};
    if (s->place && !s->own)
        return read_stretches(j, arg, items, out);
    return le_slab_input(&j->slabs, arg, &s->whole, items, out);
}
