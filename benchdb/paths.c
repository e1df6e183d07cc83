/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Absolute names: see paths.h.
 */
#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *le__path_absolute(const char *path) {
    char *folder = *path == '/' ? NULL : getcwd(NULL, 0), *out = NULL;
    if (!folder || *folder != '/')
        out = strdup(path);
    else if (asprintf(&out, "%s/%s", folder, path) < 0)
        out = NULL;
    free(folder);
    return out;
}

char *le__paths_absolute(const char *list) {
    char *const begin = strdup(list);
    char *rest = begin, *all = begin ? strdup("") : NULL;
    for (char *path, *more; all && (path = strsep(&rest, ":")) != NULL; all = more) {
        char *one = *path ? le__path_absolute(path) : strdup("");
        if (!one || asprintf(&more, "%s%s%s", all, path == begin ? "" : ":", one) < 0)
            more = NULL;
        free(one);
        free(all);
    }
    free(begin);
    return all;
}
