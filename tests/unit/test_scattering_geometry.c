/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Geometry files and their mistakes; detectors that are known by name, beside what pyFAI says of
 * them, or by a file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <unistd.h>

#include "liquid_engine/le_io.h"
#include "check/runs_here.h"
#include "one_engine.h"
#include "scattering/detectors.h"
#include "scattering/poni.h"

static void assert_near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("got %.17g, expected %.17g", got, want);
}

static void parse(const char *text, le__sc_poni *p) {
    if (le__sc_poni_parse(text, "text", p) != LE_OK)
        fail_msg("%s", le_error_message());
}

static void test_poni(void **state) {
    le__sc_poni p;
    (void)state;
    parse("# a comment: 7\nPixelSize1: 1e-4\nDistance: 0.1\ndistance: 0.25\r\n Poni1 : -1e-3\n"
          "Wavelength: None\nDetector: Eiger4M\nsomething: else",
          &p);
    assert_true(p.number[LE__SC_DISTANCE] == 0.25 && p.number[LE__SC_PIXEL1] == 1e-4);
    assert_true(p.number[LE__SC_PONI1] == -1e-3 && !p.given[LE__SC_WAVELENGTH]);
    assert_string_equal(p.detector, "Eiger4M");
    parse("poni_version: 2.1\nDetector: NexusDetector\nDetector_config: "
          "{\"pixel1\": 2e-4, \"pixel2\": 4e-4, \"orientation\": 2, "
          "\"max_shape\": [100, 130], \"filename\": \"d.h5\"}\n",
          &p);
    assert_true(p.shape[0] == 100 && p.shape[1] == 130 && p.orientation == 2);
    assert_true(p.number[LE__SC_PIXEL2] == 4e-4);
    assert_string_equal(p.file, "d.h5");
}

/* pyFAI appends when it saves, and reads the last value of each key: none of a setting that the
 * last Detector_config leaves out. */
static void test_appended_poni(void **state) {
    le__sc_poni p;
    (void)state;
    parse("poni_version: 2.1\nDetector: NexusDetector\nDetector_config: {\"pixel1\": 2e-4, "
          "\"pixel2\": 4e-4, \"orientation\": 2, \"max_shape\": [100, 130], \"filename\": "
          "\"d.h5\"}\nDistance: 0.1\nWavelength: 1e-10\nParallax: True\n"
          "poni_version: 2.1\nDetector: Detector\nDetector_config: {\"pixel1\": 1e-4}\n"
          "Distance: 0.2\nParallax: False\n",
          &p);
    assert_string_equal(p.detector, "Detector");
    assert_string_equal(p.file, "");
    assert_true(p.number[LE__SC_PIXEL1] == 1e-4 && !p.given[LE__SC_PIXEL2]);
    assert_true(p.shape[0] == 0 && p.shape[1] == 0 && p.orientation == 0);
    assert_true(p.number[LE__SC_DISTANCE] == 0.2 && p.number[LE__SC_WAVELENGTH] == 1e-10);
    parse("PixelSize1: 3e-4\nPixelSize2: 3e-4\nSplineFile: a.spline\nDistance: 0.1\n"
          "poni_version: 2.1\nDetector: Pilatus100k\nDetector_config: {\"orientation\": 3}\n",
          &p);
    assert_true(!p.given[LE__SC_PIXEL1] && !p.given[LE__SC_PIXEL2] && p.orientation == 3);
    parse("PixelSize1: 3e-4\nPixelSize2: 3e-4\nPixelSize1: 2e-4\n", &p);
    assert_true(p.number[LE__SC_PIXEL1] == 2e-4 && p.number[LE__SC_PIXEL2] == 3e-4);
}

