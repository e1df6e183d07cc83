/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations on stored frames in le-run: the chunks of a file stream through the operation, batch
 * by batch, and what comes of them is put into its place, so that memory does not grow with the
 * scan.
 */
#include "run_scan.h"

#include "run_plot.h"
#include "run_world.h"
#include "scan.h"
#include "scan_state.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH_BYTES = 32 << 20, BATCH_FRAMES = 8 }; /* both batches under way; each, if they fit */

static int index_of(const le_operation *op, const char *name) {
    for (size_t i = 0; i < op->n_args; i++)
        if (!strcmp(op->args[i].name, name))
            return (int)i;
    return -1;
}

/* ------------------------------------------------------------------------------------- results */

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
    return le_io_target(o->scan->engine, o->arg->given && !o->arg->plot ? o->arg->text : NULL,
                        t->dtype, ndim, shape, &o->target);
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

/* Frames of so many chunks; the last chunk may reach beyond the last frame. */
static int64_t frames_in(const scan *s, int64_t items) {
    const int64_t n = items * s->report.per_item, all = scan_layout_count(&s->report.frames);
    return n < all ? n : all;
}

/* All outputs have the items before `done`. */
static le_status end_batch(scan *s, int64_t done) {
    const double now = tool_clock();
    const int64_t before = s->left_out > s->report.done ? s->left_out : s->report.done;
    const int64_t place = s->at + done - s->left_out;
    const bool last = s->parted ? place == s->own.end : done == s->left_out + s->source->items;
    scan_report_done(&s->report, done);
    run_progress_count(frames_in(s, s->parted ? place - s->own.begin : done),
                       frames_in(s, s->parted ? s->own.end - s->own.begin : s->all));
    run_world_done(done - before, now - s->since);
    s->since = tool_clock();
    s->stopped = !s->shared && run_interrupt_came() && !last;
    return s->stopped ? le_fail(LE_ERR_CANCELLED, "stopped") : LE_OK;
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

static le_status put_batch(le_sink *sink, int64_t first, int64_t items, const le_tensor *t) {
    output *o = (output *)sink;
    scan *s = o->scan;
    const int k = (int)(o - s->outputs);
    const bool known = o->kind == OUT_COMMON && o->common.data;
    first += s->left_out;
    le_status status = scan_take_batch(o, first, items, t);
    if (status == LE_OK && !known)
        scan_journal_put(&s->journal, k, first, items, t);
    return status == LE_OK && k == s->n_outputs - 1 ? end_batch(s, first + items) : status;
}

static void add_output(scan *s, int i) {
    output *o = &s->outputs[s->n_outputs++];
    *o = (output){.base = {.put = put_batch},
                  .scan = s,
                  .desc = &s->a->operation->args[i],
                  .arg = &s->a->args[i]};
    o->kind = kind_of(o->desc);
}

/* Those that are given, those that must be, and one that tells of bad chunks. */
static le_status choose_outputs(scan *s) {
    const le_operation *op = s->a->operation;
    s->teller = -1;
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].type == LE_TYPE_OUT &&
            (s->a->args[i].given || s->a->args[i].wanted || !op->args[i].optional ||
             kind_of(&op->args[i]) == OUT_CHUNKS))
            add_output(s, (int)i);
    for (int k = 0; k < s->n_outputs; k++)
        if (s->outputs[k].kind == OUT_CHUNKS || (s->teller < 0 && s->outputs[k].kind == OUT_FRAMES))
            s->teller = k;
    return s->teller >= 0 ? LE_OK
                          : le_fail(LE_ERR_ARGUMENT,
                                    "%s: no result of the frames is asked for: give an output, as "
                                    "NAME=FILE",
                                    op->name);
}

