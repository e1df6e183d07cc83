/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chains: building step by step, planning, running.
 */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct core_chain {
    PyObject_HEAD le_chain *chain;
    PyObject *engine;
} core_chain;

static PyTypeObject *chain_type;

static PyObject *chain_new(PyTypeObject *type, PyObject *args, PyObject *dict) {
    static char *keywords[] = {"name", "engine", NULL};
    const char *name;
    PyObject *engine = Py_None;
    le_chain *chain = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, dict, "s|O", keywords, &name, &engine))
        return NULL;
    core_engine *e = core_engine_get(engine);
    if (!e)
        return NULL;
    bool good = core_engine_is_open(e) && core_check(le_chain_new(&chain, e->engine, name));
    core_chain *self = good ? (core_chain *)PyType_GenericAlloc(type, 0) : NULL;
    if (!self) {
        le_chain_free(&chain);
        Py_DECREF((PyObject *)e);
        return NULL;
    }
    self->chain = chain;
    self->engine = (PyObject *)e;
    return (PyObject *)self;
}

static void chain_free(PyObject *o) {
    core_chain *self = (core_chain *)o;
    PyTypeObject *type = Py_TYPE(o);
    if (((core_engine *)self->engine)->engine)
        le_chain_free(&self->chain);
    Py_XDECREF(self->engine);
    core_free(o, type);
}

/* NULL, with an exception set: its engine has been closed, and much of it is gone. */
static core_chain *usable(PyObject *o) {
    core_chain *self = (core_chain *)o;
    return core_engine_is_open((core_engine *)self->engine) ? self : NULL;
}

static PyObject *value_or_raise(core_chain *self, le_value v) {
    return core_check(le_chain_status(self->chain)) ? PyLong_FromLong(v.id) : NULL;
}

static bool shape_from(PyObject *tuple, int *ndim, int64_t *shape) {
    Py_ssize_t n = PySequence_Size(tuple);
    if (n < 0 || n > LE_MAX_DIMS) {
        PyErr_SetString(PyExc_ValueError, "a shape has at most 8 extents");
        return false;
    }
    *ndim = (int)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *extent = PySequence_GetItem(tuple, i);
        shape[i] = extent ? PyLong_AsLongLong(extent) : -1;
        Py_XDECREF(extent);
    }
    return !PyErr_Occurred();
}

static PyObject *chain_input(PyObject *o, PyObject *args) {
    core_chain *self = usable(o);
    const char *name;
    PyObject *extents, *type;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    le_dtype dtype;
    if (!self || !PyArg_ParseTuple(args, "sOO", &name, &extents, &type) ||
        !shape_from(extents, &ndim, shape) || !core_dtype_from(type, &dtype))
        return NULL;
    return value_or_raise(self, le_chain_input(self->chain, name, dtype, ndim, shape));
}

static PyObject *chain_constant(PyObject *o, PyObject *array) {
    le_tensor t;
    PyObject *a = core_as_array(array, "chain", "constant", 0);
    PyObject *r = NULL;
    bool good = a && core_tensor_of_array(a, "chain", "constant", &t);
    core_chain *self = good ? usable(o) : NULL;
    if (self)
        r = value_or_raise(self, le_chain_constant(self->chain, &t));
    Py_XDECREF(a);
    return r;
}

static PyObject *chain_temp(PyObject *o, PyObject *none) {
    core_chain *self = usable(o);
    (void)none;
    return self ? value_or_raise(self, le_chain_temp(self->chain)) : NULL;
}

static PyObject *chain_slice(PyObject *o, PyObject *args) {
    core_chain *self = usable(o);
    int value, axis;
    long long begin, end;
    if (!self || !PyArg_ParseTuple(args, "iiLL", &value, &axis, &begin, &end))
        return NULL;
    le_value v = {value};
    return value_or_raise(self, end < 0 ? le_chain_slice(self->chain, v, axis, begin)
                                        : le_chain_range(self->chain, v, axis, begin, end));
}

static PyObject *chain_output(PyObject *o, PyObject *args) {
    core_chain *self = usable(o);
    const char *name;
    int value;
    if (!self || !PyArg_ParseTuple(args, "si", &name, &value))
        return NULL;
    return core_check(le_chain_output(self->chain, name, (le_value){value})) ? Py_NewRef(Py_None)
                                                                             : NULL;
}

/* --- steps --- */

/* One argument of a step: (name, kind, value); kinds: "in" and "out" (values), "f64", "i64", "str",
 * "f64s" (an array of doubles), "table" (an array). */
