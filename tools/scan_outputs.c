/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What comes of a scan, and its place: which outputs there are, where a batch goes, what an earlier
 * run has left, and the end of each.
 */
#include "scan.h"
#include "scan_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------- a batch --- */

static out_kind kind_of(const le_arg_desc *d) {
    if (!strncmp(d->shape, "[N", 2))
        return OUT_FRAMES;
    if (!strncmp(d->shape, "[n*", 3))
        return OUT_ELEMENTS;
    return !strcmp(d->shape, "[n]") ? OUT_CHUNKS : OUT_COMMON;
}

static le_status put_run(void *cookie, int64_t from, int64_t to, int64_t n) {
    const output *o = cookie;
    return le_target_put(o->target, to * o->elements, n * o->elements,
                         o->data + (size_t)from * o->cell_bytes);
}

static le_status open_target(output *o, const le_tensor *t) {
    int64_t shape[LE_MAX_DIMS];
    int n_more = o->kind == OUT_FRAMES ? t->ndim - 1 : 0;
    int ndim = scan_layout_shape(&o->layout, t->shape + 1, n_more, shape);
    o->elements = 1;
    for (int d = 0; d < n_more; d++)
        o->elements *= t->shape[d + 1];
    o->cell_bytes = (size_t)o->elements * le_dtype_size(t->dtype);
    const char *place = o->arg->given && !o->arg->plot ? o->arg->text : NULL;
    le_status status = place ? le_io_may_write(place, t->dtype, ndim, shape) : LE_OK;
    return status == LE_OK ? le_io_target(o->scan->engine, place, t->dtype, ndim, shape, &o->target)
                           : status;
}

static bool is_bad(const output *o, const le_tensor *t, int64_t item) {
    const int64_t each = le_tensor_count(t) / t->shape[0] * (o->kind == OUT_FRAMES ? o->cells : 1);
    const double first = le_tensor_get(t, item * each);
    return o->kind == OUT_CHUNKS ? first == 0 : isnan(first);
}

struct look {
    const le_tensor *whole;
    int64_t elements;
    bool *bad;
};

static le_status look_at(void *cookie, int64_t from, int64_t to, int64_t n) {
    const struct look *l = cookie;
    (void)from, (void)n;
    *l->bad = isnan(le_tensor_get(l->whole, to * l->elements));
    return LE_OK;
}

/* Of a row that an earlier run has put. */
static le_status look_again(output *o, int64_t item) {
    le_tensor whole;
    le_status status = le_target_tensor(o->target, &whole);
    bool bad = false;
    struct look look = {&whole, o->elements, &bad};
    if (status == LE_OK)
        status = scan_layout_item(&o->layout, item, look_at, &look);
    return status == LE_OK && bad ? scan_report_bad(&o->scan->report, item) : status;
}

/* Bad chunks are told to the report, or end the scan. */
static le_status look_for_bad(output *o, int64_t first, int64_t items, const le_tensor *t) {
    scan *s = o->scan;
    le_status status = LE_OK;
    for (int64_t i = 0; i < items && status == LE_OK; i++) {
        if (!is_bad(o, t, i))
            continue;
        if (s->bad)
            s->bad[s->at + first + i - s->left_out] = 1;
        status = scan_report_bad(&s->report, first + i);
    }
    return status;
}

/* What is the same for all batches is kept once. */
static le_status keep_common(output *o, const le_tensor *t) {
    if (o->common.data)
        return LE_OK;
    le_status status = le_tensor_alloc(&o->common, t->dtype, t->ndim, t->shape);
    for (int64_t i = 0; status == LE_OK && i < le_tensor_count(t); i++)
        le_tensor_set(&o->common, i, le_tensor_get(t, i));
    return status;
}

