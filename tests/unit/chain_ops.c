/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations for the tests of chains.
 */
#include "chain_ops.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define F32(in_or_out, the_name, the_doc, least, most, the_shape, is_optional)                     \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_##in_or_out, .optional = is_optional,    \
        .dtypes = LE_DTYPE_BIT(LE_F32), .min_ndim = least, .max_ndim = most, .shape = the_shape    \
    }
#define OPERATION(the_name, the_summary, the_args, the_check, the_work, the_atol, the_rtol)        \
    .abi = LE_METHOD_ABI, .name = the_name, .family = "test", .summary = the_summary,              \
    .args = the_args, .n_args = sizeof the_args / sizeof *the_args, .check = the_check,            \
    .work = the_work, .atol = the_atol, .rtol = the_rtol
#define IMPLEMENTATION(the_operation, the_name, the_run_type)                                      \
    .abi = LE_METHOD_ABI, .operation = the_operation, .name = the_name, .run_type = the_run_type

static const char source_text[] =
    "kernel void scale(global const float *x, global float *y, float f, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) y[i] = f * x[i];\n"
    "}\n"
    "kernel void add(global const float *a, global const float *b, global float *y, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) y[i] = a[i] + b[i];\n"
    "}\n"
    "kernel void soften(global const float *x, global const float *gain, global float *y, int h,\n"
    "                   int w) {\n"
    "    int c = get_global_id(0), r = get_global_id(1), f = get_global_id(2);\n"
    "    if (c >= w) return;\n"
    "    global const float *at = x + ((size_t)f * h + r) * w + c;\n"
    "    y[((size_t)f * h + r) * w + c] =\n"
    "        (at[r > 0 ? -w : 0] + at[0] + at[r + 1 < h ? w : 0]) * gain[c];\n"
    "}\n";
static const le_cl_source source = {"test/chain", source_text, sizeof source_text - 1, "chain2"};
static const le_cl_source *const sources[] = {&source, NULL};

/* --- chain_scale --- */

enum { SCALE_X, SCALE_FACTOR, SCALE_RESULT };
static const le_arg_desc scale_args[] = {F32(IN, "x", "numbers", 0, 8, "[...]", false),
                                         {.name = "factor",
                                          .doc = "multiplies",
                                          .type = LE_TYPE_F64,
                                          .optional = true,
                                          .default_f64 = 2},
                                         F32(OUT, "result", "factor * x", 0, 8, "[...]", false)};

static le_status scale_check(le_call *call) {
    const le_tensor *x = le_call_in(call, SCALE_X);
    return le_call_set_out(call, SCALE_RESULT, LE_F32, x->ndim, x->shape);
}

static void scale_work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_in(call, SCALE_X));
    *out = (le_work){n + 1, 8 * n};
}

