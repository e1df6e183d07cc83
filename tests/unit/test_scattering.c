/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Integration of detector frames against sums made here, pixel by pixel and from the definitions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <unistd.h>

#include "call/case.h"
#include "check/runs_here.h"
#include "one_engine.h"
#include "scattering/encode.h"

enum { ROWS = 40, COLS = 50, NPT = 12, PIXELS = ROWS * COLS };

static const double pixel1 = 2e-4, pixel2 = 1e-4, distance = 0.1, poni1 = 3.05e-3, poni2 = 1.02e-3;

static uint32_t frame[PIXELS];

static double y_of(int i) {
    return ((double)(i / COLS) + 0.5) * pixel1 - poni1;
}

static double x_of(int i) {
    return ((double)(i % COLS) + 0.5) * pixel2 - poni2;
}

static double radius_of(int i) { /* mm */
    return 1000 * hypot(x_of(i), y_of(i));
}

static void fill_frame(void) {
    uint32_t x = 7;
    for (int i = 0; i < PIXELS; i++) {
        x = x * 1664525u + 1013904223u;
        frame[i] = x >> 24;
    }
}

static le_tensor image(const void *data, le_dtype dtype) {
    return le_tensor_of(data, dtype, 2, (int64_t[]){ROWS, COLS});
}

#define GEOMETRY                                                                                   \
    LE_F64("distance", distance), LE_F64("poni1", poni1), LE_F64("poni2", poni2),                  \
        LE_F64("pixel1", pixel1), LE_F64("pixel2", pixel2), LE_I64("npt", NPT),                    \
        LE_STR("unit", "r_mm")

/* Every implementation of an operation that runs on the CPU here. */
typedef void (*check_fn)(const char *implementation);

static void for_implementations(const char *operation, check_fn fn) {
    size_t n;
    int ran = 0;
    const le_implementation *const *all = le_engine_implementations(engine, operation, &n);
    for (size_t k = 0; k < n; k++)
        if (all[k]->device == LE_DEVICE_CPU && runs_here(engine, all[k])) {
            fn(all[k]->name);
            ran++;
        }
    assert_true(ran >= 2);
}

static void assert_ok(le_status status) {
    if (status != LE_OK)
        fail_msg("%s", le_error_message());
}

static void assert_near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("got %.17g, expected %.17g", got, want);
}

/* ---------------------------------------------------------------------------------- no split -- */

typedef struct sums {
    double s, n, n2, v, k;
} sums;

/* Bins of 0.2 mm from 1 mm on. */
static int bin_of(int i) {
    const double at = (radius_of(i) - 1.0) / 0.2 / (1 + 1e-6);
    assert_true(fabs(at - floor(at + 0.5)) > 1e-6); /* no pixel is at the mercy of rounding */
    return at >= 0 && at < NPT ? (int)at : -1;
}

static double solid_angle(int i) {
    const double r = 1e-3 * radius_of(i);
    return pow(distance / sqrt(distance * distance + r * r), 3);
}

static void centres_count(const char *implementation) {
    static uint8_t mask[PIXELS];
    static float dark[PIXELS], flat[PIXELS];
    sums want[NPT] = {{0}};
    for (int i = 0; i < PIXELS; i++) {
        mask[i] = i % 17 == 3;
        dark[i] = (float)(i % 5);
        flat[i] = i % 101 == 9 ? 0 : 1 + 0.01f * (float)(i % 30);
        const int b = bin_of(i);
        if (b < 0 || mask[i] || flat[i] == 0 || frame[i] == 200)
            continue;
        const double w = 2.5 * (double)flat[i] * solid_angle(i);
        want[b].s += (double)frame[i] - (double)dark[i];
        want[b].n += w;
        want[b].n2 += w * w;
        want[b].v += frame[i] > 1 ? frame[i] : 1;
        want[b].k += 1;
    }
    le_tensor in = image(frame, LE_U32), m = image(mask, LE_U8), d = image(dark, LE_F32),
              f = image(flat, LE_F32), intensity = {0}, sem = {0}, std = {0}, count = {0},
              radial = {0};
    assert_ok(le_engine_run(
        engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY, LE_STR("splitting", "no"),
        LE_IN("mask", &m), LE_IN("dark", &d), LE_IN("flat", &f), LE_F64("dummy", 200),
        LE_F64("normalization_factor", 2.5), LE_STR("error_model", "poisson"),
        LE_F64S("radial_range", ((double[]){1.0, 1.0 + 0.2 * NPT}), 2), LE_OUT("radial", &radial),
        LE_OUT("intensity", &intensity), LE_OUT("sem", &sem), LE_OUT("std", &std),
        LE_OUT("count", &count), LE_OPT_IMPLEMENTATION(implementation)));
    for (int b = 0; b < NPT; b++) {
        const double i = want[b].s / want[b].n;
        assert_near(le_tensor_get(&radial, b), 1.0 + 0.2 * (b + 0.5), 1e-5);
        assert_near(le_tensor_get(&intensity, b), i, 1e-6 * fabs(i));
        assert_near(le_tensor_get(&sem, b), sqrt(want[b].v) / want[b].n, 1e-6);
        assert_near(le_tensor_get(&std, b), sqrt(want[b].v / want[b].n2), 1e-5);
        assert_near(le_tensor_get(&count, b), want[b].k, 1e-9);
    }
    le_tensor_free(&intensity);
    le_tensor_free(&sem);
    le_tensor_free(&std);
    le_tensor_free(&count);
    le_tensor_free(&radial);
}

