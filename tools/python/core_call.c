/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations as functions: what Python gives becomes a call of the library, its outputs arrays.
 */
#include "core_function.h"

#include <string.h>

const char *const core_option_texts[OPTIONS] = {
    "rtol",      "atol",         "device", "mode", "implementation", "run_type", "memory_limit",
    "objective", "reproducible", "keep",   "out",  "outputs",        "engine",   "progress"};
PyObject *core_option_names[OPTIONS];

enum { ENGINE_OPTION = 12 };
static const struct option {
    int option;
    char kind; /* f: number, s: text, b: bytes, t, k: truth, m: mode, o: objective, else of the call
                */
} options[OPTIONS] = {{LE_OPTION_RTOL, 'f'},
                      {LE_OPTION_ATOL, 'f'},
                      {LE_OPTION_DEVICE, 's'},
                      {LE_OPTION_MODE, 'm'},
                      {LE_OPTION_IMPLEMENTATION, 's'},
                      {LE_OPTION_RUN_TYPE, 's'},
                      {LE_OPTION_MEMORY_LIMIT, 'b'},
                      {LE_OPTION_OBJECTIVE, 'o'},
                      {LE_OPTION_REPRODUCIBLE, 't'},
                      {LE_OPTION_KEEP_ON_DEVICE, 'k'},
                      {0, 'O'},
                      {0, 'U'},
                      {0, 'E'},
                      {0, 'P'}};

/* Set by Python: what traces a call in a chain, and the options of open blocks. */
static PyObject *trace_function, *blocks_variable, *result_function, *progress_function;
static int open_blocks;

/* ------------------------------------------------------------------------- arguments --------- */

/* Says whose argument or option a conversion has refused, where the text does not begin with the
 * operation. Exceptions of other types are the caller's own. */
static bool named(const core_call *c, const char *kind, const char *name) {
    PyObject *type, *value, *trace, *text = NULL;
    PyErr_Fetch(&type, &value, &trace);
    bool plain = type == PyExc_TypeError || type == PyExc_ValueError ||
                 type == PyExc_OverflowError || type == PyExc_UnicodeEncodeError;
    if (plain)
        text = PyObject_Str(value);
    if (!text || PyUnicode_Find(text, c->function->name, 0, PY_SSIZE_T_MAX, 1) == 0) {
        PyErr_Restore(type, value, trace);
        Py_XDECREF(text);
        return false;
    }
    PyErr_Format(type == PyExc_UnicodeEncodeError ? PyExc_ValueError : type, "%s: %s '%s': %.400U",
                 c->function->text, kind, name, text);
    Py_DECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return false;
}

static bool own(core_call *c, PyObject *reference) {
    if (!reference)
        return false;
    if (c->n_owned == sizeof c->owned / sizeof *c->owned) {
        Py_DECREF(reference);
        PyErr_SetString(PyExc_TypeError, "too many arguments");
        return false;
    }
    c->owned[c->n_owned++] = reference;
    return true;
}

static le_arg *add(core_call *c, const char *name, int kind) {
    le_arg *a = &c->args[c->n++];
    *a = (le_arg){.name = name, .kind = kind};
    return a;
}

static PyObject *path_of(PyObject *object) {
    if (PyUnicode_Check(object))
        return Py_NewRef(object);
    if (!PyObject_HasAttrString(object, "__fspath__"))
        return NULL;
    return PyOS_FSPath(object);
}

static bool read_place(core_call *c, PyObject *place, uint32_t dtypes, le_tensor *t) {
    const char *text = core_text(place);
    le_io_options o = {.struct_size = sizeof o, .dtypes = dtypes};
    le_status status;
    le_tensor got = {0};
    if (!text)
        return false;
    if (!core_engine_begin(c->engine))
        return false;
    core_outside outside;
    core_leave(&outside, NULL);
    status = le_io_read(c->engine->engine, text, &o, &got);
    core_back(&outside);
    c->engine->in_use--;
    if (!core_check(status))
        return false;
    *t = got;
    return own(c, core_tensor_new(&got, NULL));
}

static bool take_array(core_call *c, PyObject *value, const le_arg_desc *d, le_tensor *t) {
    const char *operation = c->function->text;
    uint32_t dtypes = d->type == LE_TYPE_TABLE ? 0 : d->dtypes;
    if (PyArray_Check(value)) /* of a subclass */
        return core_tensor_of_array(value, operation, d->name, t);
    if (PyObject_TypeCheck(value, core_tensor_type)) {
        *t = ((core_tensor *)value)->t;
        return true;
    }
    PyObject *place = path_of(value);
    if (place) {
        bool read = read_place(c, place, dtypes, t);
        Py_DECREF(place);
        return read;
    }
    if (PyErr_Occurred())
        return false;
    PyObject *array = core_as_array(value, operation, d->name, dtypes);
    return own(c, array) && core_tensor_of_array(array, operation, d->name, t);
}

