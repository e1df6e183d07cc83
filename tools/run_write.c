/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Outputs of le-run into files: with names of columns, and with where on the sky an image lies when
 * the input said so.
 */
#include "run.h"

#include "liquid_engine/le_io.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* The first input with so many axes, and with this shape unless that is NULL. */
static const run_arg *input_with(const run_args *a, int ndim, const int64_t *shape) {
    for (size_t i = 0; i < a->operation->n_args; i++) {
        const le_tensor *t = &a->args[i].tensor;
        if (a->operation->args[i].type == LE_TYPE_IN && a->args[i].given && t->ndim == ndim &&
            (!shape || !memcmp(t->shape, shape, (size_t)ndim * sizeof *shape)))
            return &a->args[i];
    }
    return NULL;
}

le_status run_write(le_engine *engine, run_args *a, size_t output) {
    const le_arg_desc *d = &a->operation->args[output];
    run_arg *arg = &a->args[output];
    const run_arg *like = input_with(a, arg->tensor.ndim, arg->tensor.shape);
    le_io_write_options options = {.struct_size = sizeof options, .like = like ? like->text : NULL};
    int64_t columns = table_columns(d, &arg->tensor);
    const char **names = calloc((size_t)columns + 1, sizeof *names);
    if (!names)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < columns; i++)
        names[i] = d->column(columns, i);
    if (columns) {
        options.columns = names;
        options.n_columns = (size_t)columns;
    }
    le_status status = le_io_write_with(engine, arg->text, &arg->tensor, &options);
    free(names);
    return status;
}

static void set_sky(le_tensor *t, int64_t lon, int64_t lat, const double *sky) {
    for (int64_t i = 0; i < t->shape[0]; i++) {
        le_tensor_set(t, i * t->shape[1] + lon, sky[2 * i]);
        le_tensor_set(t, i * t->shape[1] + lat, sky[2 * i + 1]);
    }
}

/* Tables of inputs that know no sky stay as the operation made them. */
static le_status fill_table(const run_args *a, const le_arg_desc *d, le_tensor *t) {
    int64_t centre[LE_MAX_DIMS];
    int64_t lon = table_column(d, t, "lon"), lat = table_column(d, t, "lat");
    int axes = table_axes(d, t, "center_of_mass", centre);
    const run_arg *image = axes ? input_with(a, axes, NULL) : NULL;
    if (lon < 0 || lat < 0 || !image || t->shape[0] == 0)
        return LE_OK;
    size_t rows = (size_t)t->shape[0];
    double *positions = calloc(rows * ((size_t)axes + 2), sizeof *positions);
    if (!positions)
        return le_fail(LE_ERR_MEMORY, "out of memory");
    double *sky = positions + rows * (size_t)axes;
    for (int64_t i = 0; i < t->shape[0]; i++)
        for (int k = 0; k < axes; k++)
            positions[i * axes + k] = le_tensor_get(t, i * t->shape[1] + centre[k]);
    if (le_io_sky(image->text, positions, t->shape[0], axes, sky) == LE_OK)
        set_sky(t, lon, lat, sky);
    free(positions);
    return LE_OK;
}

le_status run_fill_sky(run_args *a) {
    le_status status = LE_OK;
    for (size_t i = 0; i < a->operation->n_args && status == LE_OK; i++) {
        le_tensor *t = &a->args[i].tensor;
        const le_arg_desc *d = &a->operation->args[i];
        if (table_columns(d, t) == 0)
            continue;
        status = le_tensor_to_host(t);
        if (status == LE_OK)
            status = fill_table(a, d, t);
    }
    return status;
}
