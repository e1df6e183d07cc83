/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * threshold on an OpenCL device. A level that follows from statistics is made there, so that in a
 * chain these need not come back.
 */
#include "imaging/threshold.h"

#include "common/opencl.h"

#include <stdio.h>
#include <string.h>

extern const le_cl_source le_cl_imaging_threshold;
static const le_cl_source *const sources[] = {&le_cl_imaging_threshold, NULL};

enum { INTEGERS, FLOATS, DOUBLES }; /* KIND of threshold.cl */
enum { GROUP = 64 };
enum { OF_HOST, OF_STATISTICS, MAPS }; /* FROM */

static int kind_of(const le_call *call) {
    const le_dtype dtype = le_call_in(call, THRESHOLD_IMAGE)->dtype;
    return dtype == LE_F64 ? DOUBLES : dtype == LE_F32 ? FLOATS : INTEGERS;
}

static int level_from(const le_call *call) {
    return le_call_given(call, THRESHOLD_NOISE)        ? MAPS
           : le_call_given(call, THRESHOLD_STATISTICS) ? OF_STATISTICS
                                                       : OF_HOST;
}

/* The same pixels of up to 32 bits are above it. */
static int64_t integer_below(double level) {
    const double most = 8589934592.0;
    return isnan(level) || level > most ? (int64_t)most
           : level < -most              ? -(int64_t)most
                                        : (int64_t)floor(level);
}

static le_cl_karg limit_of(const le_call *call) {
    const double level = le__im_threshold_level(call);
    switch (kind_of(call)) {
    case INTEGERS:
        return LE_CL_I64(integer_below(level));
    case FLOATS:
        return LE_CL_F32((float)le__im_float_below(level));
    default:
        return LE_CL_F64(level);
    }
}

static void set_options(const le_call *call, char *options, size_t size) {
    const bool maps = level_from(call) == MAPS;
    snprintf(options, size, "-DT=%s -DKIND=%d -DFROM=%d -DB=%s -DN=%s",
             le_dtype_cl_type(le_call_in(call, THRESHOLD_IMAGE)->dtype), kind_of(call),
             level_from(call),
             maps ? le_dtype_cl_type(le_call_in(call, THRESHOLD_BACKGROUND)->dtype) : "float",
             maps ? le_dtype_cl_type(le_call_in(call, THRESHOLD_NOISE)->dtype) : "float");
}

static le_status run(le_call *call) {
    enum { FIRST = 3, MOST = 3 };
    const int64_t n = le_tensor_count(le_call_in(call, THRESHOLD_IMAGE));
    const double k = le_call_f64(call, THRESHOLD_K);
    const le_cl_karg more[][MOST] = {
        [OF_STATISTICS] = {LE_CL_ARG(THRESHOLD_STATISTICS), LE_CL_F64(k),
                           LE_CL_I32(!strcmp(le_call_str(call, THRESHOLD_RULE), "median"))},
        [MAPS] = {LE_CL_ARG(THRESHOLD_BACKGROUND), LE_CL_ARG(THRESHOLD_NOISE), LE_CL_F64(k)}};
    const int from = level_from(call);
    le_cl_karg args[FIRST + MOST] = {LE_CL_ARG(THRESHOLD_IMAGE), LE_CL_ARG(THRESHOLD_MASK),
                                     LE_CL_I64(n)};
    if (from == OF_HOST)
        args[FIRST] = limit_of(call);
    else
        memcpy(args + FIRST, more[from], sizeof more[from]);
    char options[128];
    set_options(call, options, sizeof options);
    return le__cl_groups(call, &le_cl_imaging_threshold, "threshold", options,
                         (size_t)(n + 4 * GROUP - 1) / (4 * GROUP), GROUP, args,
                         FIRST + (from == OF_HOST ? 1 : MOST));
}

static bool applicable(const le_call *call, const char **why) {
    const le_cl_info *device = le_cl_device(call);
    *why = "maps are compared in double precision";
    if (device && !device->has_f64 && level_from(call) == MAPS)
        return false;
    *why = "work-groups of 64 are not possible";
    return le__cl_takes_group(call, GROUP);
}

LE_IMPLEMENTATION(threshold, opencl, LE__CL_FIELDS(50, "four pixels a work-item"),
                  .applicable = applicable);
