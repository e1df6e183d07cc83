/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chains: calls of operations joined by values, planned and run as one, so that data stays where it is
 * cheapest.
 *
 *     le_chain *chain;
 *     le_chain_new(&chain, NULL, "smooth_edges");
 *     le_value image = le_chain_input(chain, "image", LE_F32, 2, (int64_t[]){512, 512});
 *     le_value smooth = le_chain_temp(chain), edges = le_chain_temp(chain);
 *     le_chain_add(chain, "smooth", LE_VALUE_IN("image", image), LE_VALUE_OUT("result", smooth),
 *                  LE_F64("radius", 1.5));
 *     le_chain_add(chain, "edges", LE_VALUE_IN("image", smooth), LE_VALUE_OUT("result", edges));
 *     le_chain_output(chain, "edges", edges);
 *     if (le_chain_status(chain) != LE_OK) ...          // the first error, with its text
 *     le_chain_run(chain, LE_IN("image", &in), LE_OUT("edges", &out));   // as often as wanted
 *     le_chain_free(&chain);
 *
 * Values   are written by one step (a value with a given shape: by several steps, each its own slice)
 *          before they are read; they may be read by any number of later steps and be outputs too.
 * Checks   happen when a step is added, with the messages of a call: names, kinds, dtypes, shapes.
 * Errors   stick: after the first one nothing is added, and le_chain_status and le_chain_run return it.
 * Threads  building is for one thread; a finished chain may be run by many, one after the other.
 * Counts   a counted output (le_call_set_out_upto) is as long as it is in each run: steps that read it, and
 *          outputs made from it, have the shapes that follow. The chain is built for its room. Parts of
 *          such values may be read: ranges end where the value ends, and an element that is not there is
 *          LE_ERR_SHAPE when the chain runs.
 * Memory   names, texts and lists are copied. The engine must outlive the chain.
 *
 * An author's le_operation.expand gets the chain to fill (do not free it), with the call's tensors as
 * values:
 *
 *     static le_status expand(const le_call *call, le_chain *chain) {
 *         le_value samples = le_chain_temp(chain);
 *         le_chain_add(chain, "interpolate", LE_VALUE_IN("volume", le_chain_arg(chain, ARG_VOLUME)),
 *                      LE_VALUE_OUT("samples", samples), le_chain_pass(call, ARG_SIZE, "size"));
 *         le_chain_add(chain, "composite", LE_VALUE_IN("rgba", samples),
 *                      LE_VALUE_OUT("image", le_chain_slice(chain, le_chain_arg(chain, ARG_IMAGES),
 *                                                           0, k)));
 *         return le_chain_status(chain);
 *     }
 */
#ifndef LIQUID_ENGINE_LE_CHAIN_H
#define LIQUID_ENGINE_LE_CHAIN_H

#include "liquid_engine/le_method.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- building ---- */

/* A value of one chain. LE_VALUE_NONE stands for an absent optional argument. */
typedef struct le_value {
    int32_t id;
} le_value;

#define LE_VALUE_NONE ((le_value){-1})

/* Kinds of le_arg that only chains take; value.i64 is the value's id. */
enum { LE_KIND_VALUE_IN = 32, LE_KIND_VALUE_OUT };

#ifndef __cplusplus
/* Arguments of le_chain_add; LE_F64, LE_I64, LE_STR, LE_F64S and options of the call are as in le.h.
 * With LE_VALUE_NONE the argument is left out. */
#define LE_VALUE_IN(n, v)                                                                          \
    ((le_arg){.name = (n), .kind = LE_KIND_VALUE_IN, .value.i64 = (v).id})
#define LE_VALUE_OUT(n, v)                                                                         \
    ((le_arg){.name = (n), .kind = LE_KIND_VALUE_OUT, .value.i64 = (v).id})
#endif

/* An empty chain. engine NULL: the default engine. On error *out is NULL. */
LE_API le_status le_chain_new(le_chain **out, le_engine *engine, const char *name);
/* Sets *chain to NULL. NULL is allowed. */
LE_API void le_chain_free(le_chain **chain);
/* The first error of building; LE_OK: the chain is sound so far. Sets the error text again. */
LE_API le_status le_chain_status(const le_chain *chain);

/* An input of the chain: given by this name when it runs, with this dtype and shape. */
LE_API le_value le_chain_input(le_chain *chain, const char *name, le_dtype dtype, int ndim,
                               const int64_t *shape);
