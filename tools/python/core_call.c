/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations as functions: what Python gives becomes a call of the library, its outputs arrays.
 */
#include "core_call.h"

#include <string.h>

struct core_hooks core_hooks;
static int open_blocks; /* `with options(...)` blocks of all threads */

/* A place in the source names the same words each time. */
static int find(core_function *f, PyObject *name) {
    for (int i = f->next; i < f->n_params; i++)
        if (f->params[i].name == name)
            return f->next = i;
    for (int i = 0; i < f->next; i++)
        if (f->params[i].name == name)
            return f->next = i;
    for (int i = 0; i < f->n_params; i++)
        if (PyUnicode_Compare(f->params[i].name, name) == 0)
            return i;
    return -1;
}

static bool unknown(const core_function *f, PyObject *name) {
    PyObject *nearest = NULL, *all = PyList_New(0);
    for (int i = 0; all && i < f->n_params; i++)
        PyList_Append(all, f->params[i].name);
    PyObject *difflib = PyImport_ImportModule("difflib");
    PyObject *near =
        difflib ? PyObject_CallMethod(difflib, "get_close_matches", "OOi", name, all, 1) : NULL;
    if (near && PySequence_Size(near) > 0)
        nearest = PySequence_GetItem(near, 0);
    PyErr_Clear();
    if (nearest)
        PyErr_Format(PyExc_TypeError,
                     "%s() got an unexpected keyword argument '%U' (did you mean '%U'?)", f->text,
                     name, nearest);
    else
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", f->text,
                     name);
    Py_XDECREF(nearest);
    Py_XDECREF(near);
    Py_XDECREF(difflib);
    Py_XDECREF(all);
    return false;
}

typedef struct given {
    uint64_t args;    /* by index in the descriptor */
    uint32_t options; /* by number */
} given;

static bool take_parameter(core_call *c, int at, PyObject *value, given *g) {
    const parameter *p = &c->function->params[at];
    if (p->arg >= FIRST_OPTION) {
        g->options |= 1u << (p->arg - FIRST_OPTION);
        return core_take_option(c, value, p->arg - FIRST_OPTION);
    }
    if (g->args >> p->arg & 1) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'",
                     c->function->text, p->name);
        return false;
    }
    g->args |= UINT64_C(1) << p->arg;
    return core_take_argument(c, value, p->arg) ||
           core_call_blame(c, "argument", c->function->operation->args[p->arg].name);
}

bool core_call_use_engine(core_call *c, PyObject *engine) {
    core_engine *e = core_engine_get(engine), *before = c->engine;
    if (!e || !core_engine_begin(e)) {
        Py_XDECREF((PyObject *)e);
        return false;
    }
    c->engine = e;
    if (before)
        core_engine_end(before);
    return true;
}

/* The engine is known before places are read with it. Words in calls are interned. */
static bool choose_engine(core_call *c, PyObject *const *args, size_t n_args, PyObject *names) {
    PyObject *engine = c->function->engine;
    Py_ssize_t n_names = names ? Py_SIZE(names) : 0;
    for (Py_ssize_t k = 0; k < n_names; k++)
        if (PyTuple_GetItem(names, k) == core_option_names[ENGINE_OPTION] &&
            args[n_args + (size_t)k] != Py_None)
            engine = args[n_args + (size_t)k];
    /* in this order: while a call is under way nothing is registered */
    return core_call_use_engine(c, engine) && core_function_is_usable(c->function);
}

static bool take_all(core_call *c, PyObject *const *args, size_t n_args, PyObject *names,
                     given *g) {
    core_function *f = c->function;
    if (n_args > (size_t)f->n_positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zu given)",
                     f->text, f->n_positional, n_args);
        return false;
    }
    for (size_t k = 0; k < n_args; k++)
        if (!take_parameter(c, (int)k, args[k], g))
            return false;
    Py_ssize_t n_names = names ? Py_SIZE(names) : 0;
    for (Py_ssize_t k = 0; k < n_names; k++) {
        PyObject *name = PyTuple_GetItem(names, k);
        int at = find(f, name);
        if (at < 0)
            return unknown(f, name);
        if (!take_parameter(c, at, args[n_args + (size_t)k], g))
            return false;
    }
    for (int k = 0; k < f->n_needed; k++)
        if (!(g->args >> f->params[k].arg & 1)) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%U'", f->text,
                         f->params[k].name);
            return false;
        }
    return true;
}

