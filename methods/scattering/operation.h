/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the operations on frames in memory have in common: checks, estimates, sample calls.
 */
#ifndef LE_SCATTERING_OPERATION_H
#define LE_SCATTERING_OPERATION_H

#include "scattering/setup.h"

/* Whether a call has a result. */
le_status le__sc_check_results(const le_call *call);
/* For le_operation.check; npt_azim 0: one dimension. */
le_status le__sc_check_frames(le_call *call, int64_t npt_azim);
void le__sc_work(const le_call *call, le_work *out);
/* For le_operation.least_scale: of the deviations of pixels about their mean, where the call has the
 * mean, too. */
double le__sc_least_scale(const le_call *trusted, int arg);
/* For le_operation.slabs: so many items, of which curves are the rows; the radial axis is that of
 * all. */
void le__sc_slabs(const le_call *call, int64_t items, le_slabs *out);

/* Sample calls. */
typedef enum le__sc_case_kind {
    LE__SC_CASE_CURVE,
    LE__SC_CASE_PLANE,
    LE__SC_CASE_CLIP,
    LE__SC_CASE_MEDIAN,
    LE__SC_CASE_STORED /* curves of stored frames */
} le__sc_case_kind;

le_status le__sc_make_case(le_case *c, const le_case_request *request, le__sc_case_kind kind);
le_status le__sc_part(const le_call *call, uint64_t random, le_case *out, int64_t *first);

#define LE__SC_OPERATION(the_name, the_summary)                                                    \
    .abi = LE_METHOD_ABI, .name = the_name, .family = "scattering", .summary = the_summary,        \
    .reference = "pyFAI: Kieffer, Valls, Blanc, Hennig, J. Synchrotron Rad. 27 (2020)",            \
    .args = args, .n_args = sizeof args / sizeof args[0], .check = check, .work = le__sc_work,     \
    .norm = LE_NORM_MAX, .atol = 1e-5, .least_scale = le__sc_least_scale, .make_case = make_case,  \
    .part = le__sc_part

#endif
