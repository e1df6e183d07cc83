/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * measure_sources with the sums of an OpenCL device; what rows are made of them is for the host, as
 * for sums that it made itself.
 */
#include "imaging/measure_sources.h"

#include "common/opencl.h"

#include <stdio.h>

extern const le_cl_source le_cl_imaging_measure;
static const le_cl_source *const sources[] = {&le_cl_imaging_measure, NULL};

enum { GROUP = 64 };

/* facts of measure.cl */
typedef struct facts {
    double origin, total, squares, moment[3], second[3], minimum, maximum;
    int32_t area, nan, origin_at, minimum_at, maximum_at, begin[3], end[3], unused;
} facts;

/* shape of measure.cl */
typedef struct shape {
    int32_t n, rows, cols, first, end;
} shape;

typedef struct job {
    le_call *call;
    shape about;
    le_cl_buffer *lists, *pieces, *facts;
    char options[64];
} job;

static le_status launch(const job *j, const char *name, size_t groups, const le_cl_karg *args,
                        size_t n_args) {
    return le__cl_groups(j->call, &le_cl_imaging_measure, name, j->options, groups, GROUP, args,
                         n_args);
}

static le_status zeros(le_call *call, size_t bytes, le_cl_buffer **out) {
    const int32_t zero = 0;
    le_status status = le_cl_scratch(call, bytes, out);
    return status == LE_OK ? le_cl_fill(call, *out, &zero, sizeof zero, 0, bytes) : status;
}

/* --- which labels --- */

static le_status largest_label(const job *j, uint32_t *out) {
    enum { EACH = 64 };
    le_cl_buffer *buffer;
    le_status status = zeros(j->call, sizeof *out, &buffer);
    if (status != LE_OK)
        return status;
    const le_cl_karg args[] = {LE_CL_ARG(MEASURE_LABELS), LE_CL_I32(j->about.n), LE_CL_BUF(buffer)};
    const size_t groups = ((size_t)j->about.n + GROUP * EACH - 1) / (GROUP * EACH);
    status = launch(j, "largest_label", groups, args, 3);
    return status == LE_OK ? le_cl_download(j->call, buffer, 0, out, sizeof *out) : status;
}

static le_status choose_labels(job *j, le__im_index *index) {
    uint32_t largest = 0;
    le_status status = largest_label(j, &largest);
    if (status != LE_OK)
        return status;
    *index = le__im_index_of(j->call, largest);
    if (index->n > INT32_MAX)
        return le_fail(LE_ERR_MEMORY, "measure_sources: no memory for the sums of %lld labels",
                       (long long)index->n);
    j->about.end = (int32_t)index->n;
    j->about.first = !le__im_measures_background(index);
    return LE_OK;
}

/* --- sums --- */

static le_status list_pieces(job *j) {
    const size_t n = (size_t)j->about.n, groups = (n + GROUP - 1) / GROUP;
    le_status status = zeros(j->call, (size_t)j->about.end * sizeof(int32_t), &j->lists);
    if (status == LE_OK)
        status = le_cl_scratch(j->call, n * sizeof(int32_t), &j->pieces);
    if (status != LE_OK)
        return status;
    const le_cl_karg about = LE_CL_STRUCT(&j->about);
    const le_cl_karg count[] = {LE_CL_ARG(MEASURE_LABELS), LE_CL_BUF(j->lists), about},
                     begin[] = {LE_CL_BUF(j->lists), about},
                     list[] = {LE_CL_ARG(MEASURE_LABELS), LE_CL_BUF(j->lists), LE_CL_BUF(j->pieces),
                               about};
    status = launch(j, "count_pieces", groups, count, 3);
    if (status == LE_OK)
        status = launch(j, "begin_lists", 1, begin, 2);
    return status == LE_OK ? launch(j, "list_pieces", groups, list, 4) : status;
}

static le_status sum_up(job *j, facts *out) {
    const size_t bytes = (size_t)j->about.end * sizeof *out;
    le_status status = le_cl_scratch(j->call, bytes, &j->facts);
    if (status != LE_OK)
        return status;
    const le_cl_karg args[] = {LE_CL_ARG(MEASURE_IMAGE), LE_CL_ARG(MEASURE_LABELS),
                               LE_CL_BUF(j->lists),      LE_CL_BUF(j->pieces),
                               LE_CL_BUF(j->facts),      LE_CL_STRUCT(&j->about)};
    status = launch(j, "measure", (size_t)j->about.end, args, 6);
    return status == LE_OK ? le_cl_download(j->call, j->facts, 0, out, bytes) : status;
}

