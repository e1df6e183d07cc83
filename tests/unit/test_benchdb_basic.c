/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The timings database when all is well: what goes in comes out, added up and graded.
 */
#include "benchdb_test.h"
#include "core/sanitizer.h"
#include "internal.h"

#include <sys/stat.h>
#include <time.h>

static void test_round_trip(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "a/b/timings.sqlite3");
    test_log said = {0};
    (void)state;
    le_db *db = test_open(path, &said);
    double sum = 0, sum2 = 0, seconds[100];
    for (int i = 0; i < 100; i++) {
        seconds[i] = 1e-3 * (1 + 0.01 * i);
        sum += log(seconds[i]);
        le_db_sample s = {.seconds = seconds[i],
                          .cpu_s = 2 * seconds[i],
                          .peak_bytes = i,
                          .setup_s = 0.5,
                          .date_ms = 1700000000000 + i};
        le_db_add_samples(db, test_problem(db, 0), test_candidate(db, 0), &s, 1);
    }
    for (int i = 0; i < 100; i++)
        sum2 += pow(log(seconds[i]) - sum / 100, 2);
    le_db_sample cold = {.seconds = 1, .flags = LE_SAMPLE_COLD, .date_ms = 1700000000000};
    le_db_sample busy = {
        .seconds = 2, .flags = LE_SAMPLE_CONTENDED, .load = 1, .date_ms = 1700000000000};
    le_db_add_samples(db, test_problem(db, 0), test_candidate(db, 0), &cold, 1);
    le_db_add_samples(db, test_problem(db, 0), test_candidate(db, 0), &busy, 1);
    assert_true(le_db_flush(db, 20));
    le_db_close(&db);

    db = test_open(path, &said);
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(db, "interpolate", LE_DB_LOAD_RAW, &k), LE_DB_OK);
    assert_int_equal(k->n_problems, 1);
    assert_int_equal(k->n_candidates, 1);
    assert_int_equal(k->n_samples, 1);
    const le_db_known_samples *s = &k->samples[0];
    assert_string_equal(k->problems[s->problem_index].key, "f32[64]");
    assert_true(k->problems[0].id == test_problem(db, 0));
    assert_true(k->candidates[0].id == test_candidate(db, 0));
    assert_string_equal(k->candidates[0].params, "threads=2");
    assert_int_equal(s->differs, 0);
    assert_int_equal(s->clean.n, 100);
    assert_int_equal(s->cold.n, 1);
    assert_int_equal(s->contended.n, 1);
    assert_true(fabs(s->clean.mean - sum / 100) < 1e-12);
    assert_true(fabs(s->clean.m2 - sum2) < 1e-9);
    assert_true(fabs(s->contended.mean - log(2)) < 1e-12);
    assert_true(s->min_s == seconds[0] && s->max_s == seconds[99]);
    assert_int_equal(s->cpu_n, 100);
    assert_int_equal(s->peak_bytes, 99);
    assert_true(s->setup_s == 0.5);
    assert_int_equal(s->first_ms, 1700000000000);
    assert_int_equal(s->last_ms, 1700000000099);
    assert_true(fabs(le_sketch_quantile(&s->sketch, 0.5) / 1.495e-3 - 1) < 0.02);
    assert_int_equal(s->n_raw, LE_DB_RAW);
    le_db_knowledge_free(&k);
    assert_int_equal(le_db_load(db, "other", 0, &k), LE_DB_OK);
    assert_int_equal(k->n_problems + k->n_samples, 0);
    le_db_knowledge_free(&k);
    le_db_close(&db);
    assert_int_equal(said.lines, 0);
    test_folder_remove(folder);
}

