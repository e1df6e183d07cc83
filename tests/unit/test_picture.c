/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Pictures of tensors: where a pixel of the tensor lies in the picture and what colour it has,
 * circles around sources, and regions for SAOImage DS9.
 */
#include "fits_test.h"

#include "marks.h"
#include "picture.h"
#include "run_extra.h"
#include "sky_axes.h"

enum { LEFT = 84, TOP = 40 }; /* of the map */

static const unsigned char *rgb_at(const le_tensor *t, int64_t x, int64_t y) {
    return (const unsigned char *)t->data + 3 * (y * t->shape[1] + x);
}

/* Lightness grows along viridis. */
static int light(const le_tensor *t, int64_t x, int64_t y) {
    const unsigned char *p = rgb_at(t, x, y);
    return 3 * p[0] + 6 * p[1] + p[2];
}

static le_tensor drawn(const picture *p) {
    le_tensor t = {0};
    if (picture_write(NULL, "p.png", p) != LE_OK || le_io_read(NULL, "p.png", NULL, &t) != LE_OK)
        fail_msg("%s", le_error_message());
    assert_int_equal(t.ndim, 3);
    assert_int_equal(t.shape[2], 3);
    return t;
}

static void values_have_colours(void **state) {
    (void)state;
    float values[] = {0, 1, 2, 3, 4, NAN};
    le_tensor t = le_tensor_of(values, LE_F32, 2, (int64_t[]){2, 3});
    for (int upwards = 0; upwards < 2; upwards++) {
        le_tensor out = drawn(&(picture){.image = &t, .upwards = upwards, .title = "six"});
        const int zoom = 40;
        assert_true(out.shape[0] > TOP + 2 * zoom && out.shape[1] > LEFT + 3 * zoom);
        int before = -1;
        for (int i = 0; i < 5; i++) {
            int row = upwards ? 1 - i / 3 : i / 3;
            int64_t x = LEFT + i % 3 * zoom, y = TOP + row * zoom;
            int now = light(&out, x + zoom / 2, y + zoom / 2);
            assert_true(now > before);
            assert_int_equal(now, light(&out, x, y)); /* the whole cell has it */
            assert_int_equal(now, light(&out, x + zoom - 1, y + zoom - 1));
            before = now;
        }
        const unsigned char *nan = rgb_at(&out, LEFT + 2 * zoom + 5, TOP + !upwards * zoom + 5);
        assert_true(nan[0] == nan[1] && nan[1] == nan[2]);
        le_tensor_free(&out);
    }
}

/* A faint source in noise is lighter than the noise, though one pixel is a million times brighter.
 */
static void faint_and_bright(void **state) {
    enum { N = 100 };
    static float values[N * N];
    (void)state;
    for (int i = 0; i < N * N; i++)
        values[i] = (float)(i * 7919 % 101) - 50;
    values[20 * N + 30] = 1e9f;
    for (int k = 0; k < 4; k++)
        values[(60 + k / 2) * N + 70 + k % 2] = 200;
    le_tensor t = le_tensor_of(values, LE_F32, 2, (int64_t[]){N, N});
    le_tensor out = drawn(&(picture){.image = &t, .title = ""});
    int noise = light(&out, LEFT + 8 * 10 + 4, TOP + 8 * 10 + 4);
    int faint = light(&out, LEFT + 8 * 70 + 4, TOP + 8 * 60 + 4);
    int bright = light(&out, LEFT + 8 * 30 + 4, TOP + 8 * 20 + 4);
    assert_true(faint > noise + 200);
    assert_true(bright >= faint);
    le_tensor_free(&out);
}

static void large_and_odd(void **state) {
    (void)state;
    le_tensor t = {0};
    assert_int_equal(le_tensor_alloc(&t, LE_U16, 2, (int64_t[]){1700, 3}), LE_OK);
    le_tensor out = drawn(&(picture){.image = &t, .title = "flat"});
    assert_true(out.shape[0] < 1000);
    le_tensor_free(&out);
    le_tensor_free(&t);
    double lost[] = {NAN, INFINITY};
    t = le_tensor_of(lost, LE_F64, 2, (int64_t[]){1, 2});
    out = drawn(&(picture){.image = &t, .title = "lost"});
    le_tensor_free(&out);
    t = le_tensor_of(lost, LE_F64, 1, (int64_t[]){2});
    assert_int_equal(picture_write(NULL, "p.png", &(picture){.image = &t}), LE_ERR_SHAPE);
    t = le_tensor_of(lost, LE_F64, 2, (int64_t[]){0, 2});
    assert_int_equal(picture_write(NULL, "p.png", &(picture){.image = &t}), LE_ERR_SHAPE);
    t = le_tensor_of(lost, LE_F64, 2, (int64_t[]){1, 2});
    assert_int_equal(picture_write(NULL, "p.gif", &(picture){.image = &t}), LE_ERR_ARGUMENT);
}

