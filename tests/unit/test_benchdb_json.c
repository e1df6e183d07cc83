/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Export, import and merge: nothing is lost, nothing counts twice, bad rows are skipped one by one
 * and bad files refused as a whole.
 */
#include "benchdb_test.h"

#include <cjson/cJSON.h>
#include <sqlite3.h>

typedef struct reports {
    int n;
    int line[64];
    char text[64][200];
} reports;

static void on_report(void *cookie, int line, const char *text) {
    reports *r = cookie;
    assert_true(r->n < 64);
    r->line[r->n] = line;
    snprintf(r->text[r->n++], sizeof r->text[0], "%s", text);
}

static bool only_impl_0_and_1(void *cookie, const char *operation, const char *implementation) {
    (void)cookie;
    return strcmp(operation, "interpolate") == 0 &&
           (!implementation || strcmp(implementation, "impl0") == 0 ||
            strcmp(implementation, "impl1") == 0);
}

/* Rows with every kind of content; part: which of the samples (bit 0: even, bit 1: odd problems).
 */
static void fill(le_db *db, int part) {
    le_db_part gpu[] = {{"name", "gpu \"x\""}, {"driver", "1.2\\3"}};
    int64_t device = le_db_device(db, gpu, 2);
    le_db_candidate_key key = {"interpolate", "cl", "opencl", device, "wg=64", "f00"};
    for (int p = 0; p < 4; p++) {
        if (!(part & (1 << p % 2)))
            continue;
        for (int i = 0; i < 40; i++) {
            int64_t date = 1750000000000 + 1000 * p + i;
            le_db_sample s = {.seconds = 1e-3 * (1 + p) * (1 + 0.01 * (i % 7)),
                              .date_ms = date,
                              .load = 0.25f,
                              .kernel_s = 1e-4,
                              .cpu_s = 1e-3,
                              .peak_bytes = 100 + i,
                              .flags = i == 0   ? LE_SAMPLE_COLD
                                       : i == 9 ? LE_SAMPLE_CONTENDED
                                                : 0};
            le_db_add_samples(db, test_problem(db, p), test_candidate(db, i % 3), &s, 1);
            le_db_add_samples(db, test_problem(db, p), le_db_candidate(db, &key), &s, 1);
        }
        le_db_verdict v = {.candidate = test_candidate(db, p),
                           .size_class = "9",
                           .date_ms = 1750000000000,
                           .state = p ? LE_DB_PROVEN : LE_DB_FAILED,
                           .reason = "tab-free reason"};
        v.errors[3] = (double)INFINITY;
        v.errors[4] = (double)NAN;
        le_db_choice c = {.problem = test_problem(db, p),
                          .candidate = test_candidate(db, 1),
                          .constraint = "atol=1e-4",
                          .evidence = "{\"n\":[1,2]}",
                          .date_ms = 1750000000000};
        le_db_add_verdict(db, &v);
        le_db_add_choice(db, &c);
    }
    le_db_add_account(db, &(le_db_account){.operation = "interpolate",
                                           .answered_s = part,
                                           .calls = part,
                                           .date_ms = 1750000000000});
    assert_true(le_db_flush(db, 20));
}

/* The content as text: sums over origins, in an order that does not depend on the file. */
static int by_text(const void *x, const void *y) {
    return strcmp(*(char *const *)x, *(char *const *)y);
}

