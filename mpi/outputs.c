/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Outputs: parts are written where they belong, or put together by rank 0, in the order of blocks.
 */
#include "job.h"
#include "lost.h"
#include "patient.h"
#include "rows.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool le__is_out(const le__job *j, size_t arg) {
    return j->shared[arg].given && j->op->args[arg].type == LE_TYPE_OUT;
}

static bool is_cut(const le__job *j, size_t arg) {
    return j->slabs.args[arg].axis > 0;
}

static bool is_root(const le__job *j) {
    return j->world.rank == 0;
}

static int64_t bytes_of(const le_tensor *t) {
    return le_tensor_count(t) * (int64_t)le_dtype_size(t->dtype);
}

/* ------------------------------------------------------------------------------ description -- */

/* As a tensor of the caller's. */
static bool is_handed_over(const le__job *j, size_t arg) {
    return j->shared[arg].out && (is_root(j) || j->options.out == LE_MPI_ALL);
}

void le__outputs_describe(le__job *j) {
    le_dtype dtypes[LE_MAX_ARGS] = {0};
    for (size_t a = 0; a < j->op->n_args; a++)
        if (le__is_out(j, a) && j->shared[a].out)
            dtypes[a] = j->shared[a].out->dtype;
    le__world_broadcast(&j->world, dtypes, sizeof dtypes);
    for (size_t a = 0; a < j->op->n_args; a++)
        if (is_handed_over(j, a))
            j->shared[a].asked = *j->shared[a].out;
        else
            j->shared[a].asked.dtype = dtypes[a];
}

le_status le__outputs_agree(const le__job *j) {
    le_status status = LE_OK;
    for (size_t a = 0; a < j->op->n_args; a++) {
        if (!le__is_out(j, a))
            continue;
        le_status one = le__agree_tensor(j, a, &j->shared[a].shape);
        status = status == LE_OK ? one : status;
    }
    return le__world_agree(&j->world, status);
}

/* ------------------------------------------------------------------------------------- room -- */

le_status le__outputs_prepare(le__job *j) {
    le_status status = LE_OK;
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++) {
        le__shared *s = &j->shared[a];
        if (!le__is_out(j, a))
            continue;
        s->parts = calloc((size_t)j->blocks.n + 1, sizeof *s->parts);
        status = s->parts ? LE_OK : le__job_no_memory(j);
    }
    return le__world_agree(&j->world, status);
}

/* ------------------------------------------------------------------------------- one block -- */

static le_status write_run(void *cookie, const char *data, int64_t bytes, int64_t at) {
    const le__shared *s = cookie;
    int64_t size = (int64_t)le_dtype_size(s->shape.dtype);
    return le_target_put(s->target, at / size, bytes / size, data);
}

static le_status copy_run(void *cookie, const char *data, int64_t bytes, int64_t at) {
    memcpy((char *)cookie + at, data, (size_t)bytes);
    return LE_OK;
}

static int axis_of(const le__job *j, size_t arg) {
    return j->slabs.args[arg].axis - 1;
}

/* Without the halo, row-major. */
static le_status take_core(le__job *j, size_t arg, const le_slab_range *r, le_tensor *made,
                           le_tensor *core) {
    le_tensor view = *made;
    int axis = axis_of(j, arg);
    const int64_t first = le_slab_elements(&j->slabs, arg, r->begin - r->low);
    le_status status = le_tensor_to_host(made);
    if (status != LE_OK)
        return status;
    view.data =
        (char *)made->data + first * made->strides[axis] * (int64_t)le_dtype_size(made->dtype);
    view.shape[axis] = le_slab_elements(&j->slabs, arg, r->end - r->low) - first;
    status = le_tensor_alloc(core, view.dtype, view.ndim, view.shape);
    if (status == LE_OK)
        le__rows_pack(core->data, &view);
    return status;
}

le_status le__outputs_take(le__job *j, size_t arg, int64_t number, le_tensor *made) {
    le__shared *s = &j->shared[arg];
    const le_slab_range r = j->blocks.list[number];
    le_tensor *part = &s->parts[number];
    le_status status = LE_OK;
    if (!is_cut(j, arg)) { /* to be merged */
        status = le_tensor_to_host(made);
        *part = *made;
        *made = (le_tensor){0};
        return status;
    }
    status = take_core(j, arg, &r, made, part);
    le_tensor_free(made);
    if (status != LE_OK || !s->reserved)
        return status;
    int axis = axis_of(j, arg);
    if (!s->target)
        status = le_io_target_join(s->place, &s->shape, s->offset, &s->target);
    if (status == LE_OK)
        status = le__rows_each(part, part->data, axis, le_slab_elements(&j->slabs, arg, r.begin),
                               s->shape.shape[axis], write_run, s);
    le_tensor_free(part);
    return status;
}

/* ----------------------------------------------------------------------------- all together -- */

