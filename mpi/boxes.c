/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Volumes that do not fit a rank's memory: a box of a kd-tree each, parts joined in depth order.
 */
#include "exchange.h"
#include "hooks.h"
#include "job.h"
#include "learn.h"
#include "lost.h"
#include "patient.h"

#include "liquid_engine/le_boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_BAND = 4096, MOST_BAND = 1 << 22, FIRST_VIEWS = 8 /* of all */ };

typedef struct boxed {
    le__job *job;
    le_boxes_call *call;
    const le_boxes_about *about;
    size_t output;   /* the argument that the pictures are */
    le__world group; /* ranks that have a volume between them */
    le__exchange exchange;
    le_boxes *boxes;
    int64_t *starts;    /* boxes of the ranks: from [rank] to [rank + 1] */
    int64_t *order;     /* of the boxes, farthest first */
    double *parts;      /* of one box, as it is made */
    le__packed *kept;   /* reproducible: [views made at once][bands][boxes of this rank] */
    le_tensor pictures; /* on the group's rank 0: of its views, or of those that are made at once */
    int64_t *left;      /* the views that are to be made */
    int64_t begin, end; /* of these the group's */
    int64_t views, pixels; /* made at once; of a picture, of a band, */
    int64_t band_pixels, bands;
} boxed;

static int64_t own_boxes(const boxed *b) {
    return b->starts[b->group.rank + 1] - b->starts[b->group.rank];
}

static int64_t least_of(const le__world *w, int64_t number) {
    le__patient_allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MIN, w->comm);
    return number;
}

static int64_t sum_over(const le__world *w, int64_t number) {
    le__patient_allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_SUM, w->comm);
    return number;
}

/* ------------------------------------------------------------------------------------- views -- */

static bool in_place(const boxed *b) {
    return b->job->shared[b->output].reserved;
}

static void describe_output(boxed *b) {
    le__job *j = b->job;
    const int64_t shape[] = {b->about->views, b->about->rows, b->about->columns, 3};
    for (size_t a = 0; a < j->op->n_args; a++)
        if (le__is_out(j, a))
            b->output = a;
    j->slabs = (le_slabs){.items = b->about->views};
    j->slabs.args[b->output].axis = 1;
    j->shared[b->output].shape = le_tensor_of(NULL, b->about->image_dtype, 4, shape);
}

/* Those that no earlier job has made. */
static le_status list_views(boxed *b) {
    le__job *j = b->job;
    b->left = malloc((size_t)(b->about->views + 1) * sizeof *b->left);
    for (int64_t v = 0; b->left && v < b->about->views; v++)
        if (!j->done || !j->done[v])
            b->left[j->left++] = v;
    return b->left ? LE_OK : le__job_no_memory(j);
}

/* ------------------------------------------------------------------------------------ groups -- */

/* The fewest ranks, a divisor of all, that hold the volume in a half of their memory. Reproducible
 * calls do not ask how many there are. */
static int group_size(const boxed *b, int64_t limit) {
    int64_t bytes = (int64_t)le_dtype_size(b->about->dtype);
    const int ranks = b->job->world.ranks;
    for (int a = 0; a < 3; a++)
        bytes *= b->about->whole.extent[a];
    for (int n = 1; n < ranks && !b->about->reproducible; n++)
        if (ranks % n == 0 && bytes / n <= limit / 2)
            return n;
    return ranks;
}

static le_status make_group(boxed *b) {
    const le__world *w = &b->job->world;
    const int size = group_size(b, least_of(w, b->about->limit ? b->about->limit : INT64_MAX));
    const int64_t group = w->rank / size, groups = w->ranks / size;
    le_status status = le__world_part(&b->group, w, (int)group);
    b->begin = b->job->left * group / groups;
    b->end = b->job->left * (group + 1) / groups;
    return status;
}

/* ------------------------------------------------------------------------------------- boxes -- */

