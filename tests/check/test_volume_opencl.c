/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every OpenCL implementation of the volume family against the double-precision reference, on the
 * random and edge cases of its operation, with guarded outputs; and volume_render in slabs, by a
 * device whose memory limit is smaller than the volume.
 */
#include "call/guard.h"
#include "call/candidate.h"
#include "call/case.h"
#include "engine.h"
#include "opencl/opencl.h"
#include "trial/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"

enum { CASES = 24, SEED = 20261121 };

static le_engine *engine;

static le_engine *open_with_limit(int64_t bytes) {
    le_options o;
    le_engine *e;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.device_memory_limit_bytes = bytes;
    assert_int_equal(le_open(&e, &o), LE_OK);
    le__engine_discover(e);
    return e;
}

static int open_engine(void **state) {
    (void)state;
    engine = open_with_limit(0);
    if (engine->n_devices < 2)
        print_message("no OpenCL device: the tests of this file are skipped\n");
    print_message("seed %d\n", SEED);
    return 0;
}

static int close_engine(void **state) {
    (void)state;
    le_close(&engine);
    return 0;
}

typedef struct run { /* a case bound to an engine, and its answer by one candidate */
    le_case the_case;
    le_call call;
} run;

static le_status start(run *r, le_engine *e, const char *operation, int64_t index, le_dtype dtype) {
    le__operation_entry *entry = le__registry_find(&e->registry, operation);
    const le_case_request request = {
        .kind = LE_CASE_CHECK, .seed = SEED, .index = index, .dtype = dtype};
    assert_non_null(entry);
    le_status status = le__case_make(&r->the_case, entry->operation, &request);
    assert_int_equal(status, LE_OK);
    status = le__call_bind(&r->call, e, entry, r->the_case.args, r->the_case.n);
    if (status != LE_OK)
        le__case_free(&r->the_case);
    return status;
}

static void finish(run *r) {
    le__call_unbind(&r->call);
    le__case_free(&r->the_case);
}

/* The first candidate of an implementation; false when it does not apply to the call. */
static bool answer(run *r, const char *implementation) {
    le__candidate *list;
    size_t n;
    bool found = false;
    const char *why;
    assert_int_equal(le__candidates_make(r->call.engine, r->call.entry, &list, &n), LE_OK);
    for (size_t i = 0; i < n && !found; i++) {
        if (strcmp(list[i].implementation->name, implementation) != 0 ||
            !le__candidate_applies(&list[i], &r->call, &why))
            continue;
        found = true;
        r->call.poison = 0xa5;
        if (le__execute(&r->call, &list[i], LE__OUTPUTS_GUARDED) != LE_OK)
            fail_msg("%s %s: %s", r->call.operation->name, list[i].text, le_error_message());
    }
    free(list);
    return found;
}

static void add_error(le__error_profile *p, run *got, run *expected, const char *what) {
    const le_operation *op = got->call.operation;
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].type == LE_TYPE_OUT) {
            assert_int_equal(le_tensor_to_host(&got->call.args[i].tensor), LE_OK);
            assert_int_equal(
                le__error_add_output(p, &expected->call, i, &got->call.args[i].tensor), LE_OK);
        }
    if (le__guard_check(&got->call) != LE_OK)
        fail_msg("%s: %s", what, le_error_message());
}

/* Adds the error of one implementation on one case; false when it does not apply. */
static bool compare(le__error_profile *p, le_engine *e, const char *operation, const char *name,
                    int64_t index, le_dtype dtype, run *expected) {
    run got;
    char what[128];
    le__error_profile own = {0};
    if (start(&got, e, operation, index, dtype) != LE_OK)
        return false;
    bool applies = answer(&got, name);
    if (applies) {
        snprintf(what, sizeof what, "%s %s case %lld", operation, name, (long long)index);
        add_error(&own, &got, expected, what);
        bool lossy = strstr(name, "linear") != NULL;
        if (!lossy && !le__error_allows(&own, got.call.operation->atol, got.call.operation->rtol))
            fail_msg("%s: max abs %g", what, own.max_abs);
        le__error_merge(p, &own);
    }
    finish(&got);
    return applies;
}