static void test_centres(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate", centres_count);
}

/* A pixel without counts adds nothing, even where its normalization is so small that no float holds
 * what one count would be. Nine frames: eight together, and one. */
static void tiny_normalization(const char *implementation) {
    enum { FRAMES = 9, TINY = 20 * COLS + 7 };
    static uint32_t frames[FRAMES][PIXELS];
    static float flat[PIXELS];
    double sum[FRAMES][NPT] = {{0}}, counts[NPT] = {0};
    assert_in_range(bin_of(TINY), 0, NPT - 1);
    for (int i = 0; i < PIXELS; i++) {
        const int b = bin_of(i);
        flat[i] = i == TINY ? 1e-42f : 1;
        for (int k = 0; k < FRAMES; k++)
            frames[k][i] = i == TINY ? 0 : frame[i] + (uint32_t)k;
        for (int k = 0; k < FRAMES && b >= 0; k++)
            sum[k][b] += frames[k][i];
        if (b >= 0)
            counts[b]++;
    }
    le_tensor in = le_tensor_of(frames, LE_U32, 3, (int64_t[]){FRAMES, ROWS, COLS}),
              f = image(flat, LE_F32), intensity = {0};
    assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY,
                            LE_STR("splitting", "no"), LE_IN("flat", &f), LE_I64("weighted", 0),
                            LE_I64("solid_angle", 0), LE_STR("error_model", "poisson"),
                            LE_F64S("radial_range", ((double[]){1.0, 1.0 + 0.2 * NPT}), 2),
                            LE_OUT("intensity", &intensity),
                            LE_OPT_IMPLEMENTATION(implementation)));
    for (int k = 0; k < FRAMES; k++)
        for (int b = 0; b < NPT; b++) {
            const double want = sum[k][b] / counts[b];
            assert_near(le_tensor_get(&intensity, k * NPT + b), want, 1e-5 * want);
        }
    le_tensor_free(&intensity);
}

static void test_tiny_normalization(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate", tiny_normalization);
}

/* ------------------------------------------------------------------------------------- split -- */

/* A frame of ones has the intensity 1 in every bin, however pixels are split; and no pixel is lost
 * or counted twice. */
static void nothing_is_lost(const char *implementation) {
    static const char *const splittings[] = {"no", "bbox", "full"};
    static float ones[3 * PIXELS];
    for (int i = 0; i < 3 * PIXELS; i++)
        ones[i] = (float)(1 + i / PIXELS);
    le_tensor in = le_tensor_of(ones, LE_F32, 3, (int64_t[]){3, ROWS, COLS});
    for (int k = 0; k < 3; k++) {
        le_tensor intensity = {0}, count = {0};
        double all[3] = {0};
        assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY,
                                LE_F64("rot1", 0.1), LE_F64("rot3", -0.4),
                                LE_STR("splitting", splittings[k]), LE_I64("solid_angle", 0),
                                LE_OUT("intensity", &intensity), LE_OUT("count", &count),
                                LE_OPT_IMPLEMENTATION(implementation)));
        for (int i = 0; i < 3 * NPT; i++) {
            assert_near(le_tensor_get(&intensity, i), 1 + i / NPT, 1e-6);
            all[i / NPT] += le_tensor_get(&count, i);
        }
        for (int f = 0; f < 3; f++)
            assert_near(all[f], PIXELS, 1e-4);
        le_tensor_free(&intensity);
        le_tensor_free(&count);
    }
}

static void test_nothing_is_lost(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate", nothing_is_lost);
}

/* Curves of frames first .. end - 1 of the scan below, in double precision. */
static void curves_of(const char *implementation, const double *scanned, int64_t first, int64_t end,
                      le_tensor *out) {
    le_tensor in =
        le_tensor_of(scanned + first * PIXELS, LE_F64, 3, (int64_t[]){end - first, ROWS, COLS});
    *out = (le_tensor){.dtype = LE_F64};
    assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY,
                            LE_I64("solid_angle", 0), LE_OUT("sum_signal", out),
                            LE_OPT_IMPLEMENTATION(implementation), LE_OPT_REPRODUCIBLE()));
}

