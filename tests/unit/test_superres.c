/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The super-resolution family on images whose results are known without another program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <math.h>

#include "check/runs_here.h"
#include "one_engine.h"

enum { H = 20, W = 37, T = 3 };

static le_tensor stack_of(float *pixels, int64_t t, int64_t h, int64_t w) {
    return le_tensor_of(pixels, LE_F32, 3, (int64_t[]){t, h, w});
}

static float at(const le_tensor *t, int64_t f, int64_t y, int64_t x) {
    return ((const float *)t->data)[(f * t->shape[1] + y) * t->shape[2] + x];
}

/* For each implementation of an operation that this machine can run. */
#define FOR_IMPLEMENTATIONS(operation, impl)                                                       \
    size_t count_;                                                                                 \
    const le_implementation *const *list_ = le_engine_implementations(engine, operation, &count_); \
    const char *impl = NULL;                                                                       \
    for (size_t i_ = 0; i_ < count_ && (impl = list_[i_]->name); i_++)                             \
        if (runs_here(engine, list_[i_]))

static void a_constant_image_has_no_convergence(void **state) {
    (void)state;
    static float pixels[T * H * W];
    for (int i = 0; i < T * H * W; i++)
        pixels[i] = 117;
    le_tensor in = stack_of(pixels, T, H, W);
    FOR_IMPLEMENTATIONS("esrrf", impl) {
        le_tensor out = {0};
        le_status status =
            le_engine_run(engine, "esrrf", LE_IN("image", &in), LE_OUT("result", &out),
                          LE_I64("magnification", 4), LE_STR("temporal", "none"),
                          LE_OPT_IMPLEMENTATION(impl), LE_OPT_ATOL(1));
        assert_int_equal(status, LE_OK);
        assert_memory_equal(out.shape, ((int64_t[]){T, 4 * H, 4 * W}), 3 * sizeof(int64_t));
        for (int64_t i = 0; i < le_tensor_count(&out); i++)
            assert_true(((float *)out.data)[i] == 0);
        le_tensor_free(&out);
    }
}

/* I = 3x + 2y: Gc = I[y-1,x] - I[y,x-1] + I[y,x] - I[y-1,x-1] = 2*3 and Gr = 2*2 away from the
 * border; in row 0 the row above is row 0 itself, in column 0 likewise. */
static void a_ramp_has_the_gradient_of_its_slopes(void **state) {
    (void)state;
    float pixels[H * W];
    for (int i = 0; i < H * W; i++)
        pixels[i] = (float)(3 * (i % W) + 2 * (i / W));
    le_tensor in = stack_of(pixels, 1, H, W);
    FOR_IMPLEMENTATIONS("roberts_cross", impl) {
        le_tensor col = {0}, row = {0};
        le_status status = le_engine_run(engine, "roberts_cross", LE_IN("image", &in),
                                         LE_OUT("gradient_col", &col), LE_OUT("gradient_row", &row),
                                         LE_OPT_IMPLEMENTATION(impl));
        assert_int_equal(status, LE_OK);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                assert_true(at(&col, 0, y, x) == (x ? 6 : 0));
                assert_true(at(&row, 0, y, x) == (y ? 4 : 0));
            }
        le_tensor_free(&col);
        le_tensor_free(&row);
    }
}

/* With a shift of half a pixel the samples lie on the pixel centres, where every kernel is 1 and
 * its other taps are 0. */
static void half_a_pixel_of_shift_is_the_identity(void **state) {
    (void)state;
    static const char *const words[] = {"catmull_rom", "bicubic", "lanczos", "nearest"};
    float pixels[H * W];
    for (int i = 0; i < H * W; i++)
        pixels[i] = (float)((i * 7919) % 251);
    le_tensor in = stack_of(pixels, 1, H, W);
    for (int k = 0; k < 4; k++) {
        FOR_IMPLEMENTATIONS("shift_magnify", impl) {
            le_tensor out = {0};
            le_status status =
                le_engine_run(engine, "shift_magnify", LE_IN("image", &in), LE_OUT("result", &out),
                              LE_F64("shift_row", -0.5), LE_F64("shift_col", -0.5),
                              LE_STR("interpolator", words[k]), LE_OPT_IMPLEMENTATION(impl));
            assert_int_equal(status, LE_OK);
            for (int i = 0; i < H * W; i++)
                assert_true(fabsf(((float *)out.data)[i] - pixels[i]) <= 1e-4f);
            le_tensor_free(&out);
        }
    }
}

