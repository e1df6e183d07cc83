/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables: small inputs that may be looked at. The operation convolves rows with a 2-D table; one of
 * its implementations is right for tables of rank 1 only, which the key and `applicable` see.
 */
#include "operation_test.h"

#include "liquid_engine/le_chain.h"
#include "trial/trial_server.h"

#include <sys/mman.h>

enum { ARG_IN, ARG_KERNEL, ARG_OUT };

static const le_arg_desc args[] = {FLOATS("in", LE_TYPE_IN, 2),
                                   {.name = "kernel",
                                    .type = LE_TYPE_TABLE,
                                    .min_ndim = 2,
                                    .max_ndim = 2,
                                    .shape = "[k,l]",
                                    .min = -100,
                                    .max = 100,
                                    .min_count = 1},
                                   FLOATS("out", LE_TYPE_OUT, 2)};

static double at(const le_tensor *k, int64_t i, int64_t j) {
    return ((const double *)k->data)[i * k->shape[1] + j];
}

/* What the last trial's sample had as its table; shared with children. */
static struct {
    int64_t shape[2];
    double values[6];
} * tried;

static void note_table(const le_call *call) {
    const le_tensor *k = le_call_table(call, ARG_KERNEL);
    if (!tried || !le__trial_is_child() || le_tensor_count(k) != 6)
        return;
    memcpy(tried->shape, k->shape, sizeof tried->shape);
    memcpy(tried->values, k->data, sizeof tried->values);
}

/* Every row a multiple of the first one, as integers are exactly. */
static bool rank1(const le_call *call) {
    const le_tensor *k = le_call_table(call, ARG_KERNEL);
    for (int64_t i = 0; i < k->shape[0]; i++)
        for (int64_t j = 0; j < k->shape[1]; j++)
            if (at(k, i, j) * at(k, 0, 0) != at(k, i, 0) * at(k, 0, j))
                return false;
    return at(k, 0, 0) != 0;
}

static le_status check(le_call *call) {
    const le_tensor *in = le_call_in(call, ARG_IN), *k = le_call_table(call, ARG_KERNEL);
    if (at(k, 0, 0) == -100) /* looks at the table, in trials as well */
        return le_fail(LE_ERR_ARGUMENT, "convolved: the kernel begins with -100");
    int64_t shape[2] = {in->shape[0] - k->shape[0] + 1, in->shape[1] - k->shape[1] + 1};
    if (shape[0] < 1 || shape[1] < 1)
        return le_fail(LE_ERR_SHAPE, "convolved: the kernel is larger than the image");
    return le_call_set_out(call, ARG_OUT, LE_F32, 2, shape);
}

static void work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_out(call, ARG_OUT));
    out->operations = n * (double)le_tensor_count(le_call_table(call, ARG_KERNEL));
    out->bytes = 8 * n;
}

static void key(const le_call *call, char *buffer, size_t size) {
    const le_tensor *k = le_call_table(call, ARG_KERNEL);
    snprintf(buffer, size, "%dx%d%s", (int)k->shape[0], (int)k->shape[1],
             rank1(call) ? " rank1" : "");
}

static le_status make_case(le_case *c, const le_case_request *r) {
    const double any[4] = {1, 2, 3, 4};
    le_tensor *in = le_case_in(c, "in", LE_F32, 2, (int64_t[]){30, 20});
    for (int64_t i = 0; in && i < 600; i++)
        le_tensor_set(in, i, (double)(i * 7 % 11));
    le_case_like(c, r->like);
    if (!r->like)
        le_case_table(c, "kernel", 2, (int64_t[]){2, 2}, any);
    le_case_out(c, "out", LE_F32);
    return le_case_status(c);
}

static le_status expand(const le_call *call, le_chain *chain) {
    return le_chain_add(chain, "convolved", LE_VALUE_IN("in", le_chain_arg(chain, 0)),
                        LE_VALUE_OUT("out", le_chain_arg(chain, 2)),
                        le_chain_pass(call, ARG_KERNEL, "kernel"));
}