static void test_bad_poni(void **state) {
    static const char *const bad[] = {"",
                                      "no colon at all",
                                      "Distance: much",
                                      "Distance: nan",
                                      "Distance: 1e999",
                                      "Distance: 0.1 m",
                                      "Detector_config: {\"pixel1\": ",
                                      "Detector_config: {\"max_shape\": [1]}",
                                      "Detector_config: {\"max_shape\": [1e300, 5]}",
                                      "Detector_config: {\"orientation\": 9}",
                                      "Detector_config: {\"splineFile\": \"frelon.spline\"}",
                                      "SplineFile: frelon.spline",
                                      "Parallax: True"};
    le__sc_poni p;
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_not_equal(le__sc_poni_parse(bad[k], "the file", &p), LE_OK);
        assert_non_null(strstr(le_error_message(), "the file"));
    }
}

static void test_detectors(void **state) {
    (void)state;
    static const int64_t size[2] = {2167, 2070};
    const le__sc_detector *eiger = le__sc_detector_find("Eiger 4M", size);
    assert_non_null(eiger);
    assert_ptr_equal(le__sc_detector_find("eiger_4m", size), eiger);
    assert_null(le__sc_detector_find("eiger", size));
    assert_null(le__sc_detector_find("", size));
    int gaps = 0;
    for (int i = 0; i < 2167 * 2070; i++)
        gaps += le__sc_detector_misses(eiger, size, i / 2070, i % 2070);
    assert_int_equal(gaps, 250330);
    double edges[1025];
    le__sc_detector_edges(le__sc_detector_find("Jungfrau", size), 1, 1024, 75e-6, edges);
    assert_near(edges[1024], (1024 + 6) * 75e-6, 1e-12); /* six columns of double width */
    assert_near(edges[257] - edges[256], 150e-6, 1e-12);
}

