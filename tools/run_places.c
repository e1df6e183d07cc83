/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * That nothing which le-run writes takes the place of what it reads, nor of anything else that it
 * writes, nor of a timings database, and that its files can be made. Asked before anything is
 * read.
 */
#include "run.h"

#include "liquid_engine/le_io.h"
#include "liquid_engine/le_stream.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST = LE_MAX_ARGS + RUN_EXTRAS + 1 };

typedef struct named {
    const char *name, *text;
} named;

/* Outputs, the files beside them, and the trace. */
static int list_written(const run_options *o, const run_args *a, named *out) {
    int n = 0;
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (a->operation->args[i].type == LE_TYPE_OUT && a->args[i].given)
            out[n++] = (named){a->operation->args[i].name, a->args[i].text};
    for (run_extra e = 0; e < RUN_EXTRAS; e++)
        if (a->extras[e])
            out[n++] = (named){run_extra_name(e), a->extras[e]};
    if (o->profile && *o->profile && strcmp(o->profile, "-") != 0)
        out[n++] = (named){"--profile", o->profile};
    return n;
}

/* A text that is not one of some words may name a file that the operation reads. */
static bool is_read(const le_arg_desc *d, const run_arg *a) {
    return a->given && (d->type == LE_TYPE_IN || (d->type == LE_TYPE_TABLE && !a->list) ||
                        (d->type == LE_TYPE_STR && !d->words));
}

static int list_read(const run_options *o, const run_args *a, named *out) {
    int n = 0;
    if (o->chain_file)
        out[n++] = (named){"chain", o->chain_file};
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (is_read(&a->operation->args[i], &a->args[i]))
            out[n++] = (named){a->operation->args[i].name, a->args[i].text};
    return n;
}

static le_status refuse(const named *written, const named *other) {
    return le_fail(LE_ERR_ARGUMENT, "%s=%s would replace %s=%s; give it another place",
                   written->name, written->text, other->name, other->text);
}

/* Of a place its file, of all else the text. */
static le_status check_databases(const run_options *o, const named *written) {
    char *file = NULL;
    const bool place = le_io_place_file(written->text, &file) == LE_OK;
    const char *role = tool_database_role(o->db, place ? file : written->text);
    free(file);
    return role ? le_fail(LE_ERR_ARGUMENT, "%s=%s is %s; give it another place", written->name,
                          written->text, role)
                : LE_OK;
}

le_status run_check_places(const run_options *o, const run_args *a) {
    named written[MOST], read[MOST];
    const int n_written = list_written(o, a, written), n_read = list_read(o, a, read);
    for (int k = 0; k < n_written; k++) {
        const char *text = written[k].text;
        if (check_databases(o, &written[k]) != LE_OK)
            return LE_ERR_ARGUMENT;
        for (int i = 0; i < n_read; i++)
            if (le_io_replaces(text, read[i].text))
                return refuse(&written[k], &read[i]);
        for (int i = 0; i < k; i++)
            if (le_io_replaces(text, written[i].text) || le_io_replaces(written[i].text, text))
                return refuse(&written[k], &written[i]);
    }
    return LE_OK;
}

/* A pipe, or a device, is opened once. */
static bool may_be_tried(const char *file) {
    struct stat info;
    return stat(file, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
}

static le_status try_file(const char *file) {
    return may_be_tried(file) ? tool_try(file) : LE_OK;
}

static le_status try_place(const char *place) {
    le_target *target;
    le_status status = le_io_target(NULL, place, LE_U8, 1, (int64_t[]){0}, &target);
    return status == LE_OK ? le_io_target_close(&target, false) : status;
}

le_status run_try_files(const run_options *o, const run_args *a) {
    le_status status = LE_OK;
    for (size_t i = 0; i < a->operation->n_args && status == LE_OK; i++)
        if (a->args[i].given && a->operation->args[i].type == LE_TYPE_OUT)
            status = a->args[i].plot ? try_file(a->args[i].text) : try_place(a->args[i].text);
    for (run_extra e = 0; e < RUN_EXTRAS && status == LE_OK; e++)
        if (a->extras[e])
            status = try_file(a->extras[e]);
    return status == LE_OK && o->profile && *o->profile ? try_file(o->profile) : status;
}
