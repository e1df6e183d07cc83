/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Blocks of memory that are kept for the next tensor, and outputs that are written where they are.
 */
#include "core/blocks.h"
#include "core/os.h"
#include "core/sanitizer.h"
#include "operation_test.h"
#include "toy.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

/* Page faults that filling it took. */
static long fill(void *block, size_t bytes) {
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    memset(block, 7, bytes);
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
}

/* MiB of this process that the system may take; -1: it does not say. */
static long lent_mib(void) {
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long kib = -1;
    while (f && fgets(line, sizeof line, f) && sscanf(line, "LazyFree: %ld kB", &kib) != 1) {
    }
    if (f)
        fclose(f);
    return kib < 0 ? -1 : kib / 1024;
}

static void kept_for_the_same_size(void **state) {
    (void)state;
    if (LE__SANITIZED)
        skip();
    char *first = le__block_new(3 * MIB, false);
    memset(first, 7, 3 * MIB);
    le__block_free(first);
    char *larger = le__block_new(4 * MIB, false), *smaller = le__block_new(2 * MIB, false);
    assert_ptr_not_equal(larger, first);
    assert_ptr_not_equal(smaller, first);
    char *second = le__block_new(3 * MIB - 100, true);
    assert_ptr_equal(second, first);
    for (int i = 0; i < 3 * MIB - 100; i++)
        assert_int_equal(second[i], 0);
    char *third = le__block_new(3 * MIB, false);
    assert_ptr_not_equal(third, second);
    le__block_free(first);
    le__block_free(larger);
    le__block_free(smaller);
    le__block_free(third);
    le__block_free(NULL);
    le__blocks_trim();
}

/* Of what was filled once no page has to be given anew, unless memory was short meanwhile. */
static void large_ones_keep_their_pages(void **state) {
    (void)state;
    enum { LARGE = 200 * MIB };
    long faults[2];
    if (LE__SANITIZED)
        skip();
    char *first = le__block_new(LARGE, false);
    assert_non_null(first);
    faults[0] = fill(first, LARGE);
    le__block_free(first);
    char *second = le__block_new(LARGE, false);
    assert_ptr_equal(second, first);
    faults[1] = fill(second, LARGE);
    for (size_t i = 0; i < LARGE; i += 4096)
        assert_int_equal(second[i], 7);
    le__block_free(second);
    le__blocks_trim();
    if (faults[1] > faults[0] / 10)
        fail_msg("%ld page faults, %ld when it was new", faults[1], faults[0]);
}

/* What is kept beyond 128 MiB is the system's to take, by the kernel's own count. */
static void much_is_kept_on_loan(void **state) {
    (void)state;
    enum { BLOCKS = 5, EACH = 60 * MIB, HELD_MIB = 128 };
    void *blocks[BLOCKS];
    if (LE__SANITIZED || lent_mib() < 0)
        skip();
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = le__block_new(EACH, false);
        assert_non_null(blocks[i]);
        fill(blocks[i], EACH);
    }
    long before = lent_mib();
    for (int i = 0; i < BLOCKS; i++)
        le__block_free(blocks[i]);
    assert_in_range(lent_mib() - before, BLOCKS * 60 - HELD_MIB - 10, BLOCKS * 60);
    le__blocks_trim();
    assert_in_range(lent_mib() - before + 1, 0, 2);
}

