/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Toy operations with counted outputs.
 */
#include "counted_ops.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

_Atomic int counted_runs;

/* --- above --- */

static const char *above_column(int64_t columns, int64_t i) {
    return columns != 2 ? NULL : i == 0 ? "pixel" : "value";
}

static const le_arg_desc above_args[] = {
    [ABOVE_IMAGE] = {.name = "image",
                     .doc = "pixels",
                     .type = LE_TYPE_IN,
                     .dtypes = LE_DTYPE_BIT(LE_F32),
                     .min_ndim = 2,
                     .max_ndim = 2,
                     .shape = "[h,w]"},
    [ABOVE_LEVEL] = {.name = "level", .doc = "rows are above it", .type = LE_TYPE_F64},
    [ABOVE_ROOM] = {.name = "room",
                    .doc = "rows at first; default: a sixteenth of the pixels",
                    .type = LE_TYPE_I64,
                    .optional = true,
                    .default_f64 = -1},
    [ABOVE_ROWS] = {.name = "rows",
                    .doc = "number of the pixel, value",
                    .type = LE_TYPE_OUT,
                    .dtypes = LE_DTYPES_FLOAT,
                    .min_ndim = 2,
                    .max_ndim = 2,
                    .shape = "[n,2]",
                    .column = above_column}};

static le_status above_check(le_call *call) {
    int64_t room = le_call_i64(call, ABOVE_ROOM);
    int64_t pixels = le_tensor_count(le_call_in(call, ABOVE_IMAGE));
    return le_call_set_out_upto(call, ABOVE_ROWS, LE_F32, 2,
                                (int64_t[]){room < 0 ? pixels / 16 : room, 2});
}

static void above_work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_in(call, ABOVE_IMAGE));
    *out = (le_work){n + 1, 4 * n};
}

static le_status above_case(le_case *c, const le_case_request *r) {
    int64_t n = r->kind == LE_CASE_BENCH && r->size ? r->size : 24 + r->index * 7 % 40;
    le_tensor *image = le_case_in(c, "image", LE_F32, 2, (int64_t[]){n + 5, n});
    for (int64_t i = 0; image && i < le_tensor_count(image); i++)
        le_tensor_set(image, i, le_case_uniform(c));
    le_case_f64(c, "level", r->kind == LE_CASE_CHECK && r->index % 4 == 3 ? 2 : 0.7);
    le_case_out(c, "rows", LE_F32);
    return le_case_status(c);
}

static bool above_slabs(const le_call *call, le_slabs *out) {
    const le_tensor *image = le_call_in(call, ABOVE_IMAGE);
    out->items = image->shape[0];
    out->args[ABOVE_IMAGE].axis = 1;
    out->args[ABOVE_ROWS].merge = LE_MERGE_APPEND;
    out->args[ABOVE_ROWS].places = 1u << 0;
    out->args[ABOVE_ROWS].scale = (int32_t)image->shape[1];
    return true;
}

const le_operation counted_above = {.abi = LE_METHOD_ABI,
                                    .name = "above",
                                    .family = "test",
                                    .summary = "pixels above a level",
                                    .reference = "definition",
                                    .args = above_args,
                                    .n_args = sizeof above_args / sizeof *above_args,
                                    .check = above_check,
                                    .work = above_work,
                                    .atol = 1e-6,
                                    .make_case = above_case,
                                    .slabs = above_slabs};

size_t counted_height(const le_call *call) {
    return (size_t)le_call_in(call, ABOVE_IMAGE)->shape[0];
}

static le_status above_reference(le_call *call) {
    const le_tensor *image = le_call_in(call, ABOVE_IMAGE);
    le_tensor *rows = le_call_out(call, ABOVE_ROWS);
    int64_t n = 0;
    for (int64_t i = 0; i < le_tensor_count(image); i++) {
        double value = le_tensor_get(image, i);
        if (value <= le_call_f64(call, ABOVE_LEVEL))
            continue;
        if (n < rows->shape[0]) {
            le_tensor_set(rows, 2 * n, (double)i);
            le_tensor_set(rows, 2 * n + 1, value);
        }
        n++;
    }
    le_call_set_count(call, ABOVE_ROWS, n);
    return LE_OK;
}

/* Counts a line of the image, or writes its rows. */
typedef struct lines {
    const le_call *call;
    const float *image;
    int64_t *first; /* rows before each line */
    bool write;
} lines;