/* Whole pixels from there the other taps are 0 to the last bit: beside pixels of 1e30 ones of 1
 * stay what they are. */
static void whole_pixels_of_shift_are_copies(void **state) {
    (void)state;
    static const char *const words[] = {"catmull_rom", "bicubic", "lanczos", "nearest"};
    static const char *const operations[] = {"shift_magnify", "shift_scale_rotate"};
    enum { DOWN = 2, RIGHT = 3 };
    float pixels[H * W];
    for (int i = 0; i < H * W; i++)
        pixels[i] = (i * 7919) % 5 == 0 ? 1e30f : (float)((i * 7919) % 251);
    le_tensor in = stack_of(pixels, 1, H, W);
    for (int k = 0; k < 8; k++) {
        FOR_IMPLEMENTATIONS(operations[k / 4], impl) {
            le_tensor out = {0};
            assert_int_equal(le_engine_run(engine, operations[k / 4], LE_IN("image", &in),
                                           LE_OUT("result", &out), LE_F64("shift_row", DOWN - 0.5),
                                           LE_F64("shift_col", RIGHT - 0.5),
                                           LE_STR("interpolator", words[k % 4]),
                                           LE_OPT_IMPLEMENTATION(impl)),
                             LE_OK);
            for (int y = DOWN; y < H; y++)
                for (int x = RIGHT; x < W; x++) {
                    const float want = pixels[(y - DOWN) * W + x - RIGHT];
                    if (at(&out, 0, y, x) != want)
                        fail_msg("%s %s %s: %.9g at %d, %d, expected %.9g", operations[k / 4], impl,
                                 words[k % 4], at(&out, 0, y, x), y, x, want);
                }
            le_tensor_free(&out);
        }
    }
}

/* NanoPyx multiplies in C's float: 0.7f is a little less than 0.7, and 90 * 0.7f rounds to 63. */
static void sizes_are_those_of_float(void **state) {
    (void)state;
    static const struct {
        double magnification;
        int64_t size; /* numpy: int(numpy.float32(90) * numpy.float32(magnification)) */
    } known[] = {{0.7, 63}, {1.3, 116}, {0.1, 9}, {2.3, 207}, {1, 90}, {1.1, 99}};
    static float pixels[90 * 90];
    le_tensor in = stack_of(pixels, 1, 90, 90);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int col = 0; col < 2; col++) {
            le_tensor out = {0};
            assert_int_equal(le_engine_run(engine, "shift_magnify", LE_IN("image", &in),
                                           LE_OUT("result", &out),
                                           LE_F64(col ? "magnification_col" : "magnification_row",
                                                  known[k].magnification)),
                             LE_OK);
            assert_int_equal(out.shape[1 + col], known[k].size);
            assert_int_equal(out.shape[2 - col], 90);
            le_tensor_free(&out);
        }
}

/* A quarter turn about (H/2, W/2): output (i,j) samples column cc-(i-cr), row cr+(j-cc). */
static void a_quarter_turn_moves_pixels(void **state) {
    (void)state;
    enum { N = 16 };
    float pixels[N * N];
    for (int i = 0; i < N * N; i++)
        pixels[i] = (float)i;
    le_tensor in = stack_of(pixels, 1, N, N), out = {0};
    assert_int_equal(le_engine_run(engine, "shift_scale_rotate", LE_IN("image", &in),
                                   LE_OUT("result", &out), LE_F64("angle", 3.14159265358979 / 2),
                                   LE_F64("shift_row", -0.5), LE_F64("shift_col", -0.5),
                                   LE_STR("interpolator", "nearest")),
                     LE_OK);
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            assert_true(at(&out, 0, i, j) == pixels[j * N + N - 1 - i]);
    le_tensor_free(&out);
}

