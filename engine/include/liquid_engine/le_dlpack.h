/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * DLPack without a copy. Include your dlpack.h (https://dmlc.github.io/dlpack, any version since
 * 0.4) before this header; the library itself does not need it.
 *
 *     DLTensor d = ...;                 // from numpy, PyTorch, CuPy ...
 *     le_tensor t;
 *     if (le_tensor_from_dlpack(&t, &d) == LE_OK) le_run("...", LE_IN("input", &t), ...);
 *
 * Both directions share the memory and transfer no ownership: the source must outlive the view.
 */
#ifndef LIQUID_ENGINE_LE_DLPACK_H
#define LIQUID_ENGINE_LE_DLPACK_H

#include "liquid_engine/le.h"

#include <string.h>

/* DLPack's code for a kind of numbers; headers before 0.5 have no name for complex ones (5). */
static inline uint8_t le__dlpack_code(le_dtype_kind kind) {
    return kind == LE_DTYPE_KIND_UNSIGNED ? kDLUInt
           : kind == LE_DTYPE_KIND_SIGNED ? kDLInt
           : kind == LE_DTYPE_KIND_FLOAT  ? kDLFloat
                                          : 5;
}

/* A view of a DLTensor in host memory. LE_ERR_DTYPE for a type that le_dtype has not (vector lanes,
 * half floats ...), LE_ERR_UNSUPPORTED for device memory, LE_ERR_SHAPE for more than LE_MAX_DIMS
 * dimensions. *out is set on success only. */
static inline le_status le_tensor_from_dlpack(le_tensor *out, const DLTensor *d) {
    le_tensor t;
    int dtype = LE_U8;
    if (d->device.device_type != kDLCPU)
        return LE_ERR_UNSUPPORTED;
    if (d->ndim < 0 || d->ndim > LE_MAX_DIMS)
        return LE_ERR_SHAPE;
    while (dtype <= LE_DTYPE_LAST &&
           (le__dlpack_code(le_dtype_kind_of((le_dtype)dtype)) != d->dtype.code ||
            8 * le_dtype_size((le_dtype)dtype) != d->dtype.bits || d->dtype.lanes != 1))
        dtype++;
    if (dtype > LE_DTYPE_LAST)
        return LE_ERR_DTYPE;
    t = le_tensor_of((const char *)d->data + d->byte_offset, (le_dtype)dtype, d->ndim, d->shape);
    if (d->strides) /* NULL: row-major */
        memcpy(t.strides, d->strides, (size_t)d->ndim * sizeof t.strides[0]);
    *out = t;
    return LE_OK;
}

/* A DLTensor over the tensor's host memory; shape and strides point into *t, which must stay where
 * it is. Call le_tensor_to_host(t) first when the newest copy may be on a device. LE_ERR_ARGUMENT
 * when t has no host memory. */
static inline le_status le_tensor_to_dlpack(DLTensor *out, le_tensor *t) {
    DLTensor d;
    memset(&d, 0, sizeof d);
    if (!t->data)
        return LE_ERR_ARGUMENT;
    d.data = t->data;
    d.device.device_type = kDLCPU;
    d.ndim = t->ndim;
    d.dtype.code = le__dlpack_code(le_dtype_kind_of(t->dtype));
    d.dtype.bits = (uint8_t)(8 * le_dtype_size(t->dtype));
    d.dtype.lanes = 1;
    d.shape = t->shape;
    d.strides = t->strides;
    *out = d;
    return LE_OK;
}

#endif
