/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Whatever is wrong with the file: the handle works, quickly, says one line, and destroys nothing.
 */
#include "benchdb_test.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A good database with 40 samples on 20 problems. */
static void make_good(const char *path) {
    le_db *db = test_open(path, NULL);
    for (int i = 0; i < 40; i++)
        test_add(db, i % 20, i % 3, 1e-3);
    assert_true(le_db_flush(db, 20));
    le_db_close(&db);
}

static char *read_all(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *data = malloc(1 << 20);
    *size = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

static void write_all(const char *path, const char *data, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void sql(const char *path, const char *text) {
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", text, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static int count(const char *path, const char *query) {
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, query, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int n = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return n;
}

/* How many files of the folder have a name with this in it. */
static int count_files(const char *folder, const char *part) {
    int n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        n += strstr(e->d_name, part) != NULL;
    closedir(dir);
    return n;
}

/* What a user of the engine does; must never take long. Returns what was known at the start. */
static int64_t use(const char *path, test_log *said, bool expect_durable) {
    double start = seconds_now();
    le_db *db = test_open(path, said);
    le_db_knowledge *k = NULL;
    le_db_load(db, "interpolate", 0, &k);
    assert_non_null(k);
    int64_t known = test_total(k);
    le_db_knowledge_free(&k);
    test_add(db, 0, 0, 1e-3);
    assert_true(seconds_now() - start < 2);
    assert_int_equal(le_db_flush(db, 5), expect_durable);
    le_db_load(db, NULL, 0, &k);
    assert_non_null(k);
    le_db_knowledge_free(&k);
    le_db_close(&db);
    assert_null(db);
    return known;
}

static void test_random_bytes(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3"), junk[30000];
    uint64_t random = 7;
    (void)state;
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = (char)le_stats_random(&random);
    memcpy(junk, "SQLite format 3", 16); /* with the rest of the header it is a database no more */
    write_all(path, junk, sizeof junk);
    test_log said = {0};
    use(path, &said, true);
    assert_int_equal(said.lines, 1);
    assert_non_null(strstr(said.last, "set aside"));
    assert_int_equal(count_files(folder, "t.sqlite3.corrupt-"), 1);
    assert_int_equal(use(path, &said, true), 1); /* the new file works */
    assert_int_equal(said.lines, 1);
    test_folder_remove(folder);
}

/* What somebody keeps under the name that was given is theirs, whatever it is. */
static void test_file_of_the_user(void **state) {
    static const char *const contents[] = {"\x89HDF\r\n\x1a\n and much more of somebody's data",
                                           "a,b\n1,2\n", "x", "SQLite format 2"};
    (void)state;
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        char *folder = test_folder(), *path = test_path(folder, "mydata.h5");
        size_t size;
        test_log said = {0};
        write_all(path, contents[i], strlen(contents[i]));
        use(path, &said, false);
        assert_int_equal(said.lines, 1);
        assert_non_null(strstr(said.last, "is not a timings database"));
        char *after = read_all(path, &size);
        assert_int_equal(size, strlen(contents[i]));
        assert_memory_equal(after, contents[i], size);
        free(after);
        assert_int_equal(count_files(folder, "mydata.h5"), 1);
        test_folder_remove(folder);
    }
}

/* A timings database that somebody overwrites in place while it is open. */
static void test_overwritten_by_the_user(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    size_t size;
    test_log said = {0};
    (void)state;
    make_good(path);
    char *data = read_all(path, &size);
    le_db *db = test_open(path, &said);
    memset(data, 'x', size);
    write_all(path, data, size);
    test_add(db, 0, 0, 1e-3);
    le_db_flush(db, 5);
    le_db_close(&db);
    assert_int_equal(count_files(folder, ".corrupt-"), 0);
    free(data);
    test_folder_remove(folder);
}

/* Cut at every kind of place; at length 0 it is a new file. Set aside bytes are unchanged. */
static void test_truncated(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    size_t size, aside = 0;
    (void)state;
    make_good(path);
    char *good = read_all(path, &size);
    assert_true(size > 40000);
    const size_t cuts[] = {0, 16, 50, 100, 512, 4096, 4097, 20000, size / 2, size - 4096, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        test_log said = {0};
        write_all(path, good, cuts[i]);
        bool seen = cuts[i] > 0 && cuts[i] < size - 1; /* of the last byte SQLite takes no notice */
        use(path, &said, true);
        if (cuts[i] == size - 1)
            break;
        if (seen)
            if (said.lines != 1)
                fail_msg("cut at %zu of %zu: %d lines, %s", cuts[i], size, said.lines, said.last);
        aside += seen;
        assert_int_equal(count_files(folder, ".corrupt-"), aside);
        assert_int_equal(use(path, &said, true), 1);
    }
    free(good);
    test_folder_remove(folder);
}

/* Bytes overwritten anywhere: no crash, no more than one line, and afterwards it works. */
static void test_overwritten(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    uint64_t seed = (uint64_t)time(NULL), random = seed;
    size_t size;
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    make_good(path);
    char *good = read_all(path, &size), *bad = malloc(size);
    for (int round = 0; round < 60; round++) {
        test_log said = {0};
        memcpy(bad, good, size);
        size_t at = (size_t)le_stats_random(&random) % size;
        size_t n = 1 + (size_t)le_stats_random(&random) % 3000;
        for (size_t i = at; i < size && i < at + n; i++)
            bad[i] = (char)le_stats_random(&random);
        write_all(path, bad, size);
        le_db *db = test_open(path, &said);
        le_db_knowledge *k = NULL;
        le_db_load(db, NULL, LE_DB_LOAD_RAW, &k);
        le_db_knowledge_free(&k);
        test_add(db, 0, 0, 1e-3);
        le_db_flush(db, 5);
        le_db_close(&db);
        assert_true(said.lines <= 2);
        char command[700];
        snprintf(command, sizeof command, "rm -f '%s'*", path);
        assert_int_equal(system(command), 0);
    }
    free(good);
    free(bad);
    test_folder_remove(folder);
}

static void test_table_missing(void **state) {
    static const char *const tables[] = {"meta", "choices", "samples", "raw_samples", "accounts"};
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3"), command[96];
    (void)state;
    for (int i = 0; i < 5; i++) {
        test_log said = {0};
        sqlite3 *db = NULL;
        make_good(path);
        snprintf(command, sizeof command, "PRAGMA foreign_keys = OFF; DROP TABLE %s", tables[i]);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, command, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        use(path, &said, true);
        assert_int_equal(said.lines, 1);
        assert_int_equal(count_files(folder, ".corrupt-"), i + 1);
        assert_int_equal(use(path, &said, true), 1);
        assert_int_equal(said.lines, 1);
        assert_int_equal(unlink(path), 0);
    }
    test_folder_remove(folder);
}

static void test_newer(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    size_t size, size2;
    test_log said = {0};
    (void)state;
    make_good(path);
    sql(path, "PRAGMA journal_mode = DELETE; PRAGMA user_version = 99; CREATE TABLE later(x)");
    char *before = read_all(path, &size);
    assert_int_equal(use(path, &said, false), 40); /* what it can read, it uses */
    assert_int_equal(said.lines, 1);
    assert_non_null(strstr(said.last, "newer"));
    char *after = read_all(path, &size2);
    assert_int_equal(size, size2);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    sql(path, "PRAGMA foreign_keys = OFF; DROP TABLE samples; DROP TABLE meta");
    said.lines = 0;
    assert_int_equal(use(path, &said, false), 0);
    assert_int_equal(said.lines, 1);
    assert_int_equal(count_files(folder, ".corrupt-"), 0);
    test_folder_remove(folder);
}

static void test_foreign(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    test_log said = {0};
    (void)state;
    sql(path, "CREATE TABLE mine(x); INSERT INTO mine VALUES(1)");
    use(path, &said, false);
    assert_int_equal(said.lines, 1);
    assert_non_null(strstr(said.last, "left alone"));
    sql(path, "INSERT INTO mine VALUES(2)");
    said.lines = 0;
    use(folder, &said, false); /* a folder */
    assert_int_equal(said.lines, 1);
    said.lines = 0;
    use(test_path(path, "t.sqlite3"), &said, false); /* below a file */
    assert_int_equal(said.lines, 1);
    said.lines = 0;
    use("/dev/null", &said, false);
    assert_int_equal(said.lines, 1);
    test_folder_remove(folder);
}

/* Runs fn in a child that is not root, for whom permissions count. */
static void in_child(void (*fn)(const char *folder), const char *folder) {
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (geteuid() == 0 &&
            (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0))
            _exit(77);
        fn(folder);
        _exit(0);
    }
    int status = 0;
    assert_true(waitpid(pid, &status, 0) == pid);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 77))
        fail_msg("the child ended with status %x", (unsigned)status);
    if (WEXITSTATUS(status) == 77)
        skip();
}

