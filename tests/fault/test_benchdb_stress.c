/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Many processes on one file: four writers add up exactly; with one of them killed every 100 ms,
 * every sample that was reported as committed is there and the file is whole. LE_TEST_LONG=1: 60
 * seconds.
 */
#include "benchdb_test.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#define WRITERS 4
#define READERS 2

typedef struct shared {
    atomic_long added[WRITERS];     /* given to the database */
    atomic_long committed[WRITERS]; /* reported as committed */
    atomic_long failures;
    atomic_int stop;
} shared;

static shared *make_shared(void) {
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(s != MAP_FAILED);
    memset(s, 0, sizeof *s);
    return s;
}

/* Adds samples of its own candidate until told to stop or `count` are in. */
static void writer(const char *path, shared *s, int me, long count) {
    uint64_t random = (uint64_t)getpid();
    while (!atomic_load(&s->stop) && (count == 0 || atomic_load(&s->added[me]) < count)) {
        test_log said = {0};
        le_db *db = test_open(path, &said);
        long pending = 0;
        for (int i = 0; i < 20 && !atomic_load(&s->stop); i++) {
            long n = 1 + (long)(le_stats_random(&random) % 50);
            long before = atomic_load(&s->added[me]);
            if (count && before + n > count)
                n = count - before;
            atomic_store(&s->added[me], before + n);
            pending += n;
            for (long j = 0; j < n; j++)
                test_add(db, (int)(le_stats_random(&random) % 5), me, 1e-3 * (1 + (double)(j % 7)));
            if (i % 3 == 0 || i == 19 || (count && before + n == count)) {
                if (le_db_flush(db, 30))
                    atomic_fetch_add(&s->committed[me], pending);
                else
                    atomic_fetch_add(&s->failures, 1);
                pending = 0;
            }
        }
        if (said.lines) {
            fprintf(stderr, "writer: %s\n", said.last);
            atomic_fetch_add(&s->failures, 1);
        }
        le_db_close(&db);
    }
    _exit(0);
}

static void reader(const char *path, shared *s) {
    while (!atomic_load(&s->stop)) {
        test_log said = {0};
        le_db *db = test_open(path, &said);
        le_db_knowledge *k = NULL;
        for (int i = 0; i < 10; i++) {
            le_db_status status = le_db_load(db, "interpolate", LE_DB_LOAD_RAW, &k);
            if (status != LE_DB_OK && status != LE_DB_BUSY)
                atomic_fetch_add(&s->failures, 1);
            le_db_knowledge_free(&k);
            usleep(2000);
        }
        le_db_close(&db);
    }
    _exit(0);
}

static pid_t start(const char *path, shared *s, int who, long count) {
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (who < WRITERS)
            writer(path, s, who, count);
        reader(path, s);
    }
    return pid;
}

static long stored_of(le_db *db, int me) {
    le_db_knowledge *k = NULL;
    char name[32];
    long n = 0;
    snprintf(name, sizeof name, "impl%d", me);
    assert_int_equal(le_db_load(db, "interpolate", 0, &k), LE_DB_OK);
    for (size_t i = 0; i < k->n_samples; i++)
        if (strcmp(k->candidates[k->samples[i].candidate_index].implementation, name) == 0) {
            assert_int_equal(k->samples[i].clean.n, le_sketch_total(&k->samples[i].sketch));
            n += (long)k->samples[i].clean.n;
        }
    le_db_knowledge_free(&k);
    return n;
}

static void check_integrity(const char *path) {
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_string_equal(sqlite3_column_text(st, 0), "ok");
    sqlite3_finalize(st);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA foreign_key_check", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_DONE);
    sqlite3_finalize(st);
    sqlite3_close(db);
}

static void test_four_writers(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    shared *s = make_shared();
    const long count = 20000;
    pid_t pids[WRITERS];
    (void)state;
    for (int i = 0; i < WRITERS; i++)
        pids[i] = start(path, s, i, count);
    for (int i = 0; i < WRITERS; i++) {
        int status = 0;
        assert_true(waitpid(pids[i], &status, 0) == pids[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(atomic_load(&s->failures), 0);
    le_db *db = test_open(path, NULL);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(stored_of(db, i), count);
    le_db_close(&db);
    check_integrity(path);
    munmap(s, sizeof *s);
    test_folder_remove(folder);
}

static void test_killed(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    shared *s = make_shared();
    pid_t pids[WRITERS + READERS];
    uint64_t seed = (uint64_t)time(NULL), random = seed;
    int seconds = getenv("LE_TEST_LONG") ? 60 : 8, kills = 0;
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < WRITERS + READERS; i++)
        pids[i] = start(path, s, i, 0);
    for (int tick = 0; tick < 10 * seconds; tick++) {
        usleep(100000);
        int victim = (int)(le_stats_random(&random) % WRITERS), status = 0;
        assert_int_equal(kill(pids[victim], SIGKILL), 0);
        assert_true(waitpid(pids[victim], &status, 0) == pids[victim]);
        kills += WIFSIGNALED(status);
        pids[victim] = start(path, s, victim, 0);
    }
    atomic_store(&s->stop, 1);
    for (int i = 0; i < WRITERS + READERS; i++) {
        int status = 0;
        assert_true(waitpid(pids[i], &status, 0) == pids[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(atomic_load(&s->failures), 0);
    check_integrity(path);
    le_db *db = test_open(path, NULL);
    for (int i = 0; i < WRITERS; i++) {
        long stored = stored_of(db, i), committed = atomic_load(&s->committed[i]);
        print_message("writer %d: %ld committed, %ld stored, %ld added\n", i, committed, stored,
                      atomic_load(&s->added[i]));
        assert_true(committed > 0);
        assert_true(stored >= committed);
        assert_true(stored <= atomic_load(&s->added[i]));
    }
    print_message("%d kills\n", kills);
    assert_true(kills > 5 * seconds);
    le_db_close(&db);
    munmap(s, sizeof *s);
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_writers),
        cmocka_unit_test(test_killed),
    };
    return cmocka_run_group_tests_name("benchdb_stress", tests, NULL, NULL);
}
