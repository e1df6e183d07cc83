/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How implementations of own operations run: Python functions under the interpreter's lock, machine
 * code in the engine's threads, OpenCL text by the engine.
 */
#include "core_own.h"

#include <string.h>

/* --- Python functions --- */

le_status core_own_python_failed(const char *whose, le_status status) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *n = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const char *t = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    /* An interrupt, or the end of the program, is nobody's mistake, and too many calls within one
     * another are not the last one's. */
    bool mistake = !type || (PyErr_GivenExceptionMatches(type, PyExc_Exception) &&
                             !PyErr_GivenExceptionMatches(type, core_too_deep));
    status = le_fail(mistake ? status : LE_ERR_CANCELLED, "%s%s%s: %s", whose ? whose : "",
                     whose ? ": " : "", n ? n : "an exception", t ? t : "");
    Py_XDECREF(name);
    Py_XDECREF(text);
    PyErr_Restore(type, value, trace);
    core_keep_exception();
    return status;
}

static PyObject *argument_of(le_call *call, const own_operation *o, int i) {
    if (o->args[i].type == LE_TYPE_F64)
        return PyFloat_FromDouble(le_call_f64(call, i));
    if (o->args[i].type == LE_TYPE_I64)
        return PyLong_FromLongLong(le_call_i64(call, i));
    return core_array_over(core_own_tensor(call, o, i), NULL, o->args[i].type == LE_TYPE_OUT);
}

static PyObject *arguments_of(le_call *call, const own_operation *o, bool with_outputs) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < o->operation.n_args; i++) {
        if (o->args[i].type == LE_TYPE_OUT && !with_outputs)
            continue;
        PyObject *a = argument_of(call, o, (int)i);
        if (!a || PyList_Append(list, a) != 0)
            Py_CLEAR(list);
        Py_XDECREF(a);
    }
    PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

/* Rounding is a result's own; what loses more than precision is a mistake. */
static bool keeps_its_kind(PyObject *from, PyObject *to, const char *name) {
    static const char kinds[] = "biufc"; /* each holds those before it */
    PyArray_Descr *is = PyArray_DESCR((PyArrayObject *)from);
    PyArray_Descr *wanted = PyArray_DESCR((PyArrayObject *)to);
    const char *given = strchr(kinds, is->kind), *place = strchr(kinds, wanted->kind);
    const bool whole = wanted->kind == 'i' || wanted->kind == 'u' || wanted->kind == 'b';
    if (given && *given && (whole ? is->kind != 'f' && is->kind != 'c' : given <= place))
        return true;
    PyErr_Format(PyExc_TypeError, "what it returned for '%s' is of %S, expected %S", name,
                 (PyObject *)is, (PyObject *)wanted);
    return false;
}

static PyObject *least_of(PyArrayObject *a) {
    const int bits = 8 * (int)PyArray_ITEMSIZE(a);
    const bool negative = PyArray_DESCR(a)->kind == 'i';
    const int64_t signed_least = bits < 64 ? -(INT64_C(1) << (bits - 1)) : INT64_MIN;
    return PyLong_FromLongLong(negative ? signed_least : 0);
}

static PyObject *most_of(PyArrayObject *a) {
    const int bits = 8 * (int)PyArray_ITEMSIZE(a) - (PyArray_DESCR(a)->kind == 'i');
    return PyLong_FromUnsignedLongLong(bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX);
}

/* Of whole numbers; false, too, with an exception set. */
static bool holds(PyObject *to, PyObject *number, const char *name) {
    PyArrayObject *a = (PyArrayObject *)to;
    PyObject *value = number ? PyNumber_Index(number) : NULL;
    PyObject *least = least_of(a), *most = most_of(a);
    bool good = value && least && most && PyObject_RichCompareBool(value, least, Py_GE) == 1 &&
                PyObject_RichCompareBool(value, most, Py_LE) == 1;
    if (!good && !PyErr_Occurred())
        PyErr_Format(
            PyExc_OverflowError,
            "what it returned for '%s' has the value %S, which %S does not hold (%S to %S)", name,
            value, (PyObject *)PyArray_DESCR(a), least, most);
    Py_XDECREF(value);
    Py_XDECREF(least);
    Py_XDECREF(most);
    return good;
}

/* Whole numbers would wrap. */
static bool fits(PyObject *from, PyObject *to, const char *name) {
    PyArrayObject *a = (PyArrayObject *)from;
    const char is = PyArray_DESCR(a)->kind, wanted = PyArray_DESCR((PyArrayObject *)to)->kind;
    if ((is != 'i' && is != 'u') || (wanted != 'i' && wanted != 'u') || PyArray_SIZE(a) == 0 ||
        PyArray_CanCastSafely(PyArray_TYPE(a), PyArray_TYPE((PyArrayObject *)to)))
        return true;
    PyObject *least = PyArray_Min(a, NPY_RAVEL_AXIS, NULL);
    PyObject *most = least ? PyArray_Max(a, NPY_RAVEL_AXIS, NULL) : NULL;
    bool good = most && holds(to, least, name) && holds(to, most, name);
    Py_XDECREF(least);
    Py_XDECREF(most);
    return good;
}

