/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One call over all ranks.
 */
#include "deadline.h"
#include "hooks.h"
#include "job.h"
#include "learn.h"
#include "liquid_engine/le_bench.h"
#include "lost.h"
#include "patient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static le_mpi_report latest;
static bool any;

/* -------------------------------------------------------------------------------- arguments -- */

int le__job_arg(const le__job *j, const char *name) {
    for (size_t i = 0; name && i < j->op->n_args; i++)
        if (!strcmp(j->op->args[i].name, name))
            return (int)i;
    return -1;
}

static bool is_tensor(const le_arg_desc *d) {
    return d->type == LE_TYPE_IN || d->type == LE_TYPE_OUT;
}

static bool lacks_table(const le_arg_desc *d, const le_arg *a) {
    return d->type == LE_TYPE_TABLE && ((a->kind == LE_KIND_TABLE && !a->value.in) ||
                                        (a->kind == LE_KIND_STR && !a->value.str));
}

/* Wrong kinds are left to the engine's own check. */
static le_status take_arg(le__job *j, const le_arg *a) {
    int i = le__job_arg(j, a->name);
    if (a->kind == LE_KIND_OPTION && a->option == LE_OPTION_REPRODUCIBLE)
        j->reproducible = a->value.i64 != 0;
    if (a->kind == LE_KIND_OPTION && a->option == LE_OPTION_IMPLEMENTATION)
        j->forced = true;
    if (a->kind == LE_KIND_OPTION && a->option == LE_OPTION_MODE && a->value.i64)
        j->mode = (le_mode)a->value.i64;
    if (i >= 0 && lacks_table(&j->op->args[i], a))
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is NULL", j->op->name, a->name);
    if (i < 0 || !is_tensor(&j->op->args[i]))
        return LE_OK;
    le__shared *s = &j->shared[i];
    if (a->kind == LE_KIND_STR)
        s->place = a->value.str;
    else if (a->kind == LE_KIND_IN && j->op->args[i].type == LE_TYPE_IN)
        s->in = a->value.in;
    else if (a->kind == LE_KIND_OUT && j->op->args[i].type == LE_TYPE_OUT)
        s->out = a->value.out;
    else
        return LE_OK;
    s->given = s->place || s->in || s->out;
    return s->given ? LE_OK
                    : le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is NULL", j->op->name, a->name);
}

/* The arguments with other tensors, by index in the descriptor. */
static size_t with_tensors(const le__job *j, le_tensor *tensors, le_arg *out) {
    size_t n = j->n_args;
    for (size_t k = 0; k < j->n_args; k++) {
        int i = le__job_arg(j, j->args[k].name);
        out[k] = j->args[k];
        if (out[k].kind == LE_KIND_OPTION && out[k].option == LE_OPTION_TICK)
            out[k] = LE_OPT_TICK(&j->tick); /* which asks theirs */
        if (i < 0 || !j->shared[i].given)
            continue;
        out[k] = j->op->args[i].type == LE_TYPE_IN ? LE_IN(j->op->args[i].name, &tensors[i])
                                                   : LE_OUT(j->op->args[i].name, &tensors[i]);
    }
    if (j->implementation[0])
        out[n++] = LE_OPT_IMPLEMENTATION(j->implementation);
    return n;
}

static le_status find_operation(le__job *j, const char *operation) {
    if (!j->engine)
        return le_fail(LE_ERR_ARGUMENT, "le_mpi_run: no engine is given, expected one of "
                                        "le_mpi_open");
    if (!operation)
        return le_fail(LE_ERR_ARGUMENT, "le_mpi_run: no operation is given");
    j->op = le_engine_operation(j->engine, operation);
    j->mode = le_bench_mode(j->engine);
    return j->op ? LE_OK : le_fail(LE_ERR_UNKNOWN, "there is no operation '%s'", operation);
}

/* own: what is wrong on this rank already. */
static le_status take_args(le__job *j, const char *operation, le_status own) {
    le_status status = own == LE_OK ? find_operation(j, operation) : own;
    if (status == LE_OK && j->n_args > LE__MOST_ARGS)
        status = le_fail(LE_ERR_ARGUMENT, "%s: %zu arguments, at most %d", operation, j->n_args,
                         LE__MOST_ARGS);
    if (status == LE_OK && j->n_args > 0)
        j->args = memcpy(j->own_args, j->args, j->n_args * sizeof *j->args);
    for (size_t k = 0; status == LE_OK && k < j->n_args; k++)
        status = take_arg(j, &j->args[k]);
    status = le__world_agree(&j->world, status);
    if (status == LE_OK)
        status = le__agree_arguments(j);
    j->agreed = status == LE_OK;
    return status;
}

