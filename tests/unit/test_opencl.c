/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tensors on OpenCL devices: values, what is moved and what is not, layouts, images, memory limits,
 * threads, and tensors that outlive their engine.
 */
#include "opencl_fixture.h"

#include "call/profile.h"
#include "call/storage.h"
#include "core/tick.h"
#include "opencl/cl_device.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static le_engine *engine;

static int open_engine(void **state) {
    (void)state;
    engine = fixture_open("", NULL, 0);
    if (!fixture_has_device(engine))
        print_message("no OpenCL device: the tests of this file are skipped\n");
    return 0;
}

static int close_engine(void **state) {
    (void)state;
    le_close(&engine);
    return 0;
}

#define NEEDS_DEVICE()                                                                             \
    if (!fixture_has_device(engine))                                                               \
    skip()

static void borrowed_memory_moves_once_each_way(void **state) {
    (void)state;
    NEEDS_DEVICE();
    enum { N = 1003 }; /* not a multiple of the work-group */
    float in[N], out[N];
    for (int i = 0; i < N; i++)
        in[i] = (float)(i * 3 - 700);
    le_tensor a = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}),
              b = le_tensor_of(out, LE_F32, 1, (int64_t[]){N});
    le__run_stats stats;
    assert_int_equal(fixture_run(engine, "buffers", &stats, &a, 2.5, &b, false), LE_OK);
    fixture_expect(&a, 2.5, &b);
    assert_int_equal(stats.bytes_to_device, N * 4);
    assert_int_equal(stats.bytes_from_device, N * 4);
    assert_true(stats.kernel_seconds > 0 && stats.kernel_seconds < stats.seconds);
}

static const char queues_of_threads[] = "it ends where two threads queue commands";

static void not_on_oclgrind(const char *why) {
    if (strcmp(engine->devices[1].cl->vendor, "Oclgrind") == 0) {
        print_message("skipped on Oclgrind: %s\n", why);
        skip();
    }
}

/* Both ways in pieces that several threads copy, the last one shorter. */
static void large_moves_go_through_pinned_memory(void **state) {
    (void)state;
    NEEDS_DEVICE();
    not_on_oclgrind(queues_of_threads);
    le_options o;
    le_default_options(&o);
    o.cache_dir = "";
    o.threads = 5;
    le_engine *e = fixture_open_with(&o);
    le__cl_device *d = e->devices[1].cl;
    d->info.is_cpu = d->info.unified_memory = false;
    for (unsigned i = 0; i < 4; i++) {
        const int64_t n = 7000001 + 300000 * (int64_t)i;
        le_tensor a = fixture_tensor(1, &n, i), b = {0};
        float *borrowed = calloc((size_t)n, sizeof *borrowed);
        le_tensor c = le_tensor_of(borrowed, LE_F32, 1, &n);
        le__run_stats stats;
        assert_int_equal(fixture_run(e, "buffers", &stats, &a, 2, &b, i % 2), LE_OK);
        assert_int_equal(stats.bytes_to_device, 4 * n);
        assert_true(stats.transfer_seconds > 0);
        fixture_expect(&a, 2, &b);
        assert_int_equal(fixture_run(e, "buffers", NULL, &b, 3, &c, false), LE_OK);
        fixture_expect(&b, 3, &c);
        assert_true(i < 2 || d->staging.host);
        le_tensor_free(&a);
        le_tensor_free(&b);
        free(borrowed);
    }
    le_close(&e);
}

typedef struct hearing {
    int ticks;
    bool goes_on;
    double seconds; /* of the kernel */
} hearing;

static bool hear(void *context, double done) {
    hearing *h = context;
    (void)done;
    h->ticks++;
    return h->goes_on;
}

