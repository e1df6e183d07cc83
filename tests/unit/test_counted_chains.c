/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Counted outputs in chains, slabs and streams, against brute force.
 */
#include "counted_test.h"

#include "call/storage.h"
#include "chain/chain.h"
#include "chain_ops.h"
#include "liquid_engine/le_stream.h"

#include <unistd.h>

enum { H = 60, W = 40, PIXELS = H * W };
static const int64_t shape[2] = {H, W};

static float image[PIXELS];

/* Other numbers of rows for each seed; none for 0. */
static le_tensor make_image(int seed) {
    for (int i = 0; i < PIXELS; i++)
        image[i] = seed ? (float)((i * 7919 + seed * 31) % 1009) / 1009 * (float)seed : 0;
    return le_tensor_of(image, LE_F32, 2, shape);
}

static int64_t brute_force(double level, double factor, float rows[2 * PIXELS]) {
    int64_t n = 0;
    for (int i = 0; i < PIXELS; i++)
        if (image[i] > (float)level) {
            rows[2 * n] = (float)i;
            rows[2 * n++ + 1] = image[i] * (float)factor;
        }
    return n;
}

static void assert_rows(const le_tensor *t, double level, double factor) {
    static float expected[2 * PIXELS];
    int64_t n = brute_force(level, factor, expected);
    assert_int_equal(t->ndim, 2);
    assert_int_equal(t->shape[0], n);
    assert_int_equal(t->shape[1], 2);
    for (int64_t i = 0; i < 2 * n; i++)
        assert_true(le_tensor_get(t, i) == (double)expected[i]);
}

static void assert_sums(const le_tensor *t, double level) {
    static float rows[2 * PIXELS];
    double sums[3] = {(double)brute_force(level, 2, rows), 0, 0};
    for (int64_t i = 0; i < 2 * (int64_t)sums[0]; i++)
        sums[1 + i % 2] += (double)rows[i];
    assert_int_equal(t->shape[0], 3);
    for (int i = 0; i < 3; i++)
        assert_true(le_tensor_get(t, i) == sums[i]);
}

/* above -> doubled -> summed, all three of which are outputs */
static le_chain *make_chain(le_engine *e, int64_t room) {
    le_chain *c;
    assert_ok(le_chain_new(&c, e, "catalogue"));
    le_value in = le_chain_input(c, "image", LE_F32, 2, shape);
    le_value rows = le_chain_temp(c), twice = le_chain_temp(c), sums = le_chain_temp(c);
    le_chain_add(c, "above", LE_VALUE_IN("image", in), LE_F64("level", 0.5), LE_I64("room", room),
                 LE_VALUE_OUT("rows", rows));
    le_chain_add(c, "doubled", LE_VALUE_IN("rows", rows), LE_VALUE_OUT("result", twice));
    le_chain_add(c, "summed", LE_VALUE_IN("rows", twice), LE_VALUE_OUT("result", sums));
    le_chain_output(c, "rows", rows);
    le_chain_output(c, "twice", twice);
    le_chain_output(c, "sums", sums);
    assert_ok(le_chain_status(c));
    return c;
}

static void run_chain(le_chain *c, int seed, const char *implementation) {
    le_tensor in = make_image(seed), rows = {0}, twice = {0}, sums = {0};
    le_arg args[] = {LE_IN("image", &in), LE_OUT("rows", &rows), LE_OUT("twice", &twice),
                     LE_OUT("sums", &sums), LE_OPT_IMPLEMENTATION(implementation)};
    assert_ok(le_chain_run_args(c, args, implementation ? 5 : 4));
    assert_rows(&rows, 0.5, 1);
    assert_rows(&twice, 0.5, 2);
    assert_sums(&sums, 0.5);
    le_tensor_free(&rows);
    le_tensor_free(&twice);
    le_tensor_free(&sums);
}

static void consumers_get_what_is_there(void **state) {
    (void)state;
    static const int64_t rooms[] = {-1, 0, 3, PIXELS};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        le_engine *e = counted_open(NULL, k == 1 ? LE_MODE_MEASURE : LE_MODE_LEARN);
        le_chain *c = make_chain(e, rooms[k]);
        for (int run = 0; run < 24; run++)
            run_chain(c, run % 5, NULL);
        le_chain_free(&c);
        le_close(&e);
    }
}