/* The order of additions of a reproducible frame does not depend on the frames beside it. */
static void same_bits(const char *implementation) {
    enum { FRAMES = 21 };
    static double scanned[FRAMES * PIXELS];
    uint32_t random = 1;
    for (int i = 0; i < FRAMES * PIXELS; i++) {
        random = random * 1664525u + 1013904223u;
        scanned[i] = (double)random / 7e5;
    }
    static const int64_t cuts[][2] = {{0, 8}, {0, 1}, {3, 16}, {8, 20}, {20, 21}};
    le_tensor whole, part;
    curves_of(implementation, scanned, 0, FRAMES, &whole);
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        curves_of(implementation, scanned, cuts[k][0], cuts[k][1], &part);
        if (memcmp(part.data, (double *)whole.data + cuts[k][0] * NPT,
                   (size_t)((cuts[k][1] - cuts[k][0]) * NPT) * sizeof(double)) != 0)
            fail_msg("%s: frames %d to %d have other bits than in the whole scan", implementation,
                     (int)cuts[k][0], (int)cuts[k][1]);
        le_tensor_free(&part);
    }
    le_tensor_free(&whole);
}

static void test_same_bits(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate", same_bits);
}

/* Shares by area, counted with 200 x 200 points in each pixel: far from the beam the quadrilateral
 * in radius and azimuth is the pixel, up to the square of its size over the radius. */
static void areas(const char *implementation) {
    enum { N = 200 };
    double want[NPT] = {0};
    for (int i = 0; i < PIXELS; i++)
        for (int a = 0; a < N * N; a++) {
            const double y = y_of(i) + ((a / N + 0.5) / N - 0.5) * pixel1,
                         x = x_of(i) + ((a % N + 0.5) / N - 0.5) * pixel2;
            const double at = (1000 * hypot(x, y) - 2.0) / 0.13;
            if (at >= 0 && at < NPT)
                want[(int)at] += 1.0 / (N * N);
        }
    le_tensor in = image(frame, LE_U32), count = {0};
    assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY,
                            LE_F64S("radial_range", ((double[]){2.0, 2.0 + 0.13 * NPT}), 2),
                            LE_OUT("count", &count), LE_OPT_IMPLEMENTATION(implementation)));
    for (int b = 1; b < NPT - 1; b++) /* the first and last have the rest of their pixels */
        assert_near(le_tensor_get(&count, b), want[b], 0.02 * want[b]);
    le_tensor_free(&count);
}

static void test_areas(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate", areas);
}

/* ----------------------------------------------------------------------------------- azimuth -- */

static void sector(const char *implementation) {
    double want = 0;
    for (int i = 0; i < PIXELS; i++) {
        const double chi = atan2(y_of(i), x_of(i)) * 57.29577951308232;
        want += chi >= 150 || chi < -145;
    }
    assert_true(want > 10);
    le_tensor in = image(frame, LE_U32), count = {0};
    double all = 0;
    assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY,
                            LE_STR("splitting", "no"),
                            LE_F64S("azimuth_range", ((double[]){150, 215}), 2),
                            LE_OUT("count", &count), LE_OPT_IMPLEMENTATION(implementation)));
    for (int b = 0; b < NPT; b++)
        all += le_tensor_get(&count, b);
    assert_near(all, want, 1e-6);
    le_tensor_free(&count);
}

static void test_sector(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate", sector);
}

static double half_width(int i) { /* of the box about the centre, degrees */
    double half = 0;
    for (int k = 0; k < 4; k++) {
        const double y = y_of(i) + (k / 2 ? 0.5 : -0.5) * pixel1,
                     x = x_of(i) + (k % 2 ? 0.5 : -0.5) * pixel2;
        const double across = x_of(i) * y - y_of(i) * x, along = x_of(i) * x + y_of(i) * y;
        half = fmax(half, fabs(atan2(across, along)) * 57.29577951308232);
    }
    return half;
}

