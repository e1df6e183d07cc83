/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The datasets of a group of an HDF5 file, as master files of detectors have one: links to the
 * files with the frames, and perhaps a virtual dataset of all of them beside.
 */
#include "files/h5.h"
#include "files/source.h"

#include "core/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names, one behind the other with their ends, as another process tells them. */
enum { TOLD_BYTES = 16 << 20 };
typedef struct told {
    size_t used;
    char text[TOLD_BYTES];
} told;

typedef struct list_job {
    const le__io_place *place;
    int64_t file_bytes;
    le__h5_handle handle;
    le__h5_names names;
    size_t room; /* for names */
    bool frames, any_soft, out_of_memory;
    told *told;
} list_job;

static bool add(list_job *job, const char *name) {
    le__h5_names *l = &job->names;
    if (!LE__ARRAY_ROOM(l->list, l->n, job->room))
        return false;
    l->list[l->n] = strdup(name);
    return l->list[l->n++] != NULL;
}

static int axes_of(hid_t set) {
    hid_t space = H5Dget_space(set);
    const int axes = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    le__h5_drop(space);
    return axes;
}

/* Whether something is there that may be a dataset although it cannot be opened as one. Nothing
 * tells what an object is whose header is damaged. */
static bool is_broken(hid_t group, const char *name, hid_t access) {
    H5O_info_t info;
    if (H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, access) >= 0)
        return info.type == H5O_TYPE_DATASET;
    return H5Oexists_by_name(group, name, access) > 0;
}

/* Whether a name is that of a dataset with elements of its own, or leads to another file. What
 * cannot be opened is left to whoever opens it, for only there is the reason told. */
static bool is_wanted(hid_t group, const char *name, bool frames) {
    bool left;
    hid_t access = le__h5_inside(&left), set = H5Dopen2(group, name, access);
    hid_t plist = set < 0 ? -1 : H5Dget_create_plist(set);
    const bool virtual = plist >= 0 && H5Pget_layout(plist) == H5D_VIRTUAL;
    const int axes = set < 0 ? -1 : axes_of(set);
    const bool wanted =
        left || (set < 0 ? is_broken(group, name, access)
                         : !virtual && !(frames && axes >= 0 && axes < LE__FRAME_AXES));
    le__h5_drop(plist);
    le__h5_drop(set);
    H5Pclose(access);
    return wanted;
}

static herr_t note(hid_t group, const char *name, const H5L_info_t *info, void *cookie) {
    list_job *job = cookie;
    if (info->type == H5L_TYPE_EXTERNAL || is_wanted(group, name, job->frames)) {
        job->out_of_memory = !add(job, name);
        job->any_soft = job->any_soft || info->type == H5L_TYPE_SOFT;
    }
    return job->out_of_memory;
}

/* ---------------------------------------------------------------------- names of the same -- */

typedef struct member {
    char *target; /* what its name leads to, in words; NULL: unknown */
    bool soft;
    size_t at;
} member;

/* The dataset behind soft links, as the place in this file or as the link to another one has it. */
static char *target_of(hid_t file, const char *name) {
    char *target = NULL;
    le__h5_link link;
    H5O_info_t info;
    H5L_info_t last;
    bool left;
    int n = -1;
    le__h5_link_find(file, name, &link);
    if (link.found) {
        n = asprintf(&target, "%s:%s", link.file, link.dataset + strspn(link.dataset, "/"));
        return n < 0 ? NULL : target;
    }
    hid_t access = le__h5_inside(&left);
    if (H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, access) >= 0)
        n = asprintf(&target, ":%llu", (unsigned long long)info.addr);
    else if (H5Lget_info(file, link.dataset, &last, H5P_DEFAULT) >= 0 && last.type == H5L_TYPE_HARD)
        n = asprintf(&target, ":%llu", (unsigned long long)last.u.address); /* of a damaged one */
    H5Pclose(access);
    return n < 0 ? NULL : target;
}

