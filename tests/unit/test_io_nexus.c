/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * NeXus plots, read back with HDF5 itself: from the root along `default` to the group, its signal
 * and its axes, as programs go that show such files.
 */
#include "io_test.h"

#include "liquid_engine/le_stream.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void assert_text(hid_t object, const char *name, const char *wanted) {
    char *text = NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    hid_t type = H5Aget_type(attribute);
    assert_true(H5Aread(attribute, type, &text) >= 0);
    assert_string_equal(text, wanted);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void put(const char *place, int ndim, const int64_t *shape) {
    float values[12];
    for (int i = 0; i < 12; i++)
        values[i] = (float)i;
    le_tensor t = le_tensor_of(values, LE_F32, ndim, shape);
    if (le_io_write(io_engine, place, &t) != LE_OK)
        fail_msg("%s", le_error_message());
}

static const double q[] = {0.5, 1.5, 2.5, 3.5};

static le_status plot(const char *group, const char *signal, const char *errors) {
    const le_tensor x = le_tensor_of(q, LE_F64, 1, (int64_t[]){4});
    const le_io_axis axis = {.name = "radial", .units = "nm^-1", .values = &x};
    const le_io_plot p = {.struct_size = sizeof p,
                          .group = group,
                          .title = "a title",
                          .signal = signal,
                          .errors = errors,
                          .name = "intensity",
                          .interpretation = "spectrum",
                          .axes = &axis,
                          .n_axes = 1};
    return le_io_write_plot(&p);
}