static const char *column(int64_t columns, int64_t i) {
    static const char *const names[] = {"label",        "center_of_mass_0", "center_of_mass_1",
                                        "bbox_0_start", "bbox_0_stop",      "bbox_1_start",
                                        "bbox_1_stop"};
    return columns == 7 ? names[i] : columns == 2 ? names[i] : NULL;
}

static const le_arg_desc catalogue = {.name = "catalogue", .type = LE_TYPE_OUT, .column = column};
static double rows[3][7] = {
    {5, 10, 20, 9, 12, 18, 22}, {6, NAN, NAN, 0, 0, 0, 0}, {7, 3, 4, 3, 4, 4, 5}};

static void sources_without_a_centre(void **state) {
    (void)state;
    mark *marks;
    size_t n;
    double boxes[3][7] = {
        {1, NAN, NAN, 9, 12, 18, 22}, {2, 4, -INFINITY, 3, 4, 6, 7}, {3, NAN, NAN, 0, 0, 0, 0}};
    const le_tensor table = le_tensor_of(boxes, LE_F64, 2, (int64_t[]){3, 7});
    assert_int_equal(marks_of(&catalogue, &table, &marks, &n), LE_OK);
    assert_int_equal(n, 2);
    assert_true(marks[0].label == 1 && marks[0].row == 10 && marks[0].column == 19.5);
    assert_true(marks[1].label == 2 && marks[1].row == 3 && marks[1].column == 6);
    free(marks);
}

static void sources_have_circles(void **state) {
    (void)state;
    mark *marks;
    size_t n;
    le_tensor table = le_tensor_of(rows, LE_F64, 2, (int64_t[]){3, 7});
    assert_int_equal(marks_of(&catalogue, &table, &marks, &n), LE_OK);
    assert_int_equal(n, 2);
    assert_int_equal(marks[0].label, 5);
    assert_true(marks[0].row == 10 && marks[0].column == 20 && marks[0].radius == 3.5);
    assert_true(marks[1].label == 7 && marks[1].radius == 2.5);
    static float values[40 * 40];
    le_tensor image = le_tensor_of(values, LE_F32, 2, (int64_t[]){40, 40});
    le_tensor out =
        drawn(&(picture){.image = &image, .marks = marks, .n_marks = n, .title = "two"});
    const int zoom = 20;
    int64_t x = LEFT + 20 * zoom + zoom / 2, y = TOP + 10 * zoom + zoom / 2;
    for (int k = 0; k < 4; k++) {
        const unsigned char *p = rgb_at(&out,
                                        x + (k == 0   ? 70
                                             : k == 1 ? -70
                                                      : 0),
                                        y + (k == 2   ? 70
                                             : k == 3 ? -70
                                                      : 0));
        assert_true(p[0] > 200 && p[1] < 100); /* 3.5 pixels of 20 away */
    }
    assert_true(rgb_at(&out, x, y)[0] < 100);
    le_tensor_free(&out);

    assert_int_equal(marks_write_regions("two.reg", marks, n), LE_OK);
    char text[400];
    text[io_get("two.reg", text, sizeof text - 1)] = '\0';
    assert_string_equal(text, "# Region file format: DS9 version 4.1\nglobal color=green\nimage\n"
                              "circle(21.000,11.000,3.500) # text={5}\n"
                              "circle(5.000,4.000,2.500) # text={7}\n");
    assert_int_equal(
        picture_write(NULL, "two.svg",
                      &(picture){.image = &image, .marks = marks, .n_marks = n, .title = "a<b"}),
        LE_OK);
    static char svg[1 << 17];
    svg[io_get("two.svg", svg, sizeof svg - 1)] = '\0';
    assert_non_null(strstr(svg, "href=\"data:image/png;base64,iVBORw0KGgo"));
    assert_non_null(strstr(svg, ">a&lt;b</text>"));
    assert_non_null(strstr(svg, "<circle cx=\"494.00\" cy=\"250.00\" r=\"70.00\""));
    assert_non_null(strstr(svg, "</svg>"));
    free(marks);

    table = le_tensor_of(rows, LE_F64, 2, (int64_t[]){3, 2});
    assert_int_equal(marks_of(&catalogue, &table, &marks, &n), LE_ERR_SHAPE);
}

