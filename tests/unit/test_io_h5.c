/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * HDF5 datasets written by the HDF5 library itself: every type, layout and filter, slices, frames;
 * files that are damaged or point elsewhere; writing and replacing.
 */
#include "core/sanitizer.h"
#include "io_test.h"

#include "liquid_engine/le_stream.h"

#include <hdf5.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <time.h>

enum { NX = 13, NY = 10, NZ = 37 };

typedef struct layout {
    const char *name;
    int chunk[3]; /* 0: contiguous */
    bool shuffle, fletcher;
    int deflate; /* level; 0: none */
} layout;

static const layout layouts[] = {
    {"contiguous", {0, 0, 0}, false, false, 0}, {"chunked", {4, 3, 16}, false, false, 0},
    {"gzip", {5, 10, 8}, false, false, 4},      {"shuffle", {4, 4, 4}, true, false, 0},
    {"both", {6, 7, 20}, true, false, 6},       {"larger", {13, 10, 37}, true, false, 1},
    {"fletcher", {4, 5, 6}, false, true, 0},    {"all", {4, 5, 6}, true, true, 5},
    {"thin", {1, 1, 37}, true, false, 2},
};

typedef struct number {
    const char *name;
    int bits; /* negative: signed; 100 + bits: float */
    bool big;
    const char *read_as;
} number;

static const number numbers[] = {
    {"u8", 8, false, "u8"},      {"i8", -8, false, "i8"},     {"u16", 16, false, "u16"},
    {"i16", -16, false, "i16"},  {"u32", 32, false, "u32"},   {"i32", -32, false, "i32"},
    {"u64", 64, false, "u64"},   {"i64", -64, false, "i64"},  {"f16", 116, false, "f32"},
    {"f32", 132, false, "f32"},  {"f64", 164, false, "f64"},  {"u16be", 16, true, "u16"},
    {"i32be", -32, true, "i32"}, {"f32be", 132, true, "f32"}, {"f64be", 164, true, "f64"},
};

static hid_t type_of(const number *n) {
    if (n->bits == 116) {
        hid_t half = H5Tcopy(H5T_IEEE_F32LE);
        H5Tset_fields(half, 15, 10, 5, 0, 10);
        H5Tset_size(half, 2);
        H5Tset_ebias(half, 15);
        return half;
    }
    if (n->bits > 100)
        return H5Tcopy(n->bits == 132 ? n->big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE
                       : n->big       ? H5T_IEEE_F64BE
                                      : H5T_IEEE_F64LE);
    int size = abs(n->bits) / 8;
    hid_t type = H5Tcopy(n->bits < 0 ? H5T_STD_I8LE : H5T_STD_U8LE);
    H5Tset_size(type, (size_t)size);
    H5Tset_precision(type, (size_t)abs(n->bits));
    H5Tset_order(type, n->big ? H5T_ORDER_BE : H5T_ORDER_LE);
    return type;
}

/* Exact in every type: 0..120, or with a sign where there is one. */
static double value_at(const number *n, int64_t i) {
    double v = (double)(i * 7 % 121);
    return n->bits < 0 || n->bits > 100 ? v - 60 : v;
}

static void write_set(hid_t file, const char *name, const number *n, const layout *l) {
    hsize_t dims[3] = {NX, NY, NZ};
    double *values = malloc(sizeof(double) * NX * NY * NZ);
    for (int64_t i = 0; i < NX * NY * NZ; i++)
        values[i] = value_at(n, i);
    hid_t space = H5Screate_simple(3, dims, NULL), type = type_of(n);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    if (l->chunk[0]) {
        hsize_t chunk[3] = {(hsize_t)l->chunk[0], (hsize_t)l->chunk[1], (hsize_t)l->chunk[2]};
        H5Pset_chunk(plist, 3, chunk);
    }
    if (l->shuffle)
        H5Pset_shuffle(plist);
    if (l->deflate)
        H5Pset_deflate(plist, (unsigned)l->deflate);
    if (l->fletcher)
        H5Pset_fletcher32(plist);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(plist);
    H5Tclose(type);
    H5Sclose(space);
    free(values);
}

