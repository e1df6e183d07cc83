/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation of the OpenCL tests.
 */
#include "opencl_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "#ifndef TERM\n"
    "#define TERM 1.0f\n"
    "#endif\n"
    "__kernel void scale(__global const float *in, __global float *out, float factor, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) out[i] = factor * in[i] + TERM;\n"
    "}\n"
    "__kernel void scale_image(__read_only image3d_t in, __global float *out, float factor, int4 "
    "n) {\n"
    "    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
    "CLK_FILTER_NEAREST;\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "    if (x < n.x && y < n.y && z < n.z)\n"
    "        out[(z * n.y + y) * n.x + x] = factor * read_imagef(in, s, (int4)(x, y, z, 0)).x + "
    "1.0f;\n"
    "}\n";

static const char volume[] =
    "__kernel void scale(__global const float *in, __global float *out, float factor, int4 n) {\n"
    "    int x = get_global_id(0), y = get_group_id(1), z = get_group_id(2);\n"
    "    int i = (z * n.y + y) * n.x + x;\n"
    "    if (x < n.x && y < n.y && z < n.z) out[i] = factor * in[i] + 1.0f;\n"
    "}\n";
static const char slow[] =
    "__kernel void scale(__global const float *in, __global float *out, float factor, int n) {\n"
    "    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);\n"
    "    uint spin = i;\n"
    "    for (int k = 0; k < 4000; k++) spin = spin * 1664525u + 1013904223u;\n"
    "    if (i < n) out[i] = factor * in[i] + (spin == 1u ? 2.0f : 1.0f);\n"
    "}\n";
static const char broken[] =
    "__kernel void scale(__global float *in) { in[0] = undeclared_name; }\n";

const le_cl_source fixture_source = {"test/scale", text, sizeof text - 1, NULL};
static const le_cl_source fixture_volume = {"test/volume", volume, sizeof volume - 1, NULL};
static const le_cl_source fixture_slow = {"test/slow", slow, sizeof slow - 1, NULL};
const le_cl_source fixture_broken = {"test/broken", broken, sizeof broken - 1, NULL};

static le_status check(le_call *call) {
    const le_tensor *t = le_call_in(call, ARG_INPUT);
    return le_call_set_out(call, ARG_RESULT, LE_F32, t->ndim, t->shape);
}

static void work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_in(call, ARG_INPUT)) + 1;
    *out = (le_work){n, 8 * n};
}