static void describe(hid_t file, const char *group, const char *name, member *out) {
    char *path;
    H5L_info_t info;
    if (asprintf(&path, "%s/%s", group, name) < 0)
        return;
    out->soft = H5Lget_info(file, path, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_SOFT;
    out->target = target_of(file, path);
    free(path);
}

/* Those that lead to the same lie together, soft links behind others. */
static int by_target(const void *x, const void *y) {
    const member *a = x, *b = y;
    const int order =
        !a->target || !b->target ? !a->target - !b->target : strcmp(a->target, b->target);
    if (order)
        return order;
    return a->soft != b->soft ? a->soft - b->soft : (a->at > b->at) - (a->at < b->at);
}

/* A soft link to a dataset that has another name in the group adds none. */
static bool drop_soft(hid_t file, const char *group, le__h5_names *names) {
    member *all = calloc(names->n, sizeof *all);
    size_t left = 0;
    for (size_t i = 0; all && i < names->n; i++) {
        all[i].at = i;
        describe(file, group, names->list[i], &all[i]);
    }
    if (!all)
        return false;
    qsort(all, names->n, sizeof *all, by_target);
    for (size_t i = 1; i < names->n; i++)
        if (all[i].soft && all[i].target && all[i - 1].target &&
            !strcmp(all[i].target, all[i - 1].target)) {
            free(names->list[all[i].at]);
            names->list[all[i].at] = NULL;
        }
    for (size_t i = 0; i < names->n; i++) {
        free(all[i].target);
        if (names->list[i])
            names->list[left++] = names->list[i];
    }
    names->n = left;
    free(all);
    return true;
}

/* ---------------------------------------------------------------------------------- listing -- */

static le_status tell(const list_job *job) {
    told *t = job->told;
    t->used = 0;
    for (size_t i = 0; i < job->names.n; i++) {
        const size_t size = strlen(job->names.list[i]) + 1;
        if (size > sizeof t->text - t->used)
            return le_fail(LE_ERR_UNSUPPORTED, "%s: the names in the group take more than %d MiB",
                           job->place->text, TOLD_BYTES >> 20);
        memcpy(t->text + t->used, job->names.list[i], size);
        t->used += size;
    }
    return LE_OK;
}

static le_status list_group(void *context) {
    list_job *job = context;
    hid_t file = -1;
    le_status status = le__h5_file_read(&job->handle, job->place->file, job->file_bytes, &file);
    hid_t group = file < 0 ? -1 : H5Gopen2(file, job->place->dataset, H5P_DEFAULT);
    if (status == LE_OK && group < 0)
        status = le__h5_fail(job->place->text, "is no group");
    hsize_t at = 0;
    if (group >= 0 && H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, note, job) < 0)
        status = le__h5_fail(job->place->text, "its datasets cannot be listed");
    if (status == LE_OK && job->frames && job->any_soft && !job->out_of_memory)
        job->out_of_memory = !drop_soft(file, job->place->dataset, &job->names);
    if (job->out_of_memory)
        status = le_fail(LE_ERR_MEMORY, "%s: out of memory", job->place->text);
    if (status == LE_OK)
        status = tell(job);
    le__h5_names_free(&job->names);
    job->room = 0;
    le__h5_drop(group);
    le__h5_drop(file);
    return status;
}

void le__h5_names_free(le__h5_names *names) {
    for (size_t i = 0; i < names->n; i++)
        free(names->list[i]);
    free(names->list);
    *names = (le__h5_names){.n = 0};
}

static le_status take(list_job *job, le__h5_names *out) {
    const told *t = job->told;
    if (t->used > sizeof t->text || (t->used && t->text[t->used - 1])) /* a damaged file's doing */
        return le_fail(LE_ERR_IO, "%s: its datasets cannot be listed", job->place->text);
    for (size_t at = 0; at < t->used; at += strlen(t->text + at) + 1)
        if (!add(job, t->text + at))
            return le_fail(LE_ERR_MEMORY, "%s: out of memory", job->place->text);
    *out = job->names;
    return out->n ? LE_OK : le_fail(LE_ERR_IO, "%s: the group has no dataset", job->place->text);
}

/* In a child alone: after it has met a damaged dataset HDF5 cannot end without a word. */
le_status le__h5_list(const le__io_place *place, bool frames, le__h5_names *out) {
    *out = (le__h5_names){.n = 0};
    list_job job = {.place = place, .frames = frames, .handle = {.unlocked = true}};
    if (!place->dataset)
        return le_fail(LE_ERR_ARGUMENT, "%s: name a group, as FILE.h5:/NAME", place->text);
    job.handle.fd = le__io_open(place->file, &job.file_bytes);
    if (job.handle.fd < 0)
        return LE_ERR_IO;
    job.told = le__io_shared(sizeof *job.told);
    le_status status = job.told ? le__h5_guarded(place->text, 0, false, list_group, &job)
                                : le_fail(LE_ERR_MEMORY, "%s: out of memory", place->text);
    close(job.handle.fd);
    if (status == LE_OK)
        status = take(&job, out);
    le__io_unshare(job.told, sizeof *job.told);
    if (status != LE_OK)
        le__h5_names_free(&job.names);
    return status;
}
