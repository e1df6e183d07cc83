/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Databases of the site, which are only read and serve as priors on fresh machines.
 */
#include "internal.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_SITES 64

static void open_site(le_db *db, const char *path) {
    static const char *const reasons[] = {
        [LE__FILE_MISSING] = "does not exist",
        [LE__FILE_BUSY] = "is locked",
        [LE__FILE_NEWER] = "was written by a newer version",
        [LE__FILE_FOREIGN] = "is not a timings database",
        [LE__FILE_CORRUPT] = "is damaged",
        [LE__FILE_UNUSABLE] = "cannot be opened",
        [LE__FILE_FULL] = "cannot be read",
    };
    if (db->n_sites >= MAX_SITES)
        return;
    le__db_connection *c = &db->sites[db->n_sites];
    le__db_file_state state = le__db_file_open(c, path, NULL, LE__FROZEN, db->read_timeout_ms);
    if (state == LE__FILE_OK || state == LE__FILE_READONLY) {
        db->n_sites++;
        return;
    }
    le__db_problem(db, LE__CAUSE_SITE, "site database %s %s; ignored", path, reasons[state]);
    le__db_connection_close(c);
}

static int wanted(const struct dirent *entry) {
    size_t len = strlen(entry->d_name);
    return len > 8 && strcmp(entry->d_name + len - 8, ".sqlite3") == 0;
}

static void open_folder(le_db *db, const char *folder) {
    struct dirent **entries = NULL;
    char path[4096];
    int n = scandir(folder, &entries, wanted, alphasort);
    for (int i = 0; i < n; i++) {
        if (snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path)
            open_site(db, path);
        free(entries[i]);
    }
    free(entries);
}

/* A folder that does not exist is no problem: the default ones seldom do. */
static void open_all(le_db *db) {
    char *list = strdup(db->site_path), *rest = list, *path;
    db->sites = calloc(MAX_SITES, sizeof *db->sites);
    while (list && db->sites && (path = strsep(&rest, ":")) != NULL) {
        struct stat st;
        if (path[0] == 0 || stat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            open_folder(db, path);
        else
            open_site(db, path);
    }
    free(list);
}

void le__db_sites_load(le_db *db, void (*use)(void *cookie, le__db_connection *c), void *cookie) {
    pthread_mutex_lock(&db->site_lock);
    if (!db->sites_open)
        open_all(db);
    db->sites_open = true;
    for (size_t i = 0; i < db->n_sites; i++)
        use(cookie, &db->sites[i]);
    pthread_mutex_unlock(&db->site_lock);
}
