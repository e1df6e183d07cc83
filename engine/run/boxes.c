/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Calls over volumes that do not fit in memory, box by box.
 */
#include "run/boxes.h"

#include "call/storage.h"
#include "call/tensor.h"
#include "core/blocks.h"
#include "core/options.h"
#include "core/os.h"
#include "core/tick.h"

#include "liquid_engine/le_bench.h"

#include <stdlib.h>
#include <string.h>

enum {
    BOXES = 4, /* along the longest axis, of reproducible calls, with edges */
    LEAST_EDGE = 32,
    MOST_EDGE = 256,
    PIXEL_BYTES = 48, /* of a picture while it is made: its part in doubles and that of a box */
    MORE_ARGS = 4     /* of a part's call: begin, whole, parts, owned */
};

struct le_boxes_call {
    le_engine *engine;
    const le_operation *op;
    const le_arg *args;
    size_t n_args;
    le_bricks bricks;
    le_slabs slabs;
    le__grid grid;
    le_boxes_about about;
    double *steps;
    int64_t room; /* of the limit, for what is read and made; 0: any */
};

static le_status no_memory(const char *who) {
    return le_fail(LE_ERR_MEMORY, "%s: out of memory", who);
}

/* Of an argument of the call in the descriptor; -1: an option, or unknown. */
static int index_of(const le_boxes_call *c, const le_arg *a) {
    return a->kind == LE_KIND_OPTION ? -1 : le__arg_find(c->op, a->name, 0);
}

static const le_arg *first_of_type(const le_boxes_call *c, le_arg_type type, int *index) {
    for (size_t k = 0; k < c->n_args; k++) {
        *index = index_of(c, &c->args[k]);
        if (*index >= 0 && c->op->args[*index].type == type)
            return &c->args[k];
    }
    return NULL;
}

static int64_t pixels_of(const le_boxes_call *c) {
    return c->about.rows * c->about.columns;
}

static int64_t picture_bytes(const le_boxes_call *c) {
    return c->about.views * pixels_of(c) * 3 * (int64_t)le_dtype_size(c->about.image_dtype);
}

/* ------------------------------------------------------------------------------------ opening --
 */

static le_status take_answers(le_boxes_call *c, const le_call *call, int input) {
    le_boxes_about *a = &c->about;
    if (!c->op->bricks(call, &c->bricks) || !c->op->slabs(call, &c->slabs) ||
        c->bricks.input != input)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: this call cannot be worked off in boxes",
                       c->op->name);
    const le_tensor *out = &call->args[c->bricks.output].tensor;
    const int64_t own = call->engine->options.memory_limit_bytes;
    *a = (le_boxes_about){.views = out->shape[0],
                          .rows = out->shape[1],
                          .columns = out->shape[2],
                          .dtype = c->grid.dtype,
                          .image_dtype = out->dtype,
                          .limit = le__constraint_memory(&call->want, own),
                          .reproducible = call->want.reproducible};
    int64_t volume = (int64_t)le_dtype_size(a->dtype);
    for (int d = 0; d < 3; d++)
        volume *= a->whole.extent[d] = c->grid.shape[d];
    a->fits = !a->limit || volume + picture_bytes(c) <= a->limit;
    c->steps = calloc((size_t)a->views + 1, 3 * sizeof *c->steps);
    for (int64_t v = 0; c->steps && v < a->views; v++)
        c->bricks.step(call, v, c->steps + 3 * v);
    a->steps = c->steps;
    return c->steps ? LE_OK : no_memory(c->op->name);
}

/* With tensors that claim to have data where places are given. */
static le_status check(le_boxes_call *c, int input) {
    le_tensor volume = le_tensor_of(NULL, c->grid.dtype, c->grid.ndim, c->grid.shape),
              picture = {0};
    le_arg *args = calloc(c->n_args + 1, sizeof *args);
    le_call call;
    le_status status =
        args ? le__storage_new(&volume.storage, 0, true, false) : no_memory(c->op->name);
    for (size_t k = 0; status == LE_OK && k < c->n_args; k++) {
        int i = index_of(c, &c->args[k]);
        bool place = i >= 0 && c->args[k].kind == LE_KIND_STR;
        args[k] = c->args[k];
        if (place && i == input)
            args[k] = LE_IN(args[k].name, &volume);
        else if (place && c->op->args[i].type == LE_TYPE_OUT)
            args[k] = LE_OUT(args[k].name, &picture);
    }
    if (status == LE_OK)
        status = le__engine_bind(&c->engine, c->op->name, args, c->n_args, &call);
    if (status == LE_OK) {
        status = take_answers(c, &call, input);
        le__call_unbind(&call);
    }
    le__storage_release(volume.storage);
    free(args);
    return status;
}

