/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Own operations: a descriptor whose shapes are symbols, and implementations that are Python
 * functions, machine code, or OpenCL text. Descriptors are never freed: chains and choices of an
 * engine may name them as long as it lives.
 */
#include "core.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS = 16, TUNABLES = 8 };

/* factor * symbol + offset; symbol -1: offset alone */
typedef struct extent {
    int symbol;
    int64_t factor, offset;
} extent;

typedef struct own_operation {
    le_operation operation;
    le_arg_desc args[LE_MAX_ARGS];
    extent extents[LE_MAX_ARGS][LE_MAX_DIMS];
    le_dtype dtypes[LE_MAX_ARGS]; /* of tensors: the first that was named */
    int n_symbols;
    char symbols[SYMBOLS][32];
    int symbol_args[SYMBOLS]; /* a whole number of that name; -1: none */
    PyObject *cases;          /* cases(seed, size): a dict of arguments; NULL: none */
} own_operation;

/* What range functions of machine code get, an array of one slot for each argument of the
 * operation, inputs and outputs in the order of its definition. Tensors are row-major. */
typedef struct le_slot {
    void *data;
    const int64_t *shape;
    double f64;
    int64_t i64;
} le_slot;
typedef void (*machine_fn)(const le_slot *table, size_t begin, size_t end, int worker);

typedef struct own_implementation {
    le_implementation implementation;
    own_operation *of;
    PyObject *function; /* Python's */
    machine_fn machine;
    bool is_reference;
    le_cl_simple simple;
    const le_cl_source *sources[2];
    le_tunable tunables[TUNABLES];
} own_implementation;

/* ------------------------------------------------------------------------------ shapes ------- */

typedef struct binding {
    bool known[SYMBOLS];
    int64_t value[SYMBOLS];
} binding;

static void bind_scalars(const own_operation *o, const le_call *call, binding *b) {
    for (int s = 0; s < o->n_symbols; s++) {
        b->known[s] = o->symbol_args[s] >= 0;
        if (b->known[s])
            b->value[s] = le_call_i64(call, o->symbol_args[s]);
    }
}

static int64_t extent_of(const extent *e, const binding *b) {
    return e->symbol < 0 ? e->offset : e->factor * b->value[e->symbol] + e->offset;
}

static bool unify(const extent *e, int64_t is, binding *b) {
    if (e->symbol >= 0 && !b->known[e->symbol] && (is - e->offset) % e->factor == 0) {
        b->known[e->symbol] = true;
        b->value[e->symbol] = (is - e->offset) / e->factor;
    }
    return (e->symbol < 0 || b->known[e->symbol]) && extent_of(e, b) == is;
}

static le_status bind_inputs(const own_operation *o, const le_call *call, binding *b) {
    for (size_t i = 0; i < o->operation.n_args; i++) {
        if (o->args[i].type != LE_TYPE_IN || !le_call_given(call, (int)i))
            continue;
        const le_tensor *t = le_call_in(call, (int)i);
        for (int d = 0; d < t->ndim; d++) {
            const extent *e = &o->extents[i][d];
            if (unify(e, t->shape[d], b))
                continue;
            if (e->symbol >= 0 && b->known[e->symbol])
                return le_fail(LE_ERR_SHAPE, "%s: axis %d of '%s' %s is %lld, expected %lld",
                               o->operation.name, d, o->args[i].name, o->args[i].shape,
                               (long long)t->shape[d], (long long)extent_of(e, b));
            return le_fail(LE_ERR_SHAPE, "%s: axis %d of '%s' is %lld, which does not fit %s",
                           o->operation.name, d, o->args[i].name, (long long)t->shape[d],
                           o->args[i].shape);
        }
    }
    return LE_OK;
}

static le_status check(le_call *call) {
    const own_operation *o = le_call_user_operation(call);
    binding b = {0};
    bind_scalars(o, call, &b);
    le_status status = bind_inputs(o, call, &b);
    for (size_t i = 0; status == LE_OK && i < o->operation.n_args; i++) {
        int64_t shape[LE_MAX_DIMS];
        if (o->args[i].type != LE_TYPE_OUT || !le_call_given(call, (int)i))
            continue;
        for (int d = 0; d < o->args[i].max_ndim; d++) {
            shape[d] = extent_of(&o->extents[i][d], &b);
            if (shape[d] < 0)
                return le_fail(LE_ERR_SHAPE, "%s: axis %d of '%s' would be %lld", o->operation.name,
                               d, o->args[i].name, (long long)shape[d]);
        }
        status = le_call_set_out(call, (int)i, o->dtypes[i], o->args[i].max_ndim, shape);
    }
    return status;
}

