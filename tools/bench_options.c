/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The options of le-bench; ways exclude each other.
 */
#include "bench_options.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

LE_API const char *argp_program_version = "le-bench " LE_VERSION;

enum {
    OPT_SIZES = 256,
    OPT_DTYPE,
    OPT_DEVICES,
    OPT_BUDGET,
    OPT_LIMIT,
    OPT_AGAIN,
    OPT_VERIFY,
    OPT_OVERHEAD,
    OPT_PROFILE,
    OPT_TRACE,
    OPT_SUITE,
    OPT_REPLAY,
    OPT_SEED,
    OPT_MODE,
    OPT_HELP_ENV,
    OPT_TIME,
    OPT_PROBLEM,
    OPT_CASES,
    OPT_JSON,
    OPT_RTOL,
    OPT_ATOL,
    OPT_IN_PROCESS,
    OPT_CANDIDATE,
    OPT_LIST_DEVICES,
    OPT_VOLUME,
    OPT_RIVALS
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Measuring ahead of need (without another way below):", 1},
    {"sizes", OPT_SIZES, "N,...", 0, "Main dimensions (default: each operation's usual one)", 1},
    {"dtype", OPT_DTYPE, "D,...", 0,
     "Dtypes of the main input: all that it takes, or names such as u8,f32", 1},
    {"budget", OPT_BUDGET, "SECONDS", 0, "Begin no further problem after this time", 1},
    {"limit", OPT_LIMIT, "SECONDS", 0,
     "End the measuring of a problem after this time (default 120; of an operation in "
     "--suite=choices 20)",
     1},
    {"again", OPT_AGAIN, 0, 0, "Measure what the database knows already, try again what failed", 1},
    {"rtol", OPT_RTOL, "X", 0, "Relative tolerance of the calls (default: the operation's)", 1},
    {"atol", OPT_ATOL, "X", 0, "Absolute tolerance of the calls", 1},
    {0, 0, 0, 0, "Other ways:", 2},
    {"verify", OPT_VERIFY, 0, 0, "Compare every implementation with its reference", 2},
    {"cases", OPT_CASES, "N", 0, "Cases a dtype for --verify (default 12)", 2},
    {"overhead", OPT_OVERHEAD, 0, 0, "What the engine adds to a call whose choice is known", 2},
    {"profile", OPT_PROFILE, "OPERATION", 0, "Time by stage and by kernel", 2},
    {"trace", OPT_TRACE, "FILE", 0,
     "With --profile: write a trace for chrome://tracing or Perfetto", 2},
    {"suite", OPT_SUITE, "FAMILY", 0,
     "Mean and deviation of every implementation of each of the family's operations (with "
     "--output, "
     "--json or --volume of its composite one only) on one problem, compared with the reference; "
     "with "
     "--output, a bar chart as SVG. "
     "choices: how far the engine's choices are from the best, for OPERATION... or all",
     2},
    {"volume", OPT_VOLUME, "FILE[:/DATASET]", 0,
     "With --suite, --profile, --rivals and --time: the volume to use (default of --suite: the "
     "small real "
     "cube that comes with the library, unless --sizes, --dtype or --problem is given)",
     2},
    {"time", OPT_TIME, "CANDIDATE", 0, "Time one candidate of OPERATION", 2},
    {"rivals", OPT_RIVALS, "OPERATION", 0,
     "Time the choice of OPERATION and the candidates close to it again, interleaved", 2},
    {"replay", OPT_REPLAY, "FILE", 0, "Replay a recorded trace through the policy", 2},
    {"list-devices", OPT_LIST_DEVICES, 0, 0, "Devices that this machine has", 2},
    {"help-env", OPT_HELP_ENV, 0, 0, "The environment variables", 2},
    {0, 0, 0, 0, "For all:", 3},
    {"db", 'd', "FILE", 0, "Timings database (default: LE_DB, else the user's cache)", 3},
    {"devices", OPT_DEVICES, "NAME", 0, "Only cpu, opencl, opencl:N or part of a device's name", 3},
    {"candidate", OPT_CANDIDATE, "TEXT", 0, "Profile this candidate (default: the one chosen)", 3},
    {"problem", OPT_PROBLEM, "TEXT", 0,
     "With --time, --profile, --rivals and --suite: a problem as le-report shows it", 3},
    {"repeat", 'n', "N", 0, "Runs of --profile, --suite, --rivals or --time", 3},
    {"seed", OPT_SEED, "N", 0, "Seed of random data (default 1)", 3},
    {"mode", OPT_MODE, "MODE", 0, "Of --replay and --overhead: learn (default) or measure", 3},
    {"output", 'o', "FILE", 0, "Chart of --suite, as SVG", 3},
    {"json", OPT_JSON, 0, 0, "JSON on standard output (--profile, --suite, --overhead)", 3},
    {"in-process", OPT_IN_PROCESS, 0, 0, "--verify without child processes, for debuggers", 3},
    {"quiet", 'q', 0, 0, "No progress, no list of results", 3},
    {0}};