static void test_verdicts_choices_accounts(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    (void)state;
    le_db *db = test_open(path, NULL);
    le_db_verdict v = {
        .candidate = test_candidate(db, 3), .size_class = "20", .state = LE_DB_PROVEN};
    for (int i = 0; i < LE_DB_ERRORS; i++)
        v.errors[i] = i == 5 ? (double)NAN : i == 6 ? (double)INFINITY : 1.5 * i;
    le_db_add_verdict(db, &v);
    v.state = LE_DB_QUARANTINED;
    v.reason = "crashed in its trial";
    le_db_add_verdict(db, &v);
    le_db_choice c = {.problem = test_problem(db, 1),
                      .candidate = test_candidate(db, 3),
                      .constraint = "atol=1e-4",
                      .evidence = "{\"runs\":3}"};
    le_db_add_choice(db, &c);
    c.candidate = test_candidate(db, 4);
    le_db_add_choice(db, &c);
    c.constraint = "gone";
    le_db_add_choice(db, &c);
    c.candidate = 0;
    le_db_add_choice(db, &c);
    for (int i = 0; i < 3; i++)
        le_db_add_account(db, &(le_db_account){.operation = "interpolate",
                                               .answered_s = 1,
                                               .explored_s = 0.5,
                                               .regret_s = 0.25,
                                               .calls = 7});
    assert_true(le_db_flush(db, 20));
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(db, "interpolate", 0, &k), LE_DB_OK);
    assert_int_equal(k->n_verdicts, 1);
    assert_int_equal(k->verdicts[0].state, LE_DB_QUARANTINED);
    assert_int_equal(k->verdicts[0].attempts, 2);
    assert_string_equal(k->verdicts[0].reason, "crashed in its trial");
    assert_string_equal(k->verdicts[0].size_class, "20");
    assert_true(isnan(k->verdicts[0].errors[5]) && isinf(k->verdicts[0].errors[6]));
    assert_true(k->verdicts[0].errors[17] == 1.5 * 17);
    assert_int_equal(k->n_choices, 1);
    assert_string_equal(k->candidates[k->choices[0].candidate_index].implementation, "impl4");
    assert_string_equal(k->choices[0].evidence, "{\"runs\":3}");
    assert_string_equal(k->choices[0].objective, "time");
    assert_int_equal(k->n_accounts, 1);
    assert_int_equal(k->accounts[0].calls, 21);
    assert_true(k->accounts[0].answered_s == 3 && k->accounts[0].regret_s == 0.75);
    le_db_knowledge_free(&k);
    le_db_close(&db);
    test_folder_remove(folder);
}

/* Opens with one machine part, one build part and one device part replaced. */
static uint32_t differs_after(const char *path, const char *machine, const char *build,
                              const char *device, uint32_t *verdict_differs) {
    le_db_part m[] = {{machine, "changed"}}, b[] = {{"compiler", "cc 1"}, {"version", "0.1"}};
    le_db_part d[] = {{"name", "gpu"}, {"driver", "1"}, {"vendor", "v"}};
    for (int i = 0; i < 2; i++)
        if (build && strcmp(b[i].name, build) == 0)
            b[i].value = "changed";
    for (int i = 0; i < 3; i++)
        if (device && strcmp(d[i].name, device) == 0)
            d[i].value = "changed";
    le_db *db = le_db_open(&(le_db_options){
        .path = path, .machine = m, .n_machine = machine != NULL, .build = b, .n_build = 2});
    int64_t id = le_db_device(db, d, 3);
    int64_t candidate = le_db_candidate(db, &(le_db_candidate_key){"o", "i", "opencl", id, "", ""});
    le_db_sample s = {.seconds = 1};
    uint32_t bits = 0;
    le_db_knowledge *k = NULL;
    if (!machine && !build && !device) {
        le_db_verdict v = {.candidate = candidate, .size_class = "1", .state = LE_DB_PROVEN};
        le_db_add_samples(db, le_db_problem(db, "o", "k", 1, 1), candidate, &s, 1);
        le_db_add_verdict(db, &v);
        assert_true(le_db_flush(db, 20));
    }
    assert_int_equal(le_db_load(db, "o", 0, &k), LE_DB_OK);
    assert_int_equal(k->n_samples, 1);
    bits = k->samples[0].differs;
    *verdict_differs = k->verdicts[0].differs;
    if (!(bits & LE_DIFF_NO_DEVICE))
        assert_true(k->candidates[0].device_here == id);
    else
        assert_true(k->candidates[0].device_here == 0);
    le_db_knowledge_free(&k);
    le_db_close(&db);
    return bits;
}