static bool take_input(core_call *c, PyObject *value, int i) {
    const le_arg_desc *d = &c->function->operation->args[i];
    le_tensor *t = &c->tensors[i];
    bool array = PyArray_CheckExact(value);
    if (!array && PyObject_TypeCheck(value, core_stream_type)) {
        c->stream_place = core_text(((core_stream *)value)->place);
        c->stream_arg = d->name;
        return c->stream_place != NULL;
    }
    if (!(array ? core_tensor_of_array(value, c->function->text, d->name, t)
                : take_array(c, value, d, t)))
        return false;
    add(c, d->name, d->type == LE_TYPE_TABLE ? LE_KIND_TABLE : LE_KIND_IN)->value.in = t;
    return true;
}

/* Fractions and the like are numbers. */
static bool has_none(PyObject *array) {
    PyObject *list = PyObject_CallMethod(array, "ravel", NULL);
    Py_ssize_t n = list ? PySequence_Size(list) : 0;
    bool found = false;
    for (Py_ssize_t k = 0; k < n && !found; k++) {
        PyObject *item = PySequence_GetItem(list, k);
        found = !item || item == Py_None;
        Py_XDECREF(item);
    }
    Py_XDECREF(list);
    return found;
}

/* Real numbers: numpy would make NaN of None and drop imaginary parts. */
static PyObject *numbers_of(PyObject *value) {
    PyObject *given = PyArray_FromAny(value, NULL, 0, 0, 0, NULL), *array = NULL;
    int type = given ? PyArray_TYPE((PyArrayObject *)given) : NPY_NOTYPE;
    if (PyTypeNum_ISINTEGER(type) || PyTypeNum_ISFLOAT(type) || PyTypeNum_ISBOOL(type) ||
        (type == NPY_OBJECT && !has_none(given)))
        array = PyArray_FromAny(given, PyArray_DescrFromType(NPY_DOUBLE), 0, 0,
                                NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST, NULL);
    else if (given)
        PyErr_Format(PyExc_TypeError, "expected numbers, not %S",
                     (PyObject *)PyArray_DESCR((PyArrayObject *)given));
    Py_XDECREF(given);
    return array;
}

static bool take_list(core_call *c, PyObject *value, const le_arg_desc *d) {
    PyObject *array = numbers_of(value);
    if (!own(c, array))
        return false;
    le_arg *a = add(c, d->name, LE_KIND_F64S);
    a->value.f64s = PyArray_DATA((PyArrayObject *)array);
    a->count = (size_t)PyArray_SIZE((PyArrayObject *)array);
    return true;
}

static bool take_number(core_call *c, PyObject *value, const le_arg_desc *d) {
    if (d->type == LE_TYPE_I64) {
        PyObject *index = PyNumber_Index(value);
        int64_t v = index ? PyLong_AsLongLong(index) : -1;
        Py_XDECREF(index);
        if (v == -1 && PyErr_Occurred())
            return false;
        add(c, d->name, LE_KIND_I64)->value.i64 = v;
        return true;
    }
    double v = PyFloat_AsDouble(value);
    if (v == -1 && PyErr_Occurred())
        return false;
    add(c, d->name, LE_KIND_F64)->value.f64 = v;
    return true;
}

static bool take_text(core_call *c, PyObject *value, const le_arg_desc *d) {
    PyObject *path = path_of(value); /* PONI files and the like may be paths */
    const char *text = path ? core_text(path) : NULL;
    if (!path && !PyErr_Occurred())
        core_text(value);
    if ((path && !own(c, path)) || !text)
        return false;
    add(c, d->name, LE_KIND_STR)->value.str = text;
    return true;
}

static bool take(core_call *c, PyObject *value, int i) {
    const le_arg_desc *d = &c->function->operation->args[i];
    if (value == Py_None && d->optional)
        return true;
    if (!PyArray_CheckExact(value) && PyObject_TypeCheck(value, core_value_type)) {
        c->traced = true;
        return true;
    }
    switch (d->type) {
    case LE_TYPE_IN:
    case LE_TYPE_TABLE:
        return take_input(c, value, i);
    case LE_TYPE_F64S:
        return take_list(c, value, d);
    case LE_TYPE_STR:
        return take_text(c, value, d);
    case LE_TYPE_STR_OR_F64:
        return PyUnicode_Check(value) ? take_text(c, value, d) : take_number(c, value, d);
    default:
        return take_number(c, value, d);
    }
}

