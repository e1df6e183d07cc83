/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * NeXus plots, read back with HDF5 itself: from the root along `default` to the group, its signal and
 * its axes, as programs go that show such files.
 */
#include "io_test.h"

#include <hdf5.h>

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
    const le_io_plot p = {.struct_size = sizeof p, .group = group, .title = "a title",
                          .signal = signal, .errors = errors, .name = "intensity",
                          .interpretation = "spectrum", .axes = &axis, .n_axes = 1};
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
    hid_t entry = H5Gopen2(file, "/entry", H5P_DEFAULT), group = H5Gopen2(entry, "plot", H5P_DEFAULT);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(followed), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
