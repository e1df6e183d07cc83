/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Clips of images that are large enough for one look at the pixels, against clips pass by pass:
 * with data that are like their sample, and with data that are not, so that the pixels have to be
 * sorted. And what is refused, with its text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "check/runs_here.h"
#include "one_engine.h"

enum { ROWS = 300, COLS = 333, PIXELS = ROWS * COLS, STATISTICS = 10 };

typedef enum content {
    NORMAL,
    TWO_PEAKS,  /* a bound and the median lie where there is nothing */
    STEPS,      /* few levels: the window holds most of the pixels */
    HALF_EQUAL, /* one value, and noise */
    NOT_FINITE,
    FAR,        /* a large offset */
    TAIL_ONLY,  /* the sample misses what makes the first pass */
    AT_BOUNDS,  /* many numbers close to a bound of a pass */
    FEW_DIGITS, /* levels of f32 are far apart at the median */
    DENORMAL,   /* and here the least there are */
    NO_TAIL,    /* all within the bounds: extremes are those of the core */
    ONE_TAIL,   /* nothing below the lower bound */
    TOO_FAR,    /* one number whose square no double holds */
    CONTENTS
} content;

static double uniform(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *state) {
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += uniform(state);
    return sum;
}

static double pixel(content kind, int64_t i, uint64_t *state) {
    const double noise = normal(state), u = uniform(state);
    switch (kind) {
    case TWO_PEAKS:
        return i % 2 ? 1000 + noise : -1000 + noise;
    case STEPS:
        return floor(noise * 2);
    case HALF_EQUAL:
        return u < 0.55 ? 12 : 12 + 30 * noise;
    case NOT_FINITE:
        return u < 0.1 ? NAN : u < 0.15 ? INFINITY : u < 0.2 ? -INFINITY : noise;
    case FAR:
        return 1e6 + noise / 4;
    case TAIL_ONLY:
        return i == 77 ? 1e9 : noise;
    case TOO_FAR:
        return i == 77 ? -1e300 : noise;
    case AT_BOUNDS:
        return u < 0.01 ? 3 : u < 0.02 ? -3 : noise * 0.98;
    case FEW_DIGITS:
        return 1e7 + floor(noise * 3);
    case DENORMAL:
        return noise * 1e-44;
    case NO_TAIL:
        return u;
    case ONE_TAIL:
        return u < 0.01 ? 50 + u : u;
    default:
        return u < 0.01 ? noise + 40 * uniform(state) : noise;
    }
}

static void make_image(content kind, le_dtype dtype, le_tensor *out) {
    uint64_t state = 17 + (uint64_t)kind;
    assert_int_equal(le_tensor_alloc(out, dtype, 2, (int64_t[]){ROWS, COLS}), LE_OK);
    for (int64_t i = 0; i < PIXELS; i++) {
        const double v = pixel(kind, i, &state);
        le_tensor_set(out, i, dtype == LE_I32 && !isfinite(v) ? 0 : dtype == LE_I32 ? 100 * v : v);
    }
}

