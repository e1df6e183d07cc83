/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations as function objects, made from their descriptors.
 */
#include "core_function.h"

#include <structmember.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

PyTypeObject *core_function_type;

static bool add_parameter(core_function *f, const char *name, int arg) {
    PyObject *interned = PyUnicode_InternFromString(name);
    f->params[f->n_params++] = (parameter){interned, arg};
    return interned != NULL;
}

static bool is_parameter(const le_arg_desc *d, bool optional) {
    return d->type != LE_TYPE_OUT && d->optional == optional;
}

/* An argument of the operation with an option's name goes before it. */
static bool is_hidden(const le_operation *op, const char *option) {
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].type != LE_TYPE_OUT && !strcmp(op->args[i].name, option))
            return true;
    return false;
}

static bool add_parameters(core_function *f) {
    const le_operation *op = f->operation;
    bool good = true;
    for (int optional = 0; optional < 2; optional++) {
        for (size_t i = 0; good && i < op->n_args; i++)
            if (is_parameter(&op->args[i], optional))
                good = add_parameter(f, op->args[i].name, (int)i);
        if (!optional)
            f->n_needed = f->n_params;
    }
    f->n_positional = f->n_params;
    for (int i = 0; good && i < OPTIONS; i++)
        if (!is_hidden(op, core_option_texts[i]))
            good = add_parameter(f, core_option_texts[i], FIRST_OPTION + i);
    return good;
}

/* The needed ones, those made when the caller names none, the others. */
static int group_of(const le_arg_desc *out) {
    return !out->optional ? 0 : out->usual ? 1 : 2;
}

static bool add_outs(core_function *f) {
    const le_operation *op = f->operation;
    for (int group = 0; group < 3; group++) {
        for (size_t i = 0; i < op->n_args; i++)
            if (op->args[i].type == LE_TYPE_OUT && group_of(&op->args[i]) == group)
                f->outs[f->n_outs++] = (int)i;
        if (group < 2 && !f->n_usual)
            f->n_usual = f->n_outs;
    }
    bool all =
        op->family && !strcmp(op->family, "chains"); /* whose author has named what he wants */
    if (!f->n_usual && f->n_outs)
        f->n_usual = all ? f->n_outs : 1;
    f->out_names = PyTuple_New(f->n_outs);
    for (int k = 0; f->out_names && k < f->n_outs; k++)
        PyTuple_SetItem(f->out_names, k, PyUnicode_InternFromString(op->args[f->outs[k]].name));
    return f->out_names && !PyErr_Occurred();
}

static const le_operation *find(core_engine *e, const char *name) {
    bool open = core_engine_is_open(e);
    const le_operation *op = open ? le_engine_operation(e->engine, name) : NULL;
    if (!op && open)
        core_check(le_call_shapes(e->engine, name, NULL, 0, NULL)); /* why */
    return op;
}

static void forget_parameters(core_function *f) {
    for (int i = 0; i < f->n_params; i++)
        Py_CLEAR(f->params[i].name);
    f->n_params = f->n_needed = f->next = f->n_outs = f->n_usual = 0;
    Py_CLEAR(f->doc);
    Py_CLEAR(f->signature);
    Py_CLEAR(f->result_type);
    Py_CLEAR(f->out_names);
}

/* While a call is under way the function stays as it is. */
static bool is_current(const core_function *f) {
    return (f->definitions == core_definitions() || f->n_calls) &&
           (f->engine || core_engine_is_default(f->generation));
}

/* The descriptor of a chain goes with its engine, and another one may lie where it was. */
static bool is_replaced(const core_function *f, const le_operation *op) {
    return op != f->operation ||
           (f->generation != core_engine_generation() && !strcmp(op->family, "chains"));
}

static void look_up(core_function *f, const le_operation *op) {
    f->operation = op;
    f->generation = core_engine_generation();
    f->definitions = core_definitions();
}

bool core_function_is_usable(core_function *f) {
    if (f->engine && !core_engine_is_open((core_engine *)f->engine))
        return false;
    if (is_current(f))
        return true;
    core_engine *e = core_engine_get(f->engine);
    const le_operation *op = e ? find(e, f->text) : NULL;
    Py_XDECREF((PyObject *)e);
    bool good = op != NULL;
    if (good && is_replaced(f, op)) {
        f->operation = op;
        forget_parameters(f);
        good = add_parameters(f) && add_outs(f);
    }
    if (good)
        look_up(f, op);
    return good;
}

