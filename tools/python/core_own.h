/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Own operations: a descriptor whose shapes are symbols (core_own_shapes.c), samples of calls
 * (core_own_cases.c), and implementations that are Python functions, machine code or OpenCL text
 * (core_own_run.c), as Python defines them (core_own.c).
 */
#ifndef LE_PYTHON_CORE_OWN_H
#define LE_PYTHON_CORE_OWN_H

#include "core.h"

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
    const char *symbols[SYMBOLS];
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

typedef struct binding { /* of symbols to numbers, by a call */
    bool known[SYMBOLS];
    int64_t value[SYMBOLS];
} binding;

/* --- shapes --- */

/* Whole-number arguments, then what the shapes of inputs say; LE_ERR_SHAPE: they contradict. */
le_status core_own_bind(const own_operation *o, const le_call *call, binding *b);
/* Of an extent whose symbol is bound; INT64_MIN or INT64_MAX: beyond what an extent can be. */
int64_t core_own_extent(const extent *e, const binding *b);
/* The tensor of an argument; NULL: it is a number. */
const le_tensor *core_own_tensor(const le_call *call, const own_operation *o, int arg);
/* le_operation.check and .work. */
le_status core_own_check(le_call *call);
void core_own_work(const le_call *call, le_work *out);
/* le_operation.key: says what core_own_exceeds_float does. */
void core_own_key(const le_call *call, char *buffer, size_t size);
/* Whether a number of the call, as the float that kernels get, would spoil its results. */
bool core_own_exceeds_float(const le_call *call);

/* --- samples of calls --- */

/* le_operation.make_case. */
le_status core_own_make_case(le_case *out, const le_case_request *r);

/* --- running --- */

/* The exception that Python has raised as an error of the library's, which keeps its text, after
 * whose it is (NULL: nobody's name). An interrupt is LE_ERR_CANCELLED, and so is core_too_deep. */
le_status core_own_python_failed(const char *whose, le_status status);
/* Fills in how an implementation runs. function: Python's, kept; text and names: owned by it. */
void core_own_by_python(own_implementation *m, PyObject *function, bool is_reference);
void core_own_by_machine(own_implementation *m, machine_fn function, bool serial);
void core_own_by_opencl(own_implementation *m, const char *source_name, const char *text,
                        const char *kernel);

#endif
