/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tensors: shapes, strides, copies of their elements, host validity.
 */
#include "call/tensor.h"

#include "call/storage.h"

#include <stdio.h>
#include <string.h>

void le__tensor_set_contiguous(le_tensor *t) {
    int64_t stride = 1;
    for (int i = t->ndim - 1; i >= 0; i--) {
        t->strides[i] = stride;
        if (__builtin_mul_overflow(stride, t->shape[i] > 0 ? t->shape[i] : 1, &stride))
            stride = 0; /* no such tensor is ever read: its count is -1 */
    }
}

le_tensor le_tensor_of(const void *data, le_dtype dtype, int ndim, const int64_t *shape) {
    le_tensor t = {.dtype = dtype, .ndim = ndim};
    memcpy(&t.data, &data, sizeof data); /* an input's const is kept by LE_IN */
    for (int i = 0; i < ndim && i < LE_MAX_DIMS; i++)
        t.shape[i] = shape[i];
    if (ndim >= 0 && ndim <= LE_MAX_DIMS)
        le__tensor_set_contiguous(&t);
    return t;
}

int64_t le_tensor_count(const le_tensor *t) {
    return le__tensor_count(t);
}

int64_t le__tensor_size(const le_tensor *t) {
    size_t bytes;
    return le__tensor_bytes(t, &bytes) ? (int64_t)bytes : INT64_MAX / 4;
}

static le_status check_layout(le_dtype dtype, int ndim, const int64_t *shape, le_tensor *out,
                              size_t *bytes) {
    *bytes = 0;
    if (!le_dtype_size(dtype))
        return le_fail(LE_ERR_DTYPE, "tensor: data type %d is unknown", (int)dtype);
    if (ndim < 0 || ndim > LE_MAX_DIMS)
        return le_fail(LE_ERR_SHAPE, "tensor: %d dimensions given, 0 to %d are possible", ndim,
                       LE_MAX_DIMS);
    *out = le_tensor_of(NULL, dtype, ndim, shape);
    if (!le__tensor_bytes(out, bytes))
        return le_fail(LE_ERR_SHAPE, "tensor: the shape is negative or too large");
    return LE_OK;
}

le_status le__tensor_fail_unsound(const char *who, const char *name, const le_tensor *t) {
    size_t bytes;
    if (!le__tensor_bytes(t, &bytes))
        return le_fail(LE_ERR_SHAPE, "%s: argument '%s' has a negative or too large shape", who,
                       name);
    if (!t->data && !t->storage && bytes)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' has no data", who, name);
    if ((uintptr_t)t->data % le_dtype_alignment(t->dtype))
        return le_fail(LE_ERR_ARGUMENT, "%s: data of argument '%s' is not aligned to its dtype %s",
                       who, name, le_dtype_name(t->dtype));
    return le_fail(LE_ERR_SHAPE, "%s: argument '%s' has a too large stride", who, name);
}

static int64_t magnitude(int64_t v) {
    return v == INT64_MIN ? INT64_MAX : v < 0 ? -v : v;
}

bool le__tensor_overlaps_itself(const le_tensor *t) {
    /* conservative: sorted by stride, each must step over all that the smaller ones reach */
    int64_t reach = 0;
    bool used[LE_MAX_DIMS] = {false};
    for (int k = 0; k < t->ndim; k++) {
        int best = -1;
        for (int i = 0; i < t->ndim; i++)
            if (!used[i] && (best < 0 || magnitude(t->strides[i]) < magnitude(t->strides[best])))
                best = i;
        used[best] = true;
        if (t->shape[best] <= 1)
            continue;
        if (magnitude(t->strides[best]) <= reach)
            return true;
        reach += (t->shape[best] - 1) * magnitude(t->strides[best]);
    }
    return false;
}

le_status le_tensor_alloc(le_tensor *out, le_dtype dtype, int ndim, const int64_t *shape) {
    le_tensor t = {0};
    size_t bytes;
    le_status status = check_layout(dtype, ndim, shape, &t, &bytes);
    if (status == LE_OK)
        status = le__storage_new(&t.storage, bytes, true, true);
    if (status != LE_OK)
        return status;
    t.data = t.storage->host;
    *out = t;
    return LE_OK;
}

le_status le_tensor_adopt(le_tensor *out, void *data, le_dtype dtype, int ndim,
                          const int64_t *shape, void (*release)(void *cookie), void *cookie) {
    if (!data || !release)
        return le_fail(LE_ERR_ARGUMENT,
                       "tensor: memory to adopt and its release are expected, NULL given");
    le_tensor t = {0};
    size_t bytes;
    le_status status = check_layout(dtype, ndim, shape, &t, &bytes);
    if (status == LE_OK && (uintptr_t)data % le_dtype_alignment(dtype))
        status = le_fail(LE_ERR_ARGUMENT, "tensor: memory at %p is not aligned for %s", data,
                         le_dtype_name(dtype));
    if (status == LE_OK)
        status = le__storage_adopt(&t.storage, data, bytes, release, cookie);
    if (status != LE_OK)
        return status;
    t.data = data;
    *out = t;
    return LE_OK;
}

