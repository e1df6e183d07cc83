/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Elements of tensors of any dtype, for code that is written once for all of them.
 */
#ifndef LE_METHODS_LOAD_H
#define LE_METHODS_LOAD_H

#include "liquid_engine/le_method.h"

/* X(dtype, C type, suffix) for every dtype of LE_DTYPES_ALL */
#define LE__DTYPE_LIST(X)                                                                          \
    X(LE_U8, uint8_t, u8)                                                                          \
    X(LE_I16, int16_t, i16)                                                                        \
    X(LE_U16, uint16_t, u16)                                                                       \
    X(LE_I32, int32_t, i32)                                                                        \
    X(LE_U32, uint32_t, u32)                                                                       \
    X(LE_F32, float, f32)                                                                          \
    X(LE_F64, double, f64)

/* name_u8, name_i16, ...: the function for a dtype, of those with one type made by LE__DTYPE_LIST */
#define LE__FOR_DTYPE(name, dtype)                                                                 \
    ((dtype) == LE_U8    ? name##_u8                                                               \
     : (dtype) == LE_I16 ? name##_i16                                                              \
     : (dtype) == LE_U16 ? name##_u16                                                              \
     : (dtype) == LE_I32 ? name##_i32                                                              \
     : (dtype) == LE_U32 ? name##_u32                                                              \
     : (dtype) == LE_F32 ? name##_f32                                                              \
                         : name##_f64)

/* Element `offset` of row-major memory. */
static inline double le__load(const void *data, le_dtype dtype, int64_t offset)
{
    switch (dtype) {
#define LE__X(D, T, s)                                                                             \
    case D:                                                                                        \
        return (double)((const T *)data)[offset];
        LE__DTYPE_LIST(LE__X)
#undef LE__X
    default: /* the family's arguments take no other */
        break;
    }
    return 0.0;
}

/* Writes value to element `offset`, as le_tensor_set does to integers. */
static inline void le__store(void *data, le_dtype dtype, int64_t offset, double value)
{
    if (dtype == LE_F64) {
        ((double *)data)[offset] = value;
    } else if (dtype == LE_F32) {
        ((float *)data)[offset] = (float)value;
    } else {
        le_tensor one = {.data = (char *)data + offset * (int64_t)le_dtype_size(dtype),
                         .dtype = dtype, .ndim = 1, .shape = {1}, .strides = {1}};
        le_tensor_set(&one, 0, value);
    }
}

/* count elements from `offset` of row-major memory, as float. */
static inline void le__load_f32(const void *data, le_dtype dtype, int64_t offset, int64_t count,
                                float *out)
{
    switch (dtype) {
#define LE__X(D, T, s)                                                                             \
    case D:                                                                                        \
        for (int64_t i = 0; i < count; i++)                                                        \
            out[i] = (float)((const T *)data)[offset + i];                                         \
        break;
        LE__DTYPE_LIST(LE__X)
#undef LE__X
    default: /* the family's arguments take no other */
        break;
    }
}

/* The same of elements that lie `step` apart. */
static inline void le__load_strided_f32(const void *data, le_dtype dtype, int64_t offset,
                                        int64_t count, int64_t step, float *restrict out)
{
    switch (dtype) {
#define LE__X(D, T, s)                                                                             \
    case D:                                                                                        \
        if (step == 1)                                                                             \
            for (int64_t i = 0; i < count; i++)                                                    \
                out[i] = (float)((const T *)data)[offset + i];                                     \
        else                                                                                       \
            for (int64_t i = 0; i < count; i++)                                                    \
                out[i] = (float)((const T *)data)[offset + i * step];                              \
        break;
        LE__DTYPE_LIST(LE__X)
#undef LE__X
    default: /* the family's arguments take no other */
        break;
    }
}

/* The same of elements `at[i]` further on each. */
static inline void le__load_each_f32(const void *data, le_dtype dtype, int64_t offset,
                                     int64_t count, const int32_t *restrict at,
                                     float *restrict out)
{
    switch (dtype) {
#define LE__X(D, T, s)                                                                             \
    case D:                                                                                        \
        for (int64_t i = 0; i < count; i++)                                                        \
            out[i] = (float)((const T *)data)[offset + at[i]];                                     \
        break;
        LE__DTYPE_LIST(LE__X)
#undef LE__X
    default: /* the family's arguments take no other */
        break;
    }
}

/* Elements that lie `step` apart, as double. */
static inline void le__load_strided_f64(const void *data, le_dtype dtype, int64_t offset,
                                        int64_t count, int64_t step, double *restrict out)
{
    switch (dtype) {
#define LE__X(D, T, s)                                                                             \
    case D:                                                                                        \
        if (step == 1)                                                                             \
            for (int64_t i = 0; i < count; i++)                                                    \
                out[i] = (double)((const T *)data)[offset + i];                                     \
        else                                                                                       \
            for (int64_t i = 0; i < count; i++)                                                    \
                out[i] = (double)((const T *)data)[offset + i * step];                              \
        break;
        LE__DTYPE_LIST(LE__X)
#undef LE__X
    default: /* the family's arguments take no other */
        break;
    }
}

/* Whether an output is or will be row-major. */
static inline bool le__out_contiguous(const le_call *call, int arg)
{
    const le_tensor *t = le_call_out(call, arg);
    return !t->data || le_tensor_is_contiguous(t);
}

#endif
