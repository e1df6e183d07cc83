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

/* A view of a DLTensor in host memory. LE_ERR_DTYPE for a type that le_dtype has not (vector lanes,
 * 64-bit integers, half floats ...), LE_ERR_UNSUPPORTED for device memory, LE_ERR_SHAPE for more
 * than LE_MAX_DIMS dimensions. *out is set on success only. */
static inline le_status le_tensor_from_dlpack(le_tensor *out, const DLTensor *d) {
    static const struct {
        uint8_t code, bits;
        le_dtype dtype;
    } types[] = {{kDLUInt, 8, LE_U8},   {kDLInt, 16, LE_I16},  {kDLUInt, 16, LE_U16},
                 {kDLInt, 32, LE_I32},  {kDLUInt, 32, LE_U32}, {kDLFloat, 32, LE_F32},
                 {kDLFloat, 64, LE_F64}};
    le_tensor t;
    size_t i, n_types = sizeof types / sizeof *types;
    if (d->device.device_type != kDLCPU)
        return LE_ERR_UNSUPPORTED;
    if (d->ndim < 0 || d->ndim > LE_MAX_DIMS)
        return LE_ERR_SHAPE;
    for (i = 0; i < n_types; i++)
        if (types[i].code == d->dtype.code && types[i].bits == d->dtype.bits && d->dtype.lanes == 1)
            break;
    if (i == n_types)
        return LE_ERR_DTYPE;
    t = le_tensor_of((const char *)d->data + d->byte_offset, types[i].dtype, d->ndim, d->shape);
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
    d.dtype.code = t->dtype == LE_F32 || t->dtype == LE_F64   ? kDLFloat
                   : t->dtype == LE_I16 || t->dtype == LE_I32 ? kDLInt
                                                              : kDLUInt;
    d.dtype.bits = (uint8_t)(8 * le_dtype_size(t->dtype));
    d.dtype.lanes = 1;
    d.shape = t->shape;
    d.strides = t->strides;
    *out = d;
    return LE_OK;
}

#endif
