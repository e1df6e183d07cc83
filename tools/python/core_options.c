/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Options of calls: their words, what they take, and the blocks that set them for calls within.
 */
#include "core_call.h"

#include <string.h>

const char *const core_option_texts[OPTIONS] = {
    "rtol",      "atol",         "device", "mode", "implementation", "run_type", "memory_limit",
    "objective", "reproducible", "keep",   "out",  "outputs",        "engine",   "progress"};
PyObject *core_option_names[OPTIONS];

static const struct option {
    int option;
    /* f: number, s: text, b: bytes, t, k: truth, m: mode, o: objective; others are the call's */
    char kind;
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
    bool text = PyUnicode_Check(value) != 0;
    const char *letters = text ? core_text(value) : NULL;
    bool good = letters && le_bytes_from_text(letters, &a->value.i64);
    if (!text) {
        a->value.i64 = PyLong_AsLongLong(value);
        good = a->value.i64 >= 0;
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_Clear();
    }
    if (!good && !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "expected bytes as a number from 0 or as '2G', not %R",
                     value);
    return good;
}

/* 'no' is true in Python: words are mistakes here. */
static int take_truth(PyObject *value) {
    if (PyBool_Check(value) || PyIndex_Check(value) || PyArray_IsScalar(value, Bool))
        return PyObject_IsTrue(value);
    PyErr_Format(PyExc_TypeError, "expected True or False, not %.200R", value);
    return -1;
}

static bool take_progress(core_call *c, PyObject *value) {
    if (!PyBool_Check(value) && !PyCallable_Check(value)) {
        PyErr_Format(PyExc_TypeError, "expected True, False or a function, not %.200R", value);
        return false;
    }
    c->progress = value;
    return true;
}

static bool is_for_chains(const struct option *o) {
    if (o->option || o->kind == 'P')
        return true;
    PyErr_SetString(PyExc_TypeError, o->kind == 'E' ? "a chain has one already"
                                                    : "a chain makes its results itself");
    return false;
}

static bool read_option(core_call *c, PyObject *value, const struct option *o) {
    if (value == Py_None)
        return true;
    if (!c->function && !is_for_chains(o))
        return false;
    if (o->kind == 'O')
        c->out = value;
    else if (o->kind == 'U')
        c->outputs = value;
    else if (o->kind == 'P')
        return take_progress(c, value);
    else if (o->kind == 'E' && value != (PyObject *)c->engine)
        return core_call_use_engine(c, value);
    if (!o->option)
        return true;
    int truth = o->kind == 't' || o->kind == 'k' ? take_truth(value) : 1;
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

bool core_take_option(core_call *c, PyObject *value, int i) {
    return read_option(c, value, &options[i]) || core_call_blame(c, "option", core_option_texts[i]);
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
    uint32_t given = 1u << ENGINE_OPTION; /* not that of a block */
    while (PyDict_Next(dict, &at, &name, &value)) {
        int i = option_named(name);
        if (i < 0) {
            PyErr_Format(PyExc_TypeError, "there is no option '%U'", name);
            return false;
        }
        if (!core_take_option(c, value, i))
            return false;
        given |= 1u << i;
    }
    return core_take_blocks(c, given);
}

bool core_take_blocks(core_call *c, uint32_t given) {
    PyObject *dict = NULL, *name, *value;
    Py_ssize_t at = 0;
    dict = PyObject_CallMethod(core_hooks.blocks, "get", NULL);
    if (!core_call_own(c, dict))
        return false;
    bool good = true;
    while (good && PyDict_Next(dict, &at, &name, &value)) {
        int i = option_named(name);
        if (i >= 0 && !(given >> i & 1))
            good = core_take_option(c, value, i);
    }
    return good;
}