/* ----------------------------------------------------------------------------------- the cut -- */

static bool is_merged(const le__job *j, size_t arg) {
    int how = j->slabs.args[arg].merge;
    return how == LE_MERGE_SUM || how == LE_MERGE_MEAN || how == LE_MERGE_MAX ||
           how == LE_MERGE_MIN;
}

/* By all ranks, of which each has asked its own engine. */
static bool can_be_cut(le__job *j) {
    bool all = j->slabs.items > 1;
    const char *why = j->slabs.why          ? j->slabs.why
                      : j->slabs.items == 1 ? "there is one item only"
                                            : "the operation does not say how it can be cut";
    for (size_t a = 0; a < j->op->n_args; a++)
        if (all && le__is_out(j, a) && !j->slabs.args[a].axis && !is_merged(j, a)) {
            why = "an output is neither cut nor merged";
            all = false;
        }
    const bool everywhere = le__world_all(&j->world, all);
    j->why = all ? "another rank cannot cut it" : why;
    return everywhere;
}

/* Shapes of the outputs, and how the call is cut. Nothing is read. */
static le_status check(le__job *j) {
    le_tensor tensors[LE_MAX_ARGS] = {{0}}, shapes[LE__MOST_ARGS + 1];
    le_arg args[LE__MOST_ARGS + 1];
    for (size_t a = 0; a < j->op->n_args; a++)
        if (le__is_in(j, a))
            tensors[a] = j->shared[a].shape;
        else if (le__is_out(j, a))
            tensors[a] = j->shared[a].asked;
    size_t n = with_tensors(j, tensors, args);
    le_status status = le_call_shapes(j->engine, j->op->name, args, n, shapes);
    if (status == LE_OK)
        status = le_call_cut(j->engine, j->op->name, args, n, &j->slabs, NULL);
    for (size_t k = 0; status == LE_OK && k < n; k++) {
        int i = le__job_arg(j, args[k].name);
        if (i >= 0 && le__is_out(j, (size_t)i))
            j->shared[i].shape = shapes[k];
    }
    return status;
}

static bool cuts_by_merging(const le__job *j) {
    for (size_t a = 0; a < j->op->n_args; a++)
        if (le__is_out(j, a) && !j->slabs.args[a].axis)
            return true;
    return false;
}

/* Unallocated, of the dtype that the result has: parts are joined as they are. Parts of sums and
 * means are made in doubles where the operation has them. */
static le_tensor part_asked(const le__job *j, size_t a) {
    const bool merged = !j->slabs.args[a].axis;
    const bool doubles = merged && (j->op->args[a].dtypes & LE_DTYPE_BIT(LE_F64));
    return (le_tensor){.dtype = doubles ? LE_F64 : j->shared[a].shape.dtype};
}

/* The whole call, of which nothing is read, with outputs as blocks have them. */
static size_t whole_call(const le__job *j, le_tensor *tensors, le_arg *args) {
    for (size_t a = 0; a < j->op->n_args; a++)
        if (le__is_in(j, a))
            tensors[a] = j->shared[a].shape;
        else if (le__is_out(j, a))
            tensors[a] = part_asked(j, a);
    return with_tensors(j, tensors, args);
}

/* By what each rank knows of its own machine; with one that knows nothing, of none. */
static void believe(le__job *j) {
    le_tensor tensors[LE_MAX_ARGS] = {{0}};
    le_arg args[LE__MOST_ARGS + 1];
    if (le__hook_equal())
        return;
    const size_t n = whole_call(j, tensors, args);
    const double own = 1 / le_bench_predict(j->engine, j->op->name, args, n);
    j->speeds = le__learn_speeds(&j->world, own);
}

/* Merged parts are as large as the whole, so that few are wanted: one a rank. */
static le_status share_out(le__job *j) {
    const bool merges = cuts_by_merging(j);
    le__cutting how = !merges           ? LE__CUT_SMALL
                      : j->reproducible ? LE__CUT_REPRODUCIBLY
                                        : LE__CUT_EVENLY;
    believe(j);
    le_status status = le__cut(&j->slabs, how, j->world.ranks, j->speeds, j->done, &j->blocks);
    if (status == LE_OK) {
        j->owners = malloc((size_t)(j->blocks.n + 1) * sizeof *j->owners);
        status = j->owners ? LE_OK : le__job_no_memory(j);
    }
    for (int64_t n = 0; status == LE_OK && n < j->blocks.n; n++) {
        j->owners[n] = -1;
        j->left += j->blocks.list[n].end - j->blocks.list[n].begin;
    }
    status = le__world_agree(&j->world, status);
    const bool by_speed = how != LE__CUT_EVENLY && !le__hook_equal();
    return status == LE_OK ? le__hand_open(&j->hand, &j->world, j->blocks.n,
                                           by_speed ? j->speeds : NULL, by_speed, j->deadline)
                           : status;
}

