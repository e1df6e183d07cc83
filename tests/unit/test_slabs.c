/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Calls worked off in slabs: cut outputs, halos, merged outputs, limits, and files read frame by
 * frame.
 */
#include "chain_ops.h"
#include "core/sanitizer.h"
#include "liquid_engine/le_stream.h"
#include "one_engine.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int open_with_operations(void **state) {
    return open_engine(state) != 0 || chain_ops_register(engine) != LE_OK;
}

static le_tensor frames_of(int64_t frames, int64_t h, int64_t w) {
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 3, (int64_t[]){frames, h, w}), LE_OK);
    for (int64_t i = 0; i < frames * h * w; i++)
        le_tensor_set(&t, i, (double)((i * 7919) % 1009) - 300);
    return t;
}

static void cut_outputs(void **state) {
    (void)state;
    le_tensor x = frames_of(101, 5, 3), y = {0};
    assert_int_equal(le_engine_run(engine, "chain_scale", LE_IN("x", &x), LE_OUT("result", &y),
                                   LE_F64("factor", -3), LE_OPT_IMPLEMENTATION("slabs")),
                     LE_OK);
    for (int64_t i = 0; i < le_tensor_count(&x); i++)
        assert_true(le_tensor_get(&y, i) == -3 * le_tensor_get(&x, i));
    le_tensor_free(&y);
    le_tensor_free(&x);
}

static void cut_outputs_on_opencl(void **state) {
    (void)state;
    le_run_info info = {.struct_size = sizeof info};
    le_tensor x = frames_of(64, 32, 32), y = {0};
    le_status status = le_engine_run(engine, "chain_scale", LE_IN("x", &x), LE_OUT("result", &y),
                                     LE_OPT_DEVICE("opencl"));
    le_tensor_free(&y);
    if (status != LE_OK) {
        le_tensor_free(&x);
        skip();
    }
    /* a quarter of a MiB each way, in slabs of at most 80 % of 100 kB */
    assert_int_equal(le_engine_run(engine, "chain_scale", LE_IN("x", &x), LE_OUT("result", &y),
                                   LE_OPT_IMPLEMENTATION("slabs_opencl"),
                                   LE_OPT_MEMORY_LIMIT(100000)),
                     LE_OK);
    for (int64_t i = 0; i < le_tensor_count(&x); i++)
        assert_true(le_tensor_get(&y, i) == 2 * le_tensor_get(&x, i));
    assert_int_equal(le_last_run(&info), LE_OK);
    assert_int_equal(info.bytes_to_device, 4 * le_tensor_count(&x));
    assert_int_equal(info.bytes_from_device, 4 * le_tensor_count(&x));
    le_tensor_free(&y);
    le_tensor_free(&x);
}

static void halos(void **state) {
    (void)state;
    enum { ROWS = 57, N = 4 };
    float data[ROWS * N];
    for (int i = 0; i < ROWS * N; i++)
        data[i] = (float)((i * 31) % 17);
    le_tensor x = le_tensor_of(data, LE_F32, 2, (int64_t[]){ROWS, N}), y = {0};
    assert_int_equal(le_engine_run(engine, "chain_blur", LE_IN("x", &x), LE_OUT("result", &y),
                                   LE_OPT_IMPLEMENTATION("slabs"), LE_OPT_MEMORY_LIMIT(400)),
                     LE_OK);
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < N; i++) {
            int above = r > 0 ? r - 1 : r, below = r + 1 < ROWS ? r + 1 : r;
            double expected = ((double)data[above * N + i] + (double)data[r * N + i] +
                               (double)data[below * N + i]) /
                              3;
            assert_true(fabs(le_tensor_get(&y, r * N + i) - expected) < 1e-6);
        }
    le_tensor_free(&y);
    assert_int_equal(le_engine_run(engine, "chain_blur", LE_IN("x", &x), LE_OUT("result", &y),
                                   LE_OPT_IMPLEMENTATION("slabs"), LE_OPT_MEMORY_LIMIT(60)),
                     LE_ERR_NO_CANDIDATE);
    assert_null(y.storage);
}

/* --- operations of single tests: y of x --- */

enum { X, Y };
static const le_arg_desc args_of_rows[] = {[X] = {.name = "x",
                                                  .doc = "rows",
                                                  .type = LE_TYPE_IN,
                                                  .dtypes = LE_DTYPE_BIT(LE_F32),
                                                  .min_ndim = 2,
                                                  .max_ndim = 2,
                                                  .shape = "[rows,n]"},
                                           [Y] = {.name = "y",
                                                  .doc = "of them",
                                                  .type = LE_TYPE_OUT,
                                                  .dtypes = LE_DTYPE_BIT(LE_F32),
                                                  .min_ndim = 1,
                                                  .max_ndim = 2,
                                                  .shape = "[...]"}};