static void count_or_write(void *context, size_t begin, size_t end, int worker) {
    const lines *l = context;
    const le_tensor *rows = le_call_out(l->call, ABOVE_ROWS);
    int64_t w = le_call_in(l->call, ABOVE_IMAGE)->shape[1];
    float level = (float)le_call_f64(l->call, ABOVE_LEVEL), *out = rows->data;
    (void)worker;
    for (size_t y = begin; y < end; y++) {
        int64_t n = l->write ? l->first[y] : 0;
        for (int64_t i = (int64_t)y * w; i < ((int64_t)y + 1) * w; i++) {
            if (l->image[i] <= level)
                continue;
            if (l->write && n < rows->shape[0]) {
                out[2 * n] = (float)i;
                out[2 * n + 1] = l->image[i];
            }
            n++;
        }
        if (!l->write)
            l->first[y + 1] = n;
    }
}

static le_status above_c(le_call *call) {
    size_t h = counted_height(call);
    lines l = {.call = call,
               .image = le_call_contiguous(call, ABOVE_IMAGE),
               .first = le_call_scratch(call, (h + 1) * sizeof(int64_t))};
    atomic_fetch_add(&counted_runs, 1);
    if (!l.image || !l.first)
        return le_fail(LE_ERR_MEMORY, "above: out of memory");
    l.first[0] = 0;
    le_status status = le_parallel_for(call, h, count_or_write, &l);
    if (status != LE_OK) /* ended before all lines are counted */
        return status;
    for (size_t y = 0; y < h; y++)
        l.first[y + 1] += l.first[y];
    l.write = true;
    status = le_parallel_for(call, h, count_or_write, &l);
    if (status != LE_OK)
        return status;
    le_call_set_count(call, ABOVE_ROWS, l.first[h]);
    return LE_OK;
}

static bool above_applies(const le_call *call, const char **why) {
    *why = "not for this dtype";
    return le_call_out(call, ABOVE_ROWS)->dtype == LE_F32;
}

static const char text[] =
    "__kernel void count(__global const float *image, __global int *first, float level,\n"
    "                    int w, int h) {\n"
    "    int y = get_global_id(0), n = 0;\n"
    "    if (y >= h) return;\n"
    "    for (int x = 0; x < w; x++) n += image[y * w + x] > level;\n"
    "    first[y] = n;\n"
    "}\n"
    "__kernel void scan(__global int *first, __global long *rows, int h) {\n"
    "    int sum = 0;\n"
    "    for (int y = 0; y < h; y++) { int n = first[y]; first[y] = sum; sum += n; }\n"
    "    *rows = sum;\n"
    "}\n"
    "__kernel void list(__global const float *image, __global const int *first,\n"
    "                   __global float *rows, float level, int w, int h, int room) {\n"
    "    int y = get_global_id(0);\n"
    "    if (y >= h) return;\n"
    "    int n = first[y];\n"
    "    for (int i = y * w; i < (y + 1) * w; i++)\n"
    "        if (image[i] > level) {\n"
    "            if (n < room) { rows[2 * n] = i; rows[2 * n + 1] = image[i]; }\n"
    "            n++;\n"
    "        }\n"
    "}\n";
static const le_cl_source source = {"test/above", text, sizeof text - 1, NULL};
static const le_cl_source *const sources[] = {&source, NULL};

static le_status launch(le_call *call, const char *name, size_t n, const le_cl_karg *kargs,
                        size_t n_kargs) {
    le_cl_kernel *kernel;
    le_status status = le_cl_get_kernel(call, &source, name, "", &kernel);
    return status == LE_OK ? le_cl_launch(call, kernel, 1, &n, NULL, kargs, n_kargs) : status;
}

