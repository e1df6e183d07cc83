/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sigma clipping and medians of rings against sorted lists and sums made here; and with frames
 * whose answer is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "check/runs_here.h"
#include "one_engine.h"

enum { ROWS = 40, COLS = 50, NPT = 9, PIXELS = ROWS * COLS, FRAMES = 3 };

static const double pixel = 1e-4, distance = 0.1, poni1 = 1.93e-3, poni2 = 1.02e-3;
static const double lo = 0.3, step = 0.21; /* mm */

static uint32_t frames[FRAMES * PIXELS];

#define GEOMETRY                                                                                   \
    LE_F64("distance", distance), LE_F64("poni1", poni1), LE_F64("poni2", poni2),                  \
        LE_F64("pixel1", pixel), LE_F64("pixel2", pixel), LE_I64("npt", NPT),                      \
        LE_STR("unit", "r_mm"), LE_STR("splitting", "no"),                                         \
        LE_F64S("radial_range", ((double[]){lo, lo + step * NPT}), 2)

static void fill_frames(void) {
    uint32_t x = 11;
    for (int i = 0; i < FRAMES * PIXELS; i++) {
        x = x * 1664525u + 1013904223u;
        frames[i] = 40 + (x >> 28) + (x >> 20) % 7;
        if (i % 31 == 7) /* some of them beyond the limit */
            frames[i] = 60 + (x >> 16) % 20;
        if (i % 97 == 5)
            frames[i] = 100 + x % 30;
    }
}

static double place(int index, double poni) {
    return ((double)index + 0.5) * pixel - poni;
}

static int bin_of(int i) {
    const double r = 1000 * hypot(place(i / COLS, poni1), place(i % COLS, poni2));
    const double at = (r - lo) / step;
    return at >= 0 && at < NPT ? (int)at : -1;
}

static double solid_angle(int i) {
    const double r2 = place(i / COLS, poni1) * place(i / COLS, poni1) +
                      place(i % COLS, poni2) * place(i % COLS, poni2);
    return pow(distance / sqrt(distance * distance + r2), 3);
}

typedef struct part {
    double s, w;
    int out;
} part;

/* The pixels of a ring. */
static int ring_of(const uint32_t *frame, int bin, part *out) {
    int n = 0;
    for (int i = 0; i < PIXELS; i++)
        if (bin_of(i) == bin)
            out[n++] = (part){frame[i], solid_angle(i), 0};
    return n;
}

typedef void (*check_fn)(const char *implementation);

/* On a device with a work-item, part of a wave, and several waves a ring. */
static void for_implementations(const char *operation, check_fn fn) {
    static const int teams[] = {1, 8, 256};
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, operation, &n);
    for (size_t k = 0; k < n; k++) {
        if (!runs_here(engine, all[k]))
            continue;
        if (all[k]->device == LE_DEVICE_CPU)
            fn(all[k]->name);
        for (int t = 0; t < 3 && all[k]->device != LE_DEVICE_CPU; t++) {
            char candidate[64];
            snprintf(candidate, sizeof candidate, "%s[team=%d]", all[k]->name, teams[t]);
            fn(candidate);
        }
    }
}

static void assert_ok(le_status status) {
    if (status != LE_OK)
        fail_msg("%s", le_error_message());
}

static void assert_near(double got, double want, double most) {
    if (!(fabs(got - want) <= most))
        fail_msg("%.12g, expected %.12g", got, want);
}

/* --------------------------------------------------------------------------------------- clip --
 */

typedef struct moments {
    double s, n, n2, v, k;
} moments;

static moments add_up(const part *p, int n, int azimuthal) {
    moments m = {0};
    for (int i = 0; i < n; i++)
        if (!p[i].out)
            m = (moments){m.s + p[i].s, m.n + p[i].w, m.n2 + p[i].w * p[i].w, m.v + fmax(p[i].s, 1),
                          m.k + 1};
    if (!azimuthal)
        return m;
    m.v = 0;
    for (int i = 0; i < n; i++)
        if (!p[i].out)
            m.v += pow(p[i].s - p[i].w * m.s / m.n, 2);
    return m;
}