static void rows_work(const le_call *call, le_work *out) {
    const double n = (double)le_tensor_count(le_call_in(call, X));
    *out = (le_work){n + 1, 4 * n};
}

static void register_rows(le_operation *op, le_implementation *impl) {
    op->abi = impl->abi = LE_METHOD_ABI;
    op->args = args_of_rows;
    op->n_args = 2;
    op->family = "test";
    op->summary = "of rows";
    op->work = rows_work;
    op->atol = op->rtol = 1e-3;
    impl->operation = op->name;
    impl->name = impl->run_type = "c";
    impl->flags = LE_IMPL_SERIAL | LE_IMPL_REPRODUCIBLE;
    assert_int_equal(le_register_operation(engine, op), LE_OK);
    assert_int_equal(le_register_implementation(engine, impl), LE_OK);
}

static le_status total_check(le_call *call) {
    return le_call_set_out(call, Y, LE_F32, 1, le_call_in(call, X)->shape + 1);
}

static bool total_slabs(const le_call *call, le_slabs *out) {
    out->items = le_call_in(call, X)->shape[0];
    out->args[X].axis = 1;
    out->args[Y].merge = LE_MERGE_SUM;
    return true;
}

static le_status total_run(le_call *call) {
    const le_tensor *x = le_call_in(call, X);
    for (int64_t i = 0; i < x->shape[1]; i++) {
        double sum = 0;
        for (int64_t r = 0; r < x->shape[0]; r++)
            sum += le_tensor_get(x, r * x->shape[1] + i);
        le_tensor_set(le_call_out(call, Y), i, sum);
    }
    return LE_OK;
}

