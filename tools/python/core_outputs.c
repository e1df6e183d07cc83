/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Outputs of a call: which are made, in whose memory, and what the caller gets.
 */
#include "core_call.h"

#include <string.h>

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
    bool sequence = PySequence_Check(c->outputs); /* what is asked for has an order */
    Py_ssize_t names = one ? 1 : sequence ? PySequence_Size(c->outputs) : -1;
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

/* What is advised for inputs would be a copy, which the caller would not see written. */
static const char *unfit(PyArrayObject *out) {
    if (!PyArray_ISWRITEABLE(out))
        return "is read-only";
    if (PyArray_ISBYTESWAPPED(out))
        return "is not in the machine's byte order: give an array that is, or None";
    if (PyArray_TYPE(out) == NPY_FLOAT16)
        return "has dtype float16, which no operation makes: give an array of float32, or None";
    if (!PyArray_ISALIGNED(out))
        return "is not aligned to its dtype: give an array that is, or None";
    return !PyArray_CheckExact((PyObject *)out) && core_hides_elements((PyObject *)out)
               ? "has masked elements, whose mask no operation knows: give x.data, or None"
               : NULL;
}

static bool take_out(core_call *c, PyObject *out, int i) {
    const char *name = c->function->operation->args[i].name;
    if (!PyArray_Check(out)) {
        PyErr_Format(PyExc_TypeError, "%s: out '%s': expected a numpy.ndarray, not %R",
                     c->function->text, name, (PyObject *)Py_TYPE(out));
        return false;
    }
    const char *why = unfit((PyArrayObject *)out);
    if (why) {
        const bool half = PyArray_TYPE((PyArrayObject *)out) == NPY_FLOAT16;
        PyErr_Format(half ? PyExc_TypeError : PyExc_ValueError, "%s: out '%s' %s",
                     c->function->text, name, why);
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
    core_call_add(c, c->function->operation->args[i].name, LE_KIND_OUT)->value.out = &c->tensors[i];
    return true;
}

static bool is_given(const core_call *c, int i) {
    for (size_t k = 0; k < c->n_outs; k++)
        if (c->given_outs[k] == i)
            return true;
    return false;
}

bool core_add_outputs(core_call *c) {
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

PyObject *core_results(core_call *c) {
    core_function *f = c->function;
    if (c->n_shown == 1)
        return result_of(c, 0);
    PyObject *all = PyTuple_New((Py_ssize_t)c->n_shown);
    for (size_t k = 0; all && k < c->n_shown; k++) {
        PyObject *one = result_of(c, k);
        if (!one || PyTuple_SetItem(all, (Py_ssize_t)k, one) != 0)
            Py_CLEAR(all);
    }
    PyObject *named = all ? PyObject_CallFunction(core_hooks.result, "OOO", (PyObject *)f, all,
                                                  c->outputs ? c->outputs : Py_None)
                          : NULL;
    Py_XDECREF(all);
    return named;
}

void core_drop_results(core_call *c) {
    for (size_t k = 0; k < c->n_outs; k++)
        if (!c->outs[k] && c->tensors[c->given_outs[k]].storage)
            le_tensor_free(&c->tensors[c->given_outs[k]]);
}
