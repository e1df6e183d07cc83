/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Checks and estimates of the operations on frames in memory.
 */
#include "scattering/operation.h"

le_status le__sc_check_results(const le_call *call) {
    bool any = false;
    for (int k = SC_INTENSITY; k < SC_COMMON; k++)
        any |= le_call_given(call, k);
    return any ? LE_OK
               : le_fail(LE_ERR_ARGUMENT,
                         "no result is asked for: give an output, intensity for instance");
}

le_status le__sc_check_frames(le_call *call, int64_t npt_azim) {
    const le_tensor *t = le_call_in(call, SC_FRAMES);
    for (int d = 0; d < t->ndim - 2; d++)
        if (t->shape[d] < 1)
            return le_fail(LE_ERR_SHAPE, "frames: there is none");
    if (npt_azim > 0 && le_call_i64(call, SC_NPT) * npt_azim > INT32_MAX / 8)
        return le_fail(LE_ERR_ARGUMENT, "%lld x %lld bins are too many",
                       (long long)le_call_i64(call, SC_NPT), (long long)npt_azim);
    le_status status = le__sc_check_results(call);
    if (status == LE_OK)
        status = le__sc_setup_check(call, t->ndim, t->shape, t->dtype, npt_azim);
    return status == LE_OK ? le__sc_setup_outputs(call) : status;
}

void le__sc_work(const le_call *call, le_work *out) {
    const le__sc_setup *s = le__sc_setup_of(call);
    const double pixels = (double)s->geometry.rows * (double)s->geometry.cols;
    const double frames = (double)s->frames;
    const double each = s->model == LE__SC_MODEL_NONE ? 6 : 10;
    out->operations = pixels * frames * each + 20 * frames * (double)le__sc_setup_bins(s);
    out->bytes = pixels * frames * (double)le_dtype_size(le_call_in(call, SC_FRAMES)->dtype) +
                 8 * frames * (double)le__sc_setup_bins(s) + 8 * pixels;
}

/* Of the azimuthal model, from the largest mean. Where pixels of a ring are alike, what sets them
 * apart is how corrections are rounded to f32, 6e-8 of the mean, and a deviation below 4.5e-7 of it
 * is none (le__sc_spread). Answers of which one is just above that differ by as much, which the
 * usual tolerance allows with this scale. A variance is off by the rounding times twice the
 * deviation, which is less than this from a deviation of a hundredth of the mean on. */
double le__sc_least_scale(const le_call *trusted, int arg) {
    if (le__sc_setup_of(trusted)->model != LE__SC_MODEL_AZIMUTHAL ||
        !le_call_given(trusted, SC_INTENSITY))
        return 0;
    const double mean = le_tensor_largest(le_call_out(trusted, SC_INTENSITY));
    if (arg == SC_SEM || arg == SC_STD)
        return 0.05 * mean;
    return arg == SC_SUM_VARIANCE && le_call_given(trusted, SC_SUM_NORMALIZATION2)
               ? 2e-4 * mean * mean * le_tensor_largest(le_call_out(trusted, SC_SUM_NORMALIZATION2))
               : 0;
}

void le__sc_slabs(const le_call *call, int64_t items, le_slabs *out) {
    out->items = items;
    out->args[SC_RADIAL].merge = LE_MERGE_MAX; /* they are alike */
    for (int a = SC_INTENSITY; a < SC_COMMON; a++)
        if (le_call_given(call, a))
            out->args[a].axis = 1;
}
