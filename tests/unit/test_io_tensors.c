/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tensors that are none are not written, in no format and by no door, and nothing appears.
 */
#include "io_test.h"

#include "liquid_engine/le_stream.h"

static const char *const places[] = {"no.npy", "no.raw", "no.nrrd", "no.nhdr",  "no.csv", "no.png",
                                     "no.tif", "no.vot", "no.fits", "no.h5:/a", "no.edf"};
enum { PLACES = sizeof places / sizeof *places };

static void assert_said(const char *words) {
    if (!strstr(le_error_message(), words))
        fail_msg("'%s' does not say '%s'", le_error_message(), words);
}

static void assert_nothing(const char *place) {
    char file[32];
    snprintf(file, sizeof file, "%.*s", (int)strcspn(place, ":"), place);
    if (access(file, F_OK) == 0)
        fail_msg("%s is there", file);
}

static void assert_refused(const le_tensor *given, le_status status, const char *words) {
    for (int i = 0; i < PLACES; i++) {
        le_tensor t = *given;
        le_sink *sink = NULL;
        assert_int_equal(le_io_write(io_engine, places[i], &t), status);
        assert_said(places[i]);
        assert_said(words);
        if (le_io_sink(io_engine, places[i], &sink) == LE_OK) {
            assert_int_equal(sink->put(sink, 0, 1, given), status);
            assert_said(words);
            le_io_sink_close(&sink, false);
        }
        assert_nothing(places[i]);
    }
}

static void refused(void **state) {
    double values[3] = {1, 2, 3};
    const le_tensor none = {0}, empty_of_memory = le_tensor_of(NULL, LE_F32, 1, (int64_t[]){3}),
                    strange = le_tensor_of(values, (le_dtype)77, 1, (int64_t[]){1}),
                    negative = le_tensor_of(values, LE_F64, 1, (int64_t[]){-3});
    le_tensor deep = le_tensor_of(values, LE_F64, 1, (int64_t[]){1});
    (void)state;
    deep.ndim = 99;
    assert_refused(&none, LE_ERR_DTYPE, "there is no dtype 0");
    assert_refused(&strange, LE_ERR_DTYPE, "there is no dtype 77");
    assert_refused(&empty_of_memory, LE_ERR_ARGUMENT, "the tensor f32[3] has no data");
    assert_refused(&negative, LE_ERR_SHAPE, "dimension 0 is negative");
    assert_refused(&deep, LE_ERR_SHAPE, "99 dimensions given");
}

/* What is made before there are data goes by the shape alone. */
static void targets(void **state) {
    le_target *target = (le_target *)1;
    le_tensor deep = le_tensor_of(NULL, LE_F64, 1, (int64_t[]){1});
    int64_t offset;
    (void)state;
    deep.ndim = 99;
    assert_int_equal(le_io_target(io_engine, "no.npy", LE_F64, 99, deep.shape, &target),
                     LE_ERR_SHAPE);
    assert_said("99 dimensions given");
    assert_null(target);
    assert_int_equal(le_io_target_reserve("no.h5:/a", &deep, false, &offset), LE_ERR_SHAPE);
    assert_said("99 dimensions given");
    deep = (le_tensor){0};
    assert_int_equal(le_io_target_reserve("no.h5:/a", &deep, false, &offset), LE_ERR_DTYPE);
    assert_nothing("no.h5:/a");
    assert_nothing("no.h5.part:");
}

static void empty(void **state) {
    le_tensor t = le_tensor_of(NULL, LE_F32, 2, (int64_t[]){0, 3});
    (void)state;
    assert_int_equal(le_io_write(io_engine, "empty.npy", &t), LE_OK);
    assert_int_equal(le_io_read(io_engine, "empty.npy", NULL, &t), LE_OK);
    io_assert_shape(&t, "f32[0,3]");
    le_tensor_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(targets),
        cmocka_unit_test(empty),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
