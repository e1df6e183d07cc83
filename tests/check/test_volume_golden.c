/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every CPU implementation of the volume family against the float64 results of scipy in the shared
 * golden files, at the default tolerance and, where an implementation claims it, at numpy's allclose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>

#include "check/runs_here.h"
#include "liquid_engine/le_method.h"
#include "volume_files.h"

typedef struct golden_case {
    const char *cube, *file;
    int64_t size;
    const char *fill;          /* NULL: error */
} golden_case;

static const golden_case cases[] = {
    {"data/fdm_128.h5", "golden/volume/fdm128_n24_grid.h5", 24, NULL},
    {"data/fdm_128.h5", "golden/volume/fdm128_n90.h5", 90, NULL},
    {"data/mri_macaque.h5", "golden/volume/macaque_n110.h5", 110, NULL},
    {"data/mri_macaque.h5", "golden/volume/macaque_n200_fill.h5", 200, "0"},
    {"data/fdm_256.h5", "golden/volume/fdm256_n180.h5", 180, NULL},
};

static le_engine *engine;

static int setup(void **state)
{
    (void)state;
    le_options options;
    le_default_options(&options);
    options.db_path = ":memory:";
    return le_open(&engine, &options) == LE_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    le_close(&engine);
    return 0;
}

static le_tensor load(const char *name, const char *dataset, le_dtype dtype)
{
    const char *path = shared_file(name);
    le_tensor t = {0};
    if (path)
        t = read_dataset(path, dataset, dtype);
    return t;
}

/* largest |a-b| and largest (|a-b| - atol) / |b| with atol 1e-8 */
static void compare(const le_tensor *a, const le_tensor *b, double *max_abs, double *max_rel)
{
    assert_int_equal(le_tensor_count(a), le_tensor_count(b));
    *max_abs = *max_rel = 0.0;
    for (int64_t i = 0; i < le_tensor_count(b); i++) {
        double x = le_tensor_get(a, i), y = le_tensor_get(b, i), d = fabs(x - y);
        if (x == y)
            continue;
        if (!(d <= 1e300))
            d = INFINITY;
        *max_abs = fmax(*max_abs, d);
        if (d > 1e-8)
            *max_rel = fmax(*max_rel, (d - 1e-8) / fmax(fabs(y), 1e-300));
    }
}

static le_status render(const golden_case *g, const char *implementation, const le_tensor *cube,
                        const le_tensor *angles, bool exact, le_tensor *images)
{
    le_arg outside = g->fill ? LE_F64("outside", atof(g->fill)) : LE_STR("outside", "error");
    return le_engine_run(engine, "volume_render", LE_IN("volume", cube), LE_I64("size", g->size),
                         LE_F64S("angles", (const double *)angles->data, (size_t)angles->shape[0]),
                         outside, LE_OPT_IMPLEMENTATION(implementation),
                         LE_OPT_RTOL(exact ? 1e-5 : 0.0), LE_OPT_ATOL(exact ? 1e-8 : 1e-4),
                         LE_OUT("images", images));
}

static void check_render(const golden_case *g, const le_implementation *m, const le_tensor *cube,
                         const le_tensor *angles, const le_tensor *golden)
{
    for (int exact = 0; exact < 2; exact++) {
        le_tensor images = {0};
        le_status status = render(g, m->name, cube, angles, exact, &images);
        if (status != LE_OK) {
            print_message("  %-28s %s: %s\n", m->name, exact ? "allclose" : "default",
                          le_error_message());
            assert_true(exact || m->device != LE_DEVICE_CPU || m->isa != 0 ||
                        m->flags & LE_IMPL_LOSSY || is_not_for_it(status));
            continue;
        }
        double max_abs, max_rel;
        compare(&images, golden, &max_abs, &max_rel);
        print_message("  %-28s %s: max abs %.2e, allclose excess %.2e\n", m->name,
                      exact ? "allclose" : "default ", max_abs, max_rel);
        le_tensor_free(&images);
        assert_true(exact ? max_rel <= 1e-5 : max_abs <= 1e-4);
    }
}

static void test_render(void **state)
{
    (void)state;
    if (!shared_file(cases[0].cube)) {
        print_message("no shared files: skipped\n");
        skip();
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const golden_case *g = &cases[i];
        le_tensor cube = load(g->cube, "density", LE_F32);
        le_tensor golden = load(g->file, "images", LE_F64);
        le_tensor angles = load(g->file, "angles_deg", LE_F64);
        assert_non_null(cube.data);
        assert_non_null(golden.data);
        assert_non_null(angles.data);
        print_message("%s\n", g->file);
        size_t count;
        const le_implementation *const *all =
            le_engine_implementations(engine, "volume_render", &count);
        for (size_t k = 0; k < count; k++)
            if (all[k]->device == LE_DEVICE_CPU)
                check_render(g, all[k], &cube, &angles, &golden);
        free(cube.data);
        free(golden.data);
        free(angles.data);
    }
}

