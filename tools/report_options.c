/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The options of le-report.
 */
#include "report_options.h"

#include "report_transfer.h"
#include "tool.h"

#include <argp.h>
#include <string.h>

#include "liquid_engine/le.h"

LE_API const char *argp_program_version = "le-report " LE_VERSION;

enum {
    OPT_WHY = 256,
    OPT_JSON,
    OPT_CSV,
    OPT_HTML,
    OPT_COMMANDS,
    OPT_REGRET,
    OPT_DEVICE,
    OPT_ALL,
    OPT_SITE,
    OPT_UNKNOWN
};

static const struct argp_option options[] = {
    {"db", 'd', "FILE", 0, "Timings database (default: LE_DB, else the user's cache)", 1},
    {"output", 'o', "FILE", 0, "Write to FILE instead of standard output", 1},
    {"why", OPT_WHY, 0, 0,
     "Every candidate of OPERATION's problems, and why it is chosen or left out; "
     "further words (name=value, or any part of the problem's text) select problems",
     2},
    {"json", OPT_JSON, 0, 0, "Everything as JSON, schema 1", 2},
    {"csv", OPT_CSV, 0, 0, "One line a candidate and problem", 2},
    {"html", OPT_HTML, "FILE", 0, "One self-contained page with charts", 2},
    {"reproduce", OPT_COMMANDS, 0, 0,
     "The commands that time the choices again, where le-bench can", 2},
    {"regret", OPT_REGRET, 0, 0, "Time lost to exploring and to wrong choices", 2},
    {"device", OPT_DEVICE, "TEXT", 0, "Only candidates on devices with TEXT in their name", 3},
    {"all-machines", OPT_ALL, 0, 0, "Rows of every machine, not only of this one", 3},
    {"site", OPT_SITE, 0, 0, "With the rows of read-only site databases", 3},
    {"keep-unknown", OPT_UNKNOWN, 0, 0,
     "Import and merge: keep rows of operations and implementations that this build does not have",
     3},
    {0}};

static const char doc[] =
    "Shows what the liquid engine has measured and chosen on this machine."
    "\v`export' writes the database as JSON (to standard output with `-'), `import' adds such a "
    "file, "
    "`merge' adds another database. Exit status: 0 done, 1 failed, 2 wrong usage.";

/* One view and one output: the last of several would be made, and the others passed over. */
static void set_view(settings *s, view v, struct argp_state *state) {
    if (s->view != VIEW_TEXT && s->view != v)
        argp_error(state, "only one of --why, --json, --csv, --html, --reproduce and --regret can "
                          "be given");
    s->view = v;
}

static void set_output(settings *s, const char *path, struct argp_state *state) {
    if (s->output)
        argp_error(state, "two outputs are given, '%s' and '%s', expected one", s->output, path);
    if (!*path)
        argp_error(state, "an output is '', expected the name of a file");
    s->output = path;
}

/* What would be passed over in silence is refused. */
static void check_together(const settings *s, struct argp_state *state) {
    const bool transfers = report_is_transfer(s->words);
    const struct {
        bool given;
        const char *name;
    } of_views[] = {{s->view != VIEW_TEXT, "a view (--why, --json, --csv, --html, --reproduce, "
                                           "--regret)"},
                    {s->output, "--output"},
                    {s->device, "--device"},
                    {s->all_machines, "--all-machines"},
                    {s->site, "--site"}};
    for (size_t i = 0; transfers && i < sizeof of_views / sizeof *of_views; i++)
        if (of_views[i].given)
            argp_error(state, "%s cannot be given with %s; ask for one after the other",
                       of_views[i].name, s->words[0]);
    if (s->keep_unknown && (!transfers || !strcmp(s->words[0], "export")))
        argp_error(state, "--keep-unknown needs import or merge");
    if (s->view == VIEW_WHY && s->n_words == 0)
        argp_error(state, "--why needs an operation");
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    settings *s = state->input;
    switch (key) {
    case 'd':
        s->db = arg;
        return 0;
    case 'o':
        set_output(s, arg, state);
        return 0;
    case OPT_WHY:
        set_view(s, VIEW_WHY, state);
        return 0;
    case OPT_JSON:
        set_view(s, VIEW_JSON, state);
        return 0;
    case OPT_CSV:
        set_view(s, VIEW_CSV, state);
        return 0;
    case OPT_HTML:
        set_view(s, VIEW_HTML, state);
        set_output(s, arg, state);
        return 0;
    case OPT_COMMANDS:
        set_view(s, VIEW_COMMANDS, state);
        return 0;
    case OPT_REGRET:
        set_view(s, VIEW_REGRET, state);
        return 0;
    case OPT_DEVICE:
        s->device = arg;
        return 0;
    case OPT_ALL:
        s->all_machines = true;
        return 0;
    case OPT_SITE:
        s->site = true;
        return 0;
    case OPT_UNKNOWN:
        s->keep_unknown = true;
        return 0;
    case ARGP_KEY_ARG:
        s->words[s->n_words++] = arg;
        return 0;
    case ARGP_KEY_END:
        check_together(s, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void report_parse(settings *out, int argc, char **argv) {
    argp_err_exit_status = TOOL_USAGE;
    static const struct argp argp = {options,
                                     parse,
                                     "[OPERATION...]\n--why OPERATION [PROBLEM...]\nexport FILE\n"
                                     "import FILE\nmerge FILE",
                                     doc,
                                     NULL,
                                     NULL,
                                     NULL};
    argp_parse(&argp, argc, argv, 0, NULL, out);
}