static double cells_of(const le_box *box) {
    double cells = 1;
    for (int a = 0; a < 3; a++)
        cells *= (double)(box->extent[a] - 1);
    return cells;
}

/* Into boxes as large as the ranks are fast; speeds NULL on all: as they are. */
static le_status cut_by(boxed *b, double *speeds) {
    if (!speeds)
        return LE_OK;
    le_boxes_free(&b->boxes);
    le_status status = le_boxes_split(&b->about->whole, speeds, b->group.ranks, &b->boxes);
    free(speeds);
    return status;
}

/* By what each rank knows of such calls, of a box of the usual size. */
static le_status cut_by_belief(boxed *b) {
    const le_box *own = le_boxes_box(b->boxes, b->group.rank);
    if (b->about->reproducible || b->group.ranks == 1 || le__hook_equal())
        return LE_OK;
    const double seconds = le_boxes_predict(b->call, own, 0, b->views);
    return cut_by(b, le__learn_speeds(&b->group, cells_of(own) / seconds));
}

static le_status cut(boxed *b) {
    const int ranks = b->group.ranks;
    le_status status =
        b->about->reproducible
            ? le_boxes_grid(&b->about->whole, le_boxes_edge(&b->about->whole), &b->boxes)
            : le_boxes_split(&b->about->whole, NULL, ranks, &b->boxes);
    if (status != LE_OK)
        return status;
    const int64_t n = le_boxes_count(b->boxes);
    b->starts = malloc(((size_t)ranks + 1) * sizeof *b->starts);
    b->order = malloc((size_t)n * sizeof *b->order);
    for (int r = 0; b->starts && r <= ranks; r++)
        b->starts[r] = n * r / ranks;
    return b->starts && b->order ? LE_OK : le__job_no_memory(b->job);
}

/* Pictures that the parts of this rank's boxes of a view come to, without what is empty: a box of n
 * covers about 1.5 n^(-2/3) of one. */
static int64_t kept_pictures(const boxed *b) {
    if (!b->about->reproducible)
        return 0;
    const double covered = 1.5 * pow((double)le_boxes_count(b->boxes), -2.0 / 3);
    return (int64_t)ceil((double)own_boxes(b) * fmin(covered, 1));
}

static void plan(boxed *b) {
    const int64_t limit = b->about->limit;
    int64_t band = limit ? limit / 8 / le__exchange_bytes() : MOST_BAND;
    b->pixels = b->about->rows * b->about->columns;
    band = band < LEAST_BAND ? LEAST_BAND : band > MOST_BAND ? MOST_BAND : band;
    b->band_pixels = least_of(&b->group, band < b->pixels ? band : b->pixels);
    b->bands = (b->pixels + b->band_pixels - 1) / b->band_pixels;
    int64_t views = le_boxes_views(b->call, limit / (1 + kept_pictures(b)));
    b->views = least_of(&b->group, views < b->end - b->begin ? views : b->end - b->begin);
}

static int64_t all_kept(const boxed *b) {
    return b->kept ? b->views * b->bands * own_boxes(b) : 0;
}

static le__packed *kept(const boxed *b, int64_t view, int64_t band) {
    return b->kept + (view * b->bands + band) * own_boxes(b);
}

static le_status make_room(boxed *b) {
    le_status status = le__exchange_open(&b->exchange, &b->group, b->job->options.factors,
                                         b->job->options.n_factors, b->band_pixels);
    const int64_t shape[] = {in_place(b) ? b->views : b->end - b->begin, b->about->rows,
                             b->about->columns, 3};
    b->parts = malloc((size_t)(b->views * b->pixels) * 4 * sizeof *b->parts + 1);
    if (b->about->reproducible) {
        b->exchange.faint = 0;
        b->kept = calloc((size_t)(b->views * b->bands * own_boxes(b)) + 1, sizeof *b->kept);
    }
    if (status == LE_OK && (!b->parts || (b->about->reproducible && !b->kept)))
        status = le__job_no_memory(b->job);
    if (status == LE_OK && b->group.rank == 0 && b->end > b->begin)
        status = le_tensor_alloc(&b->pictures, b->about->image_dtype, 4, shape);
    return status;
}

