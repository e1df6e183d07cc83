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

/* One element stands for all of an input that is read later: enough for checks, which never read
 * data. */
static bool stand_in(run_args *a, bool begins) {
    static const double element[2];
    bool any = false;
    for (size_t i = 0; i < a->operation->n_args; i++) {
        le_tensor *t = &a->args[i].tensor;
        if (a->operation->args[i].type != LE_TYPE_IN || !a->args[i].given ||
            t->data != (begins ? NULL : element))
            continue;
        any = true;
        *t = (le_tensor){0};
        if (begins && le_io_peek(a->args[i].text, &t->dtype, &t->ndim, t->shape) == LE_OK)
            t->data = (void *)(uintptr_t)element;
    }
    return any;
}

static le_status check_format(const run_args *a, const char *name, const le_tensor *made) {
    for (size_t i = 0; i < a->operation->n_args; i++) {
        const run_arg *arg = &a->args[i];
        if (a->operation->args[i].type == LE_TYPE_OUT && arg->given && !arg->plot &&
            !strcmp(a->operation->args[i].name, name))
            return le_io_may_write(arg->text, made->dtype, made->ndim, made->shape);
    }
    return LE_OK;
}

le_status run_check_formats(le_engine *engine, const run_options *o, run_args *a) {
    le_arg options[RUN_OPTIONS_MAX], args[LE_MAX_ARGS + RUN_OPTIONS_MAX];
    le_tensor made[LE_MAX_ARGS + RUN_OPTIONS_MAX];
    const bool later = stand_in(a, true);
    const size_t n = run_args_call(a, options, run_options_call(o, options), args);
    le_status status = le_call_shapes(engine, a->operation->name, args, n, made);
    if (later)
        stand_in(a, false);
    if (status != LE_OK) /* who reads them takes more than what they are in their files */
        return later ? LE_OK : status;
    for (size_t k = 0; k < n && status == LE_OK; k++)
        if (args[k].kind == LE_KIND_OUT)
            status = check_format(a, args[k].name, &made[k]);
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
