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

/* ------------------------------------------------------------------------------------- batches */

/* Frames of so many chunks: of the first ones, or of some of all ranks, as many as chunks have on
 * the whole. */
static int64_t frames_in(const scan *s, int64_t items) {
    if (s->parted)
        return s->all ? scan_layout_count(&s->report.frames) * items / s->all : 0;
    return scan_layout_before(&s->report.frames, items);
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
    s->stopped = !s->shared && run_interrupt_came() && !last && !s->ended;
    return s->stopped ? le_fail(LE_ERR_CANCELLED, "stopped") : LE_OK;
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

static le_status finish(scan *s) {
    le_status status = LE_OK;
    for (int k = 0; k < s->n_outputs && status == LE_OK; k++) {
        if (s->outputs[k].arg->given)
            run_progress("writing", s->outputs[k].arg->text);
        status = scan_outputs_finish(s, &s->outputs[k]);
    }
    if (status == LE_OK)
        status = run_plot_write(s->a);
    run_progress(NULL, NULL);
    if (status == LE_OK)
        scan_report_print(&s->report, scan_reason_of, s);
    return status;
}

static scan_state state_of(const scan *s) {
    return (scan_state){.options = s->options, .args = s->a, .items = s->all};
}

/* Of the last item that is done. */
static bool print_last(const scan *s, uint64_t *out, int64_t done) {
    return scan_frames_print(s->engine, s->a->args[s->frames].text, &s->wish, done - 1, out);
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
    scan_state state = state_of(s);
    state.done = done;
    const bool kept =
        scan_outputs_stay(s) && print_last(s, &state.last, done) && scan_state_write(&state);
    tool_message("%lld of %lld frames are done; the same command %s", (long long)frames_in(s, done),
                 (long long)frames_in(s, all), kept ? "goes on from there" : "begins anew");
    run_release_interrupts();
    return LE_ERR_CANCELLED;
}

static void release(scan *s) {
    scan_outputs_free(s);
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

/* However many frames there are, there is nothing of each. */
static bool are_empty(const scan *s) {
    const le_stored_info *about = s->pieces[0].about;
    bool empty = false;
    for (int d = 0; d < about->ndim; d++)
        empty |= about->chunk[d] == 0 || (d > 0 && about->count[d] == 0);
    return empty;
}

/* The slices are in the text of the place; without them it tells what there is. */
static le_status fail_empty(const scan *s) {
    const char *text = s->a->args[s->frames].text, *slices = strrchr(text, '[');
    char whole[4096], shape[LE_MAX_DIMS * 24] = "";
    le_dtype dtype;
    int ndim;
    int64_t n[LE_MAX_DIMS];
    snprintf(whole, sizeof whole, "%.*s", slices ? (int)(slices - text) : (int)strlen(text), text);
    if (le_io_peek(whole, &dtype, &ndim, n) != LE_OK)
        return le_fail(LE_ERR_SHAPE, "%s: no frame is selected", text);
    for (int d = 0; d < ndim; d++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%lld", d ? "," : "",
                 (long long)n[d]);
    return le_fail(LE_ERR_SHAPE,
                   "%s: no frame is selected, or nothing of each; %s has the shape %s", text, whole,
                   shape);
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
    if (are_empty(s))
        return fail_empty(s);
    if (s->left_out)
        status = scan_frames_leave(now, s->left_out);
    if (status == LE_OK && s->options->follow >= 0)
        now->items = scan_frames_ready(now, s->ended);
    if (status == LE_OK)
        status = scan_outputs_lay_out(s);
    if (status == LE_OK)
        now->together = BATCH_FRAMES / s->report.per_item;
    return status;
}

static void nap(double seconds) {
    const struct timespec t = {.tv_sec = (time_t)seconds,
                               .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&t, NULL);
}

/* Until there are more frames. When none have come for long enough those that are left are taken,
 * of chunks into which more could have come; source->items is 0 when there is none. */
static le_status wait_for_more(scan *s) {
    const double begun = tool_clock();
    le_status status = LE_ERR_IO;
    run_progress("waiting for frames of", s->a->args[s->frames].text);
    do {
        nap(fmin(0.3, s->options->follow / 4));
        status = scan_connect(s); /* whoever writes may be in the middle of something */
    } while (!run_interrupt_came() && tool_clock() - begun < s->options->follow &&
             (status != LE_OK || s->source->items == 0));
    if (status == LE_OK && s->source->items == 0) {
        s->ended = true;
        status = scan_connect(s);
    }
    if (status != LE_OK && s->left_out && s->source) { /* what has come is enough */
        s->source->items = 0;
        return LE_OK;
    }
    return status;
}

static le_status open_source(scan *s) {
    const bool whole = scan_outputs_whole(s), follows = s->options->follow >= 0;
    const uint32_t wide = LE_DTYPE_BIT(LE_I8) | LE_DTYPE_BIT(LE_I64) | LE_DTYPE_BIT(LE_U64);
    s->wish = (scan_wish){.whole_frames = whole,
                          .dtypes = whole ? LE_DTYPES_ALL : LE_DTYPES_ALL | wide,
                          .skip = s->skip || follows};
    s->report.skip = s->skip;
    run_progress("opening", s->a->args[s->frames].text);
    le_status status = scan_connect(s);
    if (follows && (status != LE_OK || s->source->items == 0))
        status = wait_for_more(s);
    return status == LE_OK && s->source->items == 0 ? fail_empty(s) : status;
}

/* Goes on where the same command was stopped, if it was. */
static le_status resume(scan *s) {
    scan_state state = state_of(s);
    uint64_t last;
    if (s->options->follow >= 0 || s->options->explain || run_world_rank() != 0 ||
        s->outputs[s->teller].kind != OUT_FRAMES || !scan_state_read(&state) ||
        !print_last(s, &last, state.done) || last != state.last)
        return LE_OK;
    const int64_t done = state.done;
    if (scan_outputs_take_up(s, done) != LE_OK) { /* from the beginning, then */
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
        if (status != LE_OK || s->options->follow < 0 || s->ended || run_interrupt_came())
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
        status = scan_outputs_choose(s, put_batch);
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
            status = scan_reason_tell(s, status);
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