static le_status put_output(output *o, int64_t first, int64_t items, const le_tensor *t) {
    le_status status = LE_OK;
    if (o->kind == OUT_COMMON)
        return keep_common(o, t);
    if (o->kind == OUT_CHUNKS && !o->arg->given)
        return LE_OK;
    if (!o->target)
        status = open_target(o, t);
    if (status == LE_OK && o->kind == OUT_CHUNKS)
        return le_target_put(o->target, first, items, t->data);
    for (int64_t i = 0; status == LE_OK && i < items; i++) {
        o->data = (const char *)t->data + (size_t)(i * o->cells) * o->cell_bytes;
        status = scan_layout_item(&o->layout, first + i, put_run, o);
    }
    return status;
}

le_status scan_take_batch(output *o, int64_t first, int64_t items, const le_tensor *t) {
    le_status status = LE_OK;
    if (o == &o->scan->outputs[o->scan->teller])
        status = look_for_bad(o, first, items, t);
    return status == LE_OK ? put_output(o, first, items, t) : status;
}

/* ---------------------------------------------------------------------- which, and where --- */

static void add_output(scan *s, int i, scan_put put) {
    output *o = &s->outputs[s->n_outputs++];
    *o = (output){
        .base = {.put = put}, .scan = s, .desc = &s->a->operation->args[i], .arg = &s->a->args[i]};
    o->kind = kind_of(o->desc);
}

le_status scan_outputs_choose(scan *s, scan_put put) {
    const le_operation *op = s->a->operation;
    s->teller = -1;
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].type == LE_TYPE_OUT &&
            (s->a->args[i].given || s->a->args[i].wanted || !op->args[i].optional ||
             kind_of(&op->args[i]) == OUT_CHUNKS))
            add_output(s, (int)i, put);
    for (int k = 0; k < s->n_outputs; k++)
        if (s->outputs[k].kind == OUT_CHUNKS || (s->teller < 0 && s->outputs[k].kind == OUT_FRAMES))
            s->teller = k;
    return s->teller >= 0 ? LE_OK
                          : le_fail(LE_ERR_ARGUMENT,
                                    "%s: no result of the frames is asked for: give an output, as "
                                    "NAME=FILE",
                                    op->name);
}

bool scan_outputs_whole(const scan *s) {
    for (int k = 0; k < s->n_outputs; k++)
        if (s->outputs[k].kind == OUT_ELEMENTS)
            return false;
    return true;
}

/* Targets that are there have room for what has come since. */
static le_status grow(output *o) {
    const bool axis =
        o->layout.axes > 0 && (o->kind == OUT_CHUNKS || !o->layout.pieces[0].about->dropped[0]);
    return o->target && axis ? le_target_grow(o->target, o->layout.shape[0]) : LE_OK;
}

le_status scan_outputs_lay_out(scan *s) {
    const int ndim = s->pieces[0].about->ndim, axes = ndim > 2 ? ndim - 2 : 0;
    const scan_layout frames = scan_layout_of(s->pieces, s->n_pieces, axes);
    le_status status = scan_report_grow(&s->report, &frames);
    s->report.per_item = scan_layout_cells(&frames);
    for (int k = 0; k < s->n_outputs && status == LE_OK; k++) {
        output *o = &s->outputs[k];
        o->layout = frames;
        if (o->kind == OUT_ELEMENTS)
            o->layout = scan_layout_of(s->pieces, s->n_pieces, ndim);
        o->cells = scan_layout_cells(&o->layout);
        o->elements = o->target ? o->elements : 1;
        if (o->kind == OUT_CHUNKS) {
            o->layout.axes = 1;
            o->layout.shape[0] = s->all;
        }
        status = grow(o);
    }
    return status;
}

/* -------------------------------------------------------------- of the command once more --- */

/* Where the frames of an output can be read again; NULL: nowhere. Owned by the caller. */
static char *place_again(const output *o) {
    int64_t shape[LE_MAX_DIMS];
    const int ndim = scan_layout_shape(&o->layout, NULL, 0, shape);
    return o->arg->given && !o->arg->plot ? scan_state_place(o->arg->text, ndim, shape) : NULL;
}

