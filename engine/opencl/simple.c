/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Implementations that are one kernel. Of the engine's OpenCL side only the public functions are
 * used, so that this is the same without it.
 */
#include "opencl/opencl.h"

#include <stdio.h>
#include <string.h>

enum { OPTIONS = sizeof((le__cl_simple_launch *)0)->options };

static const le_arg_desc *desc_of(const le_call *call, int arg) {
    return &call->operation->args[arg];
}

/* --- what the text knows --- */

static bool add_option(char *text, size_t *n, const char *prefix, const char *name,
                       const char *value) {
    int more = snprintf(text + *n, OPTIONS - *n, "-D%s%s=%s ", prefix, name, value);
    *n += (size_t)(more > 0 ? more : 0);
    return *n < OPTIONS;
}

static bool add_types(const le_call *call, char *text, size_t *n) {
    bool fits = true;
    for (size_t i = 0; fits && i < call->operation->n_args; i++) {
        const le_arg_type type = desc_of(call, (int)i)->type;
        const char *name = type == LE_TYPE_IN || type == LE_TYPE_OUT
                               ? le_dtype_cl_type(call->args[i].tensor.dtype)
                               : NULL;
        if (name && call->args[i].given)
            fits = add_option(text, n, "T_", desc_of(call, (int)i)->name, name);
    }
    return fits;
}

static bool add_tunables(const le_call *call, const le_cl_simple *s, char *text, size_t *n) {
    const le_implementation *impl = call->implementation;
    bool fits = true;
    for (size_t i = 0; fits && i < impl->n_tunables; i++) {
        const bool is_local = s->local && !strcmp(s->local, impl->tunables[i].name);
        char value[32];
        snprintf(value, sizeof value, "%lld", (long long)le_call_param(call, (int)i));
        fits = add_option(text, n, "", is_local ? "LOCAL_SIZE" : impl->tunables[i].name, value);
    }
    return fits;
}

/* --- how many work-items --- */

static int of_first_output(const le_call *call, size_t global[3]) {
    for (size_t i = 0; i < call->operation->n_args; i++) {
        if (desc_of(call, (int)i)->type != LE_TYPE_OUT || !call->args[i].given)
            continue;
        const le_tensor *t = &call->args[i].tensor;
        for (int d = 0; d < t->ndim; d++) {
            const int at = t->ndim - 1 - d;
            global[at < 2 ? at : 2] *= (size_t)t->shape[d];
        }
        return t->ndim < 1 ? 1 : t->ndim > 3 ? 3 : t->ndim;
    }
    return 1;
}

static size_t local_size(const le_call *call, const le_cl_simple *s) {
    const le_implementation *impl = call->implementation;
    for (size_t i = 0; s->local && i < impl->n_tunables; i++)
        if (!strcmp(s->local, impl->tunables[i].name))
            return (size_t)le_call_param(call, (int)i);
    return 0;
}

/* --- what it takes --- */

static le_status put_integer(const le_call *call, int i, le_cl_karg *out) {
    const int64_t v = le_call_i64(call, i);
    if (v < INT32_MIN || v > INT32_MAX)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "%s: %s: argument '%s' is %lld, such a kernel takes integers of 32 bits",
                       call->operation->name, call->implementation->name, desc_of(call, i)->name,
                       (long long)v);
    *out = LE_CL_I32((int32_t)v);
    return LE_OK;
}

static le_status put_argument(const le_call *call, int i, le_cl_karg *out) {
    const le_arg_desc *d = desc_of(call, i);
    const bool given = call->args[i].given;
    if (d->type == LE_TYPE_F64 && (given || d->optional))
        *out = LE_CL_F32((float)le_call_f64(call, i));
    else if (d->type == LE_TYPE_I64 && (given || d->optional))
        return put_integer(call, i, out);
    else if ((d->type == LE_TYPE_IN || d->type == LE_TYPE_OUT) && given)
        *out = LE_CL_ARG(i);
    else if (d->type == LE_TYPE_OUT)
        *out = LE_CL_BUF(NULL);
    else
        return le_fail(LE_ERR_UNSUPPORTED, "%s: %s: argument '%s' is %s", call->operation->name,
                       call->implementation->name, d->name,
                       d->type == LE_TYPE_IN ? "not given" : "nothing that such a kernel takes");
    return LE_OK;
}

le_status le__cl_simple_prepare(le_call *call, le__cl_simple_launch *out) {
    const le_implementation *impl = call->implementation;
    if (!impl->sources || !impl->sources[0])
        return le_fail(LE_ERR_ARGUMENT, "%s: %s has no source", impl->operation, impl->name);
    const le_cl_simple *s = (const le_cl_simple *)(const void *)impl->sources[0];
    size_t used = 0;
    le_status status = LE_OK;
    *out = (le__cl_simple_launch){.source = &s->source,
                                  .kernel = s->kernel,
                                  .global = {1, 1, 1},
                                  .local = {local_size(call, s), 1, 1}};
    if (!add_types(call, out->options, &used) || !add_tunables(call, s, out->options, &used))
        status = le_fail(LE_ERR_ARGUMENT, "%s: %s: its build options are too long", impl->operation,
                         impl->name);
    for (; status == LE_OK && out->n_kargs < call->operation->n_args; out->n_kargs++)
        status = put_argument(call, (int)out->n_kargs, &out->kargs[out->n_kargs]);
    if (status == LE_OK && s->more)
        out->n_kargs += s->more(call, &out->kargs[out->n_kargs]);
    if (status == LE_OK)
        out->ndim = s->global ? s->global(call, out->global) : of_first_output(call, out->global);
    return status;
}

le_status le__cl_simple_launched(le_call *call, const le__cl_simple_launch *l) {
    le_cl_kernel *kernel;
    le_status status = le_cl_get_kernel(call, l->source, l->kernel, l->options, &kernel);
    return status == LE_OK ? le_cl_launch(call, kernel, l->ndim, l->global,
                                          l->local[0] ? l->local : NULL, l->kargs, l->n_kargs)
                           : status;
}

le_status le_cl_run_simple(le_call *call) {
    le__cl_simple_launch l;
    le_status status = le__cl_simple_prepare(call, &l);
    return status == LE_OK ? le__cl_simple_launched(call, &l) : status;
}