/* --------------------------------------------------------------------------------- one block -- */

static void cut_lists(const le__job *j, const le_slab_range *r, le_arg *args) {
    for (size_t k = 0; k < j->n_args; k++) {
        int i = le__job_arg(j, args[k].name);
        if (i < 0 || args[k].kind != LE_KIND_F64S || !j->slabs.args[i].axis)
            continue;
        int64_t first = le_slab_elements(&j->slabs, (size_t)i, r->low);
        args[k].value.f64s += first;
        args[k].count = (size_t)(le_slab_elements(&j->slabs, (size_t)i, r->high) - first);
    }
}

static void choose_one(le__job *j) {
    le_tensor tensors[LE_MAX_ARGS] = {{0}};
    le_arg args[LE__MOST_ARGS + 2];
    if (j->reproducible && !j->forced)
        le__same_implementation(j, args, whole_call(j, tensors, args));
}

static le_status too_late(const le__job *j) {
    if (j->deadline == 0 || MPI_Wtime() < j->deadline)
        return LE_OK;
    return le_fail(LE_ERR_CANCELLED, "%s: the deadline of %g s has passed", j->op->name,
                   j->deadline - j->begun);
}

static le_status prepare_block(const le__job *j, const le_slab_range *r, le_tensor *tensors,
                               le_arg *args, size_t *n) {
    le_status status = LE_OK;
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++)
        if (le__is_in(j, a))
            status = le__inputs_part(j, a, r, &tensors[a]);
        else if (le__is_out(j, a))
            tensors[a] = part_asked(j, a);
    *n = with_tensors(j, tensors, args);
    cut_lists(j, r, args);
    return status;
}

static le_status compute_block(le__job *j, int64_t number) {
    const le_slab_range r = j->blocks.list[number];
    le_tensor tensors[LE_MAX_ARGS] = {{0}};
    le_arg args[LE__MOST_ARGS + 1];
    size_t n;
    le_status status = prepare_block(j, &r, tensors, args, &n);
    if (status == LE_OK) {
        status = le_call_run(j->engine, j->op->name, args, n);
        if (status == LE_ERR_CANCELLED && too_late(j) != LE_OK)
            status = too_late(j); /* in its own words */
    }
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++)
        if (le__is_out(j, a))
            status = le__outputs_take(j, a, number, &tensors[a]);
    if (status == LE_OK)
        status = le__journal_mark(j, &r);
    for (size_t a = 0; a < j->op->n_args; a++)
        le_tensor_free(&tensors[a]);
    return status;
}

static le_status run_block(le__job *j, int64_t number) {
    const int64_t items = j->blocks.list[number].end - j->blocks.list[number].begin;
    le_status status = too_late(j);
    if (status == LE_OK)
        status = le__hook_block(j->world.rank, number);
    if (status == LE_OK && j->own == 0)
        status = le__inputs_prepare(j);
    const double begun = MPI_Wtime(); /* what is read once for all is no part of the first block */
    if (status == LE_OK)
        status = compute_block(j, number);
    if (status != LE_OK)
        return status;
    j->owners[number] = j->world.rank;
    j->own += items;
    const double item = (MPI_Wtime() - begun) / (double)items; /* with waiting for a core, maybe */
    j->quickest = j->quickest > 0 ? fmin(j->quickest, item) : item;
    le__hook_done(j->world.rank, items, j->quickest * (double)items, &j->tick);
    le__hand_done(&j->hand, MPI_Wtime() - begun);
    return LE_OK;
}

/* ---------------------------------------------------------------------------- learning first -- */

enum { SIZES = 3 }; /* of blocks: the usual ones, and those at both ends */

static int64_t length_of(const le_slab_range *r) {
    return r->high - r->low;
}

static bool is_first_of_length(const le__blocks *b, int64_t number) {
    for (int64_t n = 0; n < number; n++)
        if (length_of(&b->list[n]) == length_of(&b->list[number]))
            return false;
    return true;
}