bool scan_outputs_stay(const scan *s) {
    bool good = s->report.done > 0;
    for (int k = 0; k < s->n_outputs && good; k++) {
        char *place = s->outputs[k].kind == OUT_FRAMES ? place_again(&s->outputs[k]) : NULL;
        good = place || s->outputs[k].kind != OUT_FRAMES;
        free(place);
    }
    return good;
}

le_status scan_outputs_take_up(scan *s, int64_t done) {
    for (int k = 0; k < s->n_outputs; k++) {
        output *o = &s->outputs[k];
        le_tensor t = {0}, like;
        int64_t shape[LE_MAX_DIMS];
        if (o->kind != OUT_FRAMES)
            continue;
        const int lead = scan_layout_shape(&o->layout, NULL, 0, shape);
        char *place = place_again(o);
        le_status status = place ? le_io_read(s->engine, place, NULL, &t) : LE_ERR_IO;
        free(place);
        if (status != LE_OK)
            return status;
        like = t;
        memmove(like.shape + 1, like.shape + lead, (size_t)(t.ndim - lead) * sizeof *shape);
        like.ndim = 1 + t.ndim - lead;
        status = open_target(o, &like);
        const int64_t n = scan_layout_count(&o->layout) * o->elements;
        if (status == LE_OK)
            status = n == le_tensor_count(&t) ? le_target_put(o->target, 0, n, t.data) : LE_ERR_IO;
        for (int64_t i = 0; status == LE_OK && o == &s->outputs[s->teller] && i < done; i++)
            status = look_again(o, i);
        le_tensor_free(&t);
        if (status != LE_OK)
            return status;
    }
    return LE_OK;
}

/* ------------------------------------------------------------------------------- the end --- */

static le_status put_nan(void *cookie, int64_t from, int64_t to, int64_t n) {
    const output *o = cookie;
    (void)from;
    le_status status = LE_OK;
    for (int64_t i = 0; i < n && status == LE_OK; i++)
        status = le_target_put(o->target, (to + i) * o->elements, o->elements, o->data);
    return status;
}

/* Frames that were not reached are NaN. */
static le_status fill_rest(scan *s, output *o) {
    double *row = malloc((size_t)o->elements * sizeof *row);
    le_status status = row ? LE_OK : le_fail(LE_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; row && i < o->elements; i++)
        row[i] = NAN;
    o->data = (const char *)row;
    for (int64_t i = s->report.done; status == LE_OK && i < s->all; i++)
        status = scan_layout_item(&o->layout, i, put_nan, o);
    free(row);
    return status;
}

le_status scan_outputs_finish(scan *s, output *o) {
    le_tensor t = o->common;
    le_status status = LE_OK;
    if (o->target && o->kind == OUT_FRAMES && o->cell_bytes == (size_t)o->elements * sizeof(double))
        status = fill_rest(s, o);
    if (status != LE_OK)
        return status;
    const bool shown = !o->arg->given && (!o->desc->optional || o->arg->shown);
    if (o->kind == OUT_COMMON && o->arg->wanted && !shown) {
        le_tensor_free(&o->arg->tensor); /* of the run before */
        o->arg->tensor = o->common;      /* released with the arguments */
        o->common = (le_tensor){0};
    }
    if (o->arg->plot || (o->arg->wanted && !o->arg->given && !shown))
        return o->target ? le_target_tensor(o->target, &o->arg->tensor) : LE_OK;
    if (o->kind == OUT_COMMON && o->arg->given)
        return le_io_write(s->engine, o->arg->text, &t);
    if (shown) {
        if (o->target)
            status = le_target_tensor(o->target, &t);
        if (status == LE_OK)
            run_summary(o->desc->name, &t);
    }
    return status == LE_OK ? le_io_target_close(&o->target, true) : status;
}

void scan_outputs_free(scan *s) {
    for (int k = 0; k < s->n_outputs; k++) {
        le_io_target_close(&s->outputs[k].target, false);
        le_tensor_free(&s->outputs[k].common);
    }
}