static le_status run_heard(hearing *h, const le_tensor *in, le_tensor *out) {
    const le_tick tick = {hear, h};
    const le_arg asked = LE_OPT_TICK(&tick);
    le__ticker ticker;
    le__run_stats stats;
    le__ticker_begin(&ticker, &asked, 1);
    le_status status = fixture_run(engine, "slow", &stats, in, 2, out, false);
    le__ticker_end(&ticker);
    h->seconds = status == LE_OK ? stats.kernel_seconds : 0;
    return status;
}

/* The first launch tells how long the next ones take. The kernel knows its groups' numbers. */
static void a_long_launch_is_cut(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_tensor few = fixture_tensor(1, (int64_t[]){500}, 8), out[3] = {{0}};
    hearing first = {.goes_on = true}, never = {0}, to_the_end = {.goes_on = true};
    assert_int_equal(run_heard(&first, &few, &out[0]), LE_OK);
    const int64_t n = first.seconds > 0.1 ? 5005 : 16 * 4096 + 5; /* some drivers interpret */
    le_tensor many = fixture_tensor(1, &n, 9);
    le_status status = run_heard(&never, &many, &out[1]);
    assert_int_equal(status, never.ticks ? LE_ERR_CANCELLED : LE_OK); /* a device may be too fast */
    assert_int_equal(run_heard(&to_the_end, &many, &out[2]), LE_OK);
    assert_true(to_the_end.ticks > 0 || to_the_end.seconds <= 0.3);
    assert_true(!never.ticks == !!out[1].data);
    fixture_expect(&few, 2, &out[0]);
    fixture_expect(&many, 2, &out[2]);
    for (int i = 0; i < 3; i++)
        le_tensor_free(&out[i]);
    le_tensor_free(&few);
    le_tensor_free(&many);
}

static void storage_stays_on_the_device(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_tensor a = fixture_tensor(2, (int64_t[]){37, 41}, 1), b = {0}, c = {0};
    le__run_stats stats;
    assert_int_equal(fixture_run(engine, "buffers", &stats, &a, 2, &b, true), LE_OK);
    assert_int_equal(stats.bytes_to_device, 37 * 41 * 4);
    assert_int_equal(stats.bytes_from_device, 0);
    assert_null(b.data);
    assert_int_equal(fixture_run(engine, "buffers", &stats, &b, 3, &c, true), LE_OK);
    assert_int_equal(stats.bytes_to_device, 0);
    assert_int_equal(stats.bytes_from_device, 0);
    fixture_expect(&b, 3, &c);
    fixture_expect(&a, 2, &b);
    le_tensor_free(&c);
    assert_int_equal(fixture_run(engine, "buffers", &stats, &a, 4, &c, false), LE_OK);
    assert_int_equal(stats.bytes_to_device, 0);
    assert_int_equal(stats.bytes_from_device, 37 * 41 * 4);
    assert_non_null(c.data);
    fixture_expect(&a, 4, &c);
    le_tensor_free(&a);
    le_tensor_free(&b);
    le_tensor_free(&c);
}

static void count_release(void *cookie) {
    ++*(int *)cookie;
}

static void adopted_memory_has_copies_on_devices(void **state) {
    (void)state;
    NEEDS_DEVICE();
    float memory[100];
    int released = 0;
    for (int i = 0; i < 100; i++)
        memory[i] = (float)(i * i);
    le_tensor a, b = {0};
    le__run_stats stats;
    assert_int_equal(
        le_tensor_adopt(&a, memory, LE_F32, 1, (int64_t[]){100}, count_release, &released), LE_OK);
    for (int run = 0; run < 4; run++) {
        if (run == 2) {
            memory[7] = 1234;
            le_tensor_touch(&a);
        }
        assert_int_equal(fixture_run(engine, "buffers", &stats, &a, 2, &b, false), LE_OK);
        assert_int_equal(stats.bytes_to_device, run % 2 ? 0 : 400);
        assert_float_equal(((float *)b.data)[7], run < 2 ? 99 : 2469, 0);
        le_tensor_free(&b);
    }
    assert_int_equal(released, 0);
    le_tensor_free(&a);
    assert_int_equal(released, 1);
    assert_float_equal(memory[7], 1234, 0);
}