static void merge(le_merge how, double weight, double *sum, const le_tensor *part, bool first) {
    for (int64_t i = 0, n = le_tensor_count(part); i < n; i++) {
        double v = le_tensor_get(part, i);
        if (how == LE_MERGE_MEAN || how == LE_MERGE_SUM)
            sum[i] = (first ? 0 : sum[i]) + (how == LE_MERGE_MEAN ? weight * v : v);
        else if (first || isnan(v) || (how == LE_MERGE_MAX ? v > sum[i] : v < sum[i]))
            sum[i] = v;
    }
}

/* What a block's part looks like, on a rank that has not made it. */
static le_tensor form_of(const le__job *j, size_t arg, const le_slab_range *r, le_dtype dtype) {
    le_tensor t = j->shared[arg].shape;
    int axis = axis_of(j, arg);
    t.dtype = dtype;
    if (axis >= 0)
        t.shape[axis] =
            le_slab_elements(&j->slabs, arg, r->end) - le_slab_elements(&j->slabs, arg, r->begin);
    return t;
}

typedef struct gathering {
    le_tensor whole; /* row-major */
    double *merged;  /* NULL: parts have places */
} gathering;

static void join(const le__job *j, size_t arg, int64_t number, const le_tensor *part,
                 gathering *g) {
    const le_slab_range r = j->blocks.list[number];
    int axis = axis_of(j, arg);
    if (g->merged)
        merge((le_merge)j->slabs.args[arg].merge,
              (double)(r.end - r.begin) / (double)j->slabs.items, g->merged, part, number == 0);
    else
        le__rows_each(part, part->data, axis, le_slab_elements(&j->slabs, arg, r.begin),
                      g->whole.shape[axis], copy_run, g->whole.data);
}

static bool is_own(const le__job *j, int64_t number) {
    return j->owners[number] == j->world.rank;
}

/* All know then who has made which block. */
static void tell_owners(le__job *j) {
    for (int64_t n = 0, some; n < j->blocks.n; n += some) {
        some = j->blocks.n - n < INT_MAX ? j->blocks.n - n : INT_MAX;
        le__patient_allreduce(MPI_IN_PLACE, j->owners + n, (int)some, MPI_INT, MPI_MAX,
                              j->world.comm);
    }
}

/* Parts of one dtype: the first one's. */
static le_dtype dtype_of_parts(const le__job *j, size_t arg) {
    int dtype = is_own(j, 0) ? (int)j->shared[arg].parts[0].dtype : 0;
    le__patient_bcast(&dtype, 1, MPI_INT, j->owners[0], j->world.comm);
    return (le_dtype)dtype;
}

static void send_parts(le__job *j, size_t arg) {
    for (int64_t n = 0; n < j->blocks.n; n++) {
        const le_tensor *part = &j->shared[arg].parts[n];
        if (is_own(j, n))
            le__world_send(&j->world, part->data, bytes_of(part), 0);
    }
}

/* Every message is taken, even when there is no room for it. */
static void receive_part(const le__job *j, size_t arg, int64_t number, le_dtype dtype, void *buffer,
                         gathering *g) {
    const le_slab_range r = j->blocks.list[number];
    le_tensor part = form_of(j, arg, &r, dtype);
    if (is_own(j, number)) {
        join(j, arg, number, &j->shared[arg].parts[number], g);
        return;
    }
    le_tensor got = le_tensor_of(buffer, dtype, part.ndim, part.shape);
    le__world_receive(&j->world, buffer, bytes_of(&got), j->owners[number]);
    join(j, arg, number, &got, g);
}

static int64_t largest_part(const le__job *j, size_t arg, le_dtype dtype) {
    int64_t most = 0;
    for (int64_t n = 0; n < j->blocks.n; n++) {
        le_tensor t = form_of(j, arg, &j->blocks.list[n], dtype);
        most = bytes_of(&t) > most ? bytes_of(&t) : most;
    }
    return most;
}

static le_status prepare_gathering(const le__job *j, size_t arg, le_dtype dtype, void **buffer,
                                   gathering *g) {
    const le_tensor *t = &j->shared[arg].shape;
    size_t n = (size_t)le_tensor_count(t) + 1;
    *buffer = malloc((size_t)largest_part(j, arg, dtype) + 1);
    g->merged = is_cut(j, arg) ? NULL : calloc(n, sizeof *g->merged);
    le_status status = le_tensor_alloc(&g->whole, t->dtype, t->ndim, t->shape);
    if (status == LE_OK && (!*buffer || (!is_cut(j, arg) && !g->merged)))
        status = le__job_no_memory(j);
    return status;
}

