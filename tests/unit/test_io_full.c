/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files that cannot be written, in every format: the error says what the system said.
 */
#include "io_test.h"

#include <errno.h>
#include <sys/resource.h>

enum { N = 64, LINE = 3 * N };

static const struct {
    const char *name;
    int64_t shape[3];
    int ndim;
} files[] = {
    {"full.nrrd", {3, N, N}, 3},     {"full.raw", {3, N, N}, 3}, {"full.h5:/v", {3, N, N}, 3},
    {"full_%02d.png", {3, N, N}, 3}, {"full.npy", {3, N, N}, 3}, {"full.tif", {3, N, N}, 3},
    {"full.fits", {3, N, N}, 3},     {"full.csv", {N, LINE}, 2}, {"full.vot", {N, LINE}, 2}};

typedef enum limited { SIZES, OPEN_FILES } limited;

static int get_limit(limited what, struct rlimit *l) {
    return what == SIZES ? getrlimit(RLIMIT_FSIZE, l) : getrlimit(RLIMIT_NOFILE, l);
}

static int set_limit(limited what, const struct rlimit *l) {
    return what == SIZES ? setrlimit(RLIMIT_FSIZE, l) : setrlimit(RLIMIT_NOFILE, l);
}

/* Writes each file under a limit of the process, and then without it. enough: for some formats. */
static void expect_refused(limited what, rlim_t most, bool enough, const char *why) {
    float values[N * LINE];
    struct rlimit before, limit;
    uint32_t random = 1;
    for (int i = 0; i < N * LINE; i++, random = random * 1664525 + 1013904223)
        values[i] = (float)(random >> 8) / (1 << 24); /* a PNG of it is long */
    assert_int_equal(get_limit(what, &before), 0);
    limit = before;
    limit.rlim_cur = most;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *name = files[i].name;
        le_tensor t = le_tensor_of(values, LE_F32, files[i].ndim, files[i].shape);
        assert_int_equal(set_limit(what, &limit), 0);
        le_status status = le_io_write(io_engine, name, &t);
        assert_int_equal(set_limit(what, &before), 0);
        if (status == LE_ERR_UNSUPPORTED) { /* this library was built without the format */
            print_message("%s\n", le_error_message());
            continue;
        }
        if (status == LE_OK && enough)
            continue;
        if (status != LE_ERR_IO || !strstr(le_error_message(), why) ||
            strchr(le_error_message(), '\n'))
            fail_msg("%s: %d %s", name, status, le_error_message());
        assert_int_not_equal(access(name, F_OK), 0);
        assert_int_equal(le_io_write(io_engine, name, &t), LE_OK);
        unlink(name);
    }
}

/* As on a full disk; the signal of the limit must not end the program. */
static void no_room(void **state) {
    (void)state;
    expect_refused(SIZES, 50, false, "File too large");
    expect_refused(SIZES, 3000, false, "File too large");
}

/* The file can be opened, and then no other one. */
static void no_more_files(void **state) {
    (void)state;
    int next = dup(0);
    close(next);
    expect_refused(OPEN_FILES, (rlim_t)next, false, "Too many open files");
    expect_refused(OPEN_FILES, (rlim_t)next + 1, true, "Too many open files");
}

/* Where the kernel copies nothing, as between file systems. */
ssize_t copy_file_range(int from, off64_t *in, int to, off64_t *out, size_t n, unsigned flags) {
    (void)from, (void)in, (void)to, (void)out, (void)n, (void)flags;
    errno = EXDEV;
    return -1;
}

/* The second dataset goes into a copy of the file, for which there is half the room: the last write of it
 * is a short one. */
static void no_room_for_the_copy(void **state) {
    float values[N * LINE] = {0};
    struct rlimit before, limit;
    (void)state;
    le_tensor t = le_tensor_of(values, LE_F32, 2, (int64_t[]){N, LINE});
    if (le_io_write(io_engine, "two.h5:/a", &t) == LE_ERR_UNSUPPORTED)
        return;
    assert_int_equal(get_limit(SIZES, &before), 0);
    limit = before;
    limit.rlim_cur = sizeof values / 2;
    assert_int_equal(set_limit(SIZES, &limit), 0);
    le_status status = le_io_write(io_engine, "two.h5:/b", &t);
    assert_int_equal(set_limit(SIZES, &before), 0);
    if (status != LE_ERR_IO || !strstr(le_error_message(), "File too large"))
        fail_msg("%d %s", status, le_error_message());
    assert_int_equal(le_io_write(io_engine, "two.h5:/b", &t), LE_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_room), cmocka_unit_test(no_more_files),
                                       cmocka_unit_test(no_room_for_the_copy)};
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
