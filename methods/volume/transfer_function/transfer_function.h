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

/* The context of ranges is the call. */
static inline le_status le__tf_prepare(le_call *call, void **context)
{
    *context = call;
    return LE_OK;
}

/* Number of items, and the samples of one. */
static inline size_t le__tf_items(const le_call *call)
{
    int64_t count = le_tensor_count(le_call_in(call, ARG_SAMPLES));
    return (size_t)((count + LE__TF_BLOCK - 1) / LE__TF_BLOCK);
}

static inline int64_t le__tf_block(const le_call *call, size_t block)
{
    int64_t left = le_tensor_count(le_call_in(call, ARG_SAMPLES)) - (int64_t)block * LE__TF_BLOCK;
    return left < LE__TF_BLOCK ? left : LE__TF_BLOCK;
}

#endif
