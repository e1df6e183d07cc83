/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Samples of calls of own operations: what Python's cases(rng, size) gives, or normal numbers.
 */
#include "core_own.h"

static bool case_argument(le_case *out, const le_arg_desc *d, PyObject *value) {
    le_tensor view;
    if (d->type == LE_TYPE_F64) {
        le_case_f64(out, d->name, PyFloat_AsDouble(value));
        return !PyErr_Occurred();
    }
    if (d->type == LE_TYPE_I64) {
        le_case_i64(out, d->name, PyLong_AsLongLong(value));
        return !PyErr_Occurred();
    }
    PyObject *a = core_as_array(value, "cases", d->name, d->dtypes);
    PyObject *holder = a ? core_tensor_of_input(a, "cases", d->name, &view) : NULL;
    le_tensor *t = holder ? le_case_in(out, d->name, view.dtype, view.ndim, view.shape) : NULL;
    PyObject *to = t ? core_array_over(t, NULL, true) : NULL;
    bool good = to && PyArray_CopyInto((PyArrayObject *)to, (PyArrayObject *)a) == 0;
    Py_XDECREF(to);
    Py_XDECREF(holder);
    Py_XDECREF(a);
    return good;
}

static le_status python_case(const own_operation *o, le_case *out, const le_case_request *r,
                             int64_t size) {
    PyGILState_STATE state = PyGILState_Ensure();
    le_status status = LE_OK;
    PyObject *dict = PyObject_CallFunction(o->cases, "KL", (unsigned long long)le_case_random(out),
                                           (long long)size);
    for (size_t i = 0; dict && i < o->operation.n_args && !PyErr_Occurred(); i++) {
        PyObject *value = PyDict_GetItemString(dict, o->args[i].name);
        if (value && o->args[i].type != LE_TYPE_OUT)
            case_argument(out, &o->args[i], value);
    }
    Py_XDECREF(dict);
    if (PyErr_Occurred()) /* no sample says nothing of who was to be tried */
        status = core_own_python_failed("cases", LE_ERR_DATA);
    if (status != LE_ERR_CANCELLED)
        core_forget_exception();
    PyGILState_Release(state);
    (void)r;
    return status;
}

/* Extents of a sample: those of the call it is for as far as they are small, else of the size. */
static void choose_extents(const own_operation *o, const le_case_request *r, le_case *out,
                           int64_t size, binding *b) {
    enum { MOST = 37 };
    if (r->like)
        core_own_bind(o, r->like, b);
    for (int s = 0; s < o->n_symbols; s++) {
        bool scalar = o->symbol_args[s] >= 0;
        if (scalar && r->like)
            continue;
        if (scalar)
            b->value[s] = (int64_t)o->args[o->symbol_args[s]].default_f64;
        else if (size)
            b->value[s] = size;
        else if (!b->known[s] || b->value[s] > MOST)
            b->value[s] = MOST - (int64_t)(le_case_random(out) % 8);
    }
}

static void normal_input(const own_operation *o, le_case *out, size_t i, le_dtype dtype,
                         const binding *b) {
    int64_t shape[LE_MAX_DIMS];
    for (int d = 0; d < o->args[i].max_ndim; d++)
        shape[d] = core_own_extent(&o->extents[i][d], b);
    le_tensor *t = le_case_in(out, o->args[i].name, dtype, o->args[i].max_ndim, shape);
    bool whole = le_dtype_kind_of(dtype) != LE_DTYPE_KIND_FLOAT;
    for (int64_t k = 0; t && k < le_tensor_count(t); k++)
        le_tensor_set(t, k, whole ? (double)(le_case_random(out) % 256) : le_case_normal(out));
}

static void normal_case(const own_operation *o, le_case *out, const le_case_request *r,
                        int64_t size) {
    binding b = {0};
    choose_extents(o, r, out, size, &b);
    for (size_t i = 0; i < o->operation.n_args; i++) {
        const le_arg_desc *d = &o->args[i];
        if (d->type == LE_TYPE_IN)
            normal_input(o, out, i, r->like ? le_call_in(r->like, (int)i)->dtype : o->dtypes[i],
                         &b);
        else if (d->type == LE_TYPE_F64 && !r->like)
            le_case_f64(out, d->name, d->optional ? d->default_f64 : 1);
        else if (d->type == LE_TYPE_I64 && !r->like)
            le_case_i64(out, d->name, d->optional ? (int64_t)d->default_f64 : 1);
    }
}

le_status core_own_make_case(le_case *out, const le_case_request *r) {
    static const int64_t checked[] = {1, 2, 3, 7, 16, 33, 100};
    const own_operation *o = le_case_user(out);
    int64_t size = r->kind == LE_CASE_CHECK   ? checked[(uint64_t)r->index % 7]
                   : r->kind == LE_CASE_BENCH ? (r->size ? r->size : 1000)
                                              : 0;
    le_status status = LE_OK;
    if (o->cases)
        status = python_case(o, out, r, r->kind == LE_CASE_BENCH ? r->size : size);
    else
        normal_case(o, out, r, size);
    le_case_like(out, r->like);
    for (size_t i = 0; i < o->operation.n_args; i++)
        if (o->args[i].type == LE_TYPE_OUT)
            le_case_out(out, o->args[i].name, o->dtypes[i]);
    return status == LE_OK ? le_case_status(out) : status;
}