/* On rank 0 all of it. */
static le_status gather(le__job *j, size_t arg, le_tensor *out) {
    gathering g = {0};
    void *buffer = NULL;
    le_dtype dtype = dtype_of_parts(j, arg);
    le_status status = is_root(j) ? prepare_gathering(j, arg, dtype, &buffer, &g) : LE_OK;
    status = le__world_agree(&j->world, status);
    if (status == LE_OK && !is_root(j))
        send_parts(j, arg);
    for (int64_t n = 0; status == LE_OK && is_root(j) && n < j->blocks.n; n++)
        receive_part(j, arg, n, dtype, buffer, &g);
    for (int64_t i = 0; status == LE_OK && g.merged && i < le_tensor_count(&g.whole); i++)
        le_tensor_set(&g.whole, i, g.merged[i]);
    free(buffer);
    free(g.merged);
    *out = g.whole;
    return status;
}

/* ------------------------------------------------------------------------------ to the caller --
 */

static bool is_allocated(const le_tensor *t) {
    return t->data || t->storage;
}

/* How many rows counted outputs have is known when they are made. */
static le_status check_room(const le__job *j, size_t arg) {
    const le__shared *s = &j->shared[arg];
    const int64_t rows = s->shape.shape[0];
    if (!is_handed_over(j, arg) || !is_allocated(s->out) || rows <= s->out->shape[0])
        return LE_OK;
    return le_fail(LE_ERR_SHAPE, "%s: output '%s' needs %lld rows, %lld given", j->op->name,
                   j->op->args[arg].name, (long long)rows, (long long)s->out->shape[0]);
}

static le_status hand_over(const le__shared *s, le_tensor *made) {
    if (!is_allocated(s->out)) {
        *s->out = *made;
        *made = (le_tensor){0};
        return LE_OK;
    }
    le_status status = le_tensor_to_host(s->out);
    if (status != LE_OK)
        return status;
    memcpy(s->out->shape, made->shape, sizeof made->shape); /* rows to spare stay as they are */
    le__rows_unpack(s->out, made->data);
    le_tensor_touch(s->out);
    return LE_OK;
}

/* *made: on rank 0 the whole. */
static le_status deliver(le__job *j, size_t arg, le_tensor *made) {
    const le__shared *s = &j->shared[arg];
    le_status status = LE_OK;
    bool all = s->out && j->options.out == LE_MPI_ALL;
    if (s->place && is_root(j))
        status = le_io_write(j->engine, s->place, made);
    if (all && !is_root(j))
        status = le_tensor_alloc(made, s->shape.dtype, s->shape.ndim, s->shape.shape);
    status = le__world_agree(&j->world, status);
    if (status == LE_OK && all)
        le__world_broadcast(&j->world, made->data, bytes_of(made));
    if (status == LE_OK && is_handed_over(j, arg))
        status = hand_over(s, made);
    return le__world_agree(&j->world, status); /* the next output is everybody's again */
}

/* What is done of a call that failed stays, for the same call to continue. */
static le_status publish(le__job *j, bool good) {
    bool stays = le__journal_close(j, good) && !good;
    le_status status = LE_OK;
    for (size_t a = 0; is_root(j) && a < j->op->n_args; a++) {
        const le__shared *s = &j->shared[a];
        if (!le__is_out(j, a) || !s->reserved)
            continue;
        le_status one = LE_OK;
        if (stays)
            le_io_target_leave(s->place);
        else
            one = le_io_target_publish(s->place, good);
        status = status == LE_OK ? one : status;
    }
    return le__world_agree(&j->world, status);
}

le_status le__outputs_finish(le__job *j, le_status status) {
    le_tensor made[LE_MAX_ARGS] = {{0}};
    for (size_t a = 0; a < j->op->n_args; a++)
        le_io_target_close(&j->shared[a].target, false);
    status = le__world_agree(&j->world, status);
    if (status == LE_OK)
        tell_owners(j);
    if (status == LE_OK && le__lost())
        status = le__world_agree(&j->world, status);
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++)
        if (le__is_out(j, a) && !j->shared[a].reserved)
            status = gather(j, a, &made[a]);
    le_status published = publish(j, status == LE_OK);
    status = status == LE_OK ? published : status;
    for (size_t a = 0; a < j->op->n_args; a++) {
        if (status == LE_OK && le__is_out(j, a) && !j->shared[a].reserved)
            status = deliver(j, a, &made[a]);
        le_tensor_free(&made[a]);
    }
    return status;
}

le_status le__outputs_whole(le__job *j, le_tensor *made) {
    le_status status = LE_OK;
    for (size_t a = 0; a < j->op->n_args; a++) {
        if (!le__is_out(j, a))
            continue;
        le_tensor t = made[a];
        t.data = NULL;
        t.storage = NULL;
        le__world_broadcast(&j->world, &t, sizeof t);
        j->shared[a].shape = t;
        if (status == LE_OK && is_root(j))
            status = le_tensor_to_host(&made[a]);
        if (status == LE_OK)
            status = check_room(j, a);
    }
    status = le__world_agree(&j->world, status);
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++)
        if (le__is_out(j, a))
            status = deliver(j, a, &made[a]);
    return status;
}