/* The sum over rows that were blurred: rows of a halo would be in two sums. */
static void sums_have_no_halo(void **state) {
    static le_operation total = {.name = "rows_total", .check = total_check, .slabs = total_slabs};
    static le_implementation by = {.run = total_run};
    enum { ROWS = 400, COLUMNS = 3 };
    const int64_t shape[] = {ROWS, COLUMNS};
    float data[ROWS * COLUMNS];
    le_chain *c;
    (void)state;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i] = 1;
    register_rows(&total, &by);
    assert_int_equal(le_chain_new(&c, engine, "blurred_total"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 2, shape), y = le_chain_temp(c),
             z = le_chain_temp(c);
    le_chain_add(c, "chain_blur", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", y));
    le_chain_add(c, "rows_total", LE_VALUE_IN("x", y), LE_VALUE_OUT("y", z));
    le_chain_output(c, "total", z);
    assert_int_equal(le_chain_as_operation(c, "blurred_total", NULL), LE_OK);
    le_chain_free(&c);
    le_tensor in = le_tensor_of(data, LE_F32, 2, shape), out = {0};
    static const char *const ways[] = {"staged", "slabs"};
    for (int i = 0; i < 2; i++) {
        le_status status = le_engine_run(engine, "blurred_total", LE_IN("x", &in),
                                         LE_OUT("total", &out), LE_OPT_IMPLEMENTATION(ways[i]));
        assert_int_equal(status, i ? LE_ERR_NO_CANDIDATE : LE_OK);
        for (int k = 0; k < COLUMNS && status == LE_OK; k++)
            assert_true(le_tensor_get(&out, k) == ROWS);
        le_tensor_free(&out);
    }
}

static le_status same_check(le_call *call) {
    return le_call_set_out(call, Y, LE_F32, 2, le_call_in(call, X)->shape);
}

static bool cut_along(const le_call *call, le_slabs *out, int axis) {
    out->items = le_call_in(call, X)->shape[axis];
    out->args[X].axis = out->args[Y].axis = (int8_t)(axis + 1);
    return true;
}

static bool by_rows(const le_call *call, le_slabs *out) {
    return cut_along(call, out, 0);
}

static bool by_columns(const le_call *call, le_slabs *out) {
    return cut_along(call, out, 1);
}

static int parts, strict_parts;

static le_status note_wishes(le_call *call) {
    const le_tensor *x = le_call_in(call, X);
    parts += x->shape[0] == 1;
    strict_parts += x->shape[0] == 1 && le_call_rtol(call) == 1e-9 && le_call_reproducible(call);
    memcpy(le_call_out(call, Y)->data, le_call_contiguous(call, X),
           (size_t)le_tensor_count(x) * sizeof(float));
    return LE_OK;
}

/* In slabs and in tiles, what is wanted of the whole is wanted of each part. */
static void parts_are_as_strict_as_the_whole(void **state) {
    static le_operation same = {
        .name = "rows_same", .check = same_check, .slabs = by_rows, .tiles = by_columns};
    static le_implementation by = {.run = note_wishes};
    static const int64_t limits[] = {400000, 60000};
    (void)state;
    register_rows(&same, &by);
    le_tensor x;
    assert_int_equal(le_tensor_alloc(&x, LE_F32, 2, (int64_t[]){4, 10000}), LE_OK);
    for (int i = 0; i < 2; i++) {
        le_tensor y = {0};
        parts = strict_parts = 0;
        assert_int_equal(le_engine_run(engine, "rows_same", LE_IN("x", &x), LE_OUT("y", &y),
                                       LE_OPT_RTOL(1e-9), LE_OPT_REPRODUCIBLE(),
                                       LE_OPT_MEMORY_LIMIT(limits[i]),
                                       LE_OPT_IMPLEMENTATION("slabs")),
                         LE_OK);
        if (i)
            assert_true(parts >= 8); /* two tiles a row */
        assert_int_equal(strict_parts, parts);
        le_tensor_free(&y);
    }
    le_tensor_free(&x);
}

static void assert_over(const le_tensor *x, const le_tensor *mean, const le_tensor *max,
                        const le_tensor *sum) {
    int64_t frames = x->shape[0], n = x->shape[1] * x->shape[2];
    for (int64_t i = 0; i < n; i++) {
        double s = 0, most = -1e30;
        for (int64_t f = 0; f < frames; f++) {
            s += le_tensor_get(x, f * n + i);
            most = fmax(most, le_tensor_get(x, f * n + i));
        }
        assert_true(fabs(le_tensor_get(mean, i) - s / (double)frames) < 1e-4);
        assert_true(le_tensor_get(max, i) == most);
        assert_true(fabs(le_tensor_get(sum, i) - s) < 1e-2);
    }
}

static void merged_outputs(void **state) {
    (void)state;
    le_tensor x = frames_of(103, 6, 5), mean = {0}, max = {0}, sum = {0};
    assert_int_equal(le_engine_run(engine, "chain_over", LE_IN("x", &x), LE_OUT("mean", &mean),
                                   LE_OUT("max", &max), LE_OUT("sum", &sum),
                                   LE_OPT_IMPLEMENTATION("slabs")),
                     LE_OK);
    assert_over(&x, &mean, &max, &sum);
    le_tensor_free(&mean);
    le_tensor_free(&max);
    le_tensor_free(&sum);
    le_tensor_free(&x);
}

/* scale * scale, then mean, maximum and sum of the frames; and the scaled frames themselves */
static void register_chains(void) {
    le_chain *c;
    const int64_t shape[] = {4, 3, 2};
    assert_int_equal(le_chain_new(&c, engine, "scaled_over"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 3, shape), a = le_chain_temp(c),
             b = le_chain_temp(c), mean = le_chain_temp(c), max = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", a));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", a), LE_VALUE_OUT("result", b),
                 LE_F64("factor", 0.5));
    le_chain_add(c, "chain_over", LE_VALUE_IN("x", b), LE_VALUE_OUT("mean", mean),
                 LE_VALUE_OUT("max", max));
    le_chain_output(c, "a", a);
    le_chain_output(c, "mean", mean);
    le_chain_output(c, "max", max);
    assert_int_equal(le_chain_as_operation(c, "scaled_over", NULL), LE_OK);
    le_chain_free(&c);
    /* a mean is not there before the last frame */
    assert_int_equal(le_chain_new(&c, engine, "mean_scaled"), LE_OK);
    x = le_chain_input(c, "x", LE_F32, 3, shape);
    a = le_chain_temp(c);
    b = le_chain_temp(c);
    le_chain_add(c, "chain_over", LE_VALUE_IN("x", x), LE_VALUE_OUT("mean", a));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", a), LE_VALUE_OUT("result", b));
    le_chain_output(c, "y", b);
    assert_int_equal(le_chain_as_operation(c, "mean_scaled", NULL), LE_OK);
    le_chain_free(&c);
    /* rows are not frames, and need their neighbours' neighbours */
    assert_int_equal(le_chain_new(&c, engine, "blurred_twice"), LE_OK);
    x = le_chain_input(c, "x", LE_F32, 2, shape);
    a = le_chain_temp(c);
    b = le_chain_temp(c);
    le_chain_add(c, "chain_blur", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", a));
    le_chain_add(c, "chain_blur", LE_VALUE_IN("x", a), LE_VALUE_OUT("result", b));
    le_chain_output(c, "y", b);
    assert_int_equal(le_chain_as_operation(c, "blurred_twice", NULL), LE_OK);
    le_chain_free(&c);
}

/* A chain as an operation is cut where all of its steps can be: in memory, and from files. */
static void chains_in_slabs(void **state) {
    (void)state;
    static const char *const ends[] = {".h5:/movie", ".tif"};
    char path[64], place[80];
    le_io_stream *stream;
    le_tensor x = frames_of(103, 6, 5), y = {0}, z = {0};
    register_chains();
    for (int kind = 0; kind < 2; kind++) {
        le_tensor mean = {0}, max = {0}, a = {0};
        snprintf(path, sizeof path, "/tmp/le_slabs_%ld%s", (long)getpid(), kind ? ".tif" : ".h5");
        snprintf(place, sizeof place, "/tmp/le_slabs_%ld%s", (long)getpid(), ends[kind]);
        if (le_io_write(engine, place, &x) == LE_ERR_UNSUPPORTED && kind)
            break; /* built without TIFF */
        assert_int_equal(le_io_stream_open(engine, place, NULL, &stream), LE_OK);
        assert_int_equal(le_stream_run(engine, "scaled_over", "x", stream, LE_OUT("mean", &mean),
                                       LE_OUT("max", &max), LE_OUT("a", &a),
                                       LE_OPT_MEMORY_LIMIT(30000)),
                         LE_OK);
        le_io_stream_close(&stream);
        for (int64_t i = 0; i < 30; i++) {
            double sum = 0, most = -1e30;
            for (int64_t f = 0; f < 103; f++) {
                double v = le_tensor_get(&x, f * 30 + i);
                sum += v;
                most = fmax(most, v);
                assert_true(le_tensor_get(&a, f * 30 + i) == 2 * v);
            }
            assert_true(fabs(le_tensor_get(&mean, i) - sum / 103) < 1e-4);
            assert_true(le_tensor_get(&max, i) == most);
        }
        le_tensor_free(&mean);
        le_tensor_free(&max);
        le_tensor_free(&a);
        assert_int_equal(le_io_stream_open(engine, place, NULL, &stream), LE_OK);
        assert_int_equal(le_stream_run(engine, "mean_scaled", "x", stream, LE_OUT("y", &y)),
                         LE_ERR_UNSUPPORTED);
        le_io_stream_close(&stream);
        remove(path);
    }
    le_tensor rows = le_tensor_of(x.data, LE_F32, 2, (int64_t[]){618, 5});
    assert_int_equal(le_engine_run(engine, "blurred_twice", LE_IN("x", &rows), LE_OUT("y", &y),
                                   LE_OPT_IMPLEMENTATION("slabs"), LE_OPT_MEMORY_LIMIT(4000)),
                     LE_OK);
    assert_int_equal(le_engine_run(engine, "blurred_twice", LE_IN("x", &rows), LE_OUT("y", &z),
                                   LE_OPT_IMPLEMENTATION("staged")),
                     LE_OK);
    assert_memory_equal(y.data, z.data, 618 * 5 * sizeof(float));
    le_tensor_free(&y);
    le_tensor_free(&z);
    le_tensor_free(&x);
}

/* Outputs are in the caller's own memory. */
static void run_checked(const le_tensor *x, const le_tensor *y, const le_tensor *z,
                        le_status expected) {
    le_tensor to = le_tensor_of(y->data, LE_F32, 3, y->shape);
    le_tensor twice = z ? le_tensor_of(z->data, LE_F32, 3, z->shape) : to;
    le_arg args[] = {LE_IN("x", x), LE_OUT("result", &to), LE_OPT_IMPLEMENTATION("slabs"),
                     LE_OPT_MEMORY_LIMIT(4000), LE_OUT("twice", &twice)};
    assert_int_equal(le_call_run(engine, "chain_checked", args, z ? 5 : 4), expected);
}

/* The last of many slabs fails: cut outputs, through at once and with a copy, and frames of a file.
 */
static void failing_slabs_leave_outputs_alone(void **state) {
    (void)state;
    char path[64], place[80];
    le_tensor x = frames_of(103, 6, 5), y = frames_of(103, 6, 5), z = frames_of(103, 6, 5);
    /* known now: later runs write where they may at once */
    run_checked(&x, &y, &z, LE_OK);
    for (int64_t i = 0; i < 103 * 30; i++)
        assert_true(le_tensor_get(&y, i) == le_tensor_get(&x, i) &&
                    le_tensor_get(&z, i) == 2 * le_tensor_get(&x, i));
    le_tensor_set(&x, 0, 5);
    le_tensor_set(&x, 103 * 30 - 1, CHAIN_OPS_LEAST - 1);
    run_checked(&x, &y, &z, LE_ERR_DATA);
    run_checked(&x, &y, NULL, LE_ERR_DATA);
    snprintf(path, sizeof path, "/tmp/le_slabs_%ld.h5", (long)getpid());
    snprintf(place, sizeof place, "%s:/movie", path);
    le_io_stream *stream;
    assert_int_equal(le_io_write(engine, place, &x), LE_OK);
    assert_int_equal(le_io_stream_open(engine, place, NULL, &stream), LE_OK);
    assert_int_equal(le_stream_run(engine, "chain_checked", "x", stream, LE_OUT("result", &y),
                                   LE_OUT("twice", &z), LE_OPT_MEMORY_LIMIT(4000)),
                     LE_ERR_DATA);
    le_io_stream_close(&stream);
    remove(path);
    le_tensor before = frames_of(103, 6, 5);
    for (int64_t i = 0; i < 103 * 30; i++)
        assert_true(le_tensor_get(&y, i) == le_tensor_get(&before, i) &&
                    le_tensor_get(&z, i) == 2 * le_tensor_get(&before, i));
    le_tensor_free(&before);
    le_tensor_free(&x);
    le_tensor_free(&y);
    le_tensor_free(&z);
}

/* --- two slabs under way, and tiles --- */

static void soften(const le_tensor *x, const le_tensor *gain, const char *implementation,
                   int64_t limit, le_tensor *y) {
    le_status status = le_engine_run(engine, "chain_soften", LE_IN("x", x), LE_IN("gain", gain),
                                     LE_OUT("result", y), LE_OPT_IMPLEMENTATION(implementation),
                                     LE_OPT_MEMORY_LIMIT(limit));
    if (status != LE_OK)
        fail_msg("%s", le_error_message());
}

static void assert_softened(const le_tensor *x, const le_tensor *gain, const le_tensor *y) {
    int64_t h = x->shape[1], w = x->shape[2];
    const float *p = x->data;
    for (int64_t i = 0; i < le_tensor_count(x); i++) {
        int64_t r = i / w % h;
        double sum = (double)p[r > 0 ? i - w : i] + (double)p[i] + (double)p[r + 1 < h ? i + w : i];
        double expected = sum * le_tensor_get(gain, i % w);
        if (fabs(le_tensor_get(y, i) - expected) > 1e-3)
            fail_msg("element %lld is %g, expected %g", (long long)i, le_tensor_get(y, i),
                     expected);
    }
}

static le_tensor gains(int64_t w) {
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 1, &w), LE_OK);
    for (int64_t i = 0; i < w; i++)
        le_tensor_set(&t, i, 0.5 + (double)(i % 7));
    return t;
}

