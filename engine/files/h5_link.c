/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Links of an HDF5 file to others: master files of detectors have a link for each file of frames.
 * HDF5 itself follows none here, since it would open whatever the file names, with its own driver.
 * Only files beside the one with the link are opened, or below it, as any other file. Soft links,
 * which HDF5 does follow, may lead to such a link.
 */
#include "files/h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The link's own words, with the rest of the path that led through it. */
static bool take_link(hid_t file, const char *path, const char *rest, size_t size,
                      le__h5_link *out) {
    const char *target, *object;
    unsigned flags;
    char *value = size ? malloc(size) : NULL;
    bool found = value && H5Lget_val(file, path, value, size, H5P_DEFAULT) >= 0 &&
                 H5Lunpack_elink_val(value, size, &flags, &target, &object) >= 0;
    if (found) {
        int n = snprintf(out->file, sizeof out->file, "%s", target);
        int m = snprintf(out->dataset, sizeof out->dataset, "%s%s", object, rest);
        found = n >= 0 && n < (int)sizeof out->file && m >= 0 && m < (int)sizeof out->dataset;
    }
    free(value);
    return found;
}

enum { SOFT_MAX = 16, PATH = sizeof((le__h5_link *)0)->dataset }; /* as many as HDF5 follows */

/* A soft link's target, from its group, in place of the path that led to it. */
static bool take_soft(hid_t file, const char *path, const char *rest, size_t size,
                      char name[PATH]) {
    char to[PATH];
    char *target = size ? calloc(1, size + 1) : NULL;
    bool found = target && H5Lget_val(file, path, target, size, H5P_DEFAULT) >= 0;
    if (found) {
        const char *slash = strrchr(path, '/');
        int group = *target != '/' && slash ? (int)(slash - path) + 1 : 0;
        int n = snprintf(to, sizeof to, "%.*s%s%s", group, path, target, rest);
        found = n >= 0 && n < (int)sizeof to;
    }
    if (found)
        strcpy(name, to);
    free(target);
    return found;
}

/* The first link on the way: one to another file ends it, a soft one gives another name, true. */
static bool pass_link(hid_t file, char name[PATH], le__h5_link *out) {
    char path[PATH];
    for (const char *end = name; *end;) {
        H5L_info_t info;
        end += strspn(end, "/");
        end += strcspn(end, "/");
        snprintf(path, sizeof path, "%.*s", (int)(end - name), name);
        if (H5Lget_info(file, path, &info, H5P_DEFAULT) < 0)
            return false;
        if (info.type == H5L_TYPE_SOFT)
            return take_soft(file, path, end, info.u.val_size, name);
        if (info.type == H5L_TYPE_EXTERNAL) {
            out->found = take_link(file, path, end, info.u.val_size, out);
            return false;
        }
    }
    return false;
}

void le__h5_link_find(hid_t file, const char *name, le__h5_link *out) {
    char at[PATH];
    *out = (le__h5_link){.found = false};
    if (strlen(name) >= sizeof at)
        return;
    strcpy(at, name);
    for (int links = 0; links < SOFT_MAX && pass_link(file, at, out); links++)
        ;
    if (!out->found)
        strcpy(out->dataset, at);
}

le_status le__h5_link_follow(const le__h5_link *link, const char *text, const char *from,
                             char **file) {
    *file = NULL;
    if (!le__io_is_beside(link->file))
        return le_fail(LE_ERR_IO,
                       "%s: links to another file, '%.200s', which is not beside it and is not "
                       "followed",
                       text, link->file);
    *file = le__io_beside(from, link->file);
    return *file ? LE_OK : le_fail(LE_ERR_MEMORY, "%s: out of memory", text);
}
