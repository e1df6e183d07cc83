/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Counted outputs: single calls against brute force, room that does not suffice, what callers
 * allocate, and trials that find who miscounts.
 */
#include "counted_test.h"

#include "benchdb.h"
#include "call/counted.h"
#include "call/engine.h"
#include "call/rows.h"
#include "call/storage.h"
#include "liquid_engine/le_bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { H = 61, W = 47, PIXELS = H * W };

static float image[PIXELS];

static le_tensor make_image(void) {
    for (int i = 0; i < PIXELS; i++)
        image[i] = (float)((i * 7919) % 1009) / 1009;
    return le_tensor_of(image, LE_F32, 2, (int64_t[]){H, W});
}

/* Writes the rows; how many there are. */
static int64_t brute_force(double level, float rows[2 * PIXELS]) {
    int64_t n = 0;
    for (int i = 0; i < PIXELS; i++)
        if (image[i] > (float)level) {
            rows[2 * n] = (float)i;
            rows[2 * n++ + 1] = image[i];
        }
    return n;
}

static void assert_rows(const le_tensor *t, double level) {
    static float expected[2 * PIXELS];
    int64_t n = brute_force(level, expected);
    assert_int_equal(t->ndim, 2);
    assert_int_equal(t->shape[0], n);
    assert_int_equal(t->shape[1], 2);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < 2; k++) {
            const float *row = (const float *)t->data + i * t->strides[0];
            assert_true(row[k * t->strides[1]] == expected[2 * i + k]);
        }
}

static le_engine *open_counted(le_mode mode) {
    return counted_open(NULL, mode);
}

static const double levels[] = {-1, 0.2, 0.5, 0.9, 0.9975, 2}; /* from all pixels to none */

static void single_calls(void **state) {
    (void)state;
    le_tensor in = make_image();
    const char *const names[] = {"reference", "c"};
    le_engine *e = open_counted(LE_MODE_LEARN);
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        for (int by = 0; by < 3; by++) {
            le_tensor rows = {0};
            le_arg args[] = {LE_IN("image", &in), LE_F64("level", levels[k]), LE_OUT("rows", &rows),
                             LE_OPT_IMPLEMENTATION(names[by % 2])};
            assert_ok(le_call_run(e, "above", args, by < 2 ? 4 : 3));
            assert_rows(&rows, levels[k]);
            le_tensor_free(&rows);
        }
    le_close(&e);
}

/* The same for a device, where rows may stay. */
static void on_a_device(void **state) {
    (void)state;
    le_run_info info = {.struct_size = sizeof info};
    le_tensor in = make_image(), rows = {0}, sums = {0};
    le_engine *e = open_counted(LE_MODE_LEARN);
    le_arg some[] = {LE_IN("image", &in), LE_F64("level", 0.5), LE_OUT("rows", &rows)};
    if (!has_opencl(e, "above", some, 3)) {
        le_close(&e);
        skip();
    }
    for (size_t k = 0; k < 2 * sizeof levels / sizeof *levels; k++) {
        double level = levels[k / 2];
        assert_ok(le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", level),
                                LE_I64("room", k % 2 ? 0 : -1), LE_OUT("rows", &rows),
                                LE_OPT_DEVICE("opencl")));
        assert_ok(le_last_run(&info));
        assert_non_null(strstr(info.candidate, "opencl@"));
        assert_rows(&rows, level);
        /* the rows there are and their number, in two runs at most */
        assert_true(info.bytes_from_device <= rows.shape[0] * 8 + 16);
        le_tensor_free(&rows);
    }
    assert_ok(le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                            LE_OUT("rows", &rows), LE_OPT_DEVICE("opencl"),
                            LE_OPT_KEEP_ON_DEVICE()));
    assert_ok(le_engine_run(e, "summed", LE_IN("rows", &rows), LE_OUT("result", &sums)));
    assert_ok(le_tensor_to_host(&rows));
    assert_rows(&rows, 0.5);
    assert_true(le_tensor_get(&sums, 0) == (double)rows.shape[0]);
    le_tensor_free(&rows);
    le_tensor_free(&sums);
    le_close(&e);
}