static const le_operation convolved = {.abi = LE_METHOD_ABI,
                                       .name = "convolved",
                                       .family = "test",
                                       .reference = "school",
                                       .args = args,
                                       .n_args = 3,
                                       .check = check,
                                       .work = work,
                                       .key = key,
                                       .atol = 1e-3,
                                       .make_case = make_case};

static size_t rows(const le_call *call) {
    return (size_t)le_call_out(call, ARG_OUT)->shape[0];
}

static void direct(void *context, size_t begin, size_t end, int worker) {
    if (begin == 0)
        note_table(context);
    const le_tensor *in = le_call_in(context, ARG_IN), *k = le_call_table(context, ARG_KERNEL);
    le_tensor *out = le_call_out(context, ARG_OUT);
    (void)worker;
    for (int64_t y = (int64_t)begin; y < (int64_t)end; y++)
        for (int64_t x = 0; x < out->shape[1]; x++) {
            double sum = 0;
            for (int64_t i = 0; i < k->shape[0]; i++)
                for (int64_t j = 0; j < k->shape[1]; j++)
                    sum += at(k, i, j) * le_tensor_get(in, (y + i) * in->shape[1] + x + j);
            le_tensor_set(out, y * out->shape[1] + x, sum);
        }
}

/* The first row's sums, each weighted by its row. */
static void separable(void *context, size_t begin, size_t end, int worker) {
    const le_tensor *in = le_call_in(context, ARG_IN), *k = le_call_table(context, ARG_KERNEL);
    le_tensor *out = le_call_out(context, ARG_OUT);
    (void)worker;
    for (int64_t y = (int64_t)begin; y < (int64_t)end; y++)
        for (int64_t x = 0; x < out->shape[1]; x++) {
            double sum = 0;
            for (int64_t i = 0; i < k->shape[0]; i++) {
                double row = 0;
                for (int64_t j = 0; j < k->shape[1]; j++)
                    row += at(k, 0, j) * le_tensor_get(in, (y + i) * in->shape[1] + x + j);
                sum += row * at(k, i, 0) / at(k, 0, 0);
            }
            le_tensor_set(out, y * out->shape[1] + x, sum);
        }
}

static bool is_separable(const le_call *call, const char **why) {
    *why = "the kernel is not separable";
    return rank1(call);
}

static const char text[] =
    "__kernel void convolved(__global const float *in, __global float *out, __constant float *k,\n"
    "                        int4 n, int width) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    if (x >= n.x || y >= n.y) return;\n"
    "    float sum = 0;\n"
    "    for (int i = 0; i < n.w; i++)\n"
    "        for (int j = 0; j < n.z; j++)\n"
    "            sum += k[i * n.z + j] * in[(y + i) * width + x + j];\n"
    "    out[y * n.x + x] = sum;\n"
    "}\n";
static const le_cl_source source = {"test/convolved", text, sizeof text - 1, NULL};
static const le_cl_source *const sources[] = {&source, NULL};

static le_status run_opencl(le_call *call) {
    const le_tensor *in = le_call_in(call, ARG_IN), *k = le_call_table(call, ARG_KERNEL);
    const le_tensor *out = le_call_out(call, ARG_OUT);
    size_t n = (size_t)le_tensor_count(k),
           global[2] = {(size_t)out->shape[1], (size_t)out->shape[0]};
    int32_t sizes[4] = {(int32_t)out->shape[1], (int32_t)out->shape[0], (int32_t)k->shape[1],
                        (int32_t)k->shape[0]};
    le_cl_kernel *kernel;
    le_cl_buffer *taps = NULL;
    float *floats = le_call_scratch(call, n * sizeof *floats);
    if (!floats)
        return le_fail(LE_ERR_MEMORY, "convolved: out of memory");
    for (size_t i = 0; i < n; i++)
        floats[i] = (float)((const double *)k->data)[i];
    le_status status = le_cl_get_kernel(call, &source, "convolved", "", &kernel);
    if (status == LE_OK)
        status = le_cl_scratch(call, n * sizeof *floats, &taps);
    if (status == LE_OK)
        status = le_cl_upload(call, taps, 0, floats, n * sizeof *floats);
    const le_cl_karg kargs[] = {LE_CL_ARG(ARG_IN), LE_CL_ARG(ARG_OUT), LE_CL_BUF(taps),
                                LE_CL_STRUCT(&sizes), LE_CL_I32((int32_t)in->shape[1])};
    return status == LE_OK ? le_cl_launch(call, kernel, 2, global, NULL, kargs, 5) : status;
}

