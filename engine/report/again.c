/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Commands for le-bench, of those calls that it can make from what is stored of them.
 */
#include "again.h"

#include "problem_args.h"

#include <stdlib.h>
#include <string.h>

/* Whether the device of this id is what a candidate's text has behind its '@': "opencl" for any
 * OpenCL device, or a part of a name as le-report shows it. */
static bool is_device(le_engine *engine, const char *id, const char *wanted) {
    le_bench_device list[32];
    char part[128];
    size_t n = le_bench_devices(engine, list, 32);
    snprintf(part, sizeof part, "%.*s", (int)strcspn(wanted, "#["), wanted);
    if (strncmp(id, "opencl", 6) != 0)
        return !strcmp(id, part);
    for (size_t i = 0; i < n && i < 32; i++)
        if (!strcmp(list[i].id, id) && strcasestr(list[i].name, part))
            return true;
    return !strcmp(part, "opencl") || !strcmp(part, id);
}

/* Whether a candidate's text is `want`, or `want` without its parameters or its device. */
static bool is_meant(le_engine *engine, const le_bench_candidate *c, const char *want) {
    size_t n = strlen(want), name = strcspn(want, "@[");
    const char *params = strchr(want, '['), *own = strchr(c->text, '[');
    if (!strncmp(c->text, want, n) && strchr("@[", c->text[n]))
        return true;
    return !strncmp(c->text, want, name) && c->text[name] == '@' && want[name] == '@' &&
           is_device(engine, c->device, want + name + 1) &&
           (!params || (own && !strcmp(own, params)));
}

const le_bench_candidate *le__again_find(le_engine *engine, const le_bench *bench,
                                         const char *text) {
    size_t n;
    const le_bench_candidate *list = le_bench_candidates(bench, &n), *found = NULL;
    for (size_t i = 0; i < n && !(found && found->applies); i++)
        if (text ? is_meant(engine, &list[i], text) : list[i].applies)
            found = &list[i];
    return found;
}

void le__again_begin(report *r) {
    le_options options;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.mode = LE_MODE_FROZEN;
    if (le_open(&r->again, &options) != LE_OK)
        r->again = NULL;
}

void le__again_end(report *r) {
    le_close(&r->again);
}

/* So that no driver is loaded into a program that may not want any. */
static void spare_devices(problem_args *a, const char *candidate) {
    const char *device = strchr(candidate, '@');
    if (device && !strncmp(device, "@cpu", 4) && strchr("[", device[4]) && a->n < LE_MAX_ARGS)
        a->args[a->n++] = LE_OPT_DEVICE("cpu");
}

/* As le-bench goes about it: problems may lack what depends on data, or on what an argument holds.
 */
static bool can_be_run(le_engine *engine, const report_problem *p, const report_candidate *c) {
    problem_args a;
    char why[256];
    le_bench *bench = NULL;
    bool good = le__problem_args_make(&a, engine, p->known->operation, p->known->key,
                                      PROBLEM_SHAPES, why, sizeof why);
    spare_devices(&a, c->text);
    good = good && le_bench_open(&bench, engine, p->known->operation, a.args, a.n) == LE_OK &&
           !strcmp(le_bench_problem(bench), p->known->key);
    const le_bench_candidate *found = good ? le__again_find(engine, bench, c->text) : NULL;
    good = found && found->applies;
    le_bench_close(&bench);
    le__problem_args_free(&a);
    return good;
}

/* Quoted for a POSIX shell where that is needed. */
static void quote(FILE *out, const char *word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

char *le__again_command(const report_problem *p, const report_candidate *c) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("le-bench --time ", out);
    quote(out, c->text);
    fputs(" --problem ", out);
    quote(out, p->known->key);
    fputc(' ', out);
    quote(out, p->known->operation);
    return fclose(out) == 0 ? text : NULL;
}

char *le__report_reproduce(const report *r, const report_problem *p, const report_candidate *c) {
    return r->again && can_be_run(r->again, p, c) ? le__again_command(p, c) : NULL;
}
