/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The options of le-run.
 */
#include "run.h"

#include "liquid_engine/le_bench.h"
#include "tool.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_TOLERANCE = 256,
    OPT_RTOL,
    OPT_ATOL,
    OPT_IMPLEMENTATION,
    OPT_RUN_TYPE,
    OPT_DEVICE,
    OPT_MODE,
    OPT_DB,
    OPT_REPEAT,
    OPT_EXPLAIN,
    OPT_LIST,
    OPT_THREADS,
    OPT_OBJECTIVE,
    OPT_MEMORY,
    OPT_REPRODUCIBLE,
    OPT_PROFILE,
    OPT_FOLLOW,
    OPT_USAGE,
    OPT_VERSION
};

static const struct argp_option options[] = {
    {"tolerance", OPT_TOLERANCE, "X", 0,
     "Largest error: a number, for some operations times the largest value of the result "
     "(le-run OPERATION --help), or allclose (numpy's: rtol 1e-5, atol 1e-8)",
     1},
    {"rtol", OPT_RTOL, "X", 0, "Error allowed relative to the reference", 1},
    {"atol", OPT_ATOL, "X", 0, "Error allowed beside the relative one", 1},
    {"reproducible", OPT_REPRODUCIBLE, 0, 0, "The same bits for the same input, always", 1},
    {"objective", OPT_OBJECTIVE, "WHAT", 0, "Choose for time (default), p99, memory or cpu-time",
     1},
    {"memory-limit", OPT_MEMORY, "BYTES", 0, "Working memory, host and device each; k, M, G, T", 1},
    {"implementation", OPT_IMPLEMENTATION, "NAME", 0, "Use this implementation, or candidate", 2},
    {"run-type", OPT_RUN_TYPE, "TYPE", 0, "Use this family: c, simd, opencl, fused, staged, ...",
     2},
    {"device", OPT_DEVICE, "DEVICE", 0, "cpu, opencl, opencl:0 or part of a device's name", 2},
    {"threads", OPT_THREADS, "N", 0, "CPU threads, at most", 2},
    {"mode", OPT_MODE, "MODE", 0, "estimate, learn (default), measure or frozen", 3},
    {"db", OPT_DB, "FILE", 0, "Database of timings; :memory: keeps nothing", 3},
    {"repeat", OPT_REPEAT, "N", 0, "Run N times and print the time of each", 4},
    {"explain", OPT_EXPLAIN, "FORMAT", OPTION_ARG_OPTIONAL,
     "Do not run: print all candidates and why one is chosen (text or json)", 4},
    {"profile", OPT_PROFILE, "FILE", OPTION_ARG_OPTIONAL,
     "Print the time of each run, kernel and transfer; the events as a Chrome trace to FILE", 4},
    {"follow", OPT_FOLLOW, "SECONDS", OPTION_ARG_OPTIONAL,
     "Of stored frames: wait for more, until none has come for so long (30), or Ctrl-C", 4},
    {"list", OPT_LIST, 0, 0, "List operations, or the implementations of OPERATION", 4},
    {"verbose", 'v', 0, 0, "Say what ran and how long it took, on stderr", 4},
    {"help", 'h', 0, 0, "This help, or that of OPERATION", 5},
    {"usage", OPT_USAGE, 0, 0, "A short usage message", 5},
    {"version", OPT_VERSION, 0, 0, "Print the version", 5},
    {0},
};

static const char doc[] =
    "Runs an operation, or a chain of them from a JSON file, with the fastest implementation that "
    "is accurate enough."
    "\vTensors are files: FILE.h5:/DATASET (slices as in Python: [0:64,:,::2]), FILE.nrrd, "
    "FILE.raw:TYPE:N,N,..., FILE.npy, FILE.png (a stack with %02d in its name), FILE.tif, "
    "FILE.fits[HDU], FILE.csv[COLUMN], FILE.edf (to be read), FILE.vot (to be written). "
    "Lists are a,b,c or start:stop:count with both ends. An output without a file is "
    "summarised.\n\n"
    "  le-run volume_render volume=cube.h5:/density size=180 outside=0 \\\n"
    "         angles=0:81:10 images=frames/web_%02d.png\n\n"
    "le-run --list names the operations, le-run OPERATION --help its arguments. "
    "Exit status: 0 done, 1 failed, 2 wrong usage.";

static void bad_value(struct argp_state *state, const char *option, const char *value,
                      const char *expected) {
    argp_error(state, "--%s=%s; expected %s", option, value, expected);
}

static double number(struct argp_state *state, const char *option, const char *text,
                     const char *expected) {
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !(v >= 0) || !isfinite(v))
        bad_value(state, option, text, expected);
    return v;
}

static const char some[] = "a number, 0 or more";

static int count(struct argp_state *state, const char *option, const char *text, long most) {
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (end == text || *end || errno || v < 1 || v > most) {
        char expected[64];
        snprintf(expected, sizeof expected, "a whole number from 1 to %ld", most);
        bad_value(state, option, text, expected);
    }
    return (int)v;
}

static int64_t bytes(struct argp_state *state, const char *text) {
    int64_t v = 0;
    if (!le_bytes_from_text(text, &v) || v < 1)
        bad_value(state, "memory-limit", text, "bytes, or a number with k, M, G or T");
    return v;
}

/* Index of the word in a NULL-ended list. */
static int word(struct argp_state *state, const char *option, const char *text,
                const char *const *words, const char *expected) {
    int i = 0;
    while (words[i] && strcmp(words[i], text) != 0)
        i++;
    if (!words[i])
        bad_value(state, option, text, expected);
    return i;
}