static bool has_what_it_needs(const le_implementation *impl) {
    const le_cl_info *info = engine->devices[1].info;
    return (info->has_images || !(impl->flags & LE_IMPL_NEEDS_IMAGES)) &&
           (info->has_f64 || !(impl->flags & LE_IMPL_NEEDS_F64));
}

static void check_operation(const char *operation) {
    le__error_profile errors[8] = {{0}};
    int applied[8] = {0};
    size_t n;
    if (engine->n_devices < 2)
        skip();
    const le_implementation *const *list = le_engine_implementations(engine, operation, &n);
    for (int64_t index = 0, cases = case_count(CASES); index < cases; index++) {
        run expected;
        if (start(&expected, engine, operation, index, 0) != LE_OK)
            continue;
        assert_true(answer(&expected, "reference"));
        for (size_t i = 0, k = 0; i < n && k < 8; i++)
            if (list[i]->device == LE_DEVICE_OPENCL && !strncmp(list[i]->name, "opencl", 6)) {
                applied[k] +=
                    compare(&errors[k], engine, operation, list[i]->name, index, 0, &expected);
                k++;
            }
        finish(&expected);
    }
    for (size_t i = 0, k = 0; i < n && k < 8; i++)
        if (list[i]->device == LE_DEVICE_OPENCL && !strncmp(list[i]->name, "opencl", 6)) {
            print_message("%-18s %-20s %2d cases, max abs %.2g\n", operation, list[i]->name,
                          applied[k], errors[k].max_abs);
            if (has_what_it_needs(list[i]))
                assert_true(applied[k] > 0);
            k++;
        }
}

#define CHECK(operation)                                                                           \
    static void operation##_agrees(void **state) {                                                 \
        (void)state;                                                                               \
        check_operation(#operation);                                                               \
    }
CHECK(interpolate)
CHECK(interpolate_at)
CHECK(transfer_function)
CHECK(composite)
CHECK(project)
CHECK(volume_render)