/* A pixel whose box goes past 180 degrees does not come in again at -180. */
static void ends_of_the_turn(const char *implementation) {
    static const double ranges[2][2] = {{-180, 90}, {-90, 180}};
    le_tensor in = image(frame, LE_U32);
    for (int k = 0; k < 2; k++) {
        le_tensor count = {0};
        double all = 0, want = 0, again = 0;
        for (int i = 0; i < PIXELS; i++) {
            const double chi = atan2(y_of(i), x_of(i)) * 57.29577951308232, half = half_width(i);
            const bool in_it = chi - half < ranges[k][1] && chi + half >= ranges[k][0];
            want += in_it;
            again += !in_it && (chi + half > 180 || chi - half < -180);
        }
        assert_true(k == 1 || again > 5);
        assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY,
                                LE_STR("splitting", "bbox"),
                                LE_F64S("radial_range", ((double[]){0, 10}), 2),
                                LE_F64S("azimuth_range", ranges[k], 2), LE_OUT("count", &count),
                                LE_OPT_IMPLEMENTATION(implementation)));
        for (int b = 0; b < NPT; b++)
            all += le_tensor_get(&count, b);
        assert_near(all, want, 1e-3);
        le_tensor_free(&count);
    }
}

static void test_ends_of_the_turn(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate", ends_of_the_turn);
}

/* Sums over azimuth of a plane are those of the curve: areas in cells add up to areas in columns
 * for pixels that are small against a cell's azimuth. */
static void plane(const char *implementation) {
    enum { AZIMUTHS = 7 };
    static const char *const splittings[] = {"no", "bbox", "full"};
    le_tensor in = image(frame, LE_U32);
    for (int k = 0; k < 3; k++) {
        le_tensor curve = {0}, cells = {0}, azimuthal = {0};
        const double range[] = {2.0, 4.0}, turn[] = {-180, 180};
        assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY,
                                LE_STR("splitting", splittings[k]),
                                LE_F64S("radial_range", range, 2), LE_OUT("sum_signal", &curve),
                                LE_OPT_IMPLEMENTATION(implementation)));
        assert_ok(le_engine_run(engine, "azimuthal_integrate_2d", LE_IN("frames", &in), GEOMETRY,
                                LE_STR("splitting", splittings[k]), LE_I64("npt_azim", AZIMUTHS),
                                LE_F64S("radial_range", range, 2),
                                LE_F64S("azimuth_range", turn, 2), LE_OUT("sum_signal", &cells),
                                LE_OUT("azimuthal", &azimuthal),
                                LE_OPT_IMPLEMENTATION(implementation)));
        for (int b = 1; b < NPT - 1; b++) {
            double all = 0;
            for (int a = 0; a < AZIMUTHS; a++)
                all += le_tensor_get(&cells, a * NPT + b);
            assert_near(all, le_tensor_get(&curve, b), 3e-2 * all);
        }
        assert_near(le_tensor_get(&azimuthal, 3), 0, 1e-4);
        le_tensor_free(&curve);
        le_tensor_free(&cells);
        le_tensor_free(&azimuthal);
    }
}

static void test_plane(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate_2d", plane);
}

/* Nine frames over more bins than pixels, some of which each frame has no data for: the sums of
 * cells that a pixel's centre lies in. */
static void many_cells(const char *implementation) {
    enum { FRAMES = 9, WIDTH = 200, AZIMUTHS = 190 };
    static uint32_t frames[FRAMES][PIXELS];
    static uint8_t mask[PIXELS];
    static double sum[FRAMES][AZIMUTHS * WIDTH], count[FRAMES][AZIMUTHS * WIDTH];
    const double range[] = {1.0, 4.0}, turn[] = {-180, 180};
    int left_out = 0;
    memset(sum, 0, sizeof sum);
    memset(count, 0, sizeof count);
    for (int i = 0; i < PIXELS; i++) {
        const double r = (radius_of(i) - range[0]) / (range[1] - range[0]) * WIDTH,
                     a = (atan2(y_of(i), x_of(i)) * 57.29577951308232 + 180) / 360 * AZIMUTHS;
        /* at the mercy of rounding */
        mask[i] = fabs(r - floor(r + 0.5)) < 1e-3 || fabs(a - floor(a + 0.5)) < 1e-3;
        left_out += mask[i];
        for (int k = 0; k < FRAMES; k++) {
            frames[k][i] = (i + k) % 11 == 0 ? 777 : frame[i] + (uint32_t)k;
            if (mask[i] || r < 0 || r >= WIDTH || frames[k][i] == 777)
                continue;
            sum[k][(int)a * WIDTH + (int)r] += frames[k][i];
            count[k][(int)a * WIDTH + (int)r]++;
        }
    }
    assert_in_range(left_out, 0, PIXELS / 50);
    le_tensor in = le_tensor_of(frames, LE_U32, 3, (int64_t[]){FRAMES, ROWS, COLS}),
              m = image(mask, LE_U8), s = {0}, n = {0};
    assert_ok(le_engine_run(
        engine, "azimuthal_integrate_2d", LE_IN("frames", &in), LE_F64("distance", distance),
        LE_F64("poni1", poni1), LE_F64("poni2", poni2), LE_F64("pixel1", pixel1),
        LE_F64("pixel2", pixel2), LE_I64("npt", WIDTH), LE_STR("unit", "r_mm"),
        LE_STR("splitting", "no"), LE_I64("npt_azim", AZIMUTHS), LE_F64S("radial_range", range, 2),
        LE_F64S("azimuth_range", turn, 2), LE_F64("dummy", 777), LE_IN("mask", &m),
        LE_OUT("sum_signal", &s), LE_OUT("count", &n), LE_OPT_IMPLEMENTATION(implementation)));
    for (int k = 0; k < FRAMES; k++)
        for (int b = 0; b < AZIMUTHS * WIDTH; b++) {
            assert_near(le_tensor_get(&s, (int64_t)k * AZIMUTHS * WIDTH + b), sum[k][b], 1e-3);
            assert_near(le_tensor_get(&n, (int64_t)k * AZIMUTHS * WIDTH + b), count[k][b], 1e-6);
        }
    le_tensor_free(&s);
    le_tensor_free(&n);
}