static const le_implementation reference = {.abi = LE_METHOD_ABI,
                                            .operation = "convolved",
                                            .name = "reference",
                                            .run_type = "reference",
                                            .flags = LE_IMPL_REFERENCE,
                                            .speed = 0.1,
                                            .items = rows,
                                            .range = direct};
static const le_implementation plain = {.abi = LE_METHOD_ABI,
                                        .operation = "convolved",
                                        .name = "c",
                                        .run_type = "c",
                                        .items = rows,
                                        .range = direct};
static const le_implementation rank_one = {.abi = LE_METHOD_ABI,
                                           .operation = "convolved",
                                           .name = "rank1",
                                           .run_type = "c",
                                           .speed = 50,
                                           .applicable = is_separable,
                                           .items = rows,
                                           .range = separable};
static const le_implementation opencl = {.abi = LE_METHOD_ABI,
                                         .operation = "convolved",
                                         .name = "opencl",
                                         .run_type = "opencl",
                                         .device = LE_DEVICE_OPENCL,
                                         .sources = sources,
                                         .run = run_opencl};
static const le_implementation *const all[] = {&reference, &plain, &rank_one, &opencl, NULL};

/* --- tests --- */

enum { H = 40, W = 30 };
static float image[H * W];
static double separate[6] = {1, 2, 1, 3, 6, 3}, full[6] = {1, 0, 5, -3, 2, 7};

static le_tensor make_image(void) {
    for (int i = 0; i < H * W; i++)
        image[i] = (float)(i * 31 % 17);
    return le_tensor_of(image, LE_F32, 2, (int64_t[]){H, W});
}

static le_tensor table_of(const double *values) {
    return le_tensor_of(values, LE_F64, 2, (int64_t[]){2, 3});
}

static void assert_convolved(const le_tensor *out, const double *k) {
    assert_int_equal(out->shape[0], H - 1);
    assert_int_equal(out->shape[1], W - 2);
    for (int y = 0; y < H - 1; y++)
        for (int x = 0; x < W - 2; x++) {
            double sum = 0;
            for (int i = 0; i < 6; i++)
                sum += k[i] * (double)image[(y + i / 3) * W + x + i % 3];
            assert_true(fabs(le_tensor_get(out, y * (W - 2) + x) - sum) < 1e-3);
        }
}

static void run_by(le_engine *e, const char *operation, const double *values,
                   const char *implementation, const char *device) {
    le_tensor in = make_image(), k = table_of(values), out = {0};
    assert_ok(le_engine_run(e, operation, LE_IN("in", &in), LE_TABLE("kernel", &k),
                            LE_OUT("out", &out), LE_OPT_DEVICE(device),
                            LE_OPT_IMPLEMENTATION(implementation)));
    assert_convolved(&out, values);
    le_tensor_free(&out);
}

static void run(le_engine *e, const char *operation, const double *values, const char *device) {
    run_by(e, operation, values, NULL, device);
}

static le_explanation *explain(le_engine *e, const double *values) {
    le_tensor in = make_image(), k = table_of(values), out = {0};
    le_explanation *x = NULL;
    assert_ok(le_engine_explain(e, &x, "convolved", LE_IN("in", &in), LE_TABLE("kernel", &k),
                                LE_OUT("out", &out)));
    return x;
}

/* Of all variants of the implementation: which of them has run is the engine's choice. */
static int64_t samples_of(const le_explanation *x, const char *implementation) {
    int64_t sum = 0;
    for (size_t i = 0; i < x->n_candidates; i++)
        if (!strcmp(x->candidates[i].implementation, implementation))
            sum += x->candidates[i].samples;
    return sum;
}