static void run_above(le_engine *e, double level, int64_t room, le_tensor *rows) {
    le_tensor in = make_image();
    assert_ok(le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", level),
                            LE_I64("room", room), LE_OUT("rows", rows),
                            LE_OPT_IMPLEMENTATION("c")));
    assert_rows(rows, level);
}

/* Rows without room are made once more, and the next call has room for them at once. (Where runs
 * are counted nothing is explored: such a run may be stopped, and be one more.) */
static void too_little_room(void **state) {
    (void)state;
    static const int64_t rooms[] = {0, 1, 7, 100};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        le_engine *e = open_counted(LE_MODE_ESTIMATE);
        le_tensor rows = {0};
        run_above(e, 0.5, PIXELS, &rows); /* proven, nothing learnt of small rooms */
        le_tensor_free(&rows);
        run_above(e, 0.5, rooms[k], &rows);
        le_tensor_free(&rows);
        for (int more = 0; more < 3; more++) {
            int before = counted_runs;
            run_above(e, 0.5 + 0.01 * more, rooms[k], &rows);
            assert_int_equal(counted_runs, before + 1);
            le_tensor_free(&rows);
        }
        le_close(&e);
    }
}

static void room_is_learnt(void **state) {
    (void)state;
    le_engine *e = open_counted(LE_MODE_ESTIMATE);
    le_tensor rows = {0};
    run_above(e, 2, 10, &rows); /* none, in any trial either */
    le_tensor_free(&rows);
    int before = counted_runs;
    run_above(e, 0.9, 10, &rows);
    assert_int_equal(counted_runs, before + 2);
    le_tensor_free(&rows);
    run_above(e, 0.9, 10, &rows);
    assert_int_equal(counted_runs, before + 3);
    le_tensor_free(&rows);
    run_above(e, 0.2, 10, &rows); /* more than ever */
    assert_int_equal(counted_runs, before + 5);
    le_tensor_free(&rows);
    le_close(&e);
}

/* What the caller allocated: larger, exact, strided, in the engine's memory, and too small. */
static void callers_tensors(void **state) {
    (void)state;
    static float memory[3 * PIXELS], expected[2 * PIXELS];
    le_engine *e = open_counted(LE_MODE_LEARN);
    le_tensor in = make_image(), rows;
    int64_t n = brute_force(0.5, expected);
    for (int64_t more = -n; more <= 20; more += more == -n ? n - 1 : more < 0 ? 1 : 20) {
        for (int i = 0; i < 3 * PIXELS; i++)
            memory[i] = -7;
        rows = le_tensor_of(memory, LE_F32, 2, (int64_t[]){n + more, 2});
        rows.strides[0] = 3;
        le_status status = le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                                         LE_OUT("rows", &rows));
        if (more < 0) {
            char words[80];
            snprintf(words, sizeof words, "needs %d rows, %d given", (int)n, (int)(n + more));
            assert_int_equal(status, LE_ERR_SHAPE);
            assert_says(words);
            assert_int_equal(rows.shape[0], n + more);
        } else {
            assert_ok(status);
            assert_ptr_equal(rows.data, memory);
            assert_rows(&rows, 0.5);
        }
        for (int64_t i = 0; i < 3 * PIXELS; i++)
            if (more < 0 || i >= 3 * n || i % 3 == 2)
                assert_true(memory[i] == -7);
    }
    assert_ok(le_tensor_alloc(&rows, LE_F64, 2, (int64_t[]){n + 3, 2}));
    assert_ok(le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                            LE_OUT("rows", &rows)));
    assert_int_equal(rows.shape[0], n);
    assert_true(le_tensor_get(&rows, 2 * n - 2) == (double)expected[2 * n - 2]);
    le_tensor_free(&rows);
    rows = le_tensor_of(memory, LE_F32, 2, (int64_t[]){n, 3});
    assert_int_equal(
        le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5), LE_OUT("rows", &rows)),
        LE_ERR_SHAPE);
    assert_says("with any number of rows");
    le_close(&e);
}

/* The caller does not keep memory for rows that are not there. */
static void no_memory_for_nothing(void **state) {
    (void)state;
    le_engine *e = open_counted(LE_MODE_LEARN);
    le_tensor rows = {0};
    run_above(e, 0.9, 1000000, &rows);
    assert_int_equal(rows.storage->bytes, 8 * rows.shape[0]);
    le_tensor_free(&rows);
    le_close(&e);
}

