/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the tests of the timings database share: a scratch folder, a log that counts, samples.
 */
#ifndef BENCHDB_TEST_H
#define BENCHDB_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchdb.h"

typedef struct test_log {
    int lines; /* errors and warnings */
    char last[1024];
} test_log;

static inline void test_log_line(void *cookie, int level, const char *text) {
    test_log *log = cookie;
    if (level > 1)
        return;
    log->lines++;
    snprintf(log->last, sizeof log->last, "%s", text);
}

/* A fresh folder for one test; removed by test_folder_remove. */
static inline char *test_folder(void) {
    const char *base = getenv("TMPDIR");
    char *path = malloc(512);
    assert_non_null(path);
    snprintf(path, 512, "%s/le_benchdb_XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

static inline void test_folder_remove(char *path) {
    char command[600];
    snprintf(command, sizeof command, "chmod -R u+w '%s'; rm -rf '%s'", path, path);
    assert_int_equal(system(command), 0);
    free(path);
}

static inline char *test_path(const char *folder, const char *name) {
    static char paths[8][1200];
    static int next;
    char copy[600], *path = paths[next++ % 8];
    snprintf(copy, sizeof copy, "%s", folder); /* folder may be one of them */
    snprintf(path, sizeof paths[0], "%s/%s", copy, name);
    return path;
}

static inline le_db *test_open(const char *path, test_log *log) {
    static const le_db_part build[] = {{"compiler", "cc 1"}, {"version", "0.1"}, {"flags", "-O2"}};
    le_db_options o = {.path = path, .build = build, .n_build = 3};
    if (log) {
        o.log = test_log_line;
        o.log_cookie = log;
    }
    le_db *db = le_db_open(&o);
    assert_non_null(db);
    return db;
}

static inline int64_t test_problem(le_db *db, int i) {
    char key[32];
    snprintf(key, sizeof key, "f32[%d]", 64 << i);
    return le_db_problem(db, "interpolate", key, 64.0 * (1 << i), 256.0 * (1 << i));
}

static inline int64_t test_candidate(le_db *db, int i) {
    char name[32];
    snprintf(name, sizeof name, "impl%d", i);
    return le_db_candidate(db, &(le_db_candidate_key){.operation = "interpolate",
                                                      .implementation = name,
                                                      .run_type = "c",
                                                      .params = "threads=2",
                                                      .source_hash = "abc"});
}

static inline void test_add(le_db *db, int problem, int candidate, double seconds) {
    le_db_sample s = {.seconds = seconds};
    le_db_add_samples(db, test_problem(db, problem), test_candidate(db, candidate), &s, 1);
}

/* Sum of n over all classes of all rows. */
static inline int64_t test_total(const le_db_knowledge *k) {
    int64_t n = 0;
    for (size_t i = 0; i < k->n_samples; i++)
        n += k->samples[i].clean.n + k->samples[i].contended.n + k->samples[i].cold.n;
    return n;
}

static inline int64_t test_stored(le_db *db) {
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(db, NULL, 0, &k), LE_DB_OK);
    int64_t n = test_total(k);
    le_db_knowledge_free(&k);
    return n;
}

#endif
