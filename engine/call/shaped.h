/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What an operation's check says of its outputs, and whether that can be. Its author is at fault
 * where not: LE_ERR_INTERNAL.
 */
#ifndef LE_SHAPED_H
#define LE_SHAPED_H

#include "call/call.h"

/* Before an argument is given a shape: it is an output that can have such a dtype and so many axes.
 */
le_status le__shaped_will_be(le_call *call, int arg, le_dtype dtype, int ndim);
/* After check: every output that was asked for has a shape. */
le_status le__shaped_all(const le_call *call);

#endif
