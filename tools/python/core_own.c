/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Own operations and their implementations as Python describes them, registered. Descriptors are
 * never freed: chains and choices of an engine may name them as long as it lives.
 */
#include "core_own.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(PyObject *dict, const char *name) {
    PyObject *v = PyDict_GetItemString(dict, name);
    const char *text = v && v != Py_None ? PyUnicode_AsUTF8AndSize(v, NULL) : NULL;
    return text ? strdup(text) : NULL;
}

static double number(PyObject *dict, const char *name) {
    PyObject *v = PyDict_GetItemString(dict, name);
    return v && v != Py_None ? PyFloat_AsDouble(v) : 0;
}

static bool truth(PyObject *dict, const char *name) {
    PyObject *v = PyDict_GetItemString(dict, name);
    return v && PyObject_IsTrue(v) > 0;
}

static bool read_extents(PyObject *list, extent *out, le_arg_desc *of) {
    Py_ssize_t n = PySequence_Size(list);
    if (n > LE_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "argument '%s' has %zd axes, expected at most %d", of->name,
                     n, LE_MAX_DIMS);
        return false;
    }
    for (Py_ssize_t d = 0; d < n; d++) {
        PyObject *triple = PySequence_GetItem(list, d);
        long long factor, offset;
        if (triple && PyArg_ParseTuple(triple, "iLL", &out[d].symbol, &factor, &offset)) {
            out[d].factor = factor;
            out[d].offset = offset;
        }
        Py_XDECREF(triple);
    }
    of->min_ndim = of->max_ndim = (int8_t)n;
    return !PyErr_Occurred();
}

/* An argument: {name, type: in out f64 i64, dtypes, shape, extents, optional, default, doc} */
static bool read_arg(own_operation *o, size_t i, PyObject *dict) {
    le_arg_desc *d = &o->args[i];
    char *type = copy_text(dict, "type");
    if (!type)
        return false;
    d->name = copy_text(dict, "name");
    d->doc = copy_text(dict, "doc");
    d->optional = truth(dict, "optional");
    d->has_default = d->optional;
    d->default_f64 = number(dict, "default");
    d->type = !strcmp(type, "in")    ? LE_TYPE_IN
              : !strcmp(type, "out") ? LE_TYPE_OUT
              : !strcmp(type, "f64") ? LE_TYPE_F64
                                     : LE_TYPE_I64;
    free(type);
    if (d->type != LE_TYPE_IN && d->type != LE_TYPE_OUT) {
        d->cost = d->type == LE_TYPE_I64;
        return true;
    }
    PyObject *dtypes = PyDict_GetItemString(dict, "dtypes");
    for (Py_ssize_t k = 0; k < PySequence_Size(dtypes); k++) {
        PyObject *name = PySequence_GetItem(dtypes, k);
        le_dtype dtype = (le_dtype)0;
        if (name && core_dtype_from(name, &dtype))
            d->dtypes |= LE_DTYPE_BIT(dtype);
        if (k == 0)
            o->dtypes[i] = dtype;
        Py_XDECREF(name);
    }
    if (d->type == LE_TYPE_OUT && o->dtypes[i] == LE_F32)
        d->dtypes |= LE_DTYPE_BIT(LE_F64); /* so that the reference answers in double precision */
    d->shape = copy_text(dict, "shape");
    return read_extents(PyDict_GetItemString(dict, "extents"), o->extents[i], d);
}

static bool read_symbols(own_operation *o, PyObject *dict) {
    PyObject *names = PyDict_GetItemString(dict, "symbols");
    o->n_symbols = (int)PySequence_Size(names);
    if (o->n_symbols > SYMBOLS) {
        PyErr_Format(PyExc_ValueError, "at most %d symbols are possible", SYMBOLS);
        return false;
    }
    for (int s = 0; s < o->n_symbols; s++) {
        PyObject *name = PySequence_GetItem(names, s);
        const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        o->symbols[s] = text ? strdup(text) : NULL;
        Py_XDECREF(name);
        if (!o->symbols[s])
            return false;
        o->symbol_args[s] = -1;
        for (size_t i = 0; i < o->operation.n_args; i++)
            if (o->args[i].type == LE_TYPE_I64 && !strcmp(o->args[i].name, o->symbols[s]))
                o->symbol_args[s] = (int)i;
    }
    return !PyErr_Occurred();
}