/* A band of a view into the exchange's part; returns its pixels. */
static int64_t take_band(const boxed *b, int64_t view, int64_t band) {
    const int64_t first = band * b->band_pixels, left = b->pixels - first;
    const int64_t n = left < b->band_pixels ? left : b->band_pixels;
    const double *from = b->parts + 4 * (view * b->pixels + first);
    for (int64_t i = 0; i < 4 * n; i++)
        b->exchange.part[i] = (float)from[i];
    return n;
}

/* Of number `box` of this rank's. */
static le_status keep_part(boxed *b, int64_t box, int64_t views) {
    le__exchange *x = &b->exchange;
    for (int64_t v = 0; v < views; v++)
        for (int64_t band = 0; band < b->bands; band++) {
            const int64_t n = take_band(b, v, band);
            const int64_t bytes = le__exchange_pack(x->part, n, x->faint, x->out);
            le__packed *to = kept(b, v, band) + box;
            to->data = malloc((size_t)bytes + 1);
            if (!to->data)
                return le__job_no_memory(b->job);
            memcpy(to->data, x->out, (size_t)bytes);
            to->bytes = bytes;
        }
    return LE_OK;
}

static void drop_parts(boxed *b) {
    for (int64_t i = 0; i < all_kept(b); i++) {
        free(b->kept[i].data);
        b->kept[i] = (le__packed){0};
    }
}

/* The parts of this rank's boxes of some views. */
static le_status make_parts(boxed *b, int64_t begin, int64_t end) {
    const int64_t first = b->starts[b->group.rank];
    le_status status = LE_OK;
    for (int64_t i = 0; status == LE_OK && i < own_boxes(b); i++) {
        int64_t owned = 0;
        status =
            le_boxes_part(b->call, le_boxes_box(b->boxes, first + i), begin, end, b->parts, &owned);
        b->job->samples_owned += owned;
        if (status == LE_OK && b->kept)
            status = keep_part(b, i, end - begin);
    }
    return status;
}

/* ---------------------------------------------------------------------------------- pictures -- */

/* A view, number v of those that are made from `begin` on, to the place slot + v of the pictures.
 */
static void join_view(boxed *b, int64_t v, int64_t begin, int64_t slot) {
    le__exchange *x = &b->exchange;
    le_boxes_order(b->boxes, b->about->steps + 3 * (begin + v), b->order);
    for (int64_t band = 0; band < b->bands; band++) {
        const int64_t n = take_band(b, v, band);
        if (b->kept)
            le__exchange_boxes(x, n, kept(b, v, band), b->starts, b->order);
        else
            le__exchange_join(x, n, b->order);
        if (b->group.rank != 0)
            continue;
        for (int64_t i = 0; i < 4 * n; i++)
            x->far[i] = (double)x->part[i];
        le_boxes_picture(x->far, n, &b->pictures,
                         3 * ((slot + v) * b->pixels + band * b->band_pixels));
    }
}

/* What has gone wrong is told once, when all groups are done. */
static bool all_well(const le__world *w, le_status status) {
    int bad = status != LE_OK;
    le__patient_allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, w->comm);
    return !bad && !le__lost();
}

/* Where they belong, by the group's rank 0; not those that lack the parts of a rank that was lost
 * meanwhile, which the journal would take for good. */
static le_status write_pictures(boxed *b, int64_t begin, int64_t end) {
    le__shared *s = &b->job->shared[b->output];
    const le_slab_range views = {.begin = begin, .end = end};
    const int64_t each = 3 * b->pixels;
    le_status status = LE_OK;
    if (!in_place(b) || b->group.rank != 0 || le__lost())
        return LE_OK;
    if (!s->target)
        status = le_io_target_join(s->place, &s->shape, s->offset, &s->target);
    if (status == LE_OK)
        status = le_target_put(s->target, begin * each, (end - begin) * each, b->pictures.data);
    return status == LE_OK ? le__journal_mark(b->job, &views) : status;
}

