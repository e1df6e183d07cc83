/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * sigma_clip on an OpenCL device.
 */
#include "imaging/clip_opencl.h"
#include "imaging/sigma_clip.h"

#include "common/opencl.h"

extern const le_cl_source le_cl_imaging_sigma_clip;
static const le_cl_source *const sources[] = {&le_cl_imaging_sigma_clip, NULL};

enum { GROUP = 256, DIGIT = 11, STATE_BYTES = 256, PART_BYTES = 64 };
enum { DONE = 2 };                                /* phase of sigma_clip.cl */
enum { VALUES, DEVIATIONS, DEVIATION_BITS = 64 }; /* of which it finds the middle */

/* settings of sigma_clip.cl */
typedef struct settings {
    double sigma_lower, sigma_upper;
    int32_t n, mean, closed, readmit, maxiters, mad;
} settings;

typedef struct job {
    le_call *call;
    settings about;
    int key_bits;
    size_t groups;
    le_cl_buffer *state, *often, *parts;
    char options[96];
} job;

static le_status launch(const job *j, const char *name, size_t groups, const le_cl_karg *args,
                        size_t n_args) {
    return le__cl_groups(j->call, &le_cl_imaging_sigma_clip, name, j->options, groups, GROUP, args,
                         n_args);
}

/* --- set-up --- */

/* Few enough that what each of them has counted is soon added up. */
static size_t groups_of(const le_call *call) {
    const size_t n = (size_t)le_tensor_count(le_call_in(call, SIGMA_CLIP_IMAGE)), each = 16 * GROUP;
    const le_cl_info *device = le_cl_device(call);
    const size_t most = 8 * (size_t)(device && device->compute_units ? device->compute_units : 1);
    const size_t groups = (n + each - 1) / each;
    return groups < most ? groups : most;
}

static le_status open_job(le_call *call, job *j) {
    const le_tensor *image = le_call_in(call, SIGMA_CLIP_IMAGE);
    const le__im_clip clip = le__im_clip_of(call, SIGMA_CLIP_SETTINGS);
    *j = (job){.call = call,
               .about = {clip.sigma_lower, clip.sigma_upper, (int32_t)le_tensor_count(image),
                         clip.mean, clip.closed, clip.readmit, (int32_t)clip.maxiters, clip.mad},
               .groups = groups_of(call)};
    j->key_bits = (int)le_dtype_size(image->dtype) * 8;
    le__im_key_options(image->dtype, DIGIT, GROUP, j->options, sizeof j->options);
    le_status status = le_cl_scratch(call, STATE_BYTES, &j->state);
    if (status == LE_OK)
        status = le_cl_scratch(call, sizeof(uint32_t) << DIGIT, &j->often);
    if (status == LE_OK)
        status = le_cl_scratch(call, j->groups * PART_BYTES, &j->parts);
    return status;
}

/* --- passes --- */

static le_status find_middle(const job *j, int key_bits, int about) {
    le_status status = LE_OK;
    const int digits = (key_bits + DIGIT - 1) / DIGIT;
    for (int d = digits - 1; d >= 0 && status == LE_OK; d--) {
        const le_cl_karg shift = LE_CL_I32(d * DIGIT), first = LE_CL_I32(d == digits - 1);
        const le_cl_karg count[] = {LE_CL_ARG(SIGMA_CLIP_IMAGE),
                                    LE_CL_I32(j->about.n),
                                    LE_CL_BUF(j->state),
                                    LE_CL_BUF(j->often),
                                    shift,
                                    first,
                                    LE_CL_I32(about)};
        const le_cl_karg pick[] = {
            LE_CL_BUF(j->state), LE_CL_BUF(j->often), LE_CL_STRUCT(&j->about), shift, first,
            LE_CL_I32(about)};
        status = launch(j, "count_digits", j->groups, count, 7);
        if (status == LE_OK)
            status = launch(j, "pick_digit", 1, pick, 6);
    }
    return status;
}