static void from_a_device(void **state) {
    (void)state;
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    le_tensor in = make_image(1), rows = {0};
    le_arg some[] = {LE_IN("image", &in), LE_F64("level", 0.5), LE_OUT("rows", &rows)};
    if (!has_opencl(e, "above", some, 3)) {
        le_close(&e);
        skip();
    }
    le_chain_report report;
    le_chain *c = make_chain(e, 3);
    for (int run = 0; run < 12; run++) {
        run_chain(c, run % 5, "opencl");
        assert_ok(le_chain_last_run(c, &report));
        assert_non_null(strstr(report.steps[0].candidate, "opencl@"));
    }
    static float expected[2 * PIXELS];
    run_chain(c, 1, "opencl"); /* with room enough: the rows and their number, nothing else */
    int64_t n = brute_force(0.5, 1, expected);
    assert_ok(le_chain_last_run(c, &report));
    assert_true(report.bytes_from_device <= 8 * n + 8);
    le_chain_free(&c);
    le_close(&e);
}

/* Memory of the caller's: rows that are too many, too few; what is made of rows fits or does not.
 */
static void callers_tensors(void **state) {
    (void)state;
    static float memory[2][2 * PIXELS], expected[2 * PIXELS];
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    le_chain *c = make_chain(e, -1);
    le_tensor in = make_image(2);
    int64_t n = brute_force(0.5, 1, expected);
    const struct {
        int64_t rows, twice;
        const char *words; /* NULL: it fits */
    } cases[] = {{n, n, NULL},
                 {n + 7, n, NULL},
                 {n - 1, n, "output 'rows' needs"},
                 {n, n + 1, "output 'twice' is"},
                 {n, n - 1, "output 'twice' is"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int i = 0; i < 2 * PIXELS; i++)
            memory[0][i] = memory[1][i] = -7;
        le_tensor rows = le_tensor_of(memory[0], LE_F32, 2, (int64_t[]){cases[k].rows, 2});
        le_tensor twice = le_tensor_of(memory[1], LE_F32, 2, (int64_t[]){cases[k].twice, 2});
        le_status status =
            le_chain_run(c, LE_IN("image", &in), LE_OUT("rows", &rows), LE_OUT("twice", &twice));
        if (cases[k].words) {
            assert_int_equal(status, LE_ERR_SHAPE);
            assert_says(cases[k].words);
            assert_int_equal(rows.shape[0], cases[k].rows);
            assert_true(memory[0][0] == -7 && memory[1][0] == -7);
        } else {
            assert_ok(status);
            assert_rows(&rows, 0.5, 1);
            assert_rows(&twice, 0.5, 2);
        }
        assert_true(memory[0][2 * n] == -7);
    }
    le_tensor wrong = le_tensor_of(memory[0], LE_F32, 2, (int64_t[]){n, 3});
    assert_int_equal(le_chain_run(c, LE_IN("image", &in), LE_OUT("rows", &wrong)), LE_ERR_SHAPE);
    le_chain_free(&c);
    le_close(&e);
}

/* --- parts --- */

enum { VALUES, FEW, NUMBERS, TAIL, N_PARTS };
static const char *const part_names[N_PARTS] = {"values", "few", "numbers", "tail"};

/* The column of values tripled; rows 2 to 11 with doubled values, and their numbers; sums over all
 * rows but five, doubled. */
