/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Virtual datasets of HDF5: what HDF5 itself reads through them is what is read here, by slices and
 * frame by frame; parts that are missing, too small or elsewhere are errors that name them.
 */
#include "io_test.h"

#include <hdf5.h>

enum { FRAMES = 7, ROWS = 5, COLUMNS = 6 };

typedef enum kind { JOINED, INTERLEAVED, FLAT_FRAMES, TILES, HOLES, N_KINDS } kind;

static void write_part(const char *file, int rank, const hsize_t *dims, hid_t type, bool packed,
                       double first) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= (int64_t)dims[i];
    double *values = malloc((size_t)n * sizeof *values);
    for (int64_t i = 0; i < n; i++)
        values[i] = first + (double)i;
    hid_t out = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(rank, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    if (packed) {
        H5Pset_chunk(plist, rank, (hsize_t[]){1, 3, 4});
        H5Pset_deflate(plist, 3);
    }
    hid_t set = H5Dcreate2(out, "v", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    H5Fclose(out);
    free(values);
}

typedef struct slab {
    hsize_t start[3], stride[3], count[3], block[3];
} slab;

static void map(hid_t plist, const slab *at, hid_t total, const char *file, hid_t from) {
    hid_t own = H5Scopy(total);
    H5Sselect_hyperslab(own, H5S_SELECT_SET, at->start, at->stride, at->count, at->block);
    assert_true(H5Pset_virtual(plist, own, file, "v", from) >= 0);
    H5Sclose(own);
}

static void add_parts(kind k, hid_t plist, hid_t total) {
    hid_t frames = H5Screate_simple(3, (hsize_t[]){FRAMES, ROWS, COLUMNS}, NULL);
    hid_t flat = H5Screate_simple(2, (hsize_t[]){ROWS, COLUMNS}, NULL);
    if (k == JOINED || k == HOLES)
        for (hsize_t i = 0; i < 2; i++)
            map(plist,
                &(slab){{i * (hsize_t)(FRAMES + (k == HOLES)), 0, 0},
                        {1, 1, 1},
                        {1, 1, 1},
                        {FRAMES, ROWS, COLUMNS}},
                total, i ? "b.h5" : "a.h5", frames);
    if (k == INTERLEAVED)
        for (hsize_t i = 0; i < 2; i++)
            map(plist, &(slab){{i, 0, 0}, {2, 1, 1}, {FRAMES, 1, 1}, {1, ROWS, COLUMNS}}, total,
                i ? "b.h5" : "a.h5", frames);
    if (k == FLAT_FRAMES)
        for (hsize_t i = 0; i < 3; i++)
            map(plist, &(slab){{i, 0, 0}, {1, 1, 1}, {1, 1, 1}, {1, ROWS, COLUMNS}}, total,
                i == 1 ? "d.h5" : "c.h5", flat);
    if (k == TILES) { /* every second row and column of the middle frames */
        hid_t some = H5Scopy(frames);
        H5Sselect_hyperslab(some, H5S_SELECT_SET, (hsize_t[]){2, 0, 1}, (hsize_t[]){1, 2, 1},
                            (hsize_t[]){3, 2, 4}, NULL);
        map(plist, &(slab){{1, 1, 0}, {1, 3, 5}, {3, 2, 2}, {1, 1, 2}}, total, "a.h5", some);
        H5Sclose(some);
    }
    H5Sclose(flat);
    H5Sclose(frames);
}

static void write_virtual(const char *file, kind k, hid_t type) {
    hid_t out = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t total = H5Screate_simple(
        3, (hsize_t[]){2 * FRAMES + 1, k == TILES ? 9 : ROWS, k == TILES ? 11 : COLUMNS}, NULL);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    int fill = 77;
    H5Pset_fill_value(plist, H5T_NATIVE_INT, &fill);
    add_parts(k, plist, total);
    hid_t set = H5Dcreate2(out, "all", type, total, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(total);
    H5Fclose(out);
}

static void write_parts(void) {
    const hsize_t frames[3] = {FRAMES, ROWS, COLUMNS};
    write_part("a.h5", 3, frames, H5T_STD_U16LE, false, 1000);
    write_part("b.h5", 3, frames, H5T_STD_I32BE, true, 5000);
    write_part("c.h5", 2, frames + 1, H5T_STD_U8LE, false, 100);
    write_part("d.h5", 2, frames + 1, H5T_STD_I64LE, false, 9000);
}

/* By HDF5 itself. */
static double *truth(const char *file, int64_t *n) {
    hid_t in = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(in, "all", H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    *n = H5Sget_simple_extent_npoints(space);
    double *values = malloc((size_t)*n * sizeof *values);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(in);
    return values;
}

static void check_whole(kind k, const double *values, int64_t n) {
    le_tensor t = {0};
    if (le_io_read(io_engine, "all.h5:/all", NULL, &t) != LE_OK)
        fail_msg("kind %d: %s", (int)k, le_error_message());
    assert_int_equal(t.dtype, LE_I32);
    assert_int_equal(le_tensor_count(&t), n);
    for (int64_t i = 0; i < n; i++)
        if (le_tensor_get(&t, i) != values[i])
            fail_msg("kind %d: element %d is %g, not %g", (int)k, (int)i, le_tensor_get(&t, i),
                     values[i]);
    le_tensor_free(&t);
}

static void check_slices(kind k, const double *values, const int64_t *shape) {
    le_tensor t = {0};
    if (le_io_read(io_engine, "all.h5:/all[3:14:2,1:4,1::3]", NULL, &t) != LE_OK)
        fail_msg("kind %d: %s", (int)k, le_error_message());
    int64_t at = 0;
    for (int64_t z = 3; z < 14; z += 2)
        for (int64_t y = 1; y < 4; y++)
            for (int64_t x = 1; x < shape[2]; x += 3, at++)
                if (le_tensor_get(&t, at) != values[(z * shape[1] + y) * shape[2] + x])
                    fail_msg("kind %d: [%d, %d, %d] is %g", (int)k, (int)z, (int)y, (int)x,
                             le_tensor_get(&t, at));
    assert_int_equal(at, le_tensor_count(&t));
    le_tensor_free(&t);
}

static void check_frames(kind k, const double *values, int64_t n) {
    le_io_stream *s;
    le_tensor t = {0};
    int64_t at = 0;
    assert_int_equal(le_io_stream_open(io_engine, "all.h5:/all", NULL, &s), LE_OK);
    for (;;) {
        if (le_io_stream_next(s, 4, &t) != LE_OK)
            fail_msg("kind %d: %s", (int)k, le_error_message());
        if (!t.data)
            break;
        for (int64_t i = 0; i < le_tensor_count(&t); i++, at++)
            assert_true(le_tensor_get(&t, i) == values[at]);
    }
    assert_int_equal(at, n);
    le_io_stream_close(&s);
}

static void same_as_hdf5(void **state) {
    (void)state;
    write_parts();
    for (int k = 0; k < N_KINDS; k++) {
        int64_t n, shape[3] = {2 * FRAMES + 1, k == TILES ? 9 : ROWS, k == TILES ? 11 : COLUMNS};
        write_virtual("all.h5", (kind)k, H5T_STD_I32LE);
        double *values = truth("all.h5", &n);
        check_whole((kind)k, values, n);
        check_slices((kind)k, values, shape);
        check_frames((kind)k, values, n);
        free(values);
    }
}

static void parts_that_fail(void **state) {
    (void)state;
    write_parts();
    write_virtual("all.h5", JOINED, H5T_STD_I32LE);
    rename("b.h5", "gone.h5");
    io_assert_fails("all.h5:/all", LE_ERR_IO, "b.h5:v");
    assert_int_equal(io_try("all.h5:/all[0:7]"), LE_OK); /* that part is not needed */
    write_part("b.h5", 3, (hsize_t[]){FRAMES - 1, ROWS, COLUMNS}, H5T_STD_U8LE, false, 0);
    io_assert_fails("all.h5:/all", LE_ERR_IO, "another shape");
    write_virtual("all.h5", TILES, H5T_STD_I32LE);
    write_part("a.h5", 3, (hsize_t[]){3, ROWS, COLUMNS}, H5T_STD_U8LE, false, 0);
    io_assert_fails("all.h5:/all", LE_ERR_IO, "smaller");
    write_part("a.h5", 2, (hsize_t[]){ROWS, COLUMNS}, H5T_STD_U8LE, false, 0);
    io_assert_fails("all.h5:/all", LE_ERR_SHAPE, "a.h5:v");
    write_parts();
    write_virtual("all.h5", JOINED, H5T_STD_I32LE);
    assert_int_equal(io_try("all.h5:/all"), LE_OK);
}

/* Into an open file, which is closed; "all" is virtual, of one part. */
static void put_virtual(hid_t out, hid_t total, const char *part, const char *name, hid_t from) {
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_virtual(plist, total, part, name, from) >= 0);
    H5Dclose(H5Dcreate2(out, "all", H5T_STD_I32LE, total, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Pclose(plist);
    H5Sclose(from);
    H5Sclose(total);
    H5Fclose(out);
}

static void put_one(const char *file, const char *part, hsize_t stop) {
    hid_t out = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t total = H5Screate_simple(1, (hsize_t[]){4}, (hsize_t[]){H5S_UNLIMITED});
    hid_t from = H5Screate_simple(1, (hsize_t[]){4}, (hsize_t[]){H5S_UNLIMITED});
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, (hsize_t[]){4});
    H5Dclose(H5Dcreate2(out, "v", H5T_STD_I32LE, from, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Pclose(plist);
    H5Sselect_hyperslab(total, H5S_SELECT_SET, (hsize_t[]){0}, NULL, &stop, NULL);
    H5Sselect_hyperslab(from, H5S_SELECT_SET, (hsize_t[]){0}, NULL, &stop, NULL);
    put_virtual(out, total, part, "v", from);
}

/* A virtual dataset of ten frames of all.h5, from the third one. */
static void write_outer(const char *file, const char *part) {
    hid_t out = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t total = H5Screate_simple(3, (hsize_t[]){10, ROWS, COLUMNS}, NULL);
    hid_t from = H5Screate_simple(3, (hsize_t[]){2 * FRAMES + 1, ROWS, COLUMNS}, NULL);
    H5Sselect_hyperslab(from, H5S_SELECT_SET, (hsize_t[]){2, 0, 0}, NULL,
                        (hsize_t[]){10, ROWS, COLUMNS}, NULL);
    put_virtual(out, total, part, "all", from);
}

static void within_others(void **state) {
    (void)state;
    int64_t n;
    le_tensor t = {0};
    write_parts();
    write_virtual("all.h5", INTERLEAVED, H5T_STD_I32LE);
    double *values = truth("all.h5", &n);
    write_outer("outer.h5", "all.h5");
    if (le_io_read(io_engine, "outer.h5:/all[1::2]", NULL, &t) != LE_OK)
        fail_msg("%s", le_error_message());
    const int64_t frame = (int64_t)ROWS * COLUMNS;
    assert_int_equal(le_tensor_count(&t), 5 * frame);
    for (int64_t i = 0; i < 5 * frame; i++)
        assert_true(le_tensor_get(&t, i) == values[(3 + i / frame * 2) * frame + i % frame]);
    free(values);
    le_tensor_free(&t);
    assert_true(le_io_replaces("b.h5:/v", "outer.h5:/all"));
    assert_true(le_io_replaces("all.h5:/all", "outer.h5:/all"));
    assert_false(le_io_replaces("c.h5:/v", "outer.h5:/all"));
    rename("b.h5", "gone.h5");
    io_assert_fails("outer.h5:/all", LE_ERR_IO, "b.h5:v");
}

static void of_each_other(void **state) {
    (void)state;
    put_one("first.h5", "second.h5", 4);
    put_one("second.h5", "first.h5", 4);
    assert_int_equal(io_try("first.h5:/all"), LE_OK);
    write_outer("round.h5", "square.h5");
    write_outer("square.h5", "round.h5");
    io_assert_fails("round.h5:/all[0:1]", LE_ERR_IO, "within more than four");
    assert_false(le_io_replaces("c.h5:/v", "round.h5:/all"));
}

static void refused(void **state) {
    (void)state;
    put_one("up.h5", "../v.h5", 4);
    io_assert_fails("up.h5:/all", LE_ERR_IO, "not beside it");
    put_one("root.h5", "/etc/v.h5", 4);
    io_assert_fails("root.h5:/all", LE_ERR_IO, "not beside it");
    put_one("grows.h5", "up.h5", H5S_UNLIMITED);
    io_assert_fails("grows.h5:/all", LE_ERR_UNSUPPORTED, "grows");
    put_one("own.h5", ".", 4);
    assert_int_equal(io_try("own.h5:/all"), LE_OK);
}

static hid_t half_floats(void) {
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    assert_true(H5Tset_fields(type, 15, 10, 5, 0, 10) >= 0 && H5Tset_size(type, 2) >= 0 &&
                H5Tset_ebias(type, 15) >= 0);
    return type;
}

/* Versions of HDF5 that cannot convert them are not believed. */
static void of_half_floats(void **state) {
    (void)state;
    hid_t type = half_floats();
    le_tensor t = {0};
    write_part("a.h5", 3, (hsize_t[]){FRAMES, ROWS, COLUMNS}, type, false, -100);
    write_part("b.h5", 3, (hsize_t[]){FRAMES, ROWS, COLUMNS}, type, false, -100);
    write_virtual("all.h5", JOINED, H5T_STD_I64LE);
    const le_io_options options = {.struct_size = sizeof options, .dtypes = LE_DTYPE_BIT(LE_I64)};
    le_status status = le_io_read(io_engine, "all.h5:/all[0:14]", &options, &t);
    if (status == LE_ERR_DTYPE)
        assert_non_null(strstr(le_error_message(), "floats of 16 bits wrongly to i64"));
    else
        assert_int_equal(status, LE_OK);
    for (int64_t i = 0; status == LE_OK && i < le_tensor_count(&t); i++)
        if (le_tensor_get(&t, i) != (double)(i % (FRAMES * ROWS * COLUMNS) - 100))
            fail_msg("element %d is %g", (int)i, le_tensor_get(&t, i));
    le_tensor_free(&t);
    H5Tclose(type);
    write_virtual("all.h5", JOINED, H5T_STD_I32LE);
    assert_int_equal(io_try("all.h5:/all"), LE_OK);
    write_parts();
}

static void outputs_over_parts(void **state) {
    (void)state;
    write_parts();
    write_virtual("all.h5", JOINED, H5T_STD_I32LE);
    assert_true(le_io_replaces("b.h5:/v", "all.h5:/all"));
    assert_true(le_io_replaces("all.h5:/all", "all.h5:/all"));
    assert_false(le_io_replaces("b.h5:/w", "all.h5:/all"));
    assert_false(le_io_replaces("c.h5:/v", "all.h5:/all"));
}

static void of_a_detector(void **state) {
    const char *shared = getenv("LE_SHARED");
    char place[512];
    le_tensor t = {0}, expected = {0};
    (void)state;
    snprintf(place, sizeof place, "%s/golden/scattering/master.h5", shared ? shared : "");
    if (!shared || access(place, R_OK) != 0) {
        print_message("no reference files of detectors: skipped\n");
        skip();
    }
    snprintf(place, sizeof place, "%s/golden/scattering/master.h5:/expected", shared);
    assert_int_equal(le_io_read(io_engine, place, NULL, &expected), LE_OK);
    snprintf(place, sizeof place, "%s/golden/scattering/master.h5:/entry/virtual", shared);
    le_status status = le_io_read(io_engine, place, NULL, &t);
    if (status == LE_OK)
        for (int64_t i = 0; i < le_tensor_count(&expected); i++)
            assert_true(le_tensor_get(&t, i) == le_tensor_get(&expected, i));
    else /* where HDF5 has no filter for its chunks */
        assert_int_equal(status, LE_ERR_UNSUPPORTED);
    le_tensor_free(&t);
    le_tensor_free(&expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_hdf5),  cmocka_unit_test(parts_that_fail),
        cmocka_unit_test(refused),       cmocka_unit_test(of_half_floats),
        cmocka_unit_test(refused),       cmocka_unit_test(outputs_over_parts),
        cmocka_unit_test(of_a_detector), cmocka_unit_test(within_others),
        cmocka_unit_test(of_each_other),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
