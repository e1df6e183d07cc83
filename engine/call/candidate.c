/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Making the candidates of an operation, and asking whether one may answer a call.
 */
#include "call/candidate.h"

#include "call/engine.h"
#include "core/array.h"
#include "core/text.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct list {
    le__candidate *items;
    size_t n, capacity;
} list;

static le__candidate *append(list *l) {
    if (!LE__ARRAY_ROOM(l->items, l->n, l->capacity))
        return NULL;
    l->items[l->n] = (le__candidate){0};
    return &l->items[l->n++];
}

static void describe(le__candidate *c) {
    const le_implementation *impl = c->implementation;
    le__text t = le__text_in(c->text, sizeof c->text);
    bool cpu = c->device->kind == LE_DEVICE_CPU;
    le__text_add(&t, "%s@%s[", impl->name, c->device->id);
    if (cpu && !(impl->flags & LE_IMPL_SERIAL))
        le__text_add(&t, "threads=%d,schedule=%s,", c->threads, le__schedule_names[c->schedule]);
    for (size_t i = 0; i < impl->n_tunables; i++)
        le__text_add(&t, "%s=%lld,", impl->tunables[i].name, (long long)c->params[i]);
    c->text[t.n - 1] = c->text[t.n - 1] == ',' ? ']' : '\0';
}