static void types_and_layouts(void **state) {
    (void)state;
    for (size_t a = 0; a < sizeof numbers / sizeof *numbers; a++) {
        for (size_t b = 0; b < sizeof layouts / sizeof *layouts; b++) {
            hid_t file = H5Fcreate("t.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
            write_set(file, "v", &numbers[a], &layouts[b]);
            H5Fclose(file);
            le_tensor t = {0};
            if (le_io_read(io_engine, "t.h5:/v", NULL, &t) != LE_OK)
                fail_msg("%s %s: %s", numbers[a].name, layouts[b].name, le_error_message());
            assert_string_equal(le_dtype_name(t.dtype), numbers[a].read_as);
            assert_int_equal(le_tensor_count(&t), NX * NY * NZ);
            for (int64_t i = 0; i < NX * NY * NZ; i++)
                if (le_tensor_get(&t, i) != value_at(&numbers[a], i))
                    fail_msg("%s %s: element %d is %g", numbers[a].name, layouts[b].name, (int)i,
                             le_tensor_get(&t, i));
            le_tensor_free(&t);
        }
    }
}

static void check_slice(const number *n, const char *slices, const int64_t r[3][3],
                        const char *shape) {
    char place[64];
    snprintf(place, sizeof place, "s.h5:/v[%s]", slices);
    le_tensor t = {0};
    assert_int_equal(le_io_read(io_engine, place, NULL, &t), LE_OK);
    io_assert_shape(&t, shape);
    int64_t at = 0;
    for (int64_t x = r[0][0]; x < r[0][1]; x += r[0][2])
        for (int64_t y = r[1][0]; y < r[1][1]; y += r[1][2])
            for (int64_t z = r[2][0]; z < r[2][1]; z += r[2][2])
                if (le_tensor_get(&t, at++) != value_at(n, (x * NY + y) * NZ + z))
                    fail_msg("%s: wrong at %d,%d,%d", place, (int)x, (int)y, (int)z);
    assert_int_equal(at, le_tensor_count(&t));
    le_tensor_free(&t);
}

static void slices(void **state) {
    (void)state;
    for (size_t b = 0; b < sizeof layouts / sizeof *layouts; b++) {
        const number *n = &numbers[b % 2 ? 9 : 2];
        const char *d = n->read_as;
        char shape[64];
        hid_t file = H5Fcreate("s.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        write_set(file, "v", n, &layouts[b]);
        H5Fclose(file);
        snprintf(shape, sizeof shape, "%s[4,10,19]", d);
        check_slice(n, "2:6,:,::2", (const int64_t[3][3]){{2, 6, 1}, {0, NY, 1}, {0, NZ, 2}},
                    shape);
        snprintf(shape, sizeof shape, "%s[3,37]", d);
        check_slice(n, "-1,1::4", (const int64_t[3][3]){{12, 13, 1}, {1, NY, 4}, {0, NZ, 1}},
                    shape);
        snprintf(shape, sizeof shape, "%s[2,1,2]", d);
        check_slice(n, "::9,5:6,5:9:2", (const int64_t[3][3]){{0, NX, 9}, {5, 6, 1}, {5, 9, 2}},
                    shape);
        snprintf(shape, sizeof shape, "%s[0,10,37]", d);
        check_slice(n, "5:5", (const int64_t[3][3]){{5, 5, 1}, {0, NY, 1}, {0, NZ, 1}}, shape);
        snprintf(shape, sizeof shape, "%s[]", d);
        check_slice(n, "7,8,9", (const int64_t[3][3]){{7, 8, 1}, {8, 9, 1}, {9, 10, 1}}, shape);
    }
}

static void check_unwritten(int deflate) {
    hsize_t dims[2] = {10, 12}, chunk[2] = {4, 5}, start[2] = {4, 5}, count[2] = {4, 5};
    float fill = 2.5f, values[20];
    for (int i = 0; i < 20; i++)
        values[i] = (float)i;
    hid_t file = H5Fcreate("u.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    hid_t part = H5Screate_simple(2, count, NULL);
    H5Pset_chunk(plist, 2, chunk);
    if (deflate)
        H5Pset_deflate(plist, (unsigned)deflate);
    H5Pset_fill_value(plist, H5T_NATIVE_FLOAT, &fill);
    hid_t set = H5Dcreate2(file, "v", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Dwrite(set, H5T_NATIVE_FLOAT, part, space, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(part);
    H5Pclose(plist);
    H5Sclose(space);
    H5Fclose(file);
    le_tensor t = {0};
    assert_int_equal(le_io_read(io_engine, "u.h5", NULL, &t), LE_OK);
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 12; x++) {
            bool inside = y >= 4 && y < 8 && x >= 5 && x < 10;
            double expected = inside ? (y - 4) * 5 + x - 5 : 2.5;
            assert_true(le_tensor_get(&t, y * 12 + x) == expected);
        }
    le_tensor_free(&t);
}

static void unwritten_chunks(void **state) {
    (void)state;
    check_unwritten(0);
    check_unwritten(3);
}

/* A chunk stored with a filter left out, as its mask says. */
static void masked_filters(void **state) {
    (void)state;
    hsize_t dims[1] = {8}, offset[1] = {0};
    const uint16_t values[8] = {1, 2, 3, 4, 500, 600, 700, 800};
    hid_t file = H5Fcreate("m.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, dims);
    H5Pset_shuffle(plist);
    H5Pset_deflate(plist, 3);
    hid_t set = H5Dcreate2(file, "v", H5T_STD_U16LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 3, offset, sizeof values, values) >= 0);
    H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    H5Fclose(file);
    le_tensor t = {0};
    assert_int_equal(le_io_read(io_engine, "m.h5:/v", NULL, &t), LE_OK);
    assert_memory_equal(t.data, values, sizeof values);
    le_tensor_free(&t);
}

/* Addresses in the file do not count from its start then. */
static void user_block(void **state) {
    (void)state;
    for (size_t b = 0; b < sizeof layouts / sizeof *layouts; b++) {
        hid_t plist = H5Pcreate(H5P_FILE_CREATE);
        H5Pset_userblock(plist, 512);
        hid_t file = H5Fcreate("b.h5", H5F_ACC_TRUNC, plist, H5P_DEFAULT);
        write_set(file, "v", &numbers[9], &layouts[b]);
        H5Fclose(file);
        H5Pclose(plist);
        le_tensor t = {0};
        assert_int_equal(le_io_read(io_engine, "b.h5:/v", NULL, &t), LE_OK);
        for (int64_t i = 0; i < NX * NY * NZ; i++)
            assert_true(le_tensor_get(&t, i) == value_at(&numbers[9], i));
        le_tensor_free(&t);
    }
}

static void scalar_and_names(void **state) {
    (void)state;
    double one = 4.25;
    hid_t file = H5Fcreate("n.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate(H5S_SCALAR), null = H5Screate(H5S_NULL);
    hid_t set =
        H5Dcreate2(group, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &one);
    H5Dclose(set);
    H5Lcreate_soft("/g/x", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    le_tensor t = {0};
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    assert_int_equal(le_io_read(io_engine, "n.h5", NULL, &t), LE_OK); /* the only dataset */
    io_assert_shape(&t, "f64[]");
    assert_true(le_tensor_get(&t, 0) == 4.25);
    le_tensor_free(&t);
    assert_int_equal(io_try("n.h5:/soft"), LE_OK);
    H5Dclose(H5Dcreate2(file, "none", H5T_IEEE_F64LE, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Sclose(null);
    H5Gclose(group);
    H5Fclose(file);
    io_assert_fails("n.h5", LE_ERR_ARGUMENT, "/g/x");
    io_assert_fails("n.h5:/none", LE_ERR_SHAPE, "null");
    io_assert_fails("n.h5:/y", LE_ERR_IO, "no dataset /y");
    io_assert_fails("n.h5:/g", LE_ERR_IO, "cannot be opened as a dataset");
    io_assert_fails("absent.h5:/y", LE_ERR_IO, "No such file");
    io_assert_fails("/tmp:/y", LE_ERR_IO, "not a regular file");
}

static void wrong_types(void **state) {
    (void)state;
    hsize_t dims[1] = {3};
    hid_t file = H5Fcreate("w.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, dims, NULL), text = H5Tcopy(H5T_C_S1);
    hid_t pair = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(pair, "re", 0, H5T_IEEE_F32LE);
    H5Tinsert(pair, "im", 4, H5T_IEEE_F32LE);
    H5Tset_size(text, 4);
    H5Dclose(H5Dcreate2(file, "text", text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "pair", pair, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(pair);
    H5Tclose(text);
    H5Sclose(space);
    H5Fclose(file);
    io_assert_fails("w.h5:/text", LE_ERR_DTYPE, "text");
    io_assert_fails("w.h5:/pair", LE_ERR_DTYPE, "compound");
}

static void outside_references(void **state) {
    (void)state;
    hsize_t dims[1] = {4};
    const char secret[16] = "secret";
    io_put("secret.bin", secret, sizeof secret);
    hid_t other = H5Fcreate("o.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_set(other, "v", &numbers[0], &layouts[0]);
    H5Fclose(other);
    hid_t file = H5Fcreate("e.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("o.h5", "/v", file, "link", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("o.h5", "/", file, "root", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("/tmp/o.h5", "/", file, "away", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/root/v", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/away/v", file, "soft_away", H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plist, "secret.bin", 0, 16);
    H5Dclose(H5Dcreate2(file, "storage", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Pclose(plist);
    plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(plist, space, "o.h5", "/v", space);
    H5Dclose(H5Dcreate2(file, "virtual", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Pclose(plist);
    H5Sclose(space);
    H5Fclose(file);
    assert_int_equal(io_try("e.h5:/soft"), LE_OK); /* to a file beside it */
    io_assert_fails("e.h5:/soft_away", LE_ERR_IO, "another file");
    io_assert_fails("e.h5:/storage", LE_ERR_IO, "external");
    io_assert_fails("e.h5:/virtual", LE_ERR_IO, "virtual");
    le_tensor t = {0};
    assert_int_equal(le_tensor_alloc(&t, LE_U8, 1, (int64_t[]){4}), LE_OK);
    assert_int_equal(le_io_write(io_engine, "e.h5:/root/new", &t), LE_ERR_IO);
    le_tensor_free(&t);
}

/* It is said before anything is computed. */
static void links_to_nowhere(void **state) {
    static const char *const places[] = {"l.h5:/lost", "l.h5:/lost/below", "l.h5:/g/itself"};
    (void)state;
    hid_t file = H5Fcreate("l.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_soft("/nowhere", file, "lost", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/g/itself", file, "g/itself", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    for (int i = 0; i < 3; i++) {
        le_tensor t = {0};
        le_target *target = NULL;
        assert_int_equal(le_tensor_alloc(&t, LE_U8, 1, (int64_t[]){4}), LE_OK);
        assert_int_equal(le_io_write(io_engine, places[i], &t), LE_ERR_IO);
        assert_non_null(strstr(le_error_message(), "a link that leads nowhere"));
        assert_int_equal(le_io_target(io_engine, places[i], LE_U8, 1, t.shape, &target), LE_ERR_IO);
        assert_non_null(strstr(le_error_message(), "a link that leads nowhere"));
        le_tensor_free(&t);
    }
}

static size_t same_bytes(unsigned flags, size_t n, const unsigned *values, size_t bytes,
                         size_t *size, void **data) {
    (void)flags, (void)n, (void)values, (void)size, (void)data;
    return bytes;
}

static void missing_filter(void **state) {
    (void)state;
    const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, 32999, 1, 1, "odd", NULL, NULL, same_bytes};
    hsize_t dims[1] = {8}, chunk[1] = {4};
    const int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_true(H5Zregister(&filter) >= 0);
    hid_t file = H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, dims, NULL);
    H5Pset_chunk(plist, 1, chunk);
    H5Pset_filter(plist, 32999, H5Z_FLAG_MANDATORY, 0, NULL);
    hid_t set = H5Dcreate2(file, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(plist);
    H5Fclose(file);
    assert_int_equal(io_try("f.h5:/v"), LE_OK);
    assert_true(H5Zunregister(32999) >= 0);
    io_assert_fails("f.h5:/v", LE_ERR_UNSUPPORTED, "need filter 32999 (odd)");
}

/* Without a name every path is walked, which takes HDF5 minutes when groups are nested without end.
 */
static void deep_groups(void **state) {
    (void)state;
    enum { DEPTH = 3000 };
    static char name[2 * DEPTH + 16] = "g.h5:/";
    hid_t file = H5Fcreate("g.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), group = file;
    for (int i = 0; i < DEPTH; i++) {
        hid_t next = H5Gcreate2(group, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (group != file)
            H5Gclose(group);
        group = next;
        strcat(name, "g/");
    }
    write_set(group, "v", &numbers[0], &layouts[0]);
    H5Gclose(group);
    H5Fclose(file);
    time_t start = time(NULL);
    io_assert_fails("g.h5", LE_ERR_ARGUMENT, "nested deeper than");
    assert_true(time(NULL) - start < 10);
    strcat(name, "v");
    assert_int_equal(io_try(name), LE_OK);
}

static void absurd_sizes(void **state) {
    (void)state;
    hsize_t dims[3] = {1ull << 40, 1ull << 40, 1ull << 40}, chunk[3] = {64, 64, 64};
    hsize_t flat[1] = {1ull << 50};
    hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 3, chunk);
    hid_t space = H5Screate_simple(3, dims, NULL);
    H5Dclose(H5Dcreate2(file, "huge", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Sclose(space);
    space = H5Screate_simple(1, flat, NULL);
    H5Dclose(
        H5Dcreate2(file, "long", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(plist);
    H5Fclose(file);
    io_assert_fails("a.h5:/huge", LE_ERR_MEMORY, "overflow");
    io_assert_fails("a.h5:/long", LE_ERR_MEMORY, "limit");
    assert_int_equal(io_try("a.h5:/huge[:2,:2,:2]"), LE_OK);
    assert_int_equal(io_try("a.h5:/huge[::500000000000,:2,:2]"), LE_OK); /* jumps over chunks */
    const le_io_options tight = {.struct_size = sizeof tight, .max_bytes = 100};
    le_tensor t = {0};
    assert_int_equal(le_io_read(io_engine, "a.h5:/huge[:5,:5,:2]", &tight, &t), LE_ERR_MEMORY);
    assert_int_equal(le_io_read(io_engine, "a.h5:/huge[:5,:5,:1]", &tight, &t), LE_OK);
    le_tensor_free(&t);
}

/* Every truncation and many flipped bytes: an error or some values, never a crash. */
static void damaged_files(void **state) {
    (void)state;
    static unsigned char good[65536], bad[65536];
    hid_t file = H5Fcreate("d.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_set(file, "v", &numbers[9], &layouts[4]);
    H5Fclose(file);
    size_t size = io_get("d.h5", good, sizeof good);
    assert_true(size > 1000 && size < sizeof good);
    for (size_t cut = 0; cut < size; cut += LE__TSAN ? 970 : 97) { /* a process each */
        io_put("cut.h5", good, cut);
        assert_int_not_equal(io_try("cut.h5:/v"), LE_OK);
    }
    unsigned seed = 20261121;
    print_message("seed %u\n", seed);
    for (int k = 0; k < (LE__TSAN ? 15 : 150); k++) {
        memcpy(bad, good, size);
        for (int j = 0; j < 3; j++) {
            seed = seed * 1664525u + 1013904223u;
            bad[(seed >> 8) % (k % 2 ? size : 2500)] ^= (unsigned char)(1u << (seed >> 29));
        }
        io_put("bad.h5", bad, size);
        io_try("bad.h5:/v");
    }
    memset(good + size / 3, 0x5a, size / 2); /* within compressed data */
    io_put("bad.h5", good, size);
    io_assert_fails("bad.h5:/v", LE_ERR_IO, "bad.h5:/v");
    io_put("text.h5", "not HDF5", 8);
    io_assert_fails("text.h5:/v", LE_ERR_IO, "not an HDF5 file");
}

static void written(void **state) {
    (void)state;
    static const le_dtype all[] = {LE_U8, LE_I16, LE_U16, LE_I32, LE_U32, LE_F32, LE_F64};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        le_tensor t, back = {0};
        assert_int_equal(le_tensor_alloc(&t, all[i], 2, (int64_t[]){3, 4}), LE_OK);
        for (int k = 0; k < 12; k++)
            le_tensor_set(&t, k, k * 3);
        assert_int_equal(le_io_write(io_engine, "deep/er/out.h5:/g/h/images", &t), LE_OK);
        assert_int_equal(le_io_read(io_engine, "deep/er/out.h5:/g/h/images", NULL, &back), LE_OK);
        assert_int_equal(back.dtype, all[i]);
        assert_memory_equal(back.data, t.data, 12 * le_dtype_size(all[i]));
        le_tensor_free(&back);
        /* a transposed view is written in its own order */
        le_tensor view = t;
        view.shape[0] = 4, view.shape[1] = 3, view.strides[0] = 1, view.strides[1] = 4;
        assert_int_equal(le_io_write(io_engine, "deep/er/out.h5:/view", &view), LE_OK);
        assert_int_equal(le_io_read(io_engine, "deep/er/out.h5:/view", NULL, &back), LE_OK);
        io_assert_shape(&back, i == 0   ? "u8[4,3]"
                               : i == 5 ? "f32[4,3]"
                               : i == 6 ? "f64[4,3]"
                               : i == 1 ? "i16[4,3]"
                               : i == 2 ? "u16[4,3]"
                               : i == 3 ? "i32[4,3]"
                                        : "u32[4,3]");
        assert_true(le_tensor_get(&back, 1) == 12 && le_tensor_get(&back, 3) == 3);
        le_tensor_free(&back);
        le_tensor_free(&t);
    }
    assert_int_equal(io_try("deep/er/out.h5:/g/h/images"), LE_OK);    /* beside the later ones */
    assert_int_equal(system("test $(ls -A deep/er | wc -l) = 1"), 0); /* no temporary file left */
}

static void refused_writes(void **state) {
    (void)state;
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 1, (int64_t[]){4}), LE_OK);
    assert_int_equal(le_io_write(io_engine, "r.h5:/g/x", &t), LE_OK);
    assert_int_equal(le_io_write(io_engine, "r.h5:/g", &t), LE_ERR_IO);     /* a group */
    assert_int_equal(le_io_write(io_engine, "r.h5:/g/x/y", &t), LE_ERR_IO); /* under a dataset */
    assert_int_equal(io_try("r.h5:/g/x"), LE_OK);
    io_put("text.h5", "not HDF5", 8);
    assert_int_equal(le_io_write(io_engine, "text.h5:/x", &t), LE_ERR_IO);
    char text[16] = "";
    io_get("text.h5", text, sizeof text);
    assert_string_equal(text, "not HDF5");
    assert_int_equal(le_io_write(io_engine, "text.h5/below.h5:/x", &t), LE_ERR_IO);
    assert_int_equal(le_io_write(io_engine, "/dev/null:/x", &t), LE_ERR_IO);
    le_tensor_free(&t);
}

static void size_after_replacing(void **state) {
    (void)state;
    static unsigned char bytes[4 << 20];
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 1, (int64_t[]){100000}), LE_OK);
    assert_int_equal(le_io_write(io_engine, "z.h5:/x", &t), LE_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(le_io_write(io_engine, "z.h5:/x", &t), LE_OK);
    assert_true(io_get("z.h5", bytes, sizeof bytes) < 500000); /* the old space is used again */
    le_tensor_free(&t);
}

static void streamed(void **state) {
    (void)state;
    for (size_t b = 0; b < sizeof layouts / sizeof *layouts; b++) {
        hid_t file = H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        write_set(file, "v", &numbers[2], &layouts[b]);
        H5Fclose(file);
        le_io_stream *s = NULL;
        le_tensor t = {0};
        assert_int_equal(le_io_stream_open(io_engine, "f.h5:/v[1:,2:4]", NULL, &s), LE_OK);
        assert_int_equal(le_io_stream_about(s)->shape[0], NX - 1);
        int64_t frame = 1;
        for (;;) {
            assert_int_equal(le_io_stream_next(s, 5, &t), LE_OK);
            if (t.shape[0] == 0)
                break;
            for (int64_t i = 0; i < t.shape[0] * 2 * NZ; i++) {
                int64_t x = frame + i / (2 * NZ), y = 2 + i / NZ % 2, z = i % NZ;
                assert_true(le_tensor_get(&t, i) == value_at(&numbers[2], (x * NY + y) * NZ + z));
            }
            frame += t.shape[0];
        }
        assert_int_equal(frame, NX);
        le_io_stream_close(&s);
        assert_null(s);
    }
}

static void peeked(void **state) {
    (void)state;
    le_dtype dtype;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    hid_t file = H5Fcreate("p.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_set(file, "v", &numbers[1], &layouts[1]);
    H5Fclose(file);
    assert_int_equal(le_io_peek("p.h5:/v[::2,3]", &dtype, &ndim, shape), LE_OK);
    assert_int_equal(dtype, LE_I8);
    assert_int_equal(ndim, 2);
    assert_int_equal(shape[0], 7);
    assert_int_equal(shape[1], NZ);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { SIDE = 32 }; /* of a frame */

/* A file of one-frame chunks; element i of frame k is k + 7 i. */
static void write_frames(const char *file, int frames) {
    hsize_t dims[3] = {(hsize_t)frames, SIDE, SIDE}, chunk[3] = {1, SIDE, SIDE};
    uint16_t *values = malloc((size_t)frames * SIDE * SIDE * sizeof *values);
    for (int k = 0; k < frames; k++)
        for (int i = 0; i < SIDE * SIDE; i++)
            values[(size_t)k * SIDE * SIDE + (size_t)i] = (uint16_t)(k + 7 * i);
    hid_t out = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 3, chunk);
    H5Pset_deflate(plist, 1);
    hid_t set = H5Dcreate2(out, "v", H5T_NATIVE_UINT16, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    H5Fclose(out);
    free(values);
}

static double read_by_hdf5(const char *file, int frames) {
    uint16_t *values = malloc((size_t)frames * SIDE * SIDE * sizeof *values);
    double start = seconds();
    hid_t in = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(in, "v", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    double end = seconds();
    H5Dclose(set);
    H5Fclose(in);
    free(values);
    return end - start;
}

/* frame: the number of the first frame that comes. */
static double read_by_engine(const char *place, int frame) {
    le_tensor t = {0};
    double start = seconds();
    assert_int_equal(le_io_read(io_engine, place, NULL, &t), LE_OK);
    double end = seconds();
    for (int64_t i = 0; i < le_tensor_count(&t); i++)
        if (((uint16_t *)t.data)[i] !=
            (uint16_t)(frame + i / (SIDE * SIDE) + 7 * (i % (SIDE * SIDE))))
            fail_msg("%s: wrong at %d", place, (int)i);
    le_tensor_free(&t);
    return end - start;
}

/* Finding a chunk takes no time that grows with their number: a read of very many takes about as
 * long as HDF5's own, where a walk along the index for each would take fifty times as long. */
static void many_chunks(void **state) {
    (void)state;
    double hdf5 = INFINITY, engine = INFINITY, few = INFINITY, many = INFINITY;
    write_frames("many.h5", 24000);
    write_frames("few.h5", 100);
    for (int i = 0; i < 5; i++) {
        hdf5 = fmin(hdf5, read_by_hdf5("many.h5", 24000));
        engine = fmin(engine, read_by_engine("many.h5:/v", 0));
        few = fmin(few, read_by_engine("few.h5:/v[50:51]", 50));
        many = fmin(many, read_by_engine("many.h5:/v[12000:12001]", 12000));
    }
    printf("24000 chunks: HDF5 %.3f s, engine %.3f s; one frame of 100 %.4f s, of 24000 %.4f s\n",
           hdf5, engine, few, many);
    assert_true(engine < 3 * hdf5);
    assert_true(many < few + 0.1);
}

/* More chunks than are looked up at a time. */
static void very_many_chunks(void **state) {
    (void)state;
    enum { N = (1 << 18) + 1000 };
    hsize_t dims[1] = {N}, chunk[1] = {1};
    unsigned char *values = malloc(N);
    for (int i = 0; i < N; i++)
        values[i] = (unsigned char)(i % 251);
    hid_t file = H5Fcreate("v.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, chunk);
    hid_t set = H5Dcreate2(file, "v", H5T_STD_U8LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    H5Fclose(file);
    le_tensor t = {0};
    assert_int_equal(le_io_read(io_engine, "v.h5:/v[3:]", NULL, &t), LE_OK);
    assert_memory_equal(t.data, values + 3, N - 3);
    le_tensor_free(&t);
    le_io_stream *s = NULL;
    int64_t at = 5;
    assert_int_equal(le_io_stream_open(io_engine, "v.h5:/v[5:]", NULL, &s), LE_OK);
    while (le_io_stream_next(s, 100000, &t) == LE_OK && t.shape[0] > 0) {
        assert_memory_equal(t.data, values + at, (size_t)t.shape[0]);
        at += t.shape[0];
    }
    assert_int_equal(at, N);
    le_io_stream_close(&s);
    free(values);
}

/* Whatever becomes of its name meanwhile, it is one file that is read. */
static void opened_once(void **state) {
    (void)state;
    char events[4096];
    write_frames("once.h5", 3);
    int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), opened = 0;
    assert_true(watch >= 0 && inotify_add_watch(watch, "once.h5", IN_OPEN) >= 0);
    read_by_engine("once.h5:/v", 0);
    ssize_t n = read(watch, events, sizeof events);
    for (ssize_t at = 0; at < n; opened++) {
        struct inotify_event event;
        memcpy(&event, events + at, sizeof event);
        at += (ssize_t)(sizeof event + event.len);
    }
    assert_int_equal(opened, 1);
    close(watch);
}

/* By the pages that processes waited for have touched. */
static bool makes_a_process(const char *place) {
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    assert_int_equal(io_try(place), LE_OK);
    getrusage(RUSAGE_CHILDREN, &after);
    return after.ru_minflt != before.ru_minflt;
}

static void tried_once(void **state) {
    (void)state;
    char place[4096]; /* a file that has not changed for a while, and one that has just now */
    snprintf(place, sizeof place, "%s/examples/data/web_128.h5[3:5]", getenv("LE_SOURCE_DIR"));
    assert_true(makes_a_process(place));
    assert_false(makes_a_process(place));
    strcpy(strrchr(place, '['), "[3:6]");
    assert_true(makes_a_process(place));
    write_frames("now.h5", 3);
    assert_true(makes_a_process("now.h5:/v") && makes_a_process("now.h5:/v"));
}

static void names_of_columns(void **state) {
    (void)state;
    double values[6] = {1, 2, 3, 4, 5, 6};
    le_tensor t = le_tensor_of(values, LE_F64, 2, (int64_t[]){2, 3});
    const le_io_write_options o = {.struct_size = sizeof o,
                                   .columns = (const char *const[]){"label", NULL, "lon"},
                                   .n_columns = 3};
    for (int again = 0; again < 2; again++)
        assert_int_equal(le_io_write_with(io_engine, "columns.h5:/found/sources", &t, &o), LE_OK);
    hid_t file = H5Fopen("columns.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t a = H5Aopen_by_name(file, "/found/sources", "columns", H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Aget_space(a);
    char *names[3];
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    assert_int_equal(H5Sget_simple_extent_npoints(space), 3);
    assert_true(H5Aread(a, type, names) >= 0);
    assert_string_equal(names[0], "label");
    assert_string_equal(names[1], "");
    assert_string_equal(names[2], "lon");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, names);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(a);
    H5Fclose(file);
    le_tensor read = {0};
    assert_int_equal(le_io_read(io_engine, "columns.h5:/found/sources", NULL, &read), LE_OK);
    assert_memory_equal(read.data, values, sizeof values);
    le_tensor_free(&read);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_and_layouts), cmocka_unit_test(slices),
        cmocka_unit_test(unwritten_chunks),  cmocka_unit_test(masked_filters),
        cmocka_unit_test(user_block),        cmocka_unit_test(scalar_and_names),
        cmocka_unit_test(wrong_types),       cmocka_unit_test(outside_references),
        cmocka_unit_test(links_to_nowhere),  cmocka_unit_test(absurd_sizes),
        cmocka_unit_test(damaged_files),     cmocka_unit_test(written),
        cmocka_unit_test(missing_filter),    cmocka_unit_test(deep_groups),
        cmocka_unit_test(refused_writes),    cmocka_unit_test(size_after_replacing),
        cmocka_unit_test(streamed),          cmocka_unit_test(peeked),
        cmocka_unit_test(many_chunks),       cmocka_unit_test(very_many_chunks),
        cmocka_unit_test(opened_once),       cmocka_unit_test(names_of_columns),
        cmocka_unit_test(tried_once),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
