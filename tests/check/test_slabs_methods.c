/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations that can be cut into slabs: every check case that can be gives the same result in
 * slabs as by the reference on the whole, and one that is read frame by frame from a file.
 */
#include "call/case.h"
#include "check/cases.h"
#include "liquid_engine/le_stream.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { CASES = 60, LEAST_CASES = 6 /* some can be cut */ };
static le_engine *engine;
static uint64_t seed;
static int n_cases;

static int open_engine(void **state) {
    (void)state;
    le_options o;
    seed = case_seed();
    n_cases = (int)case_count(CASES);
    if (n_cases < LEAST_CASES)
        n_cases = LEAST_CASES;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "cpu";
    return le_open(&engine, &o) == LE_OK ? 0 : -1;
}

static int close_engine(void **state) {
    (void)state;
    le_close(&engine);
    return 0;
}

static void assert_same(const le_operation *op, int index, const le_tensor *a, const le_tensor *b) {
    double scale = 0;
    assert_int_equal(le_tensor_count(a), le_tensor_count(b));
    for (int64_t i = 0; i < le_tensor_count(b); i++)
        scale = fmax(scale, isfinite(le_tensor_get(b, i)) ? fabs(le_tensor_get(b, i)) : 0);
    for (int64_t i = 0; i < le_tensor_count(b); i++) {
        double x = le_tensor_get(a, i), y = le_tensor_get(b, i);
        bool same =
            x == y || (isnan(x) && isnan(y)) ||
            fabs(x - y) <= op->atol * (op->norm == LE_NORM_MAX ? scale : 1) + op->rtol * fabs(y);
        if (!same)
            fail_msg("%s: case %d: element %lld is %g in slabs, %g as a whole", op->name, index,
                     (long long)i, x, y);
    }
}

/* Runs a case by an implementation; the outputs are left in the case. */
static le_status run_case(le_case *c, const le_operation *op, int64_t index,
                          const char *implementation, int64_t limit) {
    le_case_request request = {.kind = LE_CASE_CHECK, .seed = seed, .index = index};
    assert_int_equal(le__case_make(c, op, &request), LE_OK);
    c->args[c->n] = LE_OPT_IMPLEMENTATION(implementation);
    c->args[c->n + 1] = LE_OPT_MEMORY_LIMIT(limit);
    le_status status = le_call_run(engine, op->name, c->args, c->n + 2);
    c->args[c->n] = c->args[c->n + 1] = (le_arg){0};
    return status;
}

/* By the least power of two that suffices: the smallest tiles. */
static le_status run_in_tiles(le_case *c, const le_operation *op, int64_t index) {
    le_status status = LE_ERR_NO_CANDIDATE;
    for (int64_t limit = 512; status == LE_ERR_NO_CANDIDATE && limit < 1 << 26; limit *= 2) {
        status = run_case(c, op, index, "slabs", limit);
        if (status != LE_OK)
            le__case_free(c);
    }
    return status;
}

static int compare_cases(const char *name, const char *reference, bool tiles) {
    const le_operation *op = le_engine_operation(engine, name);
    int compared = 0;
    assert_non_null(op);
    for (int k = 0; k < n_cases; k++) {
        static le_case cut, whole;
        le_status status = tiles ? run_in_tiles(&cut, op, k) : run_case(&cut, op, k, "slabs", 0);
        assert_true(status == LE_OK || status == LE_ERR_NO_CANDIDATE || status == LE_ERR_DATA);
        if (status == LE_OK) {
            assert_int_equal(run_case(&whole, op, k, reference, 0), LE_OK);
            for (size_t i = 0; i < cut.n; i++)
                if (cut.args[i].kind == LE_KIND_OUT)
                    assert_same(op, k, &cut.tensors[i], &whole.tensors[i]);
            le__case_free(&whole);
            compared++;
        }
        if (status == LE_OK || !tiles)
            le__case_free(&cut);
    }
    print_message("%s: %d of %d cases in %s\n", name, compared, n_cases, tiles ? "tiles" : "slabs");
    return compared;
}

static const char *reference_of(const char *operation) {
    size_t n;
    const le_implementation *const *list = le_engine_implementations(engine, operation, &n);
    for (size_t i = 0; i < n; i++)
        if (list[i]->flags & LE_IMPL_REFERENCE)
            return list[i]->name;
    return NULL;
}

static void slabs_equal_the_whole(void **state) {
    (void)state;
    size_t n, found = 0;
    const le_operation *const *list = le_engine_operations(engine, &n);
    for (size_t i = 0; i < n; i++) {
        if (!list[i]->slabs)
            continue;
        found++;
        assert_true(compare_cases(list[i]->name, reference_of(list[i]->name), false) >
                    n_cases / 10);
    }
    assert_true(found > 0);
}

static void tiles_equal_the_whole(void **state) {
    (void)state;
    size_t n, found = 0;
    const le_operation *const *list = le_engine_operations(engine, &n);
    for (size_t i = 0; i < n; i++)
        if (list[i]->tiles) {
            found++;
            assert_true(compare_cases(list[i]->name, reference_of(list[i]->name), true) >
                        n_cases / 10);
        }
    assert_true(found > 0);
}

static void mean_of_a_movie(void **state) {
    (void)state;
    char path[64], place[80];
    le_tensor movie, mean = {0}, sum = {0};
    le_io_stream *stream;
    snprintf(path, sizeof path, "/tmp/le_movie_%ld.h5", (long)getpid());
    snprintf(place, sizeof place, "%s:/movie", path);
    assert_int_equal(le_tensor_alloc(&movie, LE_U16, 3, (int64_t[]){50, 9, 7}), LE_OK);
    for (int64_t i = 0; i < 50 * 63; i++)
        le_tensor_set(&movie, i, (double)((i * 7919) % 65521));
    assert_int_equal(le_io_write(engine, place, &movie), LE_OK);
    assert_int_equal(le_io_stream_open(engine, place, NULL, &stream), LE_OK);
    assert_int_equal(le_stream_run(engine, "temporal_projection", "image", stream,
                                   LE_OUT("result", &mean), LE_STR("temporal", "avg"),
                                   LE_OPT_MEMORY_LIMIT(2000)),
                     LE_OK);
    le_io_stream_close(&stream);
    assert_int_equal(le_io_stream_open(engine, place, NULL, &stream), LE_OK);
    assert_int_equal(le_stream_run(engine, "project", "volume", stream, LE_OUT("image", &sum),
                                   LE_STR("reduce", "sum"), LE_STR("scale", "linear"),
                                   LE_STR("colormap", "none"), LE_OPT_MEMORY_LIMIT(2000)),
                     LE_OK);
    le_io_stream_close(&stream);
    for (int64_t i = 0; i < 63; i++) {
        double all = 0;
        for (int64_t f = 0; f < 50; f++)
            all += le_tensor_get(&movie, f * 63 + i);
        assert_true(fabs(le_tensor_get(&mean, i) - all / 50) <= 1e-5 * 65536);
        assert_true(fabs(le_tensor_get(&sum, i) - all) <= 1e-6 * all + 1);
    }
    le_tensor_free(&mean);
    le_tensor_free(&sum);
    le_tensor_free(&movie);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_equal_the_whole),
        cmocka_unit_test(tiles_equal_the_whole),
        cmocka_unit_test(mean_of_a_movie),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
