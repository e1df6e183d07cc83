/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operations and implementations that an engine knows: the built-in tables, then what was
 * registered at run time. Look-ups take no lock: registering must not overlap other use
 * (le_method.h).
 */
#ifndef LE_REGISTRY_H
#define LE_REGISTRY_H

#include "call/rows.h"
#include "call/source.h"

typedef struct le_builtin_implementation {
    const le_implementation *implementation;
    const char *source_hash;
} le_builtin_implementation;

typedef struct le_builtin_operation {
    const le_operation *operation;
    const char *made_hash; /* of the implementations that the engine makes of it */
} le_builtin_operation;

/* le_implementation.flags: made by the engine; runs a chain, takes no device itself */
enum { LE__IMPL_STAGED = 1 << 30 };

/* What the engine offers for an operation, without the operation's name; *n is 0 for none. */
typedef const le_implementation *(*le__maker)(const le_operation *operation, size_t *n);

/* Written by the build; NULL-ended. */
extern const le_builtin_operation le_builtin_operations[];
extern const le_builtin_implementation le_builtin_implementations[];
/* Of the engine's sources that make implementations. */
extern const char le_maker_hash[];

typedef struct le__operation_entry {
    const le_operation *operation;
    const le_implementation **implementations;
    const char **source_hashes; /* same order */
    size_t n_implementations;
    char (**own_hashes)[LE__SOURCE_HASH]; /* of those registered at run time */
    size_t n_own_hashes;
    void *widened;      /* owned: the operation, where its descriptor is of an earlier ABI */
    void **widened_too; /* owned: implementations likewise */
    size_t n_widened_too;
    le_implementation *made; /* owned: those that the engine adds (staged, in slabs) */
    char made_hash[LE__SOURCE_HASH]; /* of them, where the operation is not built in; once it is
                                        asked for */
    bool asked_for;                  /* le__registry_ask */
    void *data;              /* owned: what the operation needs, released with it */
    void (*release)(void *data);
    uint32_t id;   /* of all entries that there ever were */
    le__rows rows; /* of its counted outputs */
} le__operation_entry;

typedef struct le__registry {
    le__operation_entry **entries; /* pointers stay valid when the registry grows */
    le__operation_entry *
        *retired; /* replaced or taken away: chains and what is known may name them */
    size_t n_retired;
    uint32_t n_ids;
    const le_operation **operations;
    uint64_t *hashes; /* of their names, in the same order */
    size_t n, capacity;
    const le__maker *makers; /* NULL-ended */
} le__registry;

/* The built-in tables; makers: of further implementations of each operation, NULL-ended, constant.
 */
le_status le__registry_open(le__registry *r, const le__maker *makers);
void le__registry_close(le__registry *r);
/* NULL when unknown. */
le__operation_entry *le__registry_find(const le__registry *r, const char *name);
/* The same as a status: LE_ERR_UNKNOWN names what was given, NULL too, and what is near. */
le_status le__registry_get(const le__registry *r, const char *name, le__operation_entry **out);
/* To be called before anything is to be known of the entry's implementations: what a composite
 * operation makes hangs on all implementations that there are now. When these change its entry is
 * replaced by a new one, of which nothing is known. */
void le__registry_ask(const le__registry *r, le__operation_entry *entry);
/* All or nothing: on an error everything is as before. Replaces what was registered at run time by
 * the same name. */
le_status le__registry_add_operation(le__registry *r, const le_operation *operation);
/* For those registered at run time; the same holds. */
le_status le__registry_register(le__registry *r, const le_implementation *implementation);
le_status le__registry_drop_operation(le__registry *r, const char *name);
le_status le__registry_drop_implementation(le__registry *r, const char *operation,
                                           const char *name);
/* Whether every program over this library has the implementation, as it is here. */
bool le__registry_is_builtin(const le__operation_entry *entry, const le_implementation *impl);

#endif
