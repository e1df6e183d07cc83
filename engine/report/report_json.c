/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The report as JSON, schema 1. Unknown numbers are null.
 */
#include "report.h"

#include "numbers.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "liquid_engine/le_version.h"

static void text_or_null(cJSON *to, const char *name, const char *text) {
    if (text)
        cJSON_AddStringToObject(to, name, text);
    else
        cJSON_AddNullToObject(to, name);
}

static void add_candidate(const report *r, const report_candidate *c, cJSON *list) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddStringToObject(o, "candidate", c->text);
    cJSON_AddStringToObject(o, "implementation", c->known->implementation);
    cJSON_AddStringToObject(o, "run_type", c->known->run_type);
    cJSON_AddStringToObject(o, "device", c->device);
    le__json_add_number(o, "time_s", c->time);
    le__json_add_number(o, "low_s", c->low);
    le__json_add_number(o, "high_s", c->high);
    le__json_add_number(o, "median_s", c->median);
    le__json_add_number(o, "p99_s", c->p99);
    le__json_add_number(o, "min_s", c->least);
    le__json_add_number(o, "max_s", c->most);
    le__json_add_number(o, "cold_s", c->cold_time);
    le__json_add_number(o, "setup_s", c->setup_s);
    le__json_add_number(o, "cpu_s", c->cpu_s);
    le__json_add_number(o, "peak_bytes", c->peak_bytes > 0 ? (double)c->peak_bytes : NAN);
    cJSON_AddNumberToObject(o, "samples", (double)c->samples);
    cJSON_AddNumberToObject(o, "contended", (double)c->contended);
    le__json_add_number(o, "error_max_abs", c->errors[0]);
    cJSON_AddStringToObject(o, "verdict", le_db_state_names[c->state]);
    cJSON_AddStringToObject(o, "reason", c->reason);
    cJSON_AddBoolToObject(o, "stale", c->stale);
    le__json_add_number(o, "age_s", le__report_age_s(r, c->last_ms));
}

static void add_choice(const report *r, const report_choice *c, cJSON *list) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddStringToObject(o, "constraint", c->constraint);
    cJSON_AddStringToObject(o, "objective", c->objective);
    cJSON_AddStringToObject(o, "candidate", c->candidate->text);
    cJSON_AddBoolToObject(o, "stored", c->stored);
    le__json_add_number(o, "time_s", c->candidate->time);
    text_or_null(o, "runner_up", c->runner_up ? c->runner_up->text : NULL);
    le__json_add_number(o, "runner_up_ratio", c->runner_up_ratio);
    le__json_add_number(o, "reference_ratio", c->reference_ratio);
    le__json_add_number(o, "error_max_abs", c->candidate->errors[0]);
    cJSON_AddNumberToObject(o, "samples", (double)c->candidate->samples);
    le__json_add_number(o, "age_s", le__report_age_s(r, c->date_ms));
    cJSON *evidence = cJSON_Parse(c->evidence);
    le__json_add(o, "evidence", evidence);
    char *command = le__report_reproduce(r, c->problem, c->candidate);
    text_or_null(o, "reproduce", command);
    free(command);
}

static void add_problem(const report *r, const report_problem *p, cJSON *list) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddStringToObject(o, "operation", p->known->operation);
    cJSON_AddStringToObject(o, "problem", p->known->key);
    le__json_add_number(o, "work", p->known->work);
    le__json_add_number(o, "bytes", p->known->bytes);
    cJSON *choices = cJSON_AddArrayToObject(o, "choices");
    for (size_t i = 0; i < p->n_choices; i++)
        add_choice(r, &p->choices[i], choices);
    cJSON *candidates = cJSON_AddArrayToObject(o, "candidates");
    for (size_t i = 0; i < p->n_candidates; i++)
        add_candidate(r, &p->candidates[i], candidates);
}

static void add_machine(const report *r, cJSON *root) {
    cJSON *o = cJSON_AddObjectToObject(root, "machine");
    for (size_t i = 0; r->machine && i < r->machine->n_parts; i++)
        cJSON_AddStringToObject(o, r->machine->parts[i].name, r->machine->parts[i].value);
}

static void add_accounts(const report *r, cJSON *root) {
    cJSON *list = cJSON_AddArrayToObject(root, "accounts");
    for (size_t i = 0; i < r->n_accounts; i++) {
        const report_account *a = &r->accounts[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToArray(list, o);
        cJSON_AddStringToObject(o, "operation", a->operation);
        cJSON_AddNumberToObject(o, "calls", (double)a->calls);
        le__json_add_number(o, "answered_s", a->answered_s);
        le__json_add_number(o, "explored_s", a->explored_s);
        le__json_add_number(o, "regret_s", a->regret_s);
    }
}

bool le__report_json(const report *r, FILE *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", 1);
    cJSON_AddStringToObject(root, "version", LE_VERSION);
    cJSON_AddStringToObject(root, "database", r->path);
    add_machine(r, root);
    cJSON *problems = cJSON_AddArrayToObject(root, "problems");
    for (size_t i = 0; i < r->n_problems; i++)
        add_problem(r, &r->problems[i], problems);
    add_accounts(r, root);
    char *text = le__json_show(root);
    cJSON_Delete(root);
    if (text)
        fprintf(out, "%s\n", text);
    free(text);
    return text != NULL;
}