static void tolerance(struct argp_state *state, const char *text, run_options *o) {
    bool numpy = strcmp(text, "allclose") == 0;
    o->has_atol = o->has_rtol = true;
    o->rtol = numpy ? 1e-5 : 0;
    o->atol = numpy ? 1e-8 : number(state, "tolerance", text, "a number, 0 or more, or allclose");
}

static void accuracy_and_choice(int key, const char *arg, struct argp_state *state,
                                run_options *o) {
    static const char *const modes[] = {"estimate", "learn", "measure", "frozen", NULL};
    static const char *const objectives[] = {"time", "p99", "memory", "cpu-time", NULL};
    switch (key) {
    case OPT_TOLERANCE:
        tolerance(state, arg, o);
        break;
    case OPT_RTOL:
        o->rtol = number(state, "rtol", arg, some);
        o->has_rtol = true;
        break;
    case OPT_ATOL:
        o->atol = number(state, "atol", arg, some);
        o->has_atol = true;
        break;
    case OPT_OBJECTIVE:
        o->objective = word(state, "objective", arg, objectives, "time, p99, memory or cpu-time");
        break;
    case OPT_MODE:
        o->mode = (le_mode)(LE_MODE_ESTIMATE +
                            word(state, "mode", arg, modes, "estimate, learn, measure or frozen"));
        break;
    default:
        o->memory_limit = bytes(state, arg);
        break;
    }
}

/* What would be passed over in silence is refused. */
static void check_together(const run_options *o, struct argp_state *state) {
    if (o->explain && (o->profile || o->repeat > 1))
        argp_error(state, "--explain runs nothing, %s cannot be given with it",
                   o->profile ? "--profile" : "--repeat");
    const char *more = o->explain       ? "--explain"
                       : o->profile     ? "--profile"
                       : o->repeat > 1  ? "--repeat"
                       : o->follow >= 0 ? "--follow"
                                        : NULL;
    if (o->list && more)
        argp_error(state, "--list runs nothing, %s cannot be given with it", more);
    if (o->list && o->n_words > 1)
        argp_error(state, "--list takes one operation, '%s' and '%s' given", o->words[0],
                   o->words[1]);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    run_options *o = state->input;
    switch (key) {
    case OPT_TOLERANCE:
    case OPT_RTOL:
    case OPT_ATOL:
    case OPT_OBJECTIVE:
    case OPT_MODE:
    case OPT_MEMORY:
        accuracy_and_choice(key, arg, state, o);
        return 0;
    case OPT_REPRODUCIBLE:
        o->reproducible = true;
        return 0;
    case OPT_IMPLEMENTATION:
        o->implementation = arg;
        return 0;
    case OPT_RUN_TYPE:
        o->run_type = arg;
        return 0;
    case OPT_DEVICE:
        o->device = arg;
        return 0;
    case OPT_DB:
        o->db = arg;
        return 0;
    case OPT_THREADS:
        o->threads = count(state, "threads", arg, 4095);
        return 0;
    case OPT_REPEAT:
        o->repeat = count(state, "repeat", arg, 1000000);
        return 0;
    case OPT_EXPLAIN:
        o->explain = true;
        o->explain_json = arg && strcmp(arg, "json") == 0;
        if (arg && !o->explain_json && strcmp(arg, "text") != 0)
            bad_value(state, "explain", arg, "text or json");
        return 0;
    case OPT_PROFILE:
        o->profile = arg ? arg : "";
        return 0;
    case OPT_FOLLOW:
        o->follow = arg ? number(state, "follow", arg, some) : 30;
        return 0;
    case OPT_LIST:
        o->list = true;
        return 0;
    case 'v':
        o->verbose = true;
        return 0;
    case 'h':
        o->help = true;
        return 0;
    case OPT_USAGE:
        argp_help(state->root_argp, stdout, ARGP_HELP_USAGE, state->name);
        exit(TOOL_OK);
    case OPT_VERSION:
        printf("le-run %s\n", le_version());
        exit(TOOL_OK);
    case ARGP_KEY_ARG:
        o->words[o->n_words++] = arg;
        return 0;
    case ARGP_KEY_END:
        check_together(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    options, parse, "OPERATION [NAME=VALUE...]\nCHAIN.json [NAME=VALUE...]\n--list [OPERATION]",
    doc,     NULL,  NULL,
    NULL};

void run_options_parse(int argc, char **argv, run_options *out) {
    *out = (run_options){.objective = -1, .repeat = 1, .follow = -1};
    argp_err_exit_status = TOOL_USAGE;
    out->words = calloc((size_t)argc + 1, sizeof *out->words);
    if (!out->words)
        exit(TOOL_FAILED);
    argp_parse(&parser, argc, argv, ARGP_NO_HELP, NULL, out);
}

void run_options_help(void) {
    char name[] = "le-run";
    argp_help(&parser, stdout, ARGP_HELP_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG, name);
}

size_t run_options_call(const run_options *o, le_arg *out) {
    size_t n = 0;
    if (o->has_rtol)
        out[n++] = LE_OPT_RTOL(o->rtol);
    if (o->has_atol)
        out[n++] = LE_OPT_ATOL(o->atol);
    if (o->implementation)
        out[n++] = LE_OPT_IMPLEMENTATION(o->implementation);
    if (o->run_type)
        out[n++] = LE_OPT_RUN_TYPE(o->run_type);
    if (o->device)
        out[n++] = LE_OPT_DEVICE(o->device);
    if (o->objective >= 0)
        out[n++] = LE_OPT_OBJECTIVE(o->objective);
    if (o->memory_limit)
        out[n++] = LE_OPT_MEMORY_LIMIT(o->memory_limit);
    if (o->reproducible)
        out[n++] = LE_OPT_REPRODUCIBLE();
    return n;
}