/* Of many views the first ones tell how fast the ranks are. */
static int64_t most_views(const boxed *b, int64_t k) {
    const int64_t all = b->end - b->begin, first = all / FIRST_VIEWS;
    const bool probes = k == b->begin && !b->kept && b->group.ranks > 1;
    return probes && first > 1 && first < b->views ? first : b->views;
}

/* So many of the views that are left as lie together, at most as many as are made at once. */
static int64_t together(const boxed *b, int64_t k) {
    const int64_t most = most_views(b, k);
    int64_t n = 1;
    while (n < most && k + n < b->end && b->left[k + n] == b->left[k] + n)
        n++;
    return n;
}

/* Boxes as large as the ranks are fast: they are read for each views anew. */
static le_status cut_again(boxed *b, double seconds) {
    const le_box *own = le_boxes_box(b->boxes, b->group.rank);
    return cut_by(b, le__learn_speeds(&b->group, cells_of(own) / seconds));
}

static le_status make_pictures(boxed *b) {
    const bool evenly = b->kept || b->group.ranks == 1 || le__hook_equal();
    const int rank = b->job->world.rank;
    le_status status = LE_OK;
    for (int64_t k = b->begin, n; k < b->end; k += n) {
        const int64_t begin = b->left[k], slot = in_place(b) ? 0 : k - b->begin;
        const double begun = MPI_Wtime();
        n = together(b, k);
        if (status == LE_OK)
            status = make_parts(b, begin, begin + n);
        le__hook_done(rank, 0, MPI_Wtime() - begun, &b->job->tick);
        const double seconds = MPI_Wtime() - begun;
        if (!all_well(&b->group, status))
            return status;
        for (int64_t i = 0; i < n; i++)
            join_view(b, i, begin, slot);
        drop_parts(b);
        status = write_pictures(b, begin, begin + n);
        le__hook_done(rank, n, 0, &b->job->tick);
        le_status again = k + n < b->end && !evenly ? cut_again(b, seconds) : LE_OK; /* by all */
        status = status == LE_OK ? again : status;
    }
    return status;
}

/* All views at rank 0. */
static le_status collect(boxed *b, le_tensor *whole) {
    le__world *w = &b->job->world;
    const int size = b->group.ranks, groups = w->ranks / size;
    const int64_t bytes = b->pixels * 3 * (int64_t)le_dtype_size(b->about->image_dtype);
    const int64_t shape[] = {b->about->views, b->about->rows, b->about->columns, 3};
    le_status status = LE_OK;
    if (groups == 1) {
        *whole = b->pictures;
        b->pictures = (le_tensor){0};
        return LE_OK;
    }
    if (w->rank == 0)
        status = le_tensor_alloc(whole, b->about->image_dtype, 4, shape);
    status = le__world_agree(w, status);
    if (status != LE_OK)
        return status;
    if (b->group.rank == 0 && w->rank != 0)
        le__world_send(w, b->pictures.data, (b->end - b->begin) * bytes, 0);
    for (int64_t g = 0; w->rank == 0 && g < groups; g++) {
        const int64_t begin = b->about->views * g / groups,
                      end = b->about->views * (g + 1) / groups;
        char *to = (char *)whole->data + begin * bytes;
        if (g == 0 && end > begin)
            memcpy(to, b->pictures.data, (size_t)((end - begin) * bytes));
        else if (g > 0)
            le__world_receive(w, to, (end - begin) * bytes, (int)g * size);
    }
    return LE_OK;
}

