/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * HDF5 files whose headers contradict themselves, or cannot be read: refused with what is wrong.
 * Datasets that are named without their group.
 */
#include "io_test.h"

#include <hdf5.h>

/* A number in a file, of which there is one. */
static void replace_number(const char *name, uint64_t from, uint64_t to) {
    static unsigned char bytes[65536];
    size_t size = io_get(name, bytes, sizeof bytes), found = 0;
    for (size_t i = 0; i + sizeof from <= size; i++)
        if (!memcmp(bytes + i, &from, sizeof from)) {
            memcpy(bytes + i, &to, sizeof to);
            found++;
        }
    assert_int_equal(found, 1);
    io_put(name, bytes, size);
}

static const hsize_t dims[1] = {0x123456}, most[1] = {0x234567}, chunk[1] = {0x6789};

static void write_file(void) {
    hid_t file = H5Fcreate("s.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, dims, most);
    H5Pset_chunk(plist, 1, chunk);
    H5Dclose(H5Dcreate2(file, "v", H5T_STD_U8LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(plist);
    H5Fclose(file);
}

static void larger_than_it_may_be(void **state) {
    (void)state;
    write_file();
    assert_int_equal(io_try("s.h5:/v"), LE_OK);
    replace_number("s.h5", most[0], 0x3456);
    io_assert_fails("s.h5:/v", LE_ERR_SHAPE, "dimension 0 is absurd (1193046, at most 13398)");
}

/* HDF5's own words are behind the colon. */
static void with_a_reason(void **state) {
    (void)state;
    write_file();
    replace_number("s.h5", chunk[0] | UINT64_C(1) << 32, UINT64_C(1) << 32); /* element size 1 */
    io_assert_fails("s.h5:/v", LE_ERR_IO, "s.h5:/v: cannot be opened as a dataset: ");
}

static void write_set(hid_t at, const char *name, int value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(at, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
    H5Dclose(set);
    H5Sclose(space);
}

static void in_whichever_group(void **state) {
    (void)state;
    hid_t file = H5Fcreate("n.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    static const char *const groups[] = {"one", "two"};
    for (int i = 0; i < 2; i++) {
        hid_t group = H5Gcreate2(file, groups[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        write_set(group, "both", i);
        write_set(group, i ? "second" : "first", 7 + i);
        H5Gclose(group);
    }
    H5Fclose(file);
    le_tensor t = {0};
    assert_int_equal(le_io_read(io_engine, "n.h5:/.../second", NULL, &t), LE_OK);
    assert_int_equal((int)le_tensor_get(&t, 0), 8);
    le_tensor_free(&t);
    io_assert_fails("n.h5:/.../both", LE_ERR_ARGUMENT,
                    "several datasets are called both, /one/both");
    io_assert_fails("n.h5:/.../sec", LE_ERR_IO, "no dataset is called sec");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(larger_than_it_may_be),
        cmocka_unit_test(with_a_reason),
        cmocka_unit_test(in_whichever_group),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