static le_status make_case(le_case *c, const le_case_request *request) {
    const int64_t n = request->size ? request->size : 1000;
    le_tensor *t = le_case_in(c, "input", LE_F32, 1, &n);
    for (int64_t i = 0; t && i < n; i++)
        le_tensor_set(t, i, le_case_normal(c));
    le_case_f64(c, "factor", 3);
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

static const le_arg_desc args[] = {
    {.name = "input", .type = LE_TYPE_IN, .dtypes = LE_DTYPES_ALL, .min_ndim = 0, .max_ndim = 4},
    {.name = "factor", .type = LE_TYPE_F64, .optional = true, .default_f64 = 2},
    {.name = "result",
     .type = LE_TYPE_OUT,
     .dtypes = LE_DTYPE_BIT(LE_F32),
     .min_ndim = 0,
     .max_ndim = 4},
};

const le_operation fixture_operation = {.abi = LE_METHOD_ABI,
                                        .name = "test_scale",
                                        .family = "test",
                                        .summary = "factor * input + 1",
                                        .reference = "school",
                                        .args = args,
                                        .n_args = 3,
                                        .check = check,
                                        .work = work,
                                        .make_case = make_case,
                                        .atol = 1e-5,
                                        .rtol = 1e-5};

static le_status run_reference(le_call *call) {
    le_tensor *out = le_call_out(call, ARG_RESULT);
    int64_t n = le_tensor_count(out);
    for (int64_t i = 0; i < n; i++)
        le_tensor_set(
            out, i,
            le_call_f64(call, ARG_FACTOR) * le_tensor_get(le_call_in(call, ARG_INPUT), i) + 1);
    return LE_OK;
}

static le_status launch(le_call *call, const le_cl_source *source) {
    le_cl_kernel *k;
    size_t n = (size_t)le_tensor_count(le_call_in(call, ARG_INPUT)), local = 16;
    le_status status = le_cl_get_kernel(call, source, "scale", "-DUNUSED=1", &k);
    if (status != LE_OK)
        return status;
    const le_cl_karg kargs[] = {LE_CL_ARG(ARG_INPUT), LE_CL_ARG(ARG_RESULT),
                                LE_CL_F32((float)le_call_f64(call, ARG_FACTOR)),
                                LE_CL_I32((int32_t)n)};
    return le_cl_launch(call, k, 1, &n, &local, kargs, 4);
}

static le_status run_buffers(le_call *call) {
    return launch(call, &fixture_source);
}

static le_status run_slow(le_call *call) {
    return launch(call, &fixture_slow);
}

static le_status run_broken(le_call *call) {
    return launch(call, &fixture_broken);
}

static le_status run_volume(le_call *call) {
    le_cl_kernel *k;
    const int64_t *s = le_call_in(call, ARG_INPUT)->shape;
    const int32_t n[4] = {(int32_t)s[2], (int32_t)s[1], (int32_t)s[0], 0};
    const size_t global[3] = {(size_t)s[2], (size_t)s[1], (size_t)s[0]}, local[3] = {4, 1, 1};
    le_status status = le_cl_get_kernel(call, &fixture_volume, "scale", NULL, &k);
    const le_cl_karg kargs[] = {LE_CL_ARG(ARG_INPUT), LE_CL_ARG(ARG_RESULT),
                                LE_CL_F32((float)le_call_f64(call, ARG_FACTOR)), LE_CL_STRUCT(&n)};
    return status == LE_OK ? le_cl_launch(call, k, 3, global, local, kargs, 4) : status;
}

static le_status run_image(le_call *call) {
    le_cl_kernel *k;
    le_cl_buffer *image;
    const int64_t *s = le_call_in(call, ARG_INPUT)->shape;
    const int32_t n[4] = {(int32_t)s[2], (int32_t)s[1], (int32_t)s[0], 0};
    const size_t global[3] = {(size_t)s[2], (size_t)s[1], (size_t)s[0]};
    le_status status = le_cl_get_kernel(call, &fixture_source, "scale_image", NULL, &k);
    if (status == LE_OK)
        status = le_cl_image3d(call, ARG_INPUT, &image);
    if (status != LE_OK)
        return status;
    const le_cl_karg kargs[] = {LE_CL_BUF(image), LE_CL_ARG(ARG_RESULT),
                                LE_CL_F32((float)le_call_f64(call, ARG_FACTOR)), LE_CL_STRUCT(&n)};
    return le_cl_launch(call, k, 3, global, NULL, kargs, 4);
}

static bool is_f32(const le_call *call, const char **why) {
    *why = "only f32";
    return le_call_in(call, ARG_INPUT)->dtype == LE_F32;
}

static bool is_never(const le_call *call, const char **why) {
    (void)call;
    *why = "only executed by tests";
    return false;
}

static bool is_volume(const le_call *call, const char **why) {
    *why = "only 3-D";
    return le_call_in(call, ARG_INPUT)->ndim == 3;
}

static bool is_f32_volume(const le_call *call, const char **why) {
    return is_f32(call, why) && is_volume(call, why);
}

static const le_implementation reference = {.abi = LE_METHOD_ABI,
                                            .operation = "test_scale",
                                            .name = "reference",
                                            .run_type = "reference",
                                            .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL,
                                            .run = run_reference};
const le_implementation fixture_buffers = {.abi = LE_METHOD_ABI,
                                           .operation = "test_scale",
                                           .name = "buffers",
                                           .run_type = "opencl",
                                           .device = LE_DEVICE_OPENCL,
                                           .applicable = is_f32,
                                           .run = run_buffers};
static const le_implementation fixture_slowly = {.abi = LE_METHOD_ABI,
                                                 .operation = "test_scale",
                                                 .name = "slow",
                                                 .run_type = "opencl",
                                                 .device = LE_DEVICE_OPENCL,
                                                 .applicable = is_f32,
                                                 .run = run_slow};
static const le_implementation fixture_groups = {.abi = LE_METHOD_ABI,
                                                 .operation = "test_scale",
                                                 .name = "groups",
                                                 .run_type = "opencl",
                                                 .device = LE_DEVICE_OPENCL,
                                                 .applicable = is_f32_volume,
                                                 .run = run_volume};
const le_implementation fixture_image = {.abi = LE_METHOD_ABI,
                                         .operation = "test_scale",
                                         .name = "image",
                                         .run_type = "opencl",
                                         .device = LE_DEVICE_OPENCL,
                                         .flags = LE_IMPL_NEEDS_IMAGES,
                                         .applicable = is_volume,
                                         .run = run_image};
const le_implementation fixture_build_failure = {.abi = LE_METHOD_ABI,
                                                 .operation = "test_scale",
                                                 .name = "broken",
                                                 .run_type = "opencl",
                                                 .device = LE_DEVICE_OPENCL,
                                                 .applicable = is_never,
                                                 .run = run_broken};

le_engine *fixture_open_with(le_options *o) {
    le_engine *e;
    o->db_path = ":memory:";
    assert_int_equal(le_open(&e, o), LE_OK);
    assert_int_equal(le_register_operation(e, &fixture_operation), LE_OK);
    assert_int_equal(le_register_implementation(e, &reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &fixture_buffers), LE_OK);
    assert_int_equal(le_register_implementation(e, &fixture_image), LE_OK);
    assert_int_equal(le_register_implementation(e, &fixture_slowly), LE_OK);
    assert_int_equal(le_register_implementation(e, &fixture_groups), LE_OK);
    assert_int_equal(le_register_implementation(e, &fixture_build_failure), LE_OK);
    le__engine_discover(e);
    return e;
}

le_engine *fixture_open(const char *cache_dir, const char *cl_dir, int64_t device_memory_limit) {
    le_options o;
    le_default_options(&o);
    o.cache_dir = cache_dir;
    o.cl_dir = cl_dir;
    o.device_memory_limit_bytes = device_memory_limit;
    return fixture_open_with(&o);
}

bool fixture_has_device(le_engine *e) {
    return e->n_devices > 1;
}

static le_status execute(le_engine *e, le_call *call, const char *implementation) {
    le__candidate *list;
    size_t n;
    le_status status = le__candidates_make(e, call->entry, &list, &n);
    if (status != LE_OK)
        return status;
    status = le_fail(LE_ERR_NO_CANDIDATE, "no candidate");
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i].implementation->name, implementation)) {
            status = le__execute(call, &list[i], LE__OUTPUTS_IN_PLACE);
            break;
        }
    free(list);
    return status;
}

