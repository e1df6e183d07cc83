/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * An OpenCL device without double precision, made by the stand-in for the loader (cl_shim.c): for
 * calls with f64 tensors every OpenCL implementation is left out with its reason before anything is
 * built, but those whose kernels see no doubles; for all others the answers are as on any device.
 */
#include "call/case.h"
#include "call/candidate.h"
#include "engine.h"
#include "opencl/opencl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 12, SEED = 20261122 };
static const char no_f64[] = "the device has no double precision";

static le_engine *engine;

static int open_engine(void **state) {
    (void)state;
    le_options o;
    const char *path = getenv("LE_TEST_CL_SHIM");
    if (path) {
        setenv("LE_OPENCL_LIBRARY", path, 1);
        setenv("LE_SHIM_WITHOUT_F64", "1", 1);
    }
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "opencl";
    assert_int_equal(le_open(&engine, &o), LE_OK);
    le__engine_discover(engine);
    if (!path || engine->n_devices < 2)
        print_message("no OpenCL device, or no stand-in for the loader: skipped\n");
    print_message("seed %d\n", SEED);
    return 0;
}

static int close_engine(void **state) {
    (void)state;
    le_close(&engine);
    return 0;
}

#define NEEDS_DEVICE()                                                                             \
    if (!getenv("LE_TEST_CL_SHIM") || engine->n_devices < 2)                                       \
    skip()

static void the_device_has_none(void **state) {
    (void)state;
    NEEDS_DEVICE();
    for (int d = 1; d < engine->n_devices; d++)
        assert_false(engine->devices[d].info->has_f64);
}

static bool has_f64(const le_call *call, bool outputs_only) {
    for (size_t a = 0; a < call->operation->n_args; a++)
        if ((call->operation->args[a].type == LE_TYPE_OUT ||
             (call->operation->args[a].type == LE_TYPE_IN && !outputs_only)) &&
            call->args[a].given && call->args[a].tensor.dtype == LE_F64)
            return true;
    return false;
}

/* Reads f64 volumes as images of floats, or leaves steps to such an implementation. */
static bool may_take_f64(const char *operation, const char *name) {
    return (!strcmp(operation, "interpolate") || !strcmp(operation, "volume_render")) &&
           (strstr(name, "image") || strstr(name, "staged"));
}

static void expect_left_out(const le__candidate *c, const le_call *call) {
    const char *operation = call->operation->name, *name = c->implementation->name, *why = "";
    bool applies = le__candidate_applies(c, call, &why);
    if (may_take_f64(operation, name) && !has_f64(call, true))
        return;
    if (applies)
        fail_msg("%s: %s takes f64", operation, c->text);
    if (!strncmp(name, "slabs", 5) || !strncmp(name, "staged", 6))
        return; /* their steps do not: the reason is another one */
    if (strcmp(why, no_f64) != 0)
        fail_msg("%s: %s is left out because '%s'", operation, c->text, why);
}

static int f64_case(const le__operation_entry *entry, int64_t index) {
    const le_case_request request = {
        .kind = LE_CASE_CHECK, .seed = SEED, .index = index, .dtype = LE_F64};
    le_case made;
    le_call call;
    le__candidate *list;
    size_t n, asked = 0;
    assert_int_equal(le__case_make(&made, entry->operation, &request), LE_OK);
    if (le__call_bind(&call, engine, (le__operation_entry *)entry, made.args, made.n) == LE_OK) {
        assert_int_equal(le__candidates_make(engine, entry, &list, &n), LE_OK);
        for (size_t i = 0; i < n; i++)
            if (has_f64(&call, false) && list[i].device->kind == LE_DEVICE_OPENCL) {
                expect_left_out(&list[i], &call);
                asked++;
            }
        free(list);
        le__call_unbind(&call);
    }
    le__case_free(&made);
    return (int)asked;
}

static void doubles_are_left_out_with_the_reason(void **state) {
    (void)state;
    static const char *const operations[] = {"interpolate",
                                             "interpolate_at",
                                             "transfer_function",
                                             "composite",
                                             "project",
                                             "volume_render",
                                             "roberts_cross",
                                             "shift_magnify",
                                             "shift_scale_rotate",
                                             "esrrf",
                                             "temporal_projection",
                                             "macro_pixel_correction",
                                             "radial_gradient_convergence"};
    NEEDS_DEVICE();
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
        int asked = 0;
        for (int64_t index = 0; index < CASES; index++)
            asked += f64_case(le__registry_find(&engine->registry, operations[o]), index);
        print_message("%-28s %4d candidates asked\n", operations[o], asked);
        assert_true(asked > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_has_none),
        cmocka_unit_test(doubles_are_left_out_with_the_reason),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