static void a_touched_tensor_is_moved_again(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_tensor a = fixture_tensor(1, (int64_t[]){100}, 2), b = {0};
    le__run_stats stats;
    assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 2, &b, false), LE_OK);
    ((float *)a.data)[7] = 1234;
    le_tensor_touch(&a);
    assert_int_equal(fixture_run(engine, "buffers", &stats, &a, 2, &b, false), LE_OK);
    assert_int_equal(stats.bytes_to_device, 400);
    assert_float_equal(((float *)b.data)[7], 2469, 0);
    le_tensor_free(&a);
    le_tensor_free(&b);
}

/* A tensor that lies on the device, and a copy of its struct, have the new contents without a way
 * through the host; a part of it does not become the whole. */
static void a_kept_output_is_replaced_on_the_device(void **state) {
    (void)state;
    NEEDS_DEVICE();
    const int64_t n = 1000;
    le_tensor a = fixture_tensor(1, &n, 2), b = {0};
    assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 2, &b, true), LE_OK);
    le_tensor same = b, part = le_tensor_of(NULL, LE_F32, 1, (int64_t[]){n / 2});
    assert_null(b.data);
    assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 3, &b, true), LE_OK);
    assert_null(b.data);
    assert_null(b.storage->host);
    assert_ptr_equal(b.storage, same.storage);
    fixture_expect(&a, 3, &same);
    assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 4, &b, true), LE_OK);
    fixture_expect(&a, 4, &b);
    le_tensor_free(&b);
    assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 2, &b, true), LE_OK);
    part.storage = b.storage;
    part.offset = n / 2;
    le_tensor first = a;
    first.shape[0] = n / 2;
    assert_int_equal(fixture_run(engine, "buffers", NULL, &first, 5, &part, true), LE_OK);
    fixture_expect(&first, 5, &part);
    assert_int_equal(le_tensor_to_host(&b), LE_OK);
    for (int i = 0; i < n / 2; i++)
        assert_float_equal(((float *)b.data)[i], 2 * ((float *)a.data)[i] + 1, 0);
    le_tensor_free(&a);
    le_tensor_free(&b);
}

static void an_output_with_storage_is_overwritten(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_tensor a = fixture_tensor(1, (int64_t[]){64}, 3), b = fixture_tensor(1, (int64_t[]){64}, 4);
    assert_int_equal(fixture_run(engine, "buffers", NULL, &b, 1, &a, false), LE_OK);
    fixture_expect(&b, 1, &a);
    assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 5, &b, false), LE_OK);
    fixture_expect(&a, 5, &b);
    le_tensor_free(&a);
    le_tensor_free(&b);
}

static void any_layout_is_read(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_tensor whole = fixture_tensor(2, (int64_t[]){64, 96}, 5), b = {0};
    le_tensor transposed = whole, reversed = whole, broadcast = whole;
    transposed.shape[0] = 96, transposed.shape[1] = 64;
    transposed.strides[0] = 1, transposed.strides[1] = 96;
    reversed.strides[1] = -1;
    reversed.offset += 95;
    reversed.data = (float *)whole.data + 95;
    broadcast.strides[0] = 0;
    const le_tensor *layouts[] = {&transposed, &reversed, &broadcast};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fixture_run(engine, "buffers", NULL, layouts[i], 2, &b, false), LE_OK);
        fixture_expect(layouts[i], 2, &b);
        le_tensor_free(&b);
    }
    le_tensor_free(&whole);
}

static void strided_outputs_are_written(void **state) {
    (void)state;
    NEEDS_DEVICE();
    float memory[2 * 50];
    for (int i = 0; i < 100; i++)
        memory[i] = -1;
    le_tensor a = fixture_tensor(1, (int64_t[]){50}, 6),
              b = le_tensor_of(memory, LE_F32, 1, (int64_t[]){50});
    b.strides[0] = 2;
    assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 2, &b, false), LE_OK);
    fixture_expect(&a, 2, &b);
    for (int i = 1; i < 100; i += 2)
        assert_float_equal(memory[i], -1, 0);
    le_tensor_free(&a);
}

