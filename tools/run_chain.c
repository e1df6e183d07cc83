/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chains in le-run: those of JSON files are registered as operations; plans and profiles.
 */
#include "run.h"

#include "liquid_engine/le_chain.h"
#include "explain_text.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN_FILE_MAX = 1 << 20 };

bool run_is_chain(const char *word) {
    size_t length = strlen(word);
    return length > 5 && strcmp(word + length - 5, ".json") == 0;
}

static char *read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = malloc(CHAIN_FILE_MAX);
    size_t n = f && text ? fread(text, 1, CHAIN_FILE_MAX, f) : 0;
    bool good = f && text && !ferror(f) && n < CHAIN_FILE_MAX;
    if (!good)
        le_fail(LE_ERR_IO, "%s: %s", path,
                n == CHAIN_FILE_MAX ? "too long for a chain (1 MiB)" : strerror(errno));
    else
        text[n] = '\0';
    if (f)
        fclose(f);
    if (good)
        return text;
    free(text);
    return NULL;
}

static le_status fail_with_path(le_status status, const char *path) {
    char *why = strdup(le_error_message());
    if (why)
        le_fail(status, "%s: %s", path, why);
    free(why);
    return status;
}

le_status run_chain_register(le_engine *engine, const char *path, char **name) {
    char *text = read_text(path);
    if (!text)
        return LE_ERR_IO;
    const size_t size = strlen(text) + 1; /* the name is a part of it */
    *name = malloc(size);
    le_status status = *name ? le_chain_register_json(engine, text, *name, size)
                             : le_fail(LE_ERR_MEMORY, "out of memory");
    free(text);
    return status == LE_OK ? status : fail_with_path(status, path);
}

le_status run_chain_print(le_chain *chain, const le_arg *options, size_t n, bool json) {
    le_chain_plan *plan = NULL;
    le_status status = le_chain_explain(chain, &plan, options, n);
    if (status == LE_OK && json) {
        char *text = le_chain_plan_json(plan);
        status = text ? LE_OK : le_fail(LE_ERR_MEMORY, "out of memory");
        if (text)
            puts(text);
        free(text);
    } else if (status == LE_OK) {
        explain_plan(plan, true, stdout);
    }
    le_chain_plan_free(&plan);
    return status;
}

static le_status write_trace(const le_profile *profile, const char *path) {
    char *text = le_profile_trace_json(profile);
    if (!text)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    le_status status = tool_save(path, text);
    free(text);
    return status;
}

le_status run_print_profile(le_engine *engine, const char *trace_path) {
    le_profile *profile = NULL;
    le_status status = le_profile_stop(engine, &profile);
    char *table = status == LE_OK ? le_profile_table(profile) : NULL;
    if (status == LE_OK && !table)
        status = le_fail(LE_ERR_MEMORY, "out of memory");
    if (table)
        fputs(table, stdout);
    free(table);
    if (status == LE_OK && *trace_path)
        status = write_trace(profile, trace_path);
    le_profile_free(&profile);
    return status;
}