static le_status open_call(le_boxes_call *c) {
    int input;
    if (!c->op->bricks || !c->op->slabs)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: no call of it can be worked off in boxes",
                       c->op->name);
    const le_arg *volume = first_of_type(c, LE_TYPE_IN, &input);
    if (!volume || c->n_args > 2 * LE_MAX_ARGS)
        return le_fail(LE_ERR_ARGUMENT, "%s: no volume is given", c->op->name);
    le_status status = le__grid_open(&c->grid, volume, c->op->args[input].dtypes);
    if (status == LE_OK)
        status = check(c, input);
    c->room = c->about.limit;
    return status;
}

le_status le_boxes_open(le_engine *engine, const char *operation, const le_arg *args, size_t n_args,
                        le_boxes_call **out) {
    le__operation_entry *entry;
    le_status status = le__engine_operation(&engine, operation, &entry);
    if (status != LE_OK)
        return status;
    le_boxes_call *c = calloc(1, sizeof *c);
    if (!c)
        return no_memory(operation);
    *c = (le_boxes_call){.engine = engine, .op = entry->operation, .args = args, .n_args = n_args};
    status = open_call(c);
    if (status != LE_OK)
        le_boxes_close(&c);
    *out = c;
    return status;
}

const le_boxes_about *le_boxes_tell(const le_boxes_call *c) {
    return &c->about;
}

void le_boxes_close(le_boxes_call **c) {
    if (*c)
        free((*c)->steps);
    free(*c);
    *c = NULL;
}

int64_t le_boxes_views(const le_boxes_call *c, int64_t limit) {
    int64_t views = limit ? limit / 3 / (PIXEL_BYTES * pixels_of(c) + 1) : c->about.views;
    return views < 1 ? 1 : views < c->about.views ? views : c->about.views;
}

int64_t le_boxes_edge(const le_box *whole) {
    const int64_t asked = le__options_box_edge();
    int64_t cells = 0;
    for (int a = 0; a < 3; a++)
        cells = whole->extent[a] - 1 > cells ? whole->extent[a] - 1 : cells;
    const int64_t edge = (cells + BOXES - 1) / BOXES;
    return asked > 0 ? asked : edge < LEAST_EDGE ? LEAST_EDGE : edge > MOST_EDGE ? MOST_EDGE : edge;
}

/* -------------------------------------------------------------------------------- one part -- */

/* Everything but tensors, with the numbers of the views in lists that are cut. */
static size_t pass_on(const le_boxes_call *c, int64_t begin, int64_t end, le_arg *out) {
    size_t n = 0;
    for (size_t k = 0; k < c->n_args; k++) {
        const le_arg *a = &c->args[k];
        int i = index_of(c, a);
        if (a->kind == LE_KIND_OPTION
                ? a->option == LE_OPTION_MEMORY_LIMIT || a->option == LE_OPTION_TICK
                : i < 0 || c->op->args[i].type == LE_TYPE_IN || c->op->args[i].type == LE_TYPE_OUT)
            continue;
        out[n] = *a;
        if (i >= 0 && a->kind == LE_KIND_F64S && c->slabs.args[i].axis) {
            int64_t scale = c->slabs.args[i].scale ? c->slabs.args[i].scale : 1;
            out[n].value.f64s += begin * scale;
            out[n].count = (size_t)((end - begin) * scale);
        }
        n++;
    }
    return n;
}

static int64_t sum_of(const le_tensor *owned) {
    int64_t sum = 0;
    for (int64_t i = 0, n = le_tensor_count(owned); i < n; i++)
        sum += le_tensor_get_i64(owned, i);
    return sum;
}

typedef struct part_call {
    le_arg args[2 * LE_MAX_ARGS + 1 + MORE_ARGS];
    size_t n;
    double first[3], whole[3];
    le_tensor volume, made, count;
} part_call;

/* Of a box whose samples are in p->volume. */
static void list_args(const le_boxes_call *c, const le_box *box, int64_t begin, int64_t end,
                      bool counted, part_call *p) {
    for (int a = 0; a < 3; a++) {
        p->first[a] = (double)box->first[a];
        p->whole[a] = (double)c->about.whole.extent[a];
    }
    p->n = pass_on(c, begin, end, p->args);
    p->args[p->n++] = LE_IN(c->op->args[c->bricks.input].name, &p->volume);
    p->args[p->n++] = LE_F64S("begin", p->first, 3);
    p->args[p->n++] = LE_F64S("whole", p->whole, 3);
    p->args[p->n++] = LE_OUT("parts", &p->made);
    if (counted)
        p->args[p->n++] = LE_OUT("owned", &p->count);
}