static const le_tensor *tensor_of(const le_call *call, const own_operation *o, int i) {
    return o->args[i].type == LE_TYPE_IN    ? le_call_in(call, i)
           : o->args[i].type == LE_TYPE_OUT ? le_call_out(call, i)
                                            : NULL;
}

static void work(const le_call *call, le_work *out) {
    const own_operation *o = le_call_user_operation(call);
    out->operations = 1;
    out->bytes = 1;
    for (size_t i = 0; i < o->operation.n_args; i++) {
        const le_tensor *t = le_call_given(call, (int)i) ? tensor_of(call, o, (int)i) : NULL;
        double n = t ? (double)le_tensor_count(t) : 0;
        out->operations += n;
        out->bytes += n * (double)le_dtype_size(t ? t->dtype : LE_U8);
    }
}

/* ------------------------------------------------------------------------------- cases ------- */

static le_status python_failed(void) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *n = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const char *t = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    /* An interrupt, or the end of the program, is nobody's mistake. */
    bool mistake = !type || PyErr_GivenExceptionMatches(type, PyExc_Exception);
    le_status status = le_fail(mistake ? LE_ERR_WRONG_RESULT : LE_ERR_CANCELLED, "%s: %s",
                               n ? n : "an exception", t ? t : "");
    Py_XDECREF(name);
    Py_XDECREF(text);
    PyErr_Restore(type, value, trace);
    core_keep_exception();
    return status;
}

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
    bool good = a && core_tensor_of_array(a, "cases", d->name, &view);
    le_tensor *t = good ? le_case_in(out, d->name, view.dtype, view.ndim, view.shape) : NULL;
    PyObject *to = t ? core_array_over(t, NULL, true) : NULL;
    good = to && PyArray_CopyInto((PyArrayObject *)to, (PyArrayObject *)a) == 0;
    Py_XDECREF(to);
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
    if (PyErr_Occurred())
        status = python_failed();
    core_forget_exception();
    PyGILState_Release(state);
    (void)r;
    return status;
}