/* On the call that a block is. What fails is told by the blocks. */
static void try_block(le__job *j, int64_t number, le__team_fn work) {
    const le_slab_range r = j->blocks.list[number];
    le_tensor tensors[LE_MAX_ARGS] = {{0}};
    le_arg args[LE__MOST_ARGS + 1];
    size_t n;
    le_status status = le__inputs_prepare(j);
    if (status == LE_OK)
        status = prepare_block(j, &r, tensors, args, &n);
    const bool ready = le__world_all(&j->world, status == LE_OK);
    if (ready && !le__world_all(&j->world, le_bench_is_known(j->engine, j->op->name, args, n)))
        (void)le__learn_as_team(&j->world, j->engine, work, j->op->name, args, n);
    for (size_t a = 0; a < j->op->n_args; a++)
        le_tensor_free(&tensors[a]);
}

/* What each rank would try in its first blocks the ranks try together: in mode measure they race
 * over blocks of each length; in mode learn, where one of them knows nothing of such calls, they
 * prove who would be asked first. */
static void learn_first(le__job *j) {
    const bool races = le__world_all(&j->world, j->mode == LE_MODE_MEASURE);
    const bool learns = !j->speeds && le__world_all(&j->world, j->mode == LE_MODE_LEARN);
    if (j->world.ranks < 2)
        return;
    for (int64_t n = 0, sizes = 0; n < j->blocks.n && sizes < (races ? SIZES : learns); n++)
        if (is_first_of_length(&j->blocks, n)) {
            try_block(j, n, races ? le_bench_race : le_bench_prove);
            sizes++;
        }
}

static le_status run_blocks(le__job *j) {
    le_status status = le__inputs_share(j);
    if (status != LE_OK)
        return status;
    choose_one(j); /* what others have made of it is of no use to this one */
    status = le__journal_open(j);
    if (status == LE_OK)
        status = share_out(j);
    if (status == LE_OK)
        status = le__outputs_prepare(j);
    if (status != LE_OK) /* of all ranks */
        return le__outputs_finish(j, status);
    learn_first(j);
    for (int64_t n; (n = le__hand_next(&j->hand, status)) >= 0;)
        status = run_block(j, n);
    return le__outputs_finish(j, status);
}

/* By rank 0 alone, as one call. */
static le_status run_whole(le__job *j) {
    le_tensor tensors[LE_MAX_ARGS] = {{0}};
    le_arg args[LE__MOST_ARGS + 1];
    le_status status = LE_OK;
    const le_slab_range none = {0};
    j->slabs = (le_slabs){0};
    if (j->world.rank == 0) {
        status = le__inputs_prepare(j);
        for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++)
            if (le__is_in(j, a))
                status = le__inputs_part(j, a, &none, &tensors[a]);
            else if (le__is_out(j, a))
                tensors[a].dtype = j->shared[a].shape.dtype;
        size_t n = with_tensors(j, tensors, args);
        if (status == LE_OK)
            status = le_call_run(j->engine, j->op->name, args, n);
    }
    status = le__world_agree(&j->world, status);
    if (status == LE_OK)
        status = le__outputs_whole(j, tensors);
    for (size_t a = 0; a < j->op->n_args; a++)
        le_tensor_free(&tensors[a]);
    return status;
}

/* ---------------------------------------------------------------------------------- the call -- */

static int count_nodes(const le__world *w) {
    MPI_Comm node = MPI_COMM_NULL;
    int local, one, nodes = 0;
    le__patient_node(w->comm, &node);
    if (node == MPI_COMM_NULL)
        return 0;
    MPI_Comm_rank(node, &local);
    one = local == 0;
    le__patient_allreduce(&one, &nodes, 1, MPI_INT, MPI_SUM, w->comm);
    MPI_Comm_free(&node);
    return nodes;
}

static void report(const le__job *j, MPI_Comm comm) {
    latest = (le_mpi_report){.struct_size = sizeof latest,
                             .ranks = j->world.ranks,
                             .nodes = count_nodes(&j->world),
                             .items = j->slabs.items,
                             .left = j->left,
                             .own = j->own,
                             .asks = j->world.asks,
                             .boxes = j->boxes,
                             .samples_owned = j->samples_owned,
                             .own_samples = j->own_samples,
                             .messages = j->world.messages,
                             .bytes = j->world.bytes,
                             .seconds = MPI_Wtime() - j->begun,
                             .waited_s = j->hand.waited,
                             .failed_ranks = le__lost_number(comm),
                             .why_whole = j->slabs.items || j->boxes ? NULL : j->why};
    any = true;
}

/* LE_MPI_DEADLINE is for programs that do not ask for one. */
static le_status begin_deadline(le__job *j) {
    double seconds = j->options.deadline_s;
    le_status status = seconds > 0 ? LE_OK : le__deadline_given(&seconds);
    j->begun = MPI_Wtime();
    j->deadline = seconds > 0 ? j->begun + seconds : 0;
    return status;
}