static void test_many_cells(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate_2d", many_cells);
}

static void widen(double range[2], double y, double x) {
    const double chi = atan2(y, x) * 57.29577951308232;
    range[0] = fmin(range[0], chi);
    range[1] = fmax(range[1], chi);
}

/* Without a range of its own the axis of azimuths goes over corners or centres, and round the
 * whole turn where the box of the pixel with the beam does, but not further. */
static void own_azimuths(const char *implementation) {
    enum { AZIMUTHS = 5 };
    static const char *const splittings[] = {"no", "bbox", "full"};
    double ends[3][2] = {{180, -180}, {-180, 180}, {180, -180}};
    le_tensor in = image(frame, LE_U32);
    for (int i = 0; i < PIXELS; i++) {
        widen(ends[0], y_of(i), x_of(i));
        for (int k = 0; k < 4; k++)
            widen(ends[2], y_of(i) + (k / 2 ? 0.5 : -0.5) * pixel1,
                  x_of(i) + (k % 2 ? 0.5 : -0.5) * pixel2);
    }
    for (int k = 0; k < 3; k++) {
        le_tensor azimuthal = {0}, count = {0};
        const double width = (ends[k][1] - ends[k][0]) / AZIMUTHS;
        assert_ok(le_engine_run(engine, "azimuthal_integrate_2d", LE_IN("frames", &in), GEOMETRY,
                                LE_STR("splitting", splittings[k]), LE_I64("npt_azim", AZIMUTHS),
                                LE_OUT("azimuthal", &azimuthal), LE_OUT("count", &count),
                                LE_OPT_IMPLEMENTATION(implementation)));
        for (int a = 0; a < AZIMUTHS; a++)
            assert_near(le_tensor_get(&azimuthal, a), ends[k][0] + (a + 0.5) * width, 1e-4);
        le_tensor_free(&azimuthal);
        le_tensor_free(&count);
    }
}

static void test_own_azimuths(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate_2d", own_azimuths);
}

/* A detector that is turned, with its frame turned likewise, is the same detector; the pixel that
 * holds the beam, too. */
static void turned(const char *implementation) {
    static uint32_t other[PIXELS];
    double want[NPT];
    for (int orientation = 4; orientation > 0; orientation--) {
        char path[] = "/tmp/test_scattering_XXXXXX";
        const int fd = mkstemp(path), turn = orientation == 4   ? 3
                                             : orientation == 3 ? 4
                                                                : orientation;
        const bool rows = turn < 3, cols = turn % 3 == 1;
        const double range[] = {0, 0.5};
        assert_true(fd >= 0);
        dprintf(fd,
                "Distance: 0.1\nPoni1: 3.12e-3\nPoni2: 1.03e-3\nDetector_config: "
                "{\"pixel1\": 2e-4, \"pixel2\": 1e-4, \"orientation\": %d}\n",
                turn);
        close(fd);
        for (int i = 0; i < PIXELS; i++) {
            const int y = i / COLS, x = i % COLS;
            other[i] = frame[(rows ? ROWS - 1 - y : y) * COLS + (cols ? COLS - 1 - x : x)];
        }
        le_tensor in = image(other, LE_U32), got = {0};
        assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in),
                                LE_STR("poni", path), LE_I64("npt", NPT), LE_STR("unit", "r_mm"),
                                LE_F64S("radial_range", range, 2), LE_OUT("sum_signal", &got),
                                LE_OPT_IMPLEMENTATION(implementation)));
        unlink(path);
        for (int b = 0; b < NPT; b++) {
            if (turn == 3)
                want[b] = le_tensor_get(&got, b);
            assert_near(le_tensor_get(&got, b), want[b], 1e-5 * fabs(want[b]) + 1e-3);
        }
        le_tensor_free(&got);
    }
}

static void test_turned(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate", turned);
}