static char *summary(le_db *db, bool accounts) {
    le_db_knowledge *k = NULL;
    char **lines = calloc(1000, sizeof *lines), *all = calloc(1, 400000);
    size_t n = 0;
    assert_int_equal(le_db_load(db, NULL, LE_DB_LOAD_RAW, &k), LE_DB_OK);
    for (size_t i = 0; i < k->n_samples; i++) {
        const le_db_known_samples *s = &k->samples[i];
        lines[n] = malloc(400);
        snprintf(lines[n++], 400, "s %s %s %lld %lld %lld %.9g %.6g %lld %.9g %.9g %.6g %lld %zu",
                 k->problems[s->problem_index].key,
                 k->candidates[s->candidate_index].implementation, (long long)s->clean.n,
                 (long long)s->cold.n, (long long)s->contended.n, s->clean.mean, s->clean.m2,
                 (long long)le_sketch_total(&s->sketch), s->min_s, s->max_s, s->cpu_s,
                 (long long)s->last_ms, s->n_raw);
    }
    for (size_t i = 0; i < k->n_verdicts; i++) {
        const le_db_verdict *v = &k->verdicts[i];
        lines[n] = malloc(400);
        snprintf(lines[n++], 400, "v %s %s %d %g %g %s %lld",
                 k->candidates[v->candidate_index].implementation, v->size_class, v->state,
                 v->errors[3], v->errors[4], v->reason, (long long)v->attempts);
    }
    for (size_t i = 0; i < k->n_choices; i++) {
        const le_db_choice *c = &k->choices[i];
        lines[n] = malloc(400);
        snprintf(lines[n++], 400, "c %s %s %s %s %s", k->problems[c->problem_index].key,
                 k->candidates[c->candidate_index].implementation, c->constraint, c->objective,
                 c->evidence);
    }
    for (size_t i = 0; accounts && i < k->n_accounts; i++) {
        lines[n] = malloc(400);
        snprintf(lines[n++], 400, "a %s %g %lld", k->accounts[i].operation,
                 k->accounts[i].answered_s, (long long)k->accounts[i].calls);
    }
    qsort(lines, n, sizeof *lines, by_text);
    for (size_t i = 0; i < n; i++) {
        strcat(strcat(all, lines[i]), "\n");
        free(lines[i]);
    }
    free(lines);
    le_db_knowledge_free(&k);
    return all;
}

static void check_same(le_db *x, le_db *y) {
    char *a = summary(x, true), *b = summary(y, true);
    assert_string_equal(a, b);
    assert_true(strlen(a) > 500);
    free(a);
    free(b);
}

static void test_export_import(void **state) {
    char *folder = test_folder(), *json = test_path(folder, "x.json");
    le_db_import_result result;
    reports r = {0};
    le_db_import_options o = {.report = on_report, .cookie = &r};
    (void)state;
    le_db *a = test_open(test_path(folder, "a.sqlite3"), NULL);
    le_db *b = test_open(test_path(folder, "b.sqlite3"), NULL);
    fill(a, 3);
    assert_int_equal(le_db_export_file(a, json), LE_DB_OK);
    assert_int_equal(le_db_import(b, json, &o, &result), LE_DB_OK);
    assert_int_equal(r.n, 0);
    assert_int_equal(result.bad, 0);
    assert_true(result.stored > 20 && result.stored == result.rows);
    check_same(a, b);
    /* again: nothing counts twice, in either */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(le_db_import(i ? a : b, json, &o, &result), LE_DB_OK);
        assert_int_equal(result.same, result.rows);
        check_same(a, b);
    }
    /* a grows: its newer state replaces the older one */
    test_add(a, 0, 0, 1);
    assert_true(le_db_flush(a, 20));
    assert_int_equal(le_db_export_file(a, json), LE_DB_OK);
    assert_int_equal(le_db_import(b, json, &o, &result), LE_DB_OK);
    assert_int_equal(result.stored, 1);
    check_same(a, b);
    /* own samples of b add up with those of a, and survive an import */
    int64_t before = test_stored(a);
    test_add(b, 0, 0, 1);
    assert_true(le_db_flush(b, 20));
    assert_int_equal(le_db_import(b, json, &o, &result), LE_DB_OK);
    assert_int_equal(test_stored(b), before + 1);
    le_db_close(&a);
    le_db_close(&b);
    test_folder_remove(folder);
}

/* Every number of the export is text or fits 53 bits, and each row names machine, build and date.
 */