static le_status run(le__job *j, const char *operation) {
    bool boxed = false;
    le_status status = take_args(j, operation, begin_deadline(j));
    if (status == LE_OK)
        status = le__tables_agree(j);
    if (status == LE_OK)
        status = le__inputs_take(j);
    if (status == LE_OK)
        le__outputs_describe(j);
    if (status == LE_OK)
        status = le__boxes_try(j, &boxed);
    if (status == LE_OK && boxed)
        return LE_OK;
    if (status == LE_OK)
        status = le__inputs_describe(j);
    if (status == LE_OK)
        status = le__world_agree(&j->world, check(j));
    if (status == LE_OK)
        status = le__outputs_agree(j);
    if (status != LE_OK)
        return status;
    if (!can_be_cut(j))
        return run_whole(j);
    return run_blocks(j);
}

/* While it computes or reads, rank 0 answers the others, and all look at the clock. */
static bool tick(void *context, double done) {
    le__job *j = context;
    if (j->hand.back) /* something is being handed out */
        le__hand_answer(&j->hand);
    return !le__lost() && (j->deadline == 0 || MPI_Wtime() < j->deadline) &&
           (!j->theirs || j->theirs->fn(j->theirs->context, done));
}

/* Those of the whole call; its blocks have none of their own. Returns the thread's. */
static const le_tick *begin_ticks(le__job *j) {
    j->tick = (le_tick){tick, j};
    const le_tick *usual = le_set_tick(&j->tick);
    j->theirs = usual;
    for (size_t k = 0; k < j->n_args; k++)
        if (j->args[k].kind == LE_KIND_OPTION && j->args[k].option == LE_OPTION_TICK)
            j->theirs = j->args[k].value.tick;
    if (j->theirs && !j->theirs->fn)
        j->theirs = NULL;
    return usual;
}

le_status le__job_no_memory(const le__job *j) {
    return le_fail(LE_ERR_MEMORY, "%s: out of memory", j->op->name);
}

static void free_job(le__job *j) {
    for (size_t a = 0; a < LE_MAX_ARGS; a++) {
        le__shared *s = &j->shared[a];
        for (int64_t n = 0; s->parts && n < j->blocks.n; n++)
            le_tensor_free(&s->parts[n]);
        free(s->parts);
        if (s->own)
            le_tensor_free(&s->whole);
    }
    le__hand_free(&j->hand);
    free(j->speeds);
    free(j->owners);
    free(j->blocks.list);
    free(j->done);
    free(j->journal);
    le__world_close(&j->world);
    free(j);
}

/* *again: a rank was lost; the others are to begin anew, among themselves. */
static le_status run_once(le_engine *engine, MPI_Comm comm, const le_mpi_options *options,
                          const char *operation, const le_arg *args, size_t n_args, bool *again) {
    le__job *j = calloc(1, sizeof *j);
    *again = false;
    if (!j)
        return le_fail(LE_ERR_MEMORY, "le_mpi_run: out of memory");
    j->engine = engine;
    j->args = args;
    j->n_args = n_args;
    if (options)
        memcpy(&j->options, options,
               options->struct_size < sizeof j->options ? options->struct_size : sizeof j->options);
    le__lost_begin(comm);
    le_status status = le__world_open(&j->world, comm);
    if (status == LE_OK) {
        const le_tick *usual = begin_ticks(j);
        status = run(j, operation);
        if (status == LE_ERR_CANCELLED)
            (void)too_late(j); /* who reads or computes then knows only of a tick */
        if (status == LE_OK)
            report(j, comm);
        le_set_tick(usual);
        if (j->agreed && !le__lost())
            le__learn_share(&j->world, engine);
    }
    *again = le__lost_end(comm, j->world.comm);
    free_job(j);
    return status;
}

le_status le_mpi_call_run(le_engine *engine, MPI_Comm comm, const le_mpi_options *options,
                          const char *operation, const le_arg *args, size_t n_args) {
    bool again = true;
    le_status status = LE_OK;
    while (again) {
        status = run_once(engine, comm, options, operation, args, n_args, &again);
        if (again && le__lost_root(comm))
            return le_fail(LE_ERR_INTERNAL, "%s: rank 0 was lost, which writes the results",
                           operation ? operation : "le_mpi_run");
    }
    return status;
}

le_status le_mpi_last_run(le_mpi_report *out) {
    if (!any)
        return le_fail(LE_ERR_ARGUMENT, "le_mpi_last_run: no call has succeeded yet");
    size_t size = out->struct_size < sizeof latest ? out->struct_size : sizeof latest;
    memcpy(out, &latest, size);
    out->struct_size = size;
    return LE_OK;
}
