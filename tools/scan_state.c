/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The file RESULT.part: how many chunks are done, of how many, and the command.
 */
#include "scan_state.h"

#include "liquid_engine/le_io.h"
#include "tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool scan_state_name(const run_args *a, const char *ending, char *out, size_t size) {
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (a->operation->args[i].type == LE_TYPE_OUT && a->args[i].given) {
            const char *text = a->args[i].text, *colon = strstr(text, ":/");
            const int length = colon ? (int)(colon - text) : (int)strlen(text);
            return snprintf(out, size, "%.*s%s", length, text, ending) < (int)size;
        }
    return false;
}

void scan_state_describe(const run_args *a, int64_t items, tool_text *out) {
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
    FILE *f = scan_state_name(a, ".part", name, sizeof name) ? fopen(name, "rb") : NULL;
    if (!f)
        return 0;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    tool_text wanted = {0};
    scan_state_describe(a, items, &wanted);
    const bool same = sscanf(text, "%" SCNd64 " %n", &done, &length) == 1 && length > 0 &&
                      wanted.text && !strcmp(text + length, wanted.text);
    tool_text_free(&wanted);
    return same && done > 0 && done <= items ? done : 0;
}

bool scan_state_write(const run_args *a, int64_t items, int64_t done) {
    char name[4200];
    tool_text text = {0};
    tool_add(&text, "%" PRId64 " ", done);
    scan_state_describe(a, items, &text);
    const bool good =
        scan_state_name(a, ".part", name, sizeof name) && text.text && tool_write(name, text.text);
    tool_text_free(&text);
    return good;
}

void scan_state_remove(const run_args *a) {
    char name[4200];
    if (scan_state_name(a, ".part", name, sizeof name))
        unlink(name);
}

static bool begins_like(const char *place, int ndim, const int64_t *shape) {
    int64_t has[LE_MAX_DIMS];
    le_dtype dtype;
    int n;
    if (le_io_peek(place, &dtype, &n, has) != LE_OK || dtype != LE_F64 || n < ndim)
        return false;
    for (int d = 0; d < ndim; d++)
        if (has[d] != shape[d])
            return false;
    return true;
}

/* The layout is what fills the file. */
static char *with_layout(const char *file, int ndim, const int64_t *shape) {
    int64_t row = (int64_t)sizeof(double);
    struct stat about;
    tool_text place = {0};
    tool_add(&place, "%s:f64:", file);
    for (int d = 0; d < ndim; d++) {
        tool_add(&place, "%" PRId64 ",", shape[d]);
        row *= shape[d];
    }
    const bool known = stat(file, &about) == 0 && row > 0 && about.st_size % row == 0;
    tool_add(&place, "%" PRId64, known ? (int64_t)about.st_size / row : 0);
    if (known && begins_like(place.text, ndim, shape))
        return place.text;
    tool_text_free(&place);
    return NULL;
}

char *scan_state_place(const char *file, int ndim, const int64_t *shape) {
    return begins_like(file, ndim, shape) ? strdup(file) : with_layout(file, ndim, shape);
}