le_status fixture_run(le_engine *e, const char *implementation, le__run_stats *stats,
                      const le_tensor *input, double factor, le_tensor *result,
                      bool keep_on_device) {
    le_call call;
    const le_arg given[] = {LE_IN("input", input), LE_F64("factor", factor),
                            LE_OUT("result", result),
                            LE_OPT_I64_(LE_OPTION_KEEP_ON_DEVICE, keep_on_device)};
    le__operation_entry *entry = le__registry_find(&e->registry, "test_scale");
    le_status status = le__call_bind(&call, e, entry, given, 4);
    if (status != LE_OK)
        return status;
    status = execute(e, &call, implementation);
    if (stats)
        *stats = call.stats;
    if (status == LE_OK)
        status = le__call_commit(&call);
    le__call_unbind(&call);
    return status;
}

le_tensor fixture_tensor(int ndim, const int64_t *shape, unsigned seed) {
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_F32, ndim, shape), LE_OK);
    uint32_t x = seed * 2654435761u + 1;
    for (int64_t i = 0; i < le_tensor_count(&t); i++) {
        x = x * 1664525u + 1013904223u;
        ((float *)t.data)[i] = (float)(x >> 8) / 65536.0f;
    }
    return t;
}

void fixture_expect(const le_tensor *input, double factor, le_tensor *result) {
    le_tensor in = *input;
    assert_int_equal(le_tensor_to_host(&in), LE_OK);
    assert_int_equal(le_tensor_to_host(result), LE_OK);
    assert_int_equal(le_tensor_count(&in), le_tensor_count(result));
    for (int64_t i = 0; i < le_tensor_count(&in); i++) {
        double expected = factor * le_tensor_get(&in, i) + 1, got = le_tensor_get(result, i);
        if (!(got - expected <= 1e-3 && expected - got <= 1e-3))
            fail_msg("element %lld is %.9g, expected %.9g", (long long)i, got, expected);
    }
}
