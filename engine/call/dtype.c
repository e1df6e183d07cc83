/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Data types: one table of what they are, and the elements of tensors as numbers of C.
 */
#include "call/dtype.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct complex64 {
    float re, im;
} complex64;

typedef struct complex128 {
    double re, im;
} complex128;

#define REAL_DTYPES(X)                                                                             \
    X(LE_U8, uint8_t, "u8", "uchar", LE_DTYPE_KIND_UNSIGNED)                                       \
    X(LE_I16, int16_t, "i16", "short", LE_DTYPE_KIND_SIGNED)                                       \
    X(LE_U16, uint16_t, "u16", "ushort", LE_DTYPE_KIND_UNSIGNED)                                   \
    X(LE_I32, int32_t, "i32", "int", LE_DTYPE_KIND_SIGNED)                                         \
    X(LE_U32, uint32_t, "u32", "uint", LE_DTYPE_KIND_UNSIGNED)                                     \
    X(LE_F32, float, "f32", "float", LE_DTYPE_KIND_FLOAT)                                          \
    X(LE_F64, double, "f64", "double", LE_DTYPE_KIND_FLOAT)                                        \
    X(LE_I8, int8_t, "i8", "char", LE_DTYPE_KIND_SIGNED)                                           \
    X(LE_I64, int64_t, "i64", "long", LE_DTYPE_KIND_SIGNED)                                        \
    X(LE_U64, uint64_t, "u64", "ulong", LE_DTYPE_KIND_UNSIGNED)
#define COMPLEX_DTYPES(X)                                                                          \
    X(LE_C64, complex64, "c64", "float2", LE_DTYPE_KIND_COMPLEX)                                   \
    X(LE_C128, complex128, "c128", "double2", LE_DTYPE_KIND_COMPLEX)

const le__dtype_row le__dtypes[LE_DTYPE_LAST + 1] = {
#define LE_X(d, type, name, cl, kind) [d] = {name, cl, sizeof(type), _Alignof(type), kind},
    REAL_DTYPES(LE_X) COMPLEX_DTYPES(LE_X)
#undef LE_X
};

size_t le_dtype_size(le_dtype d) {
    return le__dtype_row_of(d)->size;
}

size_t le_dtype_alignment(le_dtype d) {
    return le__dtype_row_of(d)->alignment;
}

le_dtype_kind le_dtype_kind_of(le_dtype d) {
    return le__dtype_row_of(d)->kind;
}

const char *le_dtype_cl_type(le_dtype d) {
    return le__dtype_row_of(d)->cl_type;
}

const char *le_dtype_name(le_dtype d) {
    const char *name = le__dtype_row_of(d)->name;
    return name ? name : "unknown";
}

bool le_dtype_from_name(const char *name, le_dtype *out) {
    for (le_dtype d = LE_U8; d <= LE_DTYPE_LAST; d++)
        if (!strcmp(name, le__dtypes[d].name)) {
            *out = d;
            return true;
        }
    return false;
}

/* --- one dtype for another --- */

le_dtype le__dtype_of_reference(const le_arg_desc *argument, le_dtype asked) {
    le_dtype widest = le_dtype_kind_of(asked) == LE_DTYPE_KIND_COMPLEX ? LE_C128
                      : asked == LE_I64 || asked == LE_U64             ? asked
                                                                       : LE_F64;
    return argument->dtypes & LE_DTYPE_BIT(widest) ? widest : asked;
}

/* Whether values of `from` survive in `to`, 64-bit integers in f64 as far as that goes. */
static bool holds(le_dtype to, le_dtype from) {
    const size_t size = le__dtypes[to].size, needed = le__dtypes[from].size;
    const le_dtype_kind kind = le__dtypes[to].kind, had = le__dtypes[from].kind;
    if (had >= LE_DTYPE_KIND_FLOAT || kind == LE_DTYPE_KIND_COMPLEX)
        return kind == had && size >= needed;
    if (kind == LE_DTYPE_KIND_FLOAT)
        return size > needed || size == sizeof(double);
    return kind == had ? size >= needed : kind == LE_DTYPE_KIND_SIGNED && size > needed;
}

/* Small before large, integers before floats. */
static size_t rank(le_dtype d) {
    return 2 * le__dtypes[d].size + (le__dtypes[d].kind == LE_DTYPE_KIND_FLOAT);
}

le_dtype le__dtype_nearest(le_dtype d, uint32_t mask) {
    le_dtype best = d;
    if (!mask || mask & LE_DTYPE_BIT(d))
        return d;
    for (le_dtype to = LE_U8; to <= LE_DTYPE_LAST; to++)
        if (mask & LE_DTYPE_BIT(to) && holds(to, d) && (best == d || rank(to) < rank(best)))
            best = to;
    return best;
}

void le__dtype_list(uint32_t mask, char *out, size_t size) {
    size_t n = 0;
    out[0] = '\0';
    for (le_dtype d = LE_U8; d <= LE_DTYPE_LAST; d++)
        if (mask & LE_DTYPE_BIT(d) && n < size)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", le__dtypes[d].name);
}

/* --- elements --- */

static int64_t offset_of(const le_tensor *t, int64_t i) {
    int64_t offset = 0;
    for (int k = t->ndim - 1; k >= 0; k--) {
        offset += i % t->shape[k] * t->strides[k];
        i /= t->shape[k];
    }
    return offset;
}

static const char *element(const le_tensor *t, int64_t i) {
    return (const char *)t->data + offset_of(t, i) * (int64_t)le_dtype_size(t->dtype);
}