static moments clipped(part *p, int n, int azimuthal, double thres, int max_iter) {
    moments m = add_up(p, n, azimuthal);
    for (int k = 0; k < max_iter; k++) {
        const double chauvenet = sqrt(2 * log(fmax(m.k, 3) / sqrt(2 * 3.14159265358979)));
        const double most = fmax(thres, chauvenet) * sqrt(m.v / m.n2);
        for (int i = 0; i < n; i++)
            p[i].out |= fabs(p[i].s / p[i].w - m.s / m.n) > most;
        m = add_up(p, n, azimuthal);
    }
    return m;
}

static void clip_as(const char *implementation, int azimuthal, double thres, int max_iter) {
    static part ring[PIXELS];
    le_tensor in = le_tensor_of(frames, LE_U32, 3, (int64_t[]){FRAMES, ROWS, COLS}), i = {0},
              sem = {0}, std = {0}, count = {0};
    int refused = 0;
    assert_ok(le_engine_run(engine, "azimuthal_sigma_clip", LE_IN("frames", &in), GEOMETRY,
                            LE_STR("error_model", azimuthal ? "azimuthal" : "poisson"),
                            LE_F64("thres", thres), LE_I64("max_iter", max_iter),
                            LE_OUT("intensity", &i), LE_OUT("sem", &sem), LE_OUT("std", &std),
                            LE_OUT("count", &count), LE_OPT_IMPLEMENTATION(implementation)));
    for (int k = 0; k < FRAMES * NPT; k++) {
        const int n = ring_of(frames + k / NPT * PIXELS, k % NPT, ring);
        const moments m = clipped(ring, n, azimuthal, thres, max_iter);
        assert_near(le_tensor_get(&count, k), m.k, 1e-6);
        assert_near(le_tensor_get(&i, k), m.s / m.n, 1e-5);
        assert_near(le_tensor_get(&sem, k), sqrt(m.v) / m.n, 1e-5);
        assert_near(le_tensor_get(&std, k), sqrt(m.v / m.n2), 1e-5);
        refused += n - (int)m.k;
    }
    assert_true((refused > FRAMES * NPT) == (max_iter > 0));
    le_tensor_free(&i);
    le_tensor_free(&sem);
    le_tensor_free(&std);
    le_tensor_free(&count);
}

static void clip(const char *implementation) {
    clip_as(implementation, 0, 3, 5);
    clip_as(implementation, 1, 2.5, 4);
    clip_as(implementation, 1, 0, 1);
    clip_as(implementation, 0, 4, 0);
}

static void test_clip(void **state) {
    (void)state;
    for_implementations("azimuthal_sigma_clip", clip);
}

static float faint_frame[PIXELS];

/* Pixels, or what they are over their weights, below what single precision has. */
static void faint_as(const char *implementation, double scale, double factor) {
    static part ring[PIXELS];
    le_tensor in = le_tensor_of(faint_frame, LE_F32, 2, (int64_t[]){ROWS, COLS}), i = {0},
              count = {0}, std = {0};
    for (int k = 0; k < PIXELS; k++)
        faint_frame[k] = (float)(scale * frames[k]);
    assert_ok(le_engine_run(engine, "azimuthal_sigma_clip", LE_IN("frames", &in), GEOMETRY,
                            LE_STR("error_model", "azimuthal"), LE_F64("thres", 2.5),
                            LE_I64("max_iter", 4), LE_F64("normalization_factor", factor),
                            LE_OUT("intensity", &i), LE_OUT("count", &count), LE_OUT("std", &std),
                            LE_OPT_IMPLEMENTATION(implementation)));
    for (int b = 0; b < NPT; b++) {
        const int n = ring_of(frames, b, ring);
        const moments m = clipped(ring, n, 1, 2.5, 4);
        assert_near(le_tensor_get(&count, b), m.k, 1e-6);
        assert_near(le_tensor_get(&i, b) / scale * factor, m.s / m.n, 1e-5);
        assert_near(le_tensor_get(&std, b) / scale * factor, sqrt(m.v / m.n2), 1e-5);
    }
    le_tensor_free(&i);
    le_tensor_free(&std);
    le_tensor_free(&count);
}

