/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Plots in HDF5 files as NeXus has them (https://manual.nexusformat.org): a group NXdata that names
 * its signal and axes, and attributes `default` that lead there from the root.
 */
#include "files/h5.h"

#include "core/struct.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct plot_job {
    const le_io_plot *plot;
    const le__io_place *place; /* of the group */
    int ndim;                  /* of the signal */
} plot_job;

static bool put_text(hid_t object, const char *name, const char *text) {
    return le__h5_put_texts(object, name, &text, -1);
}

static bool put_axis(hid_t group, const le_io_axis *axis) {
    const hsize_t n = (hsize_t)axis->values->shape[0];
    hid_t space = H5Screate_simple(1, &n, NULL), type = le__h5_type(axis->values->dtype);
    hid_t set = H5Dcreate2(group, axis->name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = set >= 0 &&
                H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, axis->values->data) >= 0 &&
                (!axis->units || put_text(set, "units", axis->units)) &&
                (!axis->long_name || put_text(set, "long_name", axis->long_name));
    le__h5_drop(set);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool put_title(hid_t group, const char *title) {
    hid_t type = le__h5_text_type(), space = H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(group, "title", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &title) >= 0;
    le__h5_drop(set);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* By name, so that what takes the dataset's place shows, and the old one's room is free again. */
static bool put_link(hid_t group, const char *dataset, const char *name) {
    char *path;
    if (asprintf(&path, "/%s", dataset + strspn(dataset, "/")) < 0)
        return false;
    bool good = H5Lcreate_soft(path, group, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    free(path);
    return good;
}

static bool has_dataset(hid_t file, const char *name) {
    H5O_info_t info;
    return H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           info.type == H5O_TYPE_DATASET;
}

/* The signal stays where it is; the group has a second name for it. */
static bool link_signal(hid_t file, hid_t group, plot_job *job) {
    const le_io_plot *p = job->plot;
    char errors[128];
    hid_t set = H5Dopen2(file, p->signal, H5P_DEFAULT), space = set < 0 ? -1 : H5Dget_space(set);
    job->ndim = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    snprintf(errors, sizeof errors, "%.100s_errors", p->name);
    bool good =
        job->ndim >= (int)p->n_axes && job->ndim <= LE_MAX_DIMS &&
        put_text(set, "interpretation", p->interpretation) && put_link(group, p->signal, p->name) &&
        (!p->errors || (has_dataset(file, p->errors) && put_link(group, p->errors, errors)));
    le__h5_drop(space);
    le__h5_drop(set);
    return good;
}

static bool put_group(hid_t file, hid_t group, plot_job *job) {
    const le_io_plot *p = job->plot;
    const char *names[LE_MAX_DIMS];
    bool good = link_signal(file, group, job);
    for (int i = 0; good && i < job->ndim; i++) {
        const int axis = i - (job->ndim - (int)p->n_axes);
        names[i] = axis < 0 ? "." : p->axes[axis].name;
        good = axis < 0 || put_axis(group, &p->axes[axis]);
    }
    return good && put_text(group, "NX_class", "NXdata") && put_text(group, "signal", p->name) &&
           le__h5_put_texts(group, "axes", names, job->ndim) &&
           (!p->title || put_title(group, p->title));
}

/* A group's class, unless it has one. */
static bool put_class(hid_t group, const char *name) {
    return H5Aexists(group, "NX_class") > 0 || put_text(group, "NX_class", name);
}

/* From the root to the entry, and from there to the plot. */
static bool put_defaults(hid_t file, const char *path) {
    char entry[256];
    path += strspn(path, "/");
    const size_t n = strcspn(path, "/");
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    snprintf(entry, sizeof entry, "%.*s", (int)(n < 255 ? n : 255), path);
    bool good = root >= 0 && put_class(root, "NXroot") && put_text(root, "default", entry);
    hid_t group = good && path[n] ? H5Gopen2(file, entry, H5P_DEFAULT) : -1;
    if (group >= 0)
        good = put_class(group, "NXentry") && put_text(group, "default", path + n + 1);
    le__h5_drop(group);
    le__h5_drop(root);
    return good;
}

/* -------------------------------------------------------------------------- a name for it -- */

/* An attribute of a group that was made here: how many names it had, and how many were links. */
static const char mark[] = "liquid_engine_names";

typedef struct census {
    int64_t names, links;
} census;

static herr_t count_name(hid_t group, const char *name, const H5L_info_t *info, void *cookie) {
    census *c = cookie;
    (void)group, (void)name;
    c->names++;
    c->links += info->type == H5L_TYPE_SOFT;
    return 0;
}

static census names_in(hid_t group) {
    census c = {0};
    hsize_t at = 0;
    return H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, count_name, &c) < 0
               ? (census){-1, -1}
               : c;
}

static bool put_mark(hid_t group) {
    const census c = names_in(group);
    const hsize_t n = 2;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t attribute = H5Acreate2(group, mark, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good =
        attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, (int64_t[]){c.names, c.links}) >= 0;
    le__h5_drop(attribute);
    H5Sclose(space);
    return good;
}

/* Two numbers, as put_mark writes them, or none. */
static bool get_mark(hid_t attribute, int64_t *out) {
    hid_t space = H5Aget_space(attribute);
    bool good = space >= 0 && H5Sget_simple_extent_npoints(space) == 2 &&
                H5Aread(attribute, H5T_NATIVE_INT64, out) >= 0;
    le__h5_drop(space);
    return good;
}

/* Whether a plot of before may go: nobody has put anything into it. */
static bool is_own(hid_t group) {
    int64_t then[2];
    const census c = names_in(group);
    hid_t attribute = H5Aexists(group, mark) > 0 ? H5Aopen(group, mark, H5P_DEFAULT) : -1;
    bool own =
        attribute >= 0 && get_mark(attribute, then) && then[0] == c.names && then[1] == c.links;
    le__h5_drop(attribute);
    return own;
}

/* Nothing is there, or a group; as the last name one that was made here. */
static bool is_usable(hid_t file, const char *path, bool last) {
    bool external;
    if (H5Lexists(file, path, H5P_DEFAULT) <=
        0) /* what leads there is usable, or not there either */
        return true;
    hid_t access = le__h5_inside(&external), object = H5Oopen(file, path, access);
    bool usable = object >= 0 && H5Iget_type(object) == H5I_GROUP && (!last || is_own(object));
    le__h5_drop(object);
    H5Pclose(access);
    return usable;
}

/* Puts one more part behind a path, with a number where something else has its name. */
static bool add_part(hid_t file, char *path, size_t size, const char *part, int n, bool last) {
    enum { MOST = 10000 };
    const size_t used = strlen(path), room = size - used;
    bool good = snprintf(path + used, room, "/%.*s", n, part) < (int)room, free = false;
    for (int k = 1; good && !free && k < MOST; k++) {
        free = is_usable(file, path, last);
        if (!free)
            good = snprintf(path + used, room, "/%.*s_%d", n, part, k) < (int)room;
    }
    return good && free;
}

static bool find_free(hid_t file, const char *name, char *out, size_t size) {
    bool good = true;
    *out = '\0';
    for (name += strspn(name, "/"); good && *name;) {
        const size_t n = strcspn(name, "/"), next = n + strspn(name + n, "/");
        good = add_part(file, out, size, name, (int)n, !name[next]);
        name += next;
    }
    return good && *out;
}

static le_status write_plot(void *context, hid_t file) {
    plot_job *job = context;
    char path[1024];
    if (!find_free(file, job->place->dataset, path, sizeof path))
        return le_fail(LE_ERR_IO, "%s: no name is left for the group, or it is too long",
                       job->place->text);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (H5Lexists(file, path, H5P_DEFAULT) > 0)
        H5Ldelete(file, path, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, path, links, H5P_DEFAULT, H5P_DEFAULT);
    bool good =
        group >= 0 && put_group(file, group, job) && put_mark(group) && put_defaults(file, path);
    le_status status = good ? LE_OK : le__h5_fail(job->place->text, "cannot be written");
    le__h5_drop(group);
    H5Pclose(links);
    return status;
}

static le_status check_axes(const le_io_plot *p) {
    for (size_t i = 0; i < p->n_axes; i++)
        if (!p->axes[i].name || !p->axes[i].values || p->axes[i].values->ndim != 1 ||
            !le_tensor_is_contiguous(p->axes[i].values))
            return le_fail(LE_ERR_ARGUMENT, "%s: an axis has no name, or is not one row of numbers",
                           p->group);
    return LE_OK;
}

le_status le_io_write_plot(const le_io_plot *given) {
    le_io_plot plot = {.struct_size = sizeof plot};
    le__io_place place;
    le_status status = le__struct_take(&plot, sizeof plot, given, offsetof(le_io_plot, reserved),
                                       "le_io_write_plot");
    if (status != LE_OK)
        return status;
    if (!plot.group || !plot.signal || !plot.name || !plot.interpretation)
        return le_fail(LE_ERR_ARGUMENT, "le_io_write_plot: group, signal, name and interpretation "
                                        "are expected");
    status = check_axes(&plot);
    if (status == LE_OK)
        status = le__io_place_parse(plot.group, &place);
    if (status != LE_OK)
        return status;
    plot_job job = {.plot = &plot, .place = &place};
    status = place.format != LE__IO_HDF5 || !place.dataset
                 ? le_fail(LE_ERR_ARGUMENT, "%s: expected FILE.h5:/GROUP", plot.group)
                 : le__h5_edit(&place, write_plot, &job);
    le__io_place_free(&place);
    return status;
}
