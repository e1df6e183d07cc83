/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How the parts of a call are read: its arguments (core_args.c), options (core_options.c) and
 * outputs (core_outputs.c), for core_call.c, which puts them together.
 */
#ifndef LE_PYTHON_CORE_CALL_H
#define LE_PYTHON_CORE_CALL_H

#include "core_function.h"

/* What Python's side of the module does for a call; set by core_set_hooks, then never again. */
extern struct core_hooks {
    PyObject *trace;    /* makes a call with values of a chain a step of it */
    PyObject *blocks;   /* ContextVar: the options of open `with options(...)` blocks, a dict */
    PyObject *result;   /* names the outputs of a call that has several */
    PyObject *progress; /* opens a progress bar */
} core_hooks;

/* The next argument of the call, of LE_KIND_... `kind`, still without a value. */
le_arg *core_call_add(core_call *c, const char *name, int kind);
/* Keeps a reference, which is taken, until the call ends. False when it is NULL. */
bool core_call_own(core_call *c, PyObject *reference);
/* Of the operation, or what takes its place. */
const char *core_call_name(const core_call *c);
/* After a conversion was refused: says whose argument or option (`kind`) it was, where the text
 * does not begin with the operation. Exceptions of other types are the caller's own. */
bool core_call_blame(const core_call *c, const char *kind, const char *name);

/* The value of argument number i of the descriptor. */
bool core_take_argument(core_call *c, PyObject *value, int i);

/* The call is one of that engine, or of the default one; false: it is none, or closed. */
bool core_call_use_engine(core_call *c, PyObject *engine_or_none);
enum { ENGINE_OPTION = 12 }; /* the number of `engine` */
/* The value of option number i. */
bool core_take_option(core_call *c, PyObject *value, int i);
/* Of `with options(...)` blocks around the call: what it does not say itself, by the bits of
 * `given`. Need not be called while no such block is open anywhere. */
bool core_take_blocks(core_call *c, uint32_t given);

/* The outputs that are wanted, then those that the operation must have all the same. */
bool core_add_outputs(core_call *c);
/* After the run: the one that is wanted, or a named tuple of them. */
PyObject *core_results(core_call *c);
/* Frees what was made for outputs and is not handed over. */
void core_drop_results(core_call *c);

#endif
