/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files of the shared folder with reference results. After cmocka.h.
 */
#ifndef LE_GOLDEN_H
#define LE_GOLDEN_H

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

/* A file of the folder, until the next call. */
static inline const char *path_of(const char *name) {
    static char path[1200];
    const char *shared = getenv("LE_SHARED"), *source = getenv("LE_SOURCE_DIR");
    const int given = shared && *shared;
    snprintf(path, sizeof path, "%s%s/%s",
             given    ? shared
             : source ? source
                      : ".",
             given ? "" : "/../shared", name);
    return path;
}

/* Skips the test where the file is not there. */
static inline hid_t open_or_skip(const char *name) {
    FILE *f = fopen(path_of(name), "rb");
    if (!f) {
        print_message("no %s: set LE_SHARED\n", path_of(name));
        skip();
    }
    fclose(f);
    const hid_t file = H5Fopen(path_of(name), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* An attribute. */
static inline double number(hid_t group, const char *name) {
    double value = 0;
    const hid_t a = H5Aopen(group, name, H5P_DEFAULT);
    assert_true(a >= 0 && H5Aread(a, H5T_NATIVE_DOUBLE, &value) >= 0);
    H5Aclose(a);
    return value;
}

#endif