static le_status says_too_many(le_call *call) {
    le_call_set_count_by(call, ABOVE_ROWS, INT64_C(1) << 58, "the image says so; expected fewer");
    return LE_OK;
}

/* Where there is no memory for so many rows it is said what they go by. */
static void no_memory_for_so_many(void **state) {
    (void)state;
    const le_implementation boasts = {.abi = LE_METHOD_ABI,
                                      .operation = "above",
                                      .name = "boasts",
                                      .run_type = "c",
                                      .flags = LE_IMPL_REFERENCE,
                                      .speed = 1,
                                      .run = says_too_many};
    le_engine *e = engine_open(NULL, LE_MODE_LEARN);
    le_tensor in = make_image(), rows = {0};
    assert_ok(le_register_operation(e, &counted_above));
    assert_ok(le_register_implementation(e, &boasts));
    assert_int_equal(
        le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5), LE_OUT("rows", &rows)),
        LE_ERR_MEMORY);
    assert_string_equal(le_error_message(),
                        "above: there is no memory for output 'rows', f32[288230376151711744,2]: "
                        "2147483648.0 GiB; the image says so; expected fewer");
    assert_null(rows.data);
    le_close(&e);
}

/* What other calls of the problem had is a guess, and a call that needs less does without. */
static void no_memory_for_what_is_guessed(void **state) {
    (void)state;
    le_engine *e = open_counted(LE_MODE_ESTIMATE);
    le_tensor rows = {0}, in = make_image();
    le_call call;
    run_above(e, 0.9, 1000, &rows);
    le_tensor_free(&rows);
    const le_arg args[] = {LE_IN("image", &in), LE_F64("level", 0.9), LE_I64("room", 1000),
                           LE_OUT("rows", &rows)};
    assert_ok(le__call_bind(&call, e, le__registry_find(&e->registry, "above"), args, 4));
    le__counted_recall(&call, ABOVE_ROWS, false, (le__rows_share){.most = 1e12, .mean = 1e12});
    le__call_unbind(&call);
    run_above(e, 0.9, 1000, &rows);
    le_tensor_free(&rows);
    run_above(e, 0.1, 1, &rows); /* nor does one that needs more miss it */
    le_tensor_free(&rows);
    le_close(&e);
}

/* A share that is far above 1 is believed of its own problem only: the next room may be a guess of
 * another kind, and so many times as much of it too much. */
static void shares_of_others(void **state) {
    (void)state;
    static const int64_t rooms[] = {100, 900, 1000};
    le_engine *e = open_counted(LE_MODE_ESTIMATE);
    le_tensor rows = {0};
    run_above(e, 0.5, 3, &rows); /* needs some 400 times that */
    le_tensor_free(&rows);
    for (int i = 0; i < 3; i++) {
        int before = counted_runs;
        run_above(e, 0.5, rooms[i], &rows);
        assert_int_equal(counted_runs, before + 2);
        le_tensor_free(&rows);
    }
    le_close(&e);
}

/* What a process has learnt of rows, the next one knows: of the problem, and of the operation for
 * others of it. Frozen, it reads and does not write. */
static void shares_outlive_the_process(void **state) {
    (void)state;
    char db[] = "/tmp/le-shares-XXXXXX";
    close(mkstemp(db));
    unlink(db);
    for (int process = 0; process < 4; process++) {
        le_engine *e = counted_open(db, process == 2 ? LE_MODE_FROZEN : LE_MODE_ESTIMATE);
        le_tensor rows = {0};
        run_above(e, 2, PIXELS + process, &rows); /* none: proves it, and says nothing of 10 */
        le_tensor_free(&rows);
        int before = counted_runs;
        run_above(e, 0.9, 10, &rows);
        assert_int_equal(counted_runs, before + (process ? 1 : 2));
        le_tensor_free(&rows);
        le_close(&e);
    }
    le_db_knowledge *k = NULL;
    le_db *file = le_db_open(&(le_db_options){.path = db, .frozen = true});
    assert_int_equal(le_db_load(file, LE_DB_ROWS, 0, &k), LE_DB_OK);
    size_t of_problem = 0, of_all = 0;
    for (size_t i = 0; i < k->n_choices; i++) {
        const char *problem = k->problems[k->choices[i].problem_index].key;
        assert_string_equal(k->choices[i].constraint, "rows");
        of_all += !strcmp(problem, "above");
        of_problem += !strcmp(problem, "above image=f32[61,47] rows=f32[10,2]");
    }
    assert_int_equal(of_all, 1);
    assert_int_equal(of_problem, 1);
    le_db_knowledge_free(&k);
    le_db_close(&file);
    unlink(db);
}

