/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every implementation of every operation against its reference, over random and edge cases, all
 * dtypes of the main input: le_check DEVICES CASES [PART/PARTS|VALUE]. An implementation that no
 * case reaches fails, unless this machine cannot run it, which is printed. First the check itself
 * is checked, with planted faults. The seed is LE_SEED, else 1. 1/3: the first operation and every
 * third one after it. With a value every element of the main input is that: what is left of one is
 * rounding, or nothing, and NaN reaches the same results by all ways.
 */
#include "bench_verify.h"
#include "check/cases.h"
#include "toy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static float *result_of(void *context) {
    return le_call_out(context, TOY_RESULT)->data;
}

static bool is_f32(const le_call *call, const char **why) {
    *why = "not for this dtype";
    return le_call_in(call, TOY_INPUT)->dtype == LE_F32 &&
           le_call_out(call, TOY_RESULT)->dtype == LE_F32;
}

static void crashes(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    abort();
}

static void writes_behind(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    result_of(context)[le_tensor_count(le_call_out(context, TOY_RESULT))] = 1;
}

static void leaves_one(void *context, size_t begin, size_t end, int worker) {
    if (end > begin)
        toy_range(context, begin, end - 1, worker);
}

static void is_wrong(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    for (size_t i = begin; i < end; i++)
        result_of(context)[i] *= 1.01f;
}

static le_status refuses(le_call *call) {
    (void)call;
    return le_fail(LE_ERR_UNSUPPORTED, "toy: cannot do this after all");
}

static bool never(const le_call *call, const char **why) {
    (void)call;
    *why = "never applicable";
    return false;
}

#define PLANT(n, r)                                                                                \
    {                                                                                              \
        .abi = LE_METHOD_ABI, .operation = "toy", .name = n, .run_type = "c", .summary = n,        \
        .applicable = is_f32, .items = toy_items, .range = (r)                                     \
    }

static const le_implementation plants[] = {PLANT("crashes", crashes),
                                           PLANT("writes_behind", writes_behind),
                                           PLANT("leaves_one", leaves_one),
                                           PLANT("is_wrong", is_wrong),
                                           {.abi = LE_METHOD_ABI,
                                            .operation = "toy",
                                            .name = "refuses",
                                            .run_type = "c",
                                            .summary = "refuses",
                                            .run = refuses},
                                           {.abi = LE_METHOD_ABI,
                                            .operation = "toy",
                                            .name = "unreached",
                                            .run_type = "c",
                                            .summary = "no case reaches it",
                                            .applicable = never,
                                            .run = refuses}};
static const char *const reasons[] = {"crashed", "wrote behind",  "exceeds",
                                      "exceeds", "not supported", "never applicable"};

static void plant(le_engine *engine) {
    le_register_operation(engine, &toy_operation);
    le_register_implementation(engine, &toy_reference);
    le_register_implementation(engine, &toy_c);
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++)
        le_register_implementation(engine, &plants[i]);
}

static const verify_row *row_of(const verify_result *r, const char *name) {
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->rows[i].implementation, name))
            return &r->rows[i];
    return NULL;
}

/* Planted faults must be found with their reason, and what is right must pass beside them. */
static bool check_the_check(void) {
    bench_settings s = {.operations = (char *[]){NULL},
                        .devices = "cpu",
                        .seed = 1,
                        .atol = NAN,
                        .rtol = NAN,
                        .quiet = true,
                        .prepare = plant};
    static verify_result r;
    bool ok = true;
    verify_operation(&s, "toy", &r);
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        const verify_row *row = row_of(&r, plants[i].name);
        bool found = row && (row->state == VERIFY_FAILED || row->state == VERIFY_NOTHING) &&
                     strstr(row->reason, reasons[i]);
        if (!found)
            printf("planted '%s' was not found: %s\n", plants[i].name,
                   row ? row->reason : "no row");
        ok = ok && found;
    }
    const verify_row *c = row_of(&r, "c"), *reference = row_of(&r, "reference");
    if (!c || c->state != VERIFY_OK || !reference || reference->state != VERIFY_OK) {
        printf("a right implementation did not pass: %s\n", c ? c->reason : "no row");
        ok = false;
    }
    return ok;
}

static double value;

/* Stored chunks are damaged by it, which all have to find. */
static void fill(const le_arg *args, size_t n) {
    size_t i = 0;
    while (i < n && args[i].kind != LE_KIND_IN)
        i++;
    if (i == n)
        return;
    le_tensor t = *args[i].value.in;
    for (int64_t k = 0; k < le_tensor_count(&t); k++)
        le_tensor_set(&t, k, value);
}

/* Names, NULL-ended, until the process ends; NULL after a message. */
static char **operations_of_part(const char *text) {
    static char **names;
    unsigned part, parts;
    le_options o;
    le_engine *engine;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "cpu";
    if (sscanf(text, "%u/%u", &part, &parts) != 2 || part < 1 || part > parts ||
        le_open(&engine, &o) != LE_OK) {
        printf("'%s' is no part, or no engine opens\n", text);
        return NULL;
    }
    size_t n, found = 0;
    const le_operation *const *all = le_engine_operations(engine, &n);
    names = calloc(n + 1, sizeof *names);
    for (size_t i = part - 1; names && i < n; i += parts)
        names[found++] = strdup(all[i]->name);
    le_close(&engine);
    return names;
}

int main(int argc, char **argv) {
    const char *seed = getenv("LE_SEED");
    bench_settings s = {.operations = (char *[]){NULL}, /* all */
                        .devices = argc > 1 ? argv[1] : NULL,
                        .seed = seed ? strtoull(seed, NULL, 10) : 1,
                        .atol = NAN,
                        .rtol = NAN,
                        .cases = (int)case_count(argc > 2 ? atoi(argv[2]) : 0),
                        .quiet = true};
    setpriority(PRIO_PROCESS, 0, 5); /* nothing here is timed, as it is in tests beside this one */
    if (argc > 3 && strchr(argv[3], '/')) {
        s.operations = operations_of_part(argv[3]);
        if (!s.operations)
            return 1;
    } else if (argc > 3) {
        value = atof(argv[3]);
        s.alter = fill;
    }
    bool ok = check_the_check();
    return bench_verify(&s, stdout) == TOOL_OK && ok ? 0 : 1;
}
