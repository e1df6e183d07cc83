/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Handing results over: what can fail is done for all outputs of a call before any is changed.
 */
#ifndef LE_OUTPUTS_H
#define LE_OUTPUTS_H

#include "call/tensor.h"

/* Whether a tensor has memory already. */
bool le__is_allocated(const le_tensor *t);
/* Brings what was made to the host, if `host` says so, and makes the target's memory writable.
 * Bytes that come from a device are added to *moved, which may be NULL. */
le_status le__output_fetch(le_tensor *made, le_tensor *to, bool host, int64_t *moved);
/* Whether the rows of a counted output fit the memory of whoever asked; LE_ERR_SHAPE: they do not.
 * who: the operation or chain. */
le_status le__output_fits(const char *who, const char *name, const le_tensor *made,
                          const le_tensor *to);
/* Gives the memory back that the rows of a counted output did not need, where that is worth a
 * copy. */
void le__output_trim(le_tensor *made);
/* After le__output_fetch; cannot fail. A target without memory takes over what was made, *made then
 * has no storage; other memory gets a copy, unless it is where the result was made. A target with
 * more rows than a counted output has is cut to these. */
void le__output_hand_over(le_tensor *made, le_tensor *to);

#endif