static void test_schema(void **state) {
    const char *const dated[] = {"samples", "verdicts", "choices", "accounts"};
    char *text = NULL;
    size_t size = 0;
    (void)state;
    char *folder = test_folder();
    le_db *db = test_open(test_path(folder, "a.sqlite3"), NULL);
    fill(db, 3);
    FILE *f = open_memstream(&text, &size);
    assert_int_equal(le_db_export(db, f), LE_DB_OK);
    fclose(f);
    cJSON *root = cJSON_Parse(text), *row;
    assert_non_null(root);
    assert_int_equal(cJSON_GetObjectItem(root, "schema")->valueint, 1);
    for (int i = 0; i < 4; i++) {
        cJSON *list = cJSON_GetObjectItem(root, dated[i]);
        assert_true(cJSON_GetArraySize(list) > 0);
        cJSON_ArrayForEach(row, list) {
            assert_true(cJSON_IsString(cJSON_GetObjectItem(row, "machine")));
            assert_true(cJSON_IsString(cJSON_GetObjectItem(row, "build")));
            assert_true(cJSON_IsNumber(cJSON_GetObjectItem(row, "date_ms")));
        }
    }
    cJSON_Delete(root);
    free(text);
    le_db_close(&db);
    test_folder_remove(folder);
}

/* The whole, split in two by rows, merged again in both orders; and two files of their own origin.
 */
static void test_merge_halves(void **state) {
    char *folder = test_folder();
    char *parts[2] = {test_path(folder, "even.sqlite3"), test_path(folder, "odd.sqlite3")};
    char *merged[2] = {test_path(folder, "m0.sqlite3"), test_path(folder, "m1.sqlite3")};
    (void)state;
    le_db *whole = test_open(test_path(folder, "whole.sqlite3"), NULL);
    fill(whole, 3);
    for (int i = 0; i < 2; i++) {
        le_db *half = test_open(parts[i], NULL);
        fill(half, 1 << i);
        le_db_close(&half);
    }
    for (int order = 0; order < 2; order++) {
        le_db_import_result result;
        le_db *m = test_open(merged[order], NULL);
        assert_int_equal(le_db_merge(m, parts[order], NULL, &result), LE_DB_OK);
        assert_int_equal(le_db_merge(m, parts[1 - order], NULL, &result), LE_DB_OK);
        assert_int_equal(le_db_merge(m, parts[1 - order], NULL, &result), LE_DB_OK);
        assert_int_equal(result.stored, 0);
        check_same(whole, m);
        le_db_close(&m);
    }
    le_db_close(&whole);
    test_folder_remove(folder);
}

/* An export with one member of one row changed. */
static char *changed(const char *text, const char *section, int row, const char *member,
                     cJSON *value) {
    cJSON *root = cJSON_Parse(text);
    assert_non_null(root);
    cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(root, section), row);
    assert_non_null(item);
    if (value)
        cJSON_ReplaceItemInObject(item, member, value);
    else
        cJSON_DeleteItemFromObject(item, member);
    char *result = cJSON_Print(root);
    cJSON_Delete(root);
    return result;
}