static own_operation *read_operation(PyObject *dict) {
    own_operation *o = calloc(1, sizeof *o);
    PyObject *args = PyDict_GetItemString(dict, "args"),
             *cases = PyDict_GetItemString(dict, "cases");
    Py_ssize_t n = args ? PySequence_Size(args) : -1;
    if (!o || n < 0 || n > LE_MAX_ARGS) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "too many arguments");
        free(o);
        return NULL;
    }
    o->operation = (le_operation){.abi = LE_METHOD_ABI,
                                  .name = copy_text(dict, "name"),
                                  .family = "own",
                                  .summary = copy_text(dict, "summary"),
                                  .reference = copy_text(dict, "reference"),
                                  .args = o->args,
                                  .n_args = (size_t)n,
                                  .check = core_own_check,
                                  .work = core_own_work,
                                  .key = core_own_key,
                                  .norm = truth(dict, "of_largest") ? LE_NORM_MAX : LE_NORM_ABS,
                                  .atol = number(dict, "atol"),
                                  .rtol = number(dict, "rtol"),
                                  .make_case = core_own_make_case,
                                  .user = o};
    bool good = true;
    for (Py_ssize_t i = 0; good && i < n; i++) {
        PyObject *a = PySequence_GetItem(args, i);
        good = a && read_arg(o, (size_t)i, a);
        Py_XDECREF(a);
    }
    if (good && read_symbols(o, dict)) {
        o->cases = cases && cases != Py_None ? Py_NewRef(cases) : NULL;
        return o;
    }
    free(o);
    return NULL;
}

/* The engine while nobody else uses it; what is registered must not overlap calls. */
static core_engine *alone(PyObject *engine) {
    core_engine *e = core_engine_get(engine);
    if (e && !core_engine_begin_alone(e, CORE_REGISTERING, CORE_ALONE_SECONDS)) {
        Py_DECREF((PyObject *)e);
        return NULL;
    }
    return e;
}

static bool registered(core_engine *engine, le_status status) {
    core_engine_end_alone(engine);
    Py_DECREF((PyObject *)engine);
    return core_check(status);
}

/* register_operation(engine, dict): a number for register_implementation. */
static PyObject *register_operation(PyObject *module, PyObject *args) {
    PyObject *engine, *dict;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!", &engine, &PyDict_Type, &dict))
        return NULL;
    own_operation *o = read_operation(dict);
    core_engine *e = o ? alone(engine) : NULL;
    bool good = e && registered(e, le_register_operation(e->engine, &o->operation));
    core_count_definition();
    return good ? PyLong_FromVoidPtr(o) : NULL;
}

static bool read_tunables(own_implementation *m, PyObject *dict) {
    PyObject *tune = PyDict_GetItemString(dict, "tune"), *name, *values;
    Py_ssize_t at = 0;
    if (!tune || tune == Py_None)
        return true;
    if (PyDict_Size(tune) > TUNABLES) {
        PyErr_Format(PyExc_ValueError, "at most %d tunables are possible", TUNABLES);
        return false;
    }
    while (PyDict_Next(tune, &at, &name, &values)) {
        le_tunable *t = &m->tunables[m->implementation.n_tunables];
        Py_ssize_t n = PySequence_Size(values);
        if (n == 0)
            PyErr_Format(PyExc_ValueError, "tunable %R: expected one value at least", name);
        int64_t *list = n > 0 ? malloc((size_t)n * sizeof *list) : NULL;
        const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
        if (!list || !text)
            return false;
        for (Py_ssize_t k = 0; k < n; k++) {
            PyObject *v = PySequence_GetItem(values, k);
            list[k] = v ? PyLong_AsLongLong(v) : 0;
            Py_XDECREF(v);
        }
        *t = (le_tunable){strdup(text), list, (size_t)n, list[0]};
        if (!strcmp(text, "local"))
            m->simple.local = t->name;
        m->implementation.n_tunables++;
    }
    m->implementation.tunables = m->tunables;
    return !PyErr_Occurred();
}

