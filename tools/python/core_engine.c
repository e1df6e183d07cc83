/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Engines: opening, closing, the default one.
 */
#include "core.h"

#include <math.h>
#include <string.h>
#include <time.h>

PyTypeObject *core_engine_type;
PyObject *core_too_deep;
static core_engine *default_engine;
static PyObject *opener;    /* makes the default engine, and sets it */
static unsigned generation; /* of default engines: another one after one that was closed */
static unsigned definitions;
static bool ended;          /* the program: no other one is opened */

enum { EXIT_SECONDS = 2 }; /* for calls on other threads */

/* --- options --- */

static const char *text_of(PyObject *dict, const char *name) {
    PyObject *v = PyDict_GetItemString(dict, name);
    if (!v || v == Py_None || PyErr_Occurred())
        return NULL;
    const char *text = core_text(v);
    if (!text)
        PyErr_Format(PyUnicode_Check(v) ? PyExc_ValueError : PyExc_TypeError,
                     "Engine: option '%s': expected a text without NUL characters, not %R", name,
                     v);
    return text;
}

enum { PATHS = 3 };

/* As the library takes it, whatever bytes are in it: texts stand for some that are no UTF-8. */
static const char *path_of(PyObject *dict, const char *name, PyObject **bytes) {
    PyObject *v = PyDict_GetItemString(dict, name);
    if (!v || v == Py_None || PyErr_Occurred())
        return NULL;
    if (PyUnicode_Check(v) && PyUnicode_FSConverter(v, bytes))
        return PyBytes_AsString(*bytes);
    PyErr_Clear();
    return text_of(dict, name); /* says why */
}

static bool number_of(PyObject *dict, const char *name, double *out) {
    PyObject *v = PyDict_GetItemString(dict, name);
    if (!v || v == Py_None)
        return true;
    *out = PyFloat_AsDouble(v);
    bool number = !PyErr_Occurred();
    if (number && *out >= 0 && *out < INFINITY)
        return true;
    PyErr_Format(number ? PyExc_ValueError : PyExc_TypeError,
                 "Engine: option '%s': expected a number from 0, not %R", name, v);
    return false;
}

static bool whole_of(PyObject *dict, const char *name, int64_t least, int64_t most, int64_t *out) {
    PyObject *v = PyDict_GetItemString(dict, name);
    if (!v || v == Py_None)
        return true;
    PyObject *index = PyNumber_Index(v);
    bool whole = index != NULL;
    *out = whole ? PyLong_AsLongLong(index) : -1;
    Py_XDECREF(index);
    if (!PyErr_Occurred() && *out >= least && *out <= most)
        return true;
    PyErr_Format(whole ? PyExc_ValueError : PyExc_TypeError,
                 "Engine: option '%s': expected a whole number from %lld to %lld, not %R", name,
                 (long long)least, (long long)most, v);
    return false;
}

static bool bytes_of(PyObject *dict, const char *name, int64_t *out) {
    PyObject *v = PyDict_GetItemString(dict, name);
    if (!v || v == Py_None)
        return true;
    if (!PyUnicode_Check(v))
        return whole_of(dict, name, 0, INT64_MAX, out);
    const char *text = text_of(dict, name);
    if (!text || le_bytes_from_text(text, out))
        return text != NULL;
    PyErr_Format(PyExc_ValueError, "%s: expected bytes as a number or as '2G', not %R", name, v);
    return false;
}

static bool mode_of(PyObject *dict, le_mode *out) {
    const char *mode = text_of(dict, "mode");
    if (mode && !le_mode_from_name(mode, out))
        PyErr_Format(PyExc_ValueError,
                     "there is no mode '%s'; there are estimate, learn, measure and frozen", mode);
    return !PyErr_Occurred();
}

