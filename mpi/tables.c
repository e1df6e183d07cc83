/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables: what rank 0 alone has, or finds at a place, all ranks get; what all have is compared, for
 * each block is made with its rank's own.
 */
#include "job.h"
#include "rows.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static int64_t bytes_of(const le_tensor *t) {
    return le_tensor_count(t) * (int64_t)le_dtype_size(t->dtype);
}

static le_status check_size(const le__job *j, const le_arg *a, const le_tensor *t) {
    const int64_t n = le_tensor_count(t);
    return n >= 0 && n <= LE_TABLE_MAX
               ? LE_OK
               : le_fail(LE_ERR_SHAPE, "%s: table '%s' has %lld elements, at most %d are possible",
                         j->op->name, a->name, (long long)n, LE_TABLE_MAX);
}

static le_status read_table(const le__job *j, const le_arg *a, le_tensor *out) {
    le_tensor t = {0};
    int ndim;
    le_status status = le_io_peek(a->value.str, &t.dtype, &ndim, t.shape);
    t.ndim = ndim;
    if (status == LE_OK)
        status = check_size(j, a, &t);
    return status == LE_OK ? le_io_read(j->engine, a->value.str, NULL, out) : status;
}

/* Row-major, in memory of its own. */
static le_status copy_table(const le__job *j, const le_arg *a, le_tensor *out) {
    le_tensor from = *a->value.in;
    le_status status = le_tensor_alloc(out, from.dtype, from.ndim, from.shape);
    if (status == LE_OK)
        status = check_size(j, a, out);
    if (status == LE_OK)
        status = le_tensor_to_host(&from);
    if (status == LE_OK && !from.data && le_tensor_count(out) > 0)
        status = le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' has no data", j->op->name, a->name);
    if (status == LE_OK)
        le__rows_pack(out->data, &from);
    return status;
}

/* Rank 0's, to all. */
static le_status share(le__job *j, le_arg *a, le__shared *s) {
    le_status status = LE_OK;
    s->own = true;
    if (j->world.rank == 0)
        status = a->kind == LE_KIND_STR ? read_table(j, a, &s->whole) : copy_table(j, a, &s->whole);
    status = le__world_agree(&j->world, status);
    if (status != LE_OK)
        return status;
    const le_tensor form = le__agree_form(j, &s->whole);
    if (j->world.rank > 0)
        status = le_tensor_alloc(&s->whole, form.dtype, form.ndim, form.shape);
    status = le__world_agree(&j->world, status);
    if (status != LE_OK)
        return status;
    le__world_broadcast(&j->world, s->whole.data, bytes_of(&s->whole));
    *a = LE_TABLE(a->name, &s->whole);
    return LE_OK;
}

static le_status compare(const le__job *j, size_t arg, const le_arg *a) {
    le_tensor copy = {0};
    le_status status = le__agree_tensor(j, arg, a->value.in);
    if (status == LE_OK)
        status = copy_table(j, a, &copy);
    const uint64_t own = status == LE_OK ? XXH64(copy.data, (size_t)bytes_of(&copy), 0) : 0;
    uint64_t root = own;
    le__world_broadcast(&j->world, &root, sizeof root);
    if (status == LE_OK && own != root)
        status = le_fail(LE_ERR_ARGUMENT, "%s: elements of table '%s' are not those of rank 0",
                         j->op->name, a->name);
    le_tensor_free(&copy);
    return le__world_agree(&j->world, status);
}

le_status le__tables_agree(le__job *j) {
    le_status status = LE_OK;
    for (size_t k = 0; status == LE_OK && k < j->n_args; k++) {
        le_arg *a = &j->own_args[k];
        const int arg = le__job_arg(j, a->name);
        const bool place = a->kind == LE_KIND_STR;
        if (arg < 0 || j->op->args[arg].type != LE_TYPE_TABLE ||
            (!place && a->kind != LE_KIND_TABLE) || j->shared[arg].own)
            continue; /* a second one is refused by the engine */
        status = place || j->options.in == LE_MPI_ROOT ? share(j, a, &j->shared[arg])
                                                       : compare(j, (size_t)arg, a);
    }
    return status;
}
