/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The module itself, errors, and the log.
 */
#define CORE_IMPORTS_NUMPY
#include "core.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------- errors ----- */

enum { STATUSES = 18 };
static PyObject *errors[STATUSES]; /* by -status */
static _Thread_local PyObject *kept_exception;
static _Atomic bool ending; /* the interpreter */
static _Thread_local bool ends_it;

bool core_is_ended(void) {
    return ending && !ends_it;
}

PyObject *core_set_errors(PyObject *module, PyObject *list) {
    (void)module;
    for (Py_ssize_t i = 0; i < STATUSES && i < PySequence_Size(list); i++) {
        Py_XDECREF(errors[i]);
        errors[i] = PySequence_GetItem(list, i);
    }
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

void core_keep_exception(void) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace)
        PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    Py_XDECREF(kept_exception);
    kept_exception = value;
}

void core_forget_exception(void) {
    Py_CLEAR(kept_exception);
}

const char *core_text(PyObject *object) {
    Py_ssize_t length;
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "expected a text, not %R", (PyObject *)Py_TYPE(object));
        return NULL;
    }
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (!text || strlen(text) == (size_t)length)
        return text;
    PyErr_SetString(PyExc_ValueError, "expected a text without NUL characters");
    return NULL;
}

/* The library may cut a long text within a character. */
static PyObject *error_of(PyObject *type) {
    const char *text = le_error_message();
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *error = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
    Py_XDECREF(message);
    return error;
}

/* Of a cancelled call the exception itself is raised, of others it is the cause. */
PyObject *core_raise(le_status status) {
    int number = -(int)status;
    PyObject *cause = kept_exception;
    kept_exception = NULL;
    if (status == LE_ERR_CANCELLED && cause) {
        PyErr_SetObject((PyObject *)Py_TYPE(cause), cause);
        Py_DECREF(cause);
        return NULL;
    }
    if (status == LE_ERR_CANCELLED && core_is_ended()) {
        PyErr_SetNone(PyExc_SystemExit); /* of a thread, without a word */
        return NULL;
    }
    PyObject *type =
        number > 0 && number < STATUSES && errors[number] ? errors[number] : PyExc_RuntimeError;
    PyObject *error = error_of(type);
    if (error) {
        PyObject *value = PyLong_FromLong(status);
        if (value)
            PyObject_SetAttrString(error, "status", value);
        Py_XDECREF(value);
        if (cause)
            PyException_SetCause(error, Py_NewRef(cause));
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
        Py_DECREF(error);
    }
    Py_XDECREF(cause);
    return NULL;
}

/* ----------------------------------------------------------------------------------- log ----- */

/* Lines come from any thread of the library, which never waits for the GIL: they stay here until a
 * call returns. The oldest are lost when there are too many. */
enum { LINES = 256, LINE = 480 };
static struct line {
    le_log_level level;
    char text[LINE];
} ring[LINES];
static pthread_mutex_t ring_mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned written, taken;
static PyObject *log_function;

void core_log(void *cookie, le_log_level level, const char *text) {
    (void)cookie;
    pthread_mutex_lock(&ring_mutex);
    struct line *l = &ring[written++ % LINES];
    l->level = level;
    snprintf(l->text, sizeof l->text, "%s", text);
    pthread_mutex_unlock(&ring_mutex);
}

static bool take_line(struct line *out) {
    pthread_mutex_lock(&ring_mutex);
    bool there = taken != written;
    if (there && written - taken > LINES)
        taken = written - LINES;
    if (there)
        *out = ring[taken++ % LINES];
    pthread_mutex_unlock(&ring_mutex);
    return there;
}

bool core_log_flush(void) {
    static _Thread_local bool under_way; /* a handler that calls an operation */
    struct line l;
    bool good = true;
    if (written == taken || !log_function || under_way)
        return true;
    under_way = true;
    while (good && take_line(&l)) {
        PyObject *r = PyObject_CallFunction(log_function, "is", (int)l.level, l.text);
        good = r != NULL;
        Py_XDECREF(r);
    }
    under_way = false;
    return good;
}