/* ----------------------------------------------------------------------------------- stored --- */

enum { CHUNKS = 11, OF_CHUNK = 2, STORED = CHUNKS * OF_CHUNK };

static uint16_t scan[STORED * PIXELS];
static uint8_t chunks[STORED * PIXELS * 4];
static int64_t offsets[CHUNKS + 1];

static void encode_scan(void) {
    const le__sc_format f = {.element = 2, .elements = OF_CHUNK * PIXELS, .block = 1000 / 8 * 8};
    assert_true(le__sc_encode_bound(&f) * CHUNKS < (int64_t)sizeof chunks);
    for (int i = 0; i < STORED * PIXELS; i++)
        scan[i] = (uint16_t)(i % 97 == 5 ? 65535 : (i * 31 + i / PIXELS * 7) % 50);
    for (int k = 0; k < CHUNKS; k++)
        offsets[k + 1] =
            offsets[k] + le__sc_encode(&f, scan + k * OF_CHUNK * PIXELS, chunks + offsets[k]);
}

static le_status integrate_scan(const char *implementation, const char *bad, le_tensor *intensity,
                                le_tensor *count) {
    le_tensor bytes = le_tensor_of(chunks, LE_U8, 1, &offsets[CHUNKS]),
              at = le_tensor_of(offsets, LE_I64, 1, (int64_t[]){CHUNKS + 1});
    return le_engine_run(engine, "integrate_stored", LE_IN("frames", &bytes), LE_IN("offsets", &at),
                         GEOMETRY, LE_F64S("chunk", ((double[]){OF_CHUNK, ROWS, COLS}), 3),
                         LE_STR("type", "u16"), LE_F64("dummy", 65535), LE_STR("bad_frames", bad),
                         LE_OUT("intensity", intensity), LE_OUT("count", count),
                         LE_OPT_IMPLEMENTATION(implementation));
}

/* Stored frames give what the frames give. */
static void stored_as_frames(const char *implementation) {
    le_tensor in = le_tensor_of(scan, LE_U16, 3, (int64_t[]){STORED, ROWS, COLS}), want[2] = {{0}},
              got[2] = {{0}};
    assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY,
                            LE_F64("dummy", 65535), LE_OUT("intensity", &want[0]),
                            LE_OUT("count", &want[1]), LE_OPT_IMPLEMENTATION("reference")));
    assert_ok(integrate_scan(implementation, "refuse", &got[0], &got[1]));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(le_tensor_count(&got[k]), STORED * NPT);
        for (int i = 0; i < STORED * NPT; i++)
            assert_near(le_tensor_get(&got[k], i), le_tensor_get(&want[k], i),
                        1e-5 * fabs(le_tensor_get(&want[k], i)));
        le_tensor_free(&got[k]);
        le_tensor_free(&want[k]);
    }
}

/* A bad chunk: refused with nothing written, or its frames have no numbers and the others do. */
static void stored_bad(const char *implementation) {
    static double mine[STORED * NPT];
    int64_t shape[] = {STORED, NPT};
    le_tensor out = le_tensor_of(mine, LE_F64, 2, shape), count = {0}, intensity = {0};
    memset(chunks + offsets[3] + 20, 0xff, 40); /* LZ4 data: found when the block is decoded */
    for (int i = 0; i < STORED * NPT; i++)
        mine[i] = -7;
    assert_int_equal(integrate_scan(implementation, "refuse", &out, &count), LE_ERR_DATA);
    assert_non_null(strstr(le_error_message(), "chunk 3"));
    for (int i = 0; i < STORED * NPT; i++)
        assert_true(mine[i] == -7);
    const bool staged = !strncmp(implementation, "staged", 6); /* knows frames only */
    const le_status skipped = integrate_scan(implementation, "skip", &intensity, &count);
    assert_int_equal(skipped, staged ? LE_ERR_NO_CANDIDATE : LE_OK);
    for (int i = 0; i < STORED * NPT && !staged; i++) {
        const bool bad = i / NPT / OF_CHUNK == 3;
        assert_true(isnan(le_tensor_get(&intensity, i)) == bad);
        assert_true(isnan(le_tensor_get(&count, i)) == bad);
    }
    le_tensor_free(&intensity);
    le_tensor_free(&count);
    encode_scan();
}

