/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is asked for by name (run type, implementation, device): whether there is such a thing.
 */
#ifndef LE_NAMED_H
#define LE_NAMED_H

#include "call/call.h"

/* The names of a call's or a chain's options; NULL: none is asked for. */
typedef struct le__named {
    const char *run_type, *implementation, *device;
} le__named;

/* LE_ERR_NO_CANDIDATE, with a text that names what there is, when none of the operations (n of
 * them) has an implementation of this run type or name, or when the engine has no such device.
 * Devices are those found so far. `subject` begins the text. */
le_status le__named_check(const le_engine *engine, const char *subject,
                          le__operation_entry *const *entries, size_t n, const le__named *asked);
/* The same of a call, with what the engine's options force. */
le_status le__named_check_call(const le_call *call);
/* LE_ERR_NO_CANDIDATE, with a text that says which of them exclude each other, when no
 * implementation can have all that the call asks for, though there is each of it. */
le_status le__named_check_together(const le_call *call);

#endif