static le_chain *make_parts(le_engine *e, int64_t room) {
    le_chain *c;
    assert_ok(le_chain_new(&c, e, "parts"));
    le_value in = le_chain_input(c, "image", LE_F32, 2, shape), out[N_PARTS];
    le_value rows = le_chain_temp(c), twice = le_chain_temp(c);
    for (int k = 0; k < N_PARTS; k++)
        out[k] = le_chain_temp(c);
    le_chain_add(c, "above", LE_VALUE_IN("image", in), LE_F64("level", 0.5), LE_I64("room", room),
                 LE_VALUE_OUT("rows", rows));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", le_chain_slice(c, rows, 1, 1)),
                 LE_F64("factor", 3), LE_VALUE_OUT("result", out[VALUES]));
    le_value few = le_chain_range(c, rows, 0, 2, 12);
    le_chain_add(c, "doubled", LE_VALUE_IN("rows", few), LE_VALUE_OUT("result", out[FEW]));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", le_chain_slice(c, few, 1, 0)),
                 LE_F64("factor", 1), LE_VALUE_OUT("result", out[NUMBERS]));
    le_chain_add(c, "doubled", LE_VALUE_IN("rows", rows), LE_VALUE_OUT("result", twice));
    le_chain_add(c, "summed", LE_VALUE_IN("rows", le_chain_range(c, twice, 0, 5, INT64_MAX)),
                 LE_VALUE_OUT("result", out[TAIL]));
    for (int k = 0; k < N_PARTS; k++)
        le_chain_output(c, part_names[k], out[k]);
    assert_ok(le_chain_status(c));
    return c;
}

static void assert_parts(const le_tensor t[N_PARTS]) {
    static float rows[2 * PIXELS];
    int64_t n = brute_force(0.5, 1, rows), few = n < 2 ? 0 : n < 12 ? n - 2 : 10;
    double sums[3] = {n < 5 ? 0 : (double)(n - 5), 0, 0};
    assert_int_equal(t[VALUES].ndim, 1);
    assert_int_equal(t[VALUES].shape[0], n);
    assert_int_equal(t[FEW].shape[0], few);
    assert_int_equal(t[FEW].shape[1], 2);
    assert_int_equal(t[NUMBERS].shape[0], few);
    for (int64_t i = 0; i < n; i++)
        assert_true(le_tensor_get(&t[VALUES], i) == (double)(3 * rows[2 * i + 1]));
    for (int64_t i = 0; i < few; i++) {
        assert_true(le_tensor_get(&t[FEW], 2 * i) == (double)rows[2 * (2 + i)]);
        assert_true(le_tensor_get(&t[FEW], 2 * i + 1) == (double)(2 * rows[2 * (2 + i) + 1]));
        assert_true(le_tensor_get(&t[NUMBERS], i) == (double)rows[2 * (2 + i)]);
    }
    for (int64_t i = 5; i < n; i++) {
        sums[1] += (double)rows[2 * i];
        sums[2] += (double)(2 * rows[2 * i + 1]);
    }
    for (int i = 0; i < 3; i++)
        assert_true(le_tensor_get(&t[TAIL], i) == sums[i]);
}

static void run_parts(le_engine *e, le_chain *c, int seed, const char *run_type) {
    le_tensor in = make_image(seed), out[N_PARTS] = {{0}};
    for (int i = 10; seed == 4 && i < PIXELS; i++) /* fewer rows than the range has */
        image[i] = 0;
    le_arg args[N_PARTS + 2] = {LE_IN("image", &in)};
    size_t n = 1;
    for (int k = 0; k < N_PARTS; k++)
        args[n++] = LE_OUT(part_names[k], &out[k]);
    if (run_type)
        args[n++] = LE_OPT_RUN_TYPE(run_type);
    assert_ok(c ? le_chain_run_args(c, args, n) : le_call_run(e, "parts", args, n));
    assert_parts(out);
    for (int k = 0; k < N_PARTS; k++)
        le_tensor_free(&out[k]);
}

static void parts_follow_the_rows(void **state) {
    (void)state;
    static const int64_t rooms[] = {-1, 0, 3, PIXELS};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        le_engine *e = counted_open(NULL, k == 1 ? LE_MODE_MEASURE : LE_MODE_LEARN);
        assert_ok(chain_ops_register(e));
        le_chain *c = make_parts(e, rooms[k]);
        for (int run = 0; run < 15; run++)
            run_parts(e, c, run % 5, NULL);
        assert_ok(le_chain_as_operation(c, "parts", NULL));
        for (int run = 0; run < 10; run++)
            run_parts(e, NULL, run % 5, NULL);
        le_chain_free(&c);
        le_close(&e);
    }
}