static void projections_of_a_known_series(void **state) {
    (void)state;
    /* deviations from the mean 4: -3, 0, 1, 2; the last time point has one frame */
    static const float series[] = {1, 4, 5, 6, 9};
    static const char *const words[] = {"avg", "var", "tac2"};
    static const double first[] = {4, 14 / 4.0, 2 / 3.0};
    static const double last[] = {9, 0, NAN};
    le_tensor in = stack_of((float *)(uintptr_t)series, 5, 1, 1);
    for (int k = 0; k < 3; k++) {
        FOR_IMPLEMENTATIONS("temporal_projection", impl) {
            le_tensor out = {0};
            le_status status =
                le_engine_run(engine, "temporal_projection", LE_IN("image", &in),
                              LE_OUT("result", &out), LE_STR("temporal", words[k]),
                              LE_I64("frames_per_timepoint", 4), LE_OPT_IMPLEMENTATION(impl));
            assert_int_equal(status, LE_OK);
            assert_int_equal(out.shape[0], 2);
            assert_true(fabs(at(&out, 0, 0, 0) - first[k]) < 1e-6);
            if (isnan(last[k]))
                assert_true(isnan(at(&out, 1, 0, 0)));
            else
                assert_true(at(&out, 1, 0, 0) == last[k]);
            le_tensor_free(&out);
        }
    }
}

/* A pattern of phases alone becomes 1 everywhere; a phase of zeros stays. */
static void correction_removes_a_phase_pattern(void **state) {
    (void)state;
    enum { M = 3 };
    static float pixels[M * H * M * W];
    for (int i = 0; i < M * H * M * W; i++)
        pixels[i] = (float)(i / (M * W) % M * M + i % M);
    le_tensor in = stack_of(pixels, 1, M * H, M * W);
    FOR_IMPLEMENTATIONS("macro_pixel_correction", impl) {
        le_tensor out = {0};
        le_status status = le_engine_run(engine, "macro_pixel_correction", LE_IN("image", &in),
                                         LE_OUT("result", &out), LE_I64("magnification", M),
                                         LE_OPT_IMPLEMENTATION(impl), LE_OPT_ATOL(1));
        assert_int_equal(status, LE_OK);
        for (int i = 0; i < M * H * M * W; i++)
            assert_true(fabsf(((float *)out.data)[i] - (pixels[i] == 0 ? 0.0f : 1.0f)) < 1e-4f);
        le_tensor_free(&out);
    }
}

/* All gradients around a round spot point to its centre: the brightest output pixel is there. */
static void a_spot_is_found_where_it_is(void **state) {
    (void)state;
    enum { N = 24, M = 5 };
    const double cy = 11.7, cx = 12.5;
    uint16_t pixels[N * N];
    for (int i = 0; i < N * N; i++) {
        double dy = i / N + 0.5 - cy, dx = i % N + 0.5 - cx;
        pixels[i] = (uint16_t)lround(1000 * exp(-(dx * dx + dy * dy) / 3.38));
    }
    le_tensor in = le_tensor_of(pixels, LE_U16, 2, (int64_t[]){N, N}), out = {0};
    assert_int_equal(le_engine_run(engine, "esrrf", LE_IN("image", &in), LE_OUT("result", &out),
                                   LE_I64("magnification", M), LE_I64("macro_pixel_correction", 0)),
                     LE_OK);
    assert_int_equal(out.ndim, 2);
    int best = 0;
    for (int i = 1; i < N * M * N * M; i++)
        if (((float *)out.data)[i] > ((float *)out.data)[best])
            best = i;
    /* the Roberts cross lies half a pixel up and left, as in NanoPyx */
    assert_true(fabs((best / (N * M) + 0.5) / M - cy) < 0.75);
    assert_true(fabs((best % (N * M) + 0.5) / M - cx) < 0.75);
    le_tensor_free(&out);
}

/* The same pixels as another dtype, transposed, reversed, and into a strided output. Staged
 * implementations would otherwise choose their steps by what was measured. */