/* All pixels in one bin, one by one: the sums of the pixels that are no dummies. */
static void stored_sums(const char *implementation) {
    le_tensor bytes = le_tensor_of(chunks, LE_U8, 1, &offsets[CHUNKS]), made = {0}, radial = {0},
              at = le_tensor_of(offsets, LE_I64, 1, (int64_t[]){CHUNKS + 1});
    assert_ok(le_engine_run(
        engine, "integrate_stored", LE_IN("frames", &bytes), LE_IN("offsets", &at),
        LE_F64("distance", 0.1), LE_F64("poni1", 0), LE_F64("poni2", 0), LE_F64("pixel1", 1e-4),
        LE_F64("pixel2", 1e-4), LE_I64("npt", 1), LE_STR("unit", "r_mm"), LE_STR("splitting", "no"),
        LE_I64("solid_angle", 0), LE_F64S("chunk", ((double[]){OF_CHUNK, ROWS, COLS}), 3),
        LE_STR("type", "u16"), LE_F64("dummy", 65535), LE_OUT("sum_signal", &made),
        LE_OUT("radial", &radial), LE_OPT_IMPLEMENTATION(implementation)));
    assert_int_equal(le_tensor_count(&made), STORED);
    assert_true(le_tensor_count(&radial) == 1 && le_tensor_get(&radial, 0) > 0);
    for (int f = 0; f < STORED; f++) {
        double want = 0;
        for (int i = f * PIXELS; i < (f + 1) * PIXELS; i++)
            want += scan[i] == 65535 ? 0 : scan[i];
        assert_near(le_tensor_get(&made, f), want, 1e-5 * want);
    }
    le_tensor_free(&made);
    le_tensor_free(&radial);
}

static void test_stored(void **state) {
    (void)state;
    encode_scan();
    for_implementations("integrate_stored", stored_as_frames);
    for_implementations("integrate_stored", stored_sums);
    stored_as_frames("slabs");
    stored_sums("slabs");
}

static void test_stored_bad(void **state) {
    (void)state;
    encode_scan();
    for_implementations("integrate_stored", stored_bad);
}

/* ------------------------------------------------------------------------------------ stacks ---
 */

enum { MAPS = 3, POINTS = 2 }; /* a map of maps: [MAPS,POINTS,H,W] */

static const char *stack_operation; /* that is tried */

/* The frames' sums, in one bin; axes: in front of those of a frame. */
static void sum_stack(const char *implementation, int axes, le_tensor *out) {
    const int64_t shape[] = {MAPS, POINTS, ROWS, COLS}, flat[] = {MAPS * POINTS, ROWS, COLS};
    le_tensor in = le_tensor_of(scan, LE_U16, axes + 2, axes == 2 ? shape : flat);
    const bool plane = strstr(stack_operation, "2d");
    le_arg args[16] = {
        LE_IN("frames", &in),     LE_F64("distance", 0.1),   LE_F64("poni1", 0),
        LE_F64("poni2", 0),       LE_F64("pixel1", 1e-4),    LE_F64("pixel2", 1e-4),
        LE_I64("npt", 1),         LE_STR("unit", "r_mm"),    LE_STR("splitting", "no"),
        LE_I64("solid_angle", 0), LE_OUT("sum_signal", out), LE_OPT_IMPLEMENTATION(implementation)};
    size_t n = 12;
    if (plane)
        args[n++] = LE_I64("npt_azim", 1);
    assert_ok(le_call_run(engine, stack_operation, args, n));
    const int64_t want[] = {MAPS, POINTS, 1, 1};
    assert_int_equal(out->ndim, axes + 1 + plane);
    for (int d = 0; axes == 2 && d < out->ndim; d++)
        assert_int_equal(out->shape[d], want[d]);
}

static void stacks_of_stacks(const char *implementation) {
    le_tensor got = {0}, flat = {0};
    sum_stack(implementation, 2, &got);
    sum_stack(implementation, 1, &flat);
    for (int f = 0; f < MAPS * POINTS; f++) {
        double want = 0;
        for (int i = f * PIXELS; i < (f + 1) * PIXELS; i++)
            want += scan[i];
        if (!strncmp(stack_operation, "azimuthal_integrate", 19)) /* nothing is left out */
            assert_near(le_tensor_get(&got, f), want, 1e-5 * want);
        assert_true(le_tensor_get(&got, f) == le_tensor_get(&flat, f));
    }
    le_tensor_free(&got);
    le_tensor_free(&flat);
}

static void test_stacks(void **state) {
    static const char *const operations[] = {"azimuthal_integrate", "azimuthal_integrate_2d",
                                             "azimuthal_sigma_clip", "azimuthal_median"};
    (void)state;
    encode_scan();
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        stack_operation = operations[k];
        for_implementations(stack_operation, stacks_of_stacks);
    }
    stack_operation = operations[0];
    stacks_of_stacks("slabs");
}

/* ---------------------------------------------------------------------------------- mistakes -- */

