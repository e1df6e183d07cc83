/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * For operators and test programs: sample calls, every candidate of a call run, timed, profiled and
 * compared with the reference one by one, past the engine's choosing. Nothing here is kept in the
 * timings database and nothing is tried in a child process first: a candidate that crashes takes
 * the caller along. Programs that only want answers need le.h.
 *
 *     le_sample *sample;
 *     le_sample_make(&sample, engine, "interpolate", &(le_case_request){.kind = LE_CASE_BENCH});
 *     size_t n_args, n;
 *     const le_arg *args = le_sample_args(sample, &n_args);
 *     le_bench *bench;
 *     le_bench_open(&bench, engine, "interpolate", args, n_args);
 *     const le_bench_candidate *c = le_bench_candidates(bench, &n);
 *     le_bench_stats stats = {.struct_size = sizeof stats};
 *     for (size_t i = 0; i < n; i++)
 *         if (c[i].applies && le_bench_run(bench, i, &stats) == LE_OK)
 *             printf("%s %g s\n", c[i].text, stats.seconds);
 *     le_bench_close(&bench);
 *     le_sample_free(&sample);
 *
 * Errors and threads as in le.h; a le_sample or le_bench is for one thread at a time. engine NULL:
 * the default engine.
 */
#ifndef LIQUID_ENGINE_LE_BENCH_H
#define LIQUID_ENGINE_LE_BENCH_H

#include "liquid_engine/le_method.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------- sample calls ---- */

typedef struct le_sample le_sample;

/* Makes the arguments of a sample call; deterministic in the request (request->like is ignored).
 * LE_ERR_UNSUPPORTED: the operation makes no such sample. *out is owned by the caller. */
LE_API le_status le_sample_make(le_sample **out, le_engine *engine, const char *operation,
                                const le_case_request *request);
/* Valid as long as the sample; outputs are unallocated and filled in by a call. */
LE_API const le_arg *le_sample_args(const le_sample *sample, size_t *n_args);
/* Releases what outputs received, so that the sample can be called again. */
LE_API void le_sample_reset(le_sample *sample);
/* Sets *sample to NULL. NULL is allowed. */
LE_API void le_sample_free(le_sample **sample);

/* ----------------------------------------------------------------------- one by one ---------- */

/* A bound call with all its candidates. */
typedef struct le_bench le_bench;

typedef struct le_bench_candidate {
    const char *text; /* "avx2@cpu[threads=2,schedule=dynamic]" */
    const le_implementation *implementation;
    const char *device; /* "cpu", "opencl:0" */
    bool applies;       /* as far as descriptors tell: ISA, device, memory, applicable, forced */
    const char *why;    /* it does not; "" */
    uint64_t reserved[4];
} le_bench_candidate;

typedef struct le_bench_stats { /* of one run */
    size_t struct_size;         /* set by the caller: sizeof(le_bench_stats) */
    double seconds;             /* wall time with transfers, without handing the outputs over */
    double kernel_seconds;      /* OpenCL events; 0 on the CPU */
    double setup_seconds;       /* building kernels; part of seconds */
    int64_t bytes_to_device, bytes_from_device;
    int64_t peak_bytes; /* of working memory beside the arguments */
} le_bench_stats;

/* Binds a call. args must stay valid until le_bench_close; outputs stay untouched. OpenCL devices
 * are looked for unless the call or the engine forbids them. */
LE_API le_status le_bench_open(le_bench **out, le_engine *engine, const char *operation,
                               const le_arg *args, size_t n_args);
LE_API void le_bench_close(le_bench **bench);
/* In canonical order; valid until le_bench_close. */
LE_API const le_bench_candidate *le_bench_candidates(const le_bench *bench, size_t *count);
/* The problem's text; valid until le_bench_close. */
LE_API const char *le_bench_problem(const le_bench *bench);
/* One run of candidate `index` into memory of its own. As much of *out is filled as its struct_size
 * says, with 0 in what the library does not know. */
