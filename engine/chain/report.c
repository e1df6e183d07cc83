/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What a chain plans and what it did, as structures and as JSON.
 */
#include "chain/chain.h"
#include "numbers.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

le_status le_chain_last_run(const le_chain *c, le_chain_report *out) {
    *out = c->report;
    return LE_OK;
}

/* --- plan --- */

static void fill_plan(const le_chain *c, le_chain_plan *plan, le_planned_step *steps, char *text) {
    *plan = (le_chain_plan){.why = c->totals.why,
                            .predicted_s = c->totals.predicted_s,
                            .cpu_s = c->totals.cpu_s,
                            .device_s = c->totals.device_s,
                            .peak_bytes = c->totals.peak_bytes,
                            .n_steps = (size_t)c->n_steps,
                            .steps = steps,
                            .step_size = sizeof *steps};
    plan->chain = strcpy(text, c->name);
    text += strlen(c->name) + 1;
    for (int i = 0; i < c->n_steps; i++) {
        const le__step_choice *choice = &c->choices[i];
        steps[i] = (le_planned_step){.operation = c->steps[i]->entry->operation->name,
                                     .predicted_s = choice->plan.predicted_s,
                                     .transfer_s = choice->plan.transfer_s,
                                     .bytes_moved = choice->plan.bytes_moved};
        steps[i].candidate = strcpy(text, choice->arm->candidate.text);
        text += strlen(text) + 1;
        steps[i].device = strcpy(text, choice->arm->candidate.device->id);
        text += strlen(text) + 1;
    }
}

/* One block: plan, steps, texts. */
le_status le__chain_copy_plan(const le_chain *c, le_chain_plan **out) {
    size_t n = (size_t)c->n_steps, texts = strlen(c->name) + 1;
    for (size_t i = 0; i < n; i++)
        texts += strlen(c->choices[i].arm->candidate.text) +
                 strlen(c->choices[i].arm->candidate.device->id) + 2;
    char *block = calloc(1, sizeof **out + n * sizeof(le_planned_step) + texts);
    if (!block)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    void *steps = block + sizeof **out;
    *out = (le_chain_plan *)(void *)block;
    fill_plan(c, *out, steps, block + sizeof **out + n * sizeof(le_planned_step));
    return LE_OK;
}

void le_chain_plan_free(le_chain_plan **plan) {
    if (!plan)
        return;
    free(*plan);
    *plan = NULL;
}

cJSON *le__chain_plan_object(const le_chain_plan *plan) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "chain", plan->chain);
    cJSON_AddStringToObject(root, "why", plan->why);
    le__json_add_number(root, "predicted_s", plan->predicted_s);
    le__json_add_number(root, "cpu_s", plan->cpu_s);
    le__json_add_number(root, "device_s", plan->device_s);
    cJSON_AddNumberToObject(root, "peak_bytes", (double)plan->peak_bytes);
    cJSON *steps = cJSON_AddArrayToObject(root, "steps");
    for (size_t i = 0; i < plan->n_steps; i++) {
        cJSON *step = cJSON_CreateObject();
        cJSON_AddStringToObject(step, "operation", plan->steps[i].operation);
        cJSON_AddStringToObject(step, "candidate", plan->steps[i].candidate);
        cJSON_AddStringToObject(step, "device", plan->steps[i].device);
        le__json_add_number(step, "predicted_s", plan->steps[i].predicted_s);
        le__json_add_number(step, "transfer_s", plan->steps[i].transfer_s);
        cJSON_AddNumberToObject(step, "bytes_moved", (double)plan->steps[i].bytes_moved);
        cJSON_AddItemToArray(steps, step);
    }
    return root;
}

char *le_chain_plan_json(const le_chain_plan *plan) {
    cJSON *root = le__chain_plan_object(plan);
    char *text = le__json_print(root, 1);
    cJSON_Delete(root);
    return text;
}