static void tell(boxed *b) {
    le__job *j = b->job;
    j->own = b->group.rank == 0 ? b->end - b->begin : 0;
    j->boxes = le_boxes_count(b->boxes);
    j->own_samples = j->samples_owned;
    j->samples_owned = sum_over(&j->world, j->samples_owned);
    j->world.messages += b->group.messages;
    j->world.bytes += b->group.bytes;
}

static le_status render(boxed *b) {
    le__job *j = b->job;
    le_status status = le__world_agree(&j->world, list_views(b));
    if (status == LE_OK)
        status = le__world_agree(&j->world, make_group(b));
    if (status == LE_OK)
        status = le__world_agree(&j->world, cut(b));
    if (status != LE_OK)
        return status;
    plan(b);
    status = le__world_agree(&j->world, cut_by_belief(b));
    if (status == LE_OK)
        status = le__world_agree(&j->world, make_room(b));
    return status == LE_OK ? le__world_agree(&j->world, make_pictures(b)) : status;
}

static le_status run(boxed *b) {
    le_tensor made[LE_MAX_ARGS] = {{0}};
    le__job *j = b->job;
    describe_output(b);
    le_status status = le__outputs_agree(j);
    if (status != LE_OK)
        return status;
    status = le__journal_open(j);
    if (status == LE_OK)
        status = render(b);
    if (in_place(b)) {
        status = le__outputs_finish(j, status);
    } else if (status == LE_OK) {
        status = collect(b, &made[b->output]);
        if (status == LE_OK)
            status = le__outputs_whole(j, made);
    }
    if (status == LE_OK)
        tell(b);
    le_tensor_free(&made[b->output]);
    return status;
}

/* ------------------------------------------------------------------------------------ the call --
 */

/* A volume that all ranks can read, of a call that does not fit the memory of some rank. */
static bool is_wanted(const le__job *j, le_boxes_call *call) {
    bool readable = call != NULL;
    for (size_t a = 0; a < j->op->n_args; a++)
        if (le__is_in(j, a))
            readable = readable && (j->shared[a].place || j->options.in == LE_MPI_ALL);
    bool fits = readable && le_boxes_tell(call)->fits;
    return least_of(&j->world, readable) && !least_of(&j->world, fits);
}

/* The call as it was made, but with tensors on the host, and outputs as rank 0 asks for them. */
static void take_args(le__job *j, le_arg *args) {
    for (size_t k = 0; k < j->n_args; k++) {
        const int a = le__job_arg(j, j->args[k].name);
        args[k] = j->args[k];
        if (args[k].kind == LE_KIND_OPTION && args[k].option == LE_OPTION_TICK)
            args[k] = LE_OPT_TICK(&j->tick);
        else if (a >= 0 && j->shared[a].in)
            args[k] = LE_IN(args[k].name, &j->shared[a].shape);
        else if (a >= 0 && j->shared[a].out)
            args[k] = LE_OUT(args[k].name, &j->shared[a].asked);
    }
}

le_status le__boxes_try(le__job *j, bool *done) {
    boxed b = {.job = j};
    *done = false;
    if (!j->op->bricks)
        return LE_OK;
    le_arg *args = malloc((j->n_args + 1) * sizeof *args);
    if (args)
        take_args(j, args);
    if (!args || le_boxes_open(j->engine, j->op->name, args, j->n_args, &b.call) != LE_OK)
        b.call = NULL; /* what is wrong is told by the other ways */
    le_status status = LE_OK;
    *done = is_wanted(j, b.call);
    b.group.comm = MPI_COMM_NULL;
    if (*done) {
        b.about = le_boxes_tell(b.call);
        status = run(&b);
    }
    if (b.kept)
        drop_parts(&b);
    le_boxes_close(&b.call);
    le__exchange_close(&b.exchange);
    le_boxes_free(&b.boxes);
    le__world_close(&b.group);
    le_tensor_free(&b.pictures);
    free(b.left);
    free(b.starts);
    free(b.order);
    free(b.parts);
    free(b.kept);
    free(args);
    return status;
}
