/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations and implementations by name.
 */
#include "call/registry.h"

#include "call/abi.h"

#include "core/error.h"

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
    static _Thread_local size_t last; /* where the one before was: most often it is asked again */
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
    if (!op->name || !op->check || !op->work || !op->args || op->n_args > LE_MAX_ARGS)
        return le_fail(LE_ERR_ARGUMENT,
                       "operation '%s': name, args (at most %d), check and work are needed",
                       op->name ? op->name : "", LE_MAX_ARGS);
    return LE_OK;
}

static bool grow(le__registry *r) {
    if (r->n < r->capacity)
        return true;
    size_t capacity = r->capacity ? 2 * r->capacity : 16;
    void *entries = realloc(r->entries, capacity * sizeof *r->entries);
    if (entries)
        r->entries = entries;
    void *operations = realloc(r->operations, capacity * sizeof *r->operations);
    if (operations)
        r->operations = operations;
    void *hashes = realloc(r->hashes, capacity * sizeof *r->hashes);
    if (hashes)
        r->hashes = hashes;
    if (!entries || !operations || !hashes)
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
    free(e->widened);
    if (e->release)
        e->release(e->data);
    free(e);
}

static le_status append(le__operation_entry *e, const le_implementation *impl,
                        const char *source_hash) {
    void *list =
        realloc(e->implementations, (e->n_implementations + 1) * sizeof *e->implementations);
    if (list)
        e->implementations = list;
    void *hashes = realloc(e->source_hashes, (e->n_implementations + 1) * sizeof *e->source_hashes);
    if (hashes)
        e->source_hashes = hashes;
    if (!list || !hashes)
        return le_fail(LE_ERR_MEMORY, "implementation '%s': out of memory", impl->name);
    e->implementations[e->n_implementations] = impl;
    e->source_hashes[e->n_implementations++] = source_hash;
    return LE_OK;
}

static const char *made_hash(const le_operation *op) {
    for (const le_builtin_operation *b = le_builtin_operations; b->operation; b++)
        if (b->operation == op)
            return b->made_hash;
    return le_maker_hash;
}

bool le__registry_is_builtin(const le__operation_entry *e, const le_implementation *impl) {
    const le_builtin_operation *b = le_builtin_operations;
    while (b->operation && b->operation != e->operation)
        b++;
    if (!b->operation)
        return false;
    for (size_t i = 0; le_builtin_implementations[i].implementation; i++)
        if (le_builtin_implementations[i].implementation == impl)
            return true;
    for (size_t i = 0; i < e->n_implementations; i++)
        if (e->implementations[i] == impl)
            return e->source_hashes[i] == b->made_hash; /* the very text: made by the engine */
    return false;
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
    le_status status = LE_OK;
    for (const le__maker *make = r->makers; *make; make++) {
        const le_implementation *from = (*make)(entry->operation, &n);
        for (size_t i = 0; status == LE_OK && i < n; i++, made++) {
            *made = from[i];
            made->operation = entry->operation->name;
            status = append(entry, made, made_hash(entry->operation));
        }
    }
    return status;
}

le_status le__registry_add_operation(le__registry *r, const le_operation *op) {
    le_status status = check_operation(op);
    if (status != LE_OK)
        return status;
    if (le__registry_find(r, op->name))
        return le_fail(LE_ERR_ARGUMENT, "operation '%s' is registered already", op->name);
    le__operation_entry *entry = calloc(1, sizeof *entry);
    if (!entry || !grow(r)) {
        free(entry);
        return le_fail(LE_ERR_MEMORY, "operation '%s': out of memory", op->name);
    }
    entry->operation = le__abi_operation(op, &entry->widened);
    entry->id = (uint32_t)r->n;
    status = entry->operation ? add_made(r, entry)
                              : le_fail(LE_ERR_MEMORY, "operation '%s': out of memory", op->name);
    if (status != LE_OK) {
        free_entry(entry);
        return status;
    }
    r->entries[r->n] = entry;
    r->hashes[r->n] = hash_name(op->name);
    r->operations[r->n++] = entry->operation;
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
    return LE_OK;
}

static le_status add_implementation(le__registry *r, const le_implementation *impl,
                                    const char *source_hash) {
    le_status status = check_implementation(impl);
    if (status != LE_OK)
        return status;
    le__operation_entry *e = le__registry_find(r, impl->operation);
    if (!e)
        return le_fail(LE_ERR_UNKNOWN, "implementation '%s': there is no operation '%s'",
                       impl->name, impl->operation);
    for (size_t i = 0; i < e->n_implementations; i++)
        if (!strcmp(e->implementations[i]->name, impl->name))
            return le_fail(LE_ERR_ARGUMENT, "%s: implementation '%s' is registered already",
                           impl->operation, impl->name);
    return append(e, impl, source_hash);
}

/* The entry's own copy of the hash; NULL when out of memory. */
static const char *own_hash(le__operation_entry *e, const le_implementation *impl) {
    void *list = realloc(e->own_hashes, (e->n_own_hashes + 1) * sizeof *e->own_hashes);
    if (!list)
        return NULL;
    e->own_hashes = list;
    char(*hash)[LE__SOURCE_HASH] = malloc(sizeof *hash);
    if (!hash)
        return NULL;
    le__source_hash(impl, *hash);
    e->own_hashes[e->n_own_hashes++] = hash;
    return *hash;
}

le_status le__registry_register(le__registry *r, const le_implementation *impl) {
    le_status status = check_implementation(impl);
    le__operation_entry *e = status == LE_OK ? le__registry_find(r, impl->operation) : NULL;
    const char *hash = e ? own_hash(e, impl) : "";
    if (!hash)
        return le_fail(LE_ERR_MEMORY, "implementation '%s': out of memory", impl->name);
    return status == LE_OK ? add_implementation(r, impl, hash) : status;
}

le_status le__registry_open(le__registry *r, const le__maker *makers) {
    le_status status = LE_OK;
    *r = (le__registry){.makers = makers};
    for (size_t i = 0; status == LE_OK && le_builtin_operations[i].operation; i++)
        status = le__registry_add_operation(r, le_builtin_operations[i].operation);
    for (size_t i = 0; status == LE_OK && le_builtin_implementations[i].implementation; i++)
        status = add_implementation(r, le_builtin_implementations[i].implementation,
                                    le_builtin_implementations[i].source_hash);
    if (status != LE_OK)
        le__registry_close(r);
    return status;
}

void le__registry_close(le__registry *r) {
    for (size_t i = 0; i < r->n; i++)
        free_entry(r->entries[i]);
    free(r->entries);
    free(r->operations);
    free(r->hashes);
    *r = (le__registry){0};
}
