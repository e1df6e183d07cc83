/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A library without HDF5: every door to such a file says so, leaves nothing behind, and the other
 * formats are as ever.
 */
#include "io_test.h"

#include "liquid_engine/le_stream.h"

#include <sys/stat.h>

static void says_so(le_status status) {
    assert_int_equal(status, LE_ERR_UNSUPPORTED);
    assert_non_null(strstr(le_error_message(), "x.h5"));
    assert_non_null(strstr(le_error_message(), "without HDF5"));
}

static bool exists(const char *file) {
    struct stat s;
    return stat(file, &s) == 0;
}

static void test_reading(void **state) {
    (void)state;
    le_tensor t = {0};
    le_dtype dtype;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    le_io_stream *stream = NULL;
    le_source *source = NULL;
    io_put("x.h5", "\x89HDF\r\n\x1a\n", 8);
    says_so(le_io_read(io_engine, "x.h5:/a[2]", NULL, &t));
    assert_null(t.data);
    says_so(le_io_peek("x.h5", &dtype, &ndim, shape));
    says_so(le_io_stream_open(io_engine, "x.h5:/a", NULL, &stream));
    says_so(le_io_source(io_engine, "x.h5:/a", LE_SOURCE_FRAMES, &source));
    says_so(le_io_source(io_engine, "x.h5:/a", LE_SOURCE_STORED, &source));
    assert_true(le_io_is_place("x.h5:/a", false));
}

static void test_writing(void **state) {
    (void)state;
    le_tensor t = {0};
    const int64_t shape[] = {2, 3};
    int64_t offset;
    le_sink *sink = NULL;
    const le_io_plot plot = {
        .struct_size = sizeof plot, .group = "x.h5:/entry/plot", .signal = "/entry/a", .name = "a"};
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 2, shape), LE_OK);
    unlink("x.h5");
    says_so(le_io_write(io_engine, "x.h5:/a", &t));
    says_so(le_io_target_reserve("x.h5:/a", &t, false, &offset));
    says_so(le_io_target_reserve("x.h5:/a", &t, true, &offset));
    says_so(le_io_write_plot(&plot));
    assert_false(le_io_is_place("x.h5:/a", true));
    assert_non_null(strstr(le_error_message(), "without HDF5"));
    assert_int_equal(le_io_write(io_engine, "x.npy", &t), LE_OK);
    assert_false(le_io_replaces("x.h5:/a", "x.npy"));
    assert_int_equal(le_io_sink(io_engine, "x.h5:/a", &sink), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "without HDF5"));
    assert_null(sink);
    assert_false(exists("x.h5") || exists("x.h5.part"));
    le_tensor_free(&t);
}

static void test_others(void **state) {
    (void)state;
    le_tensor t = {0}, back = {0};
    const int64_t shape[] = {2, 3};
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 2, shape), LE_OK);
    for (int i = 0; i < 6; i++)
        le_tensor_set(&t, i, i * 0.5);
    static const char *const places[] = {"y.npy", "y.nrrd", "y.csv"};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        assert_int_equal(le_io_write(io_engine, places[k], &t), LE_OK);
        assert_int_equal(le_io_read(io_engine, places[k], NULL, &back), LE_OK);
        assert_int_equal(le_tensor_count(&back), 6);
        for (int i = 0; i < 6; i++)
            assert_true(le_tensor_get(&back, i) == i * 0.5);
        le_tensor_free(&back);
    }
    le_tensor_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
