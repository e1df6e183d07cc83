/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Stored chunks of selections with steps: those that hold something selected, and no others.
 */
#include "io_test.h"

#include "liquid_engine/le_stream.h"

#include <hdf5.h>

enum { ROWS = 13, COLS = 40, TALL = 2, WIDE = 5 };

static uint16_t tiles[ROWS][COLS];

static void write_tiles(void) {
    static const hsize_t dims[2] = {ROWS, COLS}, chunk[2] = {TALL, WIDE};
    hid_t out = H5Fcreate("tiles.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLS; k++)
            tiles[i][k] = (uint16_t)(100 * i + k);
    H5Pset_chunk(plist, 2, chunk);
    hid_t set = H5Dcreate2(out, "tiles", H5T_NATIVE_UINT16, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, tiles) >= 0);
    H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    H5Fclose(out);
}

typedef struct slice {
    int start, stop, step;
} slice;

static bool takes(const slice *s, int from, int n) {
    for (int i = s->start; i < s->stop; i += s->step)
        if (i >= from && i < from + n)
            return true;
    return false;
}

/* The first elements of the chunks that are to come. */
static int expect(const slice *rows, const slice *cols, uint16_t *corner) {
    int n = 0;
    for (int i = 0; i < ROWS; i += TALL)
        for (int k = 0; k < COLS; k += WIDE)
            if (takes(rows, i, TALL) && takes(cols, k, WIDE))
                corner[n++] = tiles[i][k];
    return n;
}

static void check(const slice *rows, const slice *cols, int batch) {
    uint16_t corner[ROWS * COLS];
    char place[96];
    le_source *s;
    le_tensor parts[LE_SOURCE_PARTS] = {{0}};
    const int n = expect(rows, cols, corner);
    snprintf(place, sizeof place, "tiles.h5:/tiles[%d:%d:%d,%d:%d:%d]", rows->start, rows->stop,
             rows->step, cols->start, cols->stop, cols->step);
    assert_int_equal(le_io_source(io_engine, place, LE_SOURCE_STORED, &s), LE_OK);
    const le_stored_info *info = le_io_source_stored(s);
    assert_int_equal(s->items, n);
    for (int k = 0; k < n; k += batch) {
        const int some = n - k < batch ? n - k : batch;
        assert_int_equal(s->next(s, some, parts), LE_OK);
        assert_int_equal(parts[0].shape[0], some * TALL * WIDE * 2);
        for (int i = 0; i < some; i++) {
            const int64_t row = le_stored_place(info, 0, (k + i) / info->grid[1]),
                          col = le_stored_place(info, 1, (k + i) % info->grid[1]);
            assert_int_equal(((uint16_t *)parts[0].data)[i * TALL * WIDE], corner[k + i]);
            assert_int_equal(tiles[TALL * row][WIDE * col], corner[k + i]);
        }
    }
    for (int p = 0; p < LE_SOURCE_PARTS; p++)
        le_tensor_free(&parts[p]);
    le_source_close(&s);
}

static void steps(void **state) {
    static const slice rows[] = {{0, 13, 1}, {0, 13, 2}, {1, 12, 5}, {3, 4, 9}, {2, 13, 3}},
                       cols[] = {{0, 40, 1}, {0, 40, 5}, {3, 40, 11}, {4, 36, 15}, {1, 40, 6}};
    (void)state;
    write_tiles();
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++)
            for (int batch = 1; batch < 60; batch += 7)
                check(&rows[i], &cols[k], batch);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps)};
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
