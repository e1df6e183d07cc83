/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Data that implementations derive once and keep from call to call, on the host or on a device.
 */
#ifndef LE_KEEP_H
#define LE_KEEP_H

#include "liquid_engine/le_method.h"

#include <stdbool.h>

/* Thread-safe. Nothing else is locked while data are built. */
typedef struct le__keep le__keep;
struct le__keep_use; /* of one execution */

/* How data are made at one place. */
typedef struct le__keep_place {
    const void *owner; /* the place; compared only */
    int64_t limit;     /* bytes kept there at most, beyond what is in use */
    /* Who fills them; compared only: implementations made from other sources have another one, and
     * must not see each other's data. */
    void (*fill)(void);
    le_status (*build)(le_call *call, size_t bytes, void *cookie, void **out);
    void (*release)(const void *owner, void *data, size_t bytes);
} le__keep_place;

le_status le__keep_open(le__keep **out);
void le__keep_close(le__keep *k);
/* In a child that has one thread of its parent's: forgets what is there, which the parent has. */
void le__keep_in_child(le__keep *k);
/* The data of this key of the call's operation, built when they are not there;
 * they stay until le__keep_release. Time to build counts as set-up. */
le_status le__keep_take(le_call *call, const char *key, size_t bytes, const le__keep_place *place,
                        void *cookie, void **out);
/* Ends the uses of one execution. */
void le__keep_release(le_call *call);
/* Frees what nobody uses at a place; false: there was nothing. */
bool le__keep_drop(le__keep *k, const void *owner);

#endif