static const char doc[] =
    "Measures operations of the liquid engine, so that later calls find the fastest candidate at "
    "once. "
    "What the database knows already is skipped: an interrupted run goes on when started again."
    "\vExit status: 0 done, 1 failed (a check that fails included), 2 wrong usage, 130 "
    "interrupted.";

static const char *name_of(int key) {
    size_t i = 0;
    while (options[i].key != key)
        i++;
    return options[i].name;
}

static double number(int key, const char *text, double low, struct argp_state *state) {
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !(v >= low))
        argp_error(state, "--%s has '%s', which is no number of at least %g", name_of(key), text,
                   low);
    return v;
}

static double whole(int key, const char *text, double low, double most, struct argp_state *state) {
    double v = number(key, text, low, state);
    if (v != floor(v) || v > most)
        argp_error(state, "--%s has '%s', which is no whole number of %.0f to %.0f", name_of(key),
                   text, low, most);
    return v;
}

static void set_way(command *c, way w, struct argp_state *state) {
    if (c->way != WAY_WARM && c->way != w)
        argp_error(
            state,
            "only one of --verify, --overhead, --profile, --suite, --time, --rivals, --replay, "
            "--list-devices and --help-env can be given");
    c->way = w;
}

static void add_operation(command *c, char *name) {
    c->s.operations[c->n++] = name;
}

/* --- what goes together --- */

/* How many operations a way takes, and how it is asked for. */
static const struct {
    const char *name;
    size_t least, most;
} ways[] = {[WAY_WARM] = {"measuring ahead of need", 0, SIZE_MAX},
            [WAY_VERIFY] = {"--verify", 0, SIZE_MAX},
            [WAY_OVERHEAD] = {"--overhead", 0, 0},
            [WAY_PROFILE] = {"--profile", 1, SIZE_MAX},
            [WAY_TIME] = {"--time", 1, 1},
            [WAY_SUITE] = {"--suite", 0, 0},
            [WAY_CHAIN] = {"--suite=chain", 0, 1},
            [WAY_CHOICES] = {"--suite=choices", 0, SIZE_MAX},
            [WAY_RIVALS] = {"--rivals", 1, 1},
            [WAY_REPLAY] = {"--replay", 0, 0},
            [WAY_HELP_ENV] = {"--help-env", 0, 0},
            [WAY_DEVICES] = {"--list-devices", 0, 0}};

enum {
    WARM = 1u << WAY_WARM,
    VERIFY = 1u << WAY_VERIFY,
    OVERHEAD = 1u << WAY_OVERHEAD,
    PROFILE = 1u << WAY_PROFILE,
    SUITE = 1u << WAY_SUITE,
    CHAIN = 1u << WAY_CHAIN,
    CHOICES = 1u << WAY_CHOICES,
    REPLAY = 1u << WAY_REPLAY,
    ONE_PROBLEM = PROFILE | SUITE | 1u << WAY_TIME | 1u << WAY_RIVALS
};

/* The ways that look at an option. Those that are not here are for all. */
static const struct {
    int key;
    const char *name;
    unsigned ways;
} scopes[] = {{OPT_SIZES, "--sizes", WARM | ONE_PROBLEM | CHAIN | CHOICES},
              {OPT_DTYPE, "--dtype", WARM | VERIFY | ONE_PROBLEM},
              {OPT_BUDGET, "--budget", WARM},
              {OPT_LIMIT, "--limit", WARM | CHOICES},
              {OPT_AGAIN, "--again", WARM},
              {OPT_RTOL, "--rtol", WARM},
              {OPT_ATOL, "--atol", WARM},
              {OPT_CASES, "--cases", VERIFY},
              {OPT_IN_PROCESS, "--in-process", VERIFY},
              {OPT_TRACE, "--trace", PROFILE},
              {OPT_VOLUME, "--volume", ONE_PROBLEM},
              {OPT_CANDIDATE, "--candidate", PROFILE},
              {OPT_PROBLEM, "--problem", ONE_PROBLEM},
              {'n', "--repeat", ONE_PROBLEM | CHAIN | CHOICES},
              {OPT_MODE, "--mode", OVERHEAD | REPLAY},
              {'o', "--output", SUITE | CHAIN},
              {OPT_JSON, "--json", OVERHEAD | PROFILE | SUITE | CHAIN | CHOICES}};

enum { WAYS = sizeof ways / sizeof *ways, SCOPES = sizeof scopes / sizeof *scopes };

static void note_given(command *c, int key) {
    for (int i = 0; i < SCOPES; i++)
        if (scopes[i].key == key)
            c->given |= 1u << i;
}

static void check_scope(const command *c, int scope, struct argp_state *state) {
    const unsigned allowed = scopes[scope].ways;
    tool_text list = {0};
    if (allowed & 1u << c->way)
        return;
    if (allowed & WARM)
        argp_error(state, "%s cannot be given with %s", scopes[scope].name, ways[c->way].name);
    for (unsigned w = 0; w < WAYS; w++)
        if (allowed & 1u << w)
            tool_add(&list, "%s%s", !list.n ? "" : allowed >> w == 1 ? " or " : ", ", ways[w].name);
    argp_error(state, "%s needs %s", scopes[scope].name, list.text ? list.text : "another way");
}

