/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The command line of le-report.
 */
#ifndef LE_REPORT_OPTIONS_H
#define LE_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum view {
    VIEW_TEXT,
    VIEW_WHY,
    VIEW_JSON,
    VIEW_CSV,
    VIEW_HTML,
    VIEW_COMMANDS,
    VIEW_REGRET
} view;

typedef struct settings {
    const char *db, *output, *device;
    view view;
    bool all_machines, site, keep_unknown;
    char **words; /* NULL-ended: what is not an option */
    size_t n_words;
} settings;

/* Fills *out, whose words has room for argc + 1. Wrong usage ends the process. */
void report_parse(settings *out, int argc, char **argv);

#endif
