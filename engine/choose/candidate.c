/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Making the candidates of an operation, and asking whether one may answer a call.
 */
#include "choose/candidate.h"

#include "engine.h"
#include "opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MAX_VARIANTS = 96 }; /* of one implementation on one device */

typedef struct list {
    le__candidate *items;
    size_t n, capacity;
} list;

static le__candidate *append(list *l) {
    if (l->n == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 32;
        void *items = realloc(l->items, capacity * sizeof *l->items);
        if (!items)
            return NULL;
        l->items = items;
        l->capacity = capacity;
    }
    l->items[l->n] = (le__candidate){0};
    return &l->items[l->n++];
}

static void describe(le__candidate *c) {
    const le_implementation *impl = c->implementation;
    int n = snprintf(c->text, sizeof c->text, "%s@%s[", impl->name, c->device->id);
    size_t size = sizeof c->text;
    bool cpu = c->device->kind == LE_DEVICE_CPU;
    if (cpu && !(impl->flags & LE_IMPL_SERIAL))
        n += snprintf(c->text + n, size - (size_t)n, "threads=%d,schedule=%s,", c->threads,
                      le__schedule_names[c->schedule]);
    for (size_t i = 0; i < impl->n_tunables && (size_t)n < size - 32; i++)
        n += snprintf(c->text + n, size - (size_t)n, "%.16s=%lld,", impl->tunables[i].name,
                      (long long)c->params[i]);
    c->text[n - 1] = c->text[n - 1] == ',' ? ']' : '\0';
}

static void identify(le__candidate *c) {
    XXH64_state_t *state = XXH64_createState();
    if (!state)
        return;
    const le_implementation *impl = c->implementation;
    XXH64_reset(state, 0);
    XXH64_update(state, impl->operation, strlen(impl->operation) + 1);
    XXH64_update(state, c->text, strlen(c->text) + 1);
    if (c->device->kind == LE_DEVICE_OPENCL)
        XXH64_update(state, c->device->name, strlen(c->device->name));
    c->id = XXH64_digest(state);
    XXH64_freeState(state);
}

/* Sets params to combination number k; false when there is none. Number 0 is all defaults. */
static bool combination(const le_implementation *impl, size_t k, int64_t *params) {
    for (size_t i = 0; i < impl->n_tunables; i++) {
        const le_tunable *t = &impl->tunables[i];
        size_t first = 0;
        while (first < t->n_values && t->values[first] != t->default_value)
            first++;
        params[i] = t->values[(first + k % t->n_values) % t->n_values];
        k /= t->n_values;
    }
    return k == 0;
}

static bool add_variants(list *l, const le_implementation *impl, const char *hash, le__device *d,
                         int threads, le__schedule schedule) {
    int64_t params[LE__MAX_TUNABLES] = {0};
    for (size_t k = 0; k < MAX_VARIANTS && combination(impl, k, params); k++) {
        le__candidate *c = append(l);
        if (!c)
            return false;
        c->implementation = impl;
        c->source_hash = hash;
        c->device = d;
        c->threads = threads;
        c->schedule = schedule;
        memcpy(c->params, params, sizeof params);
        describe(c);
        identify(c);
    }
    return true;
}

static bool add_cpu(list *l, le_engine *e, const le_implementation *impl, const char *hash) {
    int n = le__pool_max_threads(e->pool);
    le__device *cpu = &e->devices[0];
    if (n == 1 || impl->flags & LE_IMPL_SERIAL)
        return add_variants(l, impl, hash, cpu, 1, LE__SCHEDULE_NONE);
    return add_variants(l, impl, hash, cpu, n, LE__SCHEDULE_DYNAMIC) &&
           add_variants(l, impl, hash, cpu, n, LE__SCHEDULE_STATIC) &&
           add_variants(l, impl, hash, cpu, n, LE__SCHEDULE_GUIDED) &&
           add_variants(l, impl, hash, cpu, 1, LE__SCHEDULE_NONE);
}

