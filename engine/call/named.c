/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Whether run types, implementations and devices that are asked for by name exist.
 */
#include "call/named.h"

#include "call/candidate.h"
#include "core/text.h"
#include "engine.h"

#include <stdio.h>
#include <string.h>

enum { LIST = 256 }; /* of names in a message */

/* What there is, each name once. */
typedef struct names {
    const char *items[128];
    size_t n;
} names;

static void add(names *list, const char *name) {
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->items[i], name))
            return;
    if (list->n < sizeof list->items / sizeof *list->items)
        list->items[list->n++] = name;
}

/* "c, simd, opencl"; what does not fit is counted. */
static const char *join(const names *list, char out[LIST]) {
    le__text text = le__text_in(out, LIST - 24);
    size_t i = 0;
    for (; i < list->n && text.n + strlen(list->items[i]) + 3 < text.size; i++)
        le__text_add(&text, "%s%s", i ? ", " : "", list->items[i]);
    text.size = LIST;
    if (i < list->n)
        le__text_add(&text, " and %zu more", list->n - i);
    return out;
}

static le_status none(const char *subject, const char *what, const char *forced,
                      const names *list) {
    char there[LIST];
    return le_fail(LE_ERR_NO_CANDIDATE,
                   "%.48s: there is no %s '%.48s', which is forced; there %s %s", subject, what,
                   forced, list->n == 1 ? "is" : "are", list->n ? join(list, there) : "none");
}

static le_status check_run_type(const char *subject, le__operation_entry *const *entries, size_t n,
                                const char *wanted) {
    names list = {.n = 0};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < entries[i]->n_implementations; k++) {
            if (!strcmp(entries[i]->implementations[k]->run_type, wanted))
                return LE_OK;
            add(&list, entries[i]->implementations[k]->run_type);
        }
    return none(subject, "run type", wanted, &list);
}

/* part: of n characters, "tile=8" */
static le_status check_part(const char *subject, const le_implementation *impl, const char *part,
                            size_t n) {
    char there[LIST], values[64][24];
    const size_t key = strcspn(part, "=,]");
    names list = {.n = 0};
    for (size_t i = 0; i < impl->n_tunables; i++) {
        const le_tunable *t = &impl->tunables[i];
        add(&list, t->name);
        if (strlen(t->name) != key || strncmp(t->name, part, key) != 0)
            continue;
        list.n = 0;
        for (size_t k = 0; k < t->n_values; k++) {
            char *value = values[k % 64];
            snprintf(value, sizeof values[0], "%lld", (long long)t->values[k]);
            if (key + 1 + strlen(value) == n && !strncmp(part + key + 1, value, strlen(value)))
                return LE_OK;
            if (k < 64)
                add(&list, value);
        }
        return le_fail(LE_ERR_NO_CANDIDATE, "%.48s: %.48s has no '%.*s'; %.48s is one of %s",
                       subject, impl->name, (int)(n < 48 ? n : 48), part, t->name,
                       join(&list, there));
    }
    if (impl->device == LE_DEVICE_CPU) {
        add(&list, "threads");
        add(&list, "schedule");
    }
    return le_fail(LE_ERR_NO_CANDIDATE, "%.48s: %.48s has no tunable '%.*s'; it has %s", subject,
                   impl->name, (int)(key < 48 ? key : 48), part,
                   list.n ? join(&list, there) : "none");
}

static bool is_of_engine(const char *part) { /* which depends on the machine */
    return !strncmp(part, "threads=", 8) || !strncmp(part, "schedule=", 9);
}

static le_status check_parts(const char *subject, const le_implementation *impl,
                             const char *wanted) {
    const char *part = strchr(wanted, '[');
    le_status status = LE_OK;
    for (; status == LE_OK && part && *part && *part != ']'; part += strcspn(part, ",]")) {
        const size_t n = strcspn(++part, ",]");
        if (n && !is_of_engine(part))
            status = check_part(subject, impl, part, n);
    }
    if (status == LE_OK && part && strcmp(part, "]") != 0)
        status =
            le_fail(LE_ERR_NO_CANDIDATE, "%.48s: '%.64s' has no ']' at its end; expected as %s",
                    subject, wanted, "avx2[threads=2,schedule=static]");
    return status;
}