static void identify(le__candidate *c) {
    const le_implementation *impl = c->implementation;
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    XXH64_update(&state, impl->operation, strlen(impl->operation) + 1);
    XXH64_update(&state, c->text, strlen(c->text) + 1);
    if (c->device->kind == LE_DEVICE_OPENCL)
        XXH64_update(&state, c->device->name, strlen(c->device->name));
    c->id = XXH64_digest(&state);
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
    for (size_t k = 0; combination(impl, k, params); k++) {
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

/* The schedule that loses least by a worker that comes late goes first: it is tried first, and
 * answers where the others are not surely better. */
static bool add_cpu(list *l, le_engine *e, const le_implementation *impl, const char *hash) {
    int n = le__pool_max_threads(e->pool);
    le__device *cpu = &e->devices[0];
    if (n == 1 || impl->flags & LE_IMPL_SERIAL)
        return add_variants(l, impl, hash, cpu, 1, LE__SCHEDULE_NONE);
    return add_variants(l, impl, hash, cpu, n, LE__SCHEDULE_GUIDED) &&
           add_variants(l, impl, hash, cpu, n, LE__SCHEDULE_DYNAMIC) &&
           add_variants(l, impl, hash, cpu, n, LE__SCHEDULE_STATIC) &&
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

bool le__implementation_is_named(const le_implementation *implementation, const char *want) {
    size_t n = strcspn(want, "@[");
    return !strncmp(implementation->name, want, n) && !implementation->name[n];
}

bool le__candidate_is_named(const le__candidate *c, const char *want) {
    if (!le__implementation_is_named(c->implementation, want))
        return false;
    const char *rest = want + strcspn(want, "@[");
    if (*rest == '@') {
        size_t m = strcspn(rest + 1, "[");
        if (strlen(c->device->id) != m || strncmp(c->device->id, rest + 1, m) != 0)
            return false;
        rest += 1 + m;
    }
    const bool listed = *rest == '[';
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
    return !strcmp(rest, listed ? "]" : "");
}

static bool has_f64_tensor(const le_call *call) {
    for (size_t a = 0; a < call->operation->n_args; a++)
        if (le__call_has_tensor(call, a) && call->args[a].tensor.dtype == LE_F64)
            return true;
    return false;
}

static bool device_fits(const le_implementation *impl, le__device *d, const le_call *call,
                        const char **why) {
    *why = "the device was lost";
    if (atomic_load(&d->lost))
        return false;
    if (d->kind != LE_DEVICE_OPENCL)
        return true;
    const le_cl_info *info = d->info;
    *why = "the device has no images";
    if (impl->flags & LE_IMPL_NEEDS_IMAGES && !info->has_images)
        return false;
    *why = "the device has no double precision";
    return info->has_f64 || !(impl->flags & LE_IMPL_NEEDS_F64 ||
                              (has_f64_tensor(call) && !(impl->flags & LE_IMPL_F64_ANYWHERE)));
}

/* The same call on that device. */
static void place(const le_call *call, const le_implementation *impl, le__device *device,
                  le_call *there) {
    memcpy(there, call, offsetof(le_call, args) + call->operation->n_args * sizeof call->args[0]);
    there->device = device;
    there->implementation = impl;
}

bool le__implementation_takes(const le_implementation *impl, le__device *device,
                              const le_call *call, const char **why) {
    *why = "the CPU lacks an instruction set";
    if (impl->isa & ~call->engine->isa || !device_fits(impl, device, call, why))
        return false;
    if (!impl->applicable)
        return true;
    le_call there;
    place(call, impl, device, &there);
    static const char unsaid[] = "not applicable";
    *why = unsaid;
    bool takes = impl->applicable(&there, why);
    *why = *why ? *why : unsaid;
    return takes;
}

/* What is left for the host beside another device is no variant to choose: all threads do it. */
int le__candidate_threads(const le__candidate *c, const le_call *call) {
    return c->device->kind == LE_DEVICE_CPU ? c->threads : le__pool_max_threads(call->engine->pool);
}

int64_t le__candidate_memory(const le__candidate *c, const le_call *call) {
    le_call there;
    if (!c->implementation->memory)
        return 0;
    place(call, c->implementation, c->device, &there);
    there.threads = le__candidate_threads(c, call);
    memcpy(there.params, c->params, sizeof there.params);
    return c->implementation->memory(&there);
}

static bool memory_fits(const le__candidate *c, const le_call *call, const char **why) {
    int64_t limit = call->want.memory_limit;
    int64_t engine_limit = call->engine->options.memory_limit_bytes;
    if (!limit && !engine_limit)
        return true;
    int64_t need = le__candidate_memory(c, call);
    *why = "needs more working memory than allowed";
    if (limit && need > limit)
        return false;
    return !(c->device->kind == LE_DEVICE_CPU && engine_limit && need > engine_limit);
}

le__forced le__call_forces(const le_call *call) {
    const le__constraint *w = &call->want;
    const le_options *o = &call->engine->options;
    return w->run_type || w->implementation || call->step
               ? (le__forced){w->run_type, w->implementation}
               : (le__forced){o->run_type, o->implementation};
}

static const char other_run_type[] = "another run type is forced";
static const char other_implementation[] = "another implementation is forced";
static const char other_variant[] = "another variant of it is forced";
static const char other_device[] = "the device is not allowed";

bool le__candidate_is_unwanted(const char *why) {
    return why == other_run_type || why == other_implementation || why == other_variant ||
           why == other_device;
}

bool le__device_wanted(const le__device *d, const le__constraint *want) {
    return (!want->places || want->places >> d->index & 1) && le__device_matches(d, want->device);
}

static bool is_wanted(const le__candidate *c, const le_call *call, const char **why) {
    const le_options *o = &call->engine->options;
    const le__constraint *w = &call->want;
    const le__forced forced = le__call_forces(call);
    *why = other_run_type;
    if (forced.run_type && strcmp(forced.run_type, c->implementation->run_type) != 0)
        return false;
    const char *wanted = forced.implementation;
    *why = wanted && le__implementation_is_named(c->implementation, wanted) ? other_variant
                                                                            : other_implementation;
    if (wanted && !le__candidate_is_named(c, wanted))
        return false;
    *why = other_device;
    if (!le__device_matches(c->device, o->devices) || !le__device_wanted(c->device, w))
        return false;
    *why = "the result depends on the thread count";
    return !w->reproducible || c->implementation->flags & (LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL);
}

bool le__candidate_can(const le__candidate *c, const le_call *call, const char **why) {
    /* in this order: what `memory` runs has the instruction set of its implementation */
    return le__implementation_takes(c->implementation, c->device, call, why) &&
           memory_fits(c, call, why);
}

bool le__candidate_applies(const le__candidate *c, const le_call *call, const char **why) {
    return is_wanted(c, call, why) && le__candidate_can(c, call, why);
}

bool le__reference_candidate(le_engine *engine, const le__operation_entry *entry,
                             le__candidate *out) {
    for (size_t i = 0; i < entry->n_implementations; i++) {
        const le_implementation *impl = entry->implementations[i];
        if (!(impl->flags & LE_IMPL_REFERENCE) || impl->device != LE_DEVICE_CPU)
            continue;
        bool serial = impl->flags & LE_IMPL_SERIAL;
        *out = (le__candidate){.implementation = impl,
                               .device = &engine->devices[0],
                               .threads = serial ? 1 : le__pool_max_threads(engine->pool),
                               .schedule = serial ? LE__SCHEDULE_NONE : LE__SCHEDULE_DYNAMIC};
        for (size_t k = 0; k < impl->n_tunables; k++)
            out->params[k] = impl->tunables[k].default_value;
        snprintf(out->text, sizeof out->text, "%s@cpu", impl->name);
        return true;
    }
    return false;
}