static bool fill_options(le_options *o, PyObject *dict, PyObject *paths[PATHS]) {
    int64_t threads = 0, seed = 0;
    le_default_options(o);
    o->log = core_log;
    o->db_path = path_of(dict, "db", &paths[0]);
    o->site_db_path = path_of(dict, "site_db", &paths[1]);
    o->cache_dir = path_of(dict, "cache_dir", &paths[2]);
    o->devices = text_of(dict, "devices");
    o->run_type = text_of(dict, "run_type");
    o->implementation = text_of(dict, "implementation");
    bool good = !PyErr_Occurred() && mode_of(dict, &o->mode) &&
                whole_of(dict, "threads", 0, INT32_MAX, &threads) &&
                whole_of(dict, "seed", 0, INT64_MAX, &seed) &&
                number_of(dict, "explore_share", &o->explore_share) &&
                number_of(dict, "trial_limit", &o->trial_limit_s) &&
                bytes_of(dict, "memory_limit", &o->memory_limit_bytes) &&
                bytes_of(dict, "device_memory_limit", &o->device_memory_limit_bytes);
    o->threads = (int32_t)threads;
    o->seed = (uint64_t)seed;
    return good;
}

/* --- life --- */

/* NULL with an exception. */
static le_engine *open_with(PyObject *options) {
    PyObject *paths[PATHS] = {NULL};
    le_options o;
    le_engine *engine = NULL;
    if (fill_options(&o, options, paths)) {
        core_outside outside;
        core_leave(&outside, NULL);
        le_status status = le_open(&engine, &o);
        core_back(&outside);
        if (!core_check(status))
            le_close(&engine);
    }
    for (int i = 0; i < PATHS; i++)
        Py_XDECREF(paths[i]);
    return engine;
}

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *dict) {
    if (PyTuple_Size(args) != 0) {
        PyErr_SetString(PyExc_TypeError, "Engine takes keywords only");
        return NULL;
    }
    PyObject *options = dict ? PyDict_Copy(dict) : PyDict_New();
    if (!options)
        return NULL;
    le_engine *engine = open_with(options);
    core_engine *self = engine ? (core_engine *)PyType_GenericAlloc(type, 0) : NULL;
    if (!self) {
        le_close(&engine);
        Py_DECREF(options);
        return NULL;
    }
    self->engine = engine;
    self->options = options;
    return (PyObject *)self;
}

static void close_engine(core_engine *self) {
    le_engine *engine = self->engine;
    self->engine = NULL;
    core_outside outside;
    core_leave(&outside, NULL);
    le_close(&engine);
    core_back(&outside);
}

static PyObject *engine_close(PyObject *o, PyObject *none) {
    core_engine *self = (core_engine *)o;
    (void)none;
    if (self->in_use) {
        PyErr_Format(PyExc_RuntimeError,
                     "the engine cannot be closed: %d of its calls are under way", self->in_use);
        return NULL;
    }
    if (self->engine)
        close_engine(self);
    return core_log_flush() ? Py_NewRef(Py_None) : NULL;
}

static void engine_free(PyObject *o) {
    core_engine *self = (core_engine *)o;
    PyTypeObject *type = Py_TYPE(o);
    if (self->engine)
        close_engine(self);
    Py_XDECREF(self->options);
    core_free(o, type);
}

core_engine *core_engine_get(PyObject *engine) {
    if (engine && engine != Py_None) {
        if (PyObject_TypeCheck(engine, core_engine_type))
            return (core_engine *)Py_NewRef(engine);
        PyErr_Format(PyExc_TypeError, "engine: expected a liquid_engine.Engine, not %R",
                     (PyObject *)Py_TYPE(engine));
        return NULL;
    }
    if (default_engine && (default_engine->engine || ended))
        return (core_engine *)Py_NewRef((PyObject *)default_engine);
    return (core_engine *)PyObject_CallNoArgs(opener);
}