/* pyFAI 2026.9.0: shape of the frames, pixels in m, and what its masks take away. */
static void test_binned_detectors(void **state) {
    static const struct {
        const char *name;
        int64_t rows, cols;
        double pixel;
        int masked;
    } known[] = {{"Perkin", 4096, 4096, 100e-6, 0},
                 {"Perkin", 2048, 2048, 200e-6, 0},
                 {"Pixium 4700", 955, 1240, 308e-6, 0},
                 {"Pixium", 1910, 2480, 154e-6, 0},
                 {"MAR 133", 2048, 2048, 64e-6, 900016},
                 {"mar225", 3072, 3072, 73.242e-6, 0},
                 {"mar_345", 1200, 1200, 150e-6, 308984},
                 {"mar345", 1800, 1800, 100e-6, 695320},
                 {"rayonix_mx340hs", 1920, 1920, 177.0834e-6, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const int64_t shape[2] = {known[k].rows, known[k].cols};
        const le__sc_detector *d = le__sc_detector_find(known[k].name, shape);
        int masked = 0;
        assert_non_null(d);
        assert_near(d->pixel[0] * (double)(d->shape[0] / shape[0]), known[k].pixel, 1e-10);
        assert_near(d->pixel[1] * (double)(d->shape[1] / shape[1]), known[k].pixel, 1e-10);
        for (int64_t i = 0; i < shape[0] * shape[1]; i++)
            masked += le__sc_detector_misses(d, shape, i / shape[1], i % shape[1]);
        assert_int_equal(masked, known[k].masked);
    }
}

/* pyFAI 2026.9.0, every 13th row: how many pixels its mask takes away, and a sum over where the
 * others are. */
static void test_modules_off_a_grid(void **state) {
    static const int64_t shape[2] = {3333, 3212};
    const le__sc_detector *d = le__sc_detector_find("Jungfrau 8M", shape);
    int64_t masked = 0, places = 0;
    (void)state;
    assert_non_null(d);
    assert_int_equal(d->shape[0], 3333);
    for (int64_t row = 0; row < shape[0]; row += 13)
        for (int64_t col = 0; col < shape[1]; col++)
            if (le__sc_detector_misses(d, shape, row, col))
                masked++;
            else
                places += 31 * row + 17 * col;
    assert_int_equal(masked, 181977);
    assert_int_equal(places, 50909347099);
}

/* Names of pyFAI's detectors that are no grids of rectangles. */
static void test_other_detectors(void **state) {
    (void)state;
    assert_string_equal(le__sc_detector_is_other("Rapid II"),
                        "is bent: give a NeXus file with the corners of its pixels, four each, as "
                        "detector");
    assert_non_null(strstr(le__sc_detector_is_other("Xpad_S540_flat"),
                           "has modules with a distance between them: give a NeXus file"));
    assert_string_equal(le__sc_detector_is_other("Pixirad-8"),
                        "has hexagonal pixels, and only pixels with four corners are supported");
    assert_null(le__sc_detector_is_other("Pilatus 1M"));
    assert_null(le__sc_detector_is_other("rapi"));
}

/* --- calls --- */

enum { ROWS = 4, COLS = 5, NPT = 3 };

static uint16_t frame[ROWS * COLS];

static le_status integrate(const char *detector, le_tensor *intensity) {
    for (int i = 0; i < ROWS * COLS; i++)
        frame[i] = (uint16_t)(i * i % 23);
    le_tensor in = le_tensor_of(frame, LE_U16, 2, (int64_t[]){ROWS, COLS});
    return le_engine_run(
        engine, "azimuthal_integrate", LE_IN("frames", &in), LE_STR("detector", detector),
        LE_F64("distance", 0.1), LE_F64("poni1", 1e-4), LE_F64("poni2", 3e-4),
        LE_F64("pixel1", 1e-4), LE_F64("pixel2", 1e-4), LE_STR("unit", "r_mm"), LE_I64("npt", NPT),
        LE_STR("splitting", "no"), LE_I64("solid_angle", 0),
        LE_F64S("radial_range", ((double[]){0, 0.3}), 2), LE_OUT("intensity", intensity));
}

static le_status put(const char *file, const char *name, le_tensor t) {
    char place[96];
    snprintf(place, sizeof place, "%s:/entry/detector/%s", file, name);
    return le_io_write(engine, place, &t);
}

/* The corners of squares are the same in a file of a turned detector. */
static void test_turned_corners(void **state) {
    char file[64];
    float corners[ROWS * COLS][4][3] = {{{0}}};
    le_tensor want = {0}, got = {0};
    (void)state;
    snprintf(file, sizeof file, "/tmp/test_scattering_geometry_%d.h5", (int)getpid());
    for (int i = 0; i < ROWS * COLS; i++)
        for (int k = 0; k < 4; k++) {
            corners[i][k][1] = (float)(1e-4 * (i / COLS + (k == 1 || k == 2)));
            corners[i][k][2] = (float)(1e-4 * (i % COLS + (k > 1)));
        }
    const le_status status =
        put(file, "pixel_corners", le_tensor_of(corners, LE_F32, 4, (int64_t[]){ROWS, COLS, 4, 3}));
    if (status == LE_ERR_UNSUPPORTED)
        skip(); /* no HDF5 */
    assert_int_equal(status, LE_OK);
    assert_int_equal(integrate("", &want), LE_OK);
    for (int32_t turn = 0; turn <= 4; turn++) {
        char words[32];
        snprintf(words, sizeof words, "orientation %d", (int)turn);
        assert_int_equal(put(file, "orientation", le_tensor_of(&turn, LE_I32, 1, (int64_t[]){1})),
                         LE_OK);
        if (turn == 0 || turn == 3) {
            assert_int_equal(integrate(file, &got), LE_OK);
            for (int b = 0; b < NPT; b++)
                assert_near(le_tensor_get(&got, b), le_tensor_get(&want, b), 1e-4);
            le_tensor_free(&got);
        } else {
            assert_int_equal(integrate(file, &got), LE_ERR_DATA);
            assert_non_null(strstr(le_error_message(), words));
        }
    }
    le_tensor_free(&want);
    unlink(file);
}

/* All pixels lie in one place of the axes: a frame of one, or one that is not masked. The axes go
 * from there to the next number of single precision, as pyFAI has them. */
static void test_axes_of_one_pixel(void **state) {
    static const uint8_t mask[ROWS * COLS] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const double pixel = 1e-4, width = 1.0 / 8388608, pi = 3.14159265358979;
    const double q = 4e-9 * pi / 1e-10 * sin(atan(hypot(pixel / 2, pixel / 2) / 0.1) / 2);
    (void)state;
    frame[0] = 7;
    for (int rows = 1; rows <= ROWS; rows += ROWS - 1) {
        const int64_t shape[2] = {rows, rows == 1 ? 1 : COLS};
        le_tensor in = le_tensor_of(frame, LE_U16, 2, shape),
                  hidden = le_tensor_of(mask, LE_U8, 2, shape), radial = {0}, azimuthal = {0},
                  intensity = {0};
        assert_int_equal(
            le_engine_run(engine, "azimuthal_integrate_2d", LE_IN("frames", &in),
                          LE_IN("mask", &hidden), LE_F64("distance", 0.1), LE_F64("poni1", 0),
                          LE_F64("poni2", 0), LE_F64("pixel1", pixel), LE_F64("pixel2", pixel),
                          LE_F64("wavelength", 1e-10), LE_I64("npt", 2), LE_I64("npt_azim", 2),
                          LE_STR("splitting", "no"), LE_I64("solid_angle", 0),
                          LE_OUT("radial", &radial), LE_OUT("azimuthal", &azimuthal),
                          LE_OUT("intensity", &intensity)),
            LE_OK);
        for (int k = 0; k < 2; k++) {
            assert_near(le_tensor_get(&radial, k), q * (1 + width * (0.25 + 0.5 * k)), 1e-10 * q);
            assert_near(le_tensor_get(&azimuthal, k), 45 * (1 + width * (0.25 + 0.5 * k)), 1e-8);
        }
        assert_near(le_tensor_get(&intensity, 0), 7, 1e-6);
        le_tensor_free(&radial);
        le_tensor_free(&azimuthal);
        le_tensor_free(&intensity);
    }
}

enum { SIDE = 21, SQUARE = SIDE * SIDE };

/* Frames of SIDE x SIDE pixels about a beam that is in the middle one, `off` from its centre. */
#define ABOUT_A_BEAM(off)                                                                          \
    LE_F64("distance", 0.1), LE_F64("poni1", (10.5 - (off)) * 1e-4),                               \
        LE_F64("poni2", (10.5 + (off)) * 1e-4), LE_F64("pixel1", 1e-4), LE_F64("pixel2", 1e-4),    \
        LE_STR("unit", "r_mm"), LE_I64("npt", 5), LE_I64("solid_angle", 0)

/* A turn has all pixels, wherever it begins, and part of one that one with the beam, too, in
 * whichever turn it is written: a half plane has 10 columns of 21, the one with the beam, and no
 * pixel that only touches. */
static void test_turns_about_the_beam(void **state) {
    static const struct {
        double range[2], off, pixels;
    } known[] = {{{-179, 181}, 0.2, SQUARE}, {{181, 541}, 0.2, SQUARE}, {{-541, -181}, 0.2, SQUARE},
                 {{180, 540}, 0, SQUARE},    {{-180, 180}, 0, SQUARE},  {{0, 360}, 0, SQUARE},
                 {{-90, 90}, 0.1, 231},      {{270, 450}, 0.1, 231}};
    static const char *const splittings[] = {"no", "full"};
    static const int64_t shape[2] = {SIDE, SIDE};
    static float ones[SQUARE];
    (void)state;
    for (int i = 0; i < SQUARE; i++)
        ones[i] = 1;
    le_tensor in = le_tensor_of(ones, LE_F32, 2, shape);
    for (size_t i = 0; i < 2 * sizeof known / sizeof *known; i++) {
        le_tensor count = {0};
        const size_t k = i / 2;
        double all = 0;
        if (i % 2 == 0 && known[k].pixels != SQUARE)
            continue; /* the centre may lie on either side */
        assert_int_equal(
            le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in),
                          ABOUT_A_BEAM(known[k].off), LE_STR("splitting", splittings[i % 2]),
                          LE_F64S("azimuth_range", known[k].range, 2), LE_OUT("count", &count)),
            LE_OK);
        for (int b = 0; b < 5; b++)
            all += le_tensor_get(&count, b);
        assert_near(all, known[k].pixels, 1e-3);
        le_tensor_free(&count);
    }
}