/* The table decides who applies; what its key says is all of it in the problem. */
static void choices(void **state) {
    (void)state;
    le_engine *e = operation_open(&convolved, all, NULL, LE_MODE_LEARN);
    run(e, "convolved", separate, "cpu");
    run(e, "convolved", full, "cpu");
    for (int i = 0; i < RUNS_THAT_TELL; i++)
        run_by(e, "convolved", separate, "rank1", "cpu");
    le_explanation *x = explain(e, separate), *y = explain(e, full);
    assert_non_null(strstr(x->problem, "2x3 rank1"));
    assert_non_null(strstr(y->problem, "2x3"));
    assert_null(strstr(y->problem, "rank1"));
    assert_null(strstr(y->problem, "kernel="));
    assert_string_equal(explained(x, "rank1")->verdict, "proven");
    assert_true(samples_of(x, "rank1") > 0);
    assert_false(explained(y, "rank1")->applicable);
    assert_string_equal(explained(y, "rank1")->left_out, "the kernel is not separable");
    le_explanation_free(&x);
    le_explanation_free(&y);
    double doubled[6];
    for (int i = 0; i < 6; i++)
        doubled[i] = 2 * separate[i];
    x = explain(e, doubled); /* another table, the same words */
    assert_true(samples_of(x, "rank1") > 0);
    le_explanation_free(&x);
    run(e, "convolved", doubled, "cpu");
    le_close(&e);
}