void le_tensor_free(le_tensor *t) {
    if (!t)
        return;
    le__storage_release(t->storage);
    *t = (le_tensor){0};
}

bool le_tensor_is_contiguous(const le_tensor *t) {
    return le__tensor_is_contiguous(t);
}

static le_status bring(le_tensor *t, bool for_writing, bool discard) {
    void *host;
    le_status status = le__storage_host(t->storage, for_writing, discard, &host);
    if (status == LE_OK)
        t->data = (char *)host + t->offset * (int64_t)le_dtype_size(t->dtype);
    return status;
}

le_status le_tensor_to_host(le_tensor *t) {
    return t->storage ? bring(t, false, false) : LE_OK;
}

le_status le__tensor_for_writing(le_tensor *t, bool discard) {
    return bring(t, true, discard);
}

bool le__tensors_have_same_rows(const le_tensor *a, const le_tensor *b) {
    bool same = a->dtype == b->dtype && a->ndim == b->ndim;
    for (int i = 1; same && i < a->ndim; i++)
        same = a->shape[i] == b->shape[i];
    return same;
}

le_status le__tensor_copy(const char *who, const char *name, const le_tensor *from,
                          le_tensor *out) {
    *out = (le_tensor){0};
    if (!from)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is NULL", who, name);
    le_tensor host = *from, copy;
    le_status status = le_tensor_alloc(&copy, from->dtype, from->ndim, from->shape);
    if (status != LE_OK)
        return status;
    status = le__tensor_check(who, name, from);
    if (status == LE_OK)
        status = le_tensor_to_host(&host);
    if (status == LE_OK) {
        le__tensor_pack(copy.data, &host);
        *out = copy;
    } else {
        le_tensor_free(&copy);
    }
    return status;
}

void le_tensor_touch(le_tensor *t) {
    void *host;
    if (t && t->storage && t->data)
        le__storage_host(t->storage, true, false, &host);
}

void le_tensor_describe(const le_tensor *t, char *buffer, size_t size) {
    char text[256];
    int n = snprintf(text, sizeof text, "%s[", le_dtype_name(t->dtype));
    int ndim = t->ndim < 0 ? 0 : t->ndim > LE_MAX_DIMS ? LE_MAX_DIMS : t->ndim;
    for (int i = 0; i < ndim; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%lld", i ? "," : "",
                      (long long)t->shape[i]);
    snprintf(text + n, sizeof text - (size_t)n, "]");
    snprintf(buffer, size, "%s", text);
}

/* Copies n elements that lie `step` elements apart. */
static void gather(char *restrict to, const char *restrict from, int64_t n, int64_t step,
                   size_t size) {
    switch (size) {
#define OF_SIZE(N)                                                                                 \
    case N:                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                            \
            memcpy(to + i * N, from + i * step * N, N);                                            \
        break;
        OF_SIZE(1)
        OF_SIZE(2)
        OF_SIZE(4)
        OF_SIZE(8)
        OF_SIZE(16)
#undef OF_SIZE
    default:
        break;
    }
}

/* Where a walk through a tensor in row-major order has come to. */
typedef struct place {
    int64_t index[LE_MAX_DIMS], at; /* at: elements from the tensor's first */
} place;

static place place_of(const le_tensor *t, int64_t element) {
    place p = {.at = 0};
    for (int d = t->ndim - 1; d >= 0; d--) {
        p.index[d] = element % t->shape[d];
        p.at += p.index[d] * t->strides[d];
        element /= t->shape[d];
    }
    return p;
}

/* n elements further, at most to the end of the line along the last axis. */
static void go_on(const le_tensor *t, place *p, int64_t n) {
    int d = t->ndim - 1;
    p->index[d] += n;
    p->at += n * t->strides[d];
    while (d > 0 && p->index[d] == t->shape[d]) {
        p->at += t->strides[d - 1] - p->index[d] * t->strides[d];
        p->index[d--] = 0;
        p->index[d]++;
    }
}