/* Pixels of the bins of a sector, 4 a ring where it is cut, and the azimuth of its first bin. */
static double sector(int from, int to, const char *splitting, bool cut, double counts[20]) {
    static const int64_t shape[2] = {SIDE, SIDE};
    static float ones[SQUARE];
    le_tensor in = le_tensor_of(ones, LE_F32, 2, shape), count = {0}, azimuthal = {0};
    const double range[2] = {from, to};
    le_status status =
        cut ? le_engine_run(engine, "azimuthal_integrate_2d", LE_IN("frames", &in),
                            ABOUT_A_BEAM(0.25), LE_STR("splitting", splitting),
                            LE_I64("npt_azim", 4), LE_F64S("azimuth_range", range, 2),
                            LE_OUT("count", &count), LE_OUT("azimuthal", &azimuthal))
            : le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), ABOUT_A_BEAM(0.25),
                            LE_STR("splitting", splitting), LE_F64S("azimuth_range", range, 2),
                            LE_OUT("count", &count));
    assert_int_equal(status, LE_OK);
    for (int b = 0; b < (cut ? 20 : 5); b++)
        counts[b] = le_tensor_get(&count, b);
    const double first = cut ? le_tensor_get(&azimuthal, 0) : from;
    le_tensor_free(&count);
    le_tensor_free(&azimuthal);
    return first;
}