/* Rows of a storage whose copy is on the device only: aligned ones are sub-buffers, others copies.
 */
static void parts_of_a_storage_stay_on_the_device(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_tensor a = fixture_tensor(2, (int64_t[]){8, 1024}, 7), b = {0}, c = {0};
    assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 2, &b, true), LE_OK);
    for (int64_t offset = 0; offset < 2048;
         offset += 1023) { /* 0, 1023, 2046: the last two unaligned */
        for (int64_t aligned = 0; aligned < 2; aligned++) {
            le_tensor part = le_tensor_of(NULL, LE_F32, 1, (int64_t[]){1024});
            le__run_stats stats;
            part.storage = b.storage;
            part.offset = aligned ? offset / 1023 * 1024 : offset;
            assert_int_equal(fixture_run(engine, "buffers", &stats, &part, 3, &c, true), LE_OK);
            assert_int_equal(stats.bytes_to_device, 0);
            assert_int_equal(stats.bytes_from_device, 0);
            fixture_expect(&part, 3, &c);
            le_tensor_free(&c);
            le_tensor_free(&b); /* the check has brought it to the host */
            assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 2, &b, true), LE_OK);
        }
    }
    le_tensor_free(&a);
    le_tensor_free(&b);
}

static void empty_and_scalar_tensors_work(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_tensor empty = le_tensor_of(NULL, LE_F32, 2, (int64_t[]){0, 5}), b = {0}, c = {0};
    float value = 4;
    le_tensor scalar = le_tensor_of(&value, LE_F32, 0, NULL);
    le__run_stats stats;
    assert_int_equal(fixture_run(engine, "buffers", &stats, &empty, 2, &b, false), LE_OK);
    assert_int_equal(le_tensor_count(&b), 0);
    assert_int_equal(stats.bytes_to_device + stats.bytes_from_device, 0);
    assert_int_equal(fixture_run(engine, "buffers", NULL, &scalar, 2, &c, false), LE_OK);
    assert_float_equal(*(float *)c.data, 9, 0);
    le_tensor_free(&b);
    le_tensor_free(&c);
}

static void images_hold_any_dtype(void **state) {
    (void)state;
    NEEDS_DEVICE();
    if (!engine->devices[1].info->has_images)
        skip();
    static const le_dtype dtypes[] = {LE_U8, LE_I16, LE_U16, LE_I32, LE_U32, LE_F32, LE_F64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        le_tensor a, b = {0}, c = {0};
        le__run_stats stats;
        assert_int_equal(le_tensor_alloc(&a, dtypes[d], 3, (int64_t[]){3, 5, 7}), LE_OK);
        for (int64_t i = 0; i < 105; i++)
            le_tensor_set(&a, i, (double)(i * 2 + 1));
        assert_int_equal(fixture_run(engine, "image", &stats, &a, 2, &b, false), LE_OK);
        assert_int_equal(stats.bytes_to_device, 105 * 4);
        fixture_expect(&a, 2, &b);
        assert_int_equal(fixture_run(engine, "image", &stats, &a, 3, &c, false), LE_OK);
        assert_int_equal(stats.bytes_to_device, 0);
        fixture_expect(&a, 3, &c);
        le_tensor_free(&a);
        le_tensor_free(&b);
        le_tensor_free(&c);
    }
}