static le_status above_opencl(le_call *call) {
    const le_tensor *image = le_call_in(call, ABOVE_IMAGE);
    int32_t h = (int32_t)image->shape[0], w = (int32_t)image->shape[1];
    int32_t room = (int32_t)le_call_out(call, ABOVE_ROWS)->shape[0];
    float level = (float)le_call_f64(call, ABOVE_LEVEL);
    le_cl_buffer *first, *rows;
    le_status status = le_cl_scratch(call, ((size_t)h + 1) * sizeof(int32_t), &first);
    if (status == LE_OK)
        status = le_cl_count(call, ABOVE_ROWS, &rows);
    if (status != LE_OK)
        return status;
    const le_cl_karg count[] = {LE_CL_ARG(ABOVE_IMAGE), LE_CL_BUF(first), LE_CL_F32(level),
                                LE_CL_I32(w), LE_CL_I32(h)};
    const le_cl_karg scan[] = {LE_CL_BUF(first), LE_CL_BUF(rows), LE_CL_I32(h)};
    const le_cl_karg list[] = {LE_CL_ARG(ABOVE_IMAGE), LE_CL_BUF(first), LE_CL_ARG(ABOVE_ROWS),
                               LE_CL_F32(level),       LE_CL_I32(w),     LE_CL_I32(h),
                               LE_CL_I32(room)};
    status = launch(call, "count", (size_t)h, count, 5);
    if (status == LE_OK)
        status = launch(call, "scan", 1, scan, 3);
    return status == LE_OK ? launch(call, "list", (size_t)h, list, 7) : status;
}

const le_implementation counted_above_reference = {.abi = LE_METHOD_ABI,
                                                   .operation = "above",
                                                   .name = "reference",
                                                   .run_type = "reference",
                                                   .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL,
                                                   .run = above_reference};
const le_implementation counted_above_c = {.abi = LE_METHOD_ABI,
                                           .operation = "above",
                                           .name = "c",
                                           .run_type = "c",
                                           .flags = LE_IMPL_REPRODUCIBLE,
                                           .applicable = above_applies,
                                           .run = above_c};
const le_implementation counted_above_opencl = {.abi = LE_METHOD_ABI,
                                                .operation = "above",
                                                .name = "opencl",
                                                .run_type = "opencl",
                                                .device = LE_DEVICE_OPENCL,
                                                .sources = sources,
                                                .applicable = above_applies,
                                                .run = above_opencl};

/* --- what is made of the rows --- */

static const le_arg_desc doubled_args[] = {{.name = "rows",
                                            .doc = "number, value",
                                            .type = LE_TYPE_IN,
                                            .dtypes = LE_DTYPE_BIT(LE_F32),
                                            .min_ndim = 2,
                                            .max_ndim = 2,
                                            .elastic = 1u << 0},
                                           {.name = "result",
                                            .doc = "with values twice as large",
                                            .type = LE_TYPE_OUT,
                                            .dtypes = LE_DTYPE_BIT(LE_F32),
                                            .min_ndim = 2,
                                            .max_ndim = 2,
                                            .elastic = 1u << 0}};

static le_status doubled_check(le_call *call) {
    return le_call_set_out(call, 1, LE_F32, 2, le_call_in(call, 0)->shape);
}

static void rows_work(const le_call *call, le_work *out) {
    double n = (double)le_tensor_count(le_call_in(call, 0));
    *out = (le_work){n + 1, 8 * n};
}

