/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Whether writing one place would replace what another one is read from: by the files themselves,
 * not by their names, and within an HDF5 file by the dataset.
 */
#include "core/array.h"
#include "files/io.h"
#include "files/nrrd.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct file_list {
    struct stat *info; /* of files that exist */
    size_t n, capacity;
    bool failed;
} file_list;

static void add(file_list *l, const char *file) {
    struct stat info;
    if (l->failed || !file || stat(file, &info) != 0)
        return;
    struct stat *grown = le__array_room(l->info, l->n, &l->capacity, sizeof *grown);
    l->failed = !grown;
    if (!grown)
        return;
    l->info = grown;
    l->info[l->n++] = info;
}

/* Whether the file is the name with a number in it, which %% before it shifts. */
static bool is_numbered(const char *name, const char *file, bool *failed) {
    size_t at = 0;
    for (const char *c = name; *c && (c[0] != '%' || c[1] == '%'); c += c[0] == '%' ? 2 : 1)
        at++;
    int64_t number = strtoll(file + at, NULL, 10);
    char *same = le__io_name_number(name, number);
    bool is = same && strcmp(same, file) == 0;
    *failed = *failed || !same;
    free(same);
    return is;
}

static void add_stack(file_list *l, const char *name) {
    bool numbered = false;
    if (le__io_name_check(name, &numbered) != LE_OK)
        return;
    if (!numbered) {
        char *file = le__io_name_number(name, 0);
        l->failed = l->failed || !file;
        add(l, file);
        free(file);
        return;
    }
    glob_t there = {0};
    char *pattern = le__io_name_pattern(name);
    int end = pattern ? glob(pattern, GLOB_NOSORT, NULL, &there) : GLOB_NOSPACE;
    l->failed = l->failed || end == GLOB_NOSPACE;
    for (size_t i = 0; end == 0 && i < there.gl_pathc; i++)
        if (is_numbered(name, there.gl_pathv[i], &l->failed))
            add(l, there.gl_pathv[i]);
    globfree(&there);
    free(pattern);
}

static void add_all(file_list *l, const le__io_place *place, bool for_writing) {
    if (place->format == LE__IO_PNG) {
        add_stack(l, place->file);
        return;
    }
    add(l, place->file);
    if (place->format == LE__IO_NRRD) {
        char *data = le__nrrd_data_name(place->file, for_writing);
        add(l, data);
        free(data);
    }
}

typedef struct target {
    const le__io_place *place;
    file_list files;
} target;

static bool shares_a_file(const target *out, const le__io_place *input) {
    file_list in = {0};
    add_all(&in, input, false);
    bool found = in.failed; /* out of memory: nothing is written */
    for (size_t i = 0; i < out->files.n; i++)
        for (size_t k = 0; k < in.n; k++)
            found = found || (out->files.info[i].st_dev == in.info[k].st_dev &&
                              out->files.info[i].st_ino == in.info[k].st_ino);
    free(in.info);
    return found;
}

static bool is_replaced(const le__io_place *input, void *output) {
    const target *out = output;
    bool found = shares_a_file(out, input);
    if (found && out->place->format == LE__IO_HDF5 && input->format == LE__IO_HDF5)
        found = le__h5_same_dataset(out->place, input);
    return found;
}

/* Where nothing is yet, nothing is replaced. */
static bool replaces(target *out, const le__io_place *in) {
    add_all(&out->files, out->place, true);
    if (out->files.failed || out->files.n == 0)
        return out->files.failed;
    return in->format == LE__IO_HDF5 ? le__h5_any_origin(in, is_replaced, out)
                                     : is_replaced(in, out);
}

bool le_io_replaces(const char *output, const char *input) {
    le__io_place out, in;
    if (le__io_place_parse(output, &out) != LE_OK)
        return false;
    if (le__io_place_parse(input, &in) != LE_OK) {
        le__io_place_free(&out);
        return false;
    }
    target to = {.place = &out};
    bool found = replaces(&to, &in);
    free(to.files.info);
    le__io_place_free(&in);
    le__io_place_free(&out);
    return found;
}