static bool step_arg(PyObject *triple, le_arg *a, le_tensor *t) {
    const char *name, *kind;
    PyObject *value;
    if (!PyArg_ParseTuple(triple, "ssO", &name, &kind, &value))
        return false;
    *a = (le_arg){.name = name};
    if (!strcmp(kind, "in") || !strcmp(kind, "out")) {
        a->kind = *kind == 'i' ? LE_KIND_VALUE_IN : LE_KIND_VALUE_OUT;
        a->value.i64 = PyLong_AsLongLong(value);
    } else if (!strcmp(kind, "f64")) {
        a->kind = LE_KIND_F64;
        a->value.f64 = PyFloat_AsDouble(value);
    } else if (!strcmp(kind, "i64")) {
        a->kind = LE_KIND_I64;
        a->value.i64 = PyLong_AsLongLong(value);
    } else if (!strcmp(kind, "str")) {
        a->kind = LE_KIND_STR;
        a->value.str = PyUnicode_AsUTF8AndSize(value, NULL);
    } else if (core_tensor_of_array(value, "chain", name, t)) {
        bool table = *kind == 't';
        a->kind = table ? LE_KIND_TABLE : LE_KIND_F64S;
        a->count = (size_t)le_tensor_count(t);
        if (table)
            a->value.in = t;
        else
            a->value.f64s = t->data;
    }
    return !PyErr_Occurred();
}

static PyObject *chain_add(PyObject *o, PyObject *args) {
    core_chain *self = usable(o);
    const char *operation;
    PyObject *list;
    le_arg given[LE_MAX_ARGS];
    le_tensor tensors[LE_MAX_ARGS];
    if (!self || !PyArg_ParseTuple(args, "sO!", &operation, &PyList_Type, &list))
        return NULL;
    Py_ssize_t n = PyList_Size(list);
    if (n > LE_MAX_ARGS) {
        PyErr_SetString(PyExc_TypeError, "too many arguments");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!step_arg(PyList_GetItem(list, i), &given[i], &tensors[i]))
            return NULL;
    return core_check(le_chain_add_args(self->chain, operation, given, (size_t)n))
               ? Py_NewRef(Py_None)
               : NULL;
}

/* (shape, dtype); shape None while no step has written it */
static PyObject *chain_shape(PyObject *o, PyObject *value) {
    core_chain *self = usable(o);
    if (!self)
        return NULL;
    le_tensor t = le_chain_shape(self->chain, (le_value){(int32_t)PyLong_AsLong(value)});
    if (!t.dtype)
        return Py_BuildValue("(OO)", Py_None, Py_None);
    PyObject *shape = PyTuple_New(t.ndim);
    for (int i = 0; shape && i < t.ndim; i++)
        PyTuple_SetItem(shape, i, PyLong_FromLongLong(t.shape[i]));
    return Py_BuildValue("(NN)", shape, core_dtype_object(t.dtype));
}

/* --- running --- */

typedef struct run {
    core_call call;                           /* for options only */
    le_arg args[2 * LE_MAX_ARGS + CORE_ARGS]; /* and options */
    le_tensor tensors[2 * LE_MAX_ARGS];
    size_t n, first_output, n_outputs;
} run;

/* `inputs` keeps the memory, also of a copy. */
static bool hold_input(PyObject *inputs, PyObject *name, PyObject *array, const char *text,
                       le_tensor *t) {
    PyObject *holder = core_tensor_of_input(array, "chain", text, t);
    bool good = holder && (holder == array || PyDict_SetItem(inputs, name, holder) == 0);
    Py_XDECREF(holder);
    return good;
}

static bool add_inputs(run *r, PyObject *inputs) {
    PyObject *name, *array;
    Py_ssize_t at = 0;
    while (PyDict_Next(inputs, &at, &name, &array)) {
        const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
        le_tensor *t = &r->tensors[r->n];
        bool own = PyObject_TypeCheck(array, core_tensor_type);
        if (own)
            *t = ((core_tensor *)array)->t;
        if (!text || (!own && !hold_input(inputs, name, array, text, t)))
            return false;
        r->args[r->n++] = (le_arg){.name = text, .kind = LE_KIND_IN, .value.in = t};
    }
    return true;
}

static bool add_outputs(run *r, PyObject *names) {
    r->first_output = r->n;
    r->n_outputs = (size_t)PyTuple_Size(names);
    for (size_t k = 0; k < r->n_outputs; k++) {
        const char *text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, (Py_ssize_t)k), NULL);
        le_tensor *t = &r->tensors[r->n];
        if (!text)
            return false;
        *t = (le_tensor){0};
        r->args[r->n++] = (le_arg){.name = text, .kind = LE_KIND_OUT, .value.out = t};
    }
    return true;
}

static PyObject *outputs_of(run *r) {
    PyObject *all = PyTuple_New((Py_ssize_t)r->n_outputs);
    for (size_t k = 0; all && k < r->n_outputs; k++) {
        le_tensor *t = &r->tensors[r->first_output + k];
        PyObject *one = r->call.keep ? core_tensor_new(t, NULL) : core_array_of(t);
        if (!one || PyTuple_SetItem(all, (Py_ssize_t)k, one) != 0)
            Py_CLEAR(all);
    }
    return all;
}