static void layouts_and_dtypes_do_not_matter(void **state) {
    (void)state;
    enum { M = 2, N = M * H * M * W };
    float pixels[H * W], turned[H * W];
    uint8_t bytes[H * W];
    for (int i = 0; i < H * W; i++) {
        bytes[i] = (uint8_t)((i * 7919) % 251);
        pixels[i] = bytes[i];
    }
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            turned[(W - 1 - x) * H + y] = pixels[y * W + x];
    le_tensor plain = le_tensor_of(pixels, LE_F32, 2, (int64_t[]){H, W});
    le_tensor small = le_tensor_of(bytes, LE_U8, 2, (int64_t[]){H, W}), strided = plain;
    strided.data = turned + (W - 1) * H;
    strided.strides[0] = 1;
    strided.strides[1] = -H;
    const le_tensor *inputs[] = {&plain, &small, &strided};
    FOR_IMPLEMENTATIONS("esrrf", impl) {
        static float results[3][2 * N];
        for (int k = 0; k < 3; k++) {
            le_tensor out = le_tensor_of(results[k], LE_F32, 2, (int64_t[]){M * H, M * W});
            if (k == 2) {
                out.strides[0] = 2 * M * W;
                out.strides[1] = 2;
            }
            le_status status =
                le_engine_run(engine, "esrrf", LE_IN("image", inputs[k]), LE_OUT("result", &out),
                              LE_I64("magnification", M), LE_OPT_IMPLEMENTATION(impl),
                              LE_OPT_ATOL(1), LE_OPT_REPRODUCIBLE());
            assert_int_equal(status, LE_OK);
        }
        for (int i = 0; i < N; i++) {
            assert_true(results[0][i] == results[1][i]);
            assert_true(results[0][i] == results[2][2 * i]);
        }
    }
}

/* All columns lie in the margin: zeros. Rows are so short that writing on behind one meets the next
 * worker's, which ThreadSanitizer sees. */
static void narrow_images_stay_within_their_rows(void **state) {
    (void)state;
    enum { M = 2, ROWS = 600, COLS = 3 };
    static float pixels[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++)
        pixels[i] = (float)(i % 7);
    le_tensor in = stack_of(pixels, 1, ROWS, COLS);
    FOR_IMPLEMENTATIONS("esrrf", impl) {
        le_tensor out = {0};
        le_status status = le_engine_run(engine, "esrrf", LE_IN("image", &in),
                                         LE_OUT("result", &out), LE_I64("magnification", M),
                                         LE_F64("radius", 8), LE_OPT_IMPLEMENTATION(impl));
        assert_int_equal(status, LE_OK);
        for (int i = 0; i < M * ROWS * M * COLS; i++)
            assert_true(((float *)out.data)[i] == 0);
        le_tensor_free(&out);
    }
}

/* One whole pixel at magnification 2, a radius of one tap: only the last output pixel, at
 * (3/4, 3/4), reads a gradient, that at (1/2, 1/2), in direction (1, -0.98), which points nearly
 * past it. */
static void a_gradient_nearly_across_its_tap_keeps_its_digits(void **state) {
    (void)state;
    enum { M = 2, N = 2 * M };
    float image[M * M] = {0}, col[N * N], row[N * N];
    for (int i = 0; i < N * N; i++) {
        col[i] = 1;
        row[i] = -0.98f;
    }
    le_tensor in = stack_of(image, 1, M, M), in_col = stack_of(col, 1, N, N),
              in_row = stack_of(row, 1, N, N);
    const double v = (double)row[0], sine = (1 - v) / (sqrt(2) * sqrt(1 + v * v)),
                 expected = 1 - sine;
    FOR_IMPLEMENTATIONS("radial_gradient_convergence", impl) {
        le_tensor out = {0};
        if (list_[i_]->flags & LE_IMPL_LOSSY)
            continue;
        le_status status = le_engine_run(
            engine, "radial_gradient_convergence", LE_IN("image", &in),
            LE_IN("gradient_col", &in_col), LE_IN("gradient_row", &in_row), LE_OUT("result", &out),
            LE_I64("magnification", M), LE_F64("radius", 0.2), LE_I64("intensity_weighting", 0),
            LE_OPT_IMPLEMENTATION(impl), LE_OPT_ATOL(1));
        assert_int_equal(status, LE_OK);
        assert_true(fabs((double)at(&out, 0, 1, 1) - expected) <= 1e-6 * expected);
        assert_true(at(&out, 0, 0, 0) == 0 && at(&out, 0, 0, 1) == 0 && at(&out, 0, 1, 0) == 0);
        le_tensor_free(&out);
    }
}