static void shape_of_the_problem(void **state) {
    (void)state;
    le_tensor in = make_image(), rows = {0};
    le_engine *e = open_counted(LE_MODE_LEARN);
    le_explanation *x = NULL;
    for (int after = 0; after < 2; after++) {
        assert_ok(le_engine_explain(e, &x, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                                    LE_I64("room", 5), LE_OUT("rows", &rows)));
        assert_string_equal(x->problem, "image=f32[61,47] rows=f32[5,2]");
        const le_explained_candidate *c = explained(x, "c");
        assert_int_equal(c->samples > 0, after);
        for (size_t i = 0; i < x->n_candidates; i++)
            assert_int_equal(x->candidates[i].samples > 0, x->candidates[i].measured_s > 0);
        le_explanation_free(&x);
        for (int i = 0; i < RUNS_THAT_TELL; i++) {
            run_above(e, 0.5, 5, &rows);
            le_tensor_free(&rows);
        }
    }
    le_close(&e);
}

/* --- threads --- */

enum { THREADS = 4, CALLS = 60 };

typedef struct caller {
    le_engine *engine;
    int number;
    bool right;
} caller;

static void *call_often(void *context) {
    caller *c = context;
    const le_tensor in = le_tensor_of(image, LE_F32, 2, (int64_t[]){H, W});
    c->right = true;
    for (int i = 0; i < CALLS; i++) {
        double level = levels[(c->number + i) % 6];
        int64_t n = 0;
        le_tensor rows = {0};
        le_status status =
            le_engine_run(c->engine, "above", LE_IN("image", &in), LE_F64("level", level),
                          LE_I64("room", i % 3 * 50), LE_OUT("rows", &rows));
        for (int k = 0; k < PIXELS; k++)
            n += image[k] > (float)level;
        c->right = c->right && status == LE_OK && rows.shape[0] == n;
        le_tensor_free(&rows);
    }
    return NULL;
}