static le_status pass(const job *j) {
    const le_cl_karg sum[] = {LE_CL_ARG(SIGMA_CLIP_IMAGE), LE_CL_I32(j->about.n),
                              LE_CL_BUF(j->state), LE_CL_BUF(j->parts)};
    const le_cl_karg end[] = {LE_CL_BUF(j->state), LE_CL_BUF(j->parts),
                              LE_CL_I32((int32_t)j->groups), LE_CL_STRUCT(&j->about)};
    le_status status = find_middle(j, j->key_bits, VALUES);
    if (status == LE_OK)
        status = launch(j, "sum_up", j->groups, sum, 4);
    if (status == LE_OK)
        status = launch(j, "end_pass", 1, end, 4);
    if (status != LE_OK || !j->about.mad)
        return status;
    status = find_middle(j, DEVIATION_BITS, DEVIATIONS);
    if (status == LE_OK)
        status = launch(j, "find_lower", j->groups, sum, 4);
    return status == LE_OK ? launch(j, "end_deviation", 1, end, 4) : status;
}

/* Several passes before each look at how far it is: passes in vain cost less than the host's
 * waiting. */
static le_status passes(const job *j) {
    enum { AT_ONCE = 4 };
    int32_t phase = 0;
    le_status status = LE_OK;
    while (status == LE_OK && phase != DONE) {
        if (le_call_cancelled(j->call))
            return LE_ERR_CANCELLED;
        for (int k = 0; k < AT_ONCE && status == LE_OK; k++)
            status = pass(j);
        if (status == LE_OK)
            status = le_cl_download(j->call, j->state, 0, &phase, sizeof phase);
    }
    return status;
}

static le_status results(const job *j) {
    const le_cl_karg statistics[] = {LE_CL_BUF(j->state), LE_CL_ARG(SIGMA_CLIP_STATISTICS)};
    const le_cl_karg mask[] = {LE_CL_ARG(SIGMA_CLIP_IMAGE), LE_CL_I32(j->about.n),
                               LE_CL_BUF(j->state), LE_CL_ARG(SIGMA_CLIP_MASK)};
    le_status status = LE_OK;
    if (le_call_given(j->call, SIGMA_CLIP_STATISTICS))
        status = launch(j, "write_statistics", 1, statistics, 2);
    if (status == LE_OK && le_call_given(j->call, SIGMA_CLIP_MASK))
        status = launch(j, "write_mask", j->groups, mask, 4);
    return status;
}

static le_status run(le_call *call) {
    job j;
    le_status status = open_job(call, &j);
    const le_cl_karg start[] = {LE_CL_BUF(j.state), LE_CL_BUF(j.often)};
    if (status == LE_OK)
        status = launch(&j, "start", 1, start, 2);
    if (status == LE_OK)
        status = passes(&j);
    return status == LE_OK ? results(&j) : status;
}

static bool applicable(const le_call *call, const char **why) {
    const le_cl_info *device = le_cl_device(call);
    const int64_t n = le_tensor_count(le_call_in(call, SIGMA_CLIP_IMAGE));
    *why = "sets along an axis";
    if (!le__im_is_one_set(call))
        return false;
    *why = "no pixels, or too many for the kernels";
    if (n < 1 || n > INT32_MAX)
        return false;
    *why = "sums need double precision";
    if (device && !device->has_f64)
        return false;
    *why = "work-groups of 256 are not possible";
    return le__cl_takes_group(call, GROUP);
}

static int64_t memory(const le_call *call) {
    return STATE_BYTES + ((int64_t)sizeof(uint32_t) << DIGIT) +
           (int64_t)groups_of(call) * PART_BYTES;
}

LE_IMPLEMENTATION(sigma_clip, opencl,
                  LE__CL_FIELDS(15, "middles digit by digit, sums in twice the digits"),
                  .applicable = applicable, .memory = memory);
