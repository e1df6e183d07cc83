/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What an engine has learnt, for people and programs: reports of its timings database, and moving
 * what is in it from one machine or file to another. le-report and the Python module show and do
 * the same.
 *
 *     char *page;
 *     if (le_report_html(engine, NULL, &page, NULL) == LE_OK)
 *         fputs(page, file), free(page);
 *
 *     le_wisdom_counts counts = {.struct_size = sizeof counts};
 *     le_wisdom_load(engine, "cluster.json", NULL, &counts);
 *
 * Errors and threads as in le.h. engine NULL: the default engine. What its calls have measured is
 * written to the database first; an engine of mode LE_MODE_FROZEN only reads.
 */
#ifndef LIQUID_ENGINE_LE_REPORT_H
#define LIQUID_ENGINE_LE_REPORT_H

#include "liquid_engine/le.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------- reports --- */

typedef struct le_report_options {
    size_t struct_size;      /* set by the caller: sizeof(le_report_options) */
    char *const *operations; /* NULL-ended names; NULL or empty: all */
    const char *device;      /* part of a device's name or of a candidate's text; NULL: all. Choices
                                are those of all devices */
    bool all_machines;       /* rows of every machine, not only of this one, put together */
    bool site;               /* with the rows of read-only site databases */
} le_report_options;

/* One HTML page that needs nothing else, or JSON of schema 1 (docs/database.md): what was measured,
 * chosen and left out for each problem, and in HTML what a call would get now. options NULL: all of
 * this machine. *text is for the caller to free(); *n_problems, which may be NULL, the number of
 * problems in it. LE_ERR_IO: the database's file cannot be read, or another process holds it. */
LE_API le_status le_report_html(le_engine *engine, const le_report_options *options, char **text,
                                size_t *n_problems);
LE_API le_status le_report_json(le_engine *engine, const le_report_options *options, char **text,
                                size_t *n_problems);

/* ---------------------------------------------------------------------------------- wisdom --- */

/* Writes all that is known to a file, as JSON that le_wisdom_load takes; the file appears when it
 * is complete. LE_ERR_IO: it cannot be written, or the database's file cannot be read; what was at
 * this path stays then. LE_ERR_ARGUMENT: it is the database itself. */
LE_API le_status le_wisdom_save(le_engine *engine, const char *path);

typedef struct le_wisdom_options {
    size_t struct_size; /* set by the caller: sizeof(le_wisdom_options) */
    /* Hears of each row, and each list of rows, that is refused, in a line of text; `line` in the
     * file, 0 if it has none. Why a file is refused as a whole is in the error's text instead. On
     * the caller's thread; it must not call the engine. NULL: nobody does. */
    void (*refused)(void *cookie, int line, const char *text);
    void *cookie;
    bool keep_unknown; /* rows of operations and implementations that the engine does not have are
                          not refused */
} le_wisdom_options;

typedef struct le_wisdom_counts {
    size_t struct_size; /* set by the caller: sizeof(le_wisdom_counts) */
    int64_t rows;       /* in the file */
    int64_t added;      /* new, or newer than what was there */
    int64_t known;      /* were there already: taking a file twice counts once */
    int64_t refused;    /* make no sense, or name what the engine does not have */
} le_wisdom_counts;

/* Adds the rows of such a file, or those of another database file, which is only read. An open
 * engine counts on what it has loaded already, and on the new rows when it is opened again. options
 * and counts may be NULL. LE_ERR_IO: the file is none, or the engine's database cannot be written;
 * nothing was added then. */
LE_API le_status le_wisdom_load(le_engine *engine, const char *path,
                                const le_wisdom_options *options, le_wisdom_counts *counts);
LE_API le_status le_wisdom_merge(le_engine *engine, const char *path,
                                 const le_wisdom_options *options, le_wisdom_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
