/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chains from JSON texts; the format is described in le_chain.h.
 */
#include "chain/chain.h"

#include "call/engine.h"
#include "numbers.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 256 };

typedef struct parser {
    const char *chain;
    le_chain *to;
    const char *names[MAX_NAMES]; /* values by name, owned by the JSON document */
    le_value values[MAX_NAMES];
    int n;
    int step;
    double *lists[LE_MAX_ARGS];
    int n_lists;
} parser;

/* --- values --- */

static le_value *find_value(parser *p, const char *name, size_t length) {
    for (int i = 0; i < p->n; i++)
        if (strlen(p->names[i]) == length && !strncmp(p->names[i], name, length))
            return &p->values[i];
    return NULL;
}

static le_status name_value(parser *p, const char *name, le_value value) {
    if (p->n == MAX_NAMES)
        return le_fail(LE_ERR_ARGUMENT, "more than %d values", MAX_NAMES);
    p->names[p->n] = name;
    p->values[p->n++] = value;
    return LE_OK;
}

/* "frames" or "frames[3]". Outputs that nothing has written yet are made. */
static le_status take_value(parser *p, const char *text, bool output, le_value *out) {
    size_t length = strcspn(text, "[");
    le_value *known = find_value(p, text, length);
    if (!known && (!output || text[length]))
        return le_fail(LE_ERR_UNKNOWN, "'%s' is neither an input nor written by an earlier step",
                       text);
    if (!known) {
        *out = le_chain_temp(p->to);
        return name_value(p, text, *out);
    }
    *out = *known;
    if (!text[length])
        return LE_OK;
    char *end;
    long long index = strtoll(text + length + 1, &end, 10);
    if (end == text + length + 1 || strcmp(end, "]") != 0)
        return le_fail(LE_ERR_ARGUMENT, "'%s' is not understood, expected a name or name[number]",
                       text);
    *out = le_chain_slice(p->to, *known, 0, index);
    return le_chain_status(p->to);
}

/* --- arguments --- */

static le_status take_list(parser *p, const cJSON *json, le_arg *out) {
    int n = cJSON_GetArraySize(json), i = 0;
    if (p->n_lists == LE_MAX_ARGS)
        return le_fail(LE_ERR_ARGUMENT, "argument '%s' is one list too many, %d are possible",
                       json->string, LE_MAX_ARGS);
    double *list = malloc(((size_t)n + 1) * sizeof *list);
    if (!list)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    p->lists[p->n_lists++] = list;
    const cJSON *item;
    cJSON_ArrayForEach(item, json) {
        if (!cJSON_IsNumber(item))
            return le_fail(LE_ERR_ARGUMENT, "argument '%s' has an item that is not a number",
                           json->string);
        list[i++] = item->valuedouble;
    }
    *out = (le_arg){
        .name = json->string, .kind = LE_KIND_F64S, .value.f64s = list, .count = (size_t)n};
    return LE_OK;
}

static le_status take_arg(parser *p, const le_operation *op, const cJSON *json, le_arg *out) {
    int i = le__arg_find(op, json->string, 0);
    const le_arg_desc *d = i < 0 ? NULL : &op->args[i];
    bool tensor = d && (d->type == LE_TYPE_IN || d->type == LE_TYPE_OUT);
    if (tensor && cJSON_IsString(json)) {
        le_value v = LE_VALUE_NONE;
        bool output = d->type == LE_TYPE_OUT;
        le_status status = take_value(p, json->valuestring, output, &v);
        *out = (le_arg){.name = json->string,
                        .value.i64 = v.id,
                        .kind = output ? LE_KIND_VALUE_OUT : LE_KIND_VALUE_IN};
        return status;
    }
    if (tensor)
        return le_fail(LE_ERR_ARGUMENT, "argument '%s' must be the name of a value", json->string);
    if (cJSON_IsNumber(json))
        *out = (le_arg){.name = json->string, .kind = LE_KIND_F64, .value.f64 = json->valuedouble};
    else if (cJSON_IsBool(json))
        *out = (le_arg){.name = json->string, .kind = LE_KIND_I64, .value.i64 = cJSON_IsTrue(json)};
    else if (cJSON_IsString(json))
        *out = (le_arg){.name = json->string, .kind = LE_KIND_STR, .value.str = json->valuestring};
    else if (cJSON_IsArray(json))
        return take_list(p, json, out);
    else
        return le_fail(LE_ERR_ARGUMENT,
                       "argument '%s' must be a number, a text, or a list of numbers",
                       json->string);
    return LE_OK;
}