static le_status scale_case(le_case *c, const le_case_request *request) {
    int64_t n = request->kind == LE_CASE_BENCH && request->size ? request->size : 37;
    le_tensor *x = le_case_in(c, "x", LE_F32, 1, &n);
    for (int64_t i = 0; x && i < n; i++)
        le_tensor_set(x, i, le_case_normal(c));
    le_case_f64(c, "factor", 1 + le_case_uniform(c));
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

static bool scale_slabs(const le_call *call, le_slabs *out) {
    const le_tensor *x = le_call_in(call, SCALE_X);
    out->items = x->ndim > 0 ? x->shape[0] : 0;
    out->args[SCALE_X].axis = out->args[SCALE_RESULT].axis = 1;
    return x->ndim > 0;
}

static const le_operation scale_operation = {
    OPERATION("chain_scale", "factor * x", scale_args, scale_check, scale_work, 1e-6, 1e-6),
    .make_case = scale_case, .slabs = scale_slabs};

static size_t scale_items(const le_call *call) {
    return (size_t)le_tensor_count(le_call_in(call, SCALE_X));
}

static void scale_range(void *context, size_t begin, size_t end, int worker) {
    le_call *call = context;
    const le_tensor *x = le_call_in(call, SCALE_X);
    float *y = le_call_out(call, SCALE_RESULT)->data;
    double f = le_call_f64(call, SCALE_FACTOR);
    (void)worker;
    for (size_t i = begin; i < end; i++)
        y[i] = (float)(f * le_tensor_get(x, (int64_t)i));
}

static le_status scale_opencl(le_call *call) {
    le_cl_kernel *kernel;
    int32_t n = (int32_t)scale_items(call);
    le_status status = le_cl_get_kernel(call, &source, "scale", "", &kernel);
    const le_cl_karg args[] = {LE_CL_ARG(SCALE_X), LE_CL_ARG(SCALE_RESULT),
                               LE_CL_F32((float)le_call_f64(call, SCALE_FACTOR)), LE_CL_I32(n)};
    size_t global = (size_t)n;
    return status == LE_OK ? le_cl_launch(call, kernel, 1, &global, NULL, args, 4) : status;
}

/* --- chain_add --- */

enum { ADD_A, ADD_B, ADD_RESULT };
static const le_arg_desc add_args[] = {F32(IN, "a", "numbers", 0, 8, "[...]", false),
                                       F32(IN, "b", "as many numbers", 0, 8, "[...]", false),
                                       F32(OUT, "result", "a + b", 0, 8, "[...]", false)};

static le_status add_check(le_call *call) {
    const le_tensor *a = le_call_in(call, ADD_A), *b = le_call_in(call, ADD_B);
    if (a->ndim != b->ndim || memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof a->shape[0]) != 0)
        return le_fail(LE_ERR_SHAPE, "chain_add: 'b' must have the shape of 'a'");
    return le_call_set_out(call, ADD_RESULT, LE_F32, a->ndim, a->shape);
}

static void add_work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_in(call, ADD_A));
    *out = (le_work){n + 1, 12 * n};
}

static le_status add_case(le_case *c, const le_case_request *request) {
    int64_t n = request->kind == LE_CASE_BENCH && request->size ? request->size : 37;
    static const char *const names[] = {"a", "b"};
    for (int k = 0; k < 2; k++) {
        le_tensor *x = le_case_in(c, names[k], LE_F32, 1, &n);
        for (int64_t i = 0; x && i < n; i++)
            le_tensor_set(x, i, le_case_normal(c));
    }
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

static const le_operation add_operation = {
    OPERATION("chain_add", "a + b", add_args, add_check, add_work, 1e-6, 1e-6),
    .make_case = add_case};

static size_t add_items(const le_call *call) {
    return (size_t)le_tensor_count(le_call_in(call, ADD_A));
}

static void add_range(void *context, size_t begin, size_t end, int worker) {
    le_call *call = context;
    float *y = le_call_out(call, ADD_RESULT)->data;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        y[i] = (float)(le_tensor_get(le_call_in(call, ADD_A), (int64_t)i) +
                       le_tensor_get(le_call_in(call, ADD_B), (int64_t)i));
}

static le_status add_opencl(le_call *call) {
    le_cl_kernel *kernel;
    int32_t n = (int32_t)add_items(call);
    le_status status = le_cl_get_kernel(call, &source, "add", "", &kernel);
    const le_cl_karg args[] = {LE_CL_ARG(ADD_A), LE_CL_ARG(ADD_B), LE_CL_ARG(ADD_RESULT),
                               LE_CL_I32(n)};
    size_t global = (size_t)n;
    return status == LE_OK ? le_cl_launch(call, kernel, 1, &global, NULL, args, 4) : status;
}

/* --- chain_poly --- */

enum { POLY_X, POLY_FACTORS, POLY_RESULT };
static const le_arg_desc poly_args[] = {
    F32(IN, "x", "numbers", 1, 7, "[...]", false),
    {.name = "factors", .doc = "one a slice", .type = LE_TYPE_F64S, .min_count = 1},
    F32(OUT, "result", "factors[k] * x + x", 2, 8, "[factors,...]", false)};

static le_status poly_check(le_call *call) {
    const le_tensor *x = le_call_in(call, POLY_X);
    size_t count;
    int64_t shape[LE_MAX_DIMS];
    le_call_f64s(call, POLY_FACTORS, &count);
    shape[0] = (int64_t)count;
    memcpy(shape + 1, x->shape, (size_t)x->ndim * sizeof *shape);
    return le_call_set_out(call, POLY_RESULT, LE_F32, x->ndim + 1, shape);
}

static void poly_work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_out(call, POLY_RESULT));
    *out = (le_work){2 * n + 1, 8 * n};
}