const void *le_tensor_elements(const le_tensor *t, int64_t begin, int64_t count, void *room) {
    const size_t size = le_dtype_size(t->dtype);
    const char *data = t->data;
    char *to = room;
    if (count <= 0)
        return room;
    if (t->ndim == 0 || le_tensor_is_contiguous(t))
        return data + begin * (int64_t)size;
    if (le_tensor_count(t) == 0) /* whatever is asked for, none is there */
        return room;
    const int last = t->ndim - 1;
    for (place p = place_of(t, begin); count > 0;) {
        const int64_t left = t->shape[last] - p.index[last], n = left < count ? left : count;
        const char *from = data + p.at * (int64_t)size;
        if ((t->strides[last] == 1 || n == 1) && to == room && n == count)
            return from;
        if (t->strides[last] == 1)
            memcpy(to, from, (size_t)n * size);
        else
            gather(to, from, n, t->strides[last], size);
        to += n * (int64_t)size;
        count -= n;
        go_on(t, &p, n);
    }
    return room;
}

void le__tensor_pack(void *to, const le_tensor *from) {
    const int64_t n = le_tensor_count(from);
    const void *elements = le_tensor_elements(from, 0, n, to);
    if (elements != to)
        memcpy(to, elements, (size_t)n * le_dtype_size(from->dtype));
}

le_tensor le__tensor_rows(const le_tensor *t, int64_t first, int64_t rows) {
    le_tensor part = *t;
    part.shape[0] = t->shape[0] - first < rows ? t->shape[0] - first : rows;
    part.offset += first * t->strides[0];
    part.data = (char *)t->data + first * t->strides[0] * (int64_t)le_dtype_size(t->dtype);
    return part;
}

int64_t le__tensor_rows_at_once(const le_tensor *t) {
    enum { BYTES = 1 << 24 };
    le_tensor row = le__tensor_rows(t, 0, 1);
    int64_t bytes = le__tensor_size(&row);
    return bytes < BYTES ? BYTES / (bytes > 0 ? bytes : 1) : 1;
}

void le__tensor_unpack(const le_tensor *to, const void *from) {
    const int64_t size = (int64_t)le_dtype_size(to->dtype);
    const char *at = from;
    size_t bytes;
    if (!le__tensor_bytes(to, &bytes) || bytes == 0)
        return;
    if (le_tensor_is_contiguous(to)) {
        memcpy(to->data, from, bytes);
        return;
    }
    place p = place_of(to, 0);
    for (const char *end = at + bytes; at < end; at += size, go_on(to, &p, 1))
        memcpy((char *)to->data + p.at * size, at, (size_t)size);
}

le_tensor le__tensor_numbers(const le_tensor *t) {
    bool parts = le_dtype_kind_of(t->dtype) == LE_DTYPE_KIND_COMPLEX;
    int64_t n = (parts ? 2 : 1) * le_tensor_count(t);
    le_dtype part = t->dtype == LE_C64 ? LE_F32 : LE_F64;
    return le_tensor_of(t->data, parts ? part : t->dtype, 1, &n);
}

bool le__tensors_alike(const le_tensor *a, const le_tensor *b) {
    return a->dtype == b->dtype && a->ndim == b->ndim &&
           !memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof a->shape[0]);
}

le_status le__tensor_fail(const char *who, const char *what, const char *name,
                          const le_tensor *given, const le_tensor *expected, const char *tail) {
    char a[256], b[256];
    le_tensor_describe(given, a, sizeof a);
    le_tensor_describe(expected, b, sizeof b);
    return le_fail(given->dtype == expected->dtype ? LE_ERR_SHAPE : LE_ERR_DTYPE,
                   "%s: %s '%s' is %s, expected %s%s", who, what, name, a, b, tail);
}

typedef struct extent {
    const char *low, *high;
} extent;

static inline extent extent_of(const le_tensor *t) {
    int64_t first = 0, last = 0, size = (int64_t)le__dtype_row_of(t->dtype)->size;
    const char *data = t->data;
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] <= 0)
            return (extent){data, data};
        int64_t span = (t->shape[i] - 1) * t->strides[i];
        first += span < 0 ? span : 0;
        last += span < 0 ? 0 : span;
    }
    return (extent){data + first * size, data + (last + 1) * size};
}

void le__tensor_extent(const le_tensor *t, const char **low, const char **high) {
    extent e = extent_of(t);
    *low = e.low;
    *high = e.high;
}

/* Where host memory was given up for the copy on a device, others may lie since. */
static bool is_there(const le_tensor *t) {
    return !t->storage || le__storage_has_host(t->storage);
}

bool le__tensors_overlap(const le_tensor *a, const le_tensor *b) {
    if (!a->data || !b->data)
        return false;
    extent x = extent_of(a), y = extent_of(b);
    const bool meet = x.low < y.high && y.low < x.high && x.low < x.high && y.low < y.high;
    return meet && (a->storage == b->storage || (is_there(a) && is_there(b)));
}