static void images_follow_their_tensor(void **state) {
    (void)state;
    NEEDS_DEVICE();
    if (!engine->devices[1].info->has_images)
        skip();
    le_tensor a = fixture_tensor(3, (int64_t[]){4, 6, 8}, 8), b = {0}, c = {0};
    le__run_stats stats;
    assert_int_equal(fixture_run(engine, "image", NULL, &a, 2, &b, true), LE_OK);
    assert_int_equal(fixture_run(engine, "image", &stats, &b, 2, &c, false),
                     LE_OK); /* from its buffer */
    assert_int_equal(stats.bytes_to_device, 0);
    fixture_expect(&b, 2, &c);
    assert_int_equal(fixture_run(engine, "buffers", NULL, &c, 7, &b, false), LE_OK); /* b anew */
    le_tensor_free(&a);
    assert_int_equal(fixture_run(engine, "image", NULL, &b, 2, &a, false), LE_OK);
    fixture_expect(&b, 2, &a);
    float in[24];
    for (int i = 0; i < 24; i++)
        in[i] = (float)i;
    le_tensor strided = le_tensor_of(in, LE_F32, 3, (int64_t[]){2, 3, 4});
    strided.shape[0] = 4, strided.shape[2] = 2;
    strided.strides[0] = 1, strided.strides[2] = 12;
    le_tensor_free(&c);
    assert_int_equal(fixture_run(engine, "image", NULL, &strided, 2, &c, false), LE_OK);
    fixture_expect(&strided, 2, &c);
    le_tensor_free(&a);
    le_tensor_free(&b);
    le_tensor_free(&c);
}

/* The image shows one part of a volume, then another one whose upload ends before it is done. */
static void an_image_that_was_not_filled_is_filled_again(void **state) {
    (void)state;
    NEEDS_DEVICE();
    if (!engine->devices[1].info->has_images)
        skip();
    hearing never = {0};
    const le_tick tick = {hear, &never};
    const le_arg asked = LE_OPT_TICK(&tick);
    le__ticker ticker;
    le_tensor whole, out = {0};
    assert_int_equal(le_tensor_alloc(&whole, LE_U16, 3, (int64_t[]){5, 6, 7}), LE_OK);
    for (int64_t i = 0; i < 5 * 6 * 7; i++)
        le_tensor_set(&whole, i, (double)(i + 1));
    le_tensor part = whole;
    part.shape[0] = 4;
    part.offset = 6 * 7;
    part.data = (uint16_t *)whole.data + part.offset;
    assert_int_equal(fixture_run(engine, "image", NULL, &whole, 2, &out, false), LE_OK);
    le_tensor_free(&out);
    le__ticker_begin(&ticker, &asked, 1);
    ticker.next = 1e-9; /* at the first look */
    le_status status = fixture_run(engine, "image", NULL, &part, 2, &out, false);
    le__ticker_end(&ticker);
    assert_int_equal(status, LE_ERR_CANCELLED);
    assert_null(out.storage);
    assert_int_equal(fixture_run(engine, "image", NULL, &part, 2, &out, false), LE_OK);
    fixture_expect(&part, 2, &out);
    le_tensor_free(&out);
    le_tensor_free(&whole);
}

/* The only other copy is the image: host memory stays. Copies on the device go with the image. */
static void an_image_is_no_copy_to_come_back_from(void **state) {
    (void)state;
    NEEDS_DEVICE();
    if (!engine->devices[1].info->has_images)
        skip();
    le_tensor a = fixture_tensor(3, (int64_t[]){3, 4, 5}, 12), b = {0}, c = {0};
    assert_int_equal(fixture_run(engine, "image", NULL, &a, 2, &b, false), LE_OK);
    le__storage_drop(a.storage, NULL);
    assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 3, &c, false), LE_OK);
    fixture_expect(&a, 3, &c);
    le__storage_drop(a.storage, engine->devices[1].cl);
    assert_null(a.storage->copies);
    fixture_expect(&a, 2, &b);
    le_tensor_free(&a);
    le_tensor_free(&b);
    le_tensor_free(&c);
}

