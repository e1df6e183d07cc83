/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The extension module liquid_engine._core: engines, tensors and operations as Python objects. Only
 * the public headers of the library and the stable ABI of Python 3.11 are used. All functions here
 * are called with the GIL held unless they say so; those that return NULL or false have set an
 * exception.
 */
#ifndef LE_PYTHON_CORE_H
#define LE_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API  NPY_1_22_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL liquid_engine_core_numpy
#ifndef CORE_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_stream.h"

#include <stdatomic.h>
#include <stdbool.h>

/* --- engines --- */

typedef struct core_engine {
    PyObject_HEAD le_engine *engine; /* NULL: closed */
    int in_use;                      /* calls under way: it is not closed meanwhile */
    int wanted;                      /* threads that wait until there are none; calls wait */
    PyObject *options;               /* a dict: what it was opened with, for pickling */
} core_engine;

extern PyTypeObject *core_engine_type;
bool core_engine_add(PyObject *module);
/* The engine itself, or the default one when it is NULL or None, opened when needed; a new
 * reference. */
core_engine *core_engine_get(PyObject *engine_or_none);
/* Of the default engine, which is another one after it was closed; whether that is open. */
unsigned core_engine_generation(void);
bool core_engine_is_default(unsigned generation);
/* How many operations have been registered since the program began, and that another one has: what
 * is known of operations may hold no longer. */
unsigned core_definitions(void);
void core_count_definition(void);
/* Whether it has not been closed, or it raises. While the GIL is kept it stays so. */
bool core_engine_is_open(const core_engine *engine);
/* Around every use of engine->engine without the GIL. begin: false when it is closed, or too many
 * calls are within one another. end lets go of the reference, too. */
extern PyObject *core_too_deep; /* a RecursionError: of the latter */
bool core_engine_begin(core_engine *engine);
void core_engine_end(core_engine *engine);
/* The same for what must not overlap calls: waits for those under way, and lets no other one begin.
 * what: "a profile cannot begin", for the error where they take longer than so many seconds. Keep
 * the GIL between the two. */
enum { CORE_ALONE_SECONDS = 10 };
#define CORE_REGISTERING "operations cannot be registered"
bool core_engine_begin_alone(core_engine *engine, const char *what, int seconds);
void core_engine_end_alone(core_engine *engine);

/* The end of every tp_dealloc: subclasses made in Python are allocated in another way. */
void core_free(PyObject *object, PyTypeObject *type);

/* The UTF-8 text of a str, borrowed from it; C would read one with a NUL inside as its beginning.
 */
const char *core_text(PyObject *object);

/* --- errors and log --- */

/* Raises what the status and this thread's error text say. Returns NULL. */
PyObject *core_raise(le_status status);
PyObject *core_set_errors(PyObject *module, PyObject *list);
/* An exception that a callback of this thread has raised while the library ran; it is kept until
 * core_raise chains it, or core_forget drops it. */
void core_keep_exception(void);
void core_forget_exception(void);
/* For le_options.log; any thread, without the GIL. */
void core_log(void *cookie, le_log_level level, const char *text);
/* Hands what was logged to the function that set_log_function was given. False: it raised. */
bool core_log_flush(void);
PyObject *core_set_log_function(PyObject *module, PyObject *function);
PyObject *core_flush_log(PyObject *module, PyObject *none);

/* --- without the GIL --- */

/* Around calls of the library that may take time: others run meanwhile, and every 50 ms signals are
 * handled and `progress` (borrowed; NULL: none) is called with the share that is done. What these
 * raise ends the call: core_raise raises it again. */
typedef struct core_outside {
    PyThreadState *state;
    PyObject *progress;
    le_tick tick;
    const struct core_call *call; /* set by who left for one of an operation; NULL: not said */
    struct core_outside *around; /* of this thread: an implementation in Python that calls others */
} core_outside;
void core_leave(core_outside *o, PyObject *progress);
void core_back(core_outside *o);
/* Between the two, for loops of brief calls, which do not tick: the same. False: something was
 * raised, as LE_ERR_CANCELLED. */
bool core_hear(core_outside *o, double done);
/* Whether this thread has left and is called back: an implementation in Python. */
bool core_is_outside(void);
/* The call that this thread has left for; NULL: none. */
const struct core_call *core_call_outside(void);
/* How often it has, calls within one another. */
int core_nested_outside(void);
/* How many are outside, on all threads, and callbacks' own calls beside theirs. */
int core_count_outside(void);
/* The interpreter is about to end, by this thread: the calls of others end as soon as they can, without
 * it. An interpreter that ends stops each thread that asks for the GIL, whoever works on its stack. */
void core_end_others(void);
/* Whether this thread is such another one. */
bool core_is_ended(void);
/* In a child of a fork, which has this thread only, and lines of the log that are the parent's. */
void core_begin_child(void);

/* --- tensors --- */

typedef struct core_tensor {
    PyObject_HEAD le_tensor t;
    PyObject *base; /* owns borrowed memory; NULL: the tensor has storage */
    bool read_only; /* it was made of an array that is */
} core_tensor;