/* A tensor that is the same in every run (a table). Its contents are copied now. */
LE_API le_value le_chain_constant(le_chain *chain, const le_tensor *tensor);
/* A value that a step writes; dtype and shape come from that step. */
LE_API le_value le_chain_temp(le_chain *chain);
/* A value of known shape, which steps may also write slice by slice. What no step writes is unspecified. */
LE_API le_value le_chain_temp_of(le_chain *chain, le_dtype dtype, int ndim, const int64_t *shape);
/* Element `index` along `axis` of a value, without that axis: images[k]. Reading or writing a slice is
 * reading or writing that part of the value. A slice along axis 0 costs nothing; one along another axis
 * is copied. */
LE_API le_value le_chain_slice(le_chain *chain, le_value of, int axis, int64_t index);
/* Elements [begin, end) along `axis` of a value, with that axis. */
LE_API le_value le_chain_range(le_chain *chain, le_value of, int axis, int64_t begin, int64_t end);
/* Makes a value an output: given back by this name. A value may be an output under one name only. */
LE_API le_status le_chain_output(le_chain *chain, const char *name, le_value value);
/* Adds a step. Use the macro le_chain_add. */
LE_API le_status le_chain_add_args(le_chain *chain, const char *operation, const le_arg *args,
                                   size_t n_args);
/* Shape and dtype of a value (data NULL), of counted ones with the room; all zero while no step has written
 * it. */
LE_API le_tensor le_chain_shape(const le_chain *chain, le_value value);
LE_API size_t le_chain_steps(const le_chain *chain);

#ifndef __cplusplus
#define le_chain_add(chain, operation, ...)                                                        \
    le_chain_add_args((chain), (operation), LE_ARGS_(__VA_ARGS__),                                 \
                      sizeof LE_ARGS_(__VA_ARGS__) / sizeof(le_arg))
#endif

/* --- for le_operation.expand --- */

/* The tensor argument `arg` (index in the descriptor) of the call that is expanded. LE_VALUE_NONE for
 * an optional argument that was not given. Outputs have the shapes that check gave them, so they may be
 * written slice by slice. */
LE_API le_value le_chain_arg(le_chain *chain, int arg);
/* A scalar, text or list argument of the call under the name that a step's operation has for it. An
 * argument that was not given is left out, so that the step's own default holds. */
LE_API le_arg le_chain_pass(const le_call *call, int arg, const char *name);

/* -------------------------------------------------------------------------------- running ---- */

/* Runs the chain: every input (LE_IN) and the outputs wanted (LE_OUT, allocated or not; at least one)
 * by name, and options of the call (LE_OPT_..., but for RTOL, ATOL and OBJECTIVE, which are given to the
 * steps: LE_ERR_ARGUMENT): LE_OPT_RUN_TYPE("staged") is understood as any plan,
 * LE_OPT_DEVICE restricts all steps, LE_OPT_MEMORY_LIMIT bounds the values that live at once, for the
 * host and each device. Use the macro le_chain_run. On error no output has been changed: one in
 * the caller's memory that is not all that the last step writes is made elsewhere and copied at the end. */
LE_API le_status le_chain_run_args(le_chain *chain, const le_arg *args, size_t n_args);

#ifndef __cplusplus
#define le_chain_run(chain, ...)                                                                   \
    le_chain_run_args((chain), LE_ARGS_(__VA_ARGS__), sizeof LE_ARGS_(__VA_ARGS__) / sizeof(le_arg))
#endif

/* Registers the chain as an operation of the chain's engine, named `name` (summary may be NULL):
 * its arguments are the inputs and then the outputs, each in the order of their calls of
 * le_chain_input and le_chain_output, and its steps are repeated for whatever shapes a call has
 * (the shapes and indices given to le_chain_temp_of, _slice and _range stay as they are). A
 * tolerance that the call is given is that of each step that has none of its own. The chain can be
 * freed afterwards. Not while other threads use the engine. */
LE_API le_status le_chain_as_operation(const le_chain *chain, const char *name, const char *summary);

/* A chain from a JSON text:
 *
 *     {"name": "smooth_edges", "inputs": ["image"],
 *      "steps": [{"operation": "smooth", "args": {"image": "image", "radius": 1.5, "result": "s"}},
 *                {"operation": "edges", "args": {"image": "s", "result": "edges"}}],
 *      "outputs": ["edges"]}
 *
 * A tensor argument names a value, "frames[3]" its slice 3 along axis 0; other arguments are numbers,
 * texts or lists of numbers. The shapes of the inputs are those of `inputs` (LE_IN, by name). Errors name
 * the step and what was expected. */
LE_API le_status le_chain_from_json(le_chain **out, le_engine *engine, const char *json,
                                    const le_arg *inputs, size_t n_inputs);
