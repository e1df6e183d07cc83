/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The parts of le-run: options, help, output and progress.
 */
#ifndef LE_TOOLS_RUN_H
#define LE_TOOLS_RUN_H

#include "run_args.h"

#include "liquid_engine/le_chain.h"

typedef struct run_options {
    bool help, list, explain, explain_json, verbose, reproducible;
    bool has_atol, has_rtol;
    double atol, rtol;
    const char *implementation, *run_type, *device, *db;
    const char *profile; /* NULL: not given; "": the table only; else also a trace to this file */
    const char *chain_file; /* the JSON file that words[0] named; NULL: it is an operation */
    le_mode mode;
    int objective;        /* le_objective; -1: not given */
    int64_t memory_limit; /* bytes; 0: not given */
    int threads;          /* 0: not given */
    int repeat;
    double follow; /* seconds to wait for more frames; negative: not at all */
    char **words;  /* the operation, then NAME=VALUE */
    size_t n_words;
} run_options;

/* Parses the command line; ends the program with 2 on errors of usage and 0 on --version. */
void run_options_parse(int argc, char **argv, run_options *out);
/* The text of le-run --help. */
void run_options_help(void);
/* Options of the call, at most RUN_OPTIONS_MAX. */
size_t run_options_call(const run_options *o, le_arg *out);

/* le-run --list: operations; with a name: its implementations. */
void run_list(le_engine *engine, const char *operation);
/* le-run OPERATION --help. typed: the operation's name, or the chain's file. */
void run_help(const le_operation *op, const char *typed);

/* LE_ERR_ARGUMENT where something that is written would take the place of something that is read, of
 * anything else that is written, or of the timings database. */
le_status run_check_places(const run_options *o, const run_args *a);
/* Whether the files can be made: of outputs, plots, pictures, regions and the trace. Makes their
 * folders. */
le_status run_try_files(const run_options *o, const run_args *a);
/* Whether the formats of outputs' files take what the call makes of its inputs; of those that are
 * not read yet as far as their files tell. */
le_status run_check_formats(le_engine *engine, const run_options *o, run_args *a);
/* Longitudes and latitudes of tables with columns lon, lat and center_of_mass_0, _1 ..., where the
 * first input with so many axes is a FITS image that knows them. */
le_status run_fill_sky(run_args *a);
/* An output into its file, with what the format can tell beside the numbers. */
le_status run_write(le_engine *engine, run_args *a, size_t output);
/* The files beside the outputs that were asked for. */
le_status run_write_extras(le_engine *engine, run_args *a);
/* Whether the volume is to be read in boxes: the call's tensors exceed its memory limit. Alone
 * only. */
bool run_boxes_wanted(le_engine *engine, const run_options *o, run_args *a);
/* The call box by box. */
le_status run_boxes(le_engine *engine, const run_options *o, run_args *a);
/* One output without a file: its numbers in a few lines on stdout. */
void run_summary(const char *name, const le_tensor *t);
/* The evidence of a choice as a table, or as JSON, on stdout. */
bool run_print_explanation(const le_explanation *e, bool json);

/* True when the word names a chain's file. */
bool run_is_chain(const char *word);
/* Registers the chain as an operation and gives its name. *name is the caller's to free, on errors,
 * too. */
le_status run_chain_register(le_engine *engine, const char *path, char **name);
/* The plan of a chain on stdout. */
le_status run_chain_print(le_chain *chain, const le_arg *options, size_t n, bool json);
/* Ends the profile under way and prints it; the trace goes to trace_path unless that is "". */
le_status run_print_profile(le_engine *engine, const char *trace_path);

/* From now on Ctrl-C ends the engine's work at the next tick of this thread, and the program a
 * quarter of a second later whatever it does. */
void run_catch_interrupts(void);
bool run_interrupted(void);
/* For work that stops at places of its own: from now on Ctrl-C ends nothing, but run_interrupt_came
 * tells of it; a second one ends the program at once. What came counts as above once it is
 * released, and never if it is not. */
void run_hold_interrupts(void);
bool run_interrupt_came(void);
void run_release_interrupts(void);
/* Ends the program by the signal, if it came. */
void run_end_by_interrupt(void);

/* Shows "what ... 3 s, 40 %" on a terminal while work takes long. what is borrowed; NULL: nothing.
 */
void run_progress_start(void);
void run_progress(const char *what, const char *detail);
/* How much of it is done, in frames. */
void run_progress_count(int64_t done, int64_t all);
void run_progress_share(double done); /* of it, 0 to 1; NaN: unknown */
void run_progress_stop(void);

#endif