static void faint(const char *implementation) {
    faint_as(implementation, 0x1p-140, 1);
    faint_as(implementation, 0x1p-125, 1);
    faint_as(implementation, 0x1p-140, 1e6);
    faint_as(implementation, 0x1p-130, 1e20);
}

static void test_faint(void **state) {
    (void)state;
    for_implementations("azimuthal_sigma_clip", faint);
}

static float flat[PIXELS], values[PIXELS];

static void fill_even(void) {
    for (int i = 0; i < PIXELS; i++) {
        flat[i] = 0.7f + 1e-3f * (float)(i % 311);
        values[i] = 12.3f * flat[i];
    }
}

/* A frame of one value: nothing is refused, however small the rounding that sets pixels apart. */
static void even(const char *implementation) {
    fill_even();
    le_tensor in = le_tensor_of(values, LE_F32, 2, (int64_t[]){ROWS, COLS}),
              f = le_tensor_of(flat, LE_F32, 2, (int64_t[]){ROWS, COLS}), count = {0}, i = {0};
    part ring[PIXELS];
    assert_ok(le_engine_run(engine, "azimuthal_sigma_clip", LE_IN("frames", &in), GEOMETRY,
                            LE_IN("flat", &f), LE_I64("solid_angle", 0), LE_F64("thres", 0),
                            LE_OUT("count", &count), LE_OUT("intensity", &i),
                            LE_OPT_IMPLEMENTATION(implementation)));
    for (int b = 0; b < NPT; b++) {
        assert_near(le_tensor_get(&count, b), ring_of(frames, b, ring), 1e-9);
        assert_near(le_tensor_get(&i, b), 12.3, 1e-5);
    }
    le_tensor_free(&count);
    le_tensor_free(&i);
}

/* Nor do its pixels deviate from their mean. */
static void no_spread(const char *implementation) {
    fill_even();
    le_tensor in = le_tensor_of(values, LE_F32, 2, (int64_t[]){ROWS, COLS}),
              f = le_tensor_of(flat, LE_F32, 2, (int64_t[]){ROWS, COLS}), std = {0}, i = {0};
    assert_ok(le_engine_run(engine, "azimuthal_integrate", LE_IN("frames", &in), GEOMETRY,
                            LE_IN("flat", &f), LE_I64("solid_angle", 0),
                            LE_STR("error_model", "azimuthal"), LE_OUT("std", &std),
                            LE_OUT("intensity", &i), LE_OPT_IMPLEMENTATION(implementation)));
    for (int b = 0; b < NPT; b++) {
        assert_near(le_tensor_get(&std, b), 0, 0);
        assert_near(le_tensor_get(&i, b), 12.3, 1e-5);
    }
    le_tensor_free(&std);
    le_tensor_free(&i);
}

/* Far from the sample what sets the pixels of a ring apart is little more than rounding. Who
 * refuses others of them for that is not wrong. */
static void far(const char *implementation) {
    enum { SIDE = 700 };
    static float ones[SIDE * SIDE];
    le_tensor in = le_tensor_of(ones, LE_F32, 2, (int64_t[]){SIDE, SIDE}), std = {0}, i = {0},
              variance = {0}, normalization2 = {0};
    for (int k = 0; k < SIDE * SIDE; k++)
        ones[k] = 1;
    assert_ok(le_engine_run(
        engine, "azimuthal_sigma_clip", LE_IN("frames", &in), LE_F64("distance", 2),
        LE_F64("poni1", 0.03), LE_F64("poni2", 0.04), LE_F64("pixel1", pixel),
        LE_F64("pixel2", pixel), LE_I64("npt", 300), LE_STR("unit", "r_mm"), LE_OUT("std", &std),
        LE_OUT("intensity", &i), LE_OUT("sum_variance", &variance),
        LE_OUT("sum_normalization2", &normalization2), LE_OPT_IMPLEMENTATION(implementation)));
    for (int b = 0; b < 300; b++) {
        assert_near(le_tensor_get(&std, b), 0, 2e-5);
        assert_near(le_tensor_get(&i, b), 1, 2e-3);
    }
    le_tensor_free(&std);
    le_tensor_free(&variance);
    le_tensor_free(&normalization2);
    le_tensor_free(&i);
}