static void interpolate_noise(const char *implementation, const le_tensor *volume,
                              le_tensor *samples) {
    const le_arg args[] = {LE_IN("volume", volume), LE_I64("size", 13), LE_F64("angle", 33),
                           LE_OUT("samples", samples), LE_OPT_IMPLEMENTATION(implementation)};
    if (le_call_run(engine, "interpolate", args, sizeof args / sizeof args[0]) != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
}

/* Between voxels of both signs samples near zero are precise beside themselves, not only beside the
 * voxels: a logarithm shows the difference. */
static void samples_near_zero_are_precise(void **state) {
    (void)state;
    enum { N = 24 };
    static int16_t voxels[N * N * N];
    static const int64_t shape[] = {N, N, N};
    static const char *const names[] = {"opencl", "opencl_image"};
    if (engine->n_devices < 2)
        skip();
    srand(SEED);
    for (size_t i = 0; i < N * N * N; i++)
        voxels[i] = (int16_t)(rand() % 20001 - 10000);
    le_tensor volume = le_tensor_of(voxels, LE_I16, 3, shape), expected = {0};
    interpolate_noise("reference", &volume, &expected);
    for (int i = 0; i < 1 + engine->devices[1].info->has_images; i++) {
        le_tensor got = {0};
        int near_zero = 0;
        interpolate_noise(names[i], &volume, &got);
        for (int64_t k = 0; k < le_tensor_count(&expected); k++) {
            double right = le_tensor_get(&expected, k), x = le_tensor_get(&got, k);
            near_zero += fabs(right) < 100;
            if (!(fabs(x - right) <= 5e-6 * fabs(right) + 1e-6)) /* 1e-6: of positions */
                fail_msg("%s: sample %lld is %.9g, not %.9g", names[i], (long long)k, x, right);
        }
        print_message("%s: %d samples near zero\n", names[i], near_zero);
        assert_true(near_zero > 20);
        le_tensor_free(&got);
    }
    le_tensor_free(&expected);
}

/* Limits that leave room for few planes: cases differ in size, so several limits are tried. */
static void slabs_agree(void **state) {
    (void)state;
    static const char *const names[] = {"opencl", "opencl_wide"};
    static const int64_t limits[] = {24 << 10, 48 << 10, 100 << 10, 400 << 10};
    int slabs = 0;
    if (engine->n_devices < 2)
        skip();
    for (int l = 0; l < 4; l++) {
        le_engine *small = open_with_limit(limits[l]);
        for (int64_t index = 0; index < CASES; index++) {
            run expected;
            le__error_profile p = {0};
            if (start(&expected, engine, "volume_render", index, LE_F32) != LE_OK)
                continue;
            int64_t volume = 4 * le_tensor_count(&expected.call.args[0].tensor);
            const le_tensor *images =
                &expected.call.args[expected.call.operation->n_args - 1].tensor;
            int64_t rest = 8 * le_tensor_count(images) + 24576; /* images with guards, and lists */
            int64_t planes = volume / expected.call.args[0].tensor.shape[0] * 4;
            if (volume + rest > limits[l] && planes + rest < limits[l] / 8 * 7 - 8192) {
                assert_true(answer(&expected, "reference"));
                for (int i = 0; i < 2; i++)
                    slabs +=
                        compare(&p, small, "volume_render", names[i], index, LE_F32, &expected);
            }
            finish(&expected);
        }
        le_close(&small);
    }
    print_message("%d renderings in slabs\n", slabs);
    assert_true(slabs > 4);
}

/* The sine of half a turn is not quite 0: rays go downwards by less than the kernels can tell. */
static void slabs_of_rays_along_a_plane(void **state) {
    (void)state;
    enum { N = 40, SIZE = 24 };
    static float voxels[N * N * N];
    static const char *const names[] = {"opencl", "opencl_wide"};
    const double pi = 3.14159265358979323846, c = cos(pi), s = sin(pi);
    const double rotation[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    if (engine->n_devices < 2)
        skip();
    for (int i = 0; i < N * N * N; i++)
        voxels[i] = (float)(1 + i % 977);
    le_tensor volume = le_tensor_of(voxels, LE_F32, 3, (int64_t[]){N, N, N}), expected = {0};
    le_arg args[] = {LE_IN("volume", &volume), LE_I64("size", SIZE),
                     LE_F64S("rotation", rotation, 9), LE_OUT("images", &expected),
                     LE_OPT_IMPLEMENTATION("reference")};
    assert_int_equal(le_call_run(engine, "volume_render", args, 5), LE_OK);
    for (int i = 0; i < 2; i++) {
        le_engine *small = open_with_limit(200000);
        float made[SIZE * SIZE * 3];
        le_tensor got = le_tensor_of(made, LE_F32, 4, (int64_t[]){1, SIZE, SIZE, 3});
        memset(made, 0xff, sizeof made);
        args[3] = LE_OUT("images", &got);
        args[4] = LE_OPT_IMPLEMENTATION(names[i]);
        if (le_call_run(small, "volume_render", args, 5) != LE_OK)
            fail_msg("%s: %s", names[i], le_error_message());
        for (int64_t k = 0; k < SIZE * SIZE * 3; k++)
            if (!(fabs((double)made[k] - le_tensor_get(&expected, k)) <= 1e-4))
                fail_msg("%s: element %lld is %g, not %g", names[i], (long long)k, (double)made[k],
                         le_tensor_get(&expected, k));
        le_close(&small);
    }
    le_tensor_free(&expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpolate_agrees),
        cmocka_unit_test(interpolate_at_agrees),
        cmocka_unit_test(transfer_function_agrees),
        cmocka_unit_test(composite_agrees),
        cmocka_unit_test(project_agrees),
        cmocka_unit_test(volume_render_agrees),
        cmocka_unit_test(samples_near_zero_are_precise),
        cmocka_unit_test(slabs_agree),
        cmocka_unit_test(slabs_of_rays_along_a_plane),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