static void parts_of_rows_on_a_device(void **state) {
    (void)state;
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    le_tensor in = make_image(1), rows = {0};
    le_arg some[] = {LE_IN("image", &in), LE_F64("level", 0.5), LE_OUT("rows", &rows)};
    if (!has_opencl(e, "above", some, 3)) {
        le_close(&e);
        skip();
    }
    assert_ok(chain_ops_register(e));
    le_chain *c = make_parts(e, 3);
    for (int run = 0; run < 10; run++)
        run_parts(e, c, run % 5, "opencl");
    le_chain_free(&c);
    le_close(&e);
}

/* An element is there or it is not. */
static void one_row_of_those_that_are_there(void **state) {
    (void)state;
    static float expected[2 * PIXELS];
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    le_chain *c;
    le_tensor none = make_image(0), out = {0};
    assert_ok(chain_ops_register(e));
    assert_ok(le_chain_new(&c, e, "row"));
    le_value in = le_chain_input(c, "image", LE_F32, 2, shape);
    le_value rows = le_chain_temp(c), row = le_chain_temp(c);
    le_chain_add(c, "above", LE_VALUE_IN("image", in), LE_F64("level", 0.5), LE_I64("room", 3),
                 LE_VALUE_OUT("rows", rows));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", le_chain_slice(c, rows, 0, 7)),
                 LE_F64("factor", 1), LE_VALUE_OUT("result", row));
    le_chain_output(c, "row", row);
    assert_ok(le_chain_status(c));
    for (int run = 0; run < 6; run++) {
        le_tensor image_now = make_image(1 + run % 4);
        assert_true(brute_force(0.5, 1, expected) > 7);
        assert_ok(le_chain_run(c, LE_IN("image", &image_now), LE_OUT("row", &out)));
        assert_int_equal(out.ndim, 1);
        assert_true(le_tensor_get(&out, 0) == (double)expected[14]);
        assert_true(le_tensor_get(&out, 1) == (double)expected[15]);
        le_tensor_free(&out);
        none = make_image(0);
        assert_int_equal(le_chain_run(c, LE_IN("image", &none), LE_OUT("row", &out)), LE_ERR_SHAPE);
        assert_says("no part 7 along axis 0 of f32[0,2]");
        assert_null(out.data);
    }
    le_chain_slice(c, rows, 1, 2);
    assert_int_equal(le_chain_status(c), LE_ERR_SHAPE);
    assert_says("no part 2 along axis 1");
    le_chain_free(&c);
    le_close(&e);
}

static void no_range_that_ends_before_it_begins(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        le_engine *e = counted_open(NULL, LE_MODE_LEARN);
        le_chain *c = make_chain(e, -1);
        le_chain_range(c, (le_value){1}, 0, 3, k ? -5 : 2);
        assert_int_equal(le_chain_status(c), LE_ERR_SHAPE);
        le_chain_free(&c);
        le_close(&e);
    }
}

static void rows_are_not_written_to_a_part(void **state) {
    (void)state;
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    le_chain *c;
    assert_ok(le_chain_new(&c, e, "part"));
    le_value in = le_chain_input(c, "image", LE_F32, 2, shape);
    le_value all = le_chain_temp_of(c, LE_F32, 3, (int64_t[]){2, 150, 2});
    le_chain_add(c, "above", LE_VALUE_IN("image", in), LE_F64("level", 0.5),
                 LE_VALUE_OUT("rows", le_chain_slice(c, all, 0, 1)));
    assert_int_equal(le_chain_status(c), LE_ERR_UNSUPPORTED);
    assert_says("cannot be written to a part of a value");
    le_chain_free(&c);
    le_close(&e);
}

