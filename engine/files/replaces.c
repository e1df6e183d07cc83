/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Whether writing one place would replace what another one is read from: by the files themselves,
 * not by their names, and within an HDF5 file by the dataset. What is not there yet counts as it
 * would be.
 */
#include "core/array.h"
#include "files/io.h"
#include "files/nrrd.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file that is there, or the folder on the way to one that is not, and the rest of its name. */
typedef struct identity {
    dev_t device;
    ino_t inode;
    char *rest; /* owned; NULL: it is there */
} identity;

typedef struct file_list {
    identity *file;
    size_t n, capacity;
    identity stack; /* the numbered name as if nothing had it; .rest NULL: there is none */
    bool failed;
} file_list;

/* Without empty parts and "."; with `up`, a part and the ".." after it go, too. */
static void tidy(char *path, bool up) {
    char *to = path;
    for (const char *from = path; *from;) {
        const size_t n = strcspn(from, "/"), slash = from[n] == '/';
        if (up && n == 2 && !memcmp(from, "..", 2) && to > path) {
            while (to > path && *--to != '/')
                ;
        } else if (n > 1 || (n == 1 && *from != '.')) {
            if (to > path)
                *to++ = '/';
            memmove(to, from, n);
            to += n;
        }
        from += n + slash;
    }
    *to = '\0';
}

/* Bytes of the name that lead to the last folder that is there. */
static size_t folder_there(char *name, struct stat *info) {
    size_t n = strlen(name);
    for (bool found = false; !found;) {
        while (n > 0 && name[n - 1] != '/')
            n--;
        const char kept = name[n];
        name[n] = '\0';
        found = stat(n ? name : ".", info) == 0 || n == 0;
        name[n] = kept;
        while (!found && n > 0 && name[n - 1] == '/')
            n--;
    }
    return n;
}

/* As if the file were not there. False: out of memory. */
static bool identify_new(const char *file, identity *out) {
    struct stat info = {.st_ino = 0};
    char *name = le__outfile_target(file);
    if (!name && errno == ELOOP)
        name = strdup(file);
    if (!name)
        return false;
    const size_t n = folder_there(name, &info);
    *out = (identity){info.st_dev, info.st_ino, strdup(name + n)};
    if (out->rest)
        tidy(out->rest, true);
    free(name);
    return out->rest != NULL;
}

/* False: out of memory. */
static bool identify(const char *file, identity *out) {
    struct stat info;
    if (stat(file, &info) != 0)
        return identify_new(file, out);
    *out = (identity){info.st_dev, info.st_ino, NULL};
    return true;
}

static bool is_same(const identity *a, const identity *b) {
    return a->device == b->device && a->inode == b->inode && !a->rest == !b->rest &&
           (!a->rest || !strcmp(a->rest, b->rest));
}

static void add(file_list *l, const char *file) {
    if (l->failed || !file)
        return;
    l->failed = !LE__ARRAY_ROOM(l->file, l->n, l->capacity) || !identify(file, &l->file[l->n]);
    l->n += !l->failed;
}

static void release(file_list *l) {
    for (size_t i = 0; i < l->n; i++)
        free(l->file[i].rest);
    free(l->file);
    free(l->stack.rest);
}

/* Characters of a part of a name, in which %% stands for one, up to its conversion or its end. */
static size_t plain_length(const char **part) {
    size_t n = 0;
    const char *c = *part;
    for (; *c && (c[0] != '%' || c[1] == '%'); c += c[0] == '%' ? 2 : 1)
        n++;
    *part = c;
    return n;
}

