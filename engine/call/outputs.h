/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Handing results over: what can fail is done for all outputs of a call before any is changed.
 */
#ifndef LE_OUTPUTS_H
#define LE_OUTPUTS_H

#include "call/tensor.h"

typedef struct le__output {
    const char *name;
    le_tensor *made, *to; /* to: of whoever asked for it; NULL: nobody did */
    bool host;            /* is to be valid there, else it may stay on a device */
    bool counted;         /* may have fewer rows than a target has */
} le__output;

typedef struct le__moved { /* from devices */
    int64_t bytes;
    double seconds;
} le__moved;

/* Whether a tensor has memory already. */
bool le__is_allocated(const le_tensor *t);
/* Whether all of both is on devices only, so that one can be put in place of the other there. */
bool le__replaces_on_device(const le_tensor *made, const le_tensor *to);
/* Whether what is made on a device for this tensor, and may stay there, does. */
bool le__stays_on_device(const le_tensor *to);
/* le__tensor_unpack that looks at the thread's ticker: false when that ends the call. */
bool le__outputs_copy(const le_tensor *to, const void *from);
/* All outputs of a call, or none when one does not fit (LE_ERR_SHAPE) or cannot be brought to the
 * host. A target without memory takes over what was made, *made then has no storage; one that may
 * stay on a device and lies there is replaced there; other memory gets a copy, unless it is where
 * the result was made, and holds anything when the thread's ticker ends the call meanwhile
 * (LE_ERR_CANCELLED). A target with more rows than a counted output has is cut to these. who: the
 * operation or chain. What comes from devices is added to *moved, which may be NULL. */
le_status le__outputs_hand_over(const char *who, const le__output *outputs, size_t n,
                                le__moved *moved);

#endif