bool core_call_begin(core_call *c, core_function *f, PyObject *const *args, size_t n_args,
                     PyObject *names) {
    given g = {0, 0};
    c->function = f;
    c->engine = NULL;
    c->n = c->n_owned = c->n_outs = c->n_shown = 0;
    c->out = c->outputs = c->progress = NULL;
    c->stream_place = c->stream_arg = NULL;
    c->keep = c->traced = false;
    bool chosen = choose_engine(c, args, n_args, names);
    f->n_calls++;
    return chosen && take_all(c, args, n_args, names, &g) &&
           (open_blocks == 0 || core_take_blocks(c, g.options)) &&
           (c->traced || core_add_outputs(c));
}

void core_call_end(core_call *c) {
    for (size_t i = 0; i < c->n_owned; i++)
        Py_DECREF(c->owned[i]);
    if (c->function)
        c->function->n_calls--;
    if (c->engine)
        core_engine_end(c->engine);
}

/* The bytes from *low to before *high. */
static void span_of(const le_tensor *t, const char **low, const char **high) {
    const ptrdiff_t size = (ptrdiff_t)le_dtype_size(t->dtype);
    *low = t->data;
    *high = *low + size;
    for (int d = 0; d < t->ndim; d++) {
        const ptrdiff_t reach = (ptrdiff_t)((t->shape[d] - 1) * t->strides[d]) * size;
        *(reach < 0 ? low : high) += reach;
    }
}

static bool lies_in(const le_tensor *part, const le_tensor *whole) {
    const char *low, *high, *from, *to;
    if (!whole->data || !part->data || le_tensor_count(whole) == 0)
        return false;
    span_of(part, &low, &high);
    span_of(whole, &from, &to);
    return low >= from && high <= to;
}

PyObject *core_call_holder(const core_call *c, const le_tensor *t) {
    for (size_t k = 0; k < c->n; k++) {
        const le_arg *a = &c->args[k];
        if ((a->kind == LE_KIND_IN || a->kind == LE_KIND_TABLE) && lies_in(t, a->value.in))
            return c->holders[a->value.in - c->tensors];
    }
    for (size_t k = 0; k < c->n_outs; k++)
        if (c->outs[k] && lies_in(t, &c->tensors[c->given_outs[k]]))
            return c->outs[k];
    return NULL;
}

const char *core_function_operation(const core_function *f) {
    return f->text;
}

const char *core_call_name(const core_call *c) {
    return c->function ? c->function->text : "chain";
}

static le_status run_stream(core_call *c) {
    le_io_stream *stream;
    le_status status = le_io_stream_open(c->engine->engine, c->stream_place, NULL, &stream);
    if (status != LE_OK)
        return status;
    status =
        le_stream_call(c->engine->engine, c->function->text, c->stream_arg, stream, c->args, c->n);
    le_io_stream_close(&stream);
    return status;
}

static le_status run(core_call *c) {
    return c->stream_place ? run_stream(c)
                           : le_call_run(c->engine->engine, c->function->text, c->args, c->n);
}

PyObject *core_call_show(const core_call *c) {
    if (c->progress == Py_True)
        return PyObject_CallNoArgs(core_hooks.progress);
    return c->progress == Py_False ? NULL : c->progress;
}

void core_call_shown(const core_call *c, PyObject *bar) {
    if (c->progress != Py_True || !bar)
        return;
    PyObject *r = PyObject_CallMethod(bar, "close", NULL);
    if (!r)
        PyErr_Clear();
    Py_XDECREF(r);
    Py_DECREF(bar);
}

static PyObject *run_call(core_call *c) {
    le_status status;
    PyObject *shown = core_call_show(c);
    if (PyErr_Occurred()) {
        core_drop_results(c);
        return NULL;
    }
    core_outside outside;
    core_leave(&outside, shown);
    outside.call = c;
    status = run(c);
    core_back(&outside);
    core_call_shown(c, shown);
    bool good = core_call_check(c, status);
    PyObject *r = good ? core_results(c) : NULL;
    core_drop_results(c);
    return r;
}

/* A call with values of a chain is a step of it. */
static PyObject *trace(core_function *f, PyObject *const *args, size_t n_args, PyObject *names) {
    Py_ssize_t n_names = names ? PyTuple_Size(names) : 0;
    PyObject *positional = PyTuple_New((Py_ssize_t)n_args), *dict = PyDict_New(), *r = NULL;
    for (size_t k = 0; positional && k < n_args; k++)
        PyTuple_SetItem(positional, (Py_ssize_t)k, Py_NewRef(args[k]));
    for (Py_ssize_t k = 0; dict && k < n_names; k++)
        PyDict_SetItem(dict, PyTuple_GetItem(names, k), args[n_args + (size_t)k]);
    if (positional && dict && !PyErr_Occurred())
        r = PyObject_CallFunction(core_hooks.trace, "OOO", (PyObject *)f, positional, dict);
    Py_XDECREF(positional);
    Py_XDECREF(dict);
    return r;
}