/* What would be passed over in silence is refused. */
static void check_together(const command *c, struct argp_state *state) {
    const char *name = ways[c->way].name;
    for (int i = 0; i < SCOPES; i++)
        if (c->given & 1u << i)
            check_scope(c, i, state);
    if (c->n < ways[c->way].least)
        argp_error(state, "%s needs one operation", name);
    if (c->n > ways[c->way].most && ways[c->way].most == 0)
        argp_error(state, "%s takes no operation, '%s' given", name, c->s.operations[0]);
    if (c->n > ways[c->way].most)
        argp_error(state, "%s takes one operation, '%s' and '%s' given", name, c->s.operations[0],
                   c->s.operations[1]);
    if (c->way == WAY_PROFILE && c->n > 1 && (c->s.json || c->s.trace))
        argp_error(state, "--profile with --json or --trace takes one operation, %zu given", c->n);
    if (c->s.volume && (c->s.sizes || c->s.dtypes || c->s.problem))
        argp_error(state, "--volume cannot be given with --sizes, --dtype or --problem");
    if (c->s.problem && (c->s.sizes || c->s.dtypes))
        argp_error(state, "--problem cannot be given with --sizes or --dtype");
}

/* --- reading --- */

static error_t parse_way(int key, char *arg, struct argp_state *state) {
    command *c = state->input;
    switch (key) {
    case OPT_VERIFY:
        set_way(c, WAY_VERIFY, state);
        return 0;
    case OPT_OVERHEAD:
        set_way(c, WAY_OVERHEAD, state);
        return 0;
    case OPT_PROFILE:
        set_way(c, WAY_PROFILE, state);
        add_operation(c, arg);
        return 0;
    case OPT_SUITE:
        set_way(c,
                !strcmp(arg, "choices") ? WAY_CHOICES
                : !strcmp(arg, "chain") ? WAY_CHAIN
                                        : WAY_SUITE,
                state);
        if (c->s.suite && strcmp(c->s.suite, arg) != 0)
            argp_error(state, "--suite is given twice, as '%s' and '%s'", c->s.suite, arg);
        c->s.suite = arg;
        return 0;
    case OPT_TIME:
        set_way(c, WAY_TIME, state);
        c->s.candidate = arg;
        return 0;
    case OPT_RIVALS:
        set_way(c, WAY_RIVALS, state);
        add_operation(c, arg);
        return 0;
    case OPT_REPLAY:
        set_way(c, WAY_REPLAY, state);
        c->s.replay = arg;
        return 0;
    case OPT_HELP_ENV:
        set_way(c, WAY_HELP_ENV, state);
        return 0;
    case OPT_LIST_DEVICES:
        set_way(c, WAY_DEVICES, state);
        return 0;
    case ARGP_KEY_ARG:
        add_operation(c, arg);
        return 0;
    case ARGP_KEY_END:
        check_together(c, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    command *c = state->input;
    bench_settings *s = &c->s;
    note_given(c, key);
    switch (key) {
    case 'd':
        s->db = arg;
        return 0;
    case 'n':
        s->repeat = (int)whole(key, arg, 1, 1e6, state);
        return 0;
    case 'o':
        s->output = arg;
        return 0;
    case 'q':
        s->quiet = true;
        return 0;
    case OPT_SIZES:
        s->sizes = arg;
        return 0;
    case OPT_DTYPE:
        s->dtypes = arg;
        return 0;
    case OPT_DEVICES:
        s->devices = arg;
        return 0;
    case OPT_BUDGET:
        s->budget_s = number(key, arg, 0, state);
        return 0;
    case OPT_LIMIT:
        s->limit_s = number(key, arg, 0, state);
        return 0;
    case OPT_AGAIN:
        s->again = true;
        return 0;
    case OPT_RTOL:
        s->rtol = number(key, arg, 0, state);
        return 0;
    case OPT_ATOL:
        s->atol = number(key, arg, 0, state);
        return 0;
    case OPT_CASES:
        s->cases = (int)whole(key, arg, 1, 1e6, state);
        return 0;
    case OPT_TRACE:
        s->trace = arg;
        return 0;
    case OPT_VOLUME:
        s->volume = arg;
        return 0;
    case OPT_CANDIDATE:
        s->candidate = arg;
        return 0;
    case OPT_PROBLEM:
        s->problem = arg;
        return 0;
    case OPT_SEED:
        s->seed = (uint64_t)whole(key, arg, 0, 1e15, state);
        return 0;
    case OPT_JSON:
        s->json = true;
        return 0;
    case OPT_IN_PROCESS:
        s->in_process = true;
        return 0;
    case OPT_MODE:
        if (!le_mode_from_name(arg, &s->mode) ||
            (s->mode != LE_MODE_LEARN && s->mode != LE_MODE_MEASURE))
            argp_error(state, "--mode has '%s', expected learn or measure", arg);
        return 0;
    default:
        return parse_way(key, arg, state);
    }
}

void bench_parse(command *out, int argc, char **argv) {
    argp_err_exit_status = TOOL_USAGE;
    static const struct argp argp = {options, parse, "[OPERATION...]", doc, NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, out);
}
