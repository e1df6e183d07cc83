/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The k-th allocation fails, for every k of a small run, in this library and in SQLite and cJSON:
 * no crash, no leak, and a second run with the same file works.
 */
#include "benchdb_test.h"
#include "failing_allocator.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <glob.h>
#include <sqlite3.h>

/* SQLite wants the size of a block: it is kept in front. */
static void *sql_malloc(int size) {
    char *p = fails() ? NULL : __real_malloc((size_t)size + 16);
    if (p)
        memcpy(p, &size, sizeof size);
    return p ? p + 16 : NULL;
}

static void sql_free(void *p) {
    if (p)
        free((char *)p - 16);
}

static int sql_size(void *p) {
    int size = 0;
    if (p)
        memcpy(&size, (char *)p - 16, sizeof size);
    return size;
}

static void *sql_realloc(void *old, int size) {
    char *p = fails() ? NULL : __real_realloc((char *)old - 16, (size_t)size + 16);
    if (p)
        memcpy(p, &size, sizeof size);
    return p ? p + 16 : NULL;
}

static int sql_round(int size) {
    return (size + 15) & ~15;
}

static int sql_init(void *cookie) {
    (void)cookie;
    return SQLITE_OK;
}

static void sql_shutdown(void *cookie) {
    (void)cookie;
}

static void *json_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

/* Opens, adds, flushes, loads, exports, imports, closes; checks nothing. */
static void small_run(const char *path, const char *json) {
    le_db *db = le_db_open(&(le_db_options){.path = path, .batch_ms = 1});
    le_db_device(db, (le_db_part[]){{"name", "gpu"}, {"driver", "1"}}, 2);
    test_add(db, 0, 0, 1e-3);
    test_add(db, 1, 0, 1e-3);
    le_db_add_verdict(db, &(le_db_verdict){.candidate = test_candidate(db, 0), .size_class = "1"});
    le_db_add_choice(db, &(le_db_choice){.problem = test_problem(db, 0),
                                         .candidate = test_candidate(db, 0),
                                         .evidence = "{\"a\":1}"});
    le_db_add_account(db, &(le_db_account){.operation = "interpolate", .calls = 1});
    le_db_flush(db, 5);
    le_db_knowledge *k = NULL;
    le_db_load(db, "interpolate", LE_DB_LOAD_RAW, &k);
    le_db_knowledge_free(&k);
    if (db && le_db_export_file(db, json) == LE_DB_OK)
        le_db_import(db, json, NULL, NULL);
    le_db_close(&db);
}

static int set_aside(const char *folder) {
    glob_t found;
    char pattern[700];
    snprintf(pattern, sizeof pattern, "%s/*corrupt*", folder);
    int n = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return n;
}

static void write_one(const char *path) {
    le_db *db = le_db_open(&(le_db_options){.path = path, .batch_ms = 1});
    test_add(db, 0, 0, 1e-3);
    le_db_flush(db, 5);
    le_db_close(&db);
}

/* Want of memory must not look like damage: the file would be set aside. */
static void test_no_damage_seen(bool anew) {
    char *folder = test_folder(), *path = strdup(test_path(folder, "t.sqlite3"));
    write_one(path);
    assert_true(!anew || unlink(path) == 0);
    atomic_store(&done, 0);
    write_one(path);
    long n = atomic_load(&done);
    assert_true(n > 100);
    long step = getenv("LE_TEST_LONG") ? 1 : 5;
    for (long k = 1; k <= n; k += k < 100 ? 1 : step) {
        assert_true(!anew || unlink(path) == 0 || errno == ENOENT);
        atomic_store(&left, k);
        write_one(path);
        atomic_store(&left, 0);
        if (set_aside(folder))
            fail_msg("allocation %ld of %ld failed: the database was set aside", k, n);
    }
    free(path);
    test_folder_remove(folder);
}

static void test_new_file_stays(void **state) {
    (void)state;
    test_no_damage_seen(true);
}

static void test_old_file_stays(void **state) {
    (void)state;
    test_no_damage_seen(false);
}

static void test_every_allocation(void **state) {
    char *folder = test_folder(), command[700];
    char *path = strdup(test_path(folder, "t.sqlite3")),
         *json = strdup(test_path(folder, "x.json"));
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
    small_run(path, json);
    assert_int_equal(system(command), 0);
    atomic_store(&done, 0);
    small_run(path, json);
    long n = atomic_load(&done);
    long step = getenv("LE_TEST_LONG") ? 1 : 101;
    print_message("%ld allocations, every %ld. fails\n", n, step);
    assert_true(n > 500);
    for (long k = 1; k <= n + step; k += k < 60 ? 1 : step) {
        assert_int_equal(system(command), 0);
        atomic_store(&left, k);
        small_run(path, json);
        atomic_store(&left, 0);
        if (k % 50 != 1)
            continue;
        le_db *db = test_open(path, NULL);
        test_add(db, 3, 3, 1e-3);
        assert_true(le_db_flush(db, 10));
        le_db_close(&db);
    }
    free(path);
    free(json);
    test_folder_remove(folder);
}

int main(void) {
    static const sqlite3_mem_methods methods = {sql_malloc, sql_free, sql_realloc,  sql_size,
                                                sql_round,  sql_init, sql_shutdown, NULL};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation),
                                       cmocka_unit_test(test_new_file_stays),
                                       cmocka_unit_test(test_old_file_stays)};
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
        return 1;
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = json_malloc, .free_fn = free});
    return cmocka_run_group_tests_name("benchdb_memory", tests, NULL, NULL);
}
