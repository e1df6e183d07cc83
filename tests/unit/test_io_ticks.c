/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reading and writing files ends when the caller's tick says so: files stay as they were, tensors
 * stay unallocated. The tick has spoken before each call here, so that nothing depends on time.
 */
#include "core/tick.h"
#include "io_test.h"

static const char *const places[] = {"t.h5:/x", "t.nrrd", "t.nhdr", "t.raw", "t_%d.png", "t.tif"};
enum { PLACES = sizeof places / sizeof *places };

static const char *to_read(int i) {
    return i == 3 ? "t.raw:u8:6,40,30" : places[i];
}

static bool never_asked(void *unused, double done) {
    (void)unused;
    (void)done;
    return false;
}

static const le_tick tick = {never_asked, NULL};

static void begin_over(le__ticker *t) {
    const le_arg asked = LE_OPT_TICK(&tick);
    le__ticker_begin(t, &asked, 1);
    atomic_store(&t->over, true);
}

static le_status write_over(const char *place, le_tensor *t) {
    le__ticker ticker;
    begin_over(&ticker);
    le_status status = le_io_write(io_engine, place, t);
    le__ticker_end(&ticker);
    return status;
}

static le_status read_over(const char *place, le_tensor *t) {
    le__ticker ticker;
    begin_over(&ticker);
    le_status status = le_io_read(io_engine, place, NULL, t);
    le__ticker_end(&ticker);
    return status;
}

static bool has_format(int i, le_tensor *t) {
    le_status status = le_io_write(io_engine, places[i], t);
    if (status != LE_ERR_UNSUPPORTED) /* TIFF may be left out of the build */
        assert_int_equal(status, LE_OK);
    return status == LE_OK;
}

static void expect_same(int i, double first) {
    le_tensor back = {0};
    if (le_io_read(io_engine, to_read(i), NULL, &back) != LE_OK)
        fail_msg("%s: %s", places[i], le_error_message());
    assert_int_equal(back.shape[0], 6);
    assert_true(le_tensor_get(&back, 0) == first);
    le_tensor_free(&back);
}

static void files_stay_as_they_were(void **state) {
    le_tensor t;
    (void)state;
    assert_int_equal(le_tensor_alloc(&t, LE_U8, 3, (int64_t[]){6, 40, 30}), LE_OK);
    for (int i = 0; i < PLACES; i++) {
        le_tensor_set(&t, 0, 3);
        if (!has_format(i, &t))
            continue;
        le_tensor_set(&t, 0, 4);
        if (write_over(places[i], &t) != LE_ERR_CANCELLED)
            fail_msg("%s is written", places[i]);
        assert_non_null(strstr(le_error_message(), "cancelled"));
        expect_same(i, 3);
    }
    le_tensor_free(&t);
}

static void nothing_is_read(void **state) {
    le_tensor t, out = {0};
    (void)state;
    assert_int_equal(le_tensor_alloc(&t, LE_U8, 3, (int64_t[]){6, 40, 30}), LE_OK);
    for (int i = 0; i < PLACES; i++) {
        if (!has_format(i, &t))
            continue;
        if (read_over(to_read(i), &out) != LE_ERR_CANCELLED)
            fail_msg("%s is read", to_read(i));
        assert_null(out.data);
        expect_same(i, 0);
    }
    le_tensor_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_stay_as_they_were),
                                       cmocka_unit_test(nothing_is_read)};
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