static void test_graded_staleness(void **state) {
    static const struct {
        const char *machine, *build, *device;
        uint32_t bits;
    } cases[] = {
        {NULL, NULL, NULL, 0},
        {"cpu_model", NULL, NULL, LE_DIFF_CPU_MODEL},
        {"isa", NULL, NULL, LE_DIFF_ISA},
        {"cores", NULL, NULL, LE_DIFF_CORES},
        {"memory", NULL, NULL, LE_DIFF_MEMORY},
        {"os", NULL, NULL, LE_DIFF_OS},
        {"host", NULL, NULL, LE_DIFF_HOST},
        {"bios", NULL, NULL, LE_DIFF_MACHINE_OTHER},
        {NULL, "compiler", NULL, LE_DIFF_COMPILER},
        {NULL, "version", NULL, LE_DIFF_VERSION},
        {NULL, NULL, "driver", LE_DIFF_DRIVER},
        {NULL, NULL, "name", LE_DIFF_NO_DEVICE},
        {"isa", "version", "vendor", LE_DIFF_ISA | LE_DIFF_VERSION | LE_DIFF_DEVICE_VENDOR},
    };
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t verdict;
        uint32_t bits =
            differs_after(path, cases[i].machine, cases[i].build, cases[i].device, &verdict);
        assert_int_equal(bits, cases[i].bits);
        assert_int_equal(verdict, cases[i].bits);
    }
    test_folder_remove(folder);
}

static void test_memory(void **state) {
    test_log said = {0};
    (void)state;
    le_db *db = test_open(":memory:", &said);
    test_add(db, 0, 0, 1e-3);
    test_add(db, 0, 0, 2e-3);
    assert_false(le_db_flush(db, 20));
    assert_int_equal(test_stored(db), 2);
    assert_string_equal(le_db_path(db), ":memory:");
    le_db_close(&db);
    assert_int_equal(said.lines, 0);
}

static int64_t numbered_problem(le_db *db, int i) {
    char key[32];
    snprintf(key, sizeof key, "f32[%d]", i);
    return le_db_problem(db, "interpolate", key, i, i);
}

static int64_t samples_of(const le_db_knowledge *k, int64_t problem) {
    int64_t n = 0;
    for (size_t i = 0; i < k->n_samples; i++)
        n += k->problems[k->samples[i].problem_index].id == problem ? k->samples[i].clean.n : 0;
    return n;
}

/* Whole problems go, the oldest first; choices without samples and verdicts stay. */
static void test_memory_makes_room(void **state) {
    enum { PROBLEMS = 60000, AT_ONCE = 1000 };
    (void)state;
    le_db *db = test_open(":memory:", NULL);
    int64_t c = test_candidate(db, 0), note = le_db_problem(db, "@note", "a", 1, 1);
    le_db_add_choice(db, &(le_db_choice){.problem = note, .candidate = c});
    le_db_add_verdict(db, &(le_db_verdict){.candidate = c, .size_class = "1", .state = 1});
    for (int i = 1; i <= PROBLEMS; i++) {
        le_db_sample s = {.seconds = 1e-3, .date_ms = 1700000000000 + i};
        int64_t p = numbered_problem(db, i);
        le_db_add_samples(db, p, c, &s, 1);
        le_db_add_choice(db, &(le_db_choice){.problem = p, .candidate = c});
        if (i % AT_ONCE == 0)
            le_db_flush(db, 20);
    }
    test_add(db, 0, 0, 1e-3); /* it is written as one that is new */
    le_db_flush(db, 20);
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(db, NULL, 0, &k), LE_DB_OK);
    print_message("%zu of %d problems kept\n", k->n_problems, PROBLEMS + 1);
    assert_true(k->n_problems > 4096 && k->n_problems < PROBLEMS * 3 / 4);
    assert_int_equal(k->n_choices, k->n_problems - (samples_of(k, test_problem(db, 0)) == 1));
    assert_int_equal(k->n_verdicts, 1);
    bool noted = false;
    for (size_t i = 0; i < k->n_choices; i++)
        noted = noted || k->choices[i].problem == note;
    assert_true(noted);
    for (int i = 0; i < 4096; i++)
        assert_int_equal(samples_of(k, numbered_problem(db, PROBLEMS - i)), 1);
    le_db_knowledge_free(&k);
    le_db_close(&db);
}