static void followed(void **state) {
    char *axes[2];
    double values[4];
    (void)state;
    put("a.h5:/entry/curves", 2, (int64_t[]){3, 4});
    put("a.h5:/entry/errors", 2, (int64_t[]){3, 4});
    for (int k = 0; k < 2; k++) /* a plot that is there is made anew */
        assert_int_equal(plot("a.h5:/entry/plot", "/entry/curves", "/entry/errors"), LE_OK);
    hid_t file = H5Fopen("a.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t entry = H5Gopen2(file, "/entry", H5P_DEFAULT),
          group = H5Gopen2(entry, "plot", H5P_DEFAULT);
    assert_true(file >= 0 && entry >= 0 && group >= 0);
    assert_text(file, "default", "entry");
    assert_text(entry, "NX_class", "NXentry");
    assert_text(entry, "default", "plot");
    assert_text(group, "NX_class", "NXdata");
    assert_text(group, "signal", "intensity");
    hid_t attribute = H5Aopen(group, "axes", H5P_DEFAULT), type = H5Aget_type(attribute);
    assert_true(H5Aread(attribute, type, axes) >= 0);
    assert_string_equal(axes[0], ".");
    assert_string_equal(axes[1], "radial");
    for (int k = 0; k < 2; k++)
        H5free_memory(axes[k]);
    H5Tclose(type);
    H5Aclose(attribute);
    hid_t radial = H5Dopen2(group, "radial", H5P_DEFAULT);
    assert_true(H5Dread(radial, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_memory_equal(values, q, sizeof q);
    assert_text(radial, "units", "nm^-1");
    assert_true(H5Lexists(group, "intensity", H5P_DEFAULT) > 0);
    assert_true(H5Lexists(group, "intensity_errors", H5P_DEFAULT) > 0);
    H5Dclose(radial);
    H5Gclose(group);
    H5Gclose(entry);
    H5Fclose(file);
}

static void put_group(const char *file, const char *group, const char *set) {
    hsize_t n = 3;
    hid_t f = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    hid_t g = H5Lexists(f, group, H5P_DEFAULT) > 0
                  ? H5Gopen2(f, group, H5P_DEFAULT)
                  : H5Gcreate2(f, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t d = H5Dcreate2(g, set, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(d >= 0);
    H5Dclose(d);
    H5Gclose(g);
    H5Sclose(space);
    H5Fclose(f);
}

/* What is not ours, or not ours alone, stays, and the plot lies beside it. */
static void beside_others(void **state) {
    static const struct {
        const char *file, *signal, *group, *kept, *made, *entry, *plot;
    } cases[] = {
        {"k1.h5", "/entry/i", "/entry/plot", "/entry/plot/mask", "/entry/plot_1", "entry",
         "plot_1"},
        {"k2.h5", "/entry/plot", "/entry/plot", "/entry/plot", "/entry/plot_1", "entry", "plot_1"},
        {"k3.h5", "/entry", "/entry/plot", "/entry", "/entry_1/plot", "entry_1", "plot"},
        {"k4.h5", "/plot", "/plot", "/plot", "/plot_1", "plot_1", NULL},
    };
    char place[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(place, sizeof place, "%s:%s", cases[i].file, cases[i].signal);
        put(place, 2, (int64_t[]){3, 4});
        if (i == 0)
            put_group("k1.h5", "/entry/plot", "mask");
        snprintf(place, sizeof place, "%s:%s", cases[i].file, cases[i].group);
        for (int k = 0; k < 2; k++)
            if (plot(place, cases[i].signal, NULL) != LE_OK)
                fail_msg("%s: %s", place, le_error_message());
        hid_t file = H5Fopen(cases[i].file, H5F_ACC_RDONLY, H5P_DEFAULT);
        hid_t kept = H5Dopen2(file, cases[i].kept, H5P_DEFAULT),
              made = H5Gopen2(file, cases[i].made, H5P_DEFAULT);
        assert_true(kept >= 0 && made >= 0);
        hid_t signal = H5Dopen2(made, "intensity", H5P_DEFAULT);
        assert_true(signal >= 0);
        assert_text(file, "default", cases[i].entry);
        H5Dclose(signal);
        H5Dclose(kept);
        H5Gclose(made);
        if (cases[i].plot) {
            hid_t entry = H5Gopen2(file, cases[i].entry, H5P_DEFAULT);
            assert_text(entry, "default", cases[i].plot);
            H5Gclose(entry);
        }
        H5Fclose(file);
    }
    put_group("k1.h5", "/entry/plot_1", "notes"); /* into ours */
    put("k1.h5:/entry/plot/intensity", 2, (int64_t[]){3, 4});
    assert_int_equal(plot("k1.h5:/entry/plot", "/entry/i", NULL), LE_OK);
    assert_int_equal(io_try("k1.h5:/entry/plot_1/notes"), LE_OK);
    assert_int_equal(io_try("k1.h5:/entry/plot_2/radial"), LE_OK);
    put("k1.h5:/entry/plot_2/intensity", 2, (int64_t[]){3, 4}); /* in the place of a link */
    assert_int_equal(plot("k1.h5:/entry/plot", "/entry/i", NULL), LE_OK);
    assert_int_equal(io_try("k1.h5:/entry/plot_2/intensity"), LE_OK);
    assert_int_equal(io_try("k1.h5:/entry/plot_3/radial"), LE_OK);
}

static off_t size_of(const char *file) {
    struct stat info;
    assert_int_equal(stat(file, &info), 0);
    return info.st_size;
}

/* The signal that is replaced leaves its room to the next, and the plot shows that one. */
static void again(void **state) {
    enum { ROWS = 4000 };
    static float values[4 * ROWS];
    off_t first = 0;
    (void)state;
    for (int k = 0; k < 5; k++) {
        values[7] = (float)k;
        le_tensor t = le_tensor_of(values, LE_F32, 2, (int64_t[]){ROWS, 4}), shown = {0};
        assert_int_equal(le_io_write(io_engine, "again.h5:/entry/i", &t), LE_OK);
        assert_int_equal(le_io_write(io_engine, "again.h5:/entry/e", &t), LE_OK);
        if (k > 0) {
            assert_int_equal(le_io_read(io_engine, "again.h5:/entry/plot/intensity", NULL, &shown),
                             LE_OK);
            assert_true(le_tensor_get(&shown, 7) == k);
            le_tensor_free(&shown);
        }
        assert_int_equal(plot("again.h5:/entry/plot", "/entry/i", "/entry/e"), LE_OK);
        if (k == 0)
            first = size_of("again.h5");
    }
    assert_true(size_of("again.h5") < first + (off_t)sizeof values / 2);
}

static void refused(void **state) {
    (void)state;
    put("b.h5:/entry/curves", 2, (int64_t[]){3, 4});
    assert_int_equal(plot("b.h5:/entry/plot", "/entry/none", NULL), LE_ERR_IO);
    assert_int_equal(plot("b.raw", "/entry/curves", NULL), LE_ERR_ARGUMENT);
    assert_int_equal(plot("none.h5:/entry/plot", "/entry/curves", NULL), LE_ERR_IO);
    hid_t file = H5Fopen("b.h5", H5F_ACC_RDONLY, H5P_DEFAULT); /* as it was */
    assert_true(file >= 0 && H5Aexists(file, "default") == 0);
    assert_true(H5Lexists(file, "/entry/plot", H5P_DEFAULT) == 0);
    H5Fclose(file);
}

/* Two other processes put their halves, in parts of odd sizes and from behind; beside it lies what
 * the file had. Nothing shows under its name before it is published. */
static void put_by_processes(void **state) {
    (void)state;
    enum { ROWS = 31, COLUMNS = 17, ALL = ROWS * COLUMNS, PART = 13 };
    static float values[ALL];
    double old[2] = {3, 4};
    for (int i = 0; i < ALL; i++)
        values[i] = (float)i / 7;
    le_tensor before = le_tensor_of(old, LE_F64, 1, (int64_t[]){2}), read = {0};
    le_tensor shape = le_tensor_of(NULL, LE_F32, 2, (int64_t[]){ROWS, COLUMNS});
    int64_t offset, again;
    le_target *target;
    assert_int_equal(le_io_write(io_engine, "parts.h5:/old", &before), LE_OK);
    assert_int_equal(le_io_target_reserve("parts.h5:/g/new", &shape, true, &offset), LE_ERR_IO);
    assert_int_equal(le_io_target_reserve("parts.h5:/g/new", &shape, false, &offset), LE_OK);
    for (int half = 0; half < 2; half++) {
        pid_t child = fork();
        if (child == 0) {
            bool good = le_io_target_join("parts.h5:/g/new", &shape, offset, &target) == LE_OK;
            for (int i = ALL - ALL % PART; good && i >= 0; i -= PART)
                if (i / PART % 2 == half)
                    good = le_target_put(target, i, i + PART > ALL ? ALL - i : PART, values + i) ==
                           LE_OK;
            good = good && le_target_put(target, ALL - 1, 2, values) == LE_ERR_ARGUMENT;
            _exit(!good || le_io_target_close(&target, true) != LE_OK);
        }
        int how = -1;
        assert_true(child > 0 && waitpid(child, &how, 0) == child);
        assert_int_equal(how, 0);
    }
    assert_int_not_equal(io_try("parts.h5:/g/new"), LE_OK);
    assert_int_equal(le_io_target_reserve("parts.h5:/g/new", &shape, true, &again), LE_OK);
    assert_int_equal(again, offset);
    assert_int_equal(le_io_target_join("parts.h5:/g/new", &shape, offset, &target), LE_OK);
    assert_int_equal(le_target_grow(target, ROWS + 1), LE_ERR_UNSUPPORTED);
    assert_int_equal(le_target_tensor(target, &read), LE_ERR_UNSUPPORTED);
    le_io_target_close(&target, false);
    assert_int_equal(le_io_target_publish("parts.h5:/g/new", true), LE_OK);
    assert_int_equal(le_io_read(io_engine, "parts.h5:/g/new", NULL, &read), LE_OK);
    io_assert_shape(&read, "f32[31,17]");
    assert_memory_equal(read.data, values, sizeof values);
    le_tensor_free(&read);
    assert_int_equal(le_io_read(io_engine, "parts.h5:/old", NULL, &read), LE_OK);
    assert_memory_equal(read.data, old, sizeof old);
    le_tensor_free(&read);
    assert_int_equal(le_io_target_join("parts.h5:/g/new", &shape, offset, &target), LE_ERR_IO);
    assert_null(target);
    assert_int_equal(le_io_target_reserve("parts.npy", &shape, false, &offset), LE_ERR_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(put_by_processes),
                                       cmocka_unit_test(followed), cmocka_unit_test(beside_others),
                                       cmocka_unit_test(again), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
