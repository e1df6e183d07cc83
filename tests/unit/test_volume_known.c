/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The volume family on inputs whose results are known from formulas, for every CPU implementation; and
 * its refusals. Needs no files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "liquid_engine/le_method.h"
#include "one_engine.h"

enum { N = 12 };

typedef double (*value_fn)(int64_t x, int64_t y, int64_t z);

static double constant(int64_t x, int64_t y, int64_t z)
{
    (void)x;
    (void)y;
    (void)z;
    return 7.0;
}

static double ramp(int64_t x, int64_t y, int64_t z)
{
    return 100.0 + 2.0 * (double)x - 3.0 * (double)y + 0.5 * (double)z;
}

static double scrambled(int64_t x, int64_t y, int64_t z)
{
    return 1.0 + (double)((x * 7 + y * 13 + z * 29 + x * y * z) % 31);
}

static le_tensor cube_of(value_fn value)
{
    le_tensor t = {0};
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 3, (int64_t[]){N, N, N}), LE_OK);
    for (int64_t i = 0; i < N * N * N; i++)
        le_tensor_set(&t, i, value(i / (N * N), i / N % N, i % N));
    return t;
}

/* calls check with the name of every CPU implementation of an operation */
static void for_each(const char *operation, void (*check)(const char *implementation))
{
    size_t count;
    const le_implementation *const *all = le_engine_implementations(engine, operation, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i]->device == LE_DEVICE_CPU)
            check(all[i]->name);
}