static void test_bad_rows(void **state) {
    static const struct {
        const char *section, *member, *value, *says;
    } cases[] = {
        {"samples", "origin", NULL, "origin is not a text"},
        {"samples", "problem", "\"17\"", "no valid row"},
        {"samples", "candidate", "17", "candidate is not a text"},
        {"samples", "machine", "null", "machine is not a text"},
        {"samples", "clean", "{\"n\":-1,\"mean_log_s\":0,\"m2_log_s\":0}", "n is -1"},
        {"samples", "clean", "{\"n\":1e300,\"mean_log_s\":0,\"m2_log_s\":0}", "n is 1e+300"},
        {"samples", "clean", "{\"n\":2.5,\"mean_log_s\":0,\"m2_log_s\":0}", "whole number"},
        {"samples", "clean", "{\"n\":3,\"mean_log_s\":0,\"m2_log_s\":-1}", "m2_log_s is -1"},
        {"samples", "min_s", "9e9", "min_s and max_s"},
        {"samples", "sketch", "[1,2,3]", "sketch"},
        {"samples", "sketch", "[1,100000]", "more samples"},
        {"samples", "raw", "[{}]", "raw[0]: date_ms"},
        {"samples", "date_ms", "9e14", "in the future"},
        {"samples", "first_ms", "1760000000000", "last_ms is before"},
        {"verdicts", "state", "\"fine\"", "is not known"},
        {"verdicts", "errors", "[1,2]", "errors has 2"},
        {"verdicts", "reason", "\"a\\nb\"", "control character"},
        {"choices", "problem", "\"\"", "problem has 0 bytes"},
        {"choices", "objective", "{}", "objective is not a text"},
        {"accounts", "answered_s", "-1", "answered_s is -1"},
        /* faster than the fastest of its samples */
        {"samples", "clean", "{\"n\":38,\"mean_log_s\":-20,\"m2_log_s\":0}",
         "mean is out of range"},
        {"samples", "contended", "{\"n\":1,\"mean_log_s\":-90,\"m2_log_s\":0}",
         "mean is out of range"},
        {"samples", "clean", "{\"n\":38,\"n\":1,\"mean_log_s\":-7,\"m2_log_s\":0}",
         "n occurs twice"},
        {"verdicts", "reason", "\"a\\u0000b\"", "control character"},
        {"verdicts", "reason", "\"\xff\"", "not UTF-8"},
        {"verdicts", "reason", "\"\xc0\x80\"", "not UTF-8"},
        {"verdicts", "reason", "\"\xed\xa0\x80\"", "not UTF-8"},
        {"verdicts", "reason", "\"\xf4\x90\x80\x80\"", "not UTF-8"},
        {"verdicts", "reason", "\"\xe2\x82\"", "not UTF-8"},
        {"choices", "evidence", "{\"by\":\"\xfe\"}", "evidence is not UTF-8"},
        {"accounts", "calls", "1, \"calls\": 2", "calls occurs twice"},
    };
    char *folder = test_folder(), *text = NULL;
    size_t size = 0;
    (void)state;
    le_db *a = test_open(test_path(folder, "a.sqlite3"), NULL);
    fill(a, 3);
    FILE *f = open_memstream(&text, &size);
    assert_int_equal(le_db_export(a, f), LE_DB_OK);
    fclose(f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reports r = {0};
        le_db_import_options o = {.report = on_report, .cookie = &r};
        le_db_import_result result;
        char *bad = changed(text, cases[i].section, 0, cases[i].member,
                            cases[i].value ? cJSON_CreateRaw(cases[i].value) : NULL);
        le_db *b = test_open(":memory:", NULL);
        assert_int_equal(le_db_import_text(b, bad, strlen(bad), &o, &result), LE_DB_OK);
        if (result.bad != 1 || r.n != 1 || !strstr(r.text[0], cases[i].says))
            fail_msg("case %zu: %d bad, \"%s\", expected \"%s\"", i, (int)result.bad, r.text[0],
                     cases[i].says);
        /* cJSON_Print puts the row's brace on a line of its own: the report must name it */
        int line = 1;
        const char *at = strstr(bad, cases[i].section);
        for (const char *p = bad; p < strchr(at, '{'); p++)
            line += *p == '\n';
        assert_int_equal(r.line[0], line);
        assert_int_equal(result.stored + result.bad, result.rows);
        le_db_close(&b);
        cJSON_free(bad);
    }
    free(text);
    le_db_close(&a);
    test_folder_remove(folder);
}

static void test_names_unknown(void **state) {
    char *folder = test_folder(), *json = test_path(folder, "x.json");
    reports r = {0};
    le_db_import_options o = {.report = on_report, .known = only_impl_0_and_1, .cookie = &r};
    le_db_import_result result;
    (void)state;
    le_db *a = test_open(test_path(folder, "a.sqlite3"), NULL), *b = test_open(":memory:", NULL);
    fill(a, 3);
    assert_int_equal(le_db_export_file(a, json), LE_DB_OK);
    assert_int_equal(le_db_import(b, json, &o, &result), LE_DB_OK);
    assert_int_equal(result.bad, r.n);
    assert_true(r.n > 3);
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(b, NULL, 0, &k), LE_DB_OK);
    assert_int_equal(k->n_candidates, 2);
    assert_int_equal(k->n_samples, 8);
    le_db_knowledge_free(&k);
    le_db_close(&a);
    le_db_close(&b);
    test_folder_remove(folder);
}

#define FORMAT "\"format\":\"liquid_engine timings\""