static le_status poly_case(le_case *c, const le_case_request *request) {
    int64_t n = request->kind == LE_CASE_BENCH && request->size ? request->size : 37;
    le_tensor *x = le_case_in(c, "x", LE_F32, 1, &n);
    for (int64_t i = 0; x && i < n; i++)
        le_tensor_set(x, i, le_case_normal(c));
    le_case_f64s(c, "factors", (const double[]){1, -2, 0.5}, 3);
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

static atomic_int expanded;

int chain_ops_expanded(void) {
    return expanded;
}

static le_status poly_expand(const le_call *call, le_chain *chain) {
    atomic_fetch_add(&expanded, 1);
    size_t count;
    const double *factors = le_call_f64s(call, POLY_FACTORS, &count);
    le_value x = le_chain_arg(chain, POLY_X), result = le_chain_arg(chain, POLY_RESULT);
    for (size_t k = 0; k < count; k++) {
        le_value scaled = le_chain_temp(chain);
        le_chain_add(chain, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", scaled),
                     LE_F64("factor", factors[k]));
        le_chain_add(chain, "chain_add", LE_VALUE_IN("a", scaled), LE_VALUE_IN("b", x),
                     LE_VALUE_OUT("result", le_chain_slice(chain, result, 0, (int64_t)k)));
    }
    return le_chain_status(chain);
}

static const le_operation poly_operation = {
    OPERATION("chain_poly", "factors[k] * x + x", poly_args, poly_check, poly_work, 1e-6, 1e-6),
    .make_case = poly_case, .expand = poly_expand};

static le_status poly_reference(le_call *call) {
    size_t count;
    const double *factors = le_call_f64s(call, POLY_FACTORS, &count);
    const le_tensor *x = le_call_in(call, POLY_X);
    int64_t n = le_tensor_count(x);
    for (size_t k = 0; k < count; k++)
        for (int64_t i = 0; i < n; i++)
            le_tensor_set(le_call_out(call, POLY_RESULT), (int64_t)k * n + i,
                          (factors[k] + 1) * le_tensor_get(x, i));
    return LE_OK;
}

/* --- chain_blur: mean of each row, the one before and the one after; at the ends the row itself
 * --- */

enum { BLUR_X, BLUR_RESULT };
static const le_arg_desc blur_args[] = {F32(IN, "x", "rows", 2, 2, "[rows,n]", false),
                                        F32(OUT, "result", "rows", 2, 2, "[rows,n]", false)};

static le_status blur_check(le_call *call) {
    return le_call_set_out(call, BLUR_RESULT, LE_F32, 2, le_call_in(call, BLUR_X)->shape);
}

static void rows_work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_in(call, 0));
    *out = (le_work){3 * n + 1, 8 * n};
}

static bool blur_slabs(const le_call *call, le_slabs *out) {
    out->items = le_call_in(call, BLUR_X)->shape[0];
    out->halo = 1;
    out->args[BLUR_X].axis = out->args[BLUR_RESULT].axis = 1;
    return true;
}

static le_status blur_run(le_call *call) {
    const le_tensor *x = le_call_in(call, BLUR_X);
    int64_t rows = x->shape[0], n = x->shape[1];
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i++) {
            int64_t above = r > 0 ? r - 1 : r, below = r + 1 < rows ? r + 1 : r;
            double sum = le_tensor_get(x, above * n + i) + le_tensor_get(x, r * n + i) +
                         le_tensor_get(x, below * n + i);
            le_tensor_set(le_call_out(call, BLUR_RESULT), r * n + i, sum / 3);
        }
    return LE_OK;
}