PyObject *core_set_log_function(PyObject *module, PyObject *function) {
    (void)module;
    Py_XDECREF(log_function);
    log_function = Py_NewRef(function);
    Py_RETURN_NONE;
}

PyObject *core_flush_log(PyObject *module, PyObject *none) {
    (void)module;
    (void)none;
    return core_log_flush() ? Py_NewRef(Py_None) : NULL;
}

bool core_check(le_status status) {
    if (status != LE_OK) {
        core_raise(status);
        PyObject *type, *value, *trace; /* the log's functions run without it */
        PyErr_Fetch(&type, &value, &trace);
        if (!core_log_flush())
            PyErr_Clear();
        PyErr_Restore(type, value, trace);
        return false;
    }
    core_forget_exception();
    return core_log_flush();
}

/* --------------------------------------------------------------------------- without GIL ----- */

static _Thread_local core_outside *current;
static int n_outside; /* guarded by the GIL */

bool core_hear(core_outside *o, double done) {
    if (core_is_ended())
        return false;
    PyEval_RestoreThread(o->state);
    bool good = PyErr_CheckSignals() == 0;
    if (good && o->progress) {
        PyObject *r = PyObject_CallFunction(o->progress, "d", done);
        good = r != NULL;
        Py_XDECREF(r);
    }
    if (!good)
        core_keep_exception();
    o->state = PyEval_SaveThread();
    return good;
}

static bool on_tick(void *context, double done) {
    return core_hear(context, done);
}

static void set_tick(core_outside *o) {
    if (o)
        o->tick = (le_tick){on_tick, o};
    le_set_tick(o ? &o->tick : NULL);
}

void core_leave(core_outside *o, PyObject *progress) {
    o->progress = progress;
    o->call = NULL;
    o->around = current;
    current = o;
    n_outside++;
    set_tick(o);
    o->state = PyEval_SaveThread();
}

void core_back(core_outside *o) {
    PyEval_RestoreThread(o->state);
    current = o->around;
    n_outside--;
    set_tick(current);
}

bool core_is_outside(void) {
    return current != NULL;
}

const core_call *core_call_outside(void) {
    return current ? current->call : NULL;
}

int core_nested_outside(void) {
    int n = 0;
    for (const core_outside *o = current; o; o = o->around)
        n++;
    return n;
}

int core_count_outside(void) {
    return n_outside;
}

void core_end_others(void) {
    ends_it = true;
    ending = true;
}

/* Another thread of the parent's may have been writing a line. */
void core_begin_child(void) {
    pthread_mutex_init(&ring_mutex, NULL);
    taken = written;
    n_outside = core_nested_outside();
}

void core_free(PyObject *object, PyTypeObject *type) {
    freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free_it(object);
    Py_DECREF((PyObject *)type);
}

/* -------------------------------------------------------------------------------- module ----- */

static PyMethodDef methods[] = {
    {"set_errors", core_set_errors, METH_O, NULL},
    {"set_log_function", core_set_log_function, METH_O, NULL},
    {"flush_log", core_flush_log, METH_NOARGS,
     "flush_log()\n--\n\nHand log lines of other threads to ``logging`` now; calls do so when they "
     "return."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "liquid_engine._core", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) {
    import_array();
    PyObject *m = PyModule_Create(&definition);
    if (!m)
        return NULL;
    bool good = core_engine_add(m) && core_tensor_add(m) && core_function_add(m) &&
                core_chain_add(m) && PyModule_AddFunctions(m, core_look_methods) == 0 &&
                PyModule_AddFunctions(m, core_own_methods) == 0 &&
                PyModule_AddStringConstant(m, "version", le_version()) == 0;
    if (!good) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