/* Function(name, engine=None) */
static PyObject *function_new(PyTypeObject *type, PyObject *args, PyObject *names) {
    static char *keywords[] = {"name", "engine", NULL};
    const char *name;
    PyObject *engine = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, names, "s|O", keywords, &name, &engine))
        return NULL;
    core_engine *e = core_engine_get(engine);
    if (!e)
        return NULL;
    const le_operation *op = find(e, name);
    Py_DECREF((PyObject *)e);
    if (!op)
        return NULL;
    core_function *f = (core_function *)PyType_GenericAlloc(type, 0);
    if (!f)
        return NULL;
    f->vectorcall = core_call_vector;
    look_up(f, op);
    f->engine = engine == Py_None ? NULL : Py_NewRef(engine);
    f->name = PyUnicode_FromString(op->name);
    f->text = f->name ? PyUnicode_AsUTF8AndSize(f->name, NULL) : NULL;
    if (!f->text || !add_parameters(f) || !add_outs(f))
        Py_CLEAR(f);
    return (PyObject *)f;
}

static int function_traverse(PyObject *o, visitproc visit, void *arg) {
    core_function *f = (core_function *)o;
    Py_VISIT((PyObject *)Py_TYPE(o));
    Py_VISIT(f->engine);
    Py_VISIT(f->signature);
    Py_VISIT(f->result_type);
    return 0;
}

static int function_clear(PyObject *o) {
    core_function *f = (core_function *)o;
    Py_CLEAR(f->engine);
    Py_CLEAR(f->signature);
    Py_CLEAR(f->result_type);
    return 0;
}

static void function_free(PyObject *o) {
    core_function *f = (core_function *)o;
    PyTypeObject *type = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    function_clear(o);
    for (int i = 0; i < f->n_params; i++)
        Py_XDECREF(f->params[i].name);
    Py_XDECREF(f->name);
    Py_XDECREF(f->doc);
    Py_XDECREF(f->out_names);
    core_free(o, type);
}

static PyObject *function_get(PyObject *self, PyObject *object, PyObject *type) {
    (void)object;
    (void)type;
    return Py_NewRef(self);
}

static PyObject *function_repr(PyObject *o) {
    return PyUnicode_FromFormat("<liquid_engine operation %U>", ((core_function *)o)->name);
}

static PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(core_function, vectorcall), READONLY, NULL},
    {"__name__", T_OBJECT, offsetof(core_function, name), READONLY, NULL},
    {"__qualname__", T_OBJECT, offsetof(core_function, name), READONLY, NULL},
    {"_engine", T_OBJECT, offsetof(core_function, engine), READONLY, NULL},
    {"_doc", T_OBJECT, offsetof(core_function, doc), 0, NULL},
    {"_signature", T_OBJECT, offsetof(core_function, signature), 0, NULL},
    {"_result_type", T_OBJECT, offsetof(core_function, result_type), 0, NULL},
    {"_outputs", T_OBJECT, offsetof(core_function, out_names), READONLY, NULL},
    {"_n_usual", T_INT, offsetof(core_function, n_usual), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyObject *words_of(const char *const *words) {
    PyObject *list = PyList_New(0);
    for (; list && words && *words; words++) {
        PyObject *w = PyUnicode_FromString(*words);
        if (!w || PyList_Append(list, w) != 0)
            Py_CLEAR(list);
        Py_XDECREF(w);
    }
    return list;
}

static PyObject *dtypes_of(uint32_t mask) {
    PyObject *list = PyList_New(0);
    for (le_dtype d = LE_U8; list && d <= LE_DTYPE_LAST; d++) {
        if (!(mask & LE_DTYPE_BIT(d)))
            continue;
        PyObject *name = PyUnicode_FromString(le_dtype_name(d));
        if (!name || PyList_Append(list, name) != 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *describe_arg(const le_arg_desc *d) {
    static const char *const kinds[] = {"",    "in",   "out",        "f64",  "i64",
                                        "str", "f64s", "str_or_f64", "table"};
    return Py_BuildValue(
        "{s:s,s:s,s:s,s:O,s:N,s:i,s:i,s:s,s:d,s:d,s:d,s:O,s:n,s:n,s:N,s:z}", "name", d->name, "doc",
        d->doc ? d->doc : "", "type", kinds[d->type], "optional", d->optional ? Py_True : Py_False,
        "dtypes", dtypes_of(d->dtypes), "min_ndim", (int)d->min_ndim, "max_ndim", (int)d->max_ndim,
        "shape", d->shape ? d->shape : "", "min", d->min, "max", d->max, "default", d->default_f64,
        "has_default", d->has_default ? Py_True : Py_False, "min_count", (Py_ssize_t)d->min_count,
        "max_count", (Py_ssize_t)d->max_count, "words", words_of(d->words), "default_str",
        d->default_str);
}

/* The descriptor, for documentation. */
static PyObject *function_describe(PyObject *o, PyObject *none) {
    core_function *f = (core_function *)o;
    (void)none;
    if (!core_function_is_usable(f))
        return NULL;
    const le_operation *op = f->operation;
    PyObject *args = PyList_New(0);
    for (size_t i = 0; args && i < op->n_args; i++) {
        PyObject *a = describe_arg(&op->args[i]);
        if (!a || PyList_Append(args, a) != 0)
            Py_CLEAR(args);
        Py_XDECREF(a);
    }
    if (!args)
        return NULL;
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:d,s:d,s:O,s:N,s:O,s:i}", "name", op->name, "family",
                         op->family ? op->family : "", "summary", op->summary ? op->summary : "",
                         "reference", op->reference ? op->reference : "", "atol", op->atol, "rtol",
                         op->rtol, "of_largest", op->norm == LE_NORM_MAX ? Py_True : Py_False,
                         "args", args, "outputs", f->out_names, "n_usual", f->n_usual);
}

static PyMethodDef function_methods[] = {
    {"_look", core_look, METH_VARARGS, NULL},
    {"_describe", function_describe, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot function_slots[] = {
    {Py_tp_new, function_new},           {Py_tp_dealloc, function_free},
    {Py_tp_traverse, function_traverse}, {Py_tp_clear, function_clear},
    {Py_tp_call, core_call_tuple},       {Py_tp_descr_get, function_get},
    {Py_tp_repr, function_repr},         {Py_tp_members, function_members},
    {Py_tp_methods, function_methods},   {0, NULL},
};
static PyType_Spec function_spec = {
    "liquid_engine.Operation", sizeof(core_function), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, function_slots};

static PyMethodDef functions[] = {
    {"set_hooks", core_set_hooks, METH_VARARGS, NULL},
    {"count_blocks", core_count_blocks, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

bool core_function_add(PyObject *module) {
    PyObject *names = PyTuple_New(OPTIONS);
    for (int i = 0; names && i < OPTIONS; i++) {
        core_option_names[i] = PyUnicode_InternFromString(core_option_texts[i]);
        PyTuple_SetItem(names, i, Py_XNewRef(core_option_names[i]));
    }
    core_function_type = (PyTypeObject *)PyType_FromSpec(&function_spec);
    return names && core_function_type && PyModule_AddObject(module, "option_names", names) == 0 &&
           PyModule_AddObjectRef(module, "Operation", (PyObject *)core_function_type) == 0 &&
           PyModule_AddFunctions(module, functions) == 0;
}

static void say_conversion(const core_call *c) {
    static const struct {
        le_dtype dtype;
        const char *name;
    } wide[] = {{LE_F32, "float32"}, {LE_F64, "float64"}, {LE_I32, "int32"}, {LE_U8, "uint8"}};
    const le_operation *op = c->function->operation;
    char said[512];
    for (size_t k = 0; k < c->n; k++)
        for (size_t i = 0; i < op->n_args && c->args[k].kind == LE_KIND_IN; i++) {
            uint32_t takes = op->args[i].dtypes;
            le_dtype has = c->args[k].value.in->dtype;
            if (strcmp(op->args[i].name, c->args[k].name) || takes & LE_DTYPE_BIT(has) ||
                le_dtype_kind_of(has) == LE_DTYPE_KIND_COMPLEX)
                continue;
            for (size_t w = 0; w < sizeof wide / sizeof *wide; w++)
                if (takes & LE_DTYPE_BIT(wide[w].dtype)) {
                    snprintf(said, sizeof said, "%s", le_error_message());
                    le_fail(LE_ERR_DTYPE, "%s: give x.astype(numpy.%s)", said, wide[w].name);
                    return;
                }
        }
}

bool core_call_check(const core_call *c, le_status status) {
    if (status == LE_ERR_DTYPE)
        say_conversion(c);
    return core_check(status);
}