static void test_refused(void **state) {
    static const struct {
        const char *text;
        int line;
    } cases[] = {
        {"", 1},
        {"[]", 1},
        {"{\"schema\":1,\n\"samples\":[\n{\"a\":1},\n{\"a\":oops}\n]}", 4},
        {"{\n\"schema\":2}", 2},
        {"{\"format\":1}", 1},
        {"{\"schema\":1," FORMAT ",\n\"samples\":{}}", 2},
        {"{\"schema\":1,\n\"problems\":[]}", 1},
        {"{\"schema\":1,\n\"format\":\"another\"}", 2},
        {"{\"schema\":1,\n\"format\":1}", 2},
        {"{\"schema\":1}\n}", 2},
        {"{\"samples\":[],\"schema\":1," FORMAT ",\n\"samples\":[]}", 2},
        {"{\"format\":\"schema\",\n\"schema\":\"1\"}", 2},
    };
    static const char least[] = "{\"schema\":1," FORMAT "}";
    (void)state;
    le_db *db = test_open(":memory:", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reports r = {0};
        le_db_import_options o = {.report = on_report, .cookie = &r};
        assert_int_equal(le_db_import_text(db, cases[i].text, strlen(cases[i].text), &o, NULL),
                         LE_DB_BAD_FILE);
        assert_int_equal(r.n, 1);
        assert_int_equal(r.line[0], cases[i].line);
    }
    assert_int_equal(le_db_import_text(db, least, sizeof least, NULL, NULL), LE_DB_BAD_FILE);
    assert_int_equal(le_db_import_text(db, least, sizeof least - 1, NULL, NULL), LE_DB_OK);
    reports r = {0};
    le_db_import_options o = {.report = on_report, .cookie = &r};
    static const char misspelt[] = "{\"schema\":1," FORMAT ",\n\"sampels\":[{}]}";
    assert_int_equal(le_db_import_text(db, misspelt, strlen(misspelt), &o, NULL), LE_DB_OK);
    assert_true(r.n == 1 && r.line[0] == 2 && strstr(r.text[0], "sampels"));
    r.n = 0;
    assert_int_equal(le_db_import(db, "/nonexistent/x.json", &o, NULL), LE_DB_IO);
    assert_int_equal(r.n, 1);
    assert_int_equal(le_db_merge(db, "/nonexistent/x.sqlite3", &o, NULL), LE_DB_BAD_FILE);
    assert_int_equal(r.n, 2);
    le_db_close(&db);
}

/* Nothing is added, and the reason is the right one. */
static void test_merge_refused(void **state) {
    char *folder = test_folder(), *good = test_path(folder, "a.sqlite3");
    char *cut = test_path(folder, "cut.sqlite3"), bytes[1 << 17];
    reports r = {0};
    le_db_import_options o = {.report = on_report, .cookie = &r};
    le_db_import_result result;
    (void)state;
    le_db *db = test_open(good, NULL), *into = test_open(":memory:", NULL);
    fill(db, 3);
    le_db_close(&db);
    FILE *from = fopen(good, "rb"), *to = fopen(cut, "wb");
    const size_t n = fread(bytes, 1, sizeof bytes, from);
    assert_true(n > 8192 && fwrite(bytes, 1, n / 2, to) == n / 2);
    fclose(from);
    fclose(to);
    const char *const paths[] = {cut, folder, "/proc/self/exe"};
    const char *const words[] = {"damaged", "opened", "not a timings database"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(le_db_merge(into, paths[i], &o, &result), LE_DB_BAD_FILE);
        assert_true(r.n == i + 1 && result.stored == 0);
        if (!strstr(r.text[i], words[i]))
            fail_msg("%s: %s", paths[i], r.text[i]);
    }
    le_db_close(&into);
    test_folder_remove(folder);
}

static char *hand_out(le_db *db, le_db_news what, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    assert_int_equal(le_db_hand_out(db, what, out), LE_DB_OK);
    fclose(out);
    return text;
}

static void hand_over(le_db *from, le_db *to, le_db_news what) {
    size_t size;
    le_db_import_result r;
    le_db_import_options o = {.add = true};
    char *text = hand_out(from, what, &size);
    assert_true(size > 0);
    assert_int_equal(le_db_import_text(to, text, size, &o, &r), LE_DB_OK);
    assert_int_equal(r.bad, 0);
    free(text);
    free(hand_out(from, what, &size)); /* nothing is new any more */
    assert_int_equal(size, 0);
}