static void a_memory_limit_holds(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_engine *small = fixture_open("", NULL, 1 << 20);
    le_tensor a = fixture_tensor(1, (int64_t[]){100000}, 9), b = {0}, c = {0};
    le_tensor big = fixture_tensor(1, (int64_t[]){200000}, 9);
    assert_int_equal(small->devices[1].info->memory_bytes, 1 << 20);
    assert_int_equal(fixture_run(small, "buffers", NULL, &big, 2, &b, false), LE_ERR_DEVICE_MEMORY);
    assert_non_null(strstr(le_error_message(), "limit"));
    assert_null(b.storage);
    le_tensor_free(&big);
    for (int i = 0; i < 20; i++) { /* 0.8 of 1 MiB each: leaks would add up */
        assert_int_equal(fixture_run(small, "buffers", NULL, &a, i, &c, false), LE_OK);
        fixture_expect(&a, i, &c);
        le_tensor_free(&c);
    }
    le_tensor_free(&a);
    le_close(&small);
}

static void tensors_outlive_the_engine(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_engine *e = fixture_open("", NULL, 0);
    le_tensor a = fixture_tensor(3, (int64_t[]){5, 6, 7}, 10), b = {0}, c = {0};
    assert_int_equal(fixture_run(e, "buffers", NULL, &a, 2, &b, true), LE_OK);
    if (e->devices[1].info->has_images)
        assert_int_equal(fixture_run(e, "image", NULL, &a, 2, &c, true), LE_OK);
    le_close(&e);
    assert_int_equal(le_tensor_to_host(&b), LE_OK);
    fixture_expect(&a, 2, &b);
    assert_int_equal(fixture_run(engine, "buffers", NULL, &b, 3, &a, false), LE_OK);
    fixture_expect(&b, 3, &a);
    le_tensor_free(&a);
    le_tensor_free(&b);
    le_tensor_free(&c);
}

/* --- threads --- */

enum { THREADS = 8, ROUNDS = 25 };

static le_tensor shared_input;

/* cmocka's assertions are for the main thread: a worker returns what went wrong. */
static void *hammer(void *argument) {
    int64_t id = (int64_t)(intptr_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
        le_tensor out = {0};
        double factor = (double)(id * ROUNDS + round);
        if (fixture_run(engine, round % 3 ? "buffers" : "image", NULL, &shared_input, factor, &out,
                        round % 2) != LE_OK ||
            le_tensor_to_host(&out) != LE_OK)
            return "a run failed";
        for (int64_t i = 0; i < le_tensor_count(&out); i++)
            if (((float *)out.data)[i] != (float)factor * ((float *)shared_input.data)[i] + 1)
                return "a value is wrong";
        le_tensor_free(&out);
    }
    return NULL;
}

static void many_threads_share_a_device(void **state) {
    (void)state;
    NEEDS_DEVICE();
    not_on_oclgrind(queues_of_threads);
    if (!engine->devices[1].info->has_images)
        skip();
    pthread_t threads[THREADS];
    shared_input = fixture_tensor(3, (int64_t[]){6, 7, 8}, 11);
    for (int64_t i = 0; i < le_tensor_count(&shared_input); i++)
        ((float *)shared_input.data)[i] = (float)(i % 16); /* exact in float with any rounding */
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        if (wrong)
            fail_msg("%s", (const char *)wrong);
    }
    le_tensor_free(&shared_input);
}

/* --- records --- */

typedef struct tally {
    int kinds[LE__EVENT_COPY + 1];
    int64_t bytes;
    bool ordered;
} tally;

/* Of what is recorded while "name" runs. */
static tally count_records(const char *name, const le_tensor *a, double factor, le_tensor *b) {
    tally t = {.ordered = true};
    le_profile *p = le__profile_new();
    assert_non_null(p);
    le__cl_set_profile(engine->cl, p);
    assert_int_equal(fixture_run(engine, name, NULL, a, factor, b, false), LE_OK);
    le__cl_set_profile(engine->cl, NULL);
    for (size_t i = 0; i < p->n; i++) {
        const le__event *e = &p->events[i];
        t.kinds[e->kind]++;
        t.bytes += e->bytes;
        t.ordered = t.ordered && p->start <= e->start + 1e-6 && e->seconds >= 0;
    }
    le__profile_free(p);
    return t;
}