#define CHILD_CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #x), _exit(1)))

static void child_readonly(const char *folder) {
    const char *paths[] = {test_path(folder, "t.sqlite3"), test_path(folder, "none.sqlite3"),
                           test_path(folder, "sub/none.sqlite3")};
    for (int i = 0; i < 3; i++) {
        test_log said = {0};
        le_db *db = le_db_open(
            &(le_db_options){.path = paths[i], .log = test_log_line, .log_cookie = &said});
        le_db_knowledge *k = NULL;
        CHILD_CHECK(le_db_load(db, NULL, 0, &k) == LE_DB_OK);
        CHILD_CHECK(test_total(k) == (i == 0 ? 40 : 0));
        le_db_knowledge_free(&k);
        test_add(db, 0, 0, 1e-3);
        CHILD_CHECK(!le_db_flush(db, 5));
        CHILD_CHECK(le_db_load(db, NULL, 0, &k) == LE_DB_OK);
        CHILD_CHECK(test_total(k) == (i == 0 ? 41 : 1));
        le_db_knowledge_free(&k);
        CHILD_CHECK(strcmp(le_db_path(db), ":memory:") == 0);
        le_db_close(&db);
        if (said.lines != 1)
            fprintf(stderr, "%s: %d lines, %s\n", paths[i], said.lines, said.last);
        CHILD_CHECK(said.lines == 1);
    }
}