bool core_engine_is_open(const core_engine *engine) {
    if (!engine->engine)
        PyErr_SetString(PyExc_ValueError,
                        ended && engine == default_engine
                            ? "the engine has been closed, since the program ends: functions of "
                              "atexit may call that are registered after liquid_engine is imported"
                            : "the engine has been closed");
    return engine->engine != NULL;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Lets other threads run for a moment. False: a signal's handler has raised. */
static bool wait_a_moment(void) {
    PyThreadState *state = PyEval_SaveThread();
    nanosleep(&(struct timespec){0, 200000}, NULL);
    PyEval_RestoreThread(state);
    return PyErr_CheckSignals() == 0;
}

/* Python counts its own frames, which are few in such a recursion; the stack has as many of C. */
static bool is_deep(void) {
    enum { MOST_NESTED = 100 };
    if (core_nested_outside() < MOST_NESTED)
        return false;
    PyErr_Format(core_too_deep,
                 "maximum recursion depth exceeded: %d calls of operations within one another",
                 MOST_NESTED);
    return true;
}

bool core_engine_begin(core_engine *engine) {
    if (is_deep())
        return false;
    /* a call by an implementation is part of one under way, which is waited for */
    while (engine->wanted && !core_is_outside())
        if (!wait_a_moment())
            return false;
    /* and one that began now would be waited for in vain: threads call in loops */
    if (core_is_ended() && !core_is_outside()) {
        PyErr_SetNone(PyExc_SystemExit);
        return false;
    }
    if (!core_engine_is_open(engine))
        return false;
    engine->in_use++;
    return true;
}

bool core_engine_begin_alone(core_engine *engine, const char *what, int seconds) {
    const double end = now() + seconds;
    if (core_is_outside()) {
        PyErr_Format(PyExc_RuntimeError, "%s within a call of an operation", what);
        return false;
    }
    engine->wanted++;
    bool good = true;
    while (good && engine->in_use) {
        good = wait_a_moment();
        if (good && engine->in_use && now() > end) {
            PyErr_Format(PyExc_RuntimeError,
                         "%s while calls are under way on other threads: %d of them did not end "
                         "within %d s",
                         what, engine->in_use, seconds);
            good = false;
        }
    }
    good = good && core_engine_is_open(engine);
    if (!good)
        engine->wanted--;
    return good;
}

void core_engine_end_alone(core_engine *engine) {
    engine->wanted--;
}

void core_engine_end(core_engine *engine) {
    engine->in_use--;
    Py_DECREF((PyObject *)engine);
}

unsigned core_engine_generation(void) {
    return generation;
}

unsigned core_definitions(void) {
    return definitions;
}

void core_count_definition(void) {
    definitions++;
}

bool core_engine_is_default(unsigned made_in) {
    return made_in == generation && default_engine && default_engine->engine;
}

/* Makes an engine the default one, unless there is one that is open. */
static PyObject *set_default(PyObject *module, PyObject *engine) {
    (void)module;
    if (default_engine && !default_engine->engine && !ended) {
        Py_DECREF((PyObject *)default_engine);
        default_engine = NULL;
        generation++;
    }
    if (!default_engine)
        default_engine = core_engine_get(engine);
    return default_engine ? Py_NewRef((PyObject *)default_engine) : NULL;
}

/* In a forked child: the engine stays what it is, another process's. */
static PyObject *forget_default(PyObject *module, PyObject *none) {
    (void)module;
    (void)none;
    default_engine = NULL;
    core_begin_child();
    Py_RETURN_NONE;
}

static PyObject *set_opener(PyObject *module, PyObject *function) {
    (void)module;
    Py_XDECREF(opener);
    opener = Py_NewRef(function);
    Py_RETURN_NONE;
}

static PyObject *get_default(PyObject *module, PyObject *none) {
    (void)module;
    (void)none;
    return (PyObject *)core_engine_get(NULL);
}

static PyObject *is_open(PyObject *module, PyObject *none) {
    (void)module;
    (void)none;
    return PyBool_FromLong(default_engine && default_engine->engine);
}

static PyObject *get_definitions(PyObject *module, PyObject *none) {
    (void)module;
    (void)none;
    return PyLong_FromUnsignedLong(definitions);
}

static bool is_at_work(void) {
    return core_count_outside() > 0 || (default_engine && default_engine->in_use);
}

/* When the interpreter ends, while threads still run that nobody waits for. */
static PyObject *close_default(PyObject *module, PyObject *none) {
    const double end = now() + EXIT_SECONDS;
    bool good = true;
    (void)module;
    (void)none;
    core_end_others();
    ended = true;
    while (good && is_at_work() && now() < end)
        good = wait_a_moment();
    if (default_engine && !default_engine->in_use && default_engine->engine)
        close_engine(default_engine);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* --- what it has --- */

static PyObject *engine_operations(PyObject *o, PyObject *none) {
    core_engine *self = (core_engine *)o;
    size_t n;
    (void)none;
    if (!self->engine)
        return PyList_New(0);
    const le_operation *const *all = le_engine_operations(self->engine, &n);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *name = PyUnicode_FromString(all[i]->name);
        if (!name || PyList_Append(list, name) != 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *engine_devices(PyObject *o, PyObject *none) {
    core_engine *self = (core_engine *)Py_NewRef(o);
    le_bench_device d[16];
    size_t n;
    (void)none;
    if (!core_engine_begin(self)) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    core_outside outside;
    core_leave(&outside, NULL);
    n = le_bench_devices(self->engine, d, 16);
    core_back(&outside);
    core_engine_end(self);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < n && i < 16; i++) {
        PyObject *row = Py_BuildValue("(sssssO)", d[i].id, d[i].name, d[i].vendor, d[i].driver,
                                      d[i].version, d[i].is_cpu ? Py_True : Py_False);
        if (!row || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *engine_threads(PyObject *o, void *closure) {
    core_engine *self = (core_engine *)o;
    (void)closure;
    return PyLong_FromLong(self->engine ? le_bench_threads(self->engine) : 0);
}

static PyObject *engine_closed(PyObject *o, void *closure) {
    (void)closure;
    return PyBool_FromLong(((core_engine *)o)->engine == NULL);
}

static PyObject *engine_options(PyObject *o, void *closure) {
    (void)closure;
    return PyDict_Copy(((core_engine *)o)->options);
}

static PyMethodDef engine_methods[] = {
    {"close", engine_close, METH_NOARGS, "Waits for pending writes and releases everything."},
    {"_operations", engine_operations, METH_NOARGS, NULL},
    {"_devices", engine_devices, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef engine_attributes[] = {
    {"threads", engine_threads, NULL, "Threads of the pool.", NULL},
    {"closed", engine_closed, NULL, "Whether close was called.", NULL},
    {"_options", engine_options, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot engine_slots[] = {
    {Py_tp_new, engine_new},
    {Py_tp_dealloc, engine_free},
    {Py_tp_methods, engine_methods},
    {Py_tp_getset, engine_attributes},
    {0, NULL},
};
static PyType_Spec engine_spec = {"liquid_engine._core.Engine", sizeof(core_engine), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, engine_slots};
static PyMethodDef functions[] = {
    {"forget_default", forget_default, METH_NOARGS, NULL},
    {"default_engine", get_default, METH_NOARGS, NULL},
    {"set_opener", set_opener, METH_O, NULL},
    {"set_default", set_default, METH_O, NULL},
    {"is_open", is_open, METH_NOARGS, NULL},
    {"definitions", get_definitions, METH_NOARGS, NULL},
    {"close_default", close_default, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

bool core_engine_add(PyObject *module) {
    core_engine_type = (PyTypeObject *)PyType_FromSpec(&engine_spec);
    core_too_deep = PyErr_NewException("liquid_engine._core.TooDeep", PyExc_RecursionError, NULL);
    return core_engine_type && core_too_deep &&
           PyModule_AddObjectRef(module, "Engine", (PyObject *)core_engine_type) == 0 &&
           PyModule_AddFunctions(module, functions) == 0;
}