/* Memory is planned for the room, what it takes by the rows that there have been. */
static void plans_go_by_what_was(void **state) {
    (void)state;
    static float expected[2 * PIXELS];
    le_chain_plan *plan = NULL;
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    le_chain *c = make_chain(e, PIXELS);
    assert_ok(le_chain_explain(c, &plan, NULL, 0));
    assert_int_equal(plan->n_steps, 3);
    le_chain_plan_free(&plan);
    assert_int_equal(c->values[1].room_bytes, 8 * PIXELS);
    assert_int_equal(c->values[1].expected_bytes, 8 * le__elastic_extent(PIXELS));
    run_chain(c, 1, NULL);
    int64_t n = brute_force(0.5, 1, expected);
    assert_ok(le_chain_explain(c, &plan, NULL, 0));
    le_chain_plan_free(&plan);
    assert_int_equal(c->values[1].room_bytes, 8 * PIXELS);
    for (int v = 1; v < 3; v++)
        assert_int_equal(c->values[v].expected_bytes, 8 * le__elastic_extent(n));
    le_chain_free(&c);
    c = make_chain(e, 16); /* as big a share as ever: the problem is new */
    assert_ok(le_chain_explain(c, &plan, NULL, 0));
    le_chain_plan_free(&plan);
    run_chain(c, 1, NULL);
    assert_ok(le_chain_explain(c, &plan, NULL, 0));
    le_chain_plan_free(&plan);
    assert_true(c->values[1].room_bytes >= 8 * n);
    le_chain_free(&c);
    le_close(&e);
}

/* The plan that one process stores is the one that the next finds, whatever was counted. */
static void stored_plans(void **state) {
    (void)state;
    char db[64];
    snprintf(db, sizeof db, "/tmp/le_counted_%ld.db", (long)getpid());
    le_engine *e = counted_open(db, LE_MODE_LEARN);
    le_chain *c = make_chain(e, -1);
    for (int run = 0; run < 9; run++)
        run_chain(c, run % 5, NULL);
    le_chain_plan *plan = NULL;
    assert_ok(le_chain_explain(c, &plan, NULL, 0));
    le_chain_plan_free(&plan);
    double expected = (double)c->values[1].expected_bytes;
    assert_true(expected < 0.9 * 8 * PIXELS);
    le_chain_free(&c);
    le_close(&e);
    e = counted_open(db, LE_MODE_LEARN); /* which knows what to expect before its first run */
    c = make_chain(e, -1);
    assert_ok(le_chain_explain(c, &plan, NULL, 0));
    le_chain_plan_free(&plan);
    assert_true(fabs((double)c->values[1].expected_bytes - expected) <= 0.1 * expected);
    le_chain_free(&c);
    le_close(&e);
    e = counted_open(db, LE_MODE_FROZEN);
    c = make_chain(e, -1);
    assert_ok(le_chain_explain(c, &plan, NULL, 0));
    assert_string_equal(plan->why, "frozen");
    le_chain_plan_free(&plan);
    for (int run = 0; run < 9; run++)
        run_chain(c, run % 5, NULL);
    le_chain_free(&c);
    le_close(&e);
    unlink(db);
}

/* A chain as an operation: its counted outputs, and those made from them, are counted. */
static void chain_as_operation(void **state) {
    (void)state;
    static const int64_t rooms[] = {-1, 3};
    for (size_t k = 0; k < 2; k++) {
        le_engine *e = counted_open(NULL, LE_MODE_LEARN);
        le_chain *c = make_chain(e, rooms[k]);
        assert_ok(le_chain_as_operation(c, "catalogue", NULL));
        le_chain_free(&c);
        for (int run = 0; run < 10; run++) {
            le_tensor in = make_image(run % 5), rows = {0}, twice = {0}, sums = {0};
            assert_ok(le_engine_run(e, "catalogue", LE_IN("image", &in), LE_OUT("rows", &rows),
                                    LE_OUT("twice", &twice), LE_OUT("sums", &sums)));
            assert_rows(&rows, 0.5, 1);
            assert_rows(&twice, 0.5, 2);
            assert_sums(&sums, 0.5);
            le_tensor_free(&rows);
            le_tensor_free(&twice);
            le_tensor_free(&sums);
        }
        le_tensor in = make_image(2), rows = {0};
        le_explanation *x = NULL;
        assert_ok(
            le_engine_explain(e, &x, "catalogue", LE_IN("image", &in), LE_OUT("rows", &rows)));
        assert_non_null(explained(x, "staged"));
        le_explanation_free(&x);
        le_close(&e);
    }
}