/* a forced implementation may not fit this machine or call */
static bool ran(le_status status, const char *implementation)
{
    bool wrong = strstr(le_error_message(), "exceeds the tolerance");
    if (status == LE_ERR_UNSUPPORTED || (status == LE_ERR_NO_CANDIDATE && !wrong)) {
        print_message("  %s: %s\n", implementation, le_error_message());
        return false;
    }
    if (status != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
    return true;
}

static void near(const le_tensor *t, int64_t i, double expected, double tolerance)
{
    if (!(fabs(le_tensor_get(t, i) - expected) <= tolerance))
        fail_msg("element %lld is %.9g, expected %.9g", (long long)i, le_tensor_get(t, i), expected);
}

/* C = c (1 - (1-a)^n) */
static void check_constant(const char *implementation)
{
    le_tensor cube = cube_of(constant), images = {0};
    const char *transfer = "{\"table\": [[0, 0.25, 0.5, 1, 0.1], [10, 0.25, 0.5, 1, 0.1]]}";
    le_status status = le_engine_run(engine, "volume_render", LE_IN("volume", &cube),
                                     LE_I64("size", 8), LE_F64S("angles", ((double[]){30.0}), 1),
                                     LE_STR("transfer", transfer), LE_STR("scale", "linear"),
                                     LE_OPT_IMPLEMENTATION(implementation), LE_OUT("images", &images));
    if (ran(status, implementation))
        for (int64_t i = 0; i < 8 * 8 * 3; i++)
            near(&images, i, (i % 3 == 0 ? 0.25 : i % 3 == 1 ? 0.5 : 1.0) * (1.0 - pow(0.9, 8.0)),
                 1e-6);
    le_tensor_free(&images);
    le_tensor_free(&cube);
}

static void test_constant(void **state)
{
    (void)state;
    for_each("volume_render", check_constant);
}

static double barely(int64_t x, int64_t y, int64_t z)
{
    (void)x;
    (void)y;
    (void)z;
    return (double)(float)exp(-95.0); /* a denormal number of single precision */
}

/* Gaussians, C = c E (1 - (1 - a E)^n), and tables whose opacity rises from 0 to 0.4. First with others,
 * so that all implementations are proven where numbers are normal. */
static void check_denormal(const char *implementation)
{
    static const struct {
        value_fn value;
        const char *transfer;
    } shown[] = {{constant, "{\"gaussians\": [{\"centre\": 2, \"width\": 5,"
                            "                \"rgb\": [0.5, 0.5, 0.5], \"alpha\": 0.1}]}"},
                 {constant, "{\"table\": [[0, 0.5, 0.5, 0.5, 0], [4, 0.5, 0.5, 0.5, 0.4]]}"},
                 {barely, "{\"gaussians\": [{\"centre\": -94, \"width\": 5,"
                          "                \"rgb\": [0.5, 0.5, 0.5], \"alpha\": 0.1}]}"},
                 {barely, "{\"table\": [[-100, 0.5, 0.5, 0.5, 0], [-90, 0.5, 0.5, 0.5, 0.4]]}"}};
    for (int k = 0; k < 4; k++) {
        le_tensor cube = cube_of(shown[k].value), images = {0};
        const double s = log(le_tensor_get(&cube, 0)), d = s - (k < 2 ? 2 : -94);
        const double e = k % 2 ? 1 : exp(-d * d / 5);
        const double alpha = k == 1 ? s / 4 * 0.4 : k == 3 ? (s + 100) / 10 * 0.4 : 0.1 * e;
        le_status status = le_engine_run(engine, "volume_render", LE_IN("volume", &cube),
                                         LE_I64("size", 8),
                                         LE_F64S("angles", ((double[]){30.0}), 1),
                                         LE_STR("transfer", shown[k].transfer),
                                         LE_STR("scale", "log"),
                                         LE_OPT_IMPLEMENTATION(implementation),
                                         LE_OUT("images", &images));
        if (ran(status, implementation))
            for (int64_t i = 0; i < 8 * 8 * 3; i++)
                near(&images, i, 0.5 * e * (1.0 - pow(1.0 - alpha, 8.0)), 1e-4);
        le_tensor_free(&images);
        le_tensor_free(&cube);
    }
}

static void test_denormal(void **state)
{
    (void)state;
    for_each("volume_render", check_denormal);
}

/* a trilinear sample of a linear function is its value at the point */
static void check_ramp(const char *implementation)
{
    le_tensor cube = cube_of(ramp), samples = {0};
    const int64_t n = 7;
    const double t = 33.0 * 3.14159265358979323846 / 180.0;
    le_status status = le_engine_run(engine, "interpolate", LE_IN("volume", &cube),
                                     LE_I64("size", n), LE_F64("angle", 33.0),
                                     LE_OPT_IMPLEMENTATION(implementation),
                                     LE_OUT("samples", &samples));
    for (int64_t i = 0; ran(status, implementation) && i < n * n * n; i++) {
        double q[3], p[3];
        const int64_t at[3] = {i / n % n, i / (n * n), i % n};
        for (int a = 0; a < 3; a++)
            q[a] = -3.5 + (double)at[a] * 7.0 / 6.0;
        p[0] = q[0];
        p[1] = q[1] * cos(t) - q[2] * sin(t);
        p[2] = q[1] * sin(t) + q[2] * cos(t);
        double index[3];
        for (int a = 0; a < 3; a++)
            index[a] = (p[a] + 6.0) * 11.0 / 12.0;
        near(&samples, i, 100.0 + 2.0 * index[0] - 3.0 * index[1] + 0.5 * index[2], 5e-5);
    }
    le_tensor_free(&samples);
    le_tensor_free(&cube);
}

static void test_ramp(void **state)
{
    (void)state;
    for_each("interpolate", check_ramp);
}

/* with size = N the grid is the volume's own: by 90 degrees y = -qz, z = qy, also at exact edges */
static void check_quarter(const char *implementation)
{
    le_tensor cube = cube_of(scrambled), samples = {0};
    le_status status = le_engine_run(engine, "interpolate", LE_IN("volume", &cube),
                                     LE_I64("size", N), LE_F64("angle", 90.0),
                                     LE_OPT_IMPLEMENTATION(implementation),
                                     LE_OUT("samples", &samples));
    for (int64_t i = 0; ran(status, implementation) && i < N * N * N; i++) {
        int64_t iy = i / (N * N), ix = i / N % N, iz = i % N;
        near(&samples, i, scrambled(ix, N - 1 - iz, iy), 1e-5);
    }
    le_tensor_free(&samples);
    le_tensor_free(&cube);
}

static void test_quarter(void **state)
{
    (void)state;
    for_each("interpolate", check_quarter);
}

static double turned(int64_t x, int64_t y, int64_t z)
{
    return scrambled(N - 1 - x, y, N - 1 - z);
}

static le_status render(value_fn value, const double *rotations, size_t n, const char *implementation,
                        le_tensor *images)
{
    le_tensor cube = cube_of(value);
    le_status status = le_engine_run(engine, "volume_render", LE_IN("volume", &cube),
                                     LE_I64("size", N), LE_F64S("rotation", rotations, 9 * n),
                                     LE_OPT_IMPLEMENTATION(implementation), LE_OUT("images", images));
    le_tensor_free(&cube);
    return status;
}

/* With size = N a camera that is turned by 180 degrees about axis 1 sees the turned volume: views need
 * not agree on which plane of the volume is which row of the image. */
static void check_turned(const char *implementation)
{
    const double rotations[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, -1};
    le_tensor images = {0}, front = {0}, back = {0};
    assert_int_equal(render(scrambled, rotations, 1, "reference", &front), LE_OK);
    assert_int_equal(render(turned, rotations, 1, "reference", &back), LE_OK);
    if (ran(render(scrambled, rotations, 2, implementation, &images), implementation))
        for (int64_t i = 0; i < N * N * 3; i++) {
            near(&images, i, le_tensor_get(&front, i), 1e-4);
            near(&images, N * N * 3 + i, le_tensor_get(&back, i), 1e-4);
        }
    le_tensor_free(&images);
    le_tensor_free(&front);
    le_tensor_free(&back);
}

static void test_turned(void **state)
{
    (void)state;
    for_each("volume_render", check_turned);
}

/* Mocz's function at the centres of its Gaussians; what is not positive is transparent */
static void check_mocz(const char *implementation)
{
    const float values[6] = {8103.08393f, 20.0855369f, 0.0497870684f, 0.0f, -4.0f, NAN};
    le_tensor samples = le_tensor_of(values, LE_F32, 1, (int64_t[]){6}), rgba = {0};
    const double known[3][4] = {{1, 1, 0.1, 0.6}, {0.1, 1, 0.1, 0.1}, {0.1, 0.1, 1, 0.01}};
    le_status status = le_engine_run(engine, "transfer_function", LE_IN("samples", &samples),
                                     LE_OPT_IMPLEMENTATION(implementation), LE_OUT("rgba", &rgba));
    for (int64_t i = 0; ran(status, implementation) && i < 24; i++)
        near(&rgba, i, i < 12 ? known[i / 4][i % 4] : 0.0, 1e-6);
    le_tensor_free(&rgba);
}

static void test_mocz(void **state)
{
    (void)state;
    for_each("transfer_function", check_mocz);
}

/* Whole numbers up to 2^15 of both signs, whose samples a linear scale shows to a tenth: those that cancel
 * have few digits in single precision. Against the reference, which is in double precision. */
static void render_coarse(const char *implementation, le_tensor *images, le_status *status)
{
    enum { EDGE = 48 };
    le_tensor cube = {0};
    uint32_t state = 12345;
    assert_int_equal(le_tensor_alloc(&cube, LE_I16, 3, (int64_t[]){EDGE, EDGE, EDGE}), LE_OK);
    for (int64_t i = 0; i < EDGE * EDGE * EDGE; i++) {
        state = state * 1664525u + 1013904223u;
        ((int16_t *)cube.data)[i] = (int16_t)(state >> 16);
    }
    *status = le_engine_run(engine, "volume_render", LE_IN("volume", &cube), LE_I64("size", 32),
                            LE_F64S("angles", ((double[]){8.6, 90.0, 131.0}), 3),
                            LE_STR("scale", "linear"), LE_OPT_IMPLEMENTATION(implementation),
                            LE_OUT("images", images));
    le_tensor_free(&cube);
}

static void check_coarse(const char *implementation)
{
    le_tensor images = {0}, expected = {0};
    le_status status;
    render_coarse("reference", &expected, &status);
    assert_int_equal(status, LE_OK);
    render_coarse(implementation, &images, &status);
    for (int64_t i = 0; ran(status, implementation) && i < 3 * 32 * 32 * 3; i++)
        near(&images, i, le_tensor_get(&expected, i), 1e-5);
    le_tensor_free(&images);
    le_tensor_free(&expected);
}

static void test_coarse(void **state)
{
    (void)state;
    for_each("volume_render", check_coarse);
}

static void check_over(const char *implementation)
{
    const float slices[8] = {1.0f, 0.5f, 4.0f, 0.5f, 0.25f, 1.0f, 0.0f, 0.5f};
    le_tensor rgba = le_tensor_of(slices, LE_F32, 4, (int64_t[]){2, 1, 1, 4}), image = {0};
    le_status status = le_engine_run(engine, "composite", LE_IN("rgba", &rgba),
                                     LE_OPT_IMPLEMENTATION(implementation), LE_OUT("image", &image));
    if (ran(status, implementation)) {
        near(&image, 0, 0.375, 1e-7);
        near(&image, 1, 0.625, 1e-7);
        near(&image, 2, 1.0, 1e-7);
    }
    le_tensor_free(&image);
}

static void test_over(void **state)
{
    (void)state;
    for_each("composite", check_over);
}

/* What lies behind an opaque voxel leaves nothing, however bright; 33 pixels, of which 32 are a block. */
static void check_opaque(const char *implementation)
{
    enum { PIXELS = 33 };
    static const float behind[3] = {1e3f, 1e8f, -1e20f}, before[3] = {0.3f, 0.7f, 0.001f};
    float slices[2][PIXELS][4];
    for (int i = 0; i < PIXELS; i++) {
        for (int c = 0; c < 3; c++) {
            slices[0][i][c] = behind[c];
            slices[1][i][c] = before[c];
        }
        slices[0][i][3] = 0.9f;
        slices[1][i][3] = 1.0f;
    }
    le_tensor rgba = le_tensor_of(slices, LE_F32, 4, (int64_t[]){2, 1, PIXELS, 4}), image = {0};
    le_status status = le_engine_run(engine, "composite", LE_IN("rgba", &rgba),
                                     LE_OPT_IMPLEMENTATION(implementation), LE_OUT("image", &image));
    if (ran(status, implementation))
        for (int64_t i = 0; i < 3 * PIXELS; i++)
            near(&image, i, (double)before[i % 3], 1e-7);
    le_tensor_free(&image);
}

static void test_opaque(void **state)
{
    (void)state;
    for_each("composite", check_opaque);
}

static void check_projection(const char *implementation)
{
    le_tensor cube = cube_of(ramp), image = {0};
    static const double at_axis[3] = {111.0 - 6.0 + 1.0, 104.0 - 16.5 + 1.0, 104.0 - 6.0 + 2.75};
    for (int axis = -3; axis < 3; axis++) {
        le_status status = le_engine_run(engine, "project", LE_IN("volume", &cube),
                                         LE_I64("axis", axis), LE_STR("scale", "linear"),
                                         LE_STR("colormap", "none"),
                                         LE_OPT_IMPLEMENTATION(implementation),
                                         LE_OUT("image", &image));
        if (ran(status, implementation))
            near(&image, 2 * N + 2, at_axis[(axis + 3) % 3], 1e-4);
        le_tensor_free(&image);
    }
    le_tensor_free(&cube);
}

static void test_projection(void **state)
{
    (void)state;
    for_each("project", check_projection);
}

/* the ends and the middle of viridis */
static void test_viridis(void **state)
{
    (void)state;
    const float values[3] = {-9.0f, 0.5f, 9.0f};
    le_tensor volume = le_tensor_of(values, LE_F32, 3, (int64_t[]){1, 1, 3}), image = {0};
    assert_int_equal(le_engine_run(engine, "project", LE_IN("volume", &volume),
                                   LE_STR("scale", "linear"), LE_OUT("image", &image)),
                     LE_OK);
    const double known[9] = {0.267, 0.005, 0.329, 0.1275, 0.5665, 0.5505, 0.993, 0.906, 0.144};
    for (int64_t i = 0; i < 9; i++)
        near(&image, i, known[i], 2.5e-3);
    le_tensor_free(&image);
}

static void test_refusals(void **state)
{
    (void)state;
    le_tensor cube = cube_of(constant), images = {0};
    const char *const bad[] = {"nosuch", "viridis:3", "{\"gaussians\": []}", "{]",
                               "{\"table\": [[1,0,0,0,0], [1,1,1,1,1]]}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(le_engine_run(engine, "volume_render", LE_IN("volume", &cube),
                                       LE_I64("size", 6), LE_STR("transfer", bad[i]),
                                       LE_OUT("images", &images)),
                         LE_ERR_ARGUMENT);
    assert_int_equal(le_engine_run(engine, "volume_render", LE_IN("volume", &cube),
                                   LE_I64("size", 12), LE_F64S("angles", ((double[]){45.0}), 1),
                                   LE_OUT("images", &images)),
                     LE_ERR_DATA);
    assert_non_null(strstr(le_error_message(), "outside"));
    assert_null(images.data);
    le_tensor_free(&cube);
}

