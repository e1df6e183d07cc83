/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of azimuthal_sigma_clip.
 */
#include "scattering/azimuthal_sigma_clip.h"

#include "scattering/rings_reference.h"

#include <math.h>

static void clip(le_call *call, le__sc_member *m, int64_t n) {
    bool refused = true;
    for (int64_t k = 0; k < le_call_i64(call, SC_MAX_ITER) && refused; k++) {
        const le__sc_sums sums = le__sc_members_sums(call, m, n);
        const double mean = sums.signal / sums.normalization,
                     std = sqrt(sums.variance / sums.normalization2);
        const double most = le__sc_cutoff(le_call_f64(call, SC_THRES), sums.count) * std;
        refused = false;
        if (!(std > 0)) /* all are at the mean */
            break;
        for (int64_t i = 0; i < n; i++) {
            const bool out = fabs(m[i].s / m[i].w - mean) > most;
            refused |= out && !m[i].out;
            m[i].out |= out;
        }
    }
}

static le_status run(le_call *call) {
    return le__sc_rings_reference(call, clip);
}

LE_IMPLEMENTATION(azimuthal_sigma_clip, reference, .run_type = "reference",
                  .summary = "ring by ring from the definition, in double precision",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.01,
                  .run = run);