static bool has_opencl(void) {
    le_tensor x = frames_of(1, 2, 2), y = {0};
    le_status status = le_engine_run(engine, "chain_scale", LE_IN("x", &x), LE_OUT("result", &y),
                                     LE_OPT_DEVICE("opencl"));
    le_tensor_free(&y);
    le_tensor_free(&x);
    return status == LE_OK;
}

/* Limits for many frames, some frames, one frame, less than a frame (24 * 28 * 4 bytes, in and
 * out), and little more than three rows; the last slab and tile are smaller. */
static void frames_too_large_go_in_tiles(void **state) {
    (void)state;
    static const int64_t limits[] = {40000, 15000, 7000, 4000, 1500};
    le_tensor x = frames_of(7, 24, 28), gain = gains(28);
    bool opencl = has_opencl();
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (int device = 0; device <= opencl; device++) {
            le_tensor y = {0};
            soften(&x, &gain, device ? "slabs_opencl" : "slabs", limits[i], &y);
            assert_softened(&x, &gain, &y);
            le_tensor_free(&y);
        }
    le_tensor one = frames_of(1, 240, 28), y = {0};
    for (int device = 0; device <= opencl; device++) { /* a single frame */
        soften(&one, &gain, device ? "slabs_opencl" : "slabs", 4000, &y);
        assert_softened(&one, &gain, &y);
        le_tensor_free(&y);
    }
    assert_int_equal(le_engine_run(engine, "chain_soften", LE_IN("x", &x), LE_IN("gain", &gain),
                                   LE_OUT("result", &y), LE_OPT_IMPLEMENTATION("slabs"),
                                   LE_OPT_MEMORY_LIMIT(500)),
                     LE_ERR_NO_CANDIDATE);
    assert_null(y.storage);
    le_tensor_free(&one);
    le_tensor_free(&gain);
    le_tensor_free(&x);
}