/* Deterministic numbers in [0,100), one of 60 of them NaN or infinite. */
static void strew(float *pixels, int n) {
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    srand(20261129);
    for (int i = 0; i < n; i++) {
        pixels[i] = (float)(rand() % 10000) / 100;
        if (rand() % 60 == 0)
            pixels[i] = odd[rand() % 3];
    }
}

static void assert_same_oddities(const le_tensor *a, const le_tensor *b, const char *operation,
                                 const char *impl) {
    assert_int_equal(le_tensor_count(a), le_tensor_count(b));
    for (int64_t i = 0; i < le_tensor_count(b); i++) {
        const double x = le_tensor_get(a, i), y = le_tensor_get(b, i);
        const bool same = isnan(y) ? isnan(x) : isinf(y) ? x == y : isfinite(x);
        if (!same)
            fail_msg("%s %s: element %d is %g, the reference's is %g", operation, impl, (int)i, x,
                     y);
    }
}

/* args: the call's, without the output `result`. */
static void compare_oddities(const char *operation, const le_arg *args, size_t n) {
    le_tensor expected = {0};
    le_arg all[16];
    memcpy(all, args, n * sizeof *args);
    all[n] = LE_OUT("result", &expected);
    all[n + 1] = LE_OPT_IMPLEMENTATION("reference");
    all[n + 2] = LE_OPT_MODE(LE_MODE_ESTIMATE);
    assert_int_equal(le_call_run(engine, operation, all, n + 3), LE_OK);
    FOR_IMPLEMENTATIONS(operation, impl) {
        le_tensor out = {0};
        all[n] = LE_OUT("result", &out);
        all[n + 1] = LE_OPT_IMPLEMENTATION(impl);
        if (le_call_run(engine, operation, all, n + 3) != LE_OK)
            fail_msg("%s %s: %s", operation, impl, le_error_message());
        assert_same_oddities(&out, &expected, operation, impl);
        le_tensor_free(&out);
    }
    le_tensor_free(&expected);
}

/* What is not finite spreads through all taps inside the image, of weight 0, too; as a gradient it
 * has no direction and adds nothing to a convergence. */
static void what_is_not_finite_spreads_alike(void **state) {
    (void)state;
    static const char *const words[] = {"catmull_rom", "bicubic", "lanczos", "nearest"};
    enum { M = 2, N = T * H * W };
    static float pixels[N], image[N * M * M], col[4 * N * M * M], row[4 * N * M * M];
    strew(pixels, N);
    strew(col, 4 * N * M * M);
    memcpy(row, col + 1, sizeof row - sizeof *row);
    le_tensor in = stack_of(pixels, T, H, W), magnified = stack_of(image, T, M * H, M * W),
              in_col = stack_of(col, T, 2 * M * H, 2 * M * W),
              in_row = stack_of(row, T, 2 * M * H, 2 * M * W);
    for (int k = 0; k < 4; k++) {
        compare_oddities("shift_magnify",
                         (le_arg[]){LE_IN("image", &in), LE_STR("interpolator", words[k]),
                                    LE_F64("magnification_row", 2), LE_F64("magnification_col", 3),
                                    LE_F64("shift_row", -0.5), LE_F64("shift_col", 1)},
                         6);
        compare_oddities("shift_scale_rotate",
                         (le_arg[]){LE_IN("image", &in), LE_STR("interpolator", words[k])}, 2);
    }
    compare_oddities("radial_gradient_convergence",
                     (le_arg[]){LE_IN("image", &magnified), LE_IN("gradient_col", &in_col),
                                LE_IN("gradient_row", &in_row), LE_I64("magnification", M)},
                     4);
    for (int k = 0; k < 4; k++)
        compare_oddities("esrrf",
                         (le_arg[]){LE_IN("image", &in), LE_I64("magnification", 1 + k),
                                    LE_STR("temporal", k & 1 ? "none" : "avg"),
                                    LE_I64("macro_pixel_correction", 0)},
                         4);
}