/* All pixels as one set, for some implementations as a long line. */
static void clip(const le_tensor *image, const char *implementation, const char *center,
                 int64_t maxiters, double out[STATISTICS], le_tensor *mask) {
    le_tensor statistics = le_tensor_of(out, LE_F64, 1, (int64_t[]){STATISTICS});
    const le_tensor line = le_tensor_of(image->data, image->dtype, 1, (int64_t[]){PIXELS});
    const bool of_lines =
        !strcmp(implementation, "groups_opencl") || !strcmp(implementation, "lines");
    const le_arg axis = of_lines ? LE_I64("axis", 0) : LE_STR("keep", "sequential");
    const le_status status = le_engine_run(
        engine, "sigma_clip", LE_IN("image", of_lines ? &line : image), axis,
        LE_STR("center", center), LE_I64("maxiters", maxiters), LE_OUT("statistics", &statistics),
        LE_OUT("mask", mask), LE_OPT_IMPLEMENTATION(implementation));
    if (status != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
}

typedef struct answer {
    double statistics[STATISTICS];
    le_tensor mask;
} answer;

static void compare(content kind, const char *implementation, const le_tensor *image,
                    const char *center, int64_t maxiters, const answer *want) {
    answer got = {.mask = {0}};
    const double *a = got.statistics, *b = want->statistics;
    clip(image, implementation, center, maxiters, got.statistics, &got.mask);
    for (int k = 0; k < STATISTICS; k++) {
        const double tolerance = k < 4 || k > 7 ? 0 : 1e-11 * (b[5] + 1e-4 * fabs(b[k]));
        if (a[k] != b[k] && !(fabs(a[k] - b[k]) <= tolerance))
            fail_msg("%s, content %d, %s, %s, %d passes: statistic %d is %.17g, expected %.17g",
                     implementation, (int)kind, le_dtype_name(image->dtype), center, (int)maxiters,
                     k, a[k], b[k]);
    }
    assert_memory_equal(got.mask.data, want->mask.data, PIXELS);
    le_tensor_free(&got.mask);
}

static void compare_all(content kind, const le_tensor *image, const char *center,
                        int64_t maxiters) {
    answer want = {.mask = {0}};
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "sigma_clip", &n);
    clip(image, "reference", center, maxiters, want.statistics, &want.mask);
    for (size_t k = 0; k < n; k++) {
        const char *name = all[k]->name; /* two of which are not for them */
        if (runs_here(engine, all[k]) && strcmp(name, "reference") && strcmp(name, "counted") &&
            strcmp(name, "lines_opencl"))
            compare(kind, name, image, center, maxiters, &want);
    }
    le_tensor_free(&want.mask);
}

static void test_contents(void **state) {
    static const le_dtype dtypes[] = {LE_F32, LE_F64, LE_I32};
    (void)state;
    for (int kind = 0; kind < CONTENTS; kind++)
        for (int d = 0; d < 3; d++) {
            le_tensor image = {0};
            make_image((content)kind, dtypes[d], &image);
            compare_all((content)kind, &image, "median", 0);
            if (d == 0)
                compare_all((content)kind, &image, "mean", 2);
            le_tensor_free(&image);
        }
}

/* Six pixels of 10 with one of 6 and one of 14 have a deviation of 2, so that two deviations from
 * the median are exactly those. */
static void at_bounds(const char *implementation, le_dtype dtype, bool closed) {
    static const double pixels[] = {10, 10, 6, 10, 10, 14, 10, 10};
    le_tensor image = {0}, got = {0};
    assert_int_equal(le_tensor_alloc(&image, dtype, 1, (int64_t[]){8}), LE_OK);
    for (int i = 0; i < 8; i++)
        le_tensor_set(&image, i, pixels[i]);
    const le_status status =
        le_engine_run(engine, "sigma_clip", LE_IN("image", &image), LE_F64("sigma_lower", 2),
                      LE_F64("sigma_upper", 2), LE_STR("bounds", closed ? "closed" : "open"),
                      LE_OUT("statistics", &got), LE_OPT_IMPLEMENTATION(implementation));
    if (status == LE_OK) {
        const double *s = got.data;
        if (s[0] != (closed ? 8 : 6) || s[8] != (closed ? 6 : 10) || s[9] != (closed ? 14 : 10))
            fail_msg("%s, %s, %s: %g pixels from %g to %g are kept", implementation,
                     le_dtype_name(dtype), closed ? "closed" : "open", s[0], s[8], s[9]);
    } else if (!is_not_for_it(status)) {
        fail_msg("%s: %s", implementation, le_error_message());
    }
    le_tensor_free(&image);
    le_tensor_free(&got);
}

static void test_at_bounds(void **state) {
    static const le_dtype dtypes[] = {LE_U8, LE_I16, LE_I32, LE_U32, LE_F32, LE_F64};
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "sigma_clip", &n);
    (void)state;
    for (size_t k = 0; k < n; k++)
        for (int d = 0; d < 6 && runs_here(engine, all[k]); d++) {
            at_bounds(all[k]->name, dtypes[d], false);
            at_bounds(all[k]->name, dtypes[d], true);
        }
}

/* Against what numpy makes of them: the deviation is infinite, and nothing lies beyond so many of
 * them. No deviation below the center, all that is below it does. */
