/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The file RESULT.scan.NUMBER: how many chunks are done, of how many, and the command; the number
 * is the result's place, for a file may have several.
 */
#include "scan_state.h"

#include "liquid_engine/le_io.h"
#include "scan_command.h"
#include "tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "le-run scan ";

static bool name_of(const run_args *a, char *out, size_t size) {
    char ending[32];
    snprintf(ending, sizeof ending, ".scan.%08" PRIx64, scan_command_place(a) & 0xffffffff);
    return scan_command_name(a, ending, out, size);
}

/* The text of the state; NULL: there is none, or a file that is none has its name. To be freed. */
static char *read_text(const char *name) {
    enum { MOST = 65536 };
    FILE *f = fopen(name, "rb");
    char *text = f ? calloc(1, MOST) : NULL;
    if (text)
        text[fread(text, 1, MOST - 1, f)] = '\0';
    if (f)
        fclose(f);
    if (text && strncmp(text, magic, sizeof magic - 1) == 0)
        return text;
    free(text);
    return NULL;
}

/* What follows the number of items that are done. */
static bool add_command(const scan_state *s, tool_text *out) {
    uint64_t hash;
    const bool good = scan_command_hash(s->options, s->args, NULL, s->items, &hash);
    scan_command_words(s->args, s->items, out);
    tool_add(out, "%016" PRIx64 "\n", hash);
    return good && !out->failed && out->text;
}

bool scan_state_read(scan_state *s) {
    char name[4200];
    int length = 0;
    char *text = name_of(s->args, name, sizeof name) ? read_text(name) : NULL;
    tool_text wanted = {0};
    const bool same = text && add_command(s, &wanted) &&
                      sscanf(text + sizeof magic - 1, "%" SCNd64 " %" SCNx64 " %n", &s->done,
                             &s->last, &length) == 2 &&
                      length > 0 && !strcmp(text + sizeof magic - 1 + length, wanted.text);
    tool_text_free(&wanted);
    free(text);
    return same && s->done > 0 && s->done <= s->items;
}

bool scan_state_write(const scan_state *s) {
    char name[4200];
    tool_text text = {0};
    if (!name_of(s->args, name, sizeof name))
        return false;
    char *old = read_text(name);
    tool_add(&text, "%s%" PRId64 " %016" PRIx64 " ", magic, s->done, s->last);
    const bool good =
        (old || access(name, F_OK) != 0) && add_command(s, &text) && tool_write(name, text.text);
    free(old);
    tool_text_free(&text);
    return good;
}

void scan_state_remove(const run_args *a) {
    char name[4200], *text = name_of(a, name, sizeof name) ? read_text(name) : NULL;
    if (text)
        unlink(name);
    free(text);
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