/* --------------------------------------------------------------------------- options --------- */

static bool word_among(const char *what, const char *given, const char *const *words,
                       int64_t *out) {
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], given)) {
            *out = i;
            return true;
        }
    PyErr_Format(PyExc_ValueError, "there is no %s '%s'; there are time, p99, memory and cpu_time",
                 what, given);
    return false;
}

static bool take_word(le_arg *a, PyObject *value, const struct option *o) {
    static const char *const objectives[] = {"time", "p99", "memory", "cpu_time", NULL};
    const char *text = core_text(value);
    le_mode mode;
    if (!text)
        return false;
    if (o->kind == 's')
        a->value.str = text;
    else if (o->kind == 'o')
        return word_among("objective", text, objectives, &a->value.i64);
    else if (le_mode_from_name(text, &mode))
        a->value.i64 = (int64_t)mode;
    else
        PyErr_Format(PyExc_ValueError,
                     "there is no mode '%s'; there are estimate, learn, measure and frozen", text);
    return !PyErr_Occurred();
}

static bool take_bytes(le_arg *a, PyObject *value) {
    const char *text = PyUnicode_Check(value) ? core_text(value) : NULL;
    if (!text && !PyErr_Occurred())
        a->value.i64 = PyLong_AsLongLong(value);
    else if (text && !le_bytes_from_text(text, &a->value.i64))
        PyErr_Format(PyExc_ValueError, "expected bytes as a number or as '2G', not '%s'", text);
    return !PyErr_Occurred();
}

static bool read_option(core_call *c, PyObject *value, const struct option *o) {
    if (value == Py_None)
        return true;
    if (o->kind == 'O')
        c->out = value;
    else if (o->kind == 'U')
        c->outputs = value;
    else if (o->kind == 'P')
        c->progress = value;
    else if (o->kind == 'E' && value != (PyObject *)c->engine) {
        Py_DECREF((PyObject *)c->engine);
        c->engine = core_engine_get(value);
        return c->engine != NULL;
    }
    if (!o->option)
        return true;
    int truth = o->kind == 't' || o->kind == 'k' ? PyObject_IsTrue(value) : 1;
    if (truth <= 0)
        return truth == 0;
    c->keep = c->keep || o->kind == 'k';
    le_arg *a = &c->args[c->n++];
    *a = (le_arg){.kind = LE_KIND_OPTION, .option = o->option, .value.i64 = 1};
    if (o->kind == 'f')
        a->value.f64 = PyFloat_AsDouble(value);
    else if (o->kind == 'b')
        return take_bytes(a, value);
    else if (o->kind != 't' && o->kind != 'k')
        return take_word(a, value, o);
    return !PyErr_Occurred();
}

static bool take_option(core_call *c, PyObject *value, int i) {
    return read_option(c, value, &options[i]) || named(c, "option", core_option_texts[i]);
}

static int option_named(PyObject *name) {
    for (int i = 0; i < OPTIONS; i++)
        if (core_option_names[i] == name)
            return i;
    for (int i = 0; i < OPTIONS; i++)
        if (PyUnicode_Compare(core_option_names[i], name) == 0)
            return i;
    return -1;
}

bool core_options_from(core_call *c, PyObject *dict) {
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &name, &value)) {
        int i = option_named(name);
        if (i < 0) {
            PyErr_Format(PyExc_TypeError, "there is no option '%U'", name);
            return false;
        }
        if (!take_option(c, value, i))
            return false;
    }
    return true;
}

/* Of `with options(...)` blocks around the call: what it does not say itself. */
static bool take_blocks(core_call *c, uint32_t given) {
    PyObject *dict = NULL, *name, *value;
    Py_ssize_t at = 0;
    dict = PyObject_CallMethod(blocks_variable, "get", NULL);
    if (!own(c, dict))
        return false;
    bool good = true;
    while (good && PyDict_Next(dict, &at, &name, &value)) {
        int i = option_named(name);
        if (i >= 0 && !(given >> i & 1))
            good = take_option(c, value, i);
    }
    return good;
}

/* --------------------------------------------------------------------------- outputs --------- */