static bool has_its_shape(PyObject *from, PyObject *to, const char *name) {
    if (PyArray_SAMESHAPE((PyArrayObject *)from, (PyArrayObject *)to))
        return true;
    PyObject *is = PyObject_GetAttrString(from, "shape");
    PyObject *wanted = PyObject_GetAttrString(to, "shape");
    if (is && wanted)
        PyErr_Format(PyExc_ValueError,
                     "what it returned for '%s' has another shape than declared: %S, expected %S",
                     name, is, wanted);
    Py_XDECREF(is);
    Py_XDECREF(wanted);
    return false;
}

static bool copy_result(PyObject *result, const le_tensor *t, const char *name) {
    if (result == Py_None) {
        PyErr_Format(PyExc_TypeError, "it returned None for '%s', expected an array", name);
        return false;
    }
    if (PyArray_Check(result) && !PyArray_CheckExact(result) && core_hides_elements(result)) {
        PyErr_Format(PyExc_ValueError, "what it returned for '%s' " CORE_HIDES_ELEMENTS, name);
        return false;
    }
    PyObject *from = PyArray_FromAny(result, NULL, 0, 0, 0, NULL);
    PyObject *to = from ? core_array_over(t, NULL, true) : NULL;
    bool good = to && keeps_its_kind(from, to, name);
    good = good && has_its_shape(from, to, name) && fits(from, to, name) &&
           PyArray_CopyInto((PyArrayObject *)to, (PyArrayObject *)from) == 0;
    Py_XDECREF(from);
    Py_XDECREF(to);
    return good;
}

/* What a reference returns: an array, or a tuple of them. */
static bool copy_results(PyObject *result, le_call *call, const own_operation *o) {
    Py_ssize_t n = 0, k = 0;
    for (size_t i = 0; i < o->operation.n_args; i++)
        n += o->args[i].type == LE_TYPE_OUT;
    if (n > 1 && (!PyTuple_Check(result) || PyTuple_Size(result) != n)) {
        PyErr_Format(PyExc_TypeError, "expected a tuple of %zd arrays", n);
        return false;
    }
    for (size_t i = 0; i < o->operation.n_args; i++) {
        if (o->args[i].type != LE_TYPE_OUT)
            continue;
        PyObject *one = n > 1 ? PyTuple_GetItem(result, k++) : result;
        if (le_call_given(call, (int)i) &&
            !copy_result(one, le_call_out(call, (int)i), o->args[i].name))
            return false;
    }
    return true;
}

/* Of the arrays that a function was given: those that somebody else refers to as well, but that hold
 * nothing of their memory. */
static int count_loose(PyObject *args) {
    int n = 0;
    for (Py_ssize_t i = 0; args && i < PyTuple_Size(args); i++) {
        PyObject *a = PyTuple_GetItem(args, i);
        n += PyArray_CheckExact(a) && !PyArray_BASE((PyArrayObject *)a) &&
             PyArray_SIZE((PyArrayObject *)a) > 0 && Py_REFCNT(a) > 1;
    }
    return n;
}

/* Arrays get a hold of what lies over an argument of the call. The rest is the engine's own memory, which
 * goes with the call: those who refer to it are the frames of the exception. */
static void hold_memory(le_call *call, const own_operation *o, PyObject *args) {
    const core_call *outer = core_call_outside();
    Py_ssize_t k = 0;
    PyObject *type, *value, *trace, *own = NULL, *done = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    for (size_t i = 0; i < o->operation.n_args && k < PyTuple_Size(args); i++, k++) {
        const le_tensor *t = core_own_tensor(call, o, (int)i);
        PyObject *holder = t && outer ? core_call_holder(outer, t) : NULL;
        if (holder)
            PyArray_SetBaseObject((PyArrayObject *)PyTuple_GetItem(args, k), Py_NewRef(holder));
    }
    if (count_loose(args)) {
        own = PyImport_ImportModule("liquid_engine._own");
        done = own ? PyObject_CallMethod(own, "_clear_frames", "OO", value, trace ? trace : Py_None)
                   : NULL;
        PyErr_Clear();
    }
    Py_XDECREF(done);
    Py_XDECREF(own);
    PyErr_Restore(type, value, trace);
}

static le_status failed(const own_implementation *m, le_call *call, PyObject *args) {
    if (args)
        hold_memory(call, m->of, args);
    le_status status =
        m->is_reference /* there is nobody who is more right */
            ? core_own_python_failed(m->implementation.operation, LE_ERR_DATA)
            : core_own_python_failed(NULL, LE_ERR_WRONG_RESULT);
    if (status != LE_ERR_CANCELLED && count_loose(args)) /* it has them itself */
        core_forget_exception();
    return status;
}