static PyObject *run_chain(core_chain *self, run *r) {
    core_engine *e = (core_engine *)self->engine;
    le_status status;
    PyObject *shown = core_call_show(&r->call);
    if (PyErr_Occurred())
        return NULL;
    if (!core_engine_begin(e)) {
        core_call_shown(&r->call, shown);
        return NULL;
    }
    core_outside outside;
    core_leave(&outside, shown);
    status = le_chain_run_args(self->chain, r->args, r->n);
    core_back(&outside);
    e->in_use--;
    core_call_shown(&r->call, shown);
    return core_check(status) ? outputs_of(r) : NULL;
}

/* run(inputs, output names, options) */
static PyObject *chain_run(PyObject *o, PyObject *args) {
    PyObject *inputs, *names, *options, *result = NULL;
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyDict_Type, &inputs, &PyTuple_Type, &names,
                          &PyDict_Type, &options))
        return NULL;
    if (PyDict_Size(inputs) + PyTuple_Size(names) > 2 * LE_MAX_ARGS) {
        PyErr_Format(PyExc_TypeError, "chain: %zd inputs and outputs, at most %d are taken",
                     PyDict_Size(inputs) + PyTuple_Size(names), 2 * LE_MAX_ARGS);
        return NULL;
    }
    run *r = PyMem_Calloc(1, sizeof *r);
    if (!r)
        return PyErr_NoMemory();
    if (add_inputs(r, inputs) && add_outputs(r, names) && core_options_from(&r->call, options)) {
        memcpy(r->args + r->n, r->call.args, r->call.n * sizeof *r->args);
        r->n += r->call.n;
        result = run_chain((core_chain *)o, r);
    }
    core_call_end(&r->call);
    PyMem_Free(r);
    return result;
}

static PyObject *chain_plan(PyObject *o, PyObject *options) {
    core_chain *self = (core_chain *)o;
    core_engine *e = (core_engine *)self->engine;
    le_chain_plan *plan = NULL;
    char *text = NULL;
    le_status status;
    core_call *c = PyMem_Calloc(1, sizeof *c);
    if (!c)
        return PyErr_NoMemory();
    if (!core_options_from(c, options) || !core_engine_begin(e)) {
        core_call_end(c);
        PyMem_Free(c);
        return NULL;
    }
    core_outside outside;
    core_leave(&outside, NULL);
    status = le_chain_explain(self->chain, &plan, c->args, c->n);
    if (status == LE_OK)
        text = le_chain_plan_json(plan);
    le_chain_plan_free(&plan);
    core_back(&outside);
    e->in_use--;
    core_call_end(c);
    PyMem_Free(c);
    PyObject *r = core_check(status) && text ? PyUnicode_FromString(text) : NULL;
    free(text);
    return r;
}

static PyObject *chain_register(PyObject *o, PyObject *args) {
    core_chain *self = usable(o);
    const char *name, *summary;
    if (!self || !PyArg_ParseTuple(args, "sz", &name, &summary))
        return NULL;
    core_engine *e = (core_engine *)self->engine;
    if (!core_engine_begin_alone(e, CORE_REGISTERING, CORE_ALONE_SECONDS))
        return NULL;
    le_status status = le_chain_as_operation(self->chain, name, summary);
    core_engine_end_alone(e);
    core_count_definition();
    return core_check(status) ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef chain_methods[] = {
    {"input", chain_input, METH_VARARGS, NULL},
    {"constant", chain_constant, METH_O, NULL},
    {"temp", chain_temp, METH_NOARGS, NULL},
    {"slice", chain_slice, METH_VARARGS, NULL},
    {"output", chain_output, METH_VARARGS, NULL},
    {"add", chain_add, METH_VARARGS, NULL},
    {"shape", chain_shape, METH_O, NULL},
    {"run", chain_run, METH_VARARGS, NULL},
    {"plan", chain_plan, METH_O, NULL},
    {"register", chain_register, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot chain_slots[] = {
    {Py_tp_new, chain_new}, {Py_tp_dealloc, chain_free}, {Py_tp_methods, chain_methods}, {0, NULL}};
static PyType_Spec chain_spec = {"liquid_engine._core.Chain", sizeof(core_chain), 0,
                                 Py_TPFLAGS_DEFAULT, chain_slots};

bool core_chain_add(PyObject *module) {
    chain_type = (PyTypeObject *)PyType_FromSpec(&chain_spec);
    return chain_type && PyModule_AddObjectRef(module, "Chain", (PyObject *)chain_type) == 0;
}