static bool read_kind(own_implementation *m, PyObject *dict, const char *kind) {
    PyObject *function = PyDict_GetItemString(dict, "function");
    PyObject *address = PyDict_GetItemString(dict, "address");
    if (!strcmp(kind, "python") || !strcmp(kind, "reference")) {
        if (function)
            core_own_by_python(m, function, *kind == 'r');
        return function != NULL;
    }
    if (!strcmp(kind, "machine")) {
        union {
            void *data;
            machine_fn function;
        } at = {address ? PyLong_AsVoidPtr(address) : NULL};
        core_own_by_machine(m, at.function, truth(dict, "serial"));
        return at.data && !PyErr_Occurred();
    }
    const char *text = copy_text(dict, "text"), *kernel = copy_text(dict, "kernel");
    if (text && kernel)
        core_own_by_opencl(m, copy_text(dict, "source_name"), text, kernel);
    return text && kernel;
}

/* register_implementation(engine, operation, dict) with {operation, name, run_type, kind, source,
 * ...} */
static PyObject *register_implementation(PyObject *module, PyObject *args) {
    PyObject *engine, *number_of, *dict;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO!", &engine, &number_of, &PyDict_Type, &dict))
        return NULL;
    own_implementation *m = calloc(1, sizeof *m);
    char *kind = copy_text(dict, "kind");
    if (!m || !kind)
        return PyErr_NoMemory();
    m->of = PyLong_AsVoidPtr(number_of);
    m->implementation = (le_implementation){.abi = LE_METHOD_ABI,
                                            .operation = copy_text(dict, "operation"),
                                            .name = copy_text(dict, "name"),
                                            .run_type = copy_text(dict, "run_type"),
                                            .summary = copy_text(dict, "summary"),
                                            .speed = number(dict, "speed"),
                                            .source = copy_text(dict, "source"),
                                            .user = m};
    bool good = read_tunables(m, dict) && read_kind(m, dict, kind);
    free(kind);
    if (!good && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "the implementation is incomplete");
    core_engine *e = good ? alone(engine) : NULL;
    good = e && registered(e, le_register_implementation(e->engine, &m->implementation));
    return good ? PyLong_FromVoidPtr(m) : NULL;
}

/* Another function object of the same version: its closure and globals may be new. */
static PyObject *replace_function(PyObject *module, PyObject *args) {
    PyObject *number_of, *function;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &number_of, &function))
        return NULL;
    own_implementation *m = PyLong_AsVoidPtr(number_of);
    if (m) {
        Py_XDECREF(m->function);
        m->function = Py_NewRef(function);
    }
    return m ? Py_NewRef(Py_None) : NULL;
}

static PyObject *unregister_implementation(PyObject *module, PyObject *args) {
    PyObject *engine;
    const char *operation, *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oss", &engine, &operation, &name))
        return NULL;
    core_engine *e = alone(engine);
    bool good = e && registered(e, le_unregister_implementation(e->engine, operation, name));
    return good ? Py_NewRef(Py_None) : NULL;
}

/* The file that holds the code at an address; None: none. */
static PyObject *file_of_code(PyObject *module, PyObject *address) {
    Dl_info info;
    (void)module;
    void *at = PyLong_AsVoidPtr(address);
    if (PyErr_Occurred())
        return NULL;
    if (!dladdr(at, &info) || !info.dli_fname)
        Py_RETURN_NONE;
    return PyUnicode_FromString(info.dli_fname);
}

PyMethodDef core_own_methods[] = {
    {"register_operation", register_operation, METH_VARARGS, NULL},
    {"register_implementation", register_implementation, METH_VARARGS, NULL},
    {"unregister_implementation", unregister_implementation, METH_VARARGS, NULL},
    {"replace_function", replace_function, METH_VARARGS, NULL},
    {"file_of_code", file_of_code, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