/* The handle stays with its files, wherever the process goes. */
static void test_other_folder(void **state) {
    char *folder = test_folder(), *before = getcwd(NULL, 0);
    test_log said = {0};
    (void)state;
    assert_int_equal(mkdir(test_path(folder, "a"), 0700) + mkdir(test_path(folder, "b"), 0700), 0);
    le_db *site = test_open(test_path(folder, "a/site/s.sqlite3"), NULL);
    test_add(site, 7, 0, 1e-3);
    assert_true(le_db_flush(site, 20));
    le_db_close(&site);
    assert_int_equal(chdir(test_path(folder, "a")), 0);
    le_db *db = le_db_open(&(le_db_options){.path = "t.sqlite3",
                                            .site_path = "nothing::site:../b",
                                            .log = test_log_line,
                                            .log_cookie = &said});
    test_add(db, 0, 0, 1e-3);
    assert_true(le_db_flush(db, 20));
    assert_int_equal(chdir(test_path(folder, "b")), 0);
    test_add(db, 1, 0, 1e-3);
    assert_true(le_db_flush(db, 20));
    assert_int_equal(test_stored(db), 3); /* one is the site's */
    assert_int_equal(le_db_export_file(db, "../a/t.sqlite3"), LE_DB_OWN_FILE);
    assert_int_equal(le_db_export_file(db, "../a/site/s.sqlite3"), LE_DB_SITE_FILE);
    assert_int_equal(test_stored(db), 3);
    le_db_close(&db);
    assert_int_equal(access("t.sqlite3", F_OK), -1);
    assert_int_equal(said.lines, 0);
    assert_int_equal(chdir(before), 0);
    free(before);
    test_folder_remove(folder);
}

/* What nobody has announced has no place in a file: that is told, not passed over. */
static void test_unknown_problem(void **state) {
    char *folder = test_folder();
    test_log said = {0};
    le_db_counts counts;
    (void)state;
    le_db *db = test_open(test_path(folder, "t.sqlite3"), &said);
    le_db_sample s = {.seconds = 1e-3};
    int64_t known = test_problem(db, 0);
    assert_true(le_db_has_problem(db, known));
    assert_false(le_db_has_problem(db, known + 1));
    le_db_add_samples(db, known, test_candidate(db, 0), &s, 1);
    le_db_add_samples(db, known + 1, test_candidate(db, 0), &s, 1);
    assert_false(le_db_flush(db, 20));
    le_db_get_counts(db, &counts);
    assert_int_equal(counts.committed, 1);
    assert_int_equal(counts.dropped, 1);
    assert_int_equal(test_stored(db), 1);
    assert_int_equal(said.lines, 1);
    assert_non_null(strstr(said.last, "lost"));
    le_db_close(&db);
    test_folder_remove(folder);
}

static void test_frozen(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "sub/t.sqlite3");
    test_log said = {0};
    (void)state;
    le_db *db = le_db_open(
        &(le_db_options){.path = path, .frozen = true, .log = test_log_line, .log_cookie = &said});
    test_add(db, 0, 0, 1e-3);
    assert_false(le_db_flush(db, 1));
    assert_int_equal(test_stored(db), 0);
    le_db_close(&db);
    assert_int_equal(access(test_path(folder, "sub"), F_OK), -1);

    db = test_open(path, NULL);
    test_add(db, 0, 0, 1e-3);
    le_db_close(&db);
    db = le_db_open(
        &(le_db_options){.path = path, .frozen = true, .log = test_log_line, .log_cookie = &said});
    test_add(db, 0, 0, 1e-3);
    assert_int_equal(test_stored(db), 1);
    le_db_close(&db);
    assert_int_equal(access(test_path(folder, "sub/t.sqlite3-wal"), F_OK), -1);
    assert_int_equal(access(test_path(folder, "sub/t.sqlite3-shm"), F_OK), -1);
    assert_int_equal(said.lines, 0);
    test_folder_remove(folder);
}

