/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Parts of tensors that slabs have.
 */
#include "chain/slab_parts.h"

#include "call/outputs.h"
#include "call/tensor.h"
#include "core/tick.h"

#include <stdlib.h>

static int64_t extent_of(const le_slabs *s) {
    return s->extent > 0 ? s->extent : s->items;
}

le_slab_range le_slab_range_of(const le_slabs *s, int64_t begin, int64_t end) {
    const int64_t extent = extent_of(s);
    le_slab_range r = {begin, end, begin - s->halo, end + s->halo};
    if (s->wraps)
        return r;
    if (begin > extent) /* items behind the last element may depend on what is a halo before it */
        r.low = extent - s->halo;
    r.low = r.low < 0 ? 0 : r.low;
    r.high = r.high > extent ? extent : r.high;
    return r;
}

int64_t le_slab_elements(const le_slabs *s, size_t a, int64_t items) {
    const int64_t scale = s->args[a].scale ? s->args[a].scale : 1;
    const int64_t divide = s->args[a].divide ? s->args[a].divide : 1;
    return (items * scale + divide - 1) / divide;
}

le_tensor le__slab_part(const le_slabs *s, size_t a, const le_tensor *t, int64_t begin,
                        int64_t end) {
    le_tensor p = *t;
    const int axis = s->args[a].axis - 1;
    if (axis < 0)
        return p;
    const int64_t first = le_slab_elements(s, a, begin);
    p.shape[axis] = le_slab_elements(s, a, end) - first + s->args[a].ends;
    if (p.data)
        p.data = (char *)p.data + first * p.strides[axis] * (int64_t)le_dtype_size(p.dtype);
    p.storage = NULL; /* a view of host memory */
    p.offset = 0;
    return p;
}

le_tensor le__slab_made(const le_slabs *s, size_t a, const le_tensor *t, const le_slab_range *r) {
    const int64_t more = s->items - extent_of(s);
    return le__slab_part(s, a, t, 0, r->high - r->low + more);
}

bool le__slab_makes_wanted(const le_slabs *s, const le_slab_range *r) {
    return s->items == extent_of(s) && r->low == r->begin && r->high == r->end;
}

le_status le__slab_copy(const char *name, const le_tensor *to, const le_tensor *from) {
    const size_t bytes = (size_t)le__tensor_size(from);
    void *packed = NULL;
    if (!le_tensor_is_contiguous(from)) {
        packed = malloc(bytes ? bytes : 1);
        if (!packed)
            return le_fail(LE_ERR_MEMORY, "%s: out of memory", name);
        le__tensor_pack(packed, from);
    }
    const bool done = le__outputs_copy(to, packed ? packed : from->data);
    free(packed);
    return done ? LE_OK : le__ticker_fail(name);
}

int64_t le_slab_stretch(const le_slabs *s, const le_slab_range *r, int64_t at, int64_t *from) {
    const int64_t extent = extent_of(s), left = r->high - at;
    *from = (at % extent + extent) % extent;
    return extent - *from < left ? extent - *from : left;
}

le_status le_slab_input(const le_slabs *s, size_t a, const le_tensor *t, const le_slab_range *r,
                        le_tensor *out) {
    if (!s->args[a].axis || (r->low >= 0 && r->high <= extent_of(s))) {
        *out = le__slab_part(s, a, t, r->low, r->high);
        out->storage = NULL;
        out->offset = 0;
        return LE_OK;
    }
    const le_tensor shape = le__slab_part(s, a, t, 0, r->high - r->low);
    le_status status = le_tensor_alloc(out, shape.dtype, shape.ndim, shape.shape);
    for (int64_t at = r->low, n; status == LE_OK && at < r->high; at += n) {
        int64_t from;
        n = le_slab_stretch(s, r, at, &from);
        const le_tensor to = le__slab_part(s, a, out, at - r->low, at - r->low + n);
        const le_tensor stretch = le__slab_part(s, a, t, from, from + n);
        status = le__slab_copy("slabs", &to, &stretch);
    }
    return status;
}