/* Room that what is kept takes is given back before an allocation fails. */
static void kept_ones_make_room(void **state) {
    (void)state;
    enum { KEPT = 400 * MIB, WANTED = 500 * MIB };
    if (LE__SANITIZED)
        skip();
    pid_t child = fork();
    if (child == 0) {
        void *block = le__block_new(KEPT, false);
        le__os_limit_memory(300 * (int64_t)MIB);
        le__block_free(block);
        _exit(block && le__block_new(WANTED, false) ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void aligned_and_checked(void **state) {
    (void)state;
    for (size_t bytes = 0; bytes < 3 * MIB; bytes = 3 * bytes + 1) {
        char *block = le__block_new(bytes, true);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(block[i], 0);
        memset(block, 1, bytes);
        le__block_free(block);
    }
    assert_null(le__block_new(SIZE_MAX - 100, false));
    le__blocks_trim();
}

/* Loops read one and write the next: see beginnings in core/blocks.c. */
static void apart_within_pages(void **state) {
    (void)state;
    enum { BLOCKS = 4, HALF_PAGE = 2048 };
    char *blocks[BLOCKS];
    if (LE__SANITIZED)
        skip();
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = le__block_new(MIB, false);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % HALF_PAGE, 0);
        if (i > 0)
            assert_int_equal((uintptr_t)(blocks[i] - blocks[i - 1]) % (2 * HALF_PAGE), HALF_PAGE);
    }
    for (int i = 0; i < BLOCKS; i++)
        le__block_free(blocks[i]);
    le__blocks_trim();
}

/* Blocks of ever other sizes leave no holes in the heap that small ones pin, which last. */
static void heap_does_not_grow(void **state) {
    (void)state;
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    enum { ROUNDS_OF_SIZES = 4000, SMALL = 100, HEAP_MIB = 4 };
    static void *small[ROUNDS_OF_SIZES];
    if (LE__SANITIZED)
        skip();
    /* a large block that was freed makes the C library serve all up to its size from the heap */
    void *large = malloc(16 * MIB);
    assert_non_null(large);
    free(large);
    const size_t before = mallinfo2().arena;
    for (size_t i = 0; i < ROUNDS_OF_SIZES; i++) {
        char *block = le__block_new(100000 + 150 * i, false);
        assert_non_null(block);
        block[0] = 1;
        small[i] = malloc(SMALL);
        le__block_free(block);
    }
    const size_t after = mallinfo2().arena;
    for (size_t i = 0; i < ROUNDS_OF_SIZES; i++)
        free(small[i]);
    le__blocks_trim();
    assert_in_range(after - before, 0, (size_t)HEAP_MIB * MIB);
#else
    skip();
#endif
}

enum { THREADS = 4, ROUNDS = 3000, HELD = 5 };

/* Each thread signs what it holds: nobody else may have been given the same. */
static void *hold_some(void *context) {
    int *held[HELD] = {0};
    unsigned at = *(unsigned *)context, mine = at;
    for (int i = 0; i < ROUNDS; i++) {
        at = at * 1664525 + 1013904223;
        int k = (int)(at >> 16) % HELD;
        if (held[k] && (held[k][0] != (int)mine || held[k][20000] != (int)mine))
            return "shared";
        le__block_free(held[k]);
        held[k] = le__block_new(80004 + (at >> 28) * 40000, false);
        held[k][0] = held[k][20000] = (int)mine;
    }
    for (int k = 0; k < HELD; k++)
        le__block_free(held[k]);
    return NULL;
}

static void one_owner(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, hold_some, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *complaint;
        pthread_join(threads[i], &complaint);
        assert_null(complaint);
    }
    le__blocks_trim();
}

/* --- outputs in the engine's memory --- */

enum { N = 5000 };

static const void *place; /* of the caller's output */
static int in_place, runs;

static le_status looks_where(le_call *call) {
    toy_range(call, 0, toy_items(call), 0);
    runs++;
    in_place += le_call_out(call, TOY_RESULT)->data == place;
    return LE_OK;
}

static const le_implementation looking = {.abi = LE_METHOD_ABI,
                                          .operation = "toy",
                                          .name = "looking",
                                          .run_type = "c",
                                          .flags = LE_IMPL_REPRODUCIBLE,
                                          .run = looks_where};

/* A proven implementation writes to an output of the caller's where it is, and copies nothing. */
static void written_in_place(void **state) {
    (void)state;
    static float input[N];
    int64_t n = N;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    le_engine *e = toy_open(NULL, LE_MODE_ESTIMATE);
    assert_non_null(e);
    assert_ok(le_register_implementation(e, &looking));
    for (int i = 0; i < N; i++)
        input[i] = (float)(i % 13);
    assert_ok(le_tensor_alloc(&out, LE_F32, 1, &n));
    for (int i = 0; i < 4; i++) {
        if (i == 1) /* the first answer is compared with the reference's, apart */
            runs = in_place = 0;
        place = out.data;
        memset(out.data, 0xff, N * sizeof(float));
        assert_ok(le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                LE_OUT("result", &out), LE_OPT_IMPLEMENTATION("looking")));
        assert_ptr_equal(out.data, place);
        for (int k = 0; k < N; k++)
            assert_true(((float *)out.data)[k] == 2 * input[k]);
    }
    assert_int_equal(runs, 3);
    assert_int_equal(in_place, 3);
    le_tensor_free(&out);
    le_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept_for_the_same_size),
                                       cmocka_unit_test(large_ones_keep_their_pages),
                                       cmocka_unit_test(much_is_kept_on_loan),
                                       cmocka_unit_test(kept_ones_make_room),
                                       cmocka_unit_test(aligned_and_checked),
                                       cmocka_unit_test(apart_within_pages),
                                       cmocka_unit_test(heap_does_not_grow),
                                       cmocka_unit_test(one_owner),
                                       cmocka_unit_test(written_in_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