static void mistakes_are_named(void **state) {
    (void)state;
    float pixels[12] = {0};
    le_tensor in = stack_of(pixels, 1, 3, 4), empty = stack_of(pixels, 0, 3, 4), out = {0};
    assert_int_equal(le_engine_run(engine, "macro_pixel_correction", LE_IN("image", &in),
                                   LE_OUT("result", &out), LE_I64("magnification", 2)),
                     LE_ERR_SHAPE);
    assert_non_null(strstr(le_error_message(), "multiple of the magnification 2"));
    assert_int_equal(le_engine_run(engine, "esrrf", LE_IN("image", &empty), LE_OUT("result", &out)),
                     LE_ERR_SHAPE);
    assert_non_null(strstr(le_error_message(), "image"));
    assert_int_equal(le_engine_run(engine, "esrrf", LE_IN("image", &in), LE_OUT("result", &out),
                                   LE_I64("magnification", 11)),
                     LE_ERR_ARGUMENT);
    assert_int_equal(le_engine_run(engine, "radial_gradient_convergence", LE_IN("image", &in),
                                   LE_IN("gradient_col", &in), LE_IN("gradient_row", &in),
                                   LE_OUT("result", &out), LE_I64("magnification", 1)),
                     LE_ERR_SHAPE);
    assert_non_null(strstr(le_error_message(), "gradient_col"));
    assert_null(out.data);
}

/* Kernels count pixels in 32 bits. Addresses are enough for a call that is not run. */
static void larger_frames_than_kernels_count(void **state) {
    (void)state;
    static const struct {
        const char *operation;
        int64_t side;
    } calls[] = {{"temporal_projection", 65536},
                 {"shift_magnify", 65536},
                 {"shift_scale_rotate", 65536},
                 {"roberts_cross", 65536},
                 {"esrrf", 16384}};
    const size_t bytes = (size_t)1 << 32;
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        skip();
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        const char *of = calls[k].operation;
        le_tensor in = le_tensor_of(room, LE_U8, 3, (int64_t[]){1, calls[k].side, calls[k].side});
        le_tensor out = {0}, more = {0};
        le_explanation *x;
        const bool two = !strcmp(of, "roberts_cross");
        le_arg args[] = {LE_IN("image", &in), LE_OPT_DEVICE("opencl"),
                         LE_OUT(two ? "gradient_col" : "result", &out),
                         LE_OUT("gradient_row", &more)};
        le_status status = le_call_explain(engine, &x, of, args, two ? 4 : 3);
        if (status != LE_OK && strstr(le_error_message(), "there is no device"))
            break;
        if (status != LE_OK)
            fail_msg("%s: %s", of, le_error_message());
        for (size_t i = 0; i < x->n_candidates; i++) {
            const le_explained_candidate *c = &x->candidates[i];
            const bool kernels =
                !strcmp(c->implementation, "opencl") || !strcmp(c->implementation, "fused_opencl");
            if (kernels && c->device[0] == 'o' && !strstr(c->left_out, "2^31"))
                fail_msg("%s: %s is left out for '%s'", of, c->candidate, c->left_out);
        }
        le_explanation_free(&x);
    }
    munmap(room, bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_image_has_no_convergence),
        cmocka_unit_test(a_ramp_has_the_gradient_of_its_slopes),
        cmocka_unit_test(half_a_pixel_of_shift_is_the_identity),
        cmocka_unit_test(whole_pixels_of_shift_are_copies),
        cmocka_unit_test(sizes_are_those_of_float),
        cmocka_unit_test(a_quarter_turn_moves_pixels),
        cmocka_unit_test(projections_of_a_known_series),
        cmocka_unit_test(correction_removes_a_phase_pattern),
        cmocka_unit_test(a_spot_is_found_where_it_is),
        cmocka_unit_test(layouts_and_dtypes_do_not_matter),
        cmocka_unit_test(narrow_images_stay_within_their_rows),
        cmocka_unit_test(a_gradient_nearly_across_its_tap_keeps_its_digits),
        cmocka_unit_test(what_is_not_finite_spreads_alike),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(larger_frames_than_kernels_count),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
