/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Seeing what the engine does: explanations, benchmarks, profiles, what is stored; and files.
 */
#include "core.h"

#include "liquid_engine/le_report.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A text of the library's, which is freed. */
static PyObject *take_text(char *text) {
    PyObject *r = text ? PyUnicode_FromString(text) : PyErr_NoMemory();
    free(text);
    return r;
}

PyObject *core_explain(core_call *c) {
    le_explanation *x = NULL;
    char *text = NULL;
    le_status status;
    core_outside outside;
    core_leave(&outside, NULL);
    status =
        le_call_explain(c->engine->engine, &x, core_function_operation(c->function), c->args, c->n);
    if (status == LE_OK)
        text = le_explanation_json(x);
    le_explanation_free(&x);
    core_back(&outside);
    if (!core_call_check(c, status)) {
        free(text);
        return NULL;
    }
    return take_text(text);
}

/* ------------------------------------------------------------------------------ bench -------- */

enum { RUNS = 1000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs of a candidate for about so many seconds, three at least; a first one warms up. */
static le_status time_candidate(le_bench *bench, size_t index, double seconds, double *times,
                                int *n, double *kernel, core_outside *outside) {
    const double hear_every = 0.05;
    le_bench_stats stats = {.struct_size = sizeof stats};
    le_status status = le_bench_run(bench, index, &stats);
    double start = now(), heard = start;
    for (*n = 0; status == LE_OK && *n < RUNS && (*n < 3 || now() < start + seconds);) {
        if (now() > heard + hear_every) {
            if (!core_hear(outside, NAN))
                return LE_ERR_CANCELLED;
            heard = now();
        }
        status = le_bench_run(bench, index, &stats);
        times[(*n)++] = stats.seconds - stats.setup_seconds;
        *kernel = stats.kernel_seconds;
    }
    return status;
}

static PyObject *list_of(const double *values, int n) {
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++)
        PyList_SetItem(list, i, PyFloat_FromDouble(values[i]));
    return list;
}

/* Why a candidate must not run in this process: it crashed or hung in its trial. NULL: it may. */
static const char *quarantine_of(const le_explanation *e, const char *candidate) {
    for (size_t i = 0; e && i < e->n_candidates; i++) {
        const le_explained_candidate *c = le_explanation_candidate(e, i);
        if (!strcmp(c->candidate, candidate))
            return strcmp(c->verdict, "quarantined") ? NULL : c->left_out;
    }
    return NULL;
}

/* (candidate, implementation, run type, device, why it does not apply or failed, seconds of runs,
 * seconds of kernels, largest error, within the tolerance) */
static PyObject *bench_row(le_bench *bench, size_t index, const le_explanation *e, bool compared,
                           double seconds) {
    size_t n;
    const le_bench_candidate *b = &le_bench_candidates(bench, &n)[index];
    const char *quarantine = quarantine_of(e, b->text);
    const bool applies = b->applies && !quarantine;
    double times[RUNS], kernel = 0;
    int runs = 0;
    le_status status = LE_OK, checked = LE_ERR_UNSUPPORTED;
    le_bench_comparison comparison = {.struct_size = sizeof comparison, .max_abs = NAN};
    core_outside outside;
    core_leave(&outside, NULL);
    if (applies)
        status = time_candidate(bench, index, seconds, times, &runs, &kernel, &outside);
    if (applies && status == LE_OK && compared)
        checked = le_bench_check(bench, index, 0xff, &comparison);
    core_back(&outside);
    if (status == LE_ERR_CANCELLED || checked == LE_ERR_CANCELLED) {
        core_check(LE_ERR_CANCELLED);
        return NULL;
    }
    bool wrong = status != LE_OK || (checked != LE_OK && checked != LE_ERR_UNSUPPORTED);
    const char *why = quarantine    ? quarantine
                      : !b->applies ? b->why
                      : wrong       ? le_error_message()
                                    : "";
    core_forget_exception();
    return Py_BuildValue("(sssssNddO)", b->text, b->implementation->name,
                         b->implementation->run_type, b->device, why,
                         list_of(times, status == LE_OK ? runs : 0), kernel, comparison.max_abs,
                         checked == LE_OK && comparison.within ? Py_True : Py_False);
}