extern PyTypeObject *core_tensor_type, *core_stream_type, *core_value_type;
bool core_tensor_add(PyObject *module);
/* Takes the tensor over, and a reference to base. */
PyObject *core_tensor_new(le_tensor *t, PyObject *base);
/* A numpy array over the tensor's memory, which it keeps alive; downloads. Takes over as above. */
PyObject *core_array_of(le_tensor *t);
/* A numpy array over memory that `base`, whose reference is taken, keeps alive. */
PyObject *core_array_over(const le_tensor *t, PyObject *base, bool writeable);
/* The view of an array; what it cannot be is named by `what`, an argument. */
bool core_tensor_of_array(PyObject *array, const char *operation, const char *what, le_tensor *out);
/* The same of an input. A new reference to who holds its memory: the array, or a copy of one that
 * is not aligned to its dtype, as arrays are that came through a socket or lie in a buffer of
 * bytes. */
PyObject *core_tensor_of_input(PyObject *array, const char *operation, const char *what,
                               le_tensor *out);
/* The array (a new reference) of what is no array yet: lists, scalars, DLPack, buffers. */
PyObject *core_as_array(PyObject *object, const char *operation, const char *what, uint32_t dtypes);
/* Whether an array of a subclass has a mask. Masks that hide nothing are ignored: netCDF4 gives them
 * with every array. */
bool core_hides_elements(PyObject *array);
#define CORE_HIDES_ELEMENTS \
    "has masked elements, whose mask no operation knows: give x.filled(value)"
int core_numpy_type(le_dtype dtype);
PyObject *core_dtype_object(le_dtype dtype); /* numpy.dtype, a new reference */
/* numpy.dtype or a name to le_dtype. */
bool core_dtype_from(PyObject *object, le_dtype *out);

typedef struct core_stream {
    PyObject_HEAD PyObject *place; /* str */
} core_stream;

/* --- calls --- */

typedef struct core_function core_function;
extern PyTypeObject *core_function_type;
bool core_function_add(PyObject *module);

enum { CORE_ARGS = LE_MAX_ARGS + 16 };

/* A call's arguments as the library takes them, and what keeps them alive. */
typedef struct core_call {
    core_function *function; /* NULL: a run of a chain, of which only options are read */
    core_engine *engine; /* owned, and begun */
    size_t n, n_owned;
    le_arg args[CORE_ARGS];
    le_tensor tensors[LE_MAX_ARGS]; /* by index in the descriptor */
    PyObject *holders[LE_MAX_ARGS]; /* of the memory of those that are inputs; borrowed */
    PyObject *owned[2 * LE_MAX_ARGS];
    int given_outs[LE_MAX_ARGS];        /* outputs asked for, by index in the descriptor */
    size_t n_outs, n_shown;             /* the library wants some that the caller does not */
    PyObject *outs[LE_MAX_ARGS];        /* the caller's, borrowed; NULL: made by the call */
    PyObject *out, *outputs, *progress; /* borrowed */
    const char *stream_place;           /* of the input that comes frame by frame */
    const char *stream_arg;
    bool keep;
    bool traced; /* a value of a chain is among the arguments */
} core_call;

/* Reads the arguments of a call: as a vectorcall gets them. core_call_end in any case. */
bool core_call_begin(core_call *c, core_function *f, PyObject *const *args, size_t n_args,
                     PyObject *names);
void core_call_end(core_call *c);
/* Who holds the memory of a tensor that is an argument of the call, or a part of one; borrowed. NULL:
 * none of Python's. */
PyObject *core_call_holder(const core_call *c, const le_tensor *t);
const char *core_function_operation(const core_function *f);
/* Options of a chain's run, from a dict of keywords and from blocks around it, into a call that is all zero.
 * core_call_end in any case. */
bool core_options_from(core_call *c, PyObject *dict);
/* What core_leave is to show the progress of the call to, and afterwards. */
PyObject *core_call_show(const core_call *c);
void core_call_shown(const core_call *c, PyObject *shown);
/* What the library returned: false with an exception set, the log flushed in any case. */
bool core_check(le_status status);
/* The same of a call: where an array has a dtype that the operation does not take (numpy's whole
 * numbers are i64), the text says what to write. */
bool core_call_check(const core_call *c, le_status status);

/* What may be done with a call beside running it. */
PyObject *core_explain(core_call *c);
PyObject *core_bench(core_call *c, double seconds);
/* [slabs, tiles]: how it is cut into so many parts; a text where it cannot be: why. */
PyObject *core_cut(core_call *c, int64_t parts);
/* The least seconds of a call from C, of so many batches of a thousand. */
PyObject *core_time(core_call *c, int batches);

/* --- further methods of the module, each NULL-ended --- */
extern PyMethodDef core_look_methods[]; /* explain, bench, profiles, places */
extern PyMethodDef core_own_methods[];  /* own operations and implementations */
bool core_chain_add(PyObject *module);

#endif
