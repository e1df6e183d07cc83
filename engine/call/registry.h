/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operations and implementations that an engine knows: the built-in tables, then what was
 * registered at run time. Look-ups take no lock: registering must not overlap other use
 * (le_method.h).
 */
#ifndef LE_REGISTRY_H
#define LE_REGISTRY_H

#include "call/source.h"

typedef struct le_builtin_implementation {
    const le_implementation *implementation;
    const char *source_hash;
} le_builtin_implementation;

/* Written by the build; NULL-ended. */
extern const le_operation *const le_builtin_operations[];
extern const le_builtin_implementation le_builtin_implementations[];

typedef struct le__operation_entry {
    const le_operation *operation;
    const le_implementation **implementations;
    const char **source_hashes; /* same order */
    size_t n_implementations;
    char (**own_hashes)[LE__SOURCE_HASH]; /* of those registered at run time */
    size_t n_own_hashes;
    le_implementation *made; /* owned: those that the engine adds (staged, in slabs) */
    void *chain;             /* owned: what a chain registered as an operation needs */
    uint32_t id;             /* index in the registry */
} le__operation_entry;

typedef struct le__registry {
    le__operation_entry **entries; /* pointers stay valid when the registry grows */
    const le_operation **operations;
    size_t n, capacity;
} le__registry;

le_status le__registry_open(le__registry *r); /* built-in tables */
void le__registry_close(le__registry *r);
/* NULL when unknown. */
le__operation_entry *le__registry_find(const le__registry *r, const char *name);
le_status le__registry_add_operation(le__registry *r, const le_operation *operation);
le_status le__registry_add_implementation(le__registry *r, const le_implementation *implementation,
                                          const char *source_hash);
/* For those registered at run time. */
le_status le__registry_register(le__registry *r, const le_implementation *implementation);
/* The known name nearest to `name` in edit distance; NULL when none is near. */
const char *le__registry_nearest(const le__registry *r, const char *name);

#endif