static PyObject *bench_rows(le_bench *bench, const le_explanation *e, bool compared,
                            double seconds) {
    size_t n;
    PyObject *rows = PyList_New(0);
    le_bench_candidates(bench, &n);
    for (size_t i = 0; rows && i < n; i++) {
        PyObject *row =
            PyErr_CheckSignals() == 0 ? bench_row(bench, i, e, compared, seconds) : NULL;
        if (!row || PyList_Append(rows, row) != 0)
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    return rows;
}

PyObject *core_bench(core_call *c, double seconds) {
    const char *name = core_function_operation(c->function);
    le_bench *bench = NULL;
    le_explanation *e = NULL;
    le_status status, compared = LE_ERR_UNSUPPORTED;
    PyObject *rows = NULL;
    core_outside outside;
    core_leave(&outside, NULL);
    status = le_bench_open(&bench, c->engine->engine, name, c->args, c->n);
    if (status == LE_OK)
        status = le_call_explain(c->engine->engine, &e, name, c->args, c->n);
    if (status == LE_OK)
        compared = le_bench_reference(bench);
    core_back(&outside);
    if (status == LE_OK && compared == LE_ERR_CANCELLED)
        status = compared;
    if (core_call_check(c, status)) {
        rows = bench_rows(bench, e, compared == LE_OK, seconds);
        if (rows)
            rows = Py_BuildValue("(sN)", le_bench_problem(bench), rows);
    }
    le_explanation_free(&e);
    le_bench_close(&bench);
    return rows;
}

PyObject *core_time(core_call *c, int batches) {
    enum { CALLS = 1000 };
    const char *name = core_function_operation(c->function);
    double best = INFINITY;
    le_status status = LE_OK;
    core_outside outside;
    core_leave(&outside, NULL);
    for (int k = 0; k < batches && status == LE_OK; k++) {
        double start = now();
        for (int i = 0; i < CALLS && status == LE_OK; i++)
            status = le_call_run(c->engine->engine, name, c->args, c->n);
        best = fmin(best, (now() - start) / CALLS);
    }
    core_back(&outside);
    return core_call_check(c, status) ? PyFloat_FromDouble(best) : NULL;
}

/* --------------------------------------------------------------------------- verify ---------- */

static PyObject *verify_rows(le_bench *bench) {
    size_t n;
    const le_bench_candidate *b = le_bench_candidates(bench, &n);
    PyObject *rows = PyList_New(0);
    for (size_t i = 0; rows && i < n; i++) {
        le_bench_comparison comparison = {.struct_size = sizeof comparison, .max_abs = NAN};
        le_status status = LE_OK;
        core_outside outside;
        core_leave(&outside, NULL);
        if (b[i].applies)
            status = le_bench_check(bench, i, 0xff, &comparison);
        core_back(&outside);
        if (status == LE_ERR_CANCELLED) {
            core_check(status);
            Py_CLEAR(rows);
            break;
        }
        core_forget_exception();
        bool right = b[i].applies && status == LE_OK && comparison.within;
        PyObject *row =
            Py_BuildValue("(ssdOOs)", b[i].text, b[i].implementation->name, comparison.max_abs,
                          b[i].applies ? Py_True : Py_False, right ? Py_True : Py_False,
                          !b[i].applies        ? b[i].why
                          : status != LE_OK    ? le_error_message()
                          : !comparison.within ? "its error is above the tolerance"
                                               : "");
        if (!row || PyList_Append(rows, row) != 0)
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    return rows;
}

/* verify(engine, operation, index): every candidate on a case of the operation's own */
static PyObject *verify(PyObject *module, PyObject *args) {
    PyObject *engine, *rows = NULL;
    const char *operation;
    long long index;
    le_sample *sample = NULL;
    le_bench *bench = NULL;
    le_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "OsL", &engine, &operation, &index))
        return NULL;
    core_engine *e = core_engine_get(engine);
    if (!e || !core_engine_begin(e)) {
        Py_XDECREF((PyObject *)e);
        return NULL;
    }
    core_outside outside;
    core_leave(&outside, NULL);
    le_case_request request = {.kind = LE_CASE_CHECK, .seed = 1, .index = index};
    status = le_sample_make(&sample, e->engine, operation, &request);
    if (status == LE_OK) {
        size_t n;
        const le_arg *list = le_sample_args(sample, &n);
        status = le_bench_open(&bench, e->engine, operation, list, n);
    }
    if (status == LE_OK)
        status = le_bench_reference(bench);
    core_back(&outside);
    if (core_check(status))
        rows = verify_rows(bench);
    le_bench_close(&bench);
    le_sample_free(&sample);
    core_engine_end(e);
    return rows;
}

/* --------------------------------------------------------------------------- last run -------- */