static void test_sites(void **state) {
    char *folder = test_folder(), *site = test_path(folder, "site/one.sqlite3");
    char *path = test_path(folder, "t.sqlite3");
    test_log said = {0};
    (void)state;
    le_db *db = test_open(site, NULL);
    test_add(db, 0, 0, 1e-3);
    test_add(db, 1, 0, 1e-3);
    le_db_close(&db);
    db = test_open(path, NULL);
    test_add(db, 0, 0, 4e-3);
    le_db_close(&db);
    char list[1300];
    snprintf(list, sizeof list, "%s:%s/site", test_path(folder, "nothing"), folder);
    db = le_db_open(&(le_db_options){
        .path = path, .site_path = list, .log = test_log_line, .log_cookie = &said});
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(db, "interpolate", 0, &k), LE_DB_OK);
    assert_int_equal(k->n_samples, 3);
    int sites = 0;
    for (size_t i = 0; i < k->n_samples; i++) {
        sites += k->samples[i].site;
        assert_true(k->samples[i].clean.n == 1);
        assert_true(k->samples[i].min_s == (k->samples[i].site ? 1e-3 : 4e-3));
    }
    assert_int_equal(sites, 2);
    le_db_knowledge_free(&k);
    assert_int_equal(le_db_load(db, "interpolate", LE_DB_LOAD_NO_SITE, &k), LE_DB_OK);
    assert_int_equal(k->n_samples, 1);
    le_db_knowledge_free(&k);
    le_db_close(&db);
    assert_int_equal(said.lines, 0);
    test_folder_remove(folder);
}

static void put_junk(const char *path) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < 500; i++)
        fputs("no database ", f);
    fclose(f);
}

/* A site's damaged files are named one by one and left as they are; the others serve. */
static void test_sites_damaged(void **state) {
    char *folder = test_folder(), *good = test_path(folder, "good.sqlite3");
    char *bad = test_path(folder, "a_bad.sqlite3"), *worse = test_path(folder, "worse.sqlite3");
    test_log said = {0};
    (void)state;
    le_db *db = test_open(good, NULL);
    test_add(db, 0, 0, 1e-3);
    le_db_close(&db);
    put_junk(bad);
    put_junk(worse);
    db = le_db_open(&(le_db_options){
        .path = ":memory:", .site_path = folder, .log = test_log_line, .log_cookie = &said});
    for (int i = 0; i < 2; i++) {
        le_db_knowledge *k = NULL;
        assert_int_equal(le_db_load(db, "interpolate", 0, &k), LE_DB_OK);
        assert_int_equal(k->n_samples, 1);
        le_db_knowledge_free(&k);
    }
    le_db_close(&db);
    assert_int_equal(said.lines, 2);
    assert_non_null(strstr(said.last, "worse.sqlite3"));
    assert_int_equal(access(bad, F_OK), 0);
    test_folder_remove(folder);
}

static void check_path(const char *option, const char *db, const char *xdg, const char *home,
                       const char *expect) {
    const char *names[] = {"LE_DB", "XDG_CACHE_HOME", "HOME"}, *values[] = {db, xdg, home};
    char buffer[256];
    for (int i = 0; i < 3; i++)
        values[i] ? setenv(names[i], values[i], 1) : unsetenv(names[i]);
    assert_int_equal(le_db_default_path(option, buffer, sizeof buffer), strlen(expect));
    assert_string_equal(buffer, expect);
}

static void test_default_path(void **state) {
    (void)state;
    char *home = getenv("HOME"), *saved = home ? strdup(home) : NULL;
    check_path("o", "d", "/x", "/h", "o");
    check_path(NULL, "d", "/x", "/h", "d");
    check_path("", "", "/x", "/h", "/x/liquid_engine/timings.sqlite3");
    check_path(NULL, NULL, "x", "/h", "/h/.cache/liquid_engine/timings.sqlite3");
    check_path(NULL, NULL, "", "/h", "/h/.cache/liquid_engine/timings.sqlite3");
    check_path(NULL, NULL, NULL, NULL, ":memory:");
    check_path(NULL, NULL, NULL, "", ":memory:");
    char small[16];
    setenv("HOME", "/a/long/folder", 1);
    le_db_default_path(NULL, small, sizeof small);
    assert_string_equal(small, ":memory:");
    if (saved)
        setenv("HOME", saved, 1);
    free(saved);
    setenv("LE_DB", ":memory:", 1);
}