/* It has the same pixels in whichever turn it is written, those at its very edges, too: the centres
 * of a diagonal lie at 135 and -45 degrees. */
static void test_sectors_a_turn_on(void **state) {
    static const char *const splittings[] = {"no", "bbox", "full"};
    (void)state;
    for (int from = -360; from <= 360; from += 15)
        for (int width = 30; width <= 180; width += 75)
            for (int k = 0; k < 6; k++) {
                double here[20], on[20];
                const double first = sector(from, from + width, splittings[k / 2], k % 2, here);
                const double next =
                    sector(from - 360, from - 360 + width, splittings[k / 2], k % 2, on);
                for (int b = 0; b < (k % 2 ? 20 : 5); b++)
                    assert_near(on[b], here[b], 0);
                assert_near(first - next, 360, 1e-9);
                assert_near(first, from + (k % 2 ? width / 8.0 : 0), 1e-4);
            }
}

/* A dark image is taken in single precision, like the frames: 30000 and a third is 30000 and
 * 171 / 512. A pixel whose variance no float holds is left out. */
static void check_rounded_images(const char *operation, const char *implementation) {
    static const int64_t shape[2] = {SIDE, SIDE};
    static uint16_t counts[SQUARE];
    static double dark[SQUARE], variance[SQUARE];
    le_tensor in = le_tensor_of(counts, LE_U16, 2, shape),
              less = le_tensor_of(dark, LE_F64, 2, shape),
              v = le_tensor_of(variance, LE_F64, 2, shape), intensity = {0}, sem = {0};
    for (int i = 0; i < SQUARE; i++) {
        counts[i] = 30001;
        dark[i] = 30000 + 1.0 / 3;
        variance[i] = i == 30 ? 1e39 : 4;
    }
    assert_int_equal(le_engine_run(engine, operation, LE_IN("frames", &in), LE_IN("dark", &less),
                                   ABOUT_A_BEAM(0), LE_STR("splitting", "no"),
                                   LE_STR("error_model", "variance"), LE_IN("variance", &v),
                                   LE_OUT("intensity", &intensity), LE_OUT("sem", &sem),
                                   LE_OPT_IMPLEMENTATION(implementation)),
                     LE_OK);
    for (int b = 0; b < 5; b++) {
        assert_near(le_tensor_get(&intensity, b), 1 - 171.0 / 512, 1e-6);
        assert_true(le_tensor_get(&sem, b) > 0 && le_tensor_get(&sem, b) <= 2);
    }
    le_tensor_free(&intensity);
    le_tensor_free(&sem);
}