static PyObject *last_run(PyObject *module, PyObject *none) {
    le_run_info i = {.struct_size = sizeof i};
    (void)module;
    (void)none;
    if (le_last_run(&i) != LE_OK || !i.candidate[0])
        Py_RETURN_NONE;
    return Py_BuildValue("(ssddLLL)", i.candidate, i.why, i.seconds, i.kernel_seconds,
                         (long long)i.bytes_to_device, (long long)i.bytes_from_device,
                         (long long)i.measurements);
}

/* ---------------------------------------------------------------------------- profile -------- */

/* Drivers take their time, for which nobody else needs to wait. */
static bool open_devices(core_engine *e) {
    le_bench_device first;
    if (!core_engine_begin((core_engine *)Py_NewRef((PyObject *)e))) {
        Py_DECREF((PyObject *)e);
        return false;
    }
    core_outside outside;
    core_leave(&outside, NULL);
    le_bench_devices(e->engine, &first, 1);
    core_back(&outside);
    core_engine_end(e);
    return true;
}

/* Calls that are under way write to a profile, whose beginning and end they must not see. */
static PyObject *profile_start(PyObject *module, PyObject *engine) {
    core_engine *e = core_engine_get(engine);
    (void)module;
    bool good = e && open_devices(e) &&
                core_engine_begin_alone(e, "a profile cannot begin", CORE_ALONE_SECONDS);
    le_status status = good ? le_profile_start(e->engine) : LE_OK;
    if (good)
        core_engine_end_alone(e);
    Py_XDECREF((PyObject *)e);
    return good && core_check(status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *profile_rows(const le_profile *profile) {
    size_t n;
    const le_profile_row *r = le_profile_rows(profile, &n);
    PyObject *rows = PyList_New(0);
    for (size_t i = 0; rows && i < n; i++) {
        PyObject *row = Py_BuildValue("(sissLLdddd)", r[i].kind, (int)r[i].depth, r[i].name,
                                      r[i].place, (long long)r[i].count, (long long)r[i].bytes,
                                      r[i].median_s, r[i].total_s, r[i].share, r[i].start_s);
        if (!row || PyList_Append(rows, row) != 0)
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    return rows;
}

/* (rows, table, trace) */
static PyObject *profile_stop(PyObject *module, PyObject *engine) {
    core_engine *e = core_engine_get(engine);
    le_profile *profile = NULL;
    PyObject *r = NULL;
    (void)module;
    /* However long others take: who leaves the block has no other way to end it. */
    bool good = e && core_engine_begin_alone(e, "a profile cannot end", INT_MAX);
    le_status status = good ? le_profile_stop(e->engine, &profile) : LE_OK;
    if (good)
        core_engine_end_alone(e);
    Py_XDECREF((PyObject *)e);
    if (good && core_check(status))
        r = Py_BuildValue("(NNN)", profile_rows(profile), take_text(le_profile_table(profile)),
                          take_text(le_profile_trace_json(profile)));
    le_profile_free(&profile);
    return r;
}

/* ------------------------------------------------------------------------------ files -------- */

/* Places may be bytes, or texts with bytes in them that are no UTF-8 (os.fsdecode). */
static PyObject *read_place(PyObject *module, PyObject *args) {
    PyObject *place = NULL, *engine;
    le_tensor t = {0};
    le_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O", PyUnicode_FSConverter, &place, &engine))
        return NULL;
    core_engine *e = core_engine_get(engine);
    if (!e || !core_engine_begin(e)) {
        Py_XDECREF((PyObject *)e);
        Py_DECREF(place);
        return NULL;
    }
    const char *text = PyBytes_AsString(place);
    core_outside outside;
    core_leave(&outside, NULL);
    status = le_io_read(e->engine, text, NULL, &t);
    core_back(&outside);
    core_engine_end(e);
    Py_DECREF(place);
    return core_check(status) ? core_array_of(&t) : NULL;
}

static PyObject *write_place(PyObject *module, PyObject *args) {
    PyObject *place = NULL, *engine, *array;
    le_tensor view;
    le_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&OO", PyUnicode_FSConverter, &place, &array, &engine))
        return NULL;
    const char *text = PyBytes_AsString(place);
    bool own = PyObject_TypeCheck(array, core_tensor_type);
    PyObject *a =
        own || PyArray_Check(array) ? Py_NewRef(array) : core_as_array(array, "write", "x", 0);
    PyObject *holder = a && !own ? core_tensor_of_input(a, "write", "x", &view) : Py_XNewRef(a);
    Py_XDECREF(a);
    a = holder;
    bool good = a != NULL;
    core_engine *e = good ? core_engine_get(engine) : NULL;
    if (!e || !core_engine_begin(e)) {
        Py_XDECREF((PyObject *)e);
        Py_XDECREF(a);
        Py_DECREF(place);
        return NULL;
    }
    core_outside outside;
    core_leave(&outside, NULL);
    status = le_io_write(e->engine, text, own ? &((core_tensor *)array)->t : &view);
    core_back(&outside);
    core_engine_end(e);
    Py_DECREF(a);
    Py_DECREF(place);
    return core_check(status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *peek_place(PyObject *module, PyObject *place) {
    le_dtype dtype;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    (void)module;
    PyObject *text = NULL;
    bool good = PyUnicode_FSConverter(place, &text) &&
                core_check(le_io_peek(PyBytes_AsString(text), &dtype, &ndim, shape));
    Py_XDECREF(text);
    if (!good)
        return NULL;
    PyObject *extents = PyTuple_New(ndim);
    for (int i = 0; extents && i < ndim; i++)
        PyTuple_SetItem(extents, i, PyLong_FromLongLong(shape[i]));
    return Py_BuildValue("(NN)", extents, core_dtype_object(dtype));
}

/* ------------------------------------------------------------------- what is stored ---------- */

static void refused(void *list, int line, const char *text) {
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *entry = Py_BuildValue("(is)", line, text);
    if (entry)
        PyList_Append(list, entry);
    Py_XDECREF(entry);
    PyErr_Clear();
    PyGILState_Release(state);
}

/* wisdom(what, engine, path): "save", "load" or "merge" */
static PyObject *wisdom(PyObject *module, PyObject *args) {
    const char *what, *path;
    PyObject *engine, *bytes = NULL;
    le_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOO&", &what, &engine, PyUnicode_FSConverter, &bytes))
        return NULL;
    path = PyBytes_AsString(bytes);
    PyObject *list = PyList_New(0);
    core_engine *e = list ? core_engine_get(engine) : NULL;
    if (!e || !core_engine_begin(e)) {
        Py_XDECREF((PyObject *)e);
        Py_XDECREF(list);
        Py_DECREF(bytes);
        return NULL;
    }
    le_wisdom_options o = {
        .struct_size = sizeof o, .refused = refused, .cookie = list, .keep_unknown = true};
    le_wisdom_counts n = {.struct_size = sizeof n};
    core_outside outside;
    core_leave(&outside, NULL);
    status = !strcmp(what, "save")   ? le_wisdom_save(e->engine, path)
             : !strcmp(what, "load") ? le_wisdom_load(e->engine, path, &o, &n)
                                     : le_wisdom_merge(e->engine, path, &o, &n);
    core_back(&outside);
    core_engine_end(e);
    Py_DECREF(bytes);
    if (!core_check(status)) {
        Py_DECREF(list);
        return NULL;
    }
    return Py_BuildValue("(LLLLN)", (long long)n.rows, (long long)n.added, (long long)n.known,
                         (long long)n.refused, list);
}

/* report(engine): HTML */
static PyObject *report(PyObject *module, PyObject *engine) {
    char *text = NULL;
    le_status status;
    (void)module;
    core_engine *e = core_engine_get(engine);
    if (!e || !core_engine_begin(e)) {
        Py_XDECREF((PyObject *)e);
        return NULL;
    }
    core_outside outside;
    core_leave(&outside, NULL);
    status = le_report_html(e->engine, NULL, &text, NULL);
    core_back(&outside);
    core_engine_end(e);
    return core_check(status) ? take_text(text) : NULL;
}

/* -------------------------------------------------------------------------- the rest --------- */

static PyObject *environment(PyObject *module, PyObject *none) {
    PyObject *rows = PyList_New(0);
    (void)module;
    (void)none;
    for (const le_env_row *e = le_environment(); rows && e->name; e++) {
        PyObject *row = Py_BuildValue("(sss)", e->name, e->help, e->default_text);
        if (!row || PyList_Append(rows, row) != 0)
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    return rows;
}

PyMethodDef core_look_methods[] = {
    {"verify", verify, METH_VARARGS, NULL},
    {"last_run", last_run, METH_NOARGS, NULL},
    {"profile_start", profile_start, METH_O, NULL},
    {"profile_stop", profile_stop, METH_O, NULL},
    {"read", read_place, METH_VARARGS, NULL},
    {"write", write_place, METH_VARARGS, NULL},
    {"peek", peek_place, METH_O, NULL},
    {"wisdom", wisdom, METH_VARARGS, NULL},
    {"report", report, METH_O, NULL},
    {"environment", environment, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