static void test_even(void **state) {
    (void)state;
    for_implementations("azimuthal_sigma_clip", even);
    for_implementations("azimuthal_sigma_clip", far);
    for_implementations("azimuthal_integrate", no_spread);
}

/* ------------------------------------------------------------------------------------- median --
 */

static int by_value(const void *x, const void *y) {
    const part *a = x, *b = y;
    return (a->s / a->w > b->s / b->w) - (a->s / a->w < b->s / b->w);
}

static double band_of(part *p, int n, double from, double to) {
    double all = 0, begin = 0, s = 0, w = 0;
    qsort(p, (size_t)n, sizeof *p, by_value);
    for (int i = 0; i < n; i++)
        all += p[i].w;
    for (int i = 0; i < n; i++) {
        if (begin + p[i].w >= from * all && begin <= to * all) {
            s += p[i].s;
            w += p[i].w;
        }
        begin += p[i].w;
    }
    return s / w;
}

static void band_as(const char *implementation, double from, double to) {
    static part ring[PIXELS];
    le_tensor in = le_tensor_of(frames, LE_U32, 3, (int64_t[]){FRAMES, ROWS, COLS}), i = {0};
    assert_ok(le_engine_run(engine, "azimuthal_median", LE_IN("frames", &in), GEOMETRY,
                            LE_F64S("quantiles", ((double[]){from, to}), 2),
                            LE_OUT("intensity", &i), LE_OPT_IMPLEMENTATION(implementation)));
    for (int k = 0; k < FRAMES * NPT; k++) {
        const int n = ring_of(frames + k / NPT * PIXELS, k % NPT, ring);
        assert_near(le_tensor_get(&i, k), band_of(ring, n, from, to), 2e-5);
    }
    le_tensor_free(&i);
}

/* Of pixels that count the same: as every textbook has it, also of an even number. */
static void plain_median(const char *implementation) {
    static part ring[PIXELS];
    le_tensor in = le_tensor_of(frames, LE_U32, 2, (int64_t[]){ROWS, COLS}), i = {0};
    int even_rings = 0;
    assert_ok(le_engine_run(engine, "azimuthal_median", LE_IN("frames", &in), GEOMETRY,
                            LE_I64("solid_angle", 0), LE_F64("normalization_factor", 0.7),
                            LE_OUT("intensity", &i), LE_OPT_IMPLEMENTATION(implementation)));
    for (int b = 0; b < NPT; b++) {
        const int n = ring_of(frames, b, ring);
        for (int k = 0; k < n; k++)
            ring[k].w = 1;
        qsort(ring, (size_t)n, sizeof *ring, by_value);
        assert_near(le_tensor_get(&i, b), 0.5 * (ring[(n - 1) / 2].s + ring[n / 2].s) / 0.7, 1e-5);
        even_rings += n % 2 == 0;
    }
    assert_true(even_rings > 0 && even_rings < NPT);
    le_tensor_free(&i);
}

static void bands(const char *implementation) {
    band_as(implementation, 0.5, 0.5);
    band_as(implementation, 0.25, 0.75);
    band_as(implementation, 0, 0.1);
    band_as(implementation, 1, 1);
    band_as(implementation, 0, 1);
    plain_median(implementation);
}

static void test_median(void **state) {
    (void)state;
    for_implementations("azimuthal_median", bands);
}

