/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Eight threads on one handle: adding, loading, exporting, flushing, while another handle on the
 * same file comes and goes. Nothing is lost. Meant to be run under the thread sanitizer too.
 */
#include "benchdb_test.h"
#include "core/sanitizer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#define THREADS 8
#define ROUNDS  300

typedef struct job {
    le_db *db;
    const char *path;
    int me;
    bool failed;
} job;

static void *add(void *cookie) {
    job *j = cookie;
    for (int i = 0; i < ROUNDS; i++) {
        test_add(j->db, i % 7, j->me, 1e-3);
        if (i % 100 == 50)
            le_db_add_verdict(j->db, &(le_db_verdict){.candidate = test_candidate(j->db, j->me),
                                                      .size_class = "1",
                                                      .state = LE_DB_PROVEN});
        if (i % 100 == 70)
            le_db_add_account(j->db, &(le_db_account){.operation = "interpolate", .calls = 1});
    }
    return NULL;
}

static void *look(void *cookie) {
    job *j = cookie;
    for (int i = 0; i < 10; i++) {
        le_db_knowledge *k = NULL;
        if (le_db_load(j->db, NULL, LE_DB_LOAD_RAW, &k) == LE_DB_NO_MEMORY)
            j->failed = true;
        le_db_knowledge_free(&k);
        le_db_device(j->db, (le_db_part[]){{"name", "x"}, {"driver", i % 2 ? "1" : "2"}}, 2);
        if (!le_db_flush(j->db, 30))
            j->failed = true;
    }
    return NULL;
}

static void *write_json(void *cookie) {
    job *j = cookie;
    for (int i = 0; i < 10; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&text, &size);
        le_db_status status = le_db_export(j->db, f);
        if (status != LE_DB_OK && status != LE_DB_BUSY)
            j->failed = true;
        fclose(f);
        free(text);
    }
    return NULL;
}

static void *come_and_go(void *cookie) {
    job *j = cookie;
    for (int i = 0; i < 10; i++) {
        le_db *db = le_db_open(&(le_db_options){.path = j->path});
        test_add(db, 0, j->me, 1e-3);
        le_db_close(&db);
    }
    return NULL;
}

static void test_threads(void **state) {
    static void *(*const work[THREADS])(void *) = {add, add,  add,        add,
                                                   add, look, write_json, come_and_go};
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    job jobs[THREADS];
    pthread_t threads[THREADS];
    (void)state;
    le_db *db = test_open(path, NULL);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){.db = db, .path = path, .me = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work[i], &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_false(jobs[i].failed);
    }
    assert_true(le_db_flush(db, 30));
    assert_int_equal(test_stored(db), 5 * ROUNDS + 10);
    le_db_counts counts;
    le_db_get_counts(db, &counts);
    assert_int_equal(counts.added, 5 * ROUNDS);
    assert_int_equal(counts.committed, 5 * ROUNDS);
    assert_int_equal(counts.dropped, 0);
    le_db_close(&db);
    test_folder_remove(folder);
}

static void *open_and_add(void *cookie) {
    job *j = cookie;
    le_db *db = test_open(j->path, NULL);
    test_add(db, 0, j->me, 1e-3);
    j->failed = !le_db_flush(db, 30);
    le_db_close(&db);
    return NULL;
}

/* Many handles create one file at the same moment: none may take the half-seen file for a damaged
 * one and set it aside. */
static void test_creation(void **state) {
    (void)state;
    for (int round = 0; round < 60; round++) {
        char *folder = test_folder(), *path = test_path(folder, "new.sqlite3");
        job jobs[THREADS];
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++) {
            jobs[i] = (job){.path = path, .me = i};
            assert_int_equal(pthread_create(&threads[i], NULL, open_and_add, &jobs[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_false(jobs[i].failed);
        }
        le_db *db = test_open(path, NULL);
        assert_int_equal(test_stored(db), THREADS);
        le_db_close(&db);
        test_folder_remove(folder);
    }
}

static atomic_bool over;

static void *keep_writing(void *cookie) {
    job *j = cookie;
    le_db *db = le_db_open(&(le_db_options){.path = j->path});
    while (!over) {
        test_add(db, 0, j->me, 1e-3);
        le_db_flush(db, 30);
    }
    le_db_close(&db);
    return NULL;
}

static _Noreturn void in_child(const char *path) {
    alarm(20);
    le_db *db = le_db_open(&(le_db_options){.path = path});
    test_add(db, 0, 0, 1e-3);
    le_db_flush(db, 10);
    int64_t stored = test_stored(db);
    le_db_close(&db);
    _exit(stored == 1 ? 0 : 1);
}

/* Children of fork() use databases whatever the writing threads of their parent's were doing. */
static void test_forks(void **state) {
    (void)state;
    if (LE__SANITIZED) /* their allocators and threads are not made ready for fork */
        skip();
    char *folder = test_folder();
    job jobs[3] = {{.path = ":memory:", .me = 1},
                   {.path = ":memory:", .me = 2},
                   {.path = test_path(folder, "t.sqlite3"), .me = 3}};
    pthread_t threads[3];
    over = false;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_writing, &jobs[i]), 0);
    int failed = 0;
    for (int i = 0; i < 300 && !failed; i++) {
        int status = -1;
        pid_t pid = fork();
        if (pid == 0)
            in_child(":memory:");
        assert_int_equal(waitpid(pid, &status, 0), pid);
        failed = status ? i + 1 : 0;
    }
    over = true;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    test_folder_remove(folder);
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_creation),
                                       cmocka_unit_test(test_forks),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests_name("benchdb_threads", tests, NULL, NULL);
}