/* A trial's sample has the table of the call that waits for it. */
static void trials_have_the_table(void **state) {
    (void)state;
    tried = mmap(NULL, sizeof *tried, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(tried != MAP_FAILED);
    le_engine *e = operation_open(&convolved, all, NULL, LE_MODE_LEARN);
    run_by(e, "convolved", full, "c", "cpu");
    assert_int_equal(tried->shape[0], 2);
    assert_int_equal(tried->shape[1], 3);
    assert_memory_equal(tried->values, full, sizeof full);
    le_close(&e);
    munmap(tried, sizeof *tried);
    tried = NULL;
}

/* The trial's server gets the table with the request. */
static void on_devices(void **state) {
    (void)state;
    le_engine *e = operation_open(&convolved, all, NULL, LE_MODE_LEARN);
    le_tensor in = make_image(), k = table_of(full), out = {0};
    const le_arg list[] = {LE_IN("in", &in), LE_TABLE("kernel", &k), LE_OUT("out", &out)};
    if (has_opencl(e, "convolved", list, 3)) {
        run(e, "convolved", full, "opencl");
        run(e, "convolved", separate, "opencl");
        le_explanation *x = explain(e, full);
        assert_string_equal(explained(x, "opencl")->verdict, "proven");
        le_explanation_free(&x);
    }
    le_close(&e);
}

/* Any real dtype and strides; lists make tables of one axis where that is allowed. */
static void conversions(void **state) {
    (void)state;
    le_engine *e = operation_open(&convolved, all, NULL, LE_MODE_ESTIMATE);
    le_tensor in = make_image(), out = {0};
    const int8_t bytes[6] = {1, -3, 0, 2, 5, 7}; /* columns first */
    le_tensor k = le_tensor_of(bytes, LE_I8, 2, (int64_t[]){2, 3});
    k.strides[0] = 1;
    k.strides[1] = 2;
    assert_ok(le_engine_run(e, "convolved", LE_IN("in", &in), LE_TABLE("kernel", &k),
                            LE_OUT("out", &out), LE_OPT_DEVICE("cpu")));
    assert_convolved(&out, full);
    le_tensor_free(&out);
    le_close(&e);
}

/* Steps keep a copy of their own; expanded and planned chains never see another call's table. */
static void chains(void **state) {
    (void)state;
    le_operation composite = convolved;
    composite.name = "convolved_chain";
    composite.expand = expand;
    le_implementation direct_one = reference;
    direct_one.operation = "convolved_chain";
    le_engine *e = operation_open(&convolved, all, NULL, LE_MODE_LEARN);
    assert_ok(le_register_operation(e, &composite));
    assert_ok(le_register_implementation(e, &direct_one));
    double other[6] = {2, 0, 5, -3, 2, 7}; /* the same key */
    for (int i = 0; i < 4; i++) {
        run(e, "convolved_chain", full, "cpu");
        run(e, "convolved_chain", other, "cpu");
    }
    for (int i = 0; i < 2; i++) {
        const double *values = i ? other : full;
        le_tensor in = make_image(), k = table_of(values), out = {0};
        assert_ok(le_engine_run(e, "convolved_chain", LE_IN("in", &in), LE_TABLE("kernel", &k),
                                LE_OUT("out", &out), LE_OPT_RUN_TYPE("staged"),
                                LE_OPT_DEVICE("cpu")));
        assert_convolved(&out, values);
        le_tensor_free(&out);
    }
    le_chain *chain;
    double mine[6];
    memcpy(mine, full, sizeof mine);
    le_tensor in = make_image(), k = table_of(mine), out = {0};
    assert_ok(le_chain_new(&chain, e, "one"));
    le_value v = le_chain_input(chain, "in", LE_F32, 2, in.shape), w = le_chain_temp(chain);
    le_chain_add(chain, "convolved", LE_VALUE_IN("in", v), LE_TABLE("kernel", &k),
                 LE_VALUE_OUT("out", w));
    assert_ok(le_chain_output(chain, "out", w));
    memset(mine, 0, sizeof mine);
    assert_ok(le_chain_run(chain, LE_IN("in", &in), LE_OUT("out", &out)));
    assert_convolved(&out, full);
    le_tensor_free(&out);
    assert_ok(le_chain_as_operation(chain, "recipe", NULL));
    le_chain_free(&chain);
    assert_ok(le_engine_run(e, "recipe", LE_IN("in", &in), LE_OUT("out", &out)));
    assert_convolved(&out, full);
    le_tensor_free(&out);
    le_close(&e);
}

static void assert_refused(le_engine *e, le_arg kernel, le_status expected, const char *words) {
    le_tensor in = make_image(), out = {0};
    assert_int_equal(le_engine_run(e, "convolved", LE_IN("in", &in), kernel, LE_OUT("out", &out)),
                     expected);
    assert_says(words);
    assert_null(out.data);
}

static void refusals(void **state) {
    (void)state;
    le_engine *e = operation_open(&convolved, all, NULL, LE_MODE_LEARN);
    le_tensor none = {0}, big, c = le_tensor_of(full, LE_C128, 2, (int64_t[]){1, 2});
    le_tensor empty = le_tensor_of(full, LE_F64, 2, (int64_t[]){0, 2});
    double far[6] = {1, 2, 3, 4, 5, 100.5}, nan[6] = {1, 2, NAN, 4, 5, 6};
    assert_ok(le_tensor_alloc(&big, LE_U8, 2, (int64_t[]){1025, 1024}));
    le_tensor one = le_tensor_of(far, LE_F64, 2, (int64_t[]){2, 3});
    le_tensor two = le_tensor_of(nan, LE_F64, 2, (int64_t[]){2, 3});
    assert_refused(e, LE_TABLE("kernel", (const le_tensor *)NULL), LE_ERR_ARGUMENT, "is NULL");
    assert_refused(e, LE_TABLE("kernel", &none), LE_ERR_DTYPE, "expected real numbers");
    assert_refused(e, LE_TABLE("kernel", &c), LE_ERR_DTYPE, "has dtype c128");
    assert_refused(e, LE_TABLE("kernel", &big), LE_ERR_SHAPE, "1049600 elements, at most 1048576");
    assert_refused(e, LE_TABLE("kernel", &empty), LE_ERR_ARGUMENT, "has 0 numbers");
    assert_refused(e, LE_TABLE("kernel", &one), LE_ERR_ARGUMENT, "is 100.5, expected -100 to 100");
    assert_refused(e, LE_TABLE("kernel", &two), LE_ERR_ARGUMENT, "nan");
    assert_refused(e, LE_F64S("kernel", full, 6), LE_ERR_SHAPE, "has 1 dimensions, expected [k,l]");
    assert_refused(e, LE_IN("kernel", &one), LE_ERR_ARGUMENT, "expected a table");
    le_tensor_free(&big);
    le_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices),    cmocka_unit_test(trials_have_the_table),
        cmocka_unit_test(on_devices), cmocka_unit_test(conversions),
        cmocka_unit_test(chains),     cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
