/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * An operation of one's own, y = a*x + b, with a reference, a C and an OpenCL implementation.
 */
#include <liquid_engine/le_method.h>
#include <stdio.h>

enum { X, A, B, Y };
#define F32 LE_DTYPE_BIT(LE_F32), .min_ndim = 1, .max_ndim = 1, .shape = "[n]"
static const le_arg_desc args[] = {
    [X] = {.name = "x", .doc = "numbers", .type = LE_TYPE_IN, .dtypes = F32},
    [A] = {.name = "a", .doc = "factor", .type = LE_TYPE_F64},
    [B] = {.name = "b", .doc = "summand", .type = LE_TYPE_F64, .optional = true},
    [Y] = {.name = "y", .doc = "a*x + b", .type = LE_TYPE_OUT, .dtypes = F32}};
static le_status check(le_call *c) {
    return le_call_set_out(c, Y, LE_F32, 1, le_call_in(c, X)->shape);
}
static void work(const le_call *c, le_work *w) {
    w->operations = w->bytes = 8.0 * (double)le_call_in(c, X)->shape[0] + 1;
}
/* Calls to prove and time implementations with: any numbers will do. */
static le_status make_case(le_case *c, const le_case_request *r) {
    int64_t n = r->kind == LE_CASE_BENCH && r->size > 0 ? r->size : 1000 + r->index;
    le_tensor *x = le_case_in(c, "x", LE_F32, 1, &n);
    for (int64_t i = 0; x && i < n; i++)
        le_tensor_set(x, i, le_case_normal(c));
    le_case_f64(c, "a", 1.5);
    le_case_out(c, "y", LE_F32);
    return le_case_status(c);
}
static const le_operation axpb = {
    .abi = LE_METHOD_ABI, .name = "axpb", .family = "example", .summary = "a*x + b of each number",
    .args = args, .n_args = 4, .check = check, .work = work, .make_case = make_case, .atol = 1e-5};
static size_t items(const le_call *c) { return (size_t)le_call_in(c, X)->shape[0]; }
static void range(void *call, size_t begin, size_t end, int worker) {
    const le_tensor *x = le_call_in(call, X), *y = le_call_out(call, Y);
    double a = le_call_f64(call, A), b = le_call_f64(call, B);
    for (int64_t i = (int64_t)begin; i < (int64_t)end && worker >= 0; i++)
        ((float *)y->data)[i * y->strides[0]] = (float)(a * le_tensor_get(x, i) + b);
}
static const char text[] =
    "__kernel void axpb(__global const float *x, __global float *y, float a, float b, uint n)\n"
    "{ uint i = get_global_id(0); if (i < n) y[i] = a * x[i] + b; }";
static const le_cl_source source = {"example/axpb", text, sizeof text - 1, "axpb, version 1"};
static const le_cl_source *const sources[] = {&source, NULL};
static le_status run_cl(le_call *c) {
    le_cl_kernel *kernel;
    size_t n = items(c);
    const le_cl_karg k[] = {LE_CL_ARG(X), LE_CL_ARG(Y), LE_CL_F32((float)le_call_f64(c, A)),
                            LE_CL_F32((float)le_call_f64(c, B)), LE_CL_U32((uint32_t)n)};
    le_status s = le_cl_get_kernel(c, &source, "axpb", "", &kernel);
    return s != LE_OK ? s : le_cl_launch(c, kernel, 1, &n, NULL, k, 5);
}
#define IMPLEMENTATION(n) .abi = LE_METHOD_ABI, .operation = "axpb", .name = n, .run_type = n
static const le_implementation implementations[] = {
    {IMPLEMENTATION("reference"), .flags = LE_IMPL_REFERENCE, .items = items, .range = range},
    {IMPLEMENTATION("c"), .items = items, .range = range},
    {IMPLEMENTATION("opencl"), .device = LE_DEVICE_OPENCL, .sources = sources, .run = run_cl}};

int main(void) {
    le_engine *engine;
    float x[] = {1, 2, 3};
    le_tensor in = le_tensor_of(x, LE_F32, 1, (int64_t[]){3}), out = {0};
    le_status s = le_open(&engine, NULL);
    s = s != LE_OK ? s : le_register_operation(engine, &axpb);
    for (int i = 0; s == LE_OK && i < 3; i++)
        s = le_register_implementation(engine, &implementations[i]);
    if (s == LE_OK)
        s = le_engine_run(engine, "axpb", LE_IN("x", &in), LE_F64("a", 2), LE_F64("b", 1),
                          LE_OUT("y", &out));
    for (int i = 0; s == LE_OK && i < 3; i++)
        printf("%g\n", le_tensor_get(&out, i));
    if (s != LE_OK)
        fprintf(stderr, "%s\n", le_error_message());
    le_tensor_free(&out);
    le_close(&engine);
    return s != LE_OK;
}