PyObject *core_call_vector(PyObject *callable, PyObject *const *args, size_t flags,
                           PyObject *names) {
    core_function *f = (core_function *)callable;
    size_t n_args = flags & ~ARGS_OFFSET;
    core_call c;
    bool good = core_call_begin(&c, f, args, n_args, names);
    PyObject *r = !good ? NULL : c.traced ? trace(f, args, n_args, names) : run_call(&c);
    core_call_end(&c);
    return r;
}

/* args and names of a call with a tuple and a dict; *vector is the caller's to free. */
static bool flatten(PyObject *args, PyObject *dict, PyObject ***vector, PyObject **names) {
    Py_ssize_t n = PyTuple_Size(args), k = n, at = 0;
    PyObject *name, *value;
    *names = dict && PyDict_Size(dict) ? PyTuple_New(PyDict_Size(dict)) : NULL;
    *vector = PyMem_Malloc((size_t)(n + (dict ? PyDict_Size(dict) : 0) + 1) * sizeof **vector);
    if (!*vector || PyErr_Occurred()) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        (*vector)[i] = PyTuple_GetItem(args, i);
    while (dict && PyDict_Next(dict, &at, &name, &value)) {
        PyTuple_SetItem(*names, k - n, Py_NewRef(name));
        (*vector)[k++] = value;
    }
    return true;
}

PyObject *core_call_tuple(PyObject *callable, PyObject *args, PyObject *dict) {
    PyObject **vector, *names;
    PyObject *r = NULL;
    if (flatten(args, dict, &vector, &names))
        r = core_call_vector(callable, vector, (size_t)PyTuple_Size(args), names);
    PyMem_Free(vector);
    Py_XDECREF(names);
    return r;
}

/* ------------------------------------------------------- calls that are looked at ------------ */

static PyObject *shapes(core_call *c) {
    le_tensor out[CORE_ARGS];
    le_status status;
    core_outside outside;
    core_leave(&outside, NULL);
    status = le_call_shapes(c->engine->engine, c->function->text, c->args, c->n, out);
    core_back(&outside);
    PyObject *dict = core_call_check(c, status) ? PyDict_New() : NULL;
    for (size_t i = 0; dict && i < c->n; i++) {
        if (c->args[i].kind != LE_KIND_OUT)
            continue;
        PyObject *shape = PyTuple_New(out[i].ndim);
        for (int k = 0; shape && k < out[i].ndim; k++)
            PyTuple_SetItem(shape, k, PyLong_FromLongLong(out[i].shape[k]));
        PyObject *pair = Py_BuildValue("(NN)", shape, core_dtype_object(out[i].dtype));
        if (!pair || PyDict_SetItemString(dict, c->args[i].name, pair) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(pair);
    }
    return dict;
}

/* _look(kind, args, dict, seconds) */
PyObject *core_look(PyObject *o, PyObject *arguments) {
    const char *kind;
    double seconds;
    PyObject *args, *dict, **vector = NULL, *names = NULL, *r = NULL;
    if (!PyArg_ParseTuple(arguments, "sO!O!d", &kind, &PyTuple_Type, &args, &PyDict_Type, &dict,
                          &seconds))
        return NULL;
    core_call c;
    if (flatten(args, dict, &vector, &names)) {
        bool good =
            core_call_begin(&c, (core_function *)o, vector, (size_t)PyTuple_Size(args), names);
        if (good && c.traced)
            PyErr_SetString(PyExc_TypeError, "a value of a chain has no contents yet");
        else if (good && c.stream_place)
            PyErr_SetString(PyExc_TypeError, "a stream can only be run");
        else if (good)
            r = !strcmp(kind, "shapes")    ? shapes(&c)
                : !strcmp(kind, "explain") ? core_explain(&c)
                : !strcmp(kind, "cut")     ? core_cut(&c, (int64_t)seconds)
                : !strcmp(kind, "time")    ? core_time(&c, (int)seconds)
                                           : core_bench(&c, seconds);
        core_call_end(&c);
    }
    PyMem_Free(vector);
    Py_XDECREF(names);
    return r;
}

PyObject *core_set_hooks(PyObject *module, PyObject *args) {
    (void)module;
    struct core_hooks h;
    if (!PyArg_ParseTuple(args, "OOOO", &h.trace, &h.blocks, &h.result, &h.progress))
        return NULL;
    Py_INCREF(h.trace);
    Py_INCREF(h.blocks);
    Py_INCREF(h.result);
    Py_INCREF(h.progress);
    core_hooks = h;
    Py_RETURN_NONE;
}

PyObject *core_count_blocks(PyObject *module, PyObject *change) {
    (void)module;
    open_blocks += (int)PyLong_AsLong(change);
    Py_RETURN_NONE;
}
