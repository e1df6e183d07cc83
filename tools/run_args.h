/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The NAME=VALUE words of le-run against an operation's descriptor. Touches no file.
 */
#ifndef LE_TOOLS_RUN_ARGS_H
#define LE_TOOLS_RUN_ARGS_H

#include "run_extra.h"

enum { RUN_MESSAGE = 512, RUN_OPTIONS_MAX = 16 };

/* One argument of the operation, by its index in the descriptor. */
typedef struct run_arg {
    bool given;
    const char *text; /* what stands behind '='; for tensors the place. Borrowed */
    bool is_number;   /* of a word or number */
    double f64;
    int64_t i64;
    double *list; /* owned */
    size_t count;
    le_tensor tensor; /* in, table from a file: once read; out: once run */
    bool plot;        /* of an output: a file that only le-run writes, .dat or .svg */
    bool wanted;      /* an output that is not given, but is needed: for a plot, a picture or ... */
    bool shown;       /* ... the summary that is printed of it, since no output is named */
    char *made;       /* owned: a text that nobody typed */
    bool handed;      /* in: rank 0 of a job reads it, for all */
    bool written;     /* out: the ranks of a job have put it into its place */
} run_arg;

typedef struct run_args {
    const le_operation *operation;
    run_arg args[LE_MAX_ARGS];
    const char *extras[RUN_EXTRAS]; /* files; NULL: not asked for. Borrowed */
} run_args;

/* Parses and checks all words. On failure writes what is wrong and what is expected to message, and
 * nothing is held. */
bool run_args_parse(const le_operation *operation, char *const *words, size_t n_words,
                    run_args *out, char message[RUN_MESSAGE]);
void run_args_free(run_args *a);

/* Whether an output goes to such a place, FILE.dat or FILE.svg, that only le-run writes: the
 * intensities of operations that have a radial axis. */
bool run_args_plot(const le_operation *op, const le_arg_desc *d, const char *text);
/* Of operations on stored frames: whether the file of the frames says what this argument is. */
bool run_args_of_file(const le_operation *op, const char *name);
/* Whether stored frames are given by their place alone. */
bool run_args_scan(const run_args *a);

/* Whether an argument is an output that is made when none is named, where all of them are optional.
 */
bool run_args_usual(const le_operation *op, size_t arg);

/* Makes the arguments of a call: all given ones, and every required or wanted output. options are
 * appended.
 * calls has room for LE_MAX_ARGS + RUN_OPTIONS_MAX. */
size_t run_args_call(run_args *a, const le_arg *options, size_t n_options, le_arg *calls);

/* "a,b,c", "start:stop:count" (both ends included) or a mixture. *out is owned by the caller. */
bool run_parse_list(const char *text, double **out, size_t *count);

/* What an argument takes, in a few words: "a tensor [nx,ny,nz] of f32, f64". */
void run_describe_arg(const le_arg_desc *d, char *text, size_t size);

#endif