static void test_null_handle(void **state) {
    le_db_knowledge *k = NULL;
    le_db_counts counts;
    char uuid[37];
    (void)state;
    test_add(NULL, 0, 0, 1);
    assert_false(le_db_flush(NULL, 1));
    assert_int_equal(le_db_load(NULL, NULL, 0, &k), LE_DB_OK);
    assert_int_equal(k->n_samples, 0);
    le_db_knowledge_free(&k);
    le_db_get_counts(NULL, &counts);
    le_db_uuid(NULL, uuid);
    le_db *none = NULL;
    le_db_close(&none);
    assert_true(test_problem(NULL, 0) != test_problem(NULL, 1));
}

/* Steps run in order and in one transaction: a failing one leaves the old version. */
static void test_migration(void **state) {
    enum { NOW = LE__SCHEMA_VERSION };
    static const char *const good[NOW + 2] = {[NOW] = "CREATE TABLE two(x INTEGER) STRICT",
                                              [NOW + 1] = "ALTER TABLE two ADD COLUMN y TEXT"};
    static const char *const bad[NOW + 2] = {[NOW] = "CREATE TABLE two(x INTEGER) STRICT",
                                             [NOW + 1] = "NONSENSE"};
    le__db_connection c = {0};
    int64_t version = 0, count = 0;
    (void)state;
    assert_true(le__db_memory_open(&c));
    assert_int_equal(le__db_query_int(&c, "PRAGMA user_version", &version), SQLITE_OK);
    assert_int_equal(version, LE__SCHEMA_VERSION);
    assert_true(le__db_migrate_to(&c, bad, NOW + 2) != SQLITE_OK);
    assert_int_equal(le__db_query_int(&c, "PRAGMA user_version", &version), SQLITE_OK);
    assert_int_equal(version, NOW);
    assert_true(le__db_query_int(&c, "SELECT count(*) FROM two", &count) != SQLITE_OK);
    assert_int_equal(le__db_migrate_to(&c, good, NOW + 2), SQLITE_OK);
    assert_int_equal(le__db_query_int(&c, "PRAGMA user_version", &version), SQLITE_OK);
    assert_int_equal(version, NOW + 2);
    assert_int_equal(le__db_query_int(&c, "SELECT count(y) FROM two", &count), SQLITE_OK);
    assert_int_equal(le__db_migrate_to(&c, bad, NOW + 1), SQLITE_OK); /* newer: nothing to do */
    le__db_connection_close(&c);
}

static le_db_known_samples only_samples(const char *path) {
    le_db *db = test_open(path, NULL);
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(db, "interpolate", 0, &k), LE_DB_OK);
    assert_int_equal(k->n_samples, 1);
    le_db_known_samples s = k->samples[0];
    le_db_knowledge_free(&k);
    le_db_close(&db);
    return s;
}

static void add_one(const char *path, double seconds, uint32_t flags) {
    le_db *db = test_open(path, NULL);
    le_db_sample s = {.seconds = seconds, .flags = flags};
    le_db_add_samples(db, test_problem(db, 0), test_candidate(db, 0), &s, 1);
    assert_true(le_db_flush(db, 20));
    le_db_close(&db);
}

/* Runs that were stopped are counted apart from all times, with the longest time that one had; they
 * pass through an export. */
static void test_stopped(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3"),
         *other = test_path(folder, "u.sqlite3"), *json = test_path(folder, "t.json");
    (void)state;
    add_one(path, 0.25, LE_SAMPLE_STOPPED);
    add_one(path, 0.5, LE_SAMPLE_STOPPED);
    add_one(path, 0.125, LE_SAMPLE_STOPPED | LE_SAMPLE_COLD);
    le_db_known_samples s = only_samples(path);
    assert_int_equal(s.clean.n + s.contended.n + s.cold.n, 0);
    assert_true(isnan(s.min_s));
    add_one(path, 1, 0);
    for (int imported = 0; imported < 2; imported++) {
        s = only_samples(imported ? other : path);
        assert_int_equal(s.clean.n, 1);
        assert_int_equal(s.stopped.n, 2);
        assert_true(s.stopped.most_s == 0.5);
        assert_int_equal(s.stopped_cold.n, 1);
        assert_true(s.stopped_cold.most_s == 0.125);
        if (imported)
            break;
        le_db *db = test_open(path, NULL);
        assert_int_equal(le_db_export_file(db, json), LE_DB_OK);
        le_db_close(&db);
        db = test_open(other, NULL);
        assert_int_equal(le_db_import(db, json, NULL, NULL), LE_DB_OK);
        le_db_close(&db);
    }
    test_folder_remove(folder);
}