LE_API le_status le_bench_run(le_bench *bench, size_t index, le_bench_stats *out);

typedef struct le_bench_comparison {
    size_t struct_size; /* set by the caller: sizeof(le_bench_comparison) */
    double max_abs;     /* largest |a-b|, in the operation's norm */
    double rtol;        /* least rtol that suffices beside the call's atol, as far as is known; 0
                         * when none is needed, INFINITY: none is known to */
    bool within;        /* the call's tolerance (the operation's default unless it gave one) */
} le_bench_comparison;

/* Computes the reference's answer, in double precision where the outputs allow it. Its error is an
 * answer too: see le_bench_check. LE_ERR_UNSUPPORTED: the operation has no reference. */
LE_API le_status le_bench_reference(le_bench *bench);
/* Runs candidate `index` on outputs filled with `poison` (left-over elements differ from the
 * reference) between guard bytes and compares. Needs le_bench_reference, whose error the candidate
 * must give too. LE_OK: it ran and wrote nowhere else; out->within says whether it is right.
 * LE_ERR_WRONG_RESULT: wrote beside its output, or another status than the reference's. */
LE_API le_status le_bench_check(le_bench *bench, size_t index, unsigned char poison,
                                le_bench_comparison *out);

/* ------------------------------------------------------------------------ stored choices ---- */

/* Whether a choice made by measuring on a quiet machine is stored for a call with these arguments,
 * options included; one that calls in mode learn have come to is no such choice. */
LE_API bool le_bench_is_known(le_engine *engine, const char *operation, const le_arg *args,
                              size_t n_args);
/* Whether one is stored that was measured while others used the machine: calls use it, and the
 * first call in mode measure of another engine measures again. */
LE_API bool le_bench_is_under_load(le_engine *engine, const char *operation, const le_arg *args,
                                   size_t n_args);
/* The next call in mode measure measures again; its choice replaces the stored one. It also tries
 * again what was left out of such calls because it had failed; what had crashed or hung is run in a
 * child process first, where that is possible. */
LE_API le_status le_bench_forget(le_engine *engine, const char *operation, const le_arg *args,
                                 size_t n_args);

/* Whether another call in mode measure would go on measuring, because trials of candidates had no
 * time in the last one or go on behind it (kernels that compile for long, what hangs). Waits until
 * none goes on, `seconds` at most. */
LE_API bool le_bench_is_unfinished(le_engine *engine, const char *operation, const le_arg *args,
                                   size_t n_args, double seconds);

/* Races of calls in mode measure that are not decided `seconds` from now end after the run under
 * way: the call is answered with what is known, its choice is not stored (unless others use the
 * machine: then it is, marked as such), and the next such call goes on measuring. 0: at once;
 * negative: no limit. May be called from a signal handler. engine must not be NULL. */
LE_API void le_bench_limit_races(le_engine *engine, double seconds);

/* ------------------------------------------------------- processes that work together ------- */

typedef enum le_bench_news {
    LE_BENCH_ALL,     /* all that the timings database knows */
    LE_BENCH_SAMPLES, /* timings since the last time, 32 pairs of problem and candidate at most */
    LE_BENCH_VERDICTS /* proofs and failures since the last time */
} le_bench_news;

/* Gives what is known, or new, as text for le_bench_hand_in of another process; *size 0: there is
 * nothing. What is new is kept from the first call for SAMPLES or VERDICTS on. *text is for the
 * caller to free(). engine must not be NULL, as for the next one. */
LE_API le_status le_bench_hand_out(le_engine *engine, le_bench_news what, char **text,
                                   size_t *size);
/* Takes it. ALL: as the import of another database. SAMPLES: they become this database's own.
 * VERDICTS: whom another process has found wrong answers here no more, from the next call on; none
 * may be under way. Of two verdicts the worse one stands. Rows that make no sense are left out. */