static void test_readonly(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    (void)state;
    make_good(path);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    in_child(child_readonly, folder);
    assert_int_equal(count_files(folder, "t.sqlite3"), 1);
    test_folder_remove(folder);
}

static void add_opinion(le_db *db, le_db_state state, int candidate) {
    le_db_add_verdict(db, &(le_db_verdict){.candidate = test_candidate(db, 0),
                                           .size_class = "all|3",
                                           .state = state,
                                           .attempts = 1});
    le_db_add_choice(db, &(le_db_choice){.problem = test_problem(db, 0),
                                         .candidate = test_candidate(db, candidate),
                                         .constraint = "",
                                         .objective = "time",
                                         .evidence = "{}"});
}

static void child_thinks_again(const char *folder) {
    le_db *db = le_db_open(&(le_db_options){.path = test_path(folder, "t.sqlite3")});
    le_db_knowledge *k = NULL;
    test_add(db, 0, 1, 1e-3);
    add_opinion(db, LE_DB_FAILED, 1);
    CHILD_CHECK(!le_db_flush(db, 5));
    CHILD_CHECK(le_db_load(db, NULL, 0, &k) == LE_DB_OK);
    CHILD_CHECK(k->n_verdicts == 1 && k->verdicts[0].state == LE_DB_FAILED);
    CHILD_CHECK(k->n_choices == 1);
    CHILD_CHECK(!strcmp(k->candidates[k->choices[0].candidate_index].implementation, "impl1"));
    le_db_knowledge_free(&k);
    le_db_close(&db);
}