static void too_far(const char *implementation, double sigma_lower) {
    double pixels[] = {1, 2, 3, -DBL_MAX, 4, 5, 6, 7};
    const bool all = sigma_lower > 0;
    const double want[STATISTICS] = {all ? 8 : 4,
                                     all ? 0 : 4,
                                     1,
                                     all ? 3.5 : 5.5,
                                     all ? -DBL_MAX / 8 : 5.5,
                                     all ? INFINITY : sqrt(1.25),
                                     all ? -INFINITY : 3.5,
                                     INFINITY,
                                     all ? -DBL_MAX : 4,
                                     7};
    const le_tensor image = le_tensor_of(pixels, LE_F64, 1, (int64_t[]){8});
    le_tensor got = {0};
    const le_status status = le_engine_run(
        engine, "sigma_clip", LE_IN("image", &image), LE_F64("sigma_lower", sigma_lower),
        LE_I64("maxiters", 1), LE_OUT("statistics", &got), LE_OPT_IMPLEMENTATION(implementation));
    if (status != LE_OK && !is_not_for_it(status))
        fail_msg("%s: %s", implementation, le_error_message());
    for (int k = 0; k < STATISTICS && status == LE_OK; k++) {
        const double is = ((const double *)got.data)[k];
        if (is != want[k] && !(fabs(is - want[k]) <= 1e-15 * fabs(want[k])))
            fail_msg("%s, %g deviations: statistic %d is %g, expected %g", implementation,
                     sigma_lower, k, is, want[k]);
    }
    le_tensor_free(&got);
}

/* Of sums that no double holds the mean is no number; nothing is beyond an infinite deviation. */
static void no_mean(const char *implementation) {
    double pixels[] = {1, 2, -DBL_MAX, -DBL_MAX, 4, 5, -DBL_MAX, 7};
    const le_tensor image = le_tensor_of(pixels, LE_F64, 1, (int64_t[]){8});
    le_tensor got = {0};
    const le_status status = le_engine_run(
        engine, "sigma_clip", LE_IN("image", &image), LE_STR("center", "mean"), LE_I64("axis", 0),
        LE_OUT("statistics", &got), LE_OPT_IMPLEMENTATION(implementation));
    const double *is = got.data;
    if (status != LE_OK && !is_not_for_it(status))
        fail_msg("%s: %s", implementation, le_error_message());
    if (status == LE_OK && (is[0] != 8 || is[1] != 0 || is[6] != -INFINITY || is[7] != INFINITY))
        fail_msg("%s: %g are kept, %g rejected, within %g and %g", implementation, is[0], is[1],
                 is[6], is[7]);
    le_tensor_free(&got);
}

static void test_no_mean(void **state) {
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "sigma_clip", &n);
    (void)state;
    for (size_t k = 0; k < n; k++)
        if (runs_here(engine, all[k]))
            no_mean(all[k]->name);
}

static void test_too_far(void **state) {
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "sigma_clip", &n);
    (void)state;
    for (size_t k = 0; k < n; k++)
        for (int sigma = 0; sigma <= 3 && runs_here(engine, all[k]); sigma += 3)
            too_far(all[k]->name, sigma);
}

/* Lines without pixels: nothing is counted, nothing is known. And no lines. */
static void empty_lines(const char *implementation, int64_t rows, int64_t cols, int64_t axis) {
    double pixels[1] = {0};
    const int64_t lines = axis == 0 ? cols : rows;
    le_tensor image = le_tensor_of(pixels, LE_F64, 2, (int64_t[]){rows, cols});
    le_tensor got = {0}, mask = {0};
    image.strides[0] = image.strides[1] = 0; /* as numpy has them, not those of rows */
    const le_status status = le_engine_run(
        engine, "sigma_clip", LE_IN("image", &image), LE_I64("axis", axis),
        LE_OUT("statistics", &got), LE_OUT("mask", &mask), LE_OPT_IMPLEMENTATION(implementation));
    if (status != LE_OK && !is_not_for_it(status))
        fail_msg("%s: %s", implementation, le_error_message());
    for (int64_t i = 0; i < STATISTICS * lines && status == LE_OK; i++) {
        const double is = ((const double *)got.data)[i];
        if (!(i / lines < 3 ? is == 0 : isnan(is)))
            fail_msg("%s, %dx%d, axis %d: statistic %d is %g", implementation, (int)rows, (int)cols,
                     (int)axis, (int)(i / lines), is);
    }
    if (status == LE_OK)
        assert_int_equal(got.shape[1], lines);
    le_tensor_free(&got);
    le_tensor_free(&mask);
}

