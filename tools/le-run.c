/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-run: any registered operation from the shell.
 */
#include "run.h"
#include "run_plot.h"
#include "run_scan.h"
#include "run_world.h"

#include "liquid_engine/le_chain.h"
#include "liquid_engine/le_io.h"
#include "operation.h"
#include "place.h"
#include "tool.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void log_line(void *cookie, le_log_level level, const char *text) {
    const int *most = cookie;
    if ((int)level <= *most)
        tool_message("%s", text);
}

static le_status open_engine(const run_options *o, int *log_level, le_engine **out) {
    le_options options;
    le_default_options(&options);
    *log_level = o->verbose ? LE_LOG_INFO : LE_LOG_WARNING;
    if (!getenv("LE_LOG")) {
        options.log = log_line;
        options.log_cookie = log_level;
    }
    options.db_path = o->db;
    options.threads = o->threads;
    options.mode = o->mode ? o->mode : options.mode; /* whether the database may be touched */
    options.devices = o->device; /* which hold for the call, too: here they replace variables */
    options.memory_limit_bytes = o->memory_limit;
    return run_world_open(out, &options);
}

/* Errors in what was typed are errors of usage, even when only the engine sees them. */
static int exit_code(le_status status) {
    switch (status) {
    case LE_OK:
        return TOOL_OK;
    case LE_ERR_ARGUMENT:
    case LE_ERR_UNKNOWN:
    case LE_ERR_SHAPE:
    case LE_ERR_DTYPE:
        return TOOL_USAGE;
    default:
        return TOOL_FAILED;
    }
}

static int report(le_status status) {
    if (run_interrupted())
        tool_message("interrupted");
    else if (status != LE_OK)
        tool_message("%s", le_error_message());
    return exit_code(status);
}

/* Explanations, and what cannot be cut, are rank 0's alone. */
static bool is_shared(const run_options *o, const run_args *a) {
    const bool can = a->operation->slabs || a->operation->bricks;
    return run_world_shares() && (run_args_scan(a) ? run_scan_shared(o) : can && !o->explain);
}

/* Of shared calls each rank reads its part later, but of what rank 0 hands out. Tables may be given
 * as numbers, too. */
static bool is_read(const le_arg_desc *d, const run_arg *a, bool shared) {
    const bool here = !shared || (a->handed && run_world_rank() == 0);
    return a->given && ((d->type == LE_TYPE_IN && here) || (d->type == LE_TYPE_TABLE && !a->list));
}

/* A TIFF file is a stack of pages, also where it has one and a plain image is asked for. */
static void drop_leading(le_tensor *t, int most) {
    while (most > 0 && t->ndim > most && t->shape[0] == 1) {
        t->ndim--;
        for (int d = 0; d < t->ndim; d++) {
            t->shape[d] = t->shape[d + 1];
            t->strides[d] = t->strides[d + 1];
        }
    }
}

/* Whether a file may have more axes than the call takes, and be taken without them. */
static bool has_axes_to_drop(const le_arg_desc *d, const char *place) {
    le_dtype dtype;
    int64_t shape[LE_MAX_DIMS];
    int ndim;
    return d->max_ndim > 0 && le_io_peek(place, &dtype, &ndim, shape) == LE_OK &&
           ndim > d->max_ndim &&
           (shape[0] == 1 || (d->max_ndim == 2 && ndim == 3 && (shape[2] == 3 || shape[2] == 4)));
}

/* Ranks read places as they are: rank 0 reads what has axes to be dropped. Collective. */
static void choose_handed(run_args *a) {
    for (size_t i = 0; i < a->operation->n_args; i++) {
        const le_arg_desc *d = &a->operation->args[i];
        if (d->type == LE_TYPE_IN && a->args[i].given)
            a->args[i].handed =
                !run_world_all(run_world_rank() > 0 || !has_axes_to_drop(d, a->args[i].text));
    }
}

static bool is_grey(const le_tensor *t) {
    const int64_t n = le_tensor_count(t), channels = t->shape[2];
    for (int64_t i = 0; i < n; i += channels)
        if (le_tensor_get(t, i) != le_tensor_get(t, i + 1) ||
            le_tensor_get(t, i) != le_tensor_get(t, i + 2))
            return false;
    return true;
}

/* Many programs save grey pictures, masks for instance, with three equal channels. */
static le_status drop_channels(le_tensor *t, const le_arg_desc *d, const char *place) {
    const bool coloured = d->max_ndim == 2 && t->ndim == 3 &&
                          (t->shape[2] == 3 || t->shape[2] == 4) &&
                          (t->dtype == LE_U8 || t->dtype == LE_U16);
    if (!coloured)
        return LE_OK;
    if (!is_grey(t))
        return le_fail(LE_ERR_SHAPE, "%s: %s has colours; expected a grey picture, %s", d->name,
                       place, d->shape);
    t->ndim = 2;
    return LE_OK;
}

