/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The command of a scan as numbers.
 */
#include "scan_command.h"

#include "liquid_engine/le_io.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

uint64_t scan_mixed(uint64_t h, const void *data, size_t n) {
    const char *at = data;
    for (; n >= sizeof h; at += sizeof h, n -= sizeof h) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        h = (h ^ word) * 0x100000001b3u;
        h ^= h >> 32;
    }
    for (; n > 0; at++, n--)
        h = (h ^ (unsigned char)*at) * 0x100000001b3u;
    return h;
}

static const char *first_result(const run_args *a) {
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (a->operation->args[i].type == LE_TYPE_OUT && a->args[i].given)
            return a->args[i].text;
    return NULL;
}

/* Of pictures, which are no places, all of it is the name. */
bool scan_command_name(const run_args *a, const char *ending, char *out, size_t size) {
    const char *text = first_result(a);
    char *file = NULL;
    if (!text)
        return false;
    const bool place = le_io_place_file(text, &file) == LE_OK;
    const int n = snprintf(out, size, "%s%s", place ? file : text, ending);
    free(file);
    return n > 0 && (size_t)n < size;
}

uint64_t scan_command_place(const run_args *a) {
    const char *text = first_result(a);
    return text ? scan_mixed(0, text, strlen(text)) : 0;
}

void scan_command_words(const run_args *a, int64_t items, tool_text *out) {
    tool_add(out, "of %" PRId64 " %s", items, a->operation->name);
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (a->args[i].given)
            tool_add(out, " %s=%s", a->operation->args[i].name, a->args[i].text);
    tool_add(out, "\n");
}

static void add_options(tool_text *t, const run_options *o) {
    const char *const words[] = {o->implementation, o->run_type, o->device};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        tool_add(t, " %s", words[i] ? words[i] : "-");
    tool_add(t, " %d %a %a %s", o->reproducible, o->has_rtol ? o->rtol : -1,
             o->has_atol ? o->atol : -1, le_version());
}

/* The size and date of the file that a text names, or is a place in. */
static void add_file(tool_text *t, const char *text) {
    struct stat about;
    char *file = NULL;
    const bool known = stat(text, &about) == 0 ||
                       (le_io_place_file(text, &file) == LE_OK && stat(file, &about) == 0);
    free(file);
    if (known)
        tool_add(t, " %" PRId64 " %" PRId64 ".%09" PRId64, (int64_t)about.st_size,
                 (int64_t)about.st_mtim.tv_sec, (int64_t)about.st_mtim.tv_nsec);
}

static void add_inputs(tool_text *t, const run_args *a, bool frames) {
    for (size_t i = 0; i < a->operation->n_args; i++)
        if (a->args[i].given && a->args[i].text && a->operation->args[i].type != LE_TYPE_OUT &&
            (frames || strcmp(a->operation->args[i].name, "frames") != 0))
            add_file(t, a->args[i].text);
}

bool scan_command_hash(const run_options *o, const run_args *a, const scan_layout *frames,
                       int64_t items, uint64_t *out) {
    tool_text about = {0};
    scan_command_words(a, items, &about);
    add_options(&about, o);
    add_inputs(&about, a, frames != NULL);
    for (size_t k = 0; frames && k < frames->n_pieces; k++)
        add_file(&about, frames->pieces[k].place);
    const bool good = !about.failed && about.text;
    *out = good ? scan_mixed(0, about.text, about.n) : 0;
    tool_text_free(&about);
    return good;
}
