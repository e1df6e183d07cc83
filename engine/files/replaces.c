/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Whether writing one place would replace what another one is read from: by the files themselves,
 * not by their names, and within an HDF5 file by the dataset.
 */
#include "core/array.h"
#include "files/io.h"
#include "files/nrrd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STACK_MAX = 4096 }; /* numbers that are looked at */

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

static void add_stack(file_list *l, const char *name) {
    bool numbered = false;
    if (le__io_name_check(name, &numbered) != LE_OK)
        return;
    for (int64_t i = 0; i < (numbered ? STACK_MAX : 1); i++) {
        char *file = le__io_name_number(name, i);
        add(l, file);
        l->failed = l->failed || !file;
        free(file);
    }
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

static bool share_a_file(const le__io_place *output, const le__io_place *input) {
    file_list out = {0}, in = {0};
    add_all(&out, output, true);
    add_all(&in, input, false);
    bool found = out.failed || in.failed; /* out of memory: nothing is written */
    for (size_t i = 0; i < out.n; i++)
        for (size_t k = 0; k < in.n; k++)
            found = found || (out.info[i].st_dev == in.info[k].st_dev &&
                              out.info[i].st_ino == in.info[k].st_ino);
    free(out.info);
    free(in.info);
    return found;
}

static bool same_data(const le__io_place *output, const le__io_place *input) {
    bool found = share_a_file(output, input);
    if (found && output->format == LE__IO_HDF5 && input->format == LE__IO_HDF5)
        found = le__h5_same_dataset(output, input);
    return found;
}

static bool part_is(const le__io_place *part, void *output) {
    return same_data(output, part);
}

bool le_io_replaces(const char *output, const char *input) {
    le__io_place out, in;
    if (le__io_place_parse(output, &out) != LE_OK)
        return false;
    if (le__io_place_parse(input, &in) != LE_OK) {
        le__io_place_free(&out);
        return false;
    }
    if (in.format == LE__IO_HDF5)
        le__h5_follow(&in);
    bool found =
        same_data(&out, &in) || (in.format == LE__IO_HDF5 && le__h5_any_part(&in, part_is, &out));
    le__io_place_free(&in);
    le__io_place_free(&out);
    return found;
}
