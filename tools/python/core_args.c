/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of a call: what Python gives as the operation takes it.
 */
#include "core_call.h"

#include <string.h>

bool core_call_blame(const core_call *c, const char *kind, const char *name) {
    PyObject *type, *value, *trace, *text = NULL;
    PyErr_Fetch(&type, &value, &trace);
    bool plain = type == PyExc_TypeError || type == PyExc_ValueError ||
                 type == PyExc_OverflowError || type == PyExc_UnicodeEncodeError;
    if (plain)
        text = PyObject_Str(value);
    const char *operation = core_call_name(c), *said = text ? core_text(text) : NULL;
    if (!said || !strncmp(said, operation, strlen(operation))) {
        PyErr_Clear();
        PyErr_Restore(type, value, trace);
        Py_XDECREF(text);
        return false;
    }
    PyErr_Format(type == PyExc_UnicodeEncodeError ? PyExc_ValueError : type, "%s: %s '%s': %.400U",
                 operation, kind, name, text);
    Py_DECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return false;
}

bool core_call_own(core_call *c, PyObject *reference) {
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

le_arg *core_call_add(core_call *c, const char *name, int kind) {
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

/* The place as the library takes it, whatever bytes are in it. */
static const char *place_text(core_call *c, PyObject *place) {
    PyObject *bytes = NULL;
    if (PyUnicode_FSConverter(place, &bytes))
        return core_call_own(c, bytes) ? PyBytes_AsString(bytes) : NULL;
    if (PyUnicode_Check(place)) {
        PyErr_Clear();
        core_text(place); /* says why */
    }
    return NULL;
}

static bool read_place(core_call *c, PyObject *place, uint32_t dtypes, le_tensor *t) {
    const char *text = place_text(c, place);
    le_io_options o = {.struct_size = sizeof o, .dtypes = dtypes};
    le_status status;
    le_tensor got = {0};
    if (!text)
        return false;
    core_outside outside;
    core_leave(&outside, NULL);
    status = le_io_read(c->engine->engine, text, &o, &got);
    core_back(&outside);
    if (!core_check(status))
        return false;
    *t = got;
    return core_call_own(c, core_tensor_new(&got, NULL));
}

/* *holder: who keeps its memory: the array, or a copy of one that is not aligned. */
static bool view_array(core_call *c, PyObject *array, const le_arg_desc *d, le_tensor *t,
                       PyObject **holder) {
    *holder = array;
    if (PyArray_ISALIGNED((PyArrayObject *)array))
        return core_tensor_of_array(array, c->function->text, d->name, t);
    *holder = core_tensor_of_input(array, c->function->text, d->name, t);
    return core_call_own(c, *holder);
}

/* *holder: who keeps its memory; as it is given: the value itself. */
static bool take_array(core_call *c, PyObject *value, const le_arg_desc *d, le_tensor *t,
                       PyObject **holder) {
    const char *operation = c->function->text;
    uint32_t dtypes = d->type == LE_TYPE_TABLE ? 0 : d->dtypes;
    if (PyArray_Check(value)) /* of a subclass */
        return view_array(c, value, d, t, holder);
    if (PyObject_TypeCheck(value, core_tensor_type)) {
        *t = ((core_tensor *)value)->t;
        return true;
    }
    PyObject *place = path_of(value);
    if (place) {
        bool read = read_place(c, place, dtypes, t);
        Py_DECREF(place);
        *holder = read ? c->owned[c->n_owned - 1] : NULL;
        return read;
    }
    if (PyErr_Occurred())
        return false;
    PyObject *array = core_as_array(value, operation, d->name, dtypes);
    return core_call_own(c, array) && view_array(c, array, d, t, holder);
}

static bool take_input(core_call *c, PyObject *value, int i) {
    const le_arg_desc *d = &c->function->operation->args[i];
    le_tensor *t = &c->tensors[i];
    bool array = PyArray_CheckExact(value);
    if (!array && PyObject_TypeCheck(value, core_stream_type)) {
        c->stream_place = place_text(c, ((core_stream *)value)->place);
        c->stream_arg = d->name;
        return c->stream_place != NULL;
    }
    c->holders[i] = value;
    if (!(array ? view_array(c, value, d, t, &c->holders[i])
                : take_array(c, value, d, t, &c->holders[i])))
        return false;
    core_call_add(c, d->name, d->type == LE_TYPE_TABLE ? LE_KIND_TABLE : LE_KIND_IN)->value.in = t;
    return true;
}

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

/* Real numbers, fractions and the like included: numpy would make NaN of None and drop imaginary
 * parts. */
static PyObject *numbers_of(PyObject *value) {
    PyObject *given = PyArray_FromAny(value, NULL, 0, 0, 0, NULL), *array = NULL;
    if (given && !PyArray_CheckExact(given) && core_hides_elements(given)) {
        PyErr_SetString(PyExc_ValueError, "it has masked elements: give x.filled(value)");
        Py_DECREF(given);
        return NULL;
    }
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
    if (!core_call_own(c, array))
        return false;
    le_arg *a = core_call_add(c, d->name, LE_KIND_F64S);
    a->value.f64s = PyArray_DATA((PyArrayObject *)array);
    a->count = (size_t)PyArray_SIZE((PyArrayObject *)array);
    return true;
}

static bool take_number(core_call *c, PyObject *value, const le_arg_desc *d) {
    if (d->type == LE_TYPE_I64) {
        PyObject *index = PyNumber_Index(value);
        int64_t v = index ? PyLong_AsLongLong(index) : -1;
        Py_XDECREF(index);
        if (v == -1 && PyErr_Occurred()) {
            if (PyErr_ExceptionMatches(PyExc_OverflowError))
                PyErr_Format(PyExc_OverflowError, "expected a whole number of 64 bits, not %.200R",
                             value);
            return false;
        }
        core_call_add(c, d->name, LE_KIND_I64)->value.i64 = v;
        return true;
    }
    double v = PyFloat_AsDouble(value);
    if (v == -1 && PyErr_Occurred())
        return false;
    core_call_add(c, d->name, LE_KIND_F64)->value.f64 = v;
    return true;
}

static bool take_text(core_call *c, PyObject *value, const le_arg_desc *d) {
    PyObject *path = path_of(value); /* PONI files and the like may be paths */
    const char *text = path ? place_text(c, path) : NULL;
    if (!path && !PyErr_Occurred())
        core_text(value);
    Py_XDECREF(path);
    if (!text)
        return false;
    core_call_add(c, d->name, LE_KIND_STR)->value.str = text;
    return true;
}

bool core_take_argument(core_call *c, PyObject *value, int i) {
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
