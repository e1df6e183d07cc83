/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The toy operation of the engine's tests.
 */
#include "toy.h"

static const char *const modes[] = {"plain", "fancy", NULL};

static const le_arg_desc args[] = {
    [TOY_INPUT] = {.name = "input",
                   .doc = "any array",
                   .type = LE_TYPE_IN,
                   .dtypes = LE_DTYPES_FLOAT,
                   .min_ndim = 1,
                   .max_ndim = 3,
                   .shape = "[n] to [a,b,c]"},
    [TOY_FACTOR] =
        {.name = "factor", .doc = "multiplies", .type = LE_TYPE_F64, .min = -10, .max = 10},
    [TOY_OFFSET] = {.name = "offset",
                    .doc = "is added",
                    .type = LE_TYPE_I64,
                    .optional = true,
                    .default_f64 = 0},
    [TOY_MODE] = {.name = "mode",
                  .doc = "changes nothing",
                  .type = LE_TYPE_STR_OR_F64,
                  .optional = true,
                  .words = modes,
                  .default_str = "plain"},
    [TOY_WEIGHTS] = {.name = "weights",
                     .doc = "ignored",
                     .type = LE_TYPE_F64S,
                     .optional = true,
                     .min_count = 1,
                     .max_count = 3},
    [TOY_RESULT] = {.name = "result",
                    .doc = "like input",
                    .type = LE_TYPE_OUT,
                    .dtypes = LE_DTYPES_FLOAT,
                    .min_ndim = 1,
                    .max_ndim = 3,
                    .shape = "like input"},
};

static le_status check(le_call *call) {
    const le_tensor *in = le_call_in(call, TOY_INPUT);
    return le_call_set_out(call, TOY_RESULT, in->dtype, in->ndim, in->shape);
}

static void work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_in(call, TOY_INPUT));
    *out = (le_work){.operations = 2 * n + 1, .bytes = 8 * n};
}

static le_status make_case(le_case *c, const le_case_request *r) {
    int64_t n = r->kind == LE_CASE_BENCH && r->size ? r->size : 1 + r->index * 37 % 300 + 100;
    le_dtype dtype = r->dtype ? r->dtype : r->like ? le_call_in(r->like, TOY_INPUT)->dtype : LE_F32;
    le_tensor *in = le_case_in(c, "input", dtype, 1, &n);
    for (int64_t i = 0; in && i < n; i++)
        le_tensor_set(in, i, le_case_normal(c));
    le_case_f64(c, "factor", 2.5);
    le_case_out(c, "result", dtype);
    return le_case_status(c);
}

const le_operation toy_operation = {.abi = LE_METHOD_ABI,
                                    .name = "toy",
                                    .family = "test",
                                    .summary = "factor * input + offset",
                                    .reference = "this line",
                                    .args = args,
                                    .n_args = sizeof args / sizeof *args,
                                    .check = check,
                                    .work = work,
                                    .norm = LE_NORM_MAX,
                                    .atol = 1e-5,
                                    .make_case = make_case};

size_t toy_items(const le_call *call) {
    return (size_t)le_tensor_count(le_call_in(call, TOY_INPUT));
}

static void reference_range(void *context, size_t begin, size_t end, int worker) {
    const le_call *call = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        le_tensor_set(le_call_out(call, TOY_RESULT), (int64_t)i,
                      le_call_f64(call, TOY_FACTOR) *
                              le_tensor_get(le_call_in(call, TOY_INPUT), (int64_t)i) +
                          le_call_f64(call, TOY_OFFSET));
}

void toy_range(void *context, size_t begin, size_t end, int worker) {
    const le_call *call = context;
    (void)worker;
    float factor = (float)le_call_f64(call, TOY_FACTOR),
          offset = (float)le_call_f64(call, TOY_OFFSET);
    for (size_t i = begin; i < end; i++)
        le_tensor_set(
            le_call_out(call, TOY_RESULT), (int64_t)i,
            (double)(factor * (float)le_tensor_get(le_call_in(call, TOY_INPUT), (int64_t)i) +
                     offset));
}

const le_implementation toy_reference = {.abi = LE_METHOD_ABI,
                                         .operation = "toy",
                                         .name = "reference",
                                         .run_type = "reference",
                                         .flags = LE_IMPL_REFERENCE,
                                         .speed = 0.2,
                                         .items = toy_items,
                                         .range = reference_range};
const le_implementation toy_c = {.abi = LE_METHOD_ABI,
                                 .operation = "toy",
                                 .name = "c",
                                 .run_type = "c",
                                 .flags = LE_IMPL_REPRODUCIBLE,
                                 .speed = 1,
                                 .items = toy_items,
                                 .range = toy_range};

le_engine *toy_open(const char *db, le_mode mode) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = db ? db : ":memory:";
    o.mode = mode;
    o.devices = "cpu";
    o.threads = 2;
    if (le_open(&e, &o) == LE_OK) {
        le_register_operation(e, &toy_operation);
        le_register_implementation(e, &toy_reference);
        le_register_implementation(e, &toy_c);
    }
    return e;
}