/* To the nearest number of the range; NaN becomes the lowest. high may be a power of two above it.
 */
static double clamped(double v, double low, double high) {
    v = rint(v);
    return v >= low ? v <= high ? v : high : low;
}

static int64_t to_i64(double v) {
    return v >= 0x1p63 ? INT64_MAX : (int64_t)clamped(v, -0x1p63, 0x1p63);
}

static uint64_t to_u64(double v) {
    return v >= 0x1p64 ? UINT64_MAX : (uint64_t)clamped(v, 0, 0x1p64);
}

double le_tensor_get(const le_tensor *t, int64_t i) {
    double parts[2] = {NAN, 0};
    le_tensor_get_complex(t, i, parts);
    return parts[0];
}

void le_tensor_get_complex(const le_tensor *t, int64_t i, double out[2]) {
    const char *p = element(t, i);
    out[1] = 0;
    switch (t->dtype) {
#define LE_X(d, type, name, cl, kind)                                                              \
    case d: {                                                                                      \
        type v;                                                                                    \
        memcpy(&v, p, sizeof v);                                                                   \
        out[0] = (double)v;                                                                        \
        return;                                                                                    \
    }
        REAL_DTYPES(LE_X)
#undef LE_X
#define LE_X(d, type, name, cl, kind)                                                              \
    case d: {                                                                                      \
        type v;                                                                                    \
        memcpy(&v, p, sizeof v);                                                                   \
        out[0] = (double)v.re;                                                                     \
        out[1] = (double)v.im;                                                                     \
        return;                                                                                    \
    }
        COMPLEX_DTYPES(LE_X)
#undef LE_X
    }
    out[0] = NAN;
}

void le__tensor_load(const le_tensor *t, int64_t first, int64_t n, double *out) {
    bool dense = le_tensor_is_contiguous(t);
    if (dense && t->dtype == LE_F32) {
        const float *p = (const float *)t->data + first;
        for (int64_t i = 0; i < n; i++)
            out[i] = (double)p[i];
    } else if (dense && t->dtype == LE_F64) {
        memcpy(out, (const double *)t->data + first, (size_t)n * sizeof *out);
    } else {
        for (int64_t i = 0; i < n; i++)
            out[i] = le_tensor_get(t, first + i);
    }
}

double le_tensor_largest(const le_tensor *t) {
    enum { BLOCK = 1024 };
    const bool pairs = le_dtype_kind_of(t->dtype) == LE_DTYPE_KIND_COMPLEX;
    const int64_t n = le_tensor_count(t);
    double largest = 0, v[BLOCK];
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t m = n - at < BLOCK ? n - at : BLOCK;
        if (!pairs)
            le__tensor_load(t, at, m, v);
        for (int64_t i = 0; pairs && i < m; i++) {
            double parts[2];
            le_tensor_get_complex(t, at + i, parts);
            v[i] = hypot(parts[0], parts[1]);
        }
        for (int64_t i = 0; i < m; i++) {
            const double magnitude = fabs(v[i]);
            largest = magnitude > largest && magnitude <= DBL_MAX ? magnitude : largest;
        }
    }
    return largest;
}

int64_t le_tensor_get_i64(const le_tensor *t, int64_t i) {
    int64_t v;
    if (t->dtype != LE_I64 && t->dtype != LE_U64)
        return to_i64(le_tensor_get(t, i));
    memcpy(&v, element(t, i), sizeof v);
    return v;
}

void le_tensor_set_i64(le_tensor *t, int64_t i, int64_t v) {
    if (t->dtype == LE_I64 || t->dtype == LE_U64)
        memcpy((char *)t->data + i * (int64_t)sizeof v, &v, sizeof v);
    else
        le_tensor_set(t, i, (double)v);
}

void le_tensor_set(le_tensor *t, int64_t i, double v) {
    le_tensor_set_complex(t, i, v, 0);
}

void le_tensor_set_complex(le_tensor *t, int64_t i, double re, double im) {
    char *p = (char *)t->data + i * (int64_t)le_dtype_size(t->dtype);
    switch (t->dtype) {
#define LE_X(d, type, value)                                                                       \
    case d: {                                                                                      \
        type v = value;                                                                            \
        memcpy(p, &v, sizeof v);                                                                   \
        break;                                                                                     \
    }
        LE_X(LE_U8, uint8_t, (uint8_t)clamped(re, 0, UINT8_MAX))
        LE_X(LE_I8, int8_t, (int8_t)clamped(re, INT8_MIN, INT8_MAX))
        LE_X(LE_I16, int16_t, (int16_t)clamped(re, INT16_MIN, INT16_MAX))
        LE_X(LE_U16, uint16_t, (uint16_t)clamped(re, 0, UINT16_MAX))
        LE_X(LE_I32, int32_t, (int32_t)clamped(re, INT32_MIN, INT32_MAX))
        LE_X(LE_U32, uint32_t, (uint32_t)clamped(re, 0, UINT32_MAX))
        LE_X(LE_I64, int64_t, to_i64(re))
        LE_X(LE_U64, uint64_t, to_u64(re))
        LE_X(LE_F32, float, (float)re)
        LE_X(LE_F64, double, re)
#undef LE_X
    case LE_C64:
        memcpy(p, &(complex64){(float)re, (float)im}, sizeof(complex64));
        break;
    case LE_C128:
        memcpy(p, &(complex128){re, im}, sizeof(complex128));
        break;
    }
}