static const le_operation blur_operation = {
    OPERATION("chain_blur", "over three rows", blur_args, blur_check, rows_work, 1e-6, 1e-6),
    .slabs = blur_slabs};

/* --- chain_over: mean, maximum and sum over the first axis --- */

enum { OVER_X, OVER_MEAN, OVER_MAX, OVER_SUM };
static const le_arg_desc over_args[] = {F32(IN, "x", "frames", 3, 3, "[frames,h,w]", false),
                                        F32(OUT, "mean", "image", 2, 2, "[h,w]", false),
                                        F32(OUT, "max", "image", 2, 2, "[h,w]", true),
                                        F32(OUT, "sum", "image", 2, 2, "[h,w]", true)};

static le_status over_check(le_call *call) {
    const le_tensor *x = le_call_in(call, OVER_X);
    for (int i = OVER_MEAN; i <= OVER_SUM; i++)
        if (le_call_given(call, i)) {
            le_status status = le_call_set_out(call, i, LE_F32, 2, x->shape + 1);
            if (status != LE_OK)
                return status;
        }
    return LE_OK;
}

static bool over_slabs(const le_call *call, le_slabs *out) {
    out->items = le_call_in(call, OVER_X)->shape[0];
    out->args[OVER_X].axis = 1;
    out->args[OVER_MEAN].merge = LE_MERGE_MEAN;
    out->args[OVER_MAX].merge = LE_MERGE_MAX;
    out->args[OVER_SUM].merge = LE_MERGE_SUM;
    return true;
}

static le_status over_run(le_call *call) {
    const le_tensor *x = le_call_in(call, OVER_X);
    int64_t n = x->shape[1] * x->shape[2];
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, most = le_tensor_get(x, i);
        for (int64_t f = 0; f < x->shape[0]; f++) {
            double v = le_tensor_get(x, f * n + i);
            sum += v;
            most = v > most ? v : most;
        }
        le_tensor_set(le_call_out(call, OVER_MEAN), i, sum / (double)x->shape[0]);
        if (le_call_given(call, OVER_MAX))
            le_tensor_set(le_call_out(call, OVER_MAX), i, most);
        if (le_call_given(call, OVER_SUM))
            le_tensor_set(le_call_out(call, OVER_SUM), i, sum);
    }
    return LE_OK;
}

static const le_operation over_operation = {
    OPERATION("chain_over", "over the frames", over_args, over_check, rows_work, 1e-6, 1e-6),
    .slabs = over_slabs};

/* --- chain_soften: gain times the sum of each row, the one before and the one after, in each frame
 * --- */

enum { SOFTEN_X, SOFTEN_GAIN, SOFTEN_RESULT };
static const le_arg_desc soften_args[] = {
    F32(IN, "x", "frames", 3, 3, "[frames,h,w]", false),
    F32(IN, "gain", "of each column", 1, 1, "[w]", false),
    F32(OUT, "result", "frames", 3, 3, "[frames,h,w]", false)};

static le_status soften_check(le_call *call) {
    const le_tensor *x = le_call_in(call, SOFTEN_X);
    if (le_call_in(call, SOFTEN_GAIN)->shape[0] != x->shape[2])
        return le_fail(LE_ERR_SHAPE, "chain_soften: 'gain' must have an element a column");
    return le_call_set_out(call, SOFTEN_RESULT, LE_F32, 3, x->shape);
}

static bool soften_slabs(const le_call *call, le_slabs *out) {
    out->items = le_call_in(call, SOFTEN_X)->shape[0];
    out->args[SOFTEN_X].axis = out->args[SOFTEN_RESULT].axis = 1;
    return true;
}

static bool soften_tiles(const le_call *call, le_slabs *out) {
    out->items = le_call_in(call, SOFTEN_X)->shape[1];
    out->halo = 1;
    out->args[SOFTEN_X].axis = out->args[SOFTEN_RESULT].axis = 2;
    return true;
}