static void check_grid(const le_implementation *m, const le_tensor *cube)
{
    static const struct {
        const char *dataset;
        double angle;
    } grids[] = {{"grid_0", 0.0}, {"grid_9", 9.0}, {"grid_45", 45.0}};
    for (int i = 0; i < 3; i++) {
        le_tensor golden = load("golden/volume/fdm128_n24_grid.h5", grids[i].dataset, LE_F64);
        le_tensor samples = {0};
        assert_non_null(golden.data);
        le_status status = le_engine_run(
            engine, "interpolate", LE_IN("volume", cube), LE_I64("size", 24),
            LE_F64("angle", grids[i].angle), LE_OPT_IMPLEMENTATION(m->name), LE_OPT_RTOL(1e-5),
            LE_OPT_ATOL(1e-8), LE_OUT("samples", &samples));
        if (status != LE_OK) {
            print_message("  interpolate %s: %s\n", m->name, le_error_message());
        } else {
            double max_abs, max_rel;
            compare(&samples, &golden, &max_abs, &max_rel);
            print_message("  interpolate %-16s %s: allclose excess %.2e\n", m->name,
                          grids[i].dataset, max_rel);
            assert_true(max_rel <= 1e-5);
        }
        le_tensor_free(&samples);
        free(golden.data);
    }
}

static void test_interpolate(void **state)
{
    (void)state;
    le_tensor cube = load("data/fdm_128.h5", "density", LE_F32);
    if (!cube.data) {
        print_message("no shared files: skipped\n");
        skip();
    }
    size_t count;
    const le_implementation *const *all = le_engine_implementations(engine, "interpolate", &count);
    for (size_t k = 0; k < count; k++)
        if (all[k]->device == LE_DEVICE_CPU)
            check_grid(all[k], &cube);
    free(cube.data);
}

static void check_points(const le_implementation *m, int group, const char *method,
                         const char *points_name, const char *result_name, bool fill)
{
    char name[64];
    static const char *const parts[] = {"axis0", "axis1", "axis2", "values"};
    le_tensor in[6] = {{0}};
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "case%d/%s", group,
                 i < 4 ? parts[i] : i == 4 ? points_name : result_name);
        le_dtype values = group == 3 ? LE_U16 : group == 1 ? LE_F64 : LE_F32;
        in[i] = load("golden/volume/points.h5", name, i == 3 ? values : LE_F64);
        assert_non_null(in[i].data);
    }
    le_tensor result = {0};
    le_status status = le_engine_run(
        engine, "interpolate_at", LE_IN("axis0", &in[0]), LE_IN("axis1", &in[1]),
        LE_IN("axis2", &in[2]), LE_IN("values", &in[3]), LE_IN("points", &in[4]),
        LE_STR("method", method), fill ? LE_F64("outside", -1.0) : LE_STR("outside", "error"),
        LE_OPT_IMPLEMENTATION(m->name), LE_OPT_RTOL(1e-5), LE_OPT_ATOL(1e-8),
        LE_OUT("result", &result));
    if (status != LE_OK) {
        print_message("  interpolate_at %s: %s\n", m->name, le_error_message());
    } else {
        double max_abs, max_rel;
        compare(&result, &in[5], &max_abs, &max_rel);
        assert_true(max_rel <= 1e-5);
    }
    le_tensor_free(&result);
    for (int i = 0; i < 6; i++)
        free(in[i].data);
}

static void test_points(void **state)
{
    (void)state;
    if (!shared_file("golden/volume/points.h5")) {
        print_message("no shared files: skipped\n");
        skip();
    }
    size_t count;
    const le_implementation *const *all =
        le_engine_implementations(engine, "interpolate_at", &count);
    for (size_t k = 0; k < count; k++)
        for (int group = 0; group < 4 && all[k]->device == LE_DEVICE_CPU; group++) {
            check_points(all[k], group, "linear", "points", "linear", false);
            check_points(all[k], group, "nearest", "points", "nearest", false);
            check_points(all[k], group, "linear", "points_outside", "linear_fill_minus1", true);
        }
}

static void check_projection(const le_implementation *m, const char *cube_file, const char *file)
{
    le_tensor cube = load(cube_file, "density", LE_F32), golden = load(file, "projection", LE_F64);
    le_tensor image = {0};
    assert_non_null(cube.data);
    assert_non_null(golden.data);
    le_status status =
        le_engine_run(engine, "project", LE_IN("volume", &cube), LE_STR("colormap", "none"),
                      LE_OPT_IMPLEMENTATION(m->name), LE_OPT_RTOL(1e-5), LE_OPT_ATOL(1e-8),
                      LE_OUT("image", &image));
    if (status != LE_OK) {
        print_message("  project %s: %s\n", m->name, le_error_message());
    } else {
        double max_abs, max_rel;
        compare(&image, &golden, &max_abs, &max_rel);
        print_message("  project %-16s %s: allclose excess %.2e\n", m->name, file, max_rel);
        assert_true(max_rel <= 1e-5);
    }
    le_tensor_free(&image);
    free(cube.data);
    free(golden.data);
}

static void test_project(void **state)
{
    (void)state;
    if (!shared_file("data/fdm_128.h5")) {
        print_message("no shared files: skipped\n");
        skip();
    }
    size_t count;
    const le_implementation *const *all = le_engine_implementations(engine, "project", &count);
    for (size_t k = 0; k < count; k++) {
        if (all[k]->device != LE_DEVICE_CPU)
            continue;
        check_projection(all[k], "data/fdm_128.h5", "golden/volume/fdm128_n90.h5");
        check_projection(all[k], "data/mri_macaque.h5", "golden/volume/macaque_n110.h5");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpolate),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_project),
        cmocka_unit_test(test_render),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