static void what_is_offered(void **state) {
    (void)state;
    le_arg_desc args[] = {
        {.name = "image", .type = LE_TYPE_IN, .min_ndim = 2, .max_ndim = 3},
        {.name = "labels", .type = LE_TYPE_OUT, .optional = true, .min_ndim = 2, .max_ndim = 3},
        {.name = "catalogue",
         .type = LE_TYPE_OUT,
         .optional = true,
         .min_ndim = 2,
         .max_ndim = 2,
         .column = column}};
    le_operation op = {.name = "find", .args = args, .n_args = 3};
    bool given[3] = {true};
    assert_true(run_extra_offered(&op, RUN_PICTURE) && run_extra_offered(&op, RUN_REGIONS));
    assert_int_equal(run_extra_needs(&op, RUN_PICTURE, given), 2);
    assert_int_equal(run_extra_needs(&op, RUN_REGIONS, given), 2);
    op.n_args = 2; /* without a catalogue */
    assert_true(run_extra_offered(&op, RUN_PICTURE));
    assert_false(run_extra_offered(&op, RUN_REGIONS));
    assert_int_equal(run_extra_needs(&op, RUN_PICTURE, given), 1);
    args[1].name = "picture"; /* an output of its own */
    assert_false(run_extra_offered(&op, RUN_PICTURE));
    assert_true(run_extra_is_file(RUN_PICTURE, "a.SVG"));
    assert_false(run_extra_is_file(RUN_PICTURE, ".png"));
    assert_false(run_extra_is_file(RUN_REGIONS, "a.png"));
}

/* --- axes on the sky --- */

/* A plate carree of 40 rows and 60 columns: longitudes fall by 0.1 a column from `first`, latitudes
 * rise by 0.05 a row from 0. */
static void put_sky(const char *first) {
    static const unsigned char pixels[40 * 60] = {[700] = 9};
    char start[81];
    snprintf(start, sizeof start, "CRVAL1  = %20s", first);
    put_fits("sky.fits",
             (const char *const[]){
                 "SIMPLE  =                    T", "BITPIX  =                    8",
                 "NAXIS   =                    2", "NAXIS1  =                   60",
                 "NAXIS2  =                   40", "CTYPE1  = 'RA---CAR'", "CTYPE2  = 'DEC--CAR'",
                 "CRPIX1  =                  1.0", "CRPIX2  =                  1.0", start,
                 "CRVAL2  =                  0.0", "CDELT1  =                 -0.1",
                 "CDELT2  =                 0.05", NULL},
             pixels, sizeof pixels);
}

static void assert_ticks(const sky_axis *a, size_t n, double first, double apart, double degrees,
                         double step) {
    assert_int_equal(a->n, n);
    for (size_t i = 0; i < n; i++) {
        const double wanted = degrees + (double)i * step;
        assert_true(fabs(a->at[i] - (first + (double)i * apart)) < 1e-6);
        assert_true(fabs(remainder(a->degrees[i] - wanted, 360)) < 1e-9);
    }
}

static void axes_on_the_sky(void **state) {
    sky_axis lon, lat;
    double sky[2];
    (void)state;
    put_sky("10.0");
    if (le_io_sky("sky.fits", (double[]){0, 0}, 1, 2, sky) != LE_OK)
        skip();
    assert_true(sky_axes_of("sky.fits", 40, 60, 0, (int[]){7, 14}, &lon, &lat));
    assert_ticks(&lon, 6, 50, -10, 5, 1);
    assert_ticks(&lat, 10, 0, 4, 0, 0.2);
    assert_int_equal(lon.digits, 0);
    assert_int_equal(lat.digits, 1);
    put_sky("1.25"); /* through 0 */
    assert_true(sky_axes_of("sky.fits", 40, 60, 39, (int[]){3, 2}, &lon, &lat));
    assert_ticks(&lon, 3, 52.5, -20, 356, 2);
    assert_true(lon.degrees[1] == 358 && lon.degrees[2] == 0);
    assert_ticks(&lat, 2, 0, 20, 0, 1);
    assert_false(sky_axes_of("t.csv", 40, 60, 0, (int[]){3, 2}, &lon, &lat));
    le_tensor t = {0};
    assert_int_equal(le_io_read(NULL, "sky.fits", NULL, &t), LE_OK);
    static char text[1 << 20];
    assert_int_equal(
        picture_write(NULL, "sky.svg",
                      &(picture){.image = &t, .sky = "sky.fits", .upwards = true, .title = ""}),
        LE_OK);
    text[io_get("sky.svg", text, sizeof text - 1)] = '\0';
    assert_non_null(strstr(text, "lon, degrees"));
    assert_non_null(strstr(text, ">359<"));
    le_tensor_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_colours),
        cmocka_unit_test(faint_and_bright),
        cmocka_unit_test(large_and_odd),
        cmocka_unit_test(sources_have_circles),
        cmocka_unit_test(sources_without_a_centre),
        cmocka_unit_test(what_is_offered),
        cmocka_unit_test(axes_on_the_sky),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