/* a camera of one sample has no steps, and tells nothing of larger ones */
static void check_one_sample(const char *implementation) {
    const double turned[9] = {0.6, 0.8, 0, -0.8, 0.6, 0, 0, 0, 1};
    le_tensor cube = cube_of(ramp), one = {0};
    le_explanation *x = NULL;
    le_status status =
        le_engine_run(engine, "interpolate", LE_IN("volume", &cube), LE_I64("size", 1),
                      LE_F64S("rotation", turned, 9), LE_F64("outside", 0), LE_OUT("samples", &one),
                      LE_OPT_IMPLEMENTATION(implementation));
    if (ran(status, implementation))
        le_tensor_free(&one);
    assert_int_equal(le_engine_explain(engine, &x, "interpolate", LE_IN("volume", &cube),
                                       LE_I64("size", 8), LE_F64("angle", 30), LE_F64("outside", 0),
                                       LE_OUT("samples", &one)),
                     LE_OK);
    for (size_t i = 0; i < x->n_candidates; i++)
        assert_null(strstr(le_explanation_candidate(x, i)->left_out, "sample call"));
    le_explanation_free(&x);
    le_tensor_free(&cube);
}

static void test_one_sample(void **state) {
    (void)state;
    for_each("interpolate", check_one_sample);
}