/* wanted: "avx2", or a candidate, "avx2@cpu[threads=2]" */
static le_status check_implementation(const char *subject, le__operation_entry *const *entries,
                                      size_t n, const char *wanted) {
    names list = {.n = 0};
    le_status status = LE_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < entries[i]->n_implementations; k++) {
            const le_implementation *impl = entries[i]->implementations[k];
            add(&list, impl->name);
            if (!le__implementation_is_named(impl, wanted))
                continue;
            status = check_parts(subject, impl, wanted);
            if (status == LE_OK)
                return LE_OK;
        }
    if (status != LE_OK)
        return status;
    char there[LIST];
    return le_fail(LE_ERR_NO_CANDIDATE, "%.48s has no implementation '%.48s' here; it has %s",
                   subject, wanted, list.n ? join(&list, there) : "none");
}

static le_status check_device(const le_engine *e, const char *subject, const char *wanted) {
    names list = {.n = 0};
    for (int i = 0; i < e->n_devices; i++) {
        if (le__device_matches(&e->devices[i], wanted))
            return LE_OK;
        add(&list, e->devices[i].id);
    }
    return none(subject, "device", wanted, &list);
}

le_status le__named_check(const le_engine *engine, const char *subject,
                          le__operation_entry *const *entries, size_t n, const le__named *asked) {
    le_status status = LE_OK;
    if (asked->run_type)
        status = check_run_type(subject, entries, n, asked->run_type);
    if (status == LE_OK && asked->implementation)
        status = check_implementation(subject, entries, n, asked->implementation);
    if (status == LE_OK && asked->device)
        status = check_device(engine, subject, asked->device);
    return status;
}

le_status le__named_check_call(const le_call *call) {
    const le__forced forced = le__call_forces(call);
    const char *devices = call->engine->options.devices;
    le__named given = {.run_type = forced.run_type,
                       .implementation = forced.implementation,
                       .device = call->want.device ? call->want.device : devices};
    return le__named_check(call->engine, call->operation->name, &call->entry, 1, &given);
}

/* Whether no device of the kind is among those that the filter leaves. */
static bool excludes(const le_engine *e, const char *filter, le_device_kind kind) {
    return kind == LE_DEVICE_CPU ? !le__device_matches(&e->devices[0], filter)
                                 : filter && !strcmp(filter, "cpu");
}

static const char *excluding(const le_call *call, le_device_kind kind) {
    const char *const filters[] = {call->want.device, call->engine->options.devices};
    for (int i = 0; i < 2; i++)
        if (excludes(call->engine, filters[i], kind))
            return filters[i];
    return NULL;
}

static le_status apart_from_device(const le_call *call, const le__forced *forced,
                                   le_device_kind kind) {
    const char *name = forced->implementation ? forced->implementation : forced->run_type;
    return le_fail(LE_ERR_NO_CANDIDATE,
                   "%.48s: %s '%.48s' and device '%.48s' are forced, which exclude each other: the "
                   "first %s",
                   call->operation->name, forced->implementation ? "implementation" : "run type",
                   name, excluding(call, kind),
                   kind == LE_DEVICE_CPU ? "runs on the CPU" : "needs an OpenCL device");
}

le_status le__named_check_together(const le_call *call) {
    const le__forced forced = le__call_forces(call);
    const le_implementation *named = NULL, *both = NULL;
    if (!forced.run_type && !forced.implementation)
        return LE_OK;
    for (size_t i = 0; i < call->entry->n_implementations; i++) {
        const le_implementation *impl = call->entry->implementations[i];
        if (forced.implementation && !le__implementation_is_named(impl, forced.implementation))
            continue;
        named = impl;
        if (forced.run_type && strcmp(impl->run_type, forced.run_type) != 0)
            continue;
        both = impl;
        if (!excluding(call, impl->device))
            return LE_OK;
    }
    if (both)
        return apart_from_device(call, &forced, both->device);
    return le_fail(LE_ERR_NO_CANDIDATE,
                   "%.48s: run type '%.48s' and implementation '%.48s' are forced, which exclude "
                   "each other: the second has run type '%.48s'",
                   call->operation->name, forced.run_type, forced.implementation,
                   named ? named->run_type : "none");
}