static void no_memory_for_nothing(void **state) {
    (void)state;
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    le_chain *c = make_chain(e, 1000000);
    le_tensor in = make_image(1), rows = {0};
    assert_ok(le_chain_run(c, LE_IN("image", &in), LE_OUT("rows", &rows)));
    assert_rows(&rows, 0.5, 1);
    assert_int_equal(rows.storage->bytes, 8 * rows.shape[0]);
    le_tensor_free(&rows);
    le_chain_free(&c);
    le_close(&e);
}

/* --- slabs --- */

static void in_slabs(void **state) {
    (void)state;
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    for (int seed = 0; seed < 5; seed++)
        for (int64_t room = -1; room < 5; room += 5) {
            le_tensor in = make_image(seed), rows = {0};
            assert_ok(le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                                    LE_I64("room", room), LE_OUT("rows", &rows),
                                    LE_OPT_IMPLEMENTATION("slabs")));
            assert_rows(&rows, 0.5, 1);
            le_tensor_free(&rows);
        }
    le_close(&e);
}

/* Rows of a halo belong to the neighbour, and places count from the first line of all. */
static void in_slabs_with_halos(void **state) {
    (void)state;
    static int64_t expected[3 * PIXELS];
    int64_t n = 0;
    le_tensor in = make_image(3), peaks = {0};
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float value = image[y * W + x];
            if ((y > 0 && image[(y - 1) * W + x] >= value) ||
                (y + 1 < H && image[(y + 1) * W + x] >= value))
                continue;
            expected[3 * n] = y;
            expected[3 * n + 1] = x;
            expected[3 * n++ + 2] = (int64_t)(1000 * (double)value);
        }
    for (int slabs = 0; slabs < 2; slabs++) {
        assert_ok(le_engine_run(e, "peaks", LE_IN("image", &in), LE_OUT("peaks", &peaks),
                                LE_OPT_IMPLEMENTATION(slabs ? "slabs" : "reference")));
        assert_int_equal(peaks.shape[0], n);
        for (int64_t i = 0; i < 3 * n; i++)
            assert_int_equal(le_tensor_get_i64(&peaks, i), expected[i]);
        le_tensor_free(&peaks);
    }
    le_close(&e);
}

/* scale, then above: 3 * image > 1.5 */
static void register_scaled(le_engine *e) {
    le_chain *c;
    assert_ok(chain_ops_register(e));
    assert_ok(le_chain_new(&c, e, "scaled_above"));
    le_value in = le_chain_input(c, "image", LE_F32, 2, shape);
    le_value scaled = le_chain_temp(c), rows = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", in), LE_VALUE_OUT("result", scaled),
                 LE_F64("factor", 4));
    le_chain_add(c, "above", LE_VALUE_IN("image", scaled), LE_VALUE_OUT("rows", rows),
                 LE_F64("level", 2));
    le_chain_output(c, "rows", rows);
    assert_ok(le_chain_as_operation(c, "scaled_above", NULL));
    le_chain_free(&c);
}

static void chains_in_slabs(void **state) {
    (void)state;
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    register_scaled(e);
    for (int seed = 0; seed < 5; seed++) {
        le_tensor in = make_image(seed), rows = {0};
        assert_ok(le_engine_run(e, "scaled_above", LE_IN("image", &in), LE_OUT("rows", &rows),
                                LE_OPT_IMPLEMENTATION("slabs")));
        assert_rows(&rows, 0.5, 4);
        le_tensor_free(&rows);
    }
    le_close(&e);
}

/* --- streams --- */

static void from_a_file(void **state) {
    (void)state;
    char path[64], place[80];
    le_io_stream *stream;
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    snprintf(path, sizeof path, "/tmp/le_counted_%ld.h5", (long)getpid());
    snprintf(place, sizeof place, "%s:/image", path);
    le_tensor in = make_image(4), rows = {0};
    assert_ok(le_io_write(e, place, &in));
    assert_ok(le_io_stream_open(e, place, NULL, &stream));
    assert_ok(le_stream_run(e, "above", "image", stream, LE_F64("level", 0.5),
                            LE_OUT("rows", &rows), LE_OPT_MEMORY_LIMIT(9000)));
    le_io_stream_close(&stream);
    assert_rows(&rows, 0.5, 1);
    le_tensor_free(&rows);
    le_close(&e);
    unlink(path);
}