/* Registers such a chain as an operation, as le_chain_as_operation does, and writes its name to
 * `name`. */
LE_API le_status le_chain_register_json(le_engine *engine, const char *json, char *name, size_t size);

/* --------------------------------------------------------------------------------- seeing ---- */

typedef struct le_planned_step {
    const char *operation;
    const char *candidate;       /* "avx2@cpu[threads=2]" */
    const char *device;          /* "cpu", "opencl:0" */
    double predicted_s;          /* of the step; NaN when unknown */
    double transfer_s;           /* of bringing its inputs to the device */
    int64_t bytes_moved;         /* of its inputs, to where it runs */
} le_planned_step;

typedef struct le_chain_plan {
    const char *chain;
    const char *why;             /* "planned", "forced", "only", "frozen" */
    double predicted_s;          /* whole run, with transfers; NaN when a step's time is unknown */
    double cpu_s;                /* best plan on the CPU alone; NaN when there is none, or unknown */
    double device_s;             /* best plan on one device alone; NaN when there is none, or unknown */
    int64_t peak_bytes;          /* of values that live at once, largest place */
    size_t n_steps;
    const le_planned_step *steps;
    size_t step_size;            /* bytes from one of steps to the next: later versions have more */
} le_chain_plan;

/* The i-th step, also where the library is newer than this header. */
static inline const le_planned_step *le_chain_plan_step(const le_chain_plan *plan, size_t i)
{
    return (const le_planned_step *)(const void *)((const char *)plan->steps + i * plan->step_size);
}

/* The plan that a run with these options would follow now. Runs nothing. *out is owned by the caller:
 * le_chain_plan_free. */
LE_API le_status le_chain_explain(le_chain *chain, le_chain_plan **out, const le_arg *options,
                                  size_t n_options);
/* JSON text, owned by the caller (free()); NULL when out of memory. */
LE_API char *le_chain_plan_json(const le_chain_plan *plan);
LE_API void le_chain_plan_free(le_chain_plan **plan);

typedef struct le_step_report {
    const char *operation;
    char candidate[256];
    double start_s;              /* since the start of the run */
    double seconds;              /* wall time with transfers */
    double kernel_seconds;       /* OpenCL events; 0 on the CPU */
    int64_t bytes_to_device, bytes_from_device;
} le_step_report;

typedef struct le_chain_report {
    double seconds;
    int64_t bytes_to_device, bytes_from_device; /* all steps and outputs */
    int64_t peak_host_bytes;     /* values of the chain alive at once, borrowed tensors not counted */
    int64_t peak_device_bytes;
    size_t n_steps;
    const le_step_report *steps;
} le_chain_report;

/* What the last run of this chain did, up to where it failed or was cancelled; all zero before, and
 * when a step has been added. steps is valid until then, or the next run. */
LE_API le_status le_chain_last_run(const le_chain *chain, le_chain_report *out);
/* -------------------------------------------------------------------------------- profile ---- */

/* What an engine does between start and stop, single calls and steps of chains alike: one event for each
 * run of a candidate, parallel loop of it, kernel, and transfer. */
typedef struct le_profile le_profile;

typedef struct le_profile_row {  /* events of one kind, depth and name at one place */
    const char *kind;            /* "run", "loop", "kernel", "upload", "download", "copy" */
    int32_t depth;               /* runs around it: 1 for a step of a chain */
    double start_s;              /* of the first, since le_profile_start */
    const char *name;            /* "operation candidate", or of the kernel */
    const char *place;           /* "cpu", "opencl:0" */
    int64_t count, bytes;
    double min_s, median_s, max_s, mean_s, std_s, total_s;
    double share;                /* of the time of all outermost runs */
} le_profile_row;

/* engine NULL: the default engine. One profile at a time; no call may be under way. Opens OpenCL. */
LE_API le_status le_profile_start(le_engine *engine);
/* *out is owned by the caller: le_profile_free. */
LE_API le_status le_profile_stop(le_engine *engine, le_profile **out);
LE_API void le_profile_free(le_profile **profile);
/* By first start, runs before what they contain; valid as long as the profile. */
LE_API const le_profile_row *le_profile_rows(const le_profile *profile, size_t *count);
/* The rows as a table. Text, owned by the caller (free()); NULL when out of memory. */
LE_API char *le_profile_table(const le_profile *profile);
/* The events as a Chrome trace (chrome://tracing, ui.perfetto.dev) with runs, kernels and transfers of
 * each place on rows of their own. JSON text, owned by the caller (free()). */
LE_API char *le_profile_trace_json(const le_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