static char *read_all(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *data = malloc(1 << 20);
    assert_non_null(data);
    *size = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

/* Who only reads finds all of a file with an older schema, and leaves it as it is. */
static void read_frozen(const char *path, int64_t samples) {
    test_log said = {0};
    size_t before_n, after_n;
    char *before = read_all(path, &before_n);
    le_db *db = le_db_open(
        &(le_db_options){.path = path, .frozen = true, .log = test_log_line, .log_cookie = &said});
    assert_non_null(db);
    assert_int_equal(test_stored(db), samples);
    assert_int_equal(test_stored(db), samples);
    le_db_close(&db);
    char *after = read_all(path, &after_n);
    assert_int_equal(after_n, before_n);
    assert_memory_equal(after, before, before_n);
    assert_int_equal(said.lines, 0);
    free(before);
    free(after);
}

/* A file of schema 1, which has no stopped runs, keeps what it has. */
static void test_schema_1(void **state) {
    char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
    static const char *const columns[] = {"stopped_n", "stopped_s", "stopped_cold_n",
                                          "stopped_cold_s"};
    sqlite3 *file = NULL;
    (void)state;
    add_one(path, 0.5, 0);
    assert_int_equal(sqlite3_open(path, &file), SQLITE_OK);
    for (int i = 0; i < 4; i++) {
        char text[80];
        snprintf(text, sizeof text, "ALTER TABLE samples DROP COLUMN %s", columns[i]);
        assert_int_equal(sqlite3_exec(file, text, NULL, NULL, NULL), SQLITE_OK);
    }
    assert_int_equal(sqlite3_exec(file, "PRAGMA user_version = 1", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(file);
    read_frozen(path, 1);
    add_one(path, 0.25, LE_SAMPLE_STOPPED);
    le_db_known_samples s = only_samples(path);
    assert_int_equal(s.clean.n, 1);
    assert_true(s.min_s == 0.5);
    assert_int_equal(s.stopped.n, 1);
    test_folder_remove(folder);
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of batches: one that the machine interrupts does not count. */
static void test_cost_of_adding(void **state) {
    char *folder = test_folder();
    double cost[51];
    (void)state;
    le_db *db = test_open(test_path(folder, "t.sqlite3"), NULL);
    int64_t problem = test_problem(db, 0), candidate = test_candidate(db, 0);
    le_db_sample s = {.seconds = 1e-3};
    for (int i = 0; i < 51; i++) {
        double start = seconds_now();
        for (int j = 0; j < 200; j++)
            le_db_add_samples(db, problem, candidate, &s, 1);
        cost[i] = (seconds_now() - start) / 200;
    }
    qsort(cost, 51, sizeof *cost, by_value);
    print_message("adding a sample: median %.0f ns, worst batch %.0f ns\n", 1e9 * cost[25],
                  1e9 * cost[50]);
    assert_true(cost[25] < (LE__SANITIZED ? 1e-4 : 2e-6));
    assert_true(le_db_flush(db, 20));
    assert_int_equal(test_stored(db), 51 * 200);
    le_db_close(&db);
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),       cmocka_unit_test(test_verdicts_choices_accounts),
        cmocka_unit_test(test_graded_staleness), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_other_folder),     cmocka_unit_test(test_unknown_problem),
        cmocka_unit_test(test_frozen),           cmocka_unit_test(test_sites),
        cmocka_unit_test(test_sites_damaged),    cmocka_unit_test(test_default_path),
        cmocka_unit_test(test_null_handle),      cmocka_unit_test(test_migration),
        cmocka_unit_test(test_stopped),          cmocka_unit_test(test_schema_1),
        cmocka_unit_test(test_cost_of_adding),   cmocka_unit_test(test_memory_makes_room),
    };
    return cmocka_run_group_tests_name("benchdb_basic", tests, NULL, NULL);
}