static le_status read_inputs(le_engine *engine, run_args *a, bool shared, bool verbose) {
    const le_operation *op = a->operation;
    for (size_t i = 0; i < op->n_args; i++) {
        bool streamed = run_args_scan(a) && !strcmp(op->args[i].name, "frames");
        if (streamed || !is_read(&op->args[i], &a->args[i], shared && !run_args_scan(a)))
            continue;
        double start = tool_clock();
        run_progress("reading", a->args[i].text);
        bool table = op->args[i].type == LE_TYPE_TABLE; /* takes every real dtype */
        const le_io_options options = {.struct_size = sizeof options,
                                       .dtypes = table ? 0 : op->args[i].dtypes};
        le_status status = le_io_read(engine, a->args[i].text, &options, &a->args[i].tensor);
        if (status != LE_OK)
            return status == LE_ERR_ARGUMENT ? status : LE_ERR_IO;
        if (!table) {
            drop_leading(&a->args[i].tensor, op->args[i].max_ndim);
            status = drop_channels(&a->args[i].tensor, &op->args[i], a->args[i].text);
        }
        if (status != LE_OK)
            return status;
        char what[128], time[LE__TEXT];
        le_tensor_describe(&a->args[i].tensor, what, sizeof what);
        if (verbose)
            tool_message("%s: %s read in %s", op->args[i].name, what,
                         le__seconds_text(tool_clock() - start, time));
    }
    return LE_OK;
}

static le_status check_extras(const run_options *o, const run_args *a, bool shared) {
    if (o->follow >= 0 && !run_args_scan(a))
        return le_fail(LE_ERR_ARGUMENT,
                       "%s: --follow waits for stored frames, frames=FILE of an operation on them; "
                       "none are given",
                       a->operation->name);
    if ((shared || run_args_scan(a)) && (a->extras[RUN_PICTURE] || a->extras[RUN_REGIONS]))
        return le_fail(LE_ERR_ARGUMENT, "%s: no pictures are made of scans, nor on several ranks",
                       a->operation->name);
    return LE_OK;
}

static le_status write_outputs(le_engine *engine, run_args *a, bool verbose) {
    const le_operation *op = a->operation;
    le_status filled = run_fill_sky(a);
    if (filled != LE_OK)
        return filled;
    for (size_t i = 0; i < op->n_args; i++) {
        run_arg *arg = &a->args[i];
        bool looked_at = op->args[i].type == LE_TYPE_OUT && (arg->plot || arg->wanted);
        if (looked_at && (filled = le_tensor_to_host(&arg->tensor)) != LE_OK)
            return filled;
        if (op->args[i].type != LE_TYPE_OUT || arg->plot || arg->written ||
            (!arg->given && op->args[i].optional && !arg->shown))
            continue;
        double start = tool_clock();
        char time[LE__TEXT];
        run_progress("writing", arg->given ? arg->text : op->args[i].name);
        le_status status = arg->given ? run_write(engine, a, i) : le_tensor_to_host(&arg->tensor);
        if (status != LE_OK)
            return status;
        if (!arg->given)
            run_summary(op->args[i].name, &arg->tensor);
        else if (verbose)
            tool_message("%s written in %s", arg->text,
                         le__seconds_text(tool_clock() - start, time));
    }
    return run_plot_write(a);
}

/* One run; its time and candidate go to stdout when several are asked for. */
static le_status run_once(le_engine *engine, const run_options *o, const run_args *a,
                          const le_arg *args, size_t n, double *seconds) {
    char time[LE__TEXT];
    run_progress("running", a->operation->name);
    double start = tool_clock();
    le_status status = le_call_run(engine, a->operation->name, args, n);
    *seconds = tool_clock() - start;
    if (status != LE_OK)
        return status;
    le_run_info info = {.struct_size = sizeof info};
    if (le_last_run(&info) != LE_OK)
        info = (le_run_info){.candidate = "?", .why = "?"};
    if (o->repeat > 1)
        printf("%.9f\t%s\t%s\n", *seconds, info.candidate, info.why);
    if (o->verbose)
        tool_message("%s: %s by %s (%s)", a->operation->name, le__seconds_text(*seconds, time),
                     info.candidate, info.why);
    return LE_OK;
}

