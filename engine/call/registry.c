/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations and implementations by name.
 */
#include "call/registry.h"

#include "call/abi.h"
#include "call/candidate.h"

#include "core/array.h"
#include "core/error.h"
#include "core/text.h"
#include "core/thread_local.h"
#include "utf8.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_name(const char *name) { /* FNV-1a */
    uint64_t h = 14695981039346656037u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

static le__operation_entry *find(const le__registry *r, const char *name, size_t *at) {
    uint64_t hash = hash_name(name);
    for (*at = 0; *at < r->n; ++*at)
        if (r->hashes[*at] == hash && !strcmp(r->operations[*at]->name, name))
            return r->entries[*at];
    return NULL;
}

le__operation_entry *le__registry_find(const le__registry *r, const char *name) {
    static LE__THREAD_LOCAL size_t
        last; /* where the one before was: most often it is asked again */
    if (last < r->n && !strcmp(r->operations[last]->name, name))
        return r->entries[last];
    return find(r, name, &last);
}

static const char *name_at(const void *registry, size_t i) {
    return ((const le__registry *)registry)->operations[i]->name;
}

le_status le__registry_get(const le__registry *r, const char *name, le__operation_entry **out) {
    *out = name ? le__registry_find(r, name) : NULL;
    if (*out)
        return LE_OK;
    const char *near = name ? le__nearest(name, name_at, r, r->n) : NULL;
    return le_fail(LE_ERR_UNKNOWN, "there is no operation '%s'%s%s%s", name ? name : "(null)",
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static le_status check_operation(const le_operation *op) {
    le_status status = le__abi_check("operation", op ? op->abi : 0);
    if (status != LE_OK)
        return status;
    if (!op->name || !*op->name || !op->check || !op->work || !op->args || op->n_args > LE_MAX_ARGS)
        return le_fail(LE_ERR_ARGUMENT,
                       "operation '%s': name, args (at most %d), check and work are needed",
                       op->name ? op->name : "", LE_MAX_ARGS);
    if (!le__utf8_is_line(op->name))
        return le_fail(LE_ERR_ARGUMENT, "the name of an operation is not one line of UTF-8");
    return LE_OK;
}

static bool grow(le__registry *r) {
    if (r->n < r->capacity)
        return true;
    size_t capacity = r->capacity ? 2 * r->capacity : 16;
    if (!LE__ARRAY_RESIZE(r->entries, capacity) || !LE__ARRAY_RESIZE(r->operations, capacity) ||
        !LE__ARRAY_RESIZE(r->hashes, capacity))
        return false;
    r->capacity = capacity;
    return true;
}

static void free_entry(le__operation_entry *e) {
    free(e->implementations);
    free(e->source_hashes);
    free(e->made);
    for (size_t k = 0; k < e->n_own_hashes; k++)
        free(e->own_hashes[k]);
    free(e->own_hashes);
    for (size_t k = 0; k < e->n_widened_too; k++)
        free(e->widened_too[k]);
    free(e->widened_too);
    free(e->widened);
    if (e->release)
        e->release(e->data);
    free(e);
}

static le_status append(le__operation_entry *e, const le_implementation *impl,
                        const char *source_hash) {
    if (!LE__ARRAY_RESIZE(e->implementations, e->n_implementations + 1) ||
        !LE__ARRAY_RESIZE(e->source_hashes, e->n_implementations + 1))
        return le_fail(LE_ERR_MEMORY, "implementation '%s': out of memory", impl->name);
    e->implementations[e->n_implementations] = impl;
    e->source_hashes[e->n_implementations++] = source_hash;
    return LE_OK;
}

/* As the build's table has it; NULL: it is none of the library's own. */
static const le_builtin_operation *builtin(const le_operation *op) {
    for (const le_builtin_operation *b = le_builtin_operations; b->operation; b++)
        if (b->operation == op)
            return b;
    return NULL;
}

bool le__registry_is_builtin(const le__operation_entry *e, const le_implementation *impl) {
    const le_builtin_operation *b = builtin(e->operation);
    if (!b)
        return false;
    for (size_t i = 0; le_builtin_implementations[i].implementation; i++)
        if (le_builtin_implementations[i].implementation == impl)
            return true;
    for (size_t i = 0; i < e->n_implementations; i++)
        if (e->implementations[i] == impl)
            return e->source_hashes[i] == b->made_hash; /* the very text: made by the engine */
    return false;
}

static bool is_made(const le_implementation *impl) {
    return impl->flags & LE__IMPL_STAGED;
}

/* The implementations that the engine makes itself; the entry owns its copies. */
static le_status add_made(const le__registry *r, le__operation_entry *entry) {
    size_t n = 0, all = 0;
    for (const le__maker *make = r->makers; *make; make++, all += n)
        (*make)(entry->operation, &n);
    if (all == 0)
        return LE_OK;
    le_implementation *made = entry->made = malloc(all * sizeof *made);
    if (!made)
        return le_fail(LE_ERR_MEMORY, "operation '%s': out of memory", entry->operation->name);
    const le_builtin_operation *own = builtin(entry->operation);
    le_status status = LE_OK;
    for (const le__maker *make = r->makers; *make; make++) {
        const le_implementation *from = (*make)(entry->operation, &n);
        for (size_t i = 0; status == LE_OK && i < n; i++, made++) {
            *made = from[i];
            made->operation = entry->operation->name;
            status = append(entry, made, own ? own->made_hash : entry->made_hash);
        }
    }
    return status;
}

/* Room for one more entry that is no longer found by its name. */
static bool grow_retired(le__registry *r) {
    return LE__ARRAY_RESIZE(r->retired, r->n_retired + 1);
}

/* Puts the entry in the place of another one, or behind all. There is room. */
static void put_entry(le__registry *r, le__operation_entry *entry, size_t at) {
    entry->id = r->n_ids++;
    if (at < r->n) {
        r->retired[r->n_retired++] = r->entries[at];
    } else {
        r->n++;
    }
    r->entries[at] = entry;
    r->hashes[at] = hash_name(entry->operation->name);
    r->operations[at] = entry->operation;
}

/* Arguments are told apart by their names. Those of earlier ABIs have another size: after
 * widening. */
static le_status check_arguments(const le_operation *op) {
    for (size_t i = 0; i < op->n_args; i++) {
        const char *name = op->args[i].name;
        if (!name || !*name)
            return le_fail(LE_ERR_ARGUMENT, "operation '%s': argument %zu has no name", op->name,
                           i);
        if (op->args[i].type < LE_TYPE_IN || op->args[i].type > LE_TYPE_TABLE)
            return le_fail(LE_ERR_ARGUMENT, "operation '%s': argument '%s' has no known type",
                           op->name, name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(op->args[k].name, name) == 0)
                return le_fail(LE_ERR_ARGUMENT, "operation '%s': two arguments are called '%s'",
                               op->name, name);
    }
    return LE_OK;
}

static le_status fill_entry(const le__registry *r, le__operation_entry *entry,
                            const le_operation *op) {
    entry->operation = le__abi_operation(op, &entry->widened);
    if (!entry->operation)
        return le_fail(LE_ERR_MEMORY, "operation '%s': out of memory", op->name);
    le_status status = check_arguments(entry->operation);
    return status == LE_OK ? add_made(r, entry) : status;
}

/* Replaces an entry by another one that lacks an implementation: whoever named it in choices and
 * plans goes on with the entry that there was. NULL: out of memory, and nothing has changed. */
static le__operation_entry *renew_without(le__registry *r, size_t at,
                                          const le_implementation *but) {
    le__operation_entry *old = r->entries[at], *entry = calloc(1, sizeof *entry);
    if (!entry || !grow_retired(r)) {
        free(entry);
        return NULL;
    }
    entry->operation = old->operation;
    entry->data = old->data;
    le_status status = add_made(r, entry);
    for (size_t i = 0; status == LE_OK && i < old->n_implementations; i++)
        if (old->implementations[i] != but && !is_made(old->implementations[i]))
            status = append(entry, old->implementations[i], old->source_hashes[i]);
    if (status != LE_OK) {
        free_entry(entry);
        return NULL;
    }
    put_entry(r, entry, at);
    return entry;
}

/* Of all implementations that programs have registered, in whatever order. */
static uint64_t hash_of_others(const le__registry *r) {
    uint64_t sum = 0;
    for (size_t i = 0; i < r->n; i++) {
        const le__operation_entry *e = r->entries[i];
        for (size_t k = 0; k < e->n_implementations; k++) {
            const le_implementation *impl = e->implementations[k];
            const char *parts[] = {e->operation->name, impl->name, e->source_hashes[k]};
            uint64_t hash = 0;
            if (is_made(impl) || le__registry_is_builtin(e, impl))
                continue;
            for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
                hash = XXH64(parts[p], strlen(parts[p]), hash);
            sum += hash;
        }
    }
    return sum;
}

void le__registry_ask(const le__registry *r, le__operation_entry *entry) {
    char own[LE__SOURCE_HASH] = "";
    uint64_t hash = 0;
    if (entry->asked_for)
        return;
    entry->asked_for = true;
    if (builtin(entry->operation)) /* the build knows their sources */
        return;
    if (entry->operation->expand) {
        le__object_hash((void (*)(void))entry->operation->expand, own);
        hash = hash_of_others(r);
    }
    hash = XXH64(le_maker_hash, strlen(le_maker_hash), hash);
    snprintf(entry->made_hash, sizeof entry->made_hash, "m%016" PRIx64,
             (uint64_t)XXH64(own, strlen(own), hash));
}

/* Before implementations change: of composite operations, whose steps they are, nothing is to be
 * known. */
static le_status renew_composites(le__registry *r) {
    for (size_t i = 0; i < r->n; i++)
        if (r->operations[i]->expand && r->entries[i]->asked_for && !renew_without(r, i, NULL))
            return le_fail(LE_ERR_MEMORY, "operation '%s': out of memory", r->operations[i]->name);
    return LE_OK;
}

le_status le__registry_add_operation(le__registry *r, const le_operation *op) {
    size_t at;
    le_status status = check_operation(op);
    if (status != LE_OK)
        return status;
    le__operation_entry *before = find(r, op->name, &at);
    if (before && builtin(before->operation))
        return le_fail(LE_ERR_ARGUMENT, "operation '%s' is the library's own", op->name);
    status = renew_composites(r);
    if (status != LE_OK)
        return status;
    le__operation_entry *entry = calloc(1, sizeof *entry);
    if (!entry || !(before ? grow_retired(r) : grow(r))) {
        free(entry);
        return le_fail(LE_ERR_MEMORY, "operation '%s': out of memory", op->name);
    }
    status = fill_entry(r, entry, op);
    if (status == LE_OK)
        put_entry(r, entry, at);
    else
        free_entry(entry);
    return status;
}

/* Callers force a run type, and cautious calls trust one, by its name: a misspelt one would be
 * found by nobody. */
static le_status check_run_type(const le_implementation *impl) {
    static const char *const known[] = {"reference", "c",      "simd",  "exact", "fused",
                                        "opencl",    "staged", "numpy", "numba"};
    enum { N = sizeof known / sizeof *known };
    char there[128];
    le__text list = le__text_in(there, sizeof there);
    for (size_t i = 0; i < N; i++) {
        if (!strcmp(impl->run_type, known[i]))
            return LE_OK;
        le__text_add(&list, "%s%s", i ? ", " : "", known[i]);
    }
    return le_fail(LE_ERR_ARGUMENT,
                   "implementation '%.48s': there is no run type '%.48s'; there are %s", impl->name,
                   impl->run_type, there);
}

static le_status check_tunables(const le_implementation *impl) {
    if (impl->n_tunables > LE__MAX_TUNABLES || (impl->n_tunables && !impl->tunables))
        return le_fail(LE_ERR_ARGUMENT, "implementation '%.48s': %zu tunables%s; 0 to %d can be",
                       impl->name, impl->n_tunables, impl->tunables ? "" : " at no address",
                       LE__MAX_TUNABLES);
    for (size_t i = 0; i < impl->n_tunables; i++) {
        const le_tunable *t = &impl->tunables[i];
        if (!t->name || !t->values || t->n_values == 0)
            return le_fail(LE_ERR_ARGUMENT,
                           "implementation '%.48s': tunable %zu ('%.48s') needs a name and values",
                           impl->name, i, t->name ? t->name : "");
    }
    return LE_OK;
}

static le_status check_variants(const le_implementation *impl) {
    size_t n = 1;
    for (size_t i = 0; i < impl->n_tunables && n <= LE__MAX_VARIANTS; i++)
        n *= impl->tunables[i].n_values;
    if (n > LE__MAX_VARIANTS)
        return le_fail(LE_ERR_ARGUMENT,
                       "implementation '%.48s': its tunables have more than %d combinations of "
                       "values, at most so many are tried; give fewer values",
                       impl->name, LE__MAX_VARIANTS);
    return LE_OK;
}

/* A candidate is told from others by its text: all of it must be there. */
static le_status check_text(const le_implementation *impl) {
    static const char rest[] = "@opencl:31[threads=4095,schedule=dynamic,]";
    size_t n = strlen(impl->name) + sizeof rest;
    for (size_t i = 0; i < impl->n_tunables; i++) {
        const le_tunable *t = &impl->tunables[i];
        int longest = 0;
        for (size_t k = 0; k < t->n_values; k++) {
            const int digits = snprintf(NULL, 0, "=%lld,", (long long)t->values[k]);
            longest = digits > longest ? digits : longest;
        }
        n += strlen(t->name) + (size_t)longest;
    }
    if (n > LE__CANDIDATE_TEXT)
        return le_fail(LE_ERR_ARGUMENT,
                       "implementation '%.48s': a candidate of it takes %zu characters with the "
                       "names and values of its tunables, at most %d are possible",
                       impl->name, n - 1, LE__CANDIDATE_TEXT - 1);
    return LE_OK;
}

static le_status check_implementation(const le_implementation *impl) {
    le_status status = le__abi_check("implementation", impl ? impl->abi : 0);
    if (status != LE_OK)
        return status;
    bool range = impl->range && impl->items && impl->device == LE_DEVICE_CPU;
    if (!impl->operation || !impl->name || !impl->run_type || (!impl->run && !range))
        return le_fail(LE_ERR_ARGUMENT,
                       "implementation '%s': operation, name, run_type and run (or items and "
                       "range) are needed",
                       impl->name ? impl->name : "");
    if (!le__utf8_is_line(impl->name) || strpbrk(impl->name, "@[]"))
        return le_fail(LE_ERR_ARGUMENT,
                       "the name of an implementation of '%.48s' is not one line of UTF-8 without "
                       "'@', '[' and ']', which stand in names of candidates",
                       impl->operation);
    status = check_tunables(impl);
    if (status == LE_OK)
        status = check_variants(impl);
    if (status == LE_OK)
        status = check_text(impl);
    return status == LE_OK ? check_run_type(impl) : status;
}

static const le_implementation *find_implementation(const le__operation_entry *e,
                                                    const char *name) {
    for (size_t i = 0; i < e->n_implementations; i++)
        if (!strcmp(e->implementations[i]->name, name))
            return e->implementations[i];
    return NULL;
}

static le_status add_builtin(le__registry *r, const le_builtin_implementation *b) {
    le_status status = check_implementation(b->implementation);
    le__operation_entry *e =
        status == LE_OK ? le__registry_find(r, b->implementation->operation) : NULL;
    return e ? append(e, b->implementation, b->source_hash) : status;
}

/* The entry's own copy of the hash; NULL when out of memory. */
static const char *own_hash(le__operation_entry *e, const le_implementation *impl) {
    if (!LE__ARRAY_RESIZE(e->own_hashes, e->n_own_hashes + 1))
        return NULL;
    char(*hash)[LE__SOURCE_HASH] = malloc(sizeof *hash);
    if (!hash)
        return NULL;
    le__source_hash(impl, *hash);
    e->own_hashes[e->n_own_hashes++] = hash;
    return *hash;
}

/* The implementation as this engine knows it, owned by the entry where it is a copy. */
static const le_implementation *widen(le__operation_entry *e, const le_implementation *impl) {
    void *owned;
    if (!LE__ARRAY_RESIZE(e->widened_too, e->n_widened_too + 1))
        return NULL;
    const le_implementation *whole = le__abi_implementation(impl, &owned);
    if (owned)
        e->widened_too[e->n_widened_too++] = owned;
    return whole;
}

/* The entry that takes an implementation of this name: where there is one already, another entry
 * without that. */
static le_status entry_for(le__registry *r, const le_implementation *impl,
                           le__operation_entry **out) {
    size_t at;
    le__operation_entry *e = *out = find(r, impl->operation, &at);
    if (!e)
        return le_fail(LE_ERR_UNKNOWN, "implementation '%s': there is no operation '%s'",
                       impl->name, impl->operation);
    const le_implementation *before = find_implementation(e, impl->name);
    if (before && le__registry_is_builtin(e, before))
        return le_fail(LE_ERR_ARGUMENT, "%s: implementation '%s' is the library's own",
                       impl->operation, impl->name);
    if (before && is_made(before))
        return le_fail(LE_ERR_ARGUMENT, "%s: the engine makes implementation '%s' itself",
                       impl->operation, impl->name);
    if (before)
        *out = renew_without(r, at, before);
    return *out ? LE_OK : le_fail(LE_ERR_MEMORY, "implementation '%s': out of memory", impl->name);
}

le_status le__registry_register(le__registry *r, const le_implementation *impl) {
    le__operation_entry *e;
    le_status status = check_implementation(impl);
    if (status == LE_OK)
        status = renew_composites(r);
    if (status == LE_OK)
        status = entry_for(r, impl, &e);
    if (status != LE_OK)
        return status;
    const le_implementation *whole = widen(e, impl);
    const char *hash = whole ? own_hash(e, whole) : NULL;
    return hash ? append(e, whole, hash)
                : le_fail(LE_ERR_MEMORY, "implementation '%s': out of memory", impl->name);
}

le_status le__registry_drop_operation(le__registry *r, const char *name) {
    size_t at;
    le__operation_entry *e;
    le_status status = le__registry_get(r, name, &e);
    if (status != LE_OK)
        return status;
    if (builtin(e->operation))
        return le_fail(LE_ERR_ARGUMENT, "operation '%s' is the library's own", name);
    status = renew_composites(r);
    if (status != LE_OK)
        return status;
    if (!grow_retired(r))
        return le_fail(LE_ERR_MEMORY, "operation '%s': out of memory", name);
    r->retired[r->n_retired++] = find(r, name, &at);
    r->n--;
    memmove(r->entries + at, r->entries + at + 1, (r->n - at) * sizeof *r->entries);
    memmove(r->operations + at, r->operations + at + 1, (r->n - at) * sizeof *r->operations);
    memmove(r->hashes + at, r->hashes + at + 1, (r->n - at) * sizeof *r->hashes);
    return LE_OK;
}

le_status le__registry_drop_implementation(le__registry *r, const char *operation,
                                           const char *name) {
    size_t at;
    le__operation_entry *e;
    le_status status = le__registry_get(r, operation, &e);
    const le_implementation *impl = status == LE_OK && name ? find_implementation(e, name) : NULL;
    if (status != LE_OK)
        return status;
    if (!impl)
        return le_fail(LE_ERR_UNKNOWN, "%s: there is no implementation '%s'", operation,
                       name ? name : "(null)");
    if (le__registry_is_builtin(e, impl) || is_made(impl))
        return le_fail(LE_ERR_ARGUMENT, "%s: implementation '%s' is the library's own", operation,
                       name);
    status = renew_composites(r);
    if (status != LE_OK)
        return status;
    find(r, operation, &at);
    return renew_without(r, at, impl)
               ? LE_OK
               : le_fail(LE_ERR_MEMORY, "implementation '%s': out of memory", name);
}

le_status le__registry_open(le__registry *r, const le__maker *makers) {
    le_status status = LE_OK;
    *r = (le__registry){.makers = makers};
    for (size_t i = 0; status == LE_OK && le_builtin_operations[i].operation; i++)
        status = le__registry_add_operation(r, le_builtin_operations[i].operation);
    for (size_t i = 0; status == LE_OK && le_builtin_implementations[i].implementation; i++)
        status = add_builtin(r, &le_builtin_implementations[i]);
    if (status != LE_OK)
        le__registry_close(r);
    return status;
}

static int by_age(const void *a, const void *b) {
    const le__operation_entry *const *x = a, *const *y = b;
    return ((*x)->id < (*y)->id) - ((*x)->id > (*y)->id);
}

/* The newest first: a chain that is an operation refers to those that were there before it. */
void le__registry_close(le__registry *r) {
    if (r->n)
        qsort(r->entries, r->n, sizeof *r->entries, by_age);
    if (r->n_retired)
        qsort(r->retired, r->n_retired, sizeof *r->retired, by_age);
    for (size_t i = 0, k = 0; i < r->n || k < r->n_retired;) {
        bool retired = k < r->n_retired && (i == r->n || r->retired[k]->id > r->entries[i]->id);
        free_entry(retired ? r->retired[k++] : r->entries[i++]);
    }
    free(r->retired);
    free(r->entries);
    free(r->operations);
    free(r->hashes);
    *r = (le__registry){0};
}