/* Of what the file says and what has been found since, the newer counts. */
static void test_readonly_and_newer(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    (void)state;
    le_db *db = test_open(path, NULL);
    test_add(db, 0, 0, 1e-3);
    add_opinion(db, LE_DB_PROVEN, 0);
    le_db_close(&db);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    in_child(child_thinks_again, folder);
    test_folder_remove(folder);
}

/* RLIMIT_FSIZE: writes fail as on a full disk, and SIGXFSZ must not end the process. */
static void child_full(const char *folder) {
    const char *path = test_path(folder, "t.sqlite3");
    static const rlim_t limits[] = {0, 1000, 5000, 30000, 100000, 200000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        test_log said = {0};
        struct rlimit limit = {limits[i], RLIM_INFINITY};
        CHILD_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        le_db *db =
            le_db_open(&(le_db_options){.path = path, .log = test_log_line, .log_cookie = &said});
        for (int j = 0; j < 300; j++) {
            le_db_sample s[40];
            for (int l = 0; l < 40; l++)
                s[l] = (le_db_sample){.seconds = 1e-3};
            char key[64];
            snprintf(key, sizeof key, "%d of %zu", j, i);
            le_db_add_samples(db, le_db_problem(db, "o", key, 1, 1), test_candidate(db, 0), s, 40);
        }
        double start = seconds_now();
        bool durable = le_db_flush(db, 20);
        CHILD_CHECK(seconds_now() - start < 10);
        le_db_knowledge *k = NULL;
        le_db_load(db, NULL, 0, &k);
        CHILD_CHECK(k != NULL);
        le_db_knowledge_free(&k);
        le_db_close(&db);
        CHILD_CHECK(!durable);
        if (said.lines != 1)
            fprintf(stderr, "limit %ld: %d lines, %s\n", (long)limits[i], said.lines, said.last);
        CHILD_CHECK(said.lines == 1);
    }
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    CHILD_CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
    le_db *db = le_db_open(&(le_db_options){.path = path});
    test_add(db, 0, 0, 1e-3);
    CHILD_CHECK(le_db_flush(db, 20));
    le_db_close(&db);
}

static void test_full(void **state) {
    char *folder = test_folder();
    (void)state;
    assert_int_equal(chmod(folder, 0777), 0);
    in_child(child_full, folder);
    assert_int_equal(count_files(folder, ".corrupt-"), 0);
    test_folder_remove(folder);
}

