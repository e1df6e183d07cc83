/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is left of a scan that others have begun, and each rank's share of it.
 */
#include "run_scan.h"
#include "run_world.h"
#include "scan.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool run_scan_shared(const run_options *o) {
    return run_world_ranks() > 1 && !o->explain && o->follow < 0;
}

/* Items that are worked off together where it matters which are. */
static int64_t batch_of(const scan *s) {
    int64_t batch = s->source->block;
    while (s->options->reproducible && batch < LE_STREAM_REPRODUCIBLE_ITEMS)
        batch += s->source->block;
    return batch;
}

/* Chunks a second; NaN: nothing is known. */
static double believed_speed(const scan *s, const le_arg *options, size_t n_options) {
    le_chain_plan *plan = NULL;
    double speed = NAN;
    if (le_chain_explain(s->chain, &plan, options, n_options) == LE_OK)
        speed = 1 / plan->predicted_s;
    le_chain_plan_free(&plan);
    return speed;
}

le_status scan_agree(const scan *s, le_status status) {
    return s->shared ? run_world_agree(status) : status;
}

/* What a killed process has done. */
static le_status take_again(void *cookie, int k, int64_t first, int64_t items, const le_tensor *t) {
    scan *s = cookie;
    le_status status = scan_take_batch(&s->outputs[k], first, items, t);
    if (status == LE_OK && k == s->n_outputs - 1)
        memset(s->done + first, 1, (size_t)items);
    return status;
}

/* What killed processes of the same command have done, on rank 0; whether there is anything. */
static le_status recall(scan *s, bool *any) {
    *any = false;
    s->done = calloc((size_t)s->all + 1, 1);
    le_status status = s->done ? LE_OK : le_fail(LE_ERR_MEMORY, "out of memory");
    if (status == LE_OK)
        status = scan_journal_open(&s->journal, s->options, s->a, &s->report.frames, s->all);
    if (status == LE_OK && run_world_rank() == 0)
        status = scan_journal_read(&s->journal, s->n_outputs, s->all, take_again, s);
    if (status == LE_OK)
        *any = memchr(s->done, 1, (size_t)s->all) != NULL;
    return status;
}

/* A process by itself keeps a journal only where one is there. */
static le_status begin_parts(scan *s, bool any, const le_arg *options, size_t n_options) {
    const int64_t first = run_world_tell(s->left_out);
    const int64_t number = run_world_tell(s->journal.next);
    if (!s->shared && !any)
        return LE_OK;
    s->parted = true;
    run_world_broadcast(s->done, s->all);
    le_status status = scan_shared_of(s->done, first, s->all, batch_of(s), &s->common);
    s->bad = calloc((size_t)s->common.n + 1, 1);
    if (status == LE_OK && !s->bad)
        status = le_fail(LE_ERR_MEMORY, "out of memory");
    status = scan_agree(s, status);
    if (status != LE_OK)
        return status;
    s->common.speeds = run_world_speeds(believed_speed(s, options, n_options));
    s->own = scan_share_of(&s->common, run_world_rank());
    scan_journal_begin(&s->journal, number + run_world_rank());
    if (s->common.n < s->all && s->options->verbose)
        tool_message("%s: continued, %lld items left", s->a->operation->name,
                     (long long)s->common.n);
    return LE_OK;
}

le_status scan_parts_begin(scan *s, const le_arg *options, size_t n_options) {
    bool any = false;
    if (s->options->follow >= 0 || s->options->explain)
        return LE_OK;
    le_status status = scan_agree(s, recall(s, &any));
    return status == LE_OK ? begin_parts(s, any, options, n_options) : status;
}

le_status scan_parts_gather(scan *s) {
    scan_result results[LE_MAX_ARGS];
    int n = 0;
    if (s->parted)
        scan_report_done(&s->report, s->all);
    if (!s->shared)
        return LE_OK;
    for (int k = 0; k < s->n_outputs; k++) {
        const output *o = &s->outputs[k];
        if (o->target)
            results[n++] = (scan_result){.target = o->target,
                                         .layout = o->kind == OUT_CHUNKS ? NULL : &o->layout,
                                         .elements = o->elements,
                                         .cell_bytes = o->cell_bytes};
    }
    le_status status = scan_ranks_gather(results, n, s->bad, &s->common);
    for (int64_t i = s->own.end; status == LE_OK && run_world_rank() == 0 && i < s->common.n; i++)
        if (s->bad[i])
            status = scan_report_bad(&s->report, s->common.items[i]);
    return status;
}

/* Lets the source stand before an item. */
static le_status go_to(scan *s, int64_t item, bool used) {
    le_status status = LE_OK;
    if (!used && item >= s->left_out)
        status = scan_frames_leave(s->source, item - s->left_out);
    s->left_out = item;
    return used ? scan_connect(s) : status;
}

le_status scan_parts_stream(scan *s, const le_arg *options, size_t n_options) {
    le_status status = LE_OK;
    int64_t n = 0;
    for (s->at = s->own.begin; status == LE_OK && s->at < s->own.end; s->at += n) {
        n = scan_share_run(&s->common, s->at, s->own.end);
        status = go_to(s, s->common.items[s->at], s->at > s->own.begin);
        if (status == LE_OK) {
            s->source->items = n;
            status = scan_stream(s, options, n_options);
        }
        if (s->stopped)
            break;
    }
    return status;
}