double le_boxes_predict(const le_boxes_call *c, const le_box *box, int64_t begin, int64_t end) {
    static const double sample; /* in place of all: who predicts reads none */
    part_call p = {.volume = le_tensor_of((void *)(uintptr_t)&sample, c->about.dtype, 3,
                                          box->extent)};
    list_args(c, box, begin, end, true, &p);
    return le_bench_predict(c->engine, c->bricks.part, p.args, p.n);
}

/* By one call, joined to what is behind. */
static le_status add_box(le_boxes_call *c, const le_box *box, int64_t begin, int64_t end,
                         double *parts, int64_t *owned) {
    part_call p = {.n = 0};
    if (c->room) { /* what is kept of the box before would count twice */
        le__blocks_trim();
        le__os_trim();
    }
    le_status status = le__grid_read(&c->grid, c->engine, box, &p.volume);
    if (status != LE_OK)
        return status;
    list_args(c, box, begin, end, owned != NULL, &p);
    status = le_call_run(c->engine, c->bricks.part, p.args, p.n);
    if (status == LE_OK)
        status = le_tensor_to_host(&p.made);
    if (status == LE_OK && owned)
        status = le_tensor_to_host(&p.count);
    if (status == LE_OK)
        le_boxes_join(parts, p.made.data, (end - begin) * pixels_of(c));
    if (status == LE_OK && owned)
        *owned += sum_of(&p.count);
    le_tensor_free(&p.volume);
    le_tensor_free(&p.made);
    le_tensor_free(&p.count);
    return status;
}

static bool same_order(const double *a, const double *b) {
    return (a[0] >= 0) == (b[0] >= 0) && (a[1] >= 0) == (b[1] >= 0) && (a[2] >= 0) == (b[2] >= 0);
}

/* Views for which the boxes lie in one order. */
static int64_t end_of_order(const le_boxes_call *c, int64_t begin, int64_t end) {
    int64_t v = begin + 1;
    while (v < end && same_order(c->steps + 3 * v, c->steps + 3 * begin))
        v++;
    return v;
}

static le_status add_boxes(le_boxes_call *c, const le_boxes *boxes, int64_t begin, int64_t end,
                           double *parts, int64_t *owned) {
    const int64_t n = le_boxes_count(boxes);
    int64_t *order = malloc((size_t)n * sizeof *order);
    le__ticker *t = le__ticker_here();
    le_status status = order ? LE_OK : no_memory(c->op->name);
    if (order)
        le_boxes_order(boxes, c->steps + 3 * begin, order);
    for (int64_t i = 0; status == LE_OK && i < n; i++) {
        le__ticker_part whole =
            le__ticker_narrow(t, (double)i / (double)n, (double)(i + 1) / (double)n);
        status = add_box(c, le_boxes_box(boxes, order[i]), begin, end, parts, owned);
        le__ticker_widen(t, whole);
    }
    free(order);
    return status;
}

/* Views that fit, box after box. */
static le_status work_off(le_boxes_call *c, const le_boxes *boxes, int64_t begin, int64_t end,
                          double *parts, int64_t *owned) {
    const int64_t pixels = pixels_of(c);
    le_status status = LE_OK;
    memset(parts, 0, (size_t)((end - begin) * pixels) * 4 * sizeof *parts);
    for (int64_t v = begin, next; status == LE_OK && v < end; v = next) {
        next = le_boxes_count(boxes) > 1 ? end_of_order(c, v, end) : end;
        status = add_boxes(c, boxes, v, next, parts + 4 * (v - begin) * pixels, owned);
    }
    return status;
}

/* Boxes that can be read beside so many pictures. */
static le_status cut_box(const le_boxes_call *c, const le_box *box, int64_t views, le_boxes **out) {
    const int64_t left = c->room - views * pixels_of(c) * PIXEL_BYTES;
    const int64_t samples = left / 4 * 3 / (int64_t)le_dtype_size(c->about.dtype);
    int64_t whole = 1;
    for (int a = 0; a < 3; a++)
        whole *= box->extent[a];
    if (!c->room || samples >= whole)
        return le_boxes_split(box, NULL, 1, out);
    if (c->about.reproducible || samples < 8)
        return le_fail(LE_ERR_MEMORY,
                       "%s: of %lld bytes, %lld are left for boxes beside %lld pictures of %lld x "
                       "%lld; a box of %lld samples is needed",
                       c->op->name, (long long)c->about.limit, (long long)(left > 0 ? left : 0),
                       (long long)views, (long long)c->about.rows, (long long)c->about.columns,
                       (long long)(c->about.reproducible ? whole : 8));
    return le_boxes_within(box, samples, out);
}