static void test_empty_lines(void **state) {
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "sigma_clip", &n);
    (void)state;
    for (size_t k = 0; k < n; k++)
        for (int axis = 0; axis < 2 && runs_here(engine, all[k]); axis++) {
            empty_lines(all[k]->name, 0, 4, axis);
            empty_lines(all[k]->name, 4, 0, axis);
            empty_lines(all[k]->name, 0, 0, axis);
        }
}

/* What the fused forms find in an image, and what the reference does. */
static void compare_fused(const le_tensor *image, const le_arg *settings, size_t n_settings) {
    le_arg args[8] = {LE_IN("image", image), LE_STR("rule", "median")};
    le_tensor want = {0};
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "find_sources", &n);
    assert_true(n_settings + 4 <= 8);
    memcpy(args + 2, settings, n_settings * sizeof *settings);
    args[n_settings + 2] = LE_OUT("labels", &want);
    args[n_settings + 3] = LE_OPT_IMPLEMENTATION("reference");
    assert_int_equal(le_call_run(engine, "find_sources", args, n_settings + 4), LE_OK);
    for (size_t k = 0; k < n; k++) {
        le_tensor got = {0};
        if (strncmp(all[k]->name, "fused", 5) || !runs_here(engine, all[k]))
            continue;
        args[n_settings + 2] = LE_OUT("labels", &got);
        args[n_settings + 3] = LE_OPT_IMPLEMENTATION(all[k]->name);
        assert_int_equal(le_call_run(engine, "find_sources", args, n_settings + 4), LE_OK);
        assert_memory_equal(got.data, want.data, PIXELS * sizeof(int32_t));
        le_tensor_free(&got);
    }
    le_tensor_free(&want);
}

/* The fused form on the same images as the clip. */
static void test_fused(void **state) {
    (void)state;
    for (int kind = 0; kind < CONTENTS; kind++) {
        le_tensor image = {0};
        make_image((content)kind, LE_F32, &image);
        compare_fused(&image, &LE_F64("k", kind % 2 ? 2 : 4), 1);
        le_tensor_free(&image);
    }
}

/* Above the clip's upper edge and below it: pixels are looked at again, or few of them. */
static void test_fused_selects(void **state) {
    le_tensor image = {0};
    (void)state;
    make_image(NORMAL, LE_F32, &image);
    compare_fused(&image, (const le_arg[]){LE_F64("k", 9), LE_F64("flood", 3.5)}, 2);
    compare_fused(&image,
                  (const le_arg[]){LE_F64("k", 6), LE_F64("flood", 2.2), LE_I64("minimum_area", 3)},
                  3);
    compare_fused(&image, (const le_arg[]){LE_F64("k", 2.5), LE_I64("minimum_area", 2)}, 2);
    compare_fused(&image,
                  (const le_arg[]){LE_STR("background", "mesh"), LE_I64("cell", 24),
                                   LE_F64("k", 2.7), LE_F64("flood", 1.5)},
                  4);
    le_tensor_free(&image);
}

/* A slope with equal noise: its mesh follows it, its noise is the noise. */
static void test_mesh(void **state) {
    le_tensor image = {0}, background = {0}, noise = {0};
    uint64_t random = 5;
    (void)state;
    assert_int_equal(le_tensor_alloc(&image, LE_F32, 2, (int64_t[]){256, 320}), LE_OK);
    for (int64_t i = 0; i < 256 * 320; i++)
        le_tensor_set(&image, i, (double)(i % 320) * 0.5 + (double)(i / 320) + normal(&random));
    assert_int_equal(le_engine_run(engine, "background_mesh", LE_IN("image", &image),
                                   LE_I64("cell", 16), LE_OUT("background", &background),
                                   LE_OUT("noise", &noise)),
                     LE_OK);
    for (int64_t i = 0; i < 256 * 320; i++) {
        const int64_t x = i % 320, y = i / 320;
        if (x < 24 || x > 295 || y < 24 || y > 231)
            continue;
        assert_true(fabs(le_tensor_get(&background, i) - (0.5 * (double)x + (double)y)) < 2.5);
        assert_true(le_tensor_get(&noise, i) > 3 && le_tensor_get(&noise, i) < 7);
    }
    le_tensor_free(&image);
    le_tensor_free(&background);
    le_tensor_free(&noise);
}