static void add_verdict(le_db *db, int i, le_db_state state, int64_t date) {
    le_db_verdict v = {.candidate = test_candidate(db, i),
                       .size_class = "9",
                       .date_ms = date,
                       .state = state,
                       .reason = "why"};
    le_db_add_verdict(db, &v);
}

/* What two processes measure beside a third, which keeps it: sums in its own rows, and the worse of
 * two verdicts, whichever is newer. */
static void test_handed_over(void **state) {
    enum { EACH = 50 };
    (void)state;
    size_t size;
    le_db *root = test_open(":memory:", NULL), *other[2];
    for (int k = 0; k < 2; k++) {
        other[k] = test_open(":memory:", NULL);
        add_verdict(other[k], 3, LE_DB_FAILED, 1750000000000); /* nobody has asked yet */
        free(hand_out(other[k], LE_DB_NEWS_SAMPLES, &size));
        for (int i = 0; i < EACH; i++) {
            le_db_sample s = {.seconds = k ? 4e-3 : 1e-3, .date_ms = 1750000000000 + i};
            le_db_add_samples(other[k], test_problem(other[k], 0), test_candidate(other[k], 0), &s,
                              1);
        }
    }
    add_verdict(root, 1, LE_DB_PROVEN, 1750000009000);
    add_verdict(other[0], 1, LE_DB_QUARANTINED, 1750000000000);
    add_verdict(other[1], 1, LE_DB_PROVEN, 1750000008000);
    add_verdict(other[1], 2, LE_DB_UNPROVEN, 1750000008000); /* of its own process */
    le_db_flush(root, 20);
    for (int k = 0; k < 2; k++) {
        hand_over(other[k], root, LE_DB_NEWS_SAMPLES);
        hand_over(other[k], root, LE_DB_NEWS_VERDICTS);
    }
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(root, NULL, 0, &k), LE_DB_OK);
    assert_int_equal(k->n_samples, 1);
    assert_int_equal(k->samples[0].clean.n, 2 * EACH);
    assert_true(fabs(k->samples[0].clean.mean - log(2e-3)) < 1e-9);
    assert_true(fabs(k->samples[0].clean.m2 - 2 * EACH * log(2) * log(2)) < 1e-6);
    assert_true(k->samples[0].min_s == 1e-3 && k->samples[0].max_s == 4e-3);
    assert_int_equal(k->n_verdicts, 1);
    assert_int_equal(k->verdicts[0].state, LE_DB_QUARANTINED);
    assert_int_equal(k->n_identities, 2); /* one machine, one build */
    le_db_knowledge_free(&k);
    for (int i = 0; i < 2; i++)
        le_db_close(&other[i]);
    le_db_close(&root);
}

/* A handle keeps the names of some thousands of problems, and of those that wait to be handed over.
 */
static void test_handed_over_late(void **state) {
    enum { OTHERS = 6000, AT_ONCE = 1000 };
    (void)state;
    size_t size;
    le_db *root = test_open(":memory:", NULL), *other = test_open(":memory:", NULL);
    const le_db_sample s = {.seconds = 1e-3, .date_ms = 1750000000000};
    free(hand_out(other, LE_DB_NEWS_SAMPLES, &size));
    le_db_add_samples(other, test_problem(other, 0), test_candidate(other, 0), &s, 1);
    le_db_flush(other, 20);
    for (int i = 1; i <= OTHERS; i++) {
        char key[32];
        snprintf(key, sizeof key, "f32[%d]", i);
        le_db_add_samples(other, le_db_problem(other, "interpolate", key, i, i),
                          test_candidate(other, 0), &s, 1);
        if (i % AT_ONCE == 0)
            le_db_flush(other, 20);
    }
    hand_over(other, root, LE_DB_NEWS_SAMPLES);
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(root, NULL, 0, &k), LE_DB_OK);
    bool found = false;
    for (size_t i = 0; i < k->n_samples; i++)
        found = found || k->problems[k->samples[i].problem_index].id == test_problem(root, 0);
    assert_true(found);
    le_db_knowledge_free(&k);
    le_db_close(&other);
    le_db_close(&root);
}

