/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The file RESULT.part: how many chunks are done, of how many, and the command.
 */
#include "scan_state.h"

#include "tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside the file of the first result. */
static bool name_of(const run_args *a, char *out, size_t size) {
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (a->operation->args[i].type == LE_TYPE_OUT && a->args[i].given) {
            const char *text = a->args[i].text, *colon = strstr(text, ":/");
            const int length = colon ? (int)(colon - text) : (int)strlen(text);
            return snprintf(out, size, "%.*s.part", length, text) < (int)size;
        }
    return false;
}

static void describe(const run_args *a, int64_t items, tool_text *out) {
    tool_add(out, "of %" PRId64 " %s", items, a->operation->name);
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (a->args[i].given)
            tool_add(out, " %s=%s", a->operation->args[i].name, a->args[i].text);
    tool_add(out, "\n");
}

int64_t scan_state_read(const run_args *a, int64_t items) {
    char name[4200], text[16384] = "";
    int64_t done = 0;
    int length = 0;
    FILE *f = name_of(a, name, sizeof name) ? fopen(name, "rb") : NULL;
    if (!f)
        return 0;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    tool_text wanted = {0};
    describe(a, items, &wanted);
    const bool same = sscanf(text, "%" SCNd64 " %n", &done, &length) == 1 && length > 0 &&
                      wanted.text && !strcmp(text + length, wanted.text);
    tool_text_free(&wanted);
    return same && done > 0 && done <= items ? done : 0;
}

bool scan_state_write(const run_args *a, int64_t items, int64_t done) {
    char name[4200];
    tool_text text = {0};
    tool_add(&text, "%" PRId64 " ", done);
    describe(a, items, &text);
    const bool good = name_of(a, name, sizeof name) && text.text && tool_write(name, text.text);
    tool_text_free(&text);
    return good;
}

void scan_state_remove(const run_args *a) {
    char name[4200];
    if (name_of(a, name, sizeof name))
        unlink(name);
}