static void test_mistakes(void **state) {
    le_tensor in = le_tensor_of(frames, LE_U32, 2, (int64_t[]){ROWS, COLS}), i = {0};
    (void)state;
    assert_int_not_equal(le_engine_run(engine, "azimuthal_median", LE_IN("frames", &in), GEOMETRY,
                                       LE_F64S("quantiles", ((double[]){0.6, 0.4}), 2),
                                       LE_OUT("intensity", &i)),
                         LE_OK);
    assert_non_null(strstr(le_error_message(), "0.6,0.4"));
    assert_int_not_equal(le_engine_run(engine, "azimuthal_sigma_clip", LE_IN("frames", &in),
                                       GEOMETRY, LE_STR("error_model", "none"),
                                       LE_OUT("intensity", &i)),
                         LE_OK);
    assert_non_null(strstr(le_error_message(), "error_model"));
    assert_null(i.data);
}

/* --------------------------------------------------------------------------------- beyond f32 --
 */

static void curve(const char *operation, const char *implementation, int weighted,
                  const le_tensor *response, const le_tensor *mask, double results[2][NPT]) {
    le_tensor in = le_tensor_of(frames, LE_U32, 2, (int64_t[]){ROWS, COLS}),
              intensity = le_tensor_of(results[0], LE_F64, 1, (int64_t[]){NPT}),
              sem = le_tensor_of(results[1], LE_F64, 1, (int64_t[]){NPT});
    assert_ok(le_engine_run(engine, operation, LE_IN("frames", &in), GEOMETRY,
                            LE_STR("error_model", "poisson"), LE_I64("weighted", weighted),
                            LE_F64("normalization_factor", 1e-3), LE_IN("flat", response),
                            LE_IN("mask", mask), LE_OUT("intensity", &intensity),
                            LE_OUT("sem", &sem), LE_OPT_IMPLEMENTATION(implementation)));
}

/* Pixels whose normalization, or whose variance divided by its square, f32 does not hold are left
 * out, as if they were masked. */
static void without_those_beyond(const char *operation, int weighted, double beyond) {
    static double response[PIXELS];
    static uint8_t mask[PIXELS], none[PIXELS];
    const int64_t shape[] = {ROWS, COLS};
    le_tensor flats = le_tensor_of(response, LE_F64, 2, shape),
              masks = le_tensor_of(mask, LE_U8, 2, shape),
              all = le_tensor_of(none, LE_U8, 2, shape);
    size_t n;
    const le_implementation *const *of = le_engine_implementations(engine, operation, &n);
    for (size_t k = 0; k < n; k++) {
        double got[2][NPT], want[2][NPT];
        if (!runs_here(engine, of[k]))
            continue;
        for (int i = 0; i < PIXELS; i++) {
            mask[i] = i % 7 == 3;
            response[i] = 1 + 0.01 * (i % 5);
        }
        le_tensor_touch(&flats);
        curve(operation, of[k]->name, weighted, &flats, &masks, want);
        for (int i = 3; i < PIXELS; i += 7)
            response[i] = beyond;
        le_tensor_touch(&flats);
        curve(operation, of[k]->name, weighted, &flats, &all, got);
        for (int b = 0; b < 2 * NPT; b++)
            if (!(fabs(got[b / NPT][b % NPT] - want[b / NPT][b % NPT]) <=
                  1e-6 * want[b / NPT][b % NPT]) ||
                !(want[b / NPT][b % NPT] > 0))
                fail_msg("%s %s, weighted %d, response %g: %.9g, expected %.9g", operation,
                         of[k]->name, weighted, beyond, got[b / NPT][b % NPT],
                         want[b / NPT][b % NPT]);
    }
}

static void test_beyond_f32(void **state) {
    (void)state;
    without_those_beyond("azimuthal_sigma_clip", 1, 1e42);
    without_those_beyond("azimuthal_sigma_clip", 1, 1e-46);
    without_those_beyond("azimuthal_sigma_clip", 0, 1e-36);
    without_those_beyond("azimuthal_median", 0, 1e-36);
    without_those_beyond("azimuthal_median", 0, 1e42);
    without_those_beyond("azimuthal_integrate", 1, 1e42);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clip),     cmocka_unit_test(test_faint),
        cmocka_unit_test(test_even),     cmocka_unit_test(test_median),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_beyond_f32)};
    fill_frames();
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