static void profiles_have_a_record_a_command(void **state) {
    (void)state;
    NEEDS_DEVICE();
    float in[10] = {0}, out[10];
    le_tensor a = le_tensor_of(in, LE_F32, 1, (int64_t[]){10}),
              b = le_tensor_of(out, LE_F32, 1, (int64_t[]){10});
    const tally t = count_records("buffers", &a, 2, &b);
    assert_int_equal(fixture_run(engine, "buffers", NULL, &a, 2, &b, false), LE_OK);
    assert_int_equal(t.kinds[LE__EVENT_KERNEL], 1);
    assert_int_equal(t.kinds[LE__EVENT_UPLOAD], 1);
    assert_int_equal(t.kinds[LE__EVENT_DOWNLOAD], 1);
    assert_int_equal(t.bytes, 80);
    assert_true(t.ordered);
}

/* Others than PoCL do not count beyond 65,535 there. */
static void many_groups_along_an_axis_are_several_launches(void **state) {
    (void)state;
    NEEDS_DEVICE();
    not_on_oclgrind("it interprets each of two million work-items");
    static const struct {
        int64_t shape[3];
        int launches;
    } cases[] = {{{2, 65535, 5}, 1}, {{1, 140000, 5}, 3}, {{65536, 2, 3}, 2}, {{1, 1, 300000}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        le_tensor a = fixture_tensor(3, cases[i].shape, 13), b = {0};
        const tally t = count_records("groups", &a, 2, &b);
        fixture_expect(&a, 2, &b);
        assert_int_equal(t.kinds[LE__EVENT_KERNEL], cases[i].launches);
        le_tensor_free(&a);
        le_tensor_free(&b);
    }
}

static void a_call_is_answered_by_the_device(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_tensor a = fixture_tensor(1, (int64_t[]){5000}, 12), b = {0};
    assert_int_equal(le_engine_run(engine, "test_scale", LE_IN("input", &a), LE_F64("factor", 6),
                                   LE_OUT("result", &b), LE_OPT_DEVICE("opencl")),
                     LE_OK);
    fixture_expect(&a, 6, &b);
    le_tensor_free(&a);
    le_tensor_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borrowed_memory_moves_once_each_way),
        cmocka_unit_test(large_moves_go_through_pinned_memory),
        cmocka_unit_test(a_long_launch_is_cut),
        cmocka_unit_test(storage_stays_on_the_device),
        cmocka_unit_test(adopted_memory_has_copies_on_devices),
        cmocka_unit_test(a_touched_tensor_is_moved_again),
        cmocka_unit_test(a_kept_output_is_replaced_on_the_device),
        cmocka_unit_test(an_output_with_storage_is_overwritten),
        cmocka_unit_test(any_layout_is_read),
        cmocka_unit_test(strided_outputs_are_written),
        cmocka_unit_test(parts_of_a_storage_stay_on_the_device),
        cmocka_unit_test(empty_and_scalar_tensors_work),
        cmocka_unit_test(images_hold_any_dtype),
        cmocka_unit_test(images_follow_their_tensor),
        cmocka_unit_test(an_image_that_was_not_filled_is_filled_again),
        cmocka_unit_test(an_image_is_no_copy_to_come_back_from),
        cmocka_unit_test(a_memory_limit_holds),
        cmocka_unit_test(tensors_outlive_the_engine),
        cmocka_unit_test(many_threads_share_a_device),
        cmocka_unit_test(profiles_have_a_record_a_command),
        cmocka_unit_test(many_groups_along_an_axis_are_several_launches),
        cmocka_unit_test(a_call_is_answered_by_the_device),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