static le_status run_python(le_call *call) {
    const own_implementation *m = le_call_user_implementation(call);
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *args = arguments_of(call, m->of, !m->is_reference);
    PyObject *result = args ? PyObject_CallObject(m->function, args) : NULL;
    if (result && m->is_reference)
        copy_results(result, call, m->of);
    Py_XDECREF(result);
    le_status status = PyErr_Occurred() ? failed(m, call, args) : LE_OK;
    Py_XDECREF(args);
    PyGILState_Release(state);
    return status;
}

void core_own_by_python(own_implementation *m, PyObject *function, bool is_reference) {
    le_implementation *i = &m->implementation;
    m->is_reference = is_reference;
    m->function = Py_NewRef(function);
    i->run = run_python;
    i->flags |= LE_IMPL_IN_PROCESS | LE_IMPL_SERIAL | LE_IMPL_REPRODUCIBLE;
    i->flags |= is_reference ? (uint32_t)LE_IMPL_REFERENCE : 0;
}

/* --- machine code --- */

typedef struct context {
    machine_fn function;
    le_slot slots[LE_MAX_ARGS];
} context;

static le_status prepare(le_call *call, void **out) {
    const own_implementation *m = le_call_user_implementation(call);
    context *c = le_call_scratch(call, sizeof *c);
    if (!c)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", m->implementation.name);
    memset(c, 0, sizeof *c);
    c->function = m->machine;
    for (size_t i = 0; i < m->of->operation.n_args; i++) {
        const le_tensor *t = core_own_tensor(call, m->of, (int)i);
        union {
            const void *in;
            void *data;
        } contents = {NULL};
        if (t && m->of->args[i].type == LE_TYPE_IN)
            contents.in = le_call_contiguous(call, (int)i);
        else if (t)
            contents.data = t->data;
        if (t && !contents.data && le_tensor_count(t) > 0)
            return le_fail(LE_ERR_MEMORY, "%s: out of memory", m->implementation.name);
        c->slots[i] =
            (le_slot){contents.data, t ? t->shape : NULL, t ? 0 : le_call_f64(call, (int)i),
                      t ? 0 : le_call_i64(call, (int)i)};
    }
    *out = c;
    return LE_OK;
}

/* Elements of the first output along its first axis. */
static size_t items(const le_call *call) {
    const own_operation *o = le_call_user_operation(call);
    for (size_t i = 0; i < o->operation.n_args; i++)
        if (o->args[i].type == LE_TYPE_OUT) {
            const le_tensor *t = le_call_out(call, (int)i);
            return t->ndim > 0 ? (size_t)t->shape[0] : 1;
        }
    return 1;
}

static void range(void *data, size_t begin, size_t end, int worker) {
    const context *c = data;
    c->function(c->slots, begin, end, worker);
}

/* Machine code is made for the declared types. */
static bool has_its_types(const le_call *call, const char **why) {
    const own_operation *o = le_call_user_operation(call);
    for (size_t i = 0; i < o->operation.n_args; i++) {
        const le_tensor *t = le_call_given(call, (int)i) ? core_own_tensor(call, o, (int)i) : NULL;
        if (t && t->dtype != o->dtypes[i]) {
            *why = "made for another dtype";
            return false;
        }
    }
    return true;
}

void core_own_by_machine(own_implementation *m, machine_fn function, bool serial) {
    le_implementation *i = &m->implementation;
    m->machine = function;
    i->applicable = has_its_types;
    i->prepare = prepare;
    i->items = items;
    i->range = range;
    i->flags |= serial ? LE_IMPL_SERIAL : LE_IMPL_REPRODUCIBLE;
}

/* --- OpenCL --- */

/* The symbols of shapes as uint. */
static size_t symbols_of(const le_call *call, le_cl_karg *k) {
    const own_implementation *m = le_call_user_implementation(call);
    size_t n = 0;
    binding b;
    core_own_bind(m->of, call, &b);
    for (int s = 0; s < m->of->n_symbols; s++)
        if (m->of->symbol_args[s] < 0)
            k[n++] = LE_CL_U32((uint32_t)b.value[s]);
    return n;
}

static bool kernel_takes(const le_call *call, const char **why) {
    *why = "kernels get numbers as float, which would round one of this call";
    return !core_own_exceeds_float(call) && has_its_types(call, why);
}

void core_own_by_opencl(own_implementation *m, const char *source_name, const char *text,
                        const char *kernel) {
    le_implementation *i = &m->implementation;
    m->simple.source = (le_cl_source){source_name, text, strlen(text), NULL};
    m->simple.kernel = kernel;
    m->simple.more = symbols_of;
    m->sources[0] = &m->simple.source;
    i->sources = m->sources;
    i->device = LE_DEVICE_OPENCL;
    i->run = le_cl_run_simple;
    i->applicable = kernel_takes;
    i->flags |= LE_IMPL_IN_PROCESS;
}
