/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The plan of a chain for a terminal.
 */
#include "plan_text.h"

#include "tool.h"

void plan_print(const le_chain_plan *p, FILE *out) {
    char predicted[TOOL_NUMBER], transfer[TOOL_NUMBER], moved[TOOL_NUMBER];
    fprintf(out, "chain      %s (%s)\npredicted  %s", p->chain, p->why,
            tool_seconds(p->predicted_s, predicted));
    fprintf(out, "; on the CPU alone %s", tool_seconds(p->cpu_s, predicted));
    fprintf(out, "; on one device alone %s\n", tool_seconds(p->device_s, predicted));
    fprintf(out, "peak       %s\n\n", tool_bytes((double)p->peak_bytes, moved));
    fprintf(out, "%4s  %-28s %-44s %9s %9s %9s\n", "step", "operation", "candidate", "predicted",
            "transfer", "moved");
    for (size_t i = 0; i < p->n_steps; i++)
        fprintf(out, "%4zu  %-28s %-44s %9s %9s %9s\n", i, p->steps[i].operation,
                p->steps[i].candidate, tool_seconds(p->steps[i].predicted_s, predicted),
                tool_seconds(p->steps[i].transfer_s, transfer),
                tool_bytes((double)p->steps[i].bytes_moved, moved));
}