/* Numbers of the outputs that `outputs` names: a name, a sequence of them, or "all". */
static bool choose_outputs(core_call *c, int *chosen, int *n) {
    const core_function *f = c->function;
    *n = 0;
    if (!c->outputs) {
        for (; *n < f->n_usual; ++*n)
            chosen[*n] = *n;
        return true;
    }
    bool one = PyUnicode_Check(c->outputs);
    bool all = one && PyUnicode_CompareWithASCIIString(c->outputs, "all") == 0;
    Py_ssize_t names = one ? 1 : PySequence_Size(c->outputs);
    if (names < 0) {
        PyErr_Format(PyExc_TypeError,
                     "%s: outputs: expected a name, a sequence of names, or 'all', not %R", f->text,
                     (PyObject *)Py_TYPE(c->outputs));
        return false;
    }
    for (Py_ssize_t k = 0; k < (all ? f->n_outs : names); k++) {
        PyObject *name = one ? Py_NewRef(c->outputs) : PySequence_GetItem(c->outputs, k);
        int i = all ? (int)k : 0;
        while (!all && name && i < f->n_outs &&
               PyUnicode_Compare(PyTuple_GetItem(f->out_names, i), name) != 0)
            i++;
        if (name && i == f->n_outs)
            PyErr_Format(PyExc_ValueError, "%s: there is no output %.200R; there are %R", f->text,
                         name, f->out_names);
        Py_XDECREF(name);
        for (int before = 0; before < *n && !PyErr_Occurred(); before++)
            if (chosen[before] == i)
                PyErr_Format(PyExc_ValueError, "%s: output %R is named twice", f->text,
                             PyTuple_GetItem(f->out_names, i));
        if (PyErr_Occurred())
            return false;
        chosen[(*n)++] = i;
    }
    return !PyErr_Occurred();
}

/* The caller's array for output number k of n, borrowed; NULL: none. */
static bool find_out(const core_call *c, int k, int n, PyObject **out) {
    *out = NULL;
    if (!c->out)
        return true;
    bool tuple = !PyArray_CheckExact(c->out) && PyTuple_Check(c->out);
    if (n == 1 && !tuple) {
        *out = c->out;
        return true;
    }
    if (!tuple || PyTuple_Size(c->out) != n) {
        PyErr_Format(PyExc_TypeError, "%s: out: expected a tuple of %d arrays or None",
                     c->function->text, n);
        return false;
    }
    PyObject *given = PyTuple_GetItem(c->out, k);
    *out = given == Py_None ? NULL : given;
    return true;
}

static bool take_out(core_call *c, PyObject *out, int i) {
    const char *name = c->function->operation->args[i].name;
    if (!PyArray_Check(out)) {
        PyErr_Format(PyExc_TypeError, "%s: out '%s': expected a numpy.ndarray, not %R",
                     c->function->text, name, (PyObject *)Py_TYPE(out));
        return false;
    }
    if (!PyArray_ISWRITEABLE((PyArrayObject *)out)) {
        PyErr_Format(PyExc_ValueError, "%s: out '%s' is read-only", c->function->text, name);
        return false;
    }
    return core_tensor_of_array(out, c->function->text, name, &c->tensors[i]);
}

static bool add_output(core_call *c, int i, PyObject *out) {
    if (!out)
        memset(&c->tensors[i], 0, sizeof c->tensors[i]);
    else if (!take_out(c, out, i))
        return false;
    c->given_outs[c->n_outs] = i;
    c->outs[c->n_outs++] = out;
    add(c, c->function->operation->args[i].name, LE_KIND_OUT)->value.out = &c->tensors[i];
    return true;
}

static bool is_given(const core_call *c, int i) {
    for (size_t k = 0; k < c->n_outs; k++)
        if (c->given_outs[k] == i)
            return true;
    return false;
}

/* Those that are wanted, then those that the operation must have all the same. */
static bool add_outputs(core_call *c) {
    const core_function *f = c->function;
    int chosen[LE_MAX_ARGS], n;
    if (!choose_outputs(c, chosen, &n))
        return false;
    for (int k = 0; k < n; k++) {
        PyObject *out;
        if (!find_out(c, k, n, &out) || !add_output(c, f->outs[chosen[k]], out))
            return false;
    }
    c->n_shown = c->n_outs;
    for (int k = 0; k < f->n_usual; k++)
        if (!f->operation->args[f->outs[k]].optional && !is_given(c, f->outs[k]))
            add_output(c, f->outs[k], NULL);
    return true;
}

/* ----------------------------------------------------------------------- a whole call -------- */

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
        return take_option(c, value, p->arg - FIRST_OPTION);
    }
    if (g->args >> p->arg & 1) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'",
                     c->function->text, p->name);
        return false;
    }
    g->args |= UINT64_C(1) << p->arg;
    return take(c, value, p->arg) ||
           named(c, "argument", c->function->operation->args[p->arg].name);
}

