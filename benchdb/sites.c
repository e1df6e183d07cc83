/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Databases of the site, which are only read and serve as priors on fresh machines; which files are
 * databases that nothing else may replace.
 */
#include "internal.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_SITES 64

static void open_site(void *cookie, const char *path) {
    le_db *db = cookie;
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

typedef void (*visit_fn)(void *cookie, const char *path);

static void visit_folder(const char *folder, visit_fn visit, void *cookie) {
    struct dirent **entries = NULL;
    char path[4096];
    int n = scandir(folder, &entries, wanted, alphasort);
    for (int i = 0; i < n; i++) {
        if (snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path)
            visit(cookie, path);
        free(entries[i]);
    }
    free(entries);
}

/* A folder that does not exist is no problem: the default ones seldom do. */
static void visit_all(const char *sites, visit_fn visit, void *cookie) {
    char *list = strdup(sites), *rest = list, *path;
    while (list && (path = strsep(&rest, ":")) != NULL) {
        struct stat st;
        if (path[0] == 0 || stat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode))
            visit_folder(path, visit, cookie);
        else
            visit(cookie, path);
    }
    free(list);
}

static void open_all(le_db *db) {
    db->sites = calloc(MAX_SITES, sizeof *db->sites);
    if (db->sites)
        visit_all(db->site_path, open_site, db);
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

typedef struct search {
    const char *path;
    bool found;
} search;

static void compare(void *cookie, const char *site) {
    search *s = cookie;
    s->found = s->found || le__db_is_file_of(site, s->path);
}

le_db_status le_db_file_role(const char *database, const char *sites, const char *path) {
    search s = {.path = path};
    if (le__db_is_file_of(database, path))
        return LE_DB_OWN_FILE;
    visit_all(sites, compare, &s);
    return s.found ? LE_DB_SITE_FILE : LE_DB_OK;
}

const char *le_db_role_text(le_db_status role) {
    return role == LE_DB_OWN_FILE    ? "the timings database itself"
           : role == LE_DB_SITE_FILE ? "a database of the site, which is only read"
                                     : NULL;
}