static le_status soften_run(le_call *call) {
    const le_tensor *x = le_call_in(call, SOFTEN_X);
    int64_t h = x->shape[1], w = x->shape[2], n = le_tensor_count(x);
    for (int64_t i = 0; i < n; i++) {
        int64_t r = i / w % h;
        double sum = le_tensor_get(x, r > 0 ? i - w : i) + le_tensor_get(x, i) +
                     le_tensor_get(x, r + 1 < h ? i + w : i);
        le_tensor_set(le_call_out(call, SOFTEN_RESULT), i,
                      sum * le_tensor_get(le_call_in(call, SOFTEN_GAIN), i % w));
    }
    return LE_OK;
}

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t came;
    bool on;
    int waiting, meetings, patience;
} meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0, 0, 0};

int chain_ops_meet(bool on) {
    pthread_mutex_lock(&meeting.mutex);
    int met = meeting.meetings;
    meeting.on = on;
    meeting.meetings = 0;
    meeting.patience = 3; /* waits in vain, for 2 s each */
    pthread_mutex_unlock(&meeting.mutex);
    return met;
}

static void meet(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&meeting.mutex);
    if (meeting.waiting) {
        meeting.waiting = 0;
        meeting.meetings++;
        pthread_cond_signal(&meeting.came);
    } else if (meeting.on && meeting.patience > 0) {
        int before = meeting.meetings, timed_out = 0;
        meeting.waiting = 1;
        while (meeting.meetings == before && !timed_out)
            timed_out = pthread_cond_timedwait(&meeting.came, &meeting.mutex, &until);
        if (meeting.meetings == before) { /* else the other one may be waiting again already */
            meeting.waiting = 0;
            meeting.patience--;
        }
    }
    pthread_mutex_unlock(&meeting.mutex);
}

static le_status soften_opencl(le_call *call) {
    le_cl_kernel *kernel;
    const int64_t *shape = le_call_in(call, SOFTEN_X)->shape;
    le_status status = le_cl_get_kernel(call, &source, "soften", "", &kernel);
    const le_cl_karg args[] = {LE_CL_ARG(SOFTEN_X), LE_CL_ARG(SOFTEN_GAIN),
                               LE_CL_ARG(SOFTEN_RESULT), LE_CL_I32((int32_t)shape[1]),
                               LE_CL_I32((int32_t)shape[2])};
    const size_t global[] = {(size_t)shape[2], (size_t)shape[1], (size_t)shape[0]};
    if (status == LE_OK)
        status = le_cl_launch(call, kernel, 3, global, NULL, args, 5);
    if (status == LE_OK && meeting.on) {
        status = le_cl_finish(call);
        meet();
    }
    return status;
}

static const le_operation soften_operation = {
    OPERATION("chain_soften", "over three rows of each frame", soften_args, soften_check, rows_work,
              1e-4, 1e-5),
    .slabs = soften_slabs, .tiles = soften_tiles};

/* --- chain_checked --- */

enum { CHECKED_X, CHECKED_RESULT, CHECKED_TWICE };
static const le_arg_desc checked_args[] = {F32(IN, "x", "numbers", 1, 8, "[...]", false),
                                           F32(OUT, "result", "x", 1, 8, "[...]", false),
                                           F32(OUT, "twice", "2 * x", 1, 8, "[...]", true)};
static atomic_int runs_left = -1;

void chain_ops_fail_after(int runs) {
    runs_left = runs;
}

static le_status checked_check(le_call *call) {
    const le_tensor *x = le_call_in(call, CHECKED_X);
    le_status status = le_call_set_out(call, CHECKED_RESULT, LE_F32, x->ndim, x->shape);
    if (status == LE_OK && le_call_given(call, CHECKED_TWICE))
        status = le_call_set_out(call, CHECKED_TWICE, LE_F32, x->ndim, x->shape);
    return status;
}