/* Whatever an implementation says, and wherever its words were cut: the stored reason is a line of
 * UTF-8, which the other database takes. So it is with what earlier versions have stored. */
static void test_any_reason(void **state) {
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"first line\nsecond\twith a tab\x7f", "first line second with a tab "},
        {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"},
        {"cut \xc3", "cut "},
        {"cut \xe2\x82", "cut "},
        {"cut \xf0\x9f\x98", "cut "},
        {"latin \xe9t\xe9", "latin ?t"},
        {"\xff\x80 and \xed\xa0\x80", "?? and ???"},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const char *given = cases[i / 2][0], *kept = cases[i / 2][1];
        char *folder = test_folder(), *path = test_path(folder, "t.sqlite3");
        char *json = test_path(folder, "t.json");
        le_db *db = test_open(path, NULL);
        le_db_verdict v = {.candidate = test_candidate(db, 0),
                           .size_class = "f32|0",
                           .state = LE_DB_FAILED,
                           .reason = i % 2 ? "earlier" : given};
        le_db_add_verdict(db, &v);
        assert_true(le_db_flush(db, 10));
        le_db_close(&db);
        if (i % 2) {
            sqlite3 *file = NULL;
            char *text = sqlite3_mprintf("UPDATE verdicts SET reason = %Q", given);
            assert_int_equal(sqlite3_open(path, &file), SQLITE_OK);
            assert_int_equal(sqlite3_exec(file, text, NULL, NULL, NULL), SQLITE_OK);
            sqlite3_free(text);
            sqlite3_close(file);
        }
        db = test_open(path, NULL);
        assert_int_equal(le_db_export_file(db, json), LE_DB_OK);
        le_db_close(&db);
        le_db_import_result result;
        db = test_open(test_path(folder, "other.sqlite3"), NULL);
        assert_int_equal(le_db_import(db, json, NULL, &result), LE_DB_OK);
        assert_int_equal(result.bad, 0);
        le_db_knowledge *k = NULL;
        assert_int_equal(le_db_load(db, NULL, 0, &k), LE_DB_OK);
        assert_int_equal(k->n_verdicts, 1);
        assert_string_equal(k->verdicts[0].reason, kept);
        le_db_knowledge_free(&k);
        le_db_close(&db);
        test_folder_remove(folder);
    }
}

/* The longest that may be added comes back; a longer one is no row of ours. */
static void test_long_size_class(void **state) {
    char size_class[LE_DB_SIZE_CLASS + 1];
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        size_t size = 0, length = LE_DB_SIZE_CLASS - 1 + more;
        memset(size_class, 'k', length);
        size_class[length] = '\0';
        le_db *from = test_open(":memory:", NULL), *to = test_open(":memory:", NULL);
        char *text = NULL;
        le_db_add_verdict(from, &(le_db_verdict){.candidate = test_candidate(from, 0),
                                                 .size_class = size_class,
                                                 .state = LE_DB_PROVEN});
        le_db_flush(from, 1);
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        assert_int_equal(le_db_export(from, out), LE_DB_OK);
        fclose(out);
        le_db_import_result r;
        assert_int_equal(le_db_import_text(to, text, size, NULL, &r), LE_DB_OK);
        assert_int_equal(r.bad, more);
        free(text);
        le_db_knowledge *k = NULL;
        assert_int_equal(le_db_load(to, NULL, 0, &k), LE_DB_OK);
        assert_int_equal(k->n_verdicts, 1 - more);
        if (!more)
            assert_string_equal(k->verdicts[0].size_class, size_class);
        le_db_knowledge_free(&k);
        le_db_close(&from);
        le_db_close(&to);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_export_import), cmocka_unit_test(test_schema),
        cmocka_unit_test(test_merge_halves),  cmocka_unit_test(test_bad_rows),
        cmocka_unit_test(test_names_unknown), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_merge_refused),
        cmocka_unit_test(test_handed_over),   cmocka_unit_test(test_handed_over_late),
        cmocka_unit_test(test_any_reason),    cmocka_unit_test(test_long_size_class),
    };
    return cmocka_run_group_tests_name("benchdb_json", tests, NULL, NULL);
}