static le_status take_args(parser *p, const char *name, const cJSON *args) {
    le__operation_entry *entry;
    le_arg list[LE_MAX_ARGS];
    size_t n = 0;
    const cJSON *json;
    le_status status = le__registry_get(&p->to->engine->registry, name, &entry);
    if (status != LE_OK)
        return status;
    if (!cJSON_IsObject(args))
        return le_fail(LE_ERR_ARGUMENT, "\"args\" must be an object");
    cJSON_ArrayForEach(json, args) {
        if (n == LE_MAX_ARGS)
            return le_fail(LE_ERR_ARGUMENT, "more than %d arguments", LE_MAX_ARGS);
        status = take_arg(p, entry->operation, json, &list[n++]);
        if (status != LE_OK)
            return status;
    }
    return le_chain_add_args(p->to, name, list, n);
}

static le_status take_step(parser *p, const cJSON *json) {
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(json, "operation");
    bool named = cJSON_IsString(name);
    le_status status =
        named ? take_args(p, name->valuestring, cJSON_GetObjectItemCaseSensitive(json, "args"))
              : le_fail(LE_ERR_ARGUMENT, "\"operation\" must be a name");
    for (; p->n_lists; p->n_lists--)
        free(p->lists[p->n_lists - 1]);
    if (status == LE_OK)
        return LE_OK;
    char text[512];
    snprintf(text, sizeof text, "%s", le_error_message());
    return le_fail(status, "chain '%s': step %d (%s): %s", p->chain, p->step + 1,
                   named ? name->valuestring : "?", text);
}

/* --- the document --- */

static le_status check_names(const cJSON *json, const char *chain, const char *key) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, key), *item;
    if (!cJSON_IsArray(list) || !cJSON_GetArraySize(list))
        return le_fail(LE_ERR_ARGUMENT, "chain '%s': \"%s\" must be a list of names", chain, key);
    cJSON_ArrayForEach(item, list) {
        if (!cJSON_IsString(item) || !item->valuestring[0])
            return le_fail(LE_ERR_ARGUMENT, "chain '%s': \"%s\" has an item that is not a name",
                           chain, key);
    }
    return LE_OK;
}

static const char *name_of(const cJSON *json) {
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(json, "name");
    return cJSON_IsString(name) && name->valuestring[0] ? name->valuestring : "chain";
}

static le_status parse(const char *text, cJSON **out) {
    const char *end = NULL;
    cJSON *json = le__json_parse(text ? text : "", text ? strlen(text) + 1 : 1, &end);
    if (!json)
        return le_fail(LE_ERR_ARGUMENT, "chain: no JSON at character %zu: '%.20s'",
                       text && end ? (size_t)(end - text) : (size_t)0, end ? end : "");
    const char *chain = name_of(json);
    le_status status = check_names(json, chain, "inputs");
    if (status == LE_OK)
        status = check_names(json, chain, "outputs");
    if (status == LE_OK && !cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(json, "steps")))
        status = le_fail(LE_ERR_ARGUMENT, "chain '%s': \"steps\" must be a list", chain);
    if (status != LE_OK) {
        cJSON_Delete(json);
        return status;
    }
    *out = json;
    return LE_OK;
}

static le_status build(const cJSON *json, le_chain *to, const le_value *inputs,
                       const le_value *outputs) {
    parser p = {.chain = name_of(json), .to = to};
    const cJSON *item, *ends = cJSON_GetObjectItemCaseSensitive(json, "outputs");
    int k = 0;
    le_status status = LE_OK;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "inputs")) {
        if (status == LE_OK)
            status = name_value(&p, item->valuestring, inputs[k++]);
    }
    k = 0;
    cJSON_ArrayForEach(item, ends) {
        if (status == LE_OK && outputs[k].id >= 0)
            status = name_value(&p, item->valuestring, outputs[k]);
        k++;
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "steps")) {
        if (status == LE_OK)
            status = take_step(&p, item);
        p.step++;
    }
    k = 0;
    cJSON_ArrayForEach(item, ends) {
        le_value *v = find_value(&p, item->valuestring, strlen(item->valuestring));
        if (status == LE_OK && !v)
            status = le_fail(LE_ERR_UNKNOWN, "chain '%s': no step writes output '%s'", p.chain,
                             item->valuestring);
        if (status == LE_OK && outputs[k].id < 0)
            status = le_chain_output(to, item->valuestring, *v);
        k++;
    }
    return status;
}