static le_status rows_case(le_case *c, const le_case_request *r) {
    (void)r;
    le_tensor *rows = le_case_in(c, "rows", LE_F32, 2, (int64_t[]){77, 2});
    for (int64_t i = 0; rows && i < 154; i++)
        le_tensor_set(rows, i, (double)(i % 100));
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

static le_status doubled_run(le_call *call) {
    const le_tensor *in = le_call_in(call, 0);
    for (int64_t i = 0; i < le_tensor_count(in); i++)
        le_tensor_set(le_call_out(call, 1), i, le_tensor_get(in, i) * (i % 2 ? 2 : 1));
    return LE_OK;
}

const le_operation counted_doubled = {.abi = LE_METHOD_ABI,
                                      .name = "doubled",
                                      .family = "test",
                                      .reference = "definition",
                                      .args = doubled_args,
                                      .n_args = 2,
                                      .check = doubled_check,
                                      .work = rows_work,
                                      .make_case = rows_case};
static const le_implementation doubled_reference = {.abi = LE_METHOD_ABI,
                                                    .operation = "doubled",
                                                    .name = "reference",
                                                    .run_type = "reference",
                                                    .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL,
                                                    .run = doubled_run};

static const le_arg_desc summed_args[] = {{.name = "rows",
                                           .doc = "number, value",
                                           .type = LE_TYPE_IN,
                                           .dtypes = LE_DTYPE_BIT(LE_F32),
                                           .min_ndim = 2,
                                           .max_ndim = 2,
                                           .elastic = 1u << 0},
                                          {.name = "result",
                                           .doc = "rows, sum of numbers, sum of values",
                                           .type = LE_TYPE_OUT,
                                           .dtypes = LE_DTYPE_BIT(LE_F64),
                                           .min_ndim = 1,
                                           .max_ndim = 1}};

static le_status summed_check(le_call *call) {
    return le_call_set_out(call, 1, LE_F64, 1, (int64_t[]){3});
}

static le_status summed_run(le_call *call) {
    const le_tensor *in = le_call_in(call, 0);
    double sums[3] = {(double)in->shape[0], 0, 0};
    for (int64_t i = 0; i < le_tensor_count(in); i++)
        sums[1 + i % 2] += le_tensor_get(in, i);
    memcpy(le_call_out(call, 1)->data, sums, sizeof sums);
    return LE_OK;
}

static le_status summed_case(le_case *c, const le_case_request *r) {
    (void)r;
    le_tensor *rows = le_case_in(c, "rows", LE_F32, 2, (int64_t[]){77, 2});
    for (int64_t i = 0; rows && i < 154; i++)
        le_tensor_set(rows, i, (double)(i % 100));
    le_case_out(c, "result", LE_F64);
    return le_case_status(c);
}

const le_operation counted_summed = {.abi = LE_METHOD_ABI,
                                     .name = "summed",
                                     .family = "test",
                                     .reference = "definition",
                                     .args = summed_args,
                                     .n_args = 2,
                                     .check = summed_check,
                                     .work = rows_work,
                                     .make_case = summed_case};
static const le_implementation summed_reference = {.abi = LE_METHOD_ABI,
                                                   .operation = "summed",
                                                   .name = "reference",
                                                   .run_type = "reference",
                                                   .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL,
                                                   .run = summed_run};

/* --- spots --- */

static const char *spots_column(int64_t columns, int64_t i) {
    static const char *const names[] = {"label", "center_of_mass_0", "center_of_mass_1", "lon",
                                        "lat"};
    return columns == 5 ? names[i] : NULL;
}

static const le_arg_desc spots_args[] = {{.name = "image",
                                          .type = LE_TYPE_IN,
                                          .dtypes = LE_DTYPES_ALL,
                                          .min_ndim = 2,
                                          .max_ndim = 2,
                                          .shape = "[h,w]"},
                                         {.name = "level", .type = LE_TYPE_F64},
                                         {.name = "catalogue",
                                          .type = LE_TYPE_OUT,
                                          .optional = true,
                                          .dtypes = LE_DTYPE_BIT(LE_F64),
                                          .min_ndim = 2,
                                          .max_ndim = 2,
                                          .shape = "[n,5]",
                                          .column = spots_column},
                                         {.name = "labels",
                                          .type = LE_TYPE_OUT,
                                          .optional = true,
                                          .dtypes = LE_DTYPE_BIT(LE_I32),
                                          .min_ndim = 2,
                                          .max_ndim = 2,
                                          .shape = "[h,w]"}};

static le_status spots_check(le_call *call) {
    const le_tensor *image = le_call_in(call, 0);
    le_status status = le_call_set_out_upto(call, 2, LE_F64, 2, (int64_t[]){4, 5});
    return status == LE_OK ? le_call_set_out(call, 3, LE_I32, 2, image->shape) : status;
}

static void put_spot(le_tensor *rows, int64_t n, int64_t pixel, int64_t width) {
    const double row[] = {(double)n + 1, (double)(pixel / width), (double)(pixel % width), NAN,
                          NAN};
    for (int k = 0; k < 5; k++)
        le_tensor_set(rows, 5 * n + k, row[k]);
}

static le_status spots_run(le_call *call) {
    const le_tensor *image = le_call_in(call, 0);
    le_tensor *rows = le_call_given(call, 2) ? le_call_out(call, 2) : NULL;
    le_tensor *labels = le_call_given(call, 3) ? le_call_out(call, 3) : NULL;
    int64_t n = 0;
    for (int64_t i = 0; i < le_tensor_count(image); i++) {
        bool above = le_tensor_get(image, i) > le_call_f64(call, 1);
        if (labels)
            le_tensor_set(labels, i, above ? (double)n + 1 : 0);
        if (above && rows && n < rows->shape[0])
            put_spot(rows, n, i, image->shape[1]);
        n += above;
    }
    if (rows)
        le_call_set_count(call, 2, n);
    return LE_OK;
}

static le_status spots_case(le_case *c, const le_case_request *r) {
    le_tensor *image = le_case_in(c, "image", LE_F32, 2, (int64_t[]){9 + r->index % 5, 7});
    for (int64_t i = 0; image && i < le_tensor_count(image); i++)
        le_tensor_set(image, i, le_case_uniform(c));
    le_case_f64(c, "level", 0.9);
    le_case_out(c, "catalogue", LE_F64);
    le_case_out(c, "labels", LE_I32);
    return le_case_status(c);
}

const le_operation counted_spots = {.abi = LE_METHOD_ABI,
                                    .name = "spots",
                                    .family = "test",
                                    .summary = "pixels above a level as a catalogue",
                                    .args = spots_args,
                                    .n_args = sizeof spots_args / sizeof *spots_args,
                                    .check = spots_check,
                                    .work = above_work,
                                    .make_case = spots_case};
static const le_implementation spots_reference = {.abi = LE_METHOD_ABI,
                                                  .operation = "spots",
                                                  .name = "reference",
                                                  .run_type = "reference",
                                                  .flags = LE_IMPL_REFERENCE,
                                                  .run = spots_run};

/* --- peaks --- */

static const le_arg_desc peaks_args[] = {{.name = "image",
                                          .doc = "pixels",
                                          .type = LE_TYPE_IN,
                                          .dtypes = LE_DTYPE_BIT(LE_F32),
                                          .min_ndim = 2,
                                          .max_ndim = 2},
                                         {.name = "peaks",
                                          .doc = "line, column, value",
                                          .type = LE_TYPE_OUT,
                                          .dtypes = LE_DTYPE_BIT(LE_I64),
                                          .min_ndim = 2,
                                          .max_ndim = 2}};

static le_status peaks_check(le_call *call) {
    return le_call_set_out_upto(call, 1, LE_I64, 2, (int64_t[]){4, 3});
}

static le_status peaks_run(le_call *call) {
    const le_tensor *image = le_call_in(call, 0);
    le_tensor *peaks = le_call_out(call, 1);
    int64_t n = 0, h = image->shape[0], w = image->shape[1];
    for (int64_t i = 0; i < h * w; i++) {
        double value = le_tensor_get(image, i);
        if ((i >= w && le_tensor_get(image, i - w) >= value) ||
            (i + w < h * w && le_tensor_get(image, i + w) >= value))
            continue;
        const int64_t row[3] = {i / w, i % w, (int64_t)(1000 * value)};
        for (int k = 0; k < 3 && n < peaks->shape[0]; k++)
            le_tensor_set_i64(peaks, 3 * n + k, row[k]);
        n++;
    }
    le_call_set_count(call, 1, n);
    return LE_OK;
}

static le_status peaks_case(le_case *c, const le_case_request *r) {
    (void)r;
    le_tensor *image = le_case_in(c, "image", LE_F32, 2, (int64_t[]){12, 9});
    for (int64_t i = 0; image && i < 108; i++)
        le_tensor_set(image, i, le_case_uniform(c));
    le_case_out(c, "peaks", LE_I64);
    return le_case_status(c);
}

static bool peaks_slabs(const le_call *call, le_slabs *out) {
    out->items = le_call_in(call, 0)->shape[0];
    out->halo = 1;
    out->args[0].axis = 1;
    out->args[1].merge = LE_MERGE_APPEND;
    out->args[1].places = 1u << 0;
    return true;
}

const le_operation counted_peaks = {.abi = LE_METHOD_ABI,
                                    .name = "peaks",
                                    .family = "test",
                                    .reference = "definition",
                                    .args = peaks_args,
                                    .n_args = 2,
                                    .check = peaks_check,
                                    .work = rows_work,
                                    .make_case = peaks_case,
                                    .slabs = peaks_slabs};
static const le_implementation peaks_reference = {.abi = LE_METHOD_ABI,
                                                  .operation = "peaks",
                                                  .name = "reference",
                                                  .run_type = "reference",
                                                  .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL,
                                                  .run = peaks_run};

le_status counted_register(le_engine *engine) {
    const le_operation *const operations[] = {&counted_above, &counted_doubled, &counted_summed,
                                              &counted_peaks, &counted_spots};
    const le_implementation *const implementations[] = {
        &counted_above_reference, &counted_above_c, &counted_above_opencl, &doubled_reference,
        &summed_reference,        &peaks_reference, &spots_reference};
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < sizeof operations / sizeof *operations; i++)
        status = le_register_operation(engine, operations[i]);
    for (size_t i = 0; status == LE_OK && i < sizeof implementations / sizeof *implementations; i++)
        status = le_register_implementation(engine, implementations[i]);
    return status;
}
