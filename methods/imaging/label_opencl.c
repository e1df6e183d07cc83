/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * label on an OpenCL device. Parents are kept where the labels will be.
 */
#include "imaging/label.h"

#include "common/opencl.h"

#include <stdio.h>

extern const le_cl_source le_cl_imaging_label;
static const le_cl_source *const sources[] = {&le_cl_imaging_label, NULL};

enum { GROUP = 256, EACH = 8, BLOCK = GROUP * EACH };

/* shape of label.cl */
typedef struct shape {
    int32_t n, rows, cols, reach;
} shape;

typedef struct job {
    le_call *call;
    shape about;
    size_t blocks;
    le_cl_karg labels, count, roots;
    char options[64];
} job;

static le_status launch(const job *j, const char *name, size_t groups, const le_cl_karg *args,
                        size_t n_args) {
    return le__cl_groups(j->call, &le_cl_imaging_label, name, j->options, groups, GROUP, args,
                         n_args);
}

static size_t blocks_of(const le_call *call) {
    return (size_t)((le_tensor_count(le_call_in(call, LABEL_MASK)) + BLOCK - 1) / BLOCK);
}

/* An output, or memory in its place. */
static le_status place(le_call *call, int arg, size_t bytes, le_cl_karg *out) {
    le_cl_buffer *buffer = NULL;
    if (le_call_given(call, arg)) {
        *out = LE_CL_ARG(arg);
        return LE_OK;
    }
    le_status status = le_cl_scratch(call, bytes ? bytes : 4, &buffer);
    *out = LE_CL_BUF(buffer);
    return status;
}

static le_status open_job(le_call *call, job *j) {
    const le_tensor *mask = le_call_in(call, LABEL_MASK);
    const le__im_shape s = le__im_shape_of(mask);
    const int64_t n = le_tensor_count(mask);
    le_cl_buffer *roots = NULL;
    *j = (job){.call = call,
               .about = {(int32_t)n, (int32_t)s.rows, (int32_t)s.cols,
                         le__im_reach(le_call_i64(call, LABEL_CONNECTIVITY), mask->ndim)},
               .blocks = blocks_of(call)};
    snprintf(j->options, sizeof j->options, "-DT=%s -DGROUP=%d -DEACH=%d",
             le_dtype_cl_type(mask->dtype), GROUP, EACH);
    le_status status = place(call, LABEL_LABELS, (size_t)n * sizeof(int32_t), &j->labels);
    if (status == LE_OK)
        status = place(call, LABEL_COUNT, sizeof(int32_t), &j->count);
    if (status == LE_OK)
        status = le_cl_scratch(call, (j->blocks + 1) * sizeof(int32_t), &roots);
    j->roots = LE_CL_BUF(roots);
    return status;
}

static le_status run(le_call *call) {
    job j;
    le_status status = open_job(call, &j);
    if (status != LE_OK)
        return status;
    const le_cl_karg about = LE_CL_STRUCT(&j.about);
    const le_cl_karg begin[] = {LE_CL_ARG(LABEL_MASK), j.labels, about},
                     lines[] = {j.labels, about}, parts[] = {j.labels, j.roots, about},
                     sums[] = {j.roots, LE_CL_I32((int32_t)j.blocks), j.count};
    const size_t groups = ((size_t)j.about.n + GROUP - 1) / GROUP;
    status = launch(&j, "begin_runs", groups, begin, 3);
    if (status == LE_OK)
        status = launch(&j, "join_lines", groups, lines, 2);
    if (status == LE_OK)
        status = launch(&j, "flatten", j.blocks, parts, 3);
    if (status == LE_OK)
        status = launch(&j, "add_up_roots", 1, sums, 3);
    if (status != LE_OK || !le_call_given(call, LABEL_LABELS))
        return status;
    status = launch(&j, "number_roots", j.blocks, parts, 3);
    return status == LE_OK ? launch(&j, "write_labels", groups, lines, 2) : status;
}

static bool applicable(const le_call *call, const char **why) {
    *why = "work-groups of 256 are not possible";
    return le__cl_takes_group(call, GROUP);
}

static int64_t memory(const le_call *call) {
    const int64_t parents =
        le_call_given(call, LABEL_LABELS) ? 0 : le_tensor_count(le_call_in(call, LABEL_MASK));
    return (parents + (int64_t)blocks_of(call) + 2) * (int64_t)sizeof(int32_t);
}

LE_IMPLEMENTATION(label, opencl, LE__CL_FIELDS(20, "union and find with atomics"),
                  .applicable = applicable, .memory = memory);
