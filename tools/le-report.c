/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-report: what the timings database knows, for people and programs; export, import and merge.
 */
#include "liquid_engine/le_report.h"
#include "liquid_engine/le_method.h"

#include "engine/report/again.h"
#include "report_options.h"
#include "report_transfer.h"
#include "report_views.h"
#include "wrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say_of_database(void *cookie, int level, const char *text) {
    (void)cookie;
    if (level <= LE_LOG_WARNING)
        tool_message("%s", text);
}

static void say(void *cookie, le_log_level level, const char *text) {
    say_of_database(cookie, (int)level, text);
}

/* It measures nothing. */
static le_engine *open_engine(const char *db, le_mode mode, le_log_fn log) {
    le_options options;
    le_engine *engine = NULL;
    le_default_options(&options);
    options.db_path = db;
    options.mode = mode;
    options.log = log;
    if (le_open(&engine, &options) != LE_OK)
        tool_message("%s", le_error_message());
    return engine;
}

static bool write_view(const report *r, const settings *s, FILE *out) {
    switch (s->view) {
    case VIEW_TEXT:
        report_text(r, out);
        break;
    case VIEW_WHY:
        return report_why(r, out);
    case VIEW_CSV:
        report_csv(r, out);
        break;
    case VIEW_COMMANDS:
        report_commands(r, out);
        break;
    case VIEW_REGRET:
        report_regret(r, out);
        break;
    case VIEW_HTML:
    case VIEW_JSON:
        break; /* the library's */
    }
    return true;
}

static void say_nothing_known(const settings *s, const char *path) {
    const char *name = s->n_words ? s->words[0] : NULL;
    le_engine *engine = name ? open_engine(":memory:", LE_MODE_FROZEN, NULL) : NULL;
    const bool strange = engine && !le_engine_operation(engine, name);
    le_close(&engine);
    const bool some_of_it = s->view == VIEW_WHY && s->n_words > 1 && !strange;
    tool_message("%s has no measurement%s%s%s%s%s%s; %s", path, name ? " of " : "",
                 name ? name : "", some_of_it ? " on such a problem" : "",
                 s->device ? " on a device with '" : "", s->device ? s->device : "",
                 s->device ? "' in its name" : "",
                 strange ? "there is no such operation here, le-run --list shows them"
                         : "le-bench makes some");
}

static int show_report(const report *r, const settings *s, const char *path) {
    tool_file f;
    if (r->n_problems == 0)
        say_nothing_known(s, path);
    if (!tool_file_open(&f, s->output ? s->output : "-"))
        return TOOL_FAILED;
    bool ok = write_view(r, s, f.stream);
    if (s->view == VIEW_WHY) {
        ok = report_why_now(r, s->words[0], s->words + 1, f.stream) && ok;
        wrap_glossary(f.stream);
    }
    return tool_file_close(&f, ok) ? TOOL_OK : TOOL_FAILED;
}

static int show(const settings *s, const le_db_knowledge *k, const char *path) {
    char *one[2] = {s->words[0], NULL};
    report_filter filter = {.operations = s->view == VIEW_WHY ? one : s->words,
                            .words = s->view == VIEW_WHY ? s->words + 1 : NULL,
                            .all_machines = s->all_machines,
                            .device = s->device};
    report r;
    int status = TOOL_FAILED;
    if (le__report_make(&r, k, path, &filter)) {
        bool asks = s->view == VIEW_WHY;
        if (s->view == VIEW_COMMANDS)
            le__again_begin(&r);
        r.engine = asks ? open_engine(s->db, LE_MODE_FROZEN, NULL) : NULL;
        status = asks && !r.engine ? TOOL_FAILED : show_report(&r, s, path);
        le_close(&r.engine);
        le__report_free(&r);
    } else {
        tool_message("out of memory");
    }
    return status;
}

/* What is wrong with the database says the database. */
static int show_stored(const settings *s, const char *path) {
    const unsigned flags = LE_DB_LOAD_RAW | (s->site ? 0 : LE_DB_LOAD_NO_SITE);
    le_db_knowledge *k = NULL;
    le_db *db = le_db_open(&(le_db_options){.path = path,
                                            .site_path = le_db_default_site_path(NULL),
                                            .frozen = true,
                                            .log = say_of_database});
    const le_db_status loaded = db ? le_db_load(db, NULL, flags, &k) : LE_DB_NO_MEMORY;
    if (loaded == LE_DB_NO_MEMORY)
        tool_message("out of memory");
    int status = loaded == LE_DB_OK ? show(s, k, path) : TOOL_FAILED;
    le_db_knowledge_free(&k);
    le_db_close(&db);
    return status;
}

/* The views that the library writes. */
static int show_page(const settings *s, le_engine *engine, const char *path) {
    le_report_options o = {.struct_size = sizeof o,
                           .operations = s->words,
                           .device = s->device,
                           .all_machines = s->all_machines,
                           .site = s->site};
    char *text;
    size_t n;
    le_status status = s->view == VIEW_HTML ? le_report_html(engine, &o, &text, &n)
                                            : le_report_json(engine, &o, &text, &n);
    if (status != LE_OK) {
        tool_message("%s", le_error_message());
        return TOOL_FAILED;
    }
    if (n == 0)
        say_nothing_known(s, path);
    bool good = tool_write(s->output ? s->output : "-", text);
    free(text);
    return good ? TOOL_OK : TOOL_FAILED;
}

static bool takes_rows(const settings *s) {
    return s->n_words && (!strcmp(s->words[0], "import") || !strcmp(s->words[0], "merge"));
}

static int run(const settings *s) {
    char path[4096];
    bool writes = takes_rows(s), transfers = report_is_transfer(s->words);
    le_db_default_path(s->db, path, sizeof path);
    if (!writes && s->db && access(path, R_OK) != 0) { /* opening a pipe would wait for a writer */
        tool_message("%s cannot be read: %s", path, strerror(errno));
        return TOOL_FAILED;
    }
    if (!tool_spares_databases(path, s->output))
        return TOOL_FAILED;
    if (!transfers && s->view != VIEW_HTML && s->view != VIEW_JSON)
        return show_stored(s, path);
    le_engine *engine = open_engine(path, writes ? LE_MODE_ESTIMATE : LE_MODE_FROZEN, say);
    int status = !engine     ? TOOL_FAILED
                 : transfers ? report_transfer(engine, s->words, s->keep_unknown)
                             : show_page(s, engine, path);
    le_close(&engine);
    return status;
}

int main(int argc, char **argv) {
    tool_start();
    settings s = {.words = calloc((size_t)argc + 1, sizeof *s.words)};
    if (!s.words) {
        tool_message("out of memory");
        return TOOL_FAILED;
    }
    report_parse(&s, argc, argv);
    int status = run(&s);
    free(s.words);
    return status;
}
