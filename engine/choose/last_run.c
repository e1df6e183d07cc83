/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the last call of a thread did.
 */
#include "choose/dispatch.h"

#include "core/struct.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct {
    uint64_t id; /* of the candidate */
    char candidate[LE__CANDIDATE_TEXT];
    le__why why;
    le__run_stats stats;
    int64_t measurements;
} last;

void le__last_run_set(const le_call *call, const le__answered *answered) {
    const le__candidate *c = &answered->arm->candidate;
    if (last.id != c->id)
        memcpy(last.candidate, c->text, sizeof last.candidate);
    last.id = c->id;
    last.why = answered->why;
    last.stats = call->stats;
    last.measurements = answered->others;
}

static void fill(le_run_info *info) {
    snprintf(info->candidate, sizeof info->candidate, "%s", last.candidate);
    snprintf(info->why, sizeof info->why, "%s", last.candidate[0] ? le__why_text(last.why) : "");
    info->seconds = last.stats.seconds;
    info->kernel_seconds = last.stats.kernel_seconds;
    info->bytes_to_device = last.stats.bytes_to_device;
    info->bytes_from_device = last.stats.bytes_from_device;
    info->measurements = last.measurements;
}

le_status le_last_run(le_run_info *info) {
    le_run_info known = {0};
    fill(&known);
    return le__struct_give(info, &known, sizeof known, offsetof(le_run_info, seconds),
                           "le_last_run: info");
}