static le_status add_inputs(const cJSON *json, le_chain *c, const le_arg *args, size_t n_args,
                            le_value *values) {
    const cJSON *item;
    int n = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "inputs")) {
        const le_tensor *t = NULL;
        for (size_t i = 0; i < n_args; i++)
            if (args[i].kind == LE_KIND_IN && args[i].name &&
                !strcmp(args[i].name, item->valuestring))
                t = args[i].value.in;
        if (!t || n == LE_MAX_ARGS)
            return le_fail(LE_ERR_ARGUMENT, "chain '%s': input '%s' is missing", c->name,
                           item->valuestring);
        values[n++] = le_chain_input(c, item->valuestring, t->dtype, t->ndim, t->shape);
    }
    return le_chain_status(c);
}

le_status le__chain_from_json(le_chain **out, le_engine *engine, const char *text,
                              const le_arg *args, size_t n_args) {
    cJSON *json = NULL;
    le_value inputs[LE_MAX_ARGS], outputs[MAX_NAMES];
    *out = NULL;
    for (int i = 0; i < MAX_NAMES; i++)
        outputs[i] = LE_VALUE_NONE;
    le_status status = parse(text, &json);
    if (status == LE_OK &&
        cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "outputs")) > MAX_NAMES)
        status = le_fail(LE_ERR_ARGUMENT, "chain: more than %d outputs", MAX_NAMES);
    if (status == LE_OK)
        status = le__chain_new(out, engine, name_of(json));
    if (status == LE_OK)
        status = add_inputs(json, *out, args, n_args, inputs);
    if (status == LE_OK)
        status = build(json, *out, inputs, outputs);
    if (status != LE_OK)
        le_chain_free(out);
    cJSON_Delete(json);
    return status;
}

/* --- as an operation --- */

static le_status build_recipe(const le__recipe *r, le_chain *to, const le_value *inputs,
                              const le_value *outputs) {
    return build(r->data, to, inputs, outputs);
}

static void release_json(void *json) {
    cJSON_Delete(json);
}

static void copy_names(le__recipe *r, const cJSON *json, const char *key, int *count) {
    const cJSON *item;
    int first = r->n_inputs + r->n_outputs;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, key)) {
        r->names[first + *count] = strdup(item->valuestring);
        ++*count;
    }
}

/* The output of the step's operation that is the chain's value `name`; NULL: none. */
static const le_arg_desc *made_by(le_engine *engine, const cJSON *step, const char *name) {
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(step, "args");
    const char *op = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(step, "operation"));
    const le__operation_entry *e = op ? le__registry_find(&engine->registry, op) : NULL;
    for (size_t a = 0; e && a < e->operation->n_args; a++) {
        const le_arg_desc *d = &e->operation->args[a];
        const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(given, d->name));
        if (d->type == LE_TYPE_OUT && value && !strcmp(value, name))
            return d;
    }
    return NULL;
}

/* Tables keep their names of columns. */
static void copy_columns(le_engine *engine, const cJSON *json, le__recipe *r) {
    const cJSON *step;
    for (int i = r->n_inputs; i < r->n_inputs + r->n_outputs; i++)
        cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(json, "steps")) {
            const le_arg_desc *d = r->names[i] ? made_by(engine, step, r->names[i]) : NULL;
            if (d)
                r->columns[i] = d->column;
        }
}

le_status le__chain_register_json(le_engine *engine, const char *text, char *name, size_t size) {
    cJSON *json = NULL;
    le_status status = parse(text, &json);
    if (status != LE_OK)
        return status;
    int n = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "inputs")) +
            cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "outputs"));
    le__recipe *r = calloc(1, sizeof *r);
    if (!r || n > LE_MAX_ARGS) {
        status = r ? le_fail(LE_ERR_ARGUMENT,
                             "chain '%s': %d inputs and outputs, at most %d are possible",
                             name_of(json), n, LE_MAX_ARGS)
                   : le_fail(LE_ERR_MEMORY, "chain: out of memory");
        free(r);
        cJSON_Delete(json);
        return status;
    }
    r->build = build_recipe;
    r->name = strdup(name_of(json));
    copy_names(r, json, "inputs", &r->n_inputs);
    copy_names(r, json, "outputs", &r->n_outputs);
    copy_columns(engine, json, r);
    r->data = json;
    r->release = release_json;
    snprintf(name, size, "%s", name_of(json));
    return le__recipe_register(engine, r, NULL, "a chain from a JSON file");
}
