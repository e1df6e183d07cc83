/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Boxes of a volume from memory and from files.
 */
#include "run/boxes.h"

#include "call/dtype.h"

#include <stdio.h>
#include <string.h>

static le_status look(le__grid *g, const le__io_place *place) {
    char text[4096];
    if (place->format != LE__IO_HDF5 && place->format != LE__IO_NPY &&
        place->format != LE__IO_RAW && place->format != LE__IO_FITS)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "%s: files of this kind are not read in boxes; HDF5, NumPy, raw and FITS "
                       "files are",
                       g->place);
    g->length =
        (int)(place->n_slices ? strrchr(g->place, '[') - g->place : (ptrdiff_t)strlen(g->place));
    if ((size_t)g->length >= sizeof text)
        return le_fail(LE_ERR_ARGUMENT, "a place of %d characters", g->length);
    snprintf(text, sizeof text, "%.*s", g->length, g->place);
    le_dtype dtype;
    le_status status = le_io_peek(text, &dtype, &g->stored_ndim, g->stored);
    if (status != LE_OK)
        return status;
    g->dtype = le__dtype_nearest(dtype, g->dtypes);
    g->ndim = g->stored_ndim;
    memcpy(g->shape, g->stored, sizeof g->shape);
    return le__io_narrow(place, &g->ndim, g->shape, g->ranges);
}

le_status le__grid_open(le__grid *g, const le_arg *arg, uint32_t dtypes) {
    le__io_place place;
    *g = (le__grid){.dtypes = dtypes};
    if (arg->kind == LE_KIND_IN && arg->value.in) {
        g->tensor = arg->value.in;
        g->dtype = g->tensor->dtype;
        g->ndim = g->tensor->ndim;
        memcpy(g->shape, g->tensor->shape, sizeof g->shape);
        return LE_OK;
    }
    g->place = arg->kind == LE_KIND_STR ? arg->value.str : NULL;
    le_status status = le__io_place_parse(g->place, &place);
    if (status != LE_OK)
        return status;
    status = look(g, &place);
    le__io_place_free(&place);
    return status;
}

/* "cube.h5:/density[0:64,32:96,:]": the box's part of what the place's own slices leave. */
static bool box_text(const le__grid *g, const le_box *box, char *text, size_t size) {
    int n = snprintf(text, size, "%.*s[", g->length, g->place);
    for (int d = 0, axis = 0; d < g->stored_ndim && n > 0 && (size_t)n < size; d++) {
        const le__io_range *r = &g->ranges[d];
        const char *end = d + 1 < g->stored_ndim ? "," : "]";
        if (r->drop) {
            n += snprintf(text + n, size - (size_t)n, "%lld%s", (long long)r->start, end);
            continue;
        }
        const int64_t first = r->start + box->first[axis] * r->step;
        const int64_t last = first + (box->extent[axis] - 1) * r->step;
        n += snprintf(text + n, size - (size_t)n, "%lld:%lld:%lld%s", (long long)first,
                      (long long)last + 1, (long long)r->step, end);
        axis++;
    }
    return n > 0 && (size_t)n < size;
}

le_status le__grid_read(const le__grid *g, le_engine *engine, const le_box *box, le_tensor *out) {
    char text[4096];
    const le_io_options o = {.struct_size = sizeof o, .dtypes = g->dtypes};
    if (g->place)
        return box_text(g, box, text, sizeof text)
                   ? le_io_read(engine, text, &o, out)
                   : le_fail(LE_ERR_ARGUMENT, "%s: the place is too long", g->place);
    *out = *g->tensor;
    out->storage = NULL; /* a view */
    out->offset = 0;
    for (int a = 0; a < 3; a++) {
        out->data = (char *)out->data +
                    box->first[a] * out->strides[a] * (int64_t)le_dtype_size(out->dtype);
        out->shape[a] = box->extent[a];
    }
    return LE_OK;
}