static le_status run_all(le_engine *engine, const run_options *o, const run_args *a,
                         const le_arg *args, size_t n) {
    double seconds, least = DBL_MAX, sum = 0;
    char low[LE__TEXT], mean[LE__TEXT];
    for (int i = 0; i < o->repeat; i++) {
        le_status status = run_once(engine, o, a, args, n, &seconds);
        if (status != LE_OK)
            return status;
        least = seconds < least ? seconds : least;
        sum += seconds;
    }
    if (o->repeat > 1)
        tool_message("%d runs: least %s, mean %s", o->repeat, le__seconds_text(least, low),
                     le__seconds_text(sum / o->repeat, mean));
    return LE_OK;
}

static le_status explain(le_engine *engine, const run_options *o, const run_args *a,
                         const le_arg *args, size_t n) {
    le_explanation *e = NULL;
    le_status status = le_call_explain(engine, &e, a->operation->name, args, n);
    if (status == LE_OK) {
        run_progress(NULL, NULL);
        if (!run_print_explanation(e, o->explain_json))
            status = le_fail(LE_ERR_MEMORY, "out of memory");
    }
    le_explanation_free(&e);
    return status;
}

/* A run of many items, which may be by several candidates: its time goes to stdout when several are
 * asked for. */
static void tell_time(const run_options *o, double seconds) {
    if (o->repeat > 1)
        printf("%.9f\n", seconds);
}

static le_status run_items(le_engine *engine, const run_options *o, run_args *a,
                           le_status (*run)(le_engine *, const run_options *, run_args *)) {
    le_status status = LE_OK;
    for (int i = 0; i < o->repeat && status == LE_OK; i++) {
        double start = tool_clock();
        status = run(engine, o, a);
        if (status == LE_OK)
            tell_time(o, tool_clock() - start);
    }
    return status;
}

static le_status run_streamed(le_engine *engine, const run_options *o, run_args *a) {
    le_status status = o->profile ? le_profile_start(engine) : LE_OK;
    if (status == LE_OK)
        status = run_items(engine, o, a, run_scan);
    return status == LE_OK && o->profile ? run_print_profile(engine, o->profile) : status;
}

static le_status run_profiled(le_engine *engine, const run_options *o, run_args *a,
                              const le_arg *args, size_t n, bool boxed) {
    le_status status = o->profile ? le_profile_start(engine) : LE_OK;
    if (status == LE_OK)
        status = boxed ? run_items(engine, o, a, run_boxes) : run_all(engine, o, a, args, n);
    if (status == LE_OK)
        status = write_outputs(engine, a, o->verbose);
    if (status == LE_OK)
        status = run_write_extras(engine, a);
    return status == LE_OK && o->profile ? run_print_profile(engine, o->profile) : status;
}

/* Outputs that the ranks write themselves. */
static bool is_dataset(const run_arg *arg) {
    char file[4096];
    const char *dataset;
    return !arg->plot && place_split(arg->text, file, sizeof file, &dataset);
}

/* Ranks read their parts of inputs, and write theirs of HDF5 files. Other outputs are rank 0's. */
static void give_places(run_args *a, le_arg *args, size_t n) {
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < a->operation->n_args; i++) {
            run_arg *arg = &a->args[i];
            const bool in = args[k].kind == LE_KIND_IN, out = args[k].kind == LE_KIND_OUT;
            if (!arg->given || arg->handed || !(in || (out && is_dataset(arg))) ||
                strcmp(args[k].name, a->operation->args[i].name) != 0)
                continue;
            arg->written = out;
            args[k] = LE_STR(args[k].name, arg->text);
        }
}

/* Shapes of the inputs that only the ranks have read. */
static void know_inputs(run_args *a) {
    for (size_t i = 0; i < a->operation->n_args; i++) {
        le_tensor *t = &a->args[i].tensor;
        if (a->operation->args[i].type == LE_TYPE_IN && a->args[i].given && !t->data)
            le_io_peek(a->args[i].text, &t->dtype, &t->ndim, t->shape);
    }
}

static le_status call_together(le_engine *engine, const run_options *o, const run_args *a,
                               const le_arg *args, size_t n) {
    char time[LE__TEXT];
    int64_t left = -1;
    double start = tool_clock();
    le_status status = run_world_call(engine, a->operation->name, args, n, &left);
    if (status == LE_OK)
        tell_time(o, tool_clock() - start);
    if (status == LE_OK && o->verbose && left >= 0)
        tool_message("%s: continued, %lld items left", a->operation->name, (long long)left);
    if (status == LE_OK && o->verbose && run_world_boxes())
        tool_message("%s: %lld boxes", a->operation->name, (long long)run_world_boxes());
    if (status == LE_OK && o->verbose)
        tool_message("%s: %s on %d rank%s", a->operation->name,
                     le__seconds_text(tool_clock() - start, time), run_world_ranks(),
                     run_world_ranks() > 1 ? "s" : "");
    return status;
}