static void test_points_outside(void **state)
{
    (void)state;
    double axis[2] = {0.0, 1.0}, down[2] = {1.0, 0.0}, at[3] = {0.5, 1.5, 0.5}, out[1] = {-77.0};
    float values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    le_tensor a = le_tensor_of(axis, LE_F64, 1, (int64_t[]){2});
    le_tensor d = le_tensor_of(down, LE_F64, 1, (int64_t[]){2});
    le_tensor v = le_tensor_of(values, LE_F32, 3, (int64_t[]){2, 2, 2});
    le_tensor p = le_tensor_of(at, LE_F64, 2, (int64_t[]){1, 3});
    le_tensor r = le_tensor_of(out, LE_F64, 1, (int64_t[]){1});
    assert_int_equal(le_engine_run(engine, "interpolate_at", LE_IN("axis0", &a), LE_IN("axis1", &a),
                                   LE_IN("axis2", &a), LE_IN("values", &v), LE_IN("points", &p),
                                   LE_OUT("result", &r)),
                     LE_ERR_DATA);
    assert_true(out[0] == -77.0);
    assert_int_equal(le_engine_run(engine, "interpolate_at", LE_IN("axis0", &a), LE_IN("axis1", &d),
                                   LE_IN("axis2", &a), LE_IN("values", &v), LE_IN("points", &p),
                                   LE_F64("outside", 5.0), LE_OUT("result", &r)),
                     LE_ERR_DATA);
    assert_true(out[0] == -77.0);
    assert_int_equal(le_engine_run(engine, "interpolate_at", LE_IN("axis0", &a), LE_IN("axis1", &a),
                                   LE_IN("axis2", &a), LE_IN("values", &v), LE_IN("points", &p),
                                   LE_F64("outside", 5.0), LE_OUT("result", &r)),
                     LE_OK);
    assert_true(out[0] == 5.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant),   cmocka_unit_test(test_ramp),
        cmocka_unit_test(test_quarter),    cmocka_unit_test(test_mocz),
        cmocka_unit_test(test_coarse),     cmocka_unit_test(test_over),
        cmocka_unit_test(test_projection), cmocka_unit_test(test_viridis),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_points_outside),
        cmocka_unit_test(test_turned),     cmocka_unit_test(test_one_sample),
        cmocka_unit_test(test_denormal),   cmocka_unit_test(test_opaque),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