/* Extents of a sample: those of the call it is for as far as they are small, else of the size. */
static void choose_extents(const own_operation *o, const le_case_request *r, le_case *out,
                           int64_t size, binding *b) {
    enum { MOST = 37 };
    if (r->like) {
        bind_scalars(o, r->like, b);
        bind_inputs(o, r->like, b);
    }
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
        shape[d] = extent_of(&o->extents[i][d], b);
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

static le_status make_case(le_case *out, const le_case_request *r) {
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

/* ------------------------------------------------------------------------ Python functions --- */

static PyObject *argument_of(le_call *call, const own_operation *o, int i) {
    if (o->args[i].type == LE_TYPE_F64)
        return PyFloat_FromDouble(le_call_f64(call, i));
    if (o->args[i].type == LE_TYPE_I64)
        return PyLong_FromLongLong(le_call_i64(call, i));
    return core_array_over(tensor_of(call, o, i), NULL, o->args[i].type == LE_TYPE_OUT);
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

static bool copy_result(PyObject *result, const le_tensor *t, const char *name) {
    if (result == Py_None) {
        PyErr_Format(PyExc_TypeError, "it returned None for '%s', expected an array", name);
        return false;
    }
    PyObject *from = PyArray_FromAny(result, NULL, 0, 0, 0, NULL);
    PyObject *to = from ? core_array_over(t, NULL, true) : NULL;
    bool good = to && keeps_its_kind(from, to, name);
    if (good && PyArray_NDIM((PyArrayObject *)from) > 0 &&
        !PyArray_SAMESHAPE((PyArrayObject *)from, (PyArrayObject *)to)) {
        PyErr_Format(PyExc_ValueError, "what it returned for '%s' has another shape than declared",
                     name);
        good = false;
    }
    good = good && PyArray_CopyInto((PyArrayObject *)to, (PyArrayObject *)from) == 0;
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

static le_status run_python(le_call *call) {
    const own_implementation *m = le_call_user_implementation(call);
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *args = arguments_of(call, m->of, !m->is_reference);
    PyObject *result = args ? PyObject_CallObject(m->function, args) : NULL;
    if (result && m->is_reference)
        copy_results(result, call, m->of);
    Py_XDECREF(args);
    Py_XDECREF(result);
    le_status status = PyErr_Occurred() ? python_failed() : LE_OK;
    PyGILState_Release(state);
    return status;
}

/* --------------------------------------------------------------------------- machine code ---- */

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
        const le_tensor *t = tensor_of(call, m->of, (int)i);
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
        const le_tensor *t = le_call_given(call, (int)i) ? tensor_of(call, o, (int)i) : NULL;
        if (t && t->dtype != o->dtypes[i]) {
            *why = "made for another dtype";
            return false;
        }
    }
    return true;
}

/* -------------------------------------------------------------------------------- OpenCL ----- */

/* The symbols of shapes as uint. */
static size_t symbols_of(const le_call *call, le_cl_karg *k) {
    const own_implementation *m = le_call_user_implementation(call);
    size_t n = 0;
    binding b = {0};
    bind_scalars(m->of, call, &b);
    bind_inputs(m->of, call, &b);
    for (int s = 0; s < m->of->n_symbols; s++)
        if (m->of->symbol_args[s] < 0)
            k[n++] = LE_CL_U32((uint32_t)b.value[s]);
    return n;
}

static bool local_fits(const le_call *call, const char **why) {
    *why = "the device has less working memory";
    return has_its_types(call, why);
}

/* --------------------------------------------------------------------------- registering ----- */

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

static bool read_extents(PyObject *list, extent *out, int8_t *ndim) {
    Py_ssize_t n = PySequence_Size(list);
    for (Py_ssize_t d = 0; d < n && d < LE_MAX_DIMS; d++) {
        PyObject *triple = PySequence_GetItem(list, d);
        long long factor, offset;
        if (triple && PyArg_ParseTuple(triple, "iLL", &out[d].symbol, &factor, &offset)) {
            out[d].factor = factor;
            out[d].offset = offset;
        }
        Py_XDECREF(triple);
    }
    *ndim = (int8_t)n;
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
    bool good = read_extents(PyDict_GetItemString(dict, "extents"), o->extents[i], &d->max_ndim);
    d->min_ndim = d->max_ndim;
    return good && !PyErr_Occurred();
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
        snprintf(o->symbols[s], sizeof o->symbols[s], "%s", text ? text : "");
        Py_XDECREF(name);
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
                                  .check = check,
                                  .work = work,
                                  .norm = truth(dict, "of_largest") ? LE_NORM_MAX : LE_NORM_ABS,
                                  .atol = number(dict, "atol"),
                                  .rtol = number(dict, "rtol"),
                                  .make_case = make_case,
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
    if (e && !core_engine_begin_alone(e)) {
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
    le_implementation *i = &m->implementation;
    PyObject *function = PyDict_GetItemString(dict, "function");
    PyObject *address = PyDict_GetItemString(dict, "address");
    if (!strcmp(kind, "python") || !strcmp(kind, "reference")) {
        m->is_reference = *kind == 'r';
        m->function = Py_XNewRef(function);
        i->run = run_python;
        i->flags |= LE_IMPL_IN_PROCESS | LE_IMPL_SERIAL | LE_IMPL_REPRODUCIBLE;
        i->flags |= m->is_reference ? (uint32_t)LE_IMPL_REFERENCE : 0;
        return m->function != NULL;
    }
    i->applicable = has_its_types;
    if (!strcmp(kind, "machine")) {
        union {
            void *data;
            machine_fn function;
        } at = {address ? PyLong_AsVoidPtr(address) : NULL};
        m->machine = at.function;
        i->prepare = prepare;
        i->items = items;
        i->range = range;
        i->flags |= truth(dict, "serial") ? LE_IMPL_SERIAL : LE_IMPL_REPRODUCIBLE;
        return at.data && !PyErr_Occurred();
    }
    const char *text = copy_text(dict, "text");
    m->simple.source =
        (le_cl_source){copy_text(dict, "source_name"), text, text ? strlen(text) : 0, NULL};
    m->simple.kernel = copy_text(dict, "kernel");
    m->simple.more = symbols_of;
    m->sources[0] = &m->simple.source;
    i->sources = m->sources;
    i->device = LE_DEVICE_OPENCL;
    i->run = le_cl_run_simple;
    i->applicable = local_fits;
    i->flags |= LE_IMPL_IN_PROCESS;
    return text && m->simple.kernel;
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
