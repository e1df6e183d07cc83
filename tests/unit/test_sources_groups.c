/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Groups of an HDF5 file as sources: with datasets that cannot be opened, and while somebody writes
 * the file.
 */
#include "io_test.h"

#include "liquid_engine/le_stream.h"

#include <hdf5.h>

enum { FRAMES = 4, SIDE = 8, MEMBERS = 3 };

/* Object headers have checksums. */
static hid_t new_file(const char *name) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

/* Of so many frames, `block` of them a chunk; most: what they may become, NULL: no more. */
static hid_t new_set(hid_t where, const char *name, hsize_t frames, const hsize_t *most,
                     hsize_t block) {
    const hsize_t shape[] = {frames, SIDE, SIDE};
    hid_t space = H5Screate_simple(3, shape, most), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 3, (const hsize_t[]){block, SIDE, SIDE});
    hid_t set = H5Dcreate2(where, name, H5T_STD_U16LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

/* Three datasets in a group, beside what is none. */
static hid_t write_group(const char *name) {
    hid_t file = new_file(name);
    hid_t group = H5Gcreate2(file, "/g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_STD_U16LE);
    const uint16_t values[FRAMES * SIDE * SIDE] = {1, 2, 3};
    for (int k = 1; k <= MEMBERS; k++) {
        char member[16];
        snprintf(member, sizeof member, "data_%d", k);
        hid_t set = new_set(group, member, FRAMES, NULL, 1);
        assert_true(H5Dwrite(set, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        H5Dclose(set);
    }
    H5Gclose(H5Gcreate2(group, "a_group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Tcommit2(group, "a_type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("nowhere", group, "a_link", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("data_2", group, "z_link", H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(type);
    H5Gclose(group);
    return file;
}

/* Where the header of one of its datasets is. */
static long header_of(hid_t file, int k) {
    char name[16];
    H5O_info_t info;
    snprintf(name, sizeof name, "/g/data_%d", k);
    assert_true(H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0);
    return (long)info.addr;
}

static void damage(const char *name, long at) {
    FILE *f = fopen(name, "r+b");
    assert_non_null(f);
    fseek(f, at, SEEK_SET);
    const int was = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(was ^ 0xff, f);
    fclose(f);
}

static void assert_fails(const char *place, le_source_kind kind, const char *words) {
    le_source *s = NULL;
    assert_int_equal(le_io_source(io_engine, place, kind, &s), LE_ERR_IO);
    if (!strstr(le_error_message(), words))
        fail_msg("'%s' does not say '%s'", le_error_message(), words);
}

/* One that cannot be opened is no other thing than a dataset, and a soft link to it the same one.
 */
static void damaged(void **state) {
    enum { HEADER = 30 }; /* bytes into it */
    static const char why[] = "cannot be opened as a dataset: incorrect metadata checksum";
    const le_source_piece *pieces;
    le_source *s;
    long at[MEMBERS];
    (void)state;
    hid_t file = write_group("damaged.h5");
    for (int k = 0; k < MEMBERS; k++)
        at[k] = header_of(file, k + 1);
    H5Fclose(file);
    damage("damaged.h5", at[1] + HEADER);
    assert_fails("damaged.h5:/g", LE_SOURCE_STORED, "damaged.h5:/g/data_2: ");
    assert_fails("damaged.h5:/g", LE_SOURCE_STORED, why);
    assert_int_equal(le_io_source(io_engine, "damaged.h5:/g", LE_SOURCE_STORED_SKIP, &s), LE_OK);
    assert_int_equal(s->items, MEMBERS * FRAMES);
    assert_int_equal(le_io_source_pieces(s, &pieces), MEMBERS);
    assert_null(pieces[0].why);
    assert_non_null(pieces[1].why);
    assert_non_null(strstr(pieces[1].why, why));
    assert_null(pieces[2].why);
    le_source_close(&s);
    damage("damaged.h5", at[0] + HEADER);
    damage("damaged.h5", at[2] + HEADER);
    assert_fails("damaged.h5:/g", LE_SOURCE_STORED, why);
    assert_fails("damaged.h5:/g", LE_SOURCE_STORED_SKIP, why);
}

/* As a detector has it open (HDF5's SWMR); in a child process and without. */
static void while_written(void **state) {
    (void)state;
    hid_t file = write_group("written.h5");
    assert_true(H5Fstart_swmr_write(file) >= 0);
    for (int trusted = 0; trusted < 2; trusted++) {
        le_source *s = NULL;
        setenv("LE_IO_TRUST", trusted ? "1" : "0", 1);
        if (le_io_source(io_engine, "written.h5:/g", LE_SOURCE_STORED, &s) != LE_OK)
            fail_msg("%s", le_error_message());
        assert_int_equal(s->items, MEMBERS * FRAMES);
        assert_int_equal(le_io_source_ready(s), MEMBERS * FRAMES);
        le_source_close(&s);
    }
    unsetenv("LE_IO_TRUST");
    H5Fclose(file);
}

static void write_frame(hid_t set, hsize_t frame) {
    const uint16_t values[SIDE * SIDE] = {7};
    const hsize_t at[3] = {frame, 0, 0}, one[3] = {1, SIDE, SIDE};
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(3, one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT16, memory, space, H5P_DEFAULT, values) >= 0);
    assert_true(H5Dflush(set) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
}

/* What is known of a dataset of a group stays so, for the frames that have come since belong to
 * chunks that were counted without them. */
static void as_counted(void **state) {
    enum { BLOCK = 5, FIRST = 3, THEN = 6 };
    const le_source_piece *pieces;
    le_source *s = NULL;
    (void)state;
    hid_t file = new_file("grows.h5");
    hid_t group = H5Gcreate2(file, "/g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t set = new_set(group, "d", FIRST, (const hsize_t[]){H5S_UNLIMITED, SIDE, SIDE}, BLOCK);
    H5Gclose(group);
    assert_true(H5Fstart_swmr_write(file) >= 0);
    for (int k = 0; k < FIRST; k++)
        write_frame(set, (hsize_t)k);
    assert_int_equal(le_io_source(io_engine, "grows.h5:/g", LE_SOURCE_STORED, &s), LE_OK);
    assert_int_equal(s->items, 1);
    assert_true(H5Dset_extent(set, (const hsize_t[]){THEN, SIDE, SIDE}) >= 0);
    for (int k = FIRST; k < THEN; k++)
        write_frame(set, (hsize_t)k);
    assert_int_equal(le_io_source_ready(s), 1);
    assert_int_equal(le_io_source_pieces(s, &pieces), 1);
    assert_int_equal(pieces[0].about->shape[0], FIRST);
    le_source_close(&s);
    H5Dclose(set);
    H5Fclose(file);
}

/* A source tells of the moment when it was opened, whatever is left out. */
static void as_it_was(void **state) {
    le_source *s = NULL;
    (void)state;
    hid_t file = write_group("moment.h5"), set = new_set(file, "late", FRAMES, NULL, 1);
    assert_true(H5Fstart_swmr_write(file) >= 0);
    write_frame(set, 0);
    write_frame(set, 1);
    if (le_io_source(io_engine, "moment.h5:/late", LE_SOURCE_STORED, &s) != LE_OK)
        fail_msg("%s", le_error_message());
    write_frame(set, 2);
    assert_int_equal(le_io_source_leave(s, 1), LE_OK);
    assert_int_equal(le_io_source_ready(s), 1);
    le_source_close(&s);
    assert_int_equal(le_io_source(io_engine, "moment.h5:/late", LE_SOURCE_STORED, &s), LE_OK);
    assert_int_equal(le_io_source_ready(s), 3);
    le_source_close(&s);
    H5Dclose(set);
    H5Fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged),
        cmocka_unit_test(while_written),
        cmocka_unit_test(as_counted),
        cmocka_unit_test(as_it_was),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