static bool of_whole_frames(const scan *s) {
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

static le_status lay_out(scan *s) {
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

/* --------------------------------------------------------------------------------------- input */

static double fill_of(const le_stored_info *about) {
    const int64_t one = 1;
    le_tensor t = le_tensor_of(about->fill, about->dtype, 1, &one);
    return le_tensor_get(&t, 0);
}

/* The bitshuffle filter's own numbers: 3 elements of a block, 4 compression. */
static void take_format(scan *s, const le_stored_info *about) {
    const bool bits = about->n_filters > 0;
    const uint32_t *v = about->filters[0].values, n = about->filters[0].n_values;
    const uint32_t compression = bits && n > 4 ? v[4] : 0;
    le_arg *args = s->format;
    size_t k = 0;
    for (int d = 0; d < about->ndim; d++)
        s->chunk[d] = (double)about->chunk[d];
    snprintf(s->type, sizeof s->type, "%s", le_dtype_name(about->dtype));
    args[k++] = LE_F64S("chunk", s->chunk, (size_t)about->ndim);
    args[k++] = LE_STR("type", s->type);
    args[k++] = LE_I64("big_endian", about->big_endian ? 1 : 0);
    args[k++] = LE_STR("compression", compression == 2 || !bits ? "lz4"
                                      : compression == 3        ? "zstd"
                                                                : "none");
    args[k++] = LE_I64("block", bits && n > 3 && compression == 0 ? v[3] : 0);
    args[k++] = LE_F64("fill", fill_of(about));
    args[k++] = LE_STR("bad_frames", "skip"); /* the last one */
    s->n_format = k;
}

/* Options of single calls belong to the step, the others to the stream. */
static bool of_step(const le_arg *a) {
    return a->option == LE_OPTION_RTOL || a->option == LE_OPTION_ATOL ||
           a->option == LE_OPTION_OBJECTIVE;
}

/* The chunks are declared by an example of one: their lengths are their own. */
static le_status build(scan *s, const le_arg *options, size_t n_options) {
    const le_stored_info *about = s->pieces[0].about;
    le_arg args[2 * LE_MAX_ARGS + RUN_OPTIONS_MAX];
    size_t n = 0;
    le_status status = le_chain_new(&s->chain, s->engine, s->a->operation->name);
    if (status != LE_OK)
        return status;
    le_chain *c = s->chain;
    args[n++] = LE_VALUE_IN("frames", le_chain_input(c, "frames", LE_U8, 1, &about->chunk_bytes));
    args[n++] = LE_VALUE_IN("offsets", le_chain_input(c, "offsets", LE_I64, 1, (int64_t[]){2}));
    args[n++] = LE_VALUE_IN("skipped", le_chain_input(c, "skipped", LE_U32, 1, (int64_t[]){1}));
    take_format(s, about);
    memcpy(args + n, s->format, s->n_format * sizeof *args);
    n += s->n_format;
    const le_arg *given = s->given;
    for (size_t i = 0; i < s->n_given; i++) {
        const le_tensor *t = given[i].kind == LE_KIND_IN ? given[i].value.in : NULL;
        if (t && strcmp(given[i].name, "frames") != 0)
            args[n++] = LE_VALUE_IN(given[i].name,
                                    le_chain_input(c, given[i].name, t->dtype, t->ndim, t->shape));
        else if (!t && given[i].kind != LE_KIND_OUT && strcmp(given[i].name, "bad_frames") != 0)
            args[n++] = given[i];
    }
    for (size_t i = 0; i < n_options; i++)
        if (of_step(&options[i]))
            args[n++] = options[i];
    le_value values[LE_MAX_ARGS];
    for (int k = 0; k < s->n_outputs; k++) {
        values[k] = le_chain_temp(c);
        args[n++] = LE_VALUE_OUT(s->outputs[k].desc->name, values[k]);
    }
    le_chain_add_args(c, s->a->operation->name, args, n);
    for (int k = 0; k < s->n_outputs; k++)
        le_chain_output(c, s->outputs[k].desc->name, values[k]);
    return le_chain_status(c);
}

le_status scan_stream(scan *s, const le_arg *options, size_t n_options) {
    le_arg args[3 * LE_MAX_ARGS];
    size_t n = 0;
    args[n++] = LE_SOURCE("frames", s->source, 0);
    args[n++] = LE_SOURCE("offsets", s->source, 1);
    args[n++] = LE_SOURCE("skipped", s->source, 2);
    for (size_t i = 0; i < s->n_given; i++)
        if (s->given[i].kind == LE_KIND_IN && strcmp(s->given[i].name, "frames") != 0)
            args[n++] = s->given[i];
    for (int k = 0; k < s->n_outputs; k++)
        args[n++] = LE_SINK(s->outputs[k].desc->name, &s->outputs[k].base);
    if (!s->options->memory_limit)
        args[n++] = LE_OPT_MEMORY_LIMIT(BATCH_BYTES);
    for (size_t i = 0; i < n_options; i++)
        if (!of_step(&options[i]))
            args[n++] = options[i];
    return le_chain_stream_args(s->chain, args, n);
}

/* ------------------------------------------------------------------------------------ finishing */

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

/* The chunk alone, asked for without mercy: what the operation says then. */
static const char *reason_of(void *cookie, int64_t item) {
    static const char behind[] = "cannot be decoded: ";
    static char reason[200];
    const scan *s = cookie;
    le_source *source = NULL;
    le_tensor parts[LE_SOURCE_PARTS] = {{0}}, results[LE_MAX_ARGS] = {{0}};
    le_arg args[3 * LE_MAX_ARGS];
    size_t n = s->n_format;
    memcpy(args, s->format, n * sizeof *args);
    args[n - 1] = LE_STR("bad_frames", "refuse");
    le_status status = scan_frames_open(s->engine, s->a->args[s->frames].text, &s->wish, &source);
    if (status == LE_OK)
        status = scan_frames_leave(source, item);
    if (status == LE_OK)
        status = source->next(source, 1, parts);
    args[n++] = LE_IN("frames", &parts[0]);
    args[n++] = LE_IN("offsets", &parts[1]);
    args[n++] = LE_IN("skipped", &parts[2]);
    for (size_t i = 0; i < s->n_given; i++)
        if (s->given[i].kind != LE_KIND_OUT && strcmp(s->given[i].name, "bad_frames") != 0 &&
            strcmp(s->given[i].name, "frames") != 0)
            args[n++] = s->given[i];
    for (int k = 0; k < s->n_outputs; k++)
        args[n++] = LE_OUT(s->outputs[k].desc->name, &results[k]);
    if (status == LE_OK)
        status = le_call_run(s->engine, s->a->operation->name, args, n);
    const char *text = status == LE_OK ? NULL : strstr(le_error_message(), behind);
    snprintf(reason, sizeof reason, "%s", text ? text + sizeof behind - 1 : "");
    for (int k = 0; k < s->n_outputs; k++)
        le_tensor_free(&results[k]);
    for (int k = 0; k < LE_SOURCE_PARTS; k++)
        le_tensor_free(&parts[k]);
    le_source_close(&source);
    return reason;
}

static le_status finish_output(scan *s, output *o) {
    le_tensor t = o->common;
    le_status status = LE_OK;
    if (o->target && o->kind == OUT_FRAMES && o->cell_bytes == (size_t)o->elements * sizeof(double))
        status = fill_rest(s, o);
    if (status != LE_OK)
        return status;
    if (o->kind == OUT_COMMON && o->arg->wanted) {
        o->arg->tensor = o->common; /* released with the arguments */
        o->common = (le_tensor){0};
    }
    if (o->arg->plot || (o->arg->wanted && !o->arg->given))
        return o->target ? le_target_tensor(o->target, &o->arg->tensor) : LE_OK;
    if (o->kind == OUT_COMMON && o->arg->given)
        return le_io_write(s->engine, o->arg->text, &t);
    if (!o->arg->given && !o->desc->optional) {
        if (o->target)
            status = le_target_tensor(o->target, &t);
        if (status == LE_OK)
            run_summary(o->desc->name, &t);
    }
    return status == LE_OK ? le_io_target_close(&o->target, true) : status;
}

static le_status finish(scan *s) {
    le_status status = LE_OK;
    for (int k = 0; k < s->n_outputs && status == LE_OK; k++) {
        if (s->outputs[k].arg->given)
            run_progress("writing", s->outputs[k].arg->text);
        status = finish_output(s, &s->outputs[k]);
    }
    if (status == LE_OK)
        status = run_plot_write(s->a);
    run_progress(NULL, NULL);
    if (status == LE_OK)
        scan_report_print(&s->report, reason_of, s);
    return status;
}

/* The error again, with what is wrong with the frame. */
static le_status tell_reason(scan *s, le_status status) {
    const int64_t item = scan_report_refused(&s->report);
    char text[400];
    if (item < 0)
        return status;
    snprintf(text, sizeof text, "%s", le_error_message());
    const char *why = reason_of(s, item);
    return le_fail(status, "%s%s%s; bad_frames=skip leaves such frames out", text, *why ? ": " : "",
                   why);
}

/* Where the frames of an output can be read again; NULL: nowhere. Owned by the caller. */
static char *place_again(const output *o) {
    int64_t shape[LE_MAX_DIMS];
    const int ndim = scan_layout_shape(&o->layout, NULL, 0, shape);
    return o->arg->given && !o->arg->plot ? scan_state_place(o->arg->text, ndim, shape) : NULL;
}

static bool can_go_on(const scan *s) {
    bool good = s->report.done > 0;
    for (int k = 0; k < s->n_outputs && good; k++) {
        char *place = s->outputs[k].kind == OUT_FRAMES ? place_again(&s->outputs[k]) : NULL;
        good = place || s->outputs[k].kind != OUT_FRAMES;
        free(place);
    }
    return good;
}

static le_status finish_stopped(scan *s) {
    const int64_t all = s->all;
    int64_t done = s->report.done;
    if (s->parted) {
        done = all - s->common.n + s->at + done - s->left_out;
        tool_message("%lld of %lld frames are done; the same command goes on from there",
                     (long long)frames_in(s, done), (long long)frames_in(s, all));
        run_release_interrupts();
        return LE_ERR_CANCELLED;
    }
    le_status status = finish(s);
    if (status != LE_OK)
        return status;
    const bool kept = can_go_on(s) && scan_state_write(s->a, all, done);
    tool_message("%lld of %lld frames are done; the same command %s", (long long)frames_in(s, done),
                 (long long)frames_in(s, all), kept ? "goes on from there" : "begins anew");
    run_release_interrupts();
    return LE_ERR_CANCELLED;
}

static void release(scan *s) {
    for (int k = 0; k < s->n_outputs; k++) {
        le_io_target_close(&s->outputs[k].target, false);
        le_tensor_free(&s->outputs[k].common);
    }
    free(s->bad);
    free(s->done);
    scan_shared_free(&s->common);
    scan_journal_close(&s->journal);
    scan_report_free(&s->report);
    le_chain_free(&s->chain);
    le_source_close(&s->source);
}

/* What the file says cannot be said otherwise. */
static le_status check_given(const scan *s) {
    for (size_t i = 0; i < s->a->operation->n_args; i++) {
        const char *name = s->a->operation->args[i].name;
        if (s->a->args[i].given && run_args_of_file(s->a->operation, name))
            return le_fail(LE_ERR_ARGUMENT, "%s: %s is what the file of frames says; leave it out",
                           s->a->operation->name, name);
    }
    return LE_OK;
}

/* What there is now of the frames, and where all that comes of it belongs. */
le_status scan_connect(scan *s) {
    const char *place = s->a->args[s->frames].text;
    le_source *now;
    le_status status = scan_frames_open(s->engine, place, &s->wish, &now);
    if (status != LE_OK)
        return status == LE_ERR_ARGUMENT ? status : le_fail(LE_ERR_IO, "%s", le_error_message());
    if (now->items < s->left_out) {
        le_source_close(&now);
        return le_fail(LE_ERR_IO, "%s: has fewer frames than before", place);
    }
    le_source_close(&s->source);
    s->source = now;
    s->n_pieces = scan_frames_pieces(now, &s->pieces);
    s->all = now->items;
    if (s->left_out)
        status = scan_frames_leave(now, s->left_out);
    if (status == LE_OK && s->options->follow >= 0)
        now->items = scan_frames_ready(now);
    if (status == LE_OK)
        status = lay_out(s);
    if (status == LE_OK)
        now->together = BATCH_FRAMES / s->report.per_item;
    return status;
}

static void nap(double seconds) {
    const struct timespec t = {.tv_sec = (time_t)seconds,
                               .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&t, NULL);
}

/* Until there are more frames; source->items is 0 when none have come for long enough. */
static le_status wait_for_more(scan *s) {
    const double begun = tool_clock();
    le_status status = LE_ERR_IO;
    run_progress("waiting for frames of", s->a->args[s->frames].text);
    do {
        nap(fmin(0.3, s->options->follow / 4));
        status = scan_connect(s); /* whoever writes may be in the middle of something */
    } while (!run_interrupt_came() && tool_clock() - begun < s->options->follow &&
             (status != LE_OK || s->source->items == 0));
    if (status != LE_OK && s->left_out && s->source) { /* what has come is enough */
        s->source->items = 0;
        return LE_OK;
    }
    return status;
}

static le_status open_source(scan *s) {
    const bool whole = of_whole_frames(s), follows = s->options->follow >= 0;
    const uint32_t wide = LE_DTYPE_BIT(LE_I8) | LE_DTYPE_BIT(LE_I64) | LE_DTYPE_BIT(LE_U64);
    s->wish = (scan_wish){.whole_frames = whole,
                          .dtypes = whole ? LE_DTYPES_ALL : LE_DTYPES_ALL | wide,
                          .skip = s->skip || follows};
    s->report.skip = s->skip;
    run_progress("opening", s->a->args[s->frames].text);
    le_status status = scan_connect(s);
    if (follows && (status != LE_OK || s->source->items == 0))
        status = wait_for_more(s);
    if (status == LE_OK && s->source->items == 0)
        status = le_fail(LE_ERR_SHAPE, "%s: no frame is selected", s->a->args[s->frames].text);
    return status;
}

/* The results of the same command that was stopped are where its outputs go. */
static le_status take_up(scan *s, int64_t done) {
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

/* Goes on where the same command was stopped, if it was. */
static le_status resume(scan *s) {
    const int64_t done = s->options->follow < 0 && !s->options->explain && run_world_rank() == 0
                             ? scan_state_read(s->a, s->source->items)
                             : 0;
    if (!done || s->outputs[s->teller].kind != OUT_FRAMES)
        return LE_OK;
    if (take_up(s, done) != LE_OK) { /* from the beginning, then */
        for (int k = 0; k < s->n_outputs; k++)
            le_io_target_close(&s->outputs[k].target, false);
        return LE_OK;
    }
    s->left_out = done;
    tool_message("%lld frames are there already", (long long)frames_in(s, done));
    return scan_frames_leave(s->source, done);
}

static le_status stream_all(scan *s, const le_arg *options, size_t n_options) {
    le_status status = LE_OK;
    s->since = tool_clock();
    if (s->parted && !s->shared)
        run_hold_interrupts();
    if (s->parted)
        return scan_parts_stream(s, options, n_options);
    if (s->outputs[s->teller].kind == OUT_FRAMES || s->options->follow >= 0)
        run_hold_interrupts();
    while (status == LE_OK && s->source->items > 0) {
        run_progress("running", s->a->operation->name);
        status = scan_stream(s, options, n_options);
        if (status != LE_OK || s->options->follow < 0 || run_interrupt_came())
            break;
        s->left_out += s->source->items;
        status = wait_for_more(s);
    }
    if (status == LE_OK && s->options->follow >= 0 && s->report.done < s->all)
        tool_message("%lld of %lld frames have come", (long long)frames_in(s, s->report.done),
                     (long long)frames_in(s, s->all));
    return status;
}

static void tell_speed(const scan *s, double seconds) {
    char time[LE__TEXT], ranks[32] = "";
    const long long frames = (long long)scan_layout_count(&s->report.frames);
    if (s->shared)
        snprintf(ranks, sizeof ranks, " on %d ranks", run_world_ranks());
    tool_message("%s: %lld frames in %s, %.3g frames per second%s", s->a->operation->name, frames,
                 le__seconds_text(seconds, time), (double)frames / seconds, ranks);
}

static le_status prepare(scan *s, const le_arg *options, size_t n_options) {
    le_status status = check_given(s);
    if (status == LE_OK)
        status = choose_outputs(s);
    if (status == LE_OK)
        status = open_source(s);
    if (status == LE_OK)
        status = resume(s);
    if (status == LE_OK)
        status = build(s, options, n_options);
    status = scan_agree(s, status);
    return status == LE_OK ? scan_agree(s, scan_parts_begin(s, options, n_options)) : status;
}

static le_status run(scan *s) {
    le_arg options[RUN_OPTIONS_MAX];
    const size_t n_options = run_options_call(s->options, options);
    le_status status = prepare(s, options, n_options);
    if (status == LE_OK && s->options->explain)
        return run_chain_print(s->chain, options, n_options, s->options->explain_json);
    const double start = tool_clock();
    if (status == LE_OK) {
        status = stream_all(s, options, n_options);
        if (status != LE_OK && !s->stopped)
            status = tell_reason(s, status);
        status = scan_agree(s, status);
    }
    if (status == LE_ERR_DATA && run_world_rank() == 0) /* and will be so again */
        scan_journal_remove(&s->journal);
    if (status != LE_OK)
        return s->stopped ? finish_stopped(s) : status;
    status = scan_parts_gather(s);
    if (status == LE_OK && s->options->verbose)
        tell_speed(s, tool_clock() - start);
    if (status == LE_OK && run_world_rank() == 0)
        status = finish(s);
    if (status == LE_OK && run_world_rank() == 0) {
        scan_state_remove(s->a);
        scan_journal_remove(&s->journal);
    }
    return scan_agree(s, status);
}

static le_status run_once(le_engine *engine, const run_options *o, run_args *a) {
    scan *s = calloc(1, sizeof *s);
    if (!s)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    const int bad = index_of(a->operation, "bad_frames");
    s->engine = engine;
    s->options = o;
    s->a = a;
    s->n_given = run_args_call(a, NULL, 0, s->given);
    s->frames = index_of(a->operation, "frames");
    s->skip = bad >= 0 && a->args[bad].given && !strcmp(a->args[bad].text, "skip");
    s->shared = run_scan_shared(o);
    s->journal.fd = -1;
    le_status status = run(s);
    if (s->shared)
        run_world_learn(engine);
    release(s);
    free(s);
    return status;
}

le_status run_scan(le_engine *engine, const run_options *o, run_args *a) {
    le_status status = LE_OK;
    bool again = run_scan_shared(o);
    if (!again)
        return run_once(engine, o, a);
    while (again) {
        run_world_begin();
        status = run_once(engine, o, a);
        again = run_world_again();
        if (again && run_world_tell(status == LE_OK)) { /* rank 0 has finished */
            status = LE_OK;
            again = false;
        }
    }
    return status;
}