le_status le__candidates_make(le_engine *e, const le__operation_entry *entry, le__candidate **out,
                              size_t *n) {
    list l = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < entry->n_implementations; i++) {
        const le_implementation *impl = entry->implementations[i];
        if (impl->device == LE_DEVICE_CPU)
            ok = add_cpu(&l, e, impl, entry->source_hashes[i]);
        else
            for (int d = 1; ok && d < e->n_devices; d++)
                ok = add_variants(&l, impl, entry->source_hashes[i], &e->devices[d], 1,
                                  LE__SCHEDULE_NONE);
    }
    if (!ok) {
        free(l.items);
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", entry->operation->name);
    }
    *out = l.items;
    *n = l.n;
    return LE_OK;
}

/* A forced implementation is given as "avx2", "avx2[threads=2]" or "avx2@cpu[...]": a name, then
 * parts that must all be in the candidate's text. */
bool le__candidate_is_named(const le__candidate *c, const char *want) {
    size_t n = strcspn(want, "@[");
    if (strlen(c->implementation->name) != n || strncmp(c->implementation->name, want, n) != 0)
        return false;
    const char *rest = want + n;
    if (*rest == '@') {
        size_t m = strcspn(rest + 1, "[");
        if (strlen(c->device->id) != m || strncmp(c->device->id, rest + 1, m) != 0)
            return false;
        rest += 1 + m;
    }
    while (*rest == '[' || *rest == ',') {
        size_t m = strcspn(++rest, ",]");
        const char *at = strchr(c->text, '[');
        bool found = m == 0;
        while (at && !found) {
            at++;
            found = strcspn(at, ",]") == m && !strncmp(at, rest, m);
            at = strchr(at, ',');
        }
        if (!found)
            return false;
        rest += m;
    }
    return true;
}

static bool device_fits(const le__candidate *c, const char **why) {
    const le_implementation *impl = c->implementation;
    if (atomic_load(&c->device->lost)) {
        *why = "the device was lost";
        return false;
    }
    if (c->device->kind != LE_DEVICE_OPENCL)
        return true;
    const le_cl_info *info = le__cl_device_info(c->device->cl);
    if (impl->flags & LE_IMPL_NEEDS_IMAGES && !info->has_images) {
        *why = "the device has no images";
        return false;
    }
    if (impl->flags & LE_IMPL_NEEDS_F64 && !info->has_f64) {
        *why = "the device has no double precision";
        return false;
    }
    return true;
}

static bool memory_fits(const le__candidate *c, const le_call *call, const char **why) {
    if (!c->implementation->memory)
        return true;
    int64_t need = c->implementation->memory(call);
    int64_t limit = call->want.memory_limit;
    int64_t engine_limit = call->engine->options.memory_limit_bytes;
    *why = "needs more working memory than allowed";
    if (limit && need > limit)
        return false;
    return !(c->device->kind == LE_DEVICE_CPU && engine_limit && need > engine_limit);
}

const char *le__candidate_forced(const le_call *call) {
    const char *wanted = call->want.implementation;
    return wanted || call->step ? wanted : call->engine->options.implementation;
}

static bool is_wanted(const le__candidate *c, const le_call *call, const char **why) {
    const le_options *o = &call->engine->options;
    const le__constraint *w = &call->want;
    const char *run_type = w->run_type || call->step ? w->run_type : o->run_type;
    const char *implementation = le__candidate_forced(call);
    *why = "another run type is forced";
    if (run_type && strcmp(run_type, c->implementation->run_type) != 0)
        return false;
    *why = "another implementation is forced";
    if (implementation && !le__candidate_is_named(c, implementation))
        return false;
    *why = "the device is not allowed";
    if (!le__device_matches(c->device, o->devices) || !le__device_matches(c->device, w->device))
        return false;
    *why = "the result depends on the thread count";
    return !w->reproducible || c->implementation->flags & (LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL);
}

bool le__candidate_applies(const le__candidate *c, const le_call *call, const char **why) {
    if (c->implementation->isa & ~call->engine->isa) {
        *why = "the CPU lacks an instruction set";
        return false;
    }
    if (!is_wanted(c, call, why) || !device_fits(c, why) || !memory_fits(c, call, why))
        return false;
    *why = "not applicable";
    return !c->implementation->applicable || c->implementation->applicable(call, why);
}