static bool checked_slabs(const le_call *call, le_slabs *out) {
    out->items = le_call_in(call, CHECKED_X)->shape[0];
    for (int a = CHECKED_X; a <= CHECKED_TWICE; a++)
        out->args[a].axis = 1;
    return true;
}

static le_status checked_run(le_call *call) {
    const le_tensor *x = le_call_in(call, CHECKED_X);
    if (runs_left == 0 || (runs_left > 0 && runs_left-- == 0))
        return le_fail(LE_ERR_DATA, "chain_checked: it has run often enough");
    for (int64_t i = 0; i < le_tensor_count(x); i++)
        if (le_tensor_get(x, i) < (double)CHAIN_OPS_LEAST)
            return le_fail(LE_ERR_DATA, "chain_checked: element %lld is too small", (long long)i);
    for (int64_t i = 0; i < le_tensor_count(x); i++) {
        le_tensor_set(le_call_out(call, CHECKED_RESULT), i, le_tensor_get(x, i));
        if (le_call_given(call, CHECKED_TWICE))
            le_tensor_set(le_call_out(call, CHECKED_TWICE), i, 2 * le_tensor_get(x, i));
    }
    return LE_OK;
}

static const le_operation checked_operation = {OPERATION("chain_checked",
                                                         "x unless it is too small", checked_args,
                                                         checked_check, rows_work, 1e-6, 1e-6),
                                               .slabs = checked_slabs};

static const le_implementation implementations[] = {
    {IMPLEMENTATION("chain_soften", "c", "c"), .flags = LE_IMPL_SERIAL, .run = soften_run},
    {IMPLEMENTATION("chain_soften", "cl", "opencl"), .device = LE_DEVICE_OPENCL, .sources = sources,
     .run = soften_opencl},
    {IMPLEMENTATION("chain_checked", "c", "c"), .flags = LE_IMPL_SERIAL, .run = checked_run},
    {IMPLEMENTATION("chain_checked", "c2", "c"), .flags = LE_IMPL_SERIAL, .run = checked_run},
    {IMPLEMENTATION("chain_blur", "c", "c"), .flags = LE_IMPL_SERIAL, .run = blur_run},
    {IMPLEMENTATION("chain_over", "c", "c"), .flags = LE_IMPL_SERIAL, .run = over_run},
    {IMPLEMENTATION("chain_scale", "ref", "reference"), .flags = LE_IMPL_REFERENCE, .speed = 0.2,
     .items = scale_items, .range = scale_range},
    {IMPLEMENTATION("chain_scale", "c", "c"), .flags = LE_IMPL_REPRODUCIBLE, .items = scale_items,
     .range = scale_range},
    {IMPLEMENTATION("chain_scale", "cl", "opencl"), .device = LE_DEVICE_OPENCL,
     .flags = LE_IMPL_REPRODUCIBLE, .speed = 10, .sources = sources, .run = scale_opencl},
    {IMPLEMENTATION("chain_add", "ref", "reference"), .flags = LE_IMPL_REFERENCE, .speed = 0.2,
     .items = add_items, .range = add_range},
    {IMPLEMENTATION("chain_add", "c", "c"), .flags = LE_IMPL_REPRODUCIBLE, .items = add_items,
     .range = add_range},
    {IMPLEMENTATION("chain_add", "cl", "opencl"), .device = LE_DEVICE_OPENCL,
     .flags = LE_IMPL_REPRODUCIBLE, .speed = 10, .sources = sources, .run = add_opencl},
    {IMPLEMENTATION("chain_poly", "ref", "reference"), .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL,
     .speed = 0.1, .run = poly_reference},
};

static const le_operation *const operations[] = {
    &scale_operation, &add_operation,     &poly_operation,  &blur_operation,
    &over_operation,  &checked_operation, &soften_operation};

le_status chain_ops_register(le_engine *engine) {
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < sizeof operations / sizeof *operations; i++)
        status = le_register_operation(engine, operations[i]);
    for (size_t i = 0; status == LE_OK && i < sizeof implementations / sizeof *implementations; i++)
        status = le_register_implementation(engine, &implementations[i]);
    return status;
}