typedef struct lines { /* a source of lines of the image, and where rows go */
    int64_t next;
    float rows[2 * PIXELS];
    int64_t n, batches;
} lines;

static le_status give(le_source *source, int64_t items, le_tensor *parts) {
    lines *l = source->data;
    parts[0] = le_tensor_of(image + l->next * W, LE_F32, 2, (int64_t[]){items, W});
    l->next += items;
    return LE_OK;
}

static le_status take(le_sink *sink, int64_t first, int64_t items, const le_tensor *result) {
    lines *l = sink->data;
    (void)items;
    for (int64_t i = 0; i < result->shape[0]; i++) {
        l->rows[2 * l->n] = (float)(le_tensor_get(result, 2 * i) + (double)(first * W));
        l->rows[2 * l->n++ + 1] = (float)le_tensor_get(result, 2 * i + 1);
    }
    l->batches++;
    return LE_OK;
}

static void through_sinks(void **state) {
    (void)state;
    static lines l;
    static float expected[2 * PIXELS];
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    le_chain *c = make_chain(e, 2);
    for (int seed = 0; seed < 5; seed++) {
        make_image(seed);
        memset(&l, 0, sizeof l);
        le_source source = {.items = H, .block = 7, .parts = 1, .next = give, .data = &l};
        le_sink sink = {take, &l};
        assert_ok(le_chain_stream(c, LE_SOURCE("image", &source, 0), LE_SINK("twice", &sink)));
        assert_true(l.batches > 1);
        assert_int_equal(l.n, brute_force(0.5, 2, expected));
        assert_memory_equal(l.rows, expected, (size_t)l.n * 2 * sizeof(float));
    }
    le_chain_free(&c);
    le_close(&e);
}

/* A file gets the catalogue of the whole: places count from its first line. */
static void into_a_file(void **state) {
    (void)state;
    static lines l;
    char path[64], place[80];
    le_engine *e = counted_open(NULL, LE_MODE_LEARN);
    le_chain *c = make_chain(e, 2);
    snprintf(path, sizeof path, "/tmp/le_counted_%ld_rows.h5", (long)getpid());
    snprintf(place, sizeof place, "%s:/rows", path);
    for (int seed = 0; seed < 5; seed++) {
        le_sink *sink;
        le_tensor rows = {0};
        make_image(seed);
        memset(&l, 0, sizeof l);
        le_source source = {.items = H, .block = 7, .parts = 1, .next = give, .data = &l};
        assert_ok(le_io_sink(e, place, &sink));
        assert_ok(le_chain_stream(c, LE_SOURCE("image", &source, 0), LE_SINK("rows", sink)));
        assert_ok(le_io_sink_close(&sink, true));
        assert_ok(le_io_read(e, place, NULL, &rows));
        assert_rows(&rows, 0.5, 1);
        le_tensor_free(&rows);
    }
    le_chain_free(&c);
    le_close(&e);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consumers_get_what_is_there),
        cmocka_unit_test(from_a_device),
        cmocka_unit_test(callers_tensors),
        cmocka_unit_test(parts_follow_the_rows),
        cmocka_unit_test(parts_of_rows_on_a_device),
        cmocka_unit_test(one_row_of_those_that_are_there),
        cmocka_unit_test(no_range_that_ends_before_it_begins),
        cmocka_unit_test(rows_are_not_written_to_a_part),
        cmocka_unit_test(plans_go_by_what_was),
        cmocka_unit_test(stored_plans),
        cmocka_unit_test(chain_as_operation),
        cmocka_unit_test(no_memory_for_nothing),
        cmocka_unit_test(in_slabs),
        cmocka_unit_test(in_slabs_with_halos),
        cmocka_unit_test(chains_in_slabs),
        cmocka_unit_test(from_a_file),
        cmocka_unit_test(through_sinks),
        cmocka_unit_test(into_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