/* The disk is full for a while: nothing is lost when there is room again before the end. */
static void child_full_for_a_while(const char *folder) {
    const char *path = test_path(folder, "w.sqlite3");
    struct rlimit small = {100, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    test_log said = {0};
    CHILD_CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    le_db *db =
        le_db_open(&(le_db_options){.path = path, .log = test_log_line, .log_cookie = &said});
    for (int i = 0; i < 500; i++)
        test_add(db, i % 10, 0, 1e-3);
    CHILD_CHECK(!le_db_flush(db, 20));
    CHILD_CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
    for (int i = 0; i < 500; i++)
        test_add(db, i % 10, 0, 1e-3);
    CHILD_CHECK(le_db_flush(db, 20));
    CHILD_CHECK(test_stored(db) == 1000);
    CHILD_CHECK(said.lines == 1);
    le_db_close(&db);
}

static void test_full_for_a_while(void **state) {
    char *folder = test_folder();
    (void)state;
    assert_int_equal(chmod(folder, 0777), 0);
    in_child(child_full_for_a_while, folder);
    test_folder_remove(folder);
}

/* Another process holds the lock. WAL lets readers pass; EXCLUSIVE locking mode lets nobody. */
/* What was measured meanwhile is there afterwards, and what was there before as well. */
static void child_without_files(const char *folder) {
    const char *path = test_path(folder, "t.sqlite3");
    struct rlimit limit;
    le_db_knowledge *k = NULL;
    CHILD_CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    rlim_t most = limit.rlim_cur;
    for (int before = 0; before < 2; before++) { /* its opening, what was measured then */
        int64_t known = before ? 2 : 0;
        limit.rlim_cur = 3;
        CHILD_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        le_db *db = le_db_open(&(le_db_options){.path = path});
        test_add(db, 0, before, 1e-3);
        CHILD_CHECK(!le_db_flush(db, 0.5));
        le_db_status status = le_db_load(db, NULL, 0, &k);
        CHILD_CHECK(!before || status == LE_DB_BUSY);
        le_db_knowledge_free(&k);
        test_add(db, 0, before, 1e-3);
        limit.rlim_cur = most;
        CHILD_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        CHILD_CHECK(le_db_flush(db, 10));
        CHILD_CHECK(test_stored(db) == known + 2);
        le_db_close(&db);
    }
}

static void test_without_files_for_a_while(void **state) {
    (void)state;
    char *folder = test_folder();
    assert_int_equal(chmod(folder, 0777), 0);
    in_child(child_without_files, folder);
    assert_int_equal(count(test_path(folder, "t.sqlite3"), "SELECT sum(seen) FROM samples"), 4);
    test_folder_remove(folder);
}

static void hold_lock(const char *path, double hold_s, int *ready) {
    sqlite3 *db = NULL;
    char byte = 1;
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db,
                     "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; "
                     "UPDATE meta SET value = value",
                     NULL, NULL, NULL) != SQLITE_OK)
        _exit(1);
    if (write(ready[1], &byte, 1) != 1)
        _exit(2);
    usleep((useconds_t)(1e6 * hold_s));
    sqlite3_close(db);
    _exit(0);
}

/* The process, which has the lock by then. */
static pid_t locked_by(const char *path, double hold_s) {
    char byte;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        hold_lock(path, hold_s, ready);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void test_locked(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    double hold_s = getenv("LE_TEST_LONG") ? 10 : 3, start;
    test_log said = {0};
    (void)state;
    make_good(path);
    pid_t pid = locked_by(path, hold_s);
    start = seconds_now();
    le_db *db = test_open(path, &said);
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(db, NULL, 0, &k), LE_DB_BUSY);
    assert_non_null(k);
    le_db_knowledge_free(&k);
    for (int i = 0; i < 100; i++)
        test_add(db, 0, 0, 1e-3);
    double delay = seconds_now() - start;
    print_message("open, load and add under a lock: %.3f s\n", delay);
    assert_true(delay < 0.8);
    assert_false(le_db_flush(db, 0.5));
    assert_true(le_db_flush(db, hold_s + 10)); /* after the lock is gone */
    assert_int_equal(test_stored(db), 140);
    assert_int_equal(said.lines, 1);
    le_db_close(&db);
    assert_int_equal(waitpid(pid, NULL, 0), pid);

    /* closing does not wait for ever */
    pid = locked_by(path, 8);
    db = test_open(path, &said);
    test_add(db, 0, 0, 1e-3);
    start = seconds_now();
    le_db_close(&db);
    assert_true(seconds_now() - start < 4);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    test_folder_remove(folder);
}

static void check_journal(const char *path, const char *expect) {
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA journal_mode", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_string_equal(sqlite3_column_text(st, 0), expect);
    sqlite3_finalize(st);
    sqlite3_close(db);
}