static le__im_sums sums_of(const facts *f, const shape *s) {
    const int64_t line = f->origin_at / s->cols;
    le__im_sums to = {.area = f->area,
                      .origin = f->origin,
                      .at = {line / s->rows, line % s->rows, f->origin_at % s->cols},
                      .total = {f->total, 0},
                      .squares = f->squares,
                      .minimum = f->minimum,
                      .maximum = f->maximum,
                      .minimum_at = f->minimum_at,
                      .maximum_at = f->maximum_at,
                      .nan = f->nan != 0};
    for (int d = 0; d < LE__IM_AXES; d++) {
        to.moment[d] = f->moment[d];
        to.second[d] = f->second[d];
        to.begin[d] = f->begin[d];
        to.end[d] = f->end[d];
    }
    return f->area ? to : (le__im_sums){0};
}

typedef struct unpacking {
    const facts *of;
    le__im_sums *to;
    const shape *about;
} unpacking;

static void unpack(void *context, size_t begin, size_t end, int worker) {
    const unpacking *u = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        u->to[i] = sums_of(&u->of[i], u->about);
}

static le_status put(job *j, const le__im_index *index) {
    const size_t n = (size_t)index->n;
    facts *of = le_call_scratch(j->call, (n + 1) * sizeof *of);
    le__im_sums *sums = le_call_scratch(j->call, (n + 1) * sizeof *sums);
    if (!of || !sums)
        return le_fail(LE_ERR_MEMORY, "measure_sources: no memory for the sums of %lld labels",
                       (long long)index->n);
    le_status status = n > 0 ? list_pieces(j) : LE_OK;
    if (status == LE_OK && n > 0)
        status = sum_up(j, of);
    if (status == LE_OK)
        status = le_tensor_to_host(le_call_out(j->call, MEASURE_CATALOGUE));
    if (status != LE_OK)
        return status;
    status = le__im_for_rows(j->call, n, unpack, &(unpacking){of, sums, &j->about});
    return status == LE_OK ? le__im_put_catalogue(j->call, index, sums) : status;
}

static le_status run(le_call *call) {
    const le_tensor *image = le_call_in(call, MEASURE_IMAGE);
    const le__im_shape s = le__im_shape_of(image);
    job j = {.call = call,
             .about = {(int32_t)le_tensor_count(image), (int32_t)s.rows, (int32_t)s.cols, 1, 0}};
    le__im_index index;
    snprintf(j.options, sizeof j.options, "-DT=%s -DL=%s -DGROUP=%d",
             le_dtype_cl_type(image->dtype),
             le_dtype_cl_type(le_call_in(call, MEASURE_LABELS)->dtype), GROUP);
    le_status status = choose_labels(&j, &index);
    return status == LE_OK ? put(&j, &index) : status;
}

static bool applicable(const le_call *call, const char **why) {
    const le_cl_info *device = le_cl_device(call);
    const int64_t n = le_tensor_count(le_call_in(call, MEASURE_IMAGE));
    *why = "no pixels, or too many for the kernels";
    if (n < 1 || n > INT32_MAX)
        return false;
    *why = "labels of the index beyond the number of pixels, which the CPU lists";
    if (le__im_index_is_far(call))
        return false;
    *why = "sums need double precision";
    if (device && !device->has_f64)
        return false;
    *why = "work-groups of 64 are not possible";
    return le__cl_takes_group(call, GROUP);
}

static int64_t memory(const le_call *call) {
    const int64_t rows = le_call_out(call, MEASURE_CATALOGUE)->shape[0] + 1;
    return le_tensor_count(le_call_in(call, MEASURE_IMAGE)) * (int64_t)sizeof(int32_t) +
           rows * (int64_t)(2 * sizeof(facts) + sizeof(le__im_sums));
}

LE_IMPLEMENTATION(measure_sources, opencl,
                  LE__CL_FIELDS(8, "runs listed by label, a work-group each label"),
                  .applicable = applicable, .memory = memory);
