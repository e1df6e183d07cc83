/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What an operation's function object holds: core_function.c makes it, core_call.c calls by it.
 */
#ifndef LE_PYTHON_CORE_FUNCTION_H
#define LE_PYTHON_CORE_FUNCTION_H

#include "core.h"

/* vectorcall is in the stable ABI from 3.12 on, where it is what it was in 3.9; the interpreters
 * before it take it from types of any module. */
#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
typedef PyObject *(*vectorcallfunc)(PyObject *callable, PyObject *const *args, size_t nargsf,
                                    PyObject *kwnames);
#endif
#define ARGS_OFFSET ((size_t)1 << (8 * sizeof(size_t) - 1))

enum { OPTIONS = 14, FIRST_OPTION = LE_MAX_ARGS };

typedef struct parameter {
    PyObject *name; /* interned */
    int arg;        /* index in the descriptor; FIRST_OPTION + number for options */
} parameter;

struct core_function {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject *engine;    /* NULL: the default one */
    unsigned generation; /* of that */
    unsigned definitions; /* that there were when the operation was looked up */
    int n_calls;          /* that have begun and not ended: it stays what it is meanwhile */
    PyObject *name;
    PyObject *doc, *signature; /* made when they are first asked for */
    const le_operation *operation;
    const char *text;                     /* of its name */
    int n_params, n_positional, n_needed; /* needed ones come first */
    parameter params[LE_MAX_ARGS + OPTIONS];
    int next;              /* of params: where the next word is looked for first */
    int outs[LE_MAX_ARGS]; /* by number: index in the descriptor */
    int n_outs, n_usual;   /* usual: made unless `outputs` says something else; the first ones */
    PyObject *out_names;   /* tuple of str */
    PyObject *result_type; /* of the usual outputs, when they are several */
};

/* The words of the options that every call takes, by number; interned. */
extern PyObject *core_option_names[OPTIONS];
extern const char *const core_option_texts[OPTIONS];

/* What the function knows of its operation may be gone with an engine, or be another one's by now:
 * false, or it is looked up. */
bool core_function_is_usable(core_function *f);
PyObject *core_call_vector(PyObject *callable, PyObject *const *args, size_t flags,
                           PyObject *names);
PyObject *core_call_tuple(PyObject *callable, PyObject *args, PyObject *dict);
PyObject *core_look(PyObject *function, PyObject *arguments);
PyObject *core_set_hooks(PyObject *module, PyObject *args);
PyObject *core_count_blocks(PyObject *module, PyObject *change);

#endif
