/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Texts that name files, datasets, slices and numbered images.
 */
#include "io_test.h"

#include "files/io.h"

static void check(const char *text, le__io_format format, const char *file, const char *dataset) {
    le__io_place p;
    char *alone = NULL;
    assert_int_equal(le__io_place_parse(text, &p), LE_OK);
    assert_int_equal(p.format, format);
    assert_string_equal(p.file, file);
    assert_int_equal(le_io_place_file(text, &alone), LE_OK);
    assert_string_equal(alone, file);
    free(alone);
    if (dataset)
        assert_string_equal(p.dataset, dataset);
    else
        assert_null(p.dataset);
    le__io_place_free(&p);
}

static void names(void **state) {
    (void)state;
    check("cube.h5:/density", LE__IO_HDF5, "cube.h5", "/density");
    check("a:b/cube.H5:/g/density[0:2]", LE__IO_HDF5, "a:b/cube.H5", "/g/density");
    check("cube.hdf5", LE__IO_HDF5, "cube.hdf5", NULL);
    check("cube.h5[1:2]", LE__IO_HDF5, "cube.h5", NULL);
    check("snapshot_012:/PartType0", LE__IO_HDF5, "snapshot_012", "/PartType0");
    check("cube.h5:density", LE__IO_HDF5, "cube.h5", "density");
    check("web_%02d.png", LE__IO_PNG, "web_%02d.png", NULL);
    check("v.nhdr", LE__IO_NRRD, "v.nhdr", NULL);
    check("s.TIFF", LE__IO_TIFF, "s.TIFF", NULL);
    check("out.raw", LE__IO_RAW, "out.raw", NULL);
    check("a.CSV", LE__IO_CSV, "a.CSV", NULL);
    check("a.csv[flux]", LE__IO_CSV, "a.csv", "flux");
    check("a.csv[flux][1:3]", LE__IO_CSV, "a.csv", "flux");
    check("a.csv[1:3,0]", LE__IO_CSV, "a.csv", NULL);
    check("runs[2]/a.csv[flux][1:3]", LE__IO_CSV, "runs[2]/a.csv", "flux");
    check("map[a].fits[1][0:2]", LE__IO_FITS, "map[a].fits", "1");
    check("map[a].fits", LE__IO_FITS, "map[a].fits", NULL);
}

static void bad_names(void **state) {
    static const char *const bad[] = {"",
                                      ".h5",
                                      "cube",
                                      "cube.txt",
                                      ":/x",
                                      "a_%s.png",
                                      "a_%d_%d.png",
                                      "a_%.png",
                                      "a_%0123d.png",
                                      "a_%ld.png",
                                      "a_%n.png",
                                      "a.png:x",
                                      "s.tif:0",
                                      "t.csv:x",
                                      "t.csv[]",
                                      "t.csv[a",
                                      "t.csv[a]b",
                                      "t.csv[a][b]",
                                      "t.csv[0:1:0]",
                                      "c.h5:/d[",
                                      "c.h5:/d[]",
                                      "c.h5:/d[a]",
                                      "c.h5:/d[0:1:0]",
                                      "c.h5:/d[0:1:-1]",
                                      "c.h5:/d[...,...]",
                                      "c.h5:/d[0:1",
                                      "c.h5:/d[99999999999999999999]",
                                      "c.h5:/d[0,0,0,0,0,0,0,0,0,0]",
                                      "v.raw:f16:3",
                                      "v.raw:f32:",
                                      "v.raw:f32:3,",
                                      "v.raw:f32:-3",
                                      "v.raw:f32:1,2,3,4,5,6,7,8,9",
                                      "v.raw:f32:3:offset=-1",
                                      "v.raw:f32:3:huge",
                                      "v.raw:f32:99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        le__io_place p;
        /* an open bracket without its end is a part of the name, and so no error here */
        if (le__io_place_parse(bad[i], &p) == LE_OK) {
            if (strcmp(bad[i], "c.h5:/d[") && strcmp(bad[i], "c.h5:/d[0:1"))
                fail_msg("'%s' was accepted", bad[i]);
            le__io_place_free(&p);
        }
    }
}

static void raw_layout(void **state) {
    le__io_place p;
    (void)state;
    assert_int_equal(le__io_place_parse("v.raw:u16:4,5x6:offset=128:big", &p), LE_OK);
    assert_int_equal(p.dtype, LE_U16);
    assert_int_equal(p.ndim, 3);
    assert_int_equal(p.shape[2], 6);
    assert_int_equal(p.offset, 128);
    assert_true(p.big_endian);
    le__io_place_free(&p);
}