static void mesh_of(const le_tensor *image, const char *implementation, le_tensor maps[2]) {
    for (int k = 0; k < 2; k++)
        assert_int_equal(le_tensor_alloc(&maps[k], LE_F64, 2, image->shape), LE_OK);
    const le_status status =
        le_engine_run(engine, "background_mesh", LE_IN("image", image), LE_I64("cell", 60),
                      LE_I64("filter", 1), LE_OUT("background", &maps[0]),
                      LE_OUT("noise", &maps[1]), LE_OPT_IMPLEMENTATION(implementation));
    if (status != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
}

/* Cells that are large enough for the one look, of everything that may mislead it. */
static void test_cells(void **state) {
    (void)state;
    for (int kind = 0; kind < CONTENTS; kind++) {
        le_tensor image = {0}, maps[2] = {{0}, {0}}, want[2] = {{0}, {0}};
        make_image((content)kind, kind % 2 ? LE_F64 : LE_F32, &image);
        image.shape[0] = 120;
        mesh_of(&image, "c", maps);
        mesh_of(&image, "reference", want);
        for (int k = 0; k < 2; k++) {
            for (int64_t i = 0; i < le_tensor_count(&image); i++) {
                const double a = le_tensor_get(&maps[k], i), b = le_tensor_get(&want[k], i);
                if (!(fabs(a - b) <= 1e-11 * (fabs(b) + le_tensor_get(&want[1], i))))
                    fail_msg("content %d, map %d, pixel %d: %.17g, expected %.17g", kind, k, (int)i,
                             a, b);
            }
            le_tensor_free(&maps[k]);
            le_tensor_free(&want[k]);
        }
        le_tensor_free(&image);
    }
}

/* Where a pixel lies between the centers of n cells of 8 pixels: the cell before it, and its way to
 * the next one. */
static double between(int64_t pixel, int64_t n, int64_t *cell) {
    const double at = fmin(fmax(((double)pixel - 3.5) / 8, 0), (double)(n - 1));
    *cell = (int64_t)fmin(floor(at), (double)(n - 2));
    return at - (double)*cell;
}

/* Cells of one value each: the map is straight between their centers. */
static void test_mesh_lines(void **state) {
    enum { DOWN = 4, ACROSS = 9, CELL = 8, W = ACROSS * CELL };
    le_tensor image = {0}, background = {0}, noise = {0};
    double values[DOWN][ACROSS];
    uint64_t random = 6;
    (void)state;
    for (int i = 0; i < DOWN * ACROSS; i++)
        values[i / ACROSS][i % ACROSS] = floor(1000 * normal(&random));
    assert_int_equal(le_tensor_alloc(&image, LE_F32, 2, (int64_t[]){DOWN * CELL, W}), LE_OK);
    for (int64_t i = 0; i < DOWN * CELL * W; i++)
        le_tensor_set(&image, i, values[i / W / CELL][i % W / CELL]);
    assert_int_equal(le_tensor_alloc(&background, LE_F64, 2, image.shape), LE_OK);
    assert_int_equal(le_engine_run(engine, "background_mesh", LE_IN("image", &image),
                                   LE_I64("cell", CELL), LE_I64("filter", 1),
                                   LE_OUT("background", &background), LE_OUT("noise", &noise)),
                     LE_OK);
    for (int64_t i = 0; i < DOWN * CELL * W; i++) {
        int64_t y, x;
        const double t = between(i / W, DOWN, &y), s = between(i % W, ACROSS, &x);
        const double want = (1 - t) * ((1 - s) * values[y][x] + s * values[y][x + 1]) +
                            t * ((1 - s) * values[y + 1][x] + s * values[y + 1][x + 1]);
        assert_true(fabs(le_tensor_get(&background, i) - want) < 1e-9);
        assert_true(le_tensor_get(&noise, i) == 0);
    }
    le_tensor_free(&image);
    le_tensor_free(&background);
    le_tensor_free(&noise);
}

static void test_refused(void **state) {
    le_tensor image = {0}, cube = {0}, out = {0};
    (void)state;
    assert_int_equal(le_tensor_alloc(&image, LE_F32, 2, (int64_t[]){4, 5}), LE_OK);
    assert_int_equal(le_tensor_alloc(&cube, LE_F32, 3, (int64_t[]){2, 4, 5}), LE_OK);
    memset(image.data, 0, 80);
    memset(cube.data, 0, 160);
    float taps[5 * 6] = {0};
    const le_tensor larger = le_tensor_of(taps, LE_F32, 2, (int64_t[]){5, 6});
#define REFUSED(text, ...)                                                                         \
    do {                                                                                           \
        assert_true(le_engine_run(engine, __VA_ARGS__) != LE_OK);                                  \
        if (!strstr(le_error_message(), text))                                                     \
            fail_msg("'%s' is not in: %s", text, le_error_message());                              \
        assert_null(out.data);                                                                     \
    } while (0)
    REFUSED("expected 4 or 8", "label", LE_IN("mask", &image), LE_I64("connectivity", 6),
            LE_OUT("labels", &out));
    REFUSED("expected 6, 18 or 26", "label", LE_IN("mask", &cube), LE_I64("connectivity", 8),
            LE_OUT("labels", &out));
    REFUSED("axis is 2, expected -2 to 1", "sigma_clip", LE_IN("image", &image), LE_I64("axis", 2),
            LE_OUT("mask", &out));
    REFUSED("axis is -3, expected -2 to 1", "sigma_clip", LE_IN("image", &image),
            LE_I64("axis", -3), LE_OUT("mask", &out));
    REFUSED("no level", "threshold", LE_IN("image", &image), LE_OUT("mask", &out));
    REFUSED("level with k, expected level alone", "threshold", LE_IN("image", &image),
            LE_F64("level", 1), LE_F64("k", 5), LE_OUT("mask", &out));
    REFUSED("level with rule, expected", "threshold", LE_IN("image", &image), LE_F64("level", 1),
            LE_STR("rule", "median"), LE_OUT("mask", &out));
    REFUSED("slabs: mode valid: the kernel is larger", "convolve2d", LE_IN("image", &image),
            LE_TABLE("kernel", &larger), LE_STR("mode", "valid"), LE_OPT_IMPLEMENTATION("slabs"),
            LE_OUT("result", &out));
    REFUSED("expected two", "find_sources", LE_IN("image", &cube), LE_STR("background", "mesh"),
            LE_OUT("catalogue", &out));
    REFUSED("at most k", "find_sources", LE_IN("image", &image), LE_F64("flood", 6),
            LE_OUT("catalogue", &out));
    REFUSED("flood is nan, expected at most k", "find_sources", LE_IN("image", &image),
            LE_F64("flood", NAN), LE_OUT("catalogue", &out));
    for (int64_t cols = 0; cols < 3; cols += 2) {
        const le_tensor none = le_tensor_of(taps, LE_F32, 2, (int64_t[]){0, cols});
        REFUSED("'kernel' has 0 numbers, expected 1 or more", "convolve2d", LE_IN("image", &image),
                LE_TABLE("kernel", &none), LE_OUT("result", &out));
        REFUSED("'kernel' has 0 numbers, expected 1 or more", "find_sources",
                LE_IN("image", &image), LE_TABLE("kernel", &none), LE_OUT("catalogue", &out));
    }
    REFUSED("extended columns", "find_sources", LE_IN("image", &cube),
            LE_STR("columns", "extended"), LE_OUT("catalogue", &out));
#undef REFUSED
    le_tensor_free(&image);
    le_tensor_free(&cube);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents),      cmocka_unit_test(test_at_bounds),
        cmocka_unit_test(test_too_far),       cmocka_unit_test(test_no_mean),
        cmocka_unit_test(test_empty_lines),   cmocka_unit_test(test_fused),
        cmocka_unit_test(test_fused_selects), cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_mesh_lines),    cmocka_unit_test(test_cells),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