LE_API le_status le_bench_hand_in(le_engine *engine, le_bench_news what, const char *text,
                                  size_t size);
/* Seconds that a call with these arguments is expected to take now, by whom it would run. NaN: not
 * known within a factor of two either way. Runs nothing, and looks for no devices. */
LE_API double le_bench_predict(le_engine *engine, const char *operation, const le_arg *args,
                               size_t n_args);
/* A hash of what this machine consists of: the same for machines that are alike, or with its name
 * for none but this one. */
LE_API uint64_t le_bench_machine(bool with_name);

/* Processes on machines that are alike, as members of which they race together. */
typedef struct le_bench_team {
    size_t struct_size; /* sizeof(le_bench_team) */
    int rank, ranks;
    void *context;
    /* Collective: so many bytes of each member, in order of rank, into all. */
    void (*gather)(void *context, const void *own, size_t bytes, void *all);
    /* Collective: whether it is true for all. */
    bool (*all)(void *context, bool own);
} le_bench_team;

/* A race over the candidates of a call, as mode measure has it, that the members divide among them:
 * each proves and runs its share of them beside one that all run, and all run the best four. All
 * keep the same choice, where it could be made in time (le_bench_is_known). Collective: all members
 * call it with the same arguments. The call itself is not answered. Of members that fail each
 * returns its own error, the others LE_ERR_CANCELLED. */
LE_API le_status le_bench_race(le_engine *engine, const char *operation, const le_arg *args,
                               size_t n_args, const le_bench_team *team);
/* Trials of the candidates that a call of which nothing is known would ask first, each by another
 * member, for all. Runs nothing else and reads no input. Collective, with errors, as le_bench_race.
 */
LE_API le_status le_bench_prove(le_engine *engine, const char *operation, const le_arg *args,
                                size_t n_args, const le_bench_team *team);
/* LE_ERR_IO: what was measured so far is not in the timings database, though it should be: its file
 * cannot be written, or not in time. */
LE_API le_status le_bench_flush(le_engine *engine);
/* The mode of calls that name none. engine must not be NULL. */
LE_API le_mode le_bench_mode(const le_engine *engine);

/* --------------------------------------------------------------------------------- replay ---- */

/* Drives the engine's policy over a recorded trace (JSON, schema 1) with a virtual clock; needs no
 * engine. mode: LE_MODE_LEARN or LE_MODE_MEASURE. Writes a JSON object a line to out: every call,
 * then the totals; on error one line to err. 0, or 1 when the trace could not be read. */
LE_API int le_bench_replay(const char *path, uint64_t seed, le_mode mode, FILE *out, FILE *err);

/* -------------------------------------------------------------------- engine, environment ---- */

typedef struct le_bench_device {
    char id[32]; /* "cpu", "opencl:0" */
    char name[128], vendor[64], driver[64], version[64];
    bool is_cpu; /* shares the CPU's cores */
    uint64_t reserved[8];
} le_bench_device;

/* Devices that calls of the engine may use (le_options.devices), OpenCL looked for; at most `max`
 * are written, the number there are is given back. 0 on an error, too. */
LE_API size_t le_bench_devices(le_engine *engine, le_bench_device *out, size_t max);
/* Threads of the engine's pool. */
LE_API int le_bench_threads(le_engine *engine);

typedef struct le_env_row {
    const char *name, *help, *default_text;
} le_env_row;
/* The environment variables that the library reads; ended by a row of NULLs. */
LE_API const le_env_row *le_environment(void);

LE_API const char *le_mode_name(le_mode mode);
LE_API bool le_mode_from_name(const char *name, le_mode *out);
/* "4096", "1.5G", "2GiB": bytes, or a number with k, M, G or T in either case, powers of 1024, and
 * iB behind them or not. False, and *out as it was, for anything else. */
LE_API bool le_bytes_from_text(const char *text, int64_t *out);

#ifdef __cplusplus
}
#endif
#endif
