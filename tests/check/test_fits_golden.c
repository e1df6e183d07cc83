/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * FITS files of every kind against what astropy reads from them: exactly where nothing is scaled,
 * else within an ulp of float32, in which astropy computes. Positions on the sky against astropy's.
 * Skipped without the shared data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <float.h>
#include <math.h>

#include "check/golden.h"
#include "liquid_engine/le_io.h"
#include "liquid_engine/le_method.h"

/* All numbers of a data set; the caller frees them. */
static void *values_of(hid_t group, const char *name, hid_t type, int64_t *n) {
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space = H5Dget_space(set);
    *n = H5Sget_simple_extent_npoints(space);
    void *values = malloc((size_t)*n * 8 + 8);
    assert_non_null(values);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return values;
}

/* --- images --- */

static int images, exact;

static bool same(double a, double b) {
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void compare(const char *name, const le_tensor *t, const double *want, bool computed) {
    for (int64_t i = 0; i < le_tensor_count(t); i++) {
        double got = le_tensor_get(t, i);
        double ulp = computed ? fabs(want[i]) * FLT_EPSILON : 0;
        if (!same(got, want[i]) && !(fabs(got - want[i]) <= ulp))
            fail_msg("%s: pixel %d is %.17g, expected %.17g", name, (int)i, got, want[i]);
    }
}

static void compare_integers(const char *name, const le_tensor *t, hid_t group) {
    int64_t n, *want = values_of(group, "data", H5T_NATIVE_INT64, &n);
    for (int64_t i = 0; i < n; i++)
        if (le_tensor_get_i64(t, i) != want[i])
            fail_msg("%s: pixel %d differs", name, (int)i);
    free(want);
}

static bool is_computed(const char *name) {
    return !strncmp(name, "scaled_", 7) ||
           (!strncmp(name, "tiled_f32", 9) && !strstr(name, "lossless"));
}

static herr_t check_image(hid_t file, const char *name, const H5L_info_t *info, void *cookie) {
    char place[1500];
    le_tensor t = {0};
    int64_t n;
    (void)info, (void)cookie;
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    snprintf(place, sizeof place, "%s/%s", path_of("golden/imaging/fits"), name);
    if (le_io_read(NULL, place, NULL, &t) != LE_OK)
        fail_msg("%s", le_error_message());
    double *want = values_of(group, "data", H5T_NATIVE_DOUBLE, &n);
    assert_int_equal(n, le_tensor_count(&t));
    compare(name, &t, want, is_computed(name));
    if (t.dtype == LE_I64)
        compare_integers(name, &t, group);
    bool integers = number(group, "stored_bitpix") > 0 && !is_computed(name);
    assert_int_equal(le_dtype_kind_of(t.dtype) != LE_DTYPE_KIND_FLOAT, integers);
    exact += !is_computed(name);
    images++;
    free(want);
    le_tensor_free(&t);
    H5Gclose(group);
    return 0;
}

static void every_image(void **state) {
    (void)state;
    hid_t file = open_or_skip("golden/imaging/fits.h5");
    assert_true(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, check_image, NULL) >= 0);
    H5Fclose(file);
    assert_int_equal(images, 29);
    assert_int_equal(exact, 22);
}

/* Each file as a whole: bad ones are refused with a text, in the others an image is found. */
static void every_file(void **state) {
    (void)state;
    char folder[1200], place[1500];
    snprintf(folder, sizeof folder, "%s", path_of("golden/imaging/fits"));
    DIR *d = opendir(folder);
    if (!d) {
        print_message("no %s: set LE_SHARED\n", folder);
        skip();
    }
    int good = 0, bad = 0, odd = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        le_tensor t = {.ndim = 77};
        snprintf(place, sizeof place, "%s/%s", folder, e->d_name);
        le_status status = le_io_read(NULL, place, NULL, &t);
        if (!strncmp(e->d_name, "bad_", 4)) {
            if (status == LE_OK || t.ndim != 77 || !strstr(le_error_message(), e->d_name))
                fail_msg("%s: %d, '%s'", e->d_name, (int)status, le_error_message());
            bad++;
        } else if (!strncmp(e->d_name, "odd_", 4)) {
            odd++;
        } else {
            if (status != LE_OK)
                fail_msg("%s", le_error_message());
            good++;
        }
        if (status == LE_OK)
            le_tensor_free(&t);
    }
    closedir(d);
    assert_int_equal(good, 27);
    assert_int_equal(bad, 6);
    assert_int_equal(odd, 1);
}

/* --- sky --- */

static int skies;

/* Compared as angles on the sphere. */
static double apart(const double *a, double lon, double lat) {
    double turn = remainder(a[0] - lon, 360) * cos(lat * 3.141592653589793 / 180);
    return fmax(fabs(turn), fabs(a[1] - lat));
}

static herr_t check_sky(hid_t parent, const char *name, const H5L_info_t *info, void *cookie) {
    char file[256], place[1200];
    int64_t n, m;
    (void)info, (void)cookie;
    hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
    snprintf(file, sizeof file, "data/%s.fits", name);
    snprintf(place, sizeof place, "%s", path_of(file));
    double *x = values_of(group, "x", H5T_NATIVE_DOUBLE, &n);
    double *y = values_of(group, "y", H5T_NATIVE_DOUBLE, &m);
    double *lon = values_of(group, "lon", H5T_NATIVE_DOUBLE, &m);
    double *lat = values_of(group, "lat", H5T_NATIVE_DOUBLE, &m);
    double *positions = malloc((size_t)n * 16), *sky = malloc((size_t)n * 16);
    for (int64_t i = 0; i < n; i++) {
        positions[2 * i] = y[i];
        positions[2 * i + 1] = x[i];
    }
    le_status status = le_io_sky(place, positions, n, 2, sky);
    if (status != LE_OK)
        fail_msg("%s", le_error_message());
    for (int64_t i = 0; i < n; i++)
        if (!(apart(sky + 2 * i, lon[i], lat[i]) <= 1e-9))
            fail_msg("%s: point %d at %.12g %.12g, expected %.12g %.12g", name, (int)i, sky[2 * i],
                     sky[2 * i + 1], lon[i], lat[i]);
    skies++;
    free(x), free(y), free(lon), free(lat), free(positions), free(sky);
    H5Gclose(group);
    return 0;
}

static void points_on_the_sky(void **state) {
    (void)state;
    double sky[2];
    if (le_io_sky("absent.fits", (double[]){0, 0}, 1, 2, sky) == LE_ERR_UNSUPPORTED) {
        print_message("%s\n", le_error_message());
        skip();
    }
    hid_t file = open_or_skip("golden/imaging/pipeline.h5");
    hid_t group = H5Gopen2(file, "wcs", H5P_DEFAULT);
    assert_true(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, check_sky, NULL) >= 0);
    H5Gclose(group);
    H5Fclose(file);
    assert_int_equal(skies, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_image),
        cmocka_unit_test(every_file),
        cmocka_unit_test(points_on_the_sky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
