/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-bench: settings, and what its ways of measuring share.
 */
#ifndef LE_BENCH_TOOL_H
#define LE_BENCH_TOOL_H

#include "tool.h"

#include "liquid_engine/le_bench.h"

typedef struct bench_settings {
    char **operations;   /* NULL-ended; empty: all */
    const char *db;      /* NULL: the default */
    const char *devices; /* as le_options.devices */
    const char *sizes;   /* "64,128"; NULL: each operation's usual one */
    const char *dtypes;  /* "f32,u8", "all"; NULL: each operation's usual one */
    const char *problem, *candidate, *trace, *replay, *suite, *output;
    const char *volume; /* a place as le_io.h has it; NULL: made-up data */
    double budget_s;    /* 0: none */
    double limit_s;     /* of one problem; 0: the default of bench_limit */
    double atol, rtol;  /* NaN: the operation's */
    uint64_t seed;
    int repeat; /* runs of profiles, suites and --time; 0: the default of each */
    int cases;  /* of --verify, a dtype; 0: default */
    bool again, json, quiet, in_process;
    le_mode mode;
    void (*prepare)(le_engine *engine); /* called on every engine opened; NULL: nothing */
    void (*alter)(const le_arg *args, size_t n); /* on every sample of --verify; NULL: nothing */
    le_status (*open)(le_engine **, const le_options *); /* NULL: le_open */
} bench_settings;

/* Opens an engine; db NULL: the settings'. NULL after a message. */
le_engine *bench_engine(const bench_settings *s, const char *db, le_mode mode);

/* Whether there is a device that the settings, or LE_DEVICE, allow; false after a message. It is
 * looked for in a child process: drivers begin threads, and ways that fork must have none. */
bool bench_has_device(const bench_settings *s);

/* Operations asked for, or all, in order of registration; a NULL-ended list for free(). NULL after
 * a message (unknown name, out of memory). */
const le_operation **bench_operations(const bench_settings *s, le_engine *engine);

/* The last error as a message that names the operation once: what calls say of it begins with its
 * name. Nothing after an interrupt, which may be what ended the call. */
void bench_failed(const char *operation);
/* The last error as it is; nothing after an interrupt. */
void bench_say_error(void);

/* Seconds after which the measuring of one problem ends. */
double bench_limit(const bench_settings *s);

enum { BENCH_MAX_LIST = 64 };
/* "64,128" to numbers; the count, or -1 after a message. NULL gives one 0. */
int bench_sizes(const char *text, int64_t *out);
/* "f32,u8" to dtypes; "all": those that `op`'s first input takes. NULL gives one 0. */
int bench_dtypes(const char *text, const le_operation *op, le_dtype *out);
/* The size and dtype of a way that measures one problem; 0 where none is given. false after a
 * message: there are several. */
bool bench_one_problem(const bench_settings *s, int64_t *size, le_dtype *dtype);

/* SIGINT, SIGTERM, SIGHUP: bench_interrupted turns true, and the process ends by itself some seconds
 * later should the measurement under way not end. Call once. */
void bench_catch_interrupts(void);
/* Races of this engine end at an interrupt; NULL before it is closed. */
void bench_end_races_of(le_engine *engine);
/* From now on an interrupt also ends the call under way, unmeasured: for ways that have something to
 * tell by then. */
void bench_end_calls(void);
bool bench_interrupted(void);
/* What the process ends with: `status`, or that it was interrupted. */
int bench_status(int status);
/* Path of a database in a folder of its own, until bench_scratch_end or the process ends at an
 * interrupt; one at a time. NULL after a message. */
const char *bench_scratch_begin(void);
void bench_scratch_end(void);

/* Progress on a terminal: one line on stderr, rewritten. Does nothing when stderr is no terminal.
 */
typedef struct bench_progress {
    double start;
    size_t all;
    bool on;
} bench_progress;
void bench_progress_begin(bench_progress *p, size_t all, bool quiet);
/* what: in a few words, what begins now. The time left follows: by what is done, at first by
 * limit_s, of one piece (0: none), and budget_s at most (0: none). */
void bench_progress_show(bench_progress *p, size_t done, const char *what, double budget_s,
                         double limit_s);
void bench_progress_end(bench_progress *p);

/* Ways; each returns the exit status. */
int bench_warm(const bench_settings *s);
int bench_verify(const bench_settings *s, FILE *out);
int bench_overhead(const bench_settings *s);
int bench_profile(const bench_settings *s);
int bench_time(const bench_settings *s);
int bench_rivals(const bench_settings *s);
int bench_suite(const bench_settings *s);
int bench_choices(const bench_settings *s);

#endif