static void many_threads(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    caller callers[THREADS];
    le_engine *e = open_counted(LE_MODE_LEARN);
    make_image();
    for (int i = 0; i < THREADS; i++) {
        callers[i] = (caller){.engine = e, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(callers[i].right);
    }
    le_close(&e);
}

/* --- planted --- */

static void set_rows(le_call *call, int64_t n, const float *rows) {
    const le_tensor *out = le_call_out(call, ABOVE_ROWS);
    int64_t fit = n < out->shape[0] ? n : out->shape[0];
    memcpy(out->data, rows, (size_t)fit * 2 * sizeof *rows);
    le_call_set_count(call, ABOVE_ROWS, n);
}

/* All rows, made elsewhere; NULL when out of memory. */
static float *all_rows(le_call *call, int64_t *n) {
    const le_tensor *in = le_call_in(call, ABOVE_IMAGE);
    float *rows = le_call_scratch(call, (size_t)le_tensor_count(in) * 2 * sizeof *rows + 8);
    *n = 0;
    for (int64_t i = 0; rows && i < le_tensor_count(in); i++)
        if (le_tensor_get(in, i) > (double)(float)le_call_f64(call, ABOVE_LEVEL)) {
            rows[2 * *n] = (float)i;
            rows[2 * (*n)++ + 1] = (float)le_tensor_get(in, i);
        }
    return rows;
}

static le_status drops_one(le_call *call) {
    int64_t n;
    float *rows = all_rows(call, &n);
    set_rows(call, n - 1, rows);
    return LE_OK;
}

static le_status swaps_two(le_call *call) {
    int64_t n;
    float *rows = all_rows(call, &n);
    for (int k = 0; k < 2 && n > 1; k++) {
        float first = rows[k];
        rows[k] = rows[2 + k];
        rows[2 + k] = first;
    }
    set_rows(call, n, rows);
    return LE_OK;
}

static le_status ignores_room(le_call *call) {
    int64_t n;
    float *rows = all_rows(call, &n);
    memcpy(le_call_out(call, ABOVE_ROWS)->data, rows, (size_t)n * 2 * sizeof *rows);
    le_call_set_count(call, ABOVE_ROWS, n);
    return LE_OK;
}

static le_status one_beyond(le_call *call) {
    int64_t n, room = le_call_out(call, ABOVE_ROWS)->shape[0];
    float *rows = all_rows(call, &n);
    set_rows(call, n, rows);
    if (n > room)
        ((float *)le_call_out(call, ABOVE_ROWS)->data)[2 * room] = 1;
    return LE_OK;
}

static le_status says_what_fits(le_call *call) {
    int64_t n, room = le_call_out(call, ABOVE_ROWS)->shape[0];
    float *rows = all_rows(call, &n);
    set_rows(call, n < room ? n : room, rows);
    return LE_OK;
}

static le_status says_nothing(le_call *call) {
    (void)call;
    return LE_OK;
}

static le_status says_nonsense(le_call *call) {
    le_call_set_count(call, ABOVE_ROWS, -3);
    return LE_OK;
}

static le_status wants_ever_more(le_call *call) {
    le_call_set_count(call, ABOVE_ROWS, le_call_out(call, ABOVE_ROWS)->shape[0] + 1);
    return LE_OK;
}

#define PLANT(n)                                                                                   \
    { .abi = LE_METHOD_ABI, .operation = "above", .name = #n, .run_type = "c", .run = n }

static const struct {
    le_implementation implementation;
    const char *reason;
} plants[] = {{PLANT(drops_one), "rows of 'rows', the trusted answer has"},
              {PLANT(swaps_two), "exceeds the tolerance"},
              {PLANT(ignores_room), "behind its output 'rows'"},
              {PLANT(one_beyond), "behind its output 'rows'"},
              {PLANT(says_what_fits), "rows of 'rows', the trusted answer has"},
              {PLANT(says_nothing), "did not say how many rows"},
              {PLANT(says_nonsense), "did not say how many rows"},
              {PLANT(wants_ever_more), "when there is room for"},
              {PLANT(says_too_many), "gives 288230376151711744 rows of 'rows'"}};
enum { PLANTS = sizeof plants / sizeof *plants };

static void trials_find_who_miscounts(void **state) {
    (void)state;
    le_tensor in = make_image(), rows = {0};
    le_engine *e = open_counted(LE_MODE_LEARN);
    for (int i = 0; i < PLANTS; i++) {
        assert_ok(le_register_implementation(e, &plants[i].implementation));
        assert_int_equal(le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                                       LE_OUT("rows", &rows),
                                       LE_OPT_IMPLEMENTATION(plants[i].implementation.name)),
                         LE_ERR_NO_CANDIDATE);
        assert_says(plants[i].reason);
        assert_null(rows.storage);
    }
    for (int i = 0; i < 20; i++) { /* and nobody of them ever answers */
        run_above(e, levels[i % 6], -1, &rows);
        le_tensor_free(&rows);
    }
    le_close(&e);
}

/* --- compared by the operation --- */

/* Rows in any order, a row more or less. */
static double compare_sets(const le_call *answer, const le_call *trusted) {
    const le_tensor *a = le_call_out(answer, ABOVE_ROWS), *b = le_call_out(trusted, ABOVE_ROWS);
    double furthest = 0;
    if (fabs((double)(a->shape[0] - b->shape[0])) > 1)
        return INFINITY;
    for (int64_t i = 0; i < a->shape[0]; i++) {
        double nearest = INFINITY;
        for (int64_t k = 0; k < b->shape[0]; k++)
            if (le_tensor_get(a, 2 * i) == le_tensor_get(b, 2 * k))
                nearest = fabs(le_tensor_get(a, 2 * i + 1) - le_tensor_get(b, 2 * k + 1));
        furthest = fmax(furthest, nearest);
    }
    return furthest;
}

static le_status backwards(le_call *call) {
    int64_t n;
    float *rows = all_rows(call, &n);
    for (int64_t i = 0; i < n / 2; i++)
        for (int k = 0; k < 2; k++) {
            float first = rows[2 * i + k];
            rows[2 * i + k] = rows[2 * (n - 1 - i) + k];
            rows[2 * (n - 1 - i) + k] = first;
        }
    set_rows(call, n, rows);
    return LE_OK;
}

static le_status backwards_and_off(le_call *call) {
    le_status status = backwards(call);
    if (le_call_out(call, ABOVE_ROWS)->shape[0] > 0)
        ((float *)le_call_out(call, ABOVE_ROWS)->data)[1] += 0.25f;
    return status;
}

static le_status drops_two(le_call *call) {
    int64_t n;
    float *rows = all_rows(call, &n);
    set_rows(call, n < 2 ? 0 : n - 2, rows);
    return LE_OK;
}

static const le_implementation by_sets[] = {PLANT(backwards), PLANT(drops_one), PLANT(drops_two),
                                            PLANT(backwards_and_off)};

static le_engine *open_with_sets(void) {
    static le_operation sets;
    static const le_implementation *const first[] = {&counted_above_reference, &counted_above_c,
                                                     NULL};
    sets = counted_above;
    sets.compare = compare_sets;
    le_engine *e = operation_open(&sets, first, NULL, LE_MODE_LEARN);
    for (size_t i = 0; i < sizeof by_sets / sizeof *by_sets; i++)
        assert_ok(le_register_implementation(e, &by_sets[i]));
    return e;
}

static void trials_compare_as_told(void **state) {
    (void)state;
    le_tensor in = make_image();
    le_engine *e = open_with_sets();
    for (size_t i = 0; i < sizeof by_sets / sizeof *by_sets; i++) {
        le_tensor rows = {0};
        le_status status =
            le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                          LE_OUT("rows", &rows), LE_OPT_IMPLEMENTATION(by_sets[i].name));
        assert_int_equal(status, i < 2 ? LE_OK : LE_ERR_NO_CANDIDATE);
        if (i >= 2)
            assert_says("exceeds the tolerance");
        le_tensor_free(&rows);
    }
    le_close(&e);
}