le_status le_boxes_part(le_boxes_call *c, const le_box *box, int64_t begin, int64_t end,
                        double *parts, int64_t *owned) {
    le_boxes *boxes = NULL;
    le__ticker ticker;
    if (owned)
        *owned = 0;
    le_status status = cut_box(c, box, end - begin, &boxes);
    if (status != LE_OK)
        return status;
    le__ticker_begin(&ticker, c->args, c->n_args);
    status = work_off(c, boxes, begin, end, parts, owned);
    le__ticker_end(&ticker);
    le_boxes_free(&boxes);
    return status;
}

/* --------------------------------------------------------------------------- on this machine -- */

/* The boxes of the whole; reproducible: always the same ones. */
static le_status cut_whole(const le_boxes_call *c, int64_t views, le_boxes **out) {
    le_status status = LE_OK;
    if (!c->about.reproducible)
        return cut_box(c, &c->about.whole, views, out);
    status = le_boxes_grid(&c->about.whole, le_boxes_edge(&c->about.whole), out);
    for (int64_t i = 0; status == LE_OK && i < le_boxes_count(*out); i++) {
        le_boxes *one = NULL;
        status = cut_box(c, le_boxes_box(*out, i), views, &one);
        le_boxes_free(&one);
    }
    return status;
}

static le_status make_pictures(le_boxes_call *c, le_tensor *pictures, int64_t *n) {
    const int64_t all = c->about.views, pixels = pixels_of(c), some = le_boxes_views(c, c->room);
    le_boxes *boxes = NULL;
    double *parts = malloc((size_t)(some * pixels) * 4 * sizeof *parts + 1);
    le_status status = parts ? cut_whole(c, some, &boxes) : no_memory(c->op->name);
    le__ticker *t = le__ticker_here();
    for (int64_t v = 0; status == LE_OK && v < all; v += some) {
        const int64_t end = v + some < all ? v + some : all;
        le__ticker_part whole =
            le__ticker_narrow(t, (double)v / (double)all, (double)end / (double)all);
        status = work_off(c, boxes, v, end, parts, NULL);
        le__ticker_widen(t, whole);
        if (status == LE_OK)
            le_boxes_picture(parts, (end - v) * pixels, pictures, 3 * v * pixels);
    }
    if (n && boxes)
        *n = le_boxes_count(boxes);
    le_boxes_free(&boxes);
    free(parts);
    return status;
}

/* The caller's tensor gets them when all are made. */
static le_status hand_over(le_tensor *made, le_tensor *out) {
    if (!out->data && !out->storage) {
        *out = *made;
        *made = (le_tensor){0};
        return LE_OK;
    }
    le_status status = le_tensor_to_host(out);
    if (status == LE_OK) {
        le__tensor_unpack(out, made->data);
        le_tensor_touch(out);
    }
    return status;
}

static le_status run(le_boxes_call *c, int64_t *n) {
    int output;
    const le_arg *a = first_of_type(c, LE_TYPE_OUT, &output);
    const int64_t shape[] = {c->about.views, c->about.rows, c->about.columns, 3};
    le_tensor made = {0};
    if (!a || a->kind != LE_KIND_OUT)
        return le_fail(LE_ERR_ARGUMENT, "%s: the pictures are to be a tensor", c->op->name);
    if (c->about.limit && picture_bytes(c) >= c->about.limit)
        return le_fail(LE_ERR_MEMORY, "%s: the pictures take %lld of %lld bytes", c->op->name,
                       (long long)picture_bytes(c), (long long)c->about.limit);
    c->room = c->about.limit ? c->about.limit - picture_bytes(c) : 0;
    le_status status = le_tensor_alloc(&made, c->about.image_dtype, 4, shape);
    if (status == LE_OK)
        status = make_pictures(c, &made, n);
    if (status == LE_OK)
        status = hand_over(&made, a->value.out);
    le_tensor_free(&made);
    return status;
}

le_status le_boxes_run(le_engine *engine, const char *operation, const le_arg *args, size_t n_args,
                       int64_t *boxes) {
    le_boxes_call *c = NULL;
    le__ticker ticker;
    le_status status = le_boxes_open(engine, operation, args, n_args, &c);
    if (status != LE_OK)
        return status;
    le__ticker_begin(&ticker, args, n_args);
    status = run(c, boxes);
    le__ticker_end(&ticker);
    le_boxes_close(&c);
    return status;
}