/* Whether the file is the name with a number in it. */
static bool is_numbered(const char *name, const char *file, bool *failed) {
    const char *rest = name;
    const size_t before = plain_length(&rest);
    rest += *rest ? 1 + strspn(rest + 1, "0123456789") + 1 : 0;
    const size_t after = plain_length(&rest), all = strlen(file);
    char *digits = before + after < all ? strndup(file + before, all - before - after) : NULL;
    const int64_t number = digits ? strtoll(digits, NULL, 10) : -1;
    char *same = digits ? le__io_name_number(name, number) : NULL;
    const bool is = same && number >= 0 && strcmp(same, file) == 0;
    *failed = *failed || (before + after < all && !same);
    free(same);
    free(digits);
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
    l->failed = l->failed || !identify_new(name, &l->stack);
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

/* Whether a file that is not there yet would be one of a stack. */
static bool will_be_in(const identity *stack, const identity *file, bool *failed) {
    return stack->rest && file->rest && stack->device == file->device &&
           stack->inode == file->inode && is_numbered(stack->rest, file->rest, failed);
}

static bool any_will_be_in(const identity *stack, const file_list *l, bool *failed) {
    bool any = false;
    for (size_t i = 0; i < l->n; i++)
        any = any || will_be_in(stack, &l->file[i], failed);
    return any;
}

/* Whether a file of b will be one of a: tried with a number that is longer than widths are. */
static bool stacks_meet(const identity *a, const identity *b, bool *failed) {
    static const int64_t long_number = 1000000000000;
    identity file = *b;
    file.rest = b->rest ? le__io_name_number(b->rest, long_number) : NULL;
    *failed = *failed || (b->rest && !file.rest);
    const bool meet = will_be_in(a, &file, failed);
    free(file.rest);
    return meet;
}

/* What is read of a stack are its files that are there; without any it is yet to be written. */
static bool shares_a_file(const target *out, const le__io_place *input) {
    const file_list *files = &out->files;
    file_list in = {0};
    add_all(&in, input, false);
    bool failed = in.failed, found = any_will_be_in(&files->stack, &in, &failed);
    for (size_t i = 0; i < files->n; i++)
        for (size_t k = 0; k < in.n; k++)
            found = found || is_same(&files->file[i], &in.file[k]);
    if (in.n == 0)
        found = found || any_will_be_in(&in.stack, files, &failed) ||
                stacks_meet(&files->stack, &in.stack, &failed) ||
                stacks_meet(&in.stack, &files->stack, &failed);
    release(&in);
    return found || failed; /* out of memory: nothing is written */
}

/* By name, for neither has to be there, or by what the names lead to. */
static bool same_dataset(const le__io_place *a, const le__io_place *b) {
    char *x = strdup(a->dataset), *y = b->dataset ? strdup(b->dataset) : NULL;
    bool same = !x;
    if (x && y) {
        tidy(x, false);
        tidy(y, false);
        same = !strcmp(x, y);
    }
    free(x);
    free(y);
    return same || le__h5_same_dataset(a, b);
}

static bool is_replaced(const le__io_place *input, void *output) {
    const target *out = output;
    bool found = shares_a_file(out, input);
    if (!found || !out->place->dataset) /* of the file nothing stays */
        return found;
    return input->format == LE__IO_HDF5 ? same_dataset(out->place, input) : input->format != 0;
}

static bool any_there(const file_list *l) {
    bool any = false;
    for (size_t i = 0; i < l->n; i++)
        any = any || !l->file[i].rest;
    return any;
}

/* What is not there yet is no part of anything. */
static bool replaces(target *out, const le__io_place *in) {
    add_all(&out->files, out->place, true);
    if (out->files.failed)
        return true;
    return in->format == LE__IO_HDF5 && any_there(&out->files)
               ? le__h5_any_origin(in, is_replaced, out)
               : is_replaced(in, out);
}

/* What is no place is a plain file. False: out of memory. */
static bool parse(const char *text, le__io_place *out) {
    if (le__io_place_parse(text, out) == LE_OK)
        return true;
    *out = (le__io_place){.text = text, .file = strdup(text)};
    return out->file != NULL;
}

bool le_io_replaces(const char *output, const char *input) {
    le__io_place out = {0}, in = {0};
    if (!output || !input)
        return false;
    target to = {.place = &out};
    bool found = !parse(output, &out) || !parse(input, &in) || replaces(&to, &in);
    release(&to.files);
    le__io_place_free(&in);
    le__io_place_free(&out);
    return found;
}
