/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Descriptors of modules that were built against an earlier le_method.h.
 */
#ifndef LE_ABI_H
#define LE_ABI_H

#include "liquid_engine/le_method.h"

/* what: "operation" or "implementation". */
le_status le__abi_check(const char *what, uint32_t abi);
/* The operation as this engine knows it: itself, or of an earlier ABI a copy with empty new fields,
 * *owned, for the caller to free. NULL: out of memory. Its abi has been checked. */
const le_operation *le__abi_operation(const le_operation *op, void **owned);
/* The implementation in the same way. */
const le_implementation *le__abi_implementation(const le_implementation *impl, void **owned);

#endif
