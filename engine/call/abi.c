/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Earlier descriptors are beginnings of the present ones: new fields come last in each struct. What
 * an array of them holds is as large as it was then, and what a function would fill in may not be.
 *
 *     ABI 1   le_arg_desc ended before `elastic`; le_slabs had room for 24 arguments. Operations
 *             are not cut into slabs.
 *     ABI 2   le_arg_desc ended before `column`; operations and implementations had no `user`.
 *     ABI 3   le_operation ended before `bricks`, le_implementation before `speed_of`.
 *     ABI 4   le_operation ended before `least_scale`.
 */
#include "call/abi.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define END_OF(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

enum {
    ABI_WITH_ELASTIC = 2,
    ABI_WITH_COLUMN = 3,   /* and with user */
    ABI_WITH_SPEED_OF = 4, /* and with bricks */
    ABI_WITH_LEAST_SCALE = 5,
    ARG_1_BYTES = END_OF(le_arg_desc, default_str),
    ARG_2_BYTES = offsetof(le_arg_desc, column),
    ARG_3_BYTES = sizeof(le_arg_desc),
    IMPLEMENTATION_2_BYTES = END_OF(le_implementation, source),
    IMPLEMENTATION_3_BYTES = END_OF(le_implementation, user)
};

le_status le__abi_check(const char *what, uint32_t abi) {
    if (abi > LE_METHOD_ABI)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "%s: made for method ABI %u, this engine has %d: a newer liquid engine is "
                       "needed",
                       what, abi, LE_METHOD_ABI);
    if (abi < LE_METHOD_ABI_OLDEST)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "%s: made for method ABI %u, this engine takes %d to %d: it has to be built "
                       "anew",
                       what, abi, LE_METHOD_ABI_OLDEST, LE_METHOD_ABI);
    return LE_OK;
}

static size_t operation_bytes(uint32_t abi) {
    return abi < ABI_WITH_ELASTIC    ? END_OF(le_operation, tiles)
           : abi < ABI_WITH_COLUMN   ? END_OF(le_operation, compare)
           : abi < ABI_WITH_SPEED_OF ? END_OF(le_operation, user)
                                     : END_OF(le_operation, bricks);
}

const le_operation *le__abi_operation(const le_operation *op, void **owned) {
    *owned = NULL;
    if (op->abi >= ABI_WITH_LEAST_SCALE)
        return op;
    bool elastic = op->abi >= ABI_WITH_ELASTIC;
    size_t arg_bytes = !elastic                    ? ARG_1_BYTES
                       : op->abi < ABI_WITH_COLUMN ? ARG_2_BYTES
                                                   : ARG_3_BYTES;
    struct {
        le_operation operation;
        le_arg_desc args[];
    } *whole = calloc(1, sizeof *whole + op->n_args * sizeof whole->args[0]);
    if (!whole)
        return NULL;
    memcpy(&whole->operation, op, operation_bytes(op->abi));
    for (size_t i = 0; i < op->n_args; i++)
        memcpy(&whole->args[i], (const char *)op->args + i * arg_bytes, arg_bytes);
    whole->operation.args = whole->args;
    if (!elastic) {
        whole->operation.slabs = NULL;
        whole->operation.tiles = NULL;
    }
    *owned = whole;
    return &whole->operation;
}

const le_implementation *le__abi_implementation(const le_implementation *impl, void **owned) {
    *owned = NULL;
    if (impl->abi >= ABI_WITH_SPEED_OF)
        return impl;
    le_implementation *whole = calloc(1, sizeof *whole);
    if (whole)
        memcpy(whole, impl,
               impl->abi >= ABI_WITH_COLUMN ? IMPLEMENTATION_3_BYTES : IMPLEMENTATION_2_BYTES);
    *owned = whole;
    return whole;
}