/* No shared memory: a folder is where it would be, or the VFS has none. */
static void test_without_wal(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    test_log said = {0};
    (void)state;
    make_good(path);
    check_journal(path, "wal");
    assert_int_equal(mkdir(test_path(folder, "t.sqlite3-shm"), 0700), 0);
    assert_int_equal(use(path, &said, true), 40); /* was in WAL mode: leaves it */
    assert_int_equal(use(path, &said, true), 41);
    check_journal(path, "delete");
    char *fresh = test_path(folder, "f.sqlite3");
    assert_int_equal(mkdir(test_path(folder, "f.sqlite3-shm"), 0700), 0);
    assert_int_equal(use(fresh, &said, true), 0);
    assert_int_equal(use(fresh, &said, true), 1);
    char *other = test_path(folder, "v.sqlite3");
    for (int i = 0; i < 3; i++) {
        le_db *db = le_db_open(&(le_db_options){.path = other, .vfs = "unix-dotfile"});
        assert_int_equal(test_stored(db), i);
        test_add(db, 0, 0, 1e-3);
        assert_true(le_db_flush(db, 10));
        le_db_close(&db);
    }
    assert_int_equal(said.lines, 0);
    assert_int_equal(count_files(folder, ".corrupt-"), 0);
    test_folder_remove(folder);
}

/* The file vanishes, is replaced, or is overwritten while it is open. */
static void test_pulled_away(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    char *other = test_path(folder, "o.sqlite3"), command[1500];
    test_log said = {0};
    (void)state;
    make_good(other);
    le_db *db = test_open(path, &said);
    test_add(db, 0, 0, 1e-3);
    assert_true(le_db_flush(db, 10));
    assert_int_equal(test_stored(db), 1);
    snprintf(command, sizeof command, "rm '%s'*", path);
    assert_int_equal(system(command), 0);
    test_add(db, 0, 0, 1e-3);
    assert_true(le_db_flush(db, 10));
    assert_int_equal(test_stored(db), 1);
    snprintf(command, sizeof command, "rm '%s'-*; mv '%s' '%s'", path, other, path);
    assert_int_equal(system(command), 0);
    test_add(db, 0, 0, 1e-3);
    assert_true(le_db_flush(db, 10));
    assert_int_equal(test_stored(db), 41);
    assert_int_equal(said.lines, 0);
    le_db_close(&db);
    test_folder_remove(folder);
}

static void add_shape(le_db *db, int extent) {
    char key[32];
    snprintf(key, sizeof key, "f32[%d]", extent);
    le_db_sample sample = {.seconds = 1e-3};
    le_db_add_samples(db, le_db_problem(db, "interpolate", key, extent, extent),
                      test_candidate(db, 0), &sample, 1);
}

/* While a lock lasts callers go on, however much there is to be written. Of samples some are lost
 * then, of verdicts and accounts none. */
static void test_locked_and_busy(void **state) {
    enum { SHAPES = 3000, CALLS = 3 };
    const double hold_s = 8;
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    (void)state;
    make_good(path);
    pid_t pid = locked_by(path, hold_s);
    le_db *db = test_open(path, NULL);
    double start = seconds_now();
    for (int i = 0; i < SHAPES; i++) {
        add_shape(db, 1000 + i);
        for (int k = 0; k < CALLS; k++)
            le_db_add_account(db,
                              &(le_db_account){.operation = "busy", .answered_s = 0.5, .calls = 1});
    }
    le_db_add_verdict(db, &(le_db_verdict){.candidate = test_candidate(db, 0),
                                           .size_class = "late",
                                           .state = LE_DB_FAILED,
                                           .reason = "wrong"});
    double delay = seconds_now() - start;
    print_message("%d shapes under a lock: %.3f s\n", SHAPES, delay);
    assert_true(delay < hold_s / 2);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    le_db_flush(db, 20);
    le_db_close(&db);
    assert_int_equal(count(path, "SELECT count(*) FROM verdicts WHERE size_class = 'late'"), 1);
    assert_int_equal(count(path, "SELECT calls FROM accounts WHERE operation = 'busy'"),
                     SHAPES * CALLS);
    assert_int_equal(count(path, "SELECT 2 * answered_s FROM accounts WHERE operation = 'busy'"),
                     SHAPES * CALLS);
    assert_true(count(path, "SELECT count(*) FROM samples") > 500);
    test_folder_remove(folder);
}

/* Another database takes the place of the one that is open, whose log stays behind. Whoever notices
 * first, who reads, who writes or who closes, what is there is only added to, and the one that was
 * moved has all that was written. */