/* le_check, le-bench --verify: each candidate of a sample call, with much and with little room. */
static void checks(le_engine *e, const char *wrong) {
    const le_case_request request = {.kind = LE_CASE_CHECK, .seed = 1};
    le_sample *sample;
    le_bench *bench;
    size_t n_args, n;
    int right = 0;
    assert_ok(le_sample_make(&sample, e, "above", &request));
    const le_arg *args = le_sample_args(sample, &n_args);
    assert_ok(le_bench_open(&bench, e, "above", args, n_args));
    assert_ok(le_bench_reference(bench));
    const le_bench_candidate *list = le_bench_candidates(bench, &n);
    for (size_t i = 0; i < n; i++)
        for (int poison = 0xff; poison >= 0 && list[i].applies; poison -= 0xff) {
            le_bench_comparison c = {.struct_size = sizeof c};
            le_status status = le_bench_check(bench, i, (unsigned char)poison, &c);
            bool good = status == LE_OK && c.within;
            char name[64];
            snprintf(name, sizeof name, " %s ", list[i].implementation->name);
            if (good == (strstr(wrong, name) != NULL))
                fail_msg("%s: %s", list[i].text, le_error_message());
            right += good;
        }
    assert_true(right >= 4); /* of the reference and of c */
    le_bench_close(&bench);
    le_sample_free(&sample);
}

static void checks_by_reference(void **state) {
    (void)state;
    le_engine *e = open_counted(LE_MODE_LEARN);
    assert_ok(le_register_implementation(e, &plants[0].implementation));
    assert_ok(le_register_implementation(e, &plants[1].implementation));
    assert_ok(le_register_implementation(e, &plants[7].implementation));
    checks(e, " drops_one swaps_two wants_ever_more ");
    le_close(&e);
    e = open_with_sets();
    checks(e, " drops_two backwards_and_off ");
    le_close(&e);
}

/* Right in trials, whose images are small, and wrong in the first answer to a large one. */
static le_status miscounts_large_ones(le_call *call) {
    int64_t n;
    float *rows = all_rows(call, &n);
    set_rows(call, le_tensor_count(le_call_in(call, ABOVE_IMAGE)) < 2000 ? n : n - 1, rows);
    return LE_OK;
}