#define ASSERT_REFUSED(text, ...)                                                                  \
    do {                                                                                           \
        le_tensor out = {0};                                                                       \
        le_status status = le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in),      \
                                         LE_OUT("intensity", &out), __VA_ARGS__);                  \
        assert_int_not_equal(status, LE_OK);                                                       \
        if (!strstr(le_error_message(), text))                                                     \
            fail_msg("'%s' does not say '%s'", le_error_message(), text);                          \
        assert_null(out.data);                                                                     \
    } while (0)

static void test_mistakes(void **state) {
    le_tensor in = image(frame, LE_U32), small = le_tensor_of(frame, LE_U32, 2, (int64_t[]){4, 4});
    (void)state;
    ASSERT_REFUSED("distance", LE_I64("npt", 5));
    ASSERT_REFUSED("nowhere.poni", LE_STR("poni", "nowhere.poni"), LE_I64("npt", 5));
    ASSERT_REFUSED("wavelength", LE_F64("distance", 1), LE_F64("poni1", 0), LE_F64("poni2", 0),
                   LE_I64("npt", 5));
    ASSERT_REFUSED("mask", GEOMETRY, LE_IN("mask", &small));
    ASSERT_REFUSED("radial_range", GEOMETRY, LE_F64S("radial_range", ((double[]){2, 2}), 2));
    ASSERT_REFUSED("variance", GEOMETRY, LE_STR("error_model", "variance"));
    ASSERT_REFUSED("delta_dummy", GEOMETRY, LE_F64("delta_dummy", 1));
    ASSERT_REFUSED("2167", GEOMETRY, LE_STR("detector", "Eiger4M"));
    ASSERT_REFUSED("not known", GEOMETRY, LE_STR("detector", "Eyger4M"));
    ASSERT_REFUSED("normalization_factor", GEOMETRY, LE_F64("normalization_factor", 0));
}

/* A PONI file is a file: numbers beside it count more, and a detector brings its pixels. */
/* Frames without numbers here and there, pixels that bins split: of some bins nearly all is taken
 * away again, down to some hundred millionths of a pixel. */
static const le_tensor *sem_of_slivers(const char *implementation, le_case *c) {
    const le_case_request request = {
        .kind = LE_CASE_CHECK, .seed = 1004, .index = 31, .dtype = LE_F32};
    le_arg args[LE_MAX_ARGS + 2];
    const le_tensor *sem = NULL;
    assert_ok(le__case_make(c, le_engine_operation(engine, "azimuthal_integrate_2d"), &request));
    memcpy(args, c->args, c->n * sizeof *args);
    args[c->n] = LE_OPT_IMPLEMENTATION(implementation);
    args[c->n + 1] = LE_OPT_ATOL(1);
    assert_ok(le_call_run(engine, "azimuthal_integrate_2d", args, c->n + 2));
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->args[i].name, "sem"))
            sem = c->args[i].value.out;
    return sem;
}

static void compare_slivers(const char *implementation) {
    le_case expected, given;
    const le_tensor *right = sem_of_slivers("reference", &expected),
                    *sem = sem_of_slivers(implementation, &given);
    double largest = 0, off = 0;
    for (int64_t i = 0; i < le_tensor_count(sem); i++) {
        largest = fmax(largest, le_tensor_get(right, i));
        off = fmax(off, fabs(le_tensor_get(sem, i) - le_tensor_get(right, i)));
    }
    assert_true(off <= 1e-6 * largest);
    le__case_free(&given);
    le__case_free(&expected);
}

static void test_slivers(void **state) {
    (void)state;
    for_implementations("azimuthal_integrate_2d", compare_slivers);
}

static void test_poni_file(void **state) {
    char path[] = "/tmp/test_scattering_XXXXXX";
    const int fd = mkstemp(path);
    static const char text[] = "Distance: 0.1\nPoni1: 3.05e-3\nPoni2: 7\nPixelSize1: 2e-4\n"
                               "PixelSize2: 1e-4\n";
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    le_tensor in = image(frame, LE_U32), a = {0}, b = {0};
    assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY,
                            LE_OUT("intensity", &a)));
    assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in),
                            LE_STR("poni", path), LE_F64("poni2", poni2), LE_I64("npt", NPT),
                            LE_STR("unit", "r_mm"), LE_OUT("intensity", &b)));
    for (int k = 0; k < NPT; k++)
        assert_near(le_tensor_get(&a, k), le_tensor_get(&b, k), 1e-6 * fabs(le_tensor_get(&a, k)));
    le_tensor_free(&a);
    le_tensor_free(&b);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_centres),
        cmocka_unit_test(test_tiny_normalization),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_areas),
        cmocka_unit_test(test_sector),
        cmocka_unit_test(test_ends_of_the_turn),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_many_cells),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_poni_file),
        cmocka_unit_test(test_stored),
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_stored_bad),
        cmocka_unit_test(test_slivers),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_own_azimuths),
    };
    fill_frame();
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
