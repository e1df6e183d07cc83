/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of the operation `transfer_function`. The call's attached data is its le__transfer.
 */
#ifndef LE_VOLUME_TRANSFER_FUNCTION_H
#define LE_VOLUME_TRANSFER_FUNCTION_H

#include "volume/transfer.h"

enum { ARG_SAMPLES, ARG_TRANSFER, ARG_SCALE, ARG_RGBA };

/* Samples in one item of the implementations' ranges. */
enum { LE__TF_BLOCK = 4096 };

/* What implementations prepare that want the samples in one piece. */
typedef struct le__tf_context {
    le_call *call;
    const void *samples;     /* row-major */
} le__tf_context;

static inline le_status le__tf_prepare(le_call *call, void **context)
{
    le__tf_context *x = le_call_scratch(call, sizeof *x);
    if (!x)
        return le_fail(LE_ERR_MEMORY, "transfer_function: no memory");
    *x = (le__tf_context){call, le_call_contiguous(call, ARG_SAMPLES)};
    if (!x->samples)
        return le_fail(LE_ERR_MEMORY, "transfer_function: no memory for contiguous samples");
    *context = x;
    return LE_OK;
}

/* Number of items. */
static inline size_t le__tf_items(const le_call *call)
{
    int64_t count = le_tensor_count(le_call_in(call, ARG_SAMPLES));
    return (size_t)((count + LE__TF_BLOCK - 1) / LE__TF_BLOCK);
}

#endif