static void selected(const char *slices, int ndim, const int64_t *shape, const char *expected) {
    le__io_place p;
    le__io_range r[LE_MAX_DIMS];
    char text[128], got[256] = "";
    snprintf(text, sizeof text, "c.h5:/d[%s]", slices);
    assert_int_equal(le__io_place_parse(text, &p), LE_OK);
    assert_int_equal(le__io_select(&p, ndim, shape, r), LE_OK);
    for (int i = 0; i < ndim; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%d+%d*%d", r[i].drop ? "!" : " ",
                 (int)r[i].start, (int)r[i].step, (int)r[i].count);
    assert_string_equal(got, expected);
    le__io_place_free(&p);
}

/* Expectations are what Python's range(*slice.indices(n)) gives. */
static void slices(void **state) {
    const int64_t shape[] = {10, 20, 30};
    (void)state;
    selected("0:4,:,::2", 3, shape, " 0+1*4 0+1*20 0+2*15");
    selected("-3:", 3, shape, " 7+1*3 0+1*20 0+1*30");
    selected(":-8", 3, shape, " 0+1*2 0+1*20 0+1*30");
    selected("2:100:3", 3, shape, " 2+3*3 0+1*20 0+1*30");
    selected("5:2", 3, shape, " 5+1*0 0+1*20 0+1*30");
    selected("...,-1", 3, shape, " 0+1*10 0+1*20!29+1*1");
    selected("3,...", 3, shape, "!3+1*1 0+1*20 0+1*30");
    selected("1,...,::30", 3, shape, "!1+1*1 0+1*20 0+30*1");
}

static void bad_selection(void **state) {
    const int64_t shape[] = {10, 20};
    le__io_place p;
    le__io_range r[LE_MAX_DIMS];
    (void)state;
    assert_int_equal(le__io_place_parse("c.h5:/d[10]", &p), LE_OK);
    assert_int_equal(le__io_select(&p, 2, shape, r), LE_ERR_SHAPE);
    le__io_place_free(&p);
    assert_int_equal(le__io_place_parse("c.h5:/d[:,:,:]", &p), LE_OK);
    assert_int_equal(le__io_select(&p, 2, shape, r), LE_ERR_SHAPE);
    le__io_place_free(&p);
}

static void numbers(void **state) {
    static const char *const cases[][2] = {{"a_%d.png", "a_7.png"},
                                           {"a_%03d.png", "a_007.png"},
                                           {"a_%3d.png", "a_  7.png"},
                                           {"50%%_%i.png", "50%_7.png"},
                                           {"a.png", "a.png"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name = le__io_name_number(cases[i][0], 7);
        assert_string_equal(name, cases[i][1]);
        free(name);
    }
    char *name = le__io_name_number("%999d.png", 1);
    assert_int_equal(strlen(name), 999 + 4);
    free(name);
}

static void sizes(void **state) {
    int64_t bytes;
    (void)state;
    const int64_t huge[] = {INT64_MAX / 2, 8}, empty[] = {INT64_MAX, INT64_MAX, 0},
                  small[] = {3, 5};
    assert_int_equal(le__io_check_size("x", LE_F32, 2, huge, INT64_MAX, &bytes), LE_ERR_MEMORY);
    assert_int_equal(le__io_check_size("x", LE_F32, 3, empty, 0, &bytes), LE_OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(le__io_check_size("x", LE_F32, 2, small, 60, &bytes), LE_OK);
    assert_int_equal(bytes, 60);
    assert_int_equal(le__io_check_size("x", LE_F32, 2, small, 59, &bytes), LE_ERR_MEMORY);
}

static void usable_places(void **state) {
    (void)state;
    assert_int_equal(le_io_is_place("out.h5:/images", true), le__h5_built);
    assert_false(le_io_is_place("out.h5", true));
    assert_true(le_io_is_place("out.h5", false));
    assert_false(le_io_is_place("out.h5:/a[0]", true));
    assert_false(le_io_is_place("v.raw", false));
    assert_true(le_io_is_place("v.raw", true));
    assert_false(le_io_is_place("v.raw:f32:3", true));
    assert_false(le_io_is_place("a%d%d.png", true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),  cmocka_unit_test(bad_names),     cmocka_unit_test(raw_layout),
        cmocka_unit_test(slices), cmocka_unit_test(bad_selection), cmocka_unit_test(numbers),
        cmocka_unit_test(sizes),  cmocka_unit_test(usable_places),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