typedef struct span {
    double begin, end;
} span;

static int by_begin(const void *a, const void *b) {
    const span *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Events of a name in a trace that are of this size at least, in order; returns how many. */
static int spans_of(const cJSON *trace, const char *name, double bytes, span *out, int most) {
    const cJSON *e;
    int n = 0;
    cJSON_ArrayForEach(e, cJSON_GetObjectItem(trace, "traceEvents")) {
        const cJSON *args = cJSON_GetObjectItem(e, "args");
        if (strcmp(cJSON_GetObjectItem(e, "name")->valuestring, name) != 0 || n == most ||
            cJSON_GetObjectItem(args, "bytes")->valuedouble < bytes)
            continue;
        double begin = cJSON_GetObjectItem(e, "ts")->valuedouble;
        out[n++] = (span){begin, begin + cJSON_GetObjectItem(e, "dur")->valuedouble};
    }
    qsort(out, (size_t)n, sizeof *out, by_begin);
    return n;
}

/* Two slabs meet on the device; so the upload of the second is over before the download of the
 * first begins. */
static void slabs_overlap_on_a_device(void **state) {
    (void)state;
    if (!has_opencl())
        skip();
    enum { MOST = 256 };
    span up[MOST], down[MOST], kernels[MOST];
    le_tensor x = frames_of(64, 128, 128), gain = gains(128), y = {0};
    le_profile *profile;
    int overlaps = 0;
    soften(&x, &gain, "slabs_opencl", 1 << 20, &y); /* proven, kernels built */
    le_tensor_free(&y);
    assert_int_equal(le_profile_start(engine), LE_OK);
    chain_ops_meet(true);
    soften(&x, &gain, "slabs_opencl", 1 << 20, &y);
    int meetings = chain_ops_meet(false);
    assert_int_equal(le_profile_stop(engine, &profile), LE_OK);
    assert_softened(&x, &gain, &y);
    char *text = le_profile_trace_json(profile);
    cJSON *trace = cJSON_Parse(text);
    int n = spans_of(trace, "upload", 60000, up, MOST);
    assert_int_equal(spans_of(trace, "download", 60000, down, MOST), n);
    assert_int_equal(spans_of(trace, "soften", 0, kernels, MOST), n);
    /* 80 % of a MiB for two slabs of 128 KiB a frame, in and out: three frames each */
    assert_int_equal(n, 22);
    for (int k = 1; k < n; k++)
        overlaps += up[k].end < down[k - 1].begin;
    if (meetings < 8 || overlaps < meetings)
        fail_msg("%d of %d slabs met another; %d uploads were over before the download before "
                 "them began",
                 2 * meetings, n, overlaps);
    cJSON_Delete(trace);
    free(text);
    le_profile_free(&profile);
    le_tensor_free(&y);
    le_tensor_free(&gain);
    le_tensor_free(&x);
}

/* Calls of other threads get their turn between the slabs, and right answers. */
static void *scale_meanwhile(void *cookie) {
    le_tensor x = frames_of(4, 16, 16);
    for (int i = 0; i < 50; i++) {
        le_tensor y = {0};
        bool ok = le_engine_run(engine, "chain_scale", LE_IN("x", &x), LE_OUT("result", &y),
                                LE_OPT_DEVICE("opencl"), LE_F64("factor", i)) == LE_OK;
        for (int64_t k = 0; ok && k < le_tensor_count(&x); k++)
            ok = fabs(le_tensor_get(&y, k) - i * le_tensor_get(&x, k)) <=
                 1e-5 * fabs(i * le_tensor_get(&x, k));
        *(int *)cookie += ok;
        le_tensor_free(&y);
    }
    le_tensor_free(&x);
    return NULL;
}

static void slabs_leave_the_device_to_others(void **state) {
    (void)state;
    if (!has_opencl())
        skip();
    pthread_t thread;
    int good = 0;
    le_tensor x = frames_of(64, 64, 64), gain = gains(64);
    assert_int_equal(pthread_create(&thread, NULL, scale_meanwhile, &good), 0);
    for (int i = 0; i < 6; i++) {
        le_tensor y = {0};
        soften(&x, &gain, "slabs_opencl", 200000, &y);
        assert_softened(&x, &gain, &y);
        le_tensor_free(&y);
    }
    pthread_join(thread, NULL);
    assert_int_equal(good, 50);
    le_tensor_free(&gain);
    le_tensor_free(&x);
}

static int64_t peak_kib(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

static int64_t resident_bytes(void) {
    long long all, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lld %lld", &all, &pages) != 2)
        skip();
    fclose(f);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

/* What earlier calls left behind for the next of their size is no memory of slabs. */
static void what_was_kept_is_given_back(void **state) {
    (void)state;
    enum { KEPT = 3, MIB32 = 8 << 20 };
    if (LE__SANITIZED) /* nothing is kept there */
        skip();
    le_tensor kept[KEPT], x = frames_of(7, 24, 28), gain = gains(28), y = {0};
    soften(&x, &gain, "slabs", 15000, &y);
    le_tensor_free(&y);
    int64_t before = resident_bytes();
    for (int i = 0; i < KEPT; i++) {
        assert_int_equal(le_tensor_alloc(&kept[i], LE_F32, 1, &(int64_t){MIB32}), LE_OK);
        memset(kept[i].data, 1, sizeof(float) * MIB32);
    }
    for (int i = 0; i < KEPT; i++)
        le_tensor_free(&kept[i]);
    assert_true(resident_bytes() - before > 64 << 20);
    soften(&x, &gain, "slabs", 15000, &y);
    assert_true(resident_bytes() - before < 32 << 20);
    assert_softened(&x, &gain, &y);
    le_tensor_free(&y);
    le_tensor_free(&x);
    le_tensor_free(&gain);
}

static void files_frame_by_frame(void **state) {
    (void)state;
    char path[64], place[80];
    snprintf(path, sizeof path, "/tmp/le_slabs_%ld.h5", (long)getpid());
    snprintf(place, sizeof place, "%s:/movie", path);
    le_tensor x = frames_of(103, 6, 5), mean = {0}, max = {0}, sum = {0}, y = {0};
    le_io_stream *stream;
    assert_int_equal(le_io_write(engine, place, &x), LE_OK);
    assert_int_equal(le_io_stream_open(engine, place, NULL, &stream), LE_OK);
    assert_int_equal(le_stream_run(engine, "chain_over", "x", stream, LE_OUT("mean", &mean),
                                   LE_OUT("max", &max), LE_OUT("sum", &sum),
                                   LE_OPT_MEMORY_LIMIT(4000)),
                     LE_OK);
    assert_over(&x, &mean, &max, &sum);
    le_io_stream_close(&stream);
    assert_int_equal(le_io_stream_open(engine, place, NULL, &stream), LE_OK);
    assert_int_equal(le_stream_run(engine, "chain_scale", "x", stream, LE_OUT("result", &y),
                                   LE_F64("factor", 5)),
                     LE_OK);
    for (int64_t i = 0; i < le_tensor_count(&x); i++)
        assert_true(le_tensor_get(&y, i) == 5 * le_tensor_get(&x, i));
    le_io_stream_close(&stream);
    assert_int_equal(le_io_stream_open(engine, place, NULL, &stream), LE_OK);
    assert_int_equal(
        le_stream_run(engine, "chain_add", "a", stream, LE_IN("b", &x), LE_OUT("result", &mean)),
        LE_ERR_SHAPE);
    le_tensor_free(&mean);
    assert_int_equal(
        le_stream_run(engine, "chain_add", "a", stream, LE_IN("b", &x), LE_OUT("result", &mean)),
        LE_ERR_UNSUPPORTED); /* it does not say how it can be cut */
    assert_null(mean.storage);
    le_io_stream_close(&stream);
    le_tensor_free(&mean);
    le_tensor_free(&max);
    le_tensor_free(&sum);
    le_tensor_free(&y);
    le_tensor_free(&x);
    remove(path);
}

/* 96 MiB of frames through 8 MiB of memory */
static void memory_does_not_grow_with_frames(void **state) {
    (void)state;
    if (LE__SANITIZED)
        skip();
    char path[64], place[80];
    snprintf(path, sizeof path, "/tmp/le_slabs_%ld.raw", (long)getpid());
    snprintf(place, sizeof place, "%s.h5:/movie", path);
    le_tensor x = frames_of(384, 256, 256), mean = {0};
    le_io_stream *stream;
    assert_int_equal(le_io_write(engine, place, &x), LE_OK);
    double expected = 0;
    for (int64_t f = 0; f < 384; f++)
        expected += le_tensor_get(&x, f * 65536 + 77) / 384;
    le_tensor_free(&x);
    pid_t child = fork(); /* of a process that is not large itself */
    if (child == 0) {
        le_options o;
        le_engine *own;
        le_default_options(&o);
        o.db_path = ":memory:";
        o.devices = "cpu"; /* drivers do not outlive a fork */
        int64_t before = 0, after = 0;
        bool ok = le_open(&own, &o) == LE_OK && chain_ops_register(own) == LE_OK &&
                  le_io_stream_open(own, place, NULL, &stream) == LE_OK;
        before = peak_kib();
        ok = ok && le_stream_run(own, "chain_over", "x", stream, LE_OUT("mean", &mean),
                                 LE_OPT_MEMORY_LIMIT(8 << 20)) == LE_OK;
        after = peak_kib();
        ok = ok && fabs(le_tensor_get(&mean, 77) - expected) < 1e-3 && after - before < 48 << 10;
        _exit(ok ? 0 : 1);
    }
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    snprintf(place, sizeof place, "%s.h5", path);
    remove(place);
    assert_int_equal(result, 0);
}

static void how_a_call_is_cut(void **state) {
    (void)state;
    le_slabs slabs, tiles = {.items = 9};
    float rows[7 * 4] = {0};
    le_tensor x = frames_of(7, 4, 3), y = {0};
    le_tensor flat = le_tensor_of(rows, LE_F32, 2, (int64_t[]){7, 4});
    const double angles[5] = {0, 10, 20, 30, 40};
    assert_int_equal(
        le_call_cut(engine, "volume_render",
                    (le_arg[]){LE_IN("volume", &x), LE_I64("size", 2), LE_F64S("angles", angles, 5),
                               LE_OUT("images", &y), LE_F64("outside", 0)},
                    5, &slabs, &tiles),
        LE_OK);
    assert_int_equal(slabs.items, 5);
    assert_int_equal(tiles.items, 0);
    assert_int_equal(le_call_cut(engine, "chain_blur",
                                 (le_arg[]){LE_IN("x", &flat), LE_OUT("result", &y)}, 2, &slabs,
                                 NULL),
                     LE_OK);
    assert_int_equal(slabs.items, 7);
    assert_int_equal(slabs.halo, 1);
    assert_int_not_equal(
        le_call_cut(engine, "volume_render", (le_arg[]){LE_IN("volume", &x)}, 1, &slabs, NULL),
        LE_OK);
    assert_null(y.storage);
    le_tensor_free(&x);
}

/* A list that is cut: views of a volume whose images do not fit together. */
static void cut_lists(void **state) {
    (void)state;
    enum { VIEWS = 9, N = 12 };
    le_tensor x = frames_of(N, N, N), cut = {0}, whole = {0};
    double angles[VIEWS];
    for (int i = 0; i < VIEWS; i++)
        angles[i] = 17 * i;
    le_engine_run(engine, "volume_render", LE_IN("volume", &x), LE_I64("size", N),
                  LE_F64S("angles", angles, VIEWS), LE_F64("outside", 0), LE_OUT("images", &whole),
                  LE_STR("scale", "linear"), LE_OPT_IMPLEMENTATION("c"));
    assert_int_equal(le_engine_run(engine, "volume_render", LE_IN("volume", &x), LE_I64("size", N),
                                   LE_F64S("angles", angles, VIEWS), LE_F64("outside", 0),
                                   LE_STR("scale", "linear"), LE_OUT("images", &cut),
                                   LE_OPT_IMPLEMENTATION("slabs"),
                                   LE_OPT_MEMORY_LIMIT(4 * N * N * (N + 3 * 5))),
                     LE_OK);
    assert_int_equal(cut.shape[0], VIEWS);
    double most = 0;
    for (int64_t i = 0; i < le_tensor_count(&cut); i++) {
        assert_true(fabs(le_tensor_get(&cut, i) - le_tensor_get(&whole, i)) <= 2e-4);
        most = fmax(most, le_tensor_get(&cut, i));
    }
    assert_true(most > 0);
    le_tensor_free(&cut);
    le_tensor_free(&whole);
    le_tensor_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_a_call_is_cut),
        cmocka_unit_test(cut_lists),
        cmocka_unit_test(what_was_kept_is_given_back),
        cmocka_unit_test(cut_outputs),
        cmocka_unit_test(cut_outputs_on_opencl),
        cmocka_unit_test(halos),
        cmocka_unit_test(merged_outputs),
        cmocka_unit_test(sums_have_no_halo),
        cmocka_unit_test(parts_are_as_strict_as_the_whole),
        cmocka_unit_test(files_frame_by_frame),
        cmocka_unit_test(chains_in_slabs),
        cmocka_unit_test(failing_slabs_leave_outputs_alone),
        cmocka_unit_test(frames_too_large_go_in_tiles),
        cmocka_unit_test(slabs_overlap_on_a_device),
        cmocka_unit_test(slabs_leave_the_device_to_others),
        cmocka_unit_test(memory_does_not_grow_with_frames),
    };
    return cmocka_run_group_tests(tests, open_with_operations, close_engine);
}