/* The engine is known before places are read with it. Words in calls are interned. */
static bool choose_engine(core_call *c, PyObject *const *args, size_t n_args, PyObject *names) {
    PyObject *own = c->function->engine, *engine = own;
    Py_ssize_t n_names = names ? Py_SIZE(names) : 0;
    for (Py_ssize_t k = 0; k < n_names; k++)
        if (PyTuple_GetItem(names, k) == core_option_names[ENGINE_OPTION] &&
            args[n_args + (size_t)k] != Py_None)
            engine = args[n_args + (size_t)k];
    c->engine = engine && engine == own ? (core_engine *)Py_NewRef(own) : core_engine_get(engine);
    return c->engine != NULL;
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
    return choose_engine(c, args, n_args, names) && take_all(c, args, n_args, names, &g) &&
           (open_blocks == 0 || take_blocks(c, g.options)) && (c->traced || add_outputs(c));
}

void core_call_end(core_call *c) {
    for (size_t i = 0; i < c->n_owned; i++)
        Py_DECREF(c->owned[i]);
    Py_XDECREF((PyObject *)c->engine);
}

const char *core_function_operation(const core_function *f) {
    return f->text;
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

/* The result of output number k: the caller's array, of counted ones the rows that there are, or
 * an array of what the engine made. */
static PyObject *result_of(core_call *c, size_t k) {
    le_tensor *t = &c->tensors[c->given_outs[k]];
    PyObject *out = c->outs[k];
    if (!out)
        return c->keep ? core_tensor_new(t, NULL) : core_array_of(t);
    if (t->ndim == 0 || t->shape[0] == PyArray_DIM((PyArrayObject *)out, 0))
        return Py_NewRef(out);
    return PySequence_GetSlice(out, 0, (Py_ssize_t)t->shape[0]);
}

static PyObject *results(core_call *c) {
    core_function *f = c->function;
    if (c->n_shown == 1)
        return result_of(c, 0);
    PyObject *all = PyTuple_New((Py_ssize_t)c->n_shown);
    for (size_t k = 0; all && k < c->n_shown; k++) {
        PyObject *one = result_of(c, k);
        if (!one || PyTuple_SetItem(all, (Py_ssize_t)k, one) != 0)
            Py_CLEAR(all);
    }
    PyObject *named = all ? PyObject_CallFunction(result_function, "OOO", (PyObject *)f, all,
                                                  c->outputs ? c->outputs : Py_None)
                          : NULL;
    Py_XDECREF(all);
    return named;
}

static void drop_results(core_call *c) {
    for (size_t k = 0; k < c->n_outs; k++)
        if (!c->outs[k] && c->tensors[c->given_outs[k]].storage)
            le_tensor_free(&c->tensors[c->given_outs[k]]);
}

static void close_bar(PyObject *bar) {
    PyObject *r = PyObject_CallMethod(bar, "close", NULL);
    if (!r)
        PyErr_Clear();
    Py_XDECREF(r);
    Py_DECREF(bar);
}

static PyObject *run_call(core_call *c) {
    le_status status;
    if (!core_engine_begin(c->engine))
        return NULL;
    PyObject *bar = c->progress == Py_True ? PyObject_CallNoArgs(progress_function) : NULL;
    bool shows = c->progress && c->progress != Py_True && c->progress != Py_False;
    core_outside outside;
    core_leave(&outside, shows ? c->progress : bar);
    status = run(c);
    core_back(&outside);
    c->engine->in_use--;
    if (bar)
        close_bar(bar);
    if (status == LE_ERR_DTYPE)
        core_say_conversion(c);
    bool good = core_check(status);
    PyObject *r = good ? results(c) : NULL;
    drop_results(c);
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
        r = PyObject_CallFunction(trace_function, "OOO", (PyObject *)f, positional, dict);
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
    if (!core_engine_begin(c->engine))
        return NULL;
    core_outside outside;
    core_leave(&outside, NULL);
    status = le_call_shapes(c->engine->engine, c->function->text, c->args, c->n, out);
    core_back(&outside);
    c->engine->in_use--;
    PyObject *dict = core_check(status) ? PyDict_New() : NULL;
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
                : !strcmp(kind, "cut")     ? core_cut(&c)
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
    if (!PyArg_ParseTuple(args, "OOOO", &trace_function, &blocks_variable, &result_function,
                          &progress_function))
        return NULL;
    Py_INCREF(trace_function);
    Py_INCREF(blocks_variable);
    Py_INCREF(result_function);
    Py_INCREF(progress_function);
    Py_RETURN_NONE;
}

PyObject *core_count_blocks(PyObject *module, PyObject *change) {
    (void)module;
    open_blocks += (int)PyLong_AsLong(change);
    Py_RETURN_NONE;
}