static void test_rounded_images(void **state) {
    static const char *const operations[] = {"azimuthal_integrate", "azimuthal_sigma_clip"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        size_t n;
        const le_implementation *const *all = le_engine_implementations(engine, operations[k], &n);
        for (size_t i = 0; i < n; i++)
            if (runs_here(engine, all[i]))
                check_rounded_images(operations[k], all[i]->name);
    }
}

/* A detector's dummy in frames of u64, which are read as f64; in frames of other types; and a dummy
 * of the caller's instead. */
static void check_dummies(const char *operation, const char *implementation) {
    enum { H = 195, W = 487, STEP = 97, BINS = 4 };
    static const int64_t shape[2] = {H, W};
    static double frame_f64[H * W];
    static uint32_t frame_u32[H * W];
    static const struct {
        double value;
        le_dtype dtype;
        bool missing;
    } known[] = {{18446744073709551614.0, LE_F64, true},
                 {-2, LE_F64, true},
                 {4294967294.0, LE_U32, true},
                 {4294967294.0, LE_F64, false}};
    const le__sc_detector *d = le__sc_detector_find("Pilatus 100k", shape);
    assert_non_null(d);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        double counted = 0;
        int left = 0;
        for (int i = 0; i < H * W; i++) {
            const bool odd = i % STEP == 3;
            frame_f64[i] = odd ? known[k].value : 5;
            frame_u32[i] =
                odd && known[k].value > 0 && known[k].value < 5e9 ? (uint32_t)known[k].value : 5;
            left += !le__sc_detector_misses(d, shape, i / W, i % W) && !(odd && known[k].missing);
        }
        le_tensor in = le_tensor_of(known[k].dtype == LE_F64 ? (void *)frame_f64 : frame_u32,
                                    known[k].dtype, 2, shape),
                  intensity = {0}, count = {0};
        const le_status status = le_engine_run(
            engine, operation, LE_IN("frames", &in), LE_STR("detector", "Pilatus 100k"),
            LE_F64("distance", 0.1), LE_F64("poni1", 0.01), LE_F64("poni2", 0.02),
            LE_STR("unit", "r_mm"), LE_I64("npt", BINS), LE_STR("splitting", "no"),
            LE_I64("solid_angle", 0), LE_OUT("intensity", &intensity), LE_OUT("count", &count),
            LE_OPT_IMPLEMENTATION(implementation));
        if (status != LE_OK)
            fail_msg("%s by %s: %s", operation, implementation, le_error_message());
        for (int b = 0; b < BINS; b++) {
            counted += le_tensor_get(&count, b);
            if (known[k].missing)
                assert_near(le_tensor_get(&intensity, b), 5, 1e-5);
            else
                assert_true(le_tensor_get(&intensity, b) > 1e6);
        }
        assert_near(counted, left, 0.5);
        le_tensor_free(&intensity);
        le_tensor_free(&count);
    }
}

static void test_dummies(void **state) {
    size_t n;
    const le_implementation *const *all =
        le_engine_implementations(engine, "azimuthal_integrate", &n);
    (void)state;
    for (size_t k = 0; k < n; k++)
        if (runs_here(engine, all[k]))
            check_dummies("azimuthal_integrate", all[k]->name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poni),
        cmocka_unit_test(test_appended_poni),
        cmocka_unit_test(test_bad_poni),
        cmocka_unit_test(test_detectors),
        cmocka_unit_test(test_binned_detectors),
        cmocka_unit_test(test_modules_off_a_grid),
        cmocka_unit_test(test_other_detectors),
        cmocka_unit_test(test_turned_corners),
        cmocka_unit_test(test_axes_of_one_pixel),
        cmocka_unit_test(test_turns_about_the_beam),
        cmocka_unit_test(test_sectors_a_turn_on),
        cmocka_unit_test(test_rounded_images),
        cmocka_unit_test(test_dummies),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