static le_status run_together(le_engine *engine, const run_options *o, run_args *a, le_arg *args,
                              size_t n) {
    le_status status = o->profile ? le_profile_start(engine) : LE_OK;
    give_places(a, args, n);
    for (int i = 0; i < o->repeat && status == LE_OK; i++)
        status = call_together(engine, o, a, args, n);
    if (status != LE_OK || run_world_rank() > 0)
        return status;
    know_inputs(a);
    status = write_outputs(engine, a, o->verbose);
    return status == LE_OK && o->profile ? run_print_profile(engine, o->profile) : status;
}

/* The operation, or the file of its chain. */
static const char *typed_name(const run_options *o) {
    return o->chain_file ? o->chain_file : o->words[0];
}

static int run_operation(le_engine *engine, const run_options *o, const le_operation *op) {
    char message[RUN_MESSAGE];
    run_args a;
    le_arg options[RUN_OPTIONS_MAX], args[LE_MAX_ARGS + RUN_OPTIONS_MAX];
    if (!run_args_parse(op, o->words + 1, o->n_words - 1, &a, message)) {
        tool_message("%s\nTry 'le-run %s --help'.", message, typed_name(o));
        return TOOL_USAGE;
    }
    bool shared = is_shared(o, &a);
    if (run_world_rank() > 0 && !shared) {
        run_args_free(&a);
        return TOOL_OK;
    }
    run_progress_start();
    le_status status = run_plot_prepare(&a);
    if (status == LE_OK)
        status = run_check_places(o, &a);
    if (status == LE_OK)
        status = check_extras(o, &a, shared);
    if (status == LE_OK && !o->explain && run_world_rank() == 0)
        status = run_try_files(o, &a);
    bool boxed = status == LE_OK && !shared && run_boxes_wanted(engine, o, &a);
    if (shared && !run_args_scan(&a))
        choose_handed(&a);
    if (status == LE_OK && !boxed)
        status = read_inputs(engine, &a, shared, o->verbose);
    if (status == LE_OK && !o->explain && run_world_rank() == 0 && !run_args_scan(&a))
        status = run_check_formats(engine, o, &a);
    if (shared) /* nobody waits for a rank that has given up */
        status = run_world_agree(status);
    if (status == LE_OK && run_args_scan(&a)) {
        status = run_streamed(engine, o, &a);
    } else if (status == LE_OK) {
        size_t n = run_args_call(&a, options, run_options_call(o, options), args);
        status = shared       ? run_together(engine, o, &a, args, n)
                 : o->explain ? explain(engine, o, &a, args, n)
                              : run_profiled(engine, o, &a, args, n, boxed);
    }
    run_progress_stop();
    int code = report(status);
    run_args_free(&a);
    return tool_stdout_is_written() || code != TOOL_OK ? code : TOOL_FAILED;
}

/* Puts the name of the chain's operation in place of the file's. */
static le_status load_chain(le_engine *engine, run_options *o, char **name) {
    if (o->n_words == 0 || !run_is_chain(o->words[0]))
        return LE_OK;
    char *file = o->words[0];
    le_status status = run_chain_register(engine, file, name);
    if (status == LE_OK) {
        o->chain_file = file;
        o->words[0] = *name;
    }
    return status;
}

static int dispatch(le_engine *engine, const run_options *o) {
    const char *name = o->n_words ? o->words[0] : NULL;
    const le_operation *op = name ? tool_operation(engine, name) : NULL;
    if (name && !op)
        return TOOL_USAGE;
    if (o->list || (o->help && op)) {
        if (o->list)
            run_list(engine, name);
        else
            run_help(op, typed_name(o));
        return tool_stdout_is_written() ? TOOL_OK : TOOL_FAILED;
    }
    return run_operation(engine, o, op);
}

int main(int argc, char **argv) {
    tool_start();
    run_world_start(argv);
    run_options o;
    int log_level;
    le_engine *engine = NULL;
    run_options_parse(argc, argv, &o);
    if (o.n_words == 0 && !o.list) {
        if (o.help)
            run_options_help();
        else
            tool_message("an operation is expected\nTry 'le-run --help' or 'le-run --list'.");
        free(o.words);
        return o.help ? TOOL_OK : TOOL_USAGE;
    }
    char *chain_name = NULL;
    run_catch_interrupts();
    int code = report(open_engine(&o, &log_level, &engine));
    if (code == TOOL_OK)
        code = report(run_world_agree(load_chain(engine, &o, &chain_name)));
    if (code == TOOL_OK)
        code = dispatch(engine, &o);
    le_close(&engine);
    free(chain_name);
    free(o.words);
    run_end_by_interrupt();
    return code;
}