static void first_answers_are_compared(void **state) {
    (void)state;
    static const le_implementation late = PLANT(miscounts_large_ones);
    le_tensor in = make_image(), rows = {0};
    le_engine *e = open_counted(LE_MODE_LEARN);
    assert_ok(le_register_implementation(e, &late));
    assert_int_equal(le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                                   LE_OUT("rows", &rows),
                                   LE_OPT_IMPLEMENTATION("miscounts_large_ones")),
                     LE_ERR_NO_CANDIDATE);
    assert_says("the trusted answer has");
    le_close(&e);
}

static le_status boasts_of_large_ones(le_call *call) {
    int64_t n;
    float *rows = all_rows(call, &n);
    set_rows(call, n, rows);
    return le_tensor_count(le_call_in(call, ABOVE_IMAGE)) < 2000 ? LE_OK : says_too_many(call);
}

/* It is asked first; others have fewer rows. */
static void who_boasts_fails_no_call(void **state) {
    (void)state;
    le_implementation boaster = PLANT(boasts_of_large_ones);
    boaster.speed = 1000;
    for (le_mode mode = LE_MODE_LEARN; mode <= LE_MODE_MEASURE; mode++) {
        le_tensor in = make_image(), rows = {0};
        le_engine *e = open_counted(mode);
        assert_ok(le_register_implementation(e, &boaster));
        for (int i = 0; i < 3; i++) {
            assert_ok(le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                                    LE_OUT("rows", &rows)));
            assert_rows(&rows, 0.5);
            le_tensor_free(&rows);
        }
        assert_int_equal(le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                                       LE_OUT("rows", &rows), LE_OPT_IMPLEMENTATION(boaster.name)),
                         LE_ERR_MEMORY);
        le_close(&e);
    }
}

static void measured(void **state) {
    (void)state;
    le_tensor in = make_image(), rows = {0};
    le_engine *e = open_counted(LE_MODE_MEASURE);
    for (int i = 0; i < 3; i++) {
        assert_ok(le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0.5),
                                LE_OUT("rows", &rows), LE_OPT_DEVICE("cpu")));
        assert_rows(&rows, 0.5);
        le_tensor_free(&rows);
    }
    le_close(&e);
}

/* Whatever their keys are: no two problems of sixty share what is known of them. */
static void shares_do_not_mix(void **state) {
    enum { PROBLEMS = 60 };
    le__rows rows = {0};
    le__rows_share share;
    (void)state;
    for (uint64_t i = 1; i <= PROBLEMS; i++)
        le__rows_learn(&rows, i * 61 * 64 * 32, (double)i);
    for (uint64_t i = 1; i <= PROBLEMS; i++) {
        assert_true(le__rows_known(&rows, i * 61 * 64 * 32, &share));
        assert_true(share.most == (double)i && share.mean == (double)i);
    }
    assert_false(le__rows_known(&rows, 5, &share));
    for (uint64_t i = 1; i <= LE__ROWS_SLOTS; i++) /* the first ones make room */
        le__rows_learn(&rows, i * 1000 + 1, 0.5);
    assert_false(le__rows_known(&rows, 61 * 64 * 32, &share));
    assert_true(le__rows_known(&rows, 2001, &share) && share.mean == 0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_calls),
        cmocka_unit_test(on_a_device),
        cmocka_unit_test(too_little_room),
        cmocka_unit_test(room_is_learnt),
        cmocka_unit_test(callers_tensors),
        cmocka_unit_test(no_memory_for_nothing),
        cmocka_unit_test(no_memory_for_so_many),
        cmocka_unit_test(no_memory_for_what_is_guessed),
        cmocka_unit_test(shares_of_others),
        cmocka_unit_test(shares_outlive_the_process),
        cmocka_unit_test(shares_do_not_mix),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(shape_of_the_problem),
        cmocka_unit_test(trials_find_who_miscounts),
        cmocka_unit_test(trials_compare_as_told),
        cmocka_unit_test(checks_by_reference),
        cmocka_unit_test(first_answers_are_compared),
        cmocka_unit_test(who_boasts_fails_no_call),
        cmocka_unit_test(measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