static void test_replaced(void **state) {
    (void)state;
    for (int who = 0; who < 3; who++) {
        char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
        char *other = test_path(folder, "o.sqlite3"), *moved = test_path(folder, "m.sqlite3");
        test_log said = {0};
        le_db *db = test_open(other, &said);
        for (int i = 0; i < 400; i++)
            add_shape(db, i);
        assert_true(le_db_flush(db, 20));
        le_db_close(&db);
        db = test_open(path, &said);
        for (int i = 0; i < 300; i++)
            add_shape(db, 1000 + i);
        assert_true(le_db_flush(db, 20));
        assert_int_equal(test_stored(db), 300);
        assert_true(count_files(folder, "t.sqlite3-wal") == 1 && link(path, moved) == 0);
        assert_int_equal(rename(other, path), 0);
        if (who == 0)
            assert_int_equal(test_stored(db), 400);
        if (who < 2) {
            add_shape(db, 5000);
            assert_true(le_db_flush(db, 20));
            assert_int_equal(test_stored(db), 401);
        }
        le_db_close(&db);
        assert_int_equal(count(path, "SELECT count(*) FROM samples"), who < 2 ? 401 : 400);
        assert_int_equal(count(moved, "SELECT count(*) FROM samples"), 300);
        assert_int_equal(count(path, "SELECT count(*) FROM pragma_integrity_check WHERE "
                                     "integrity_check <> 'ok'"),
                         0);
        assert_int_equal(count_files(folder, "-wal") + count_files(folder, ".corrupt-"), 0);
        assert_int_equal(said.lines, 0);
        test_folder_remove(folder);
    }
}

/* Two handles find the same corrupt file: one sets it aside, both go on with one new file. */
static void test_corrupt_for_two(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    size_t size;
    (void)state;
    make_good(path);
    char *data = read_all(path, &size);
    memset(data + 4096, 0x55, size - 4096);
    write_all(path, data, size);
    free(data);
    test_log said[2] = {{0}};
    le_db *a = test_open(path, &said[0]), *b = test_open(path, &said[1]);
    for (int i = 0; i < 10; i++) {
        test_add(a, i, 0, 1e-3);
        test_add(b, i, 0, 1e-3);
    }
    assert_true(le_db_flush(a, 10));
    assert_true(le_db_flush(b, 10));
    assert_int_equal(test_stored(a), 20);
    assert_int_equal(test_stored(b), 20);
    le_db_close(&a);
    le_db_close(&b);
    assert_int_equal(count_files(folder, ".corrupt-"), 1);
    assert_true(said[0].lines <= 1 && said[1].lines <= 1);
    test_folder_remove(folder);
}

/* Why it failed is known to the caller, whatever was done since. */
static void test_export_full(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    test_log said = {0};
    (void)state;
    make_good(path);
    le_db *db = test_open(path, &said);
    errno = 0;
    assert_int_equal(le_db_export_file(db, "/dev/full"), LE_DB_IO);
    assert_int_equal(errno, ENOSPC);
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    errno = 0;
    assert_int_equal(le_db_export(db, full), LE_DB_IO);
    assert_int_equal(errno, ENOSPC);
    fclose(full);
    le_db_close(&db);
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_table_missing),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_overwritten),
        cmocka_unit_test(test_newer),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_readonly),
        cmocka_unit_test(test_readonly_and_newer),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_full_for_a_while),
        cmocka_unit_test(test_without_files_for_a_while),
        cmocka_unit_test(test_locked),
        cmocka_unit_test(test_locked_and_busy),
        cmocka_unit_test(test_without_wal),
        cmocka_unit_test(test_pulled_away),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_corrupt_for_two),
        cmocka_unit_test(test_file_of_the_user),
        cmocka_unit_test(test_export_full),
        cmocka_unit_test(test_overwritten_by_the_user),
    };
    return cmocka_run_group_tests_name("benchdb_faults", tests, NULL, NULL);
}
