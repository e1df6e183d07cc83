/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A chain inside the engine: values, steps with their bound calls, one run of it, and the staged
 * implementations that run a composite operation as the chain it expands to.
 */
#ifndef LE_CHAIN_INTERNAL_H
#define LE_CHAIN_INTERNAL_H

#include "choose/dispatch.h"
#include "call/engine.h"
#include "liquid_engine/le_chain.h"

#include <pthread.h>

typedef enum le__value_role {
    LE__VALUE_TEMP,
    LE__VALUE_INPUT,
    LE__VALUE_CONSTANT,
    LE__VALUE_RESULT /* an output argument of the call that is expanded */
} le__value_role;

typedef struct le__chain_value {
    le__value_role role;
    char *name;         /* inputs and outputs; owned */
    bool output;        /* wanted by the caller under its name, or LE__VALUE_RESULT */
    int place;          /* outputs of le_chain_output: how many there were before */
    int arg;            /* argument of the expanded call, -1: none */
    int root;           /* itself, or the value that this is a part of */
    int axis;           /* parts: as given to le_chain_slice or _range */
    int64_t begin, end; /* end -1: a slice, without the axis */
    int parent;         /* parts: the value given to le_chain_slice or _range, else -1 */
    bool declared;      /* le_chain_temp_of */
    bool written;       /* roots: by a step, or from outside */
    bool whole_written; /* roots: by a step at once */
    int after_step;     /* steps that the chain had when it was made */
    int first_step;     /* roots: the steps that use it, */
    int last_step;      /* -1: none */
    le_tensor shape;    /* ndim 0 and dtype 0 while unknown; strides, offset in the root */
    le_tensor constant;
    bool counted; /* its rows are, when its step runs; shape[0] is the room */
    bool dynamic; /* its shape is known when the chain runs: counted, or made from what is */
    /* dynamic ones, as far as is known when the chain is planned (dynamic.c) */
    int64_t room_bytes, expected_bytes;
} le__chain_value;

enum { LE__STEP_ARGS = LE_MAX_ARGS + LE_OPTION_LAST }; /* at most */

typedef struct le__chain_step {
    le__operation_entry *entry;
    le_arg *args; /* as given; texts and lists are owned */
    size_t n_args;
    int values[LE_MAX_ARGS]; /* by index in the descriptor; -1: not a value */
    le_tensor *stand_ins;    /* of the values among args: shapes without data, to be bound to */
    bool bound;
    bool dynamic;      /* reads dynamic values: is bound again when their shapes are known */
    uint64_t built;    /* dynamic: hash of its problem as the chain was built */
    bool reproducible; /* asked for by the step itself */
    le_call call;      /* its tensors are set for each run */
} le__chain_step;

typedef struct le__planned { /* a step in a plan */
    le__device *device;
    double predicted_s, transfer_s; /* NaN: unknown */
    int64_t bytes_moved;
    char frozen[LE__CANDIDATE_TEXT]; /* the candidate of a stored plan that is replayed; "": any */
} le__planned;

typedef struct le__step_choice { /* how a step is run */
    le__planned plan;
    le__candidate *own; /* in trials: decided without measurements; owned */
    /* of the last run; NULL: there was none */
    le__arm *arm;
    le__why why;
} le__step_choice;

typedef struct le__drop { /* a copy that makes room before a step */
    int step, value;
    int device; /* index; 0: the host */
} le__drop;

typedef struct le__chain_totals {
    double predicted_s, cpu_s, device_s;
    int64_t peak_bytes;
    const char *why;
} le__chain_totals;

struct le_chain {
    le_engine *engine;
    char *name;
    le_status status; /* first error of building */
    char *error;
    const le_call *call; /* while it is expanded; NULL: the user's chain */
    uint64_t asked[2];   /* fingerprint of the calls that it stands for */
    bool reusable;       /* for another such call */
    le_chain *next_idle;
    le_storage *nothing; /* what stand-ins claim to live in */
    le__chain_value *values;
    int n_values;
    int n_outputs; /* of le_chain_output */
    le__chain_step **steps;
    int n_steps;
    size_t capacity, step_capacity; /* of both */
    le_arg tolerance[2];            /* options of steps that have no tolerance of their own */
    size_t n_tolerance;
    bool dynamic;                   /* some value is */
    pthread_mutex_t mutex;          /* a run at a time; guards all below */
    /* the run under way */
    le__constraint want; /* what it may use and must respect */
    bool beside;         /* another run has the device too: times are no measurements */
    bool only_look;      /* to explain: measures and counts nothing */
    /* the last plan */
    uint64_t plan_hash, plan_want,
        plan_inputs;                   /* under which it is kept, of which these are parts */
    int plan_devices;                  /* that there were */
    int64_t plan_runs, plan_runs_left; /* since it was taken from what is kept, and to go */
    le__step_choice *choices;          /* one a step */
    le__drop *drops;                   /* of the last plan; used under memory limits only */
    int n_drops;
    le__chain_totals totals;
    bool has_answered; /* with the steps that it has now */
    double waited;     /* seconds of the run under way, for trials that came to nothing */
    le_step_report *step_reports;
    le_chain_report report;
    double transfer_seconds; /* of the last run, for arguments and values of steps */
    double aside; /* seconds of the last run that went into set-up, proofs and learning */
};

/* --- building (build.c) --- */

/* The public functions of these names, for an engine of this process that is not NULL. */
le_status le__chain_new(le_chain **out, le_engine *engine, const char *name);
le_status le__chain_from_json(le_chain **out, le_engine *engine, const char *text,
                              const le_arg *args, size_t n_args);
le_status le__chain_register_json(le_engine *engine, const char *text, char *name, size_t size);
le_status le__chain_run(le_chain *chain, const le_arg *args, size_t n_args);
le_status le__chain_explain(le_chain *chain, le_chain_plan **out, const le_arg *options,
                            size_t n_options);
int le__chain_find(const le_chain *chain, const char *name, bool output); /* -1: none */
/* Whether two values, parts perhaps, have elements in common. */
bool le__values_overlap(const le_chain *chain, int a, int b);

/* --- composite calls as chains (expanded.c) --- */

/* The chain of a composite call, expanded for it or for an earlier one that said the same; to be
 * given back. */
le_status le__chain_borrow(le_chain **out, const le_call *call);
/* run: how it ended; a chain that failed is not kept. */
void le__chain_give_back(le_chain *chain, le_status run);

static inline bool le__is_value(const le_arg *a) {
    return a->kind == LE_KIND_VALUE_IN || a->kind == LE_KIND_VALUE_OUT;
}

/* The argument of a step that stands for one of its values; shape: of the value, allocated: the
 * step cannot choose it. */
le_arg le__chain_stand_in(const le_chain *chain, const le_arg *arg, le_tensor shape, bool allocated,
                          le_tensor *tensor);

/* Of all its steps. */
le_work le__chain_work(const le_chain *chain);
/* Keeps the first error, with this thread's text of it; returns `status`. */
le_status le__chain_keep_error(le_chain *chain, le_status status);
/* le_chain_add_args of the very operation, whichever has its name by now. */
le_status le__chain_add_step(le_chain *chain, le__operation_entry *entry, const le_arg *args,
                             size_t n_args);
bool le__value_has_shape(const le__chain_value *v);
/* A counted output of the call that is expanded: of its shape only the dtype holds. */
bool le__value_is_counted_result(const le_chain *chain, const le__chain_value *v);
/* Whether the step that writes it says what its shape is. */
bool le__value_is_open(const le_chain *chain, const le__chain_value *v);
/* Elements [begin, end) along an axis, as far as there are any; end -1: element `begin`, without
 * the axis. */
le_tensor le__chain_cut(le_tensor of, int axis, int64_t begin, int64_t end);
/* LE_ERR_SHAPE: there is no such part. */
le_status le__chain_fail_part(const le_chain *chain, const le_tensor *of, int axis, int64_t begin);

/* --- values whose shapes are known when the chain runs (dynamic.c); the mutex is held --- */

/* Hash of a step's problem, the same in every process. */
uint64_t le__step_problem(const le__chain_step *step);
/* The shapes of all values as they were built, for the caller to free; NULL: out of memory. */
le_tensor *le__chain_shapes(const le_chain *chain);
/* Binds a step anew to the shapes (by value), and notes there those of what it writes. */
le_status le__chain_bind_again(le_chain *chain, int step, le_tensor *shapes);
/* Before planning: binds the steps to shapes as they have been of late, and notes what memory and
 * transfers of dynamic values will take. */
le_status le__chain_expect(le_chain *chain);

/* --- chains as operations (operation.c) --- */

/* What can be built again on other shapes: a caller's chain or a JSON text. */
typedef struct le__recipe {
    /* Adds the steps to `to`, in which inputs[i] is the i-th input. Outputs are to be written to
     * outputs[i] where that is not LE_VALUE_NONE; else made outputs of `to` by their names. */
    le_status (*build)(const struct le__recipe *r, le_chain *to, const le_value *inputs,
                       const le_value *outputs);
    char *name;
    char *names[LE_MAX_ARGS]; /* inputs, then outputs; owned */
    int n_inputs, n_outputs;
    /* le_arg_desc.column of the outputs, by argument; NULL: no names */
    const char *(*columns[LE_MAX_ARGS])(int64_t columns, int64_t i);
    void *data;
    void (*release)(void *data);
} le__recipe;

/* The same steps in a chain of their own, for inputs of the shapes that are given by value; NULL:
 * of those that they have. */
le_status le__chain_copy(const le_chain *chain, const le_tensor *shapes, le_chain **out);

/* Registers the operation; takes the recipe over, whatever happens. */
le_status le__recipe_register(le_engine *engine, le__recipe *recipe, const char *name,
                              const char *summary);

/* --- choosing; the chain's mutex is held --- */

typedef struct le__chains le__chains; /* what an engine keeps: plans, transfer times */

le_status le__chains_open(le__chains **out);
void le__chains_close(le__chains *c);
/* For the child of a trial: locks are made anew. */
void le__chains_in_child(le__chains *c);

/* Decides where each step runs, or takes the plan of an earlier run (planning.c). tensors: by
 * value, where inputs are; NULL: on the host. */
le_status le__chain_plan(le_chain *chain, const le_tensor *tensors);

typedef struct le__survey { /* what a step would take, by device index (step.c) */
    uint64_t question;      /* its hash */
    struct {
        bool possible;
        bool guessed;   /* nothing like it has been seen */
        double seconds; /* without transfers */
        int64_t memory;
    } on[LE__MAX_DEVICES];
} le__survey;

/* What the run under way asks of a step. */
void le__step_prepare(le_chain *chain, int step);
le_status le__step_survey(le_chain *chain, int step, le__survey *out);
/* Whether something that the chain asks for by name may answer the step. Where it may not, `why` is
 * the reason; it stays as it is where the step has nothing of the name. */
le_status le__step_find_liked(le_chain *chain, int step, bool *found, char why[256]);
/* LE_ERR_NO_CANDIDATE: why nobody may answer the step on any device. */
le_status le__step_refusal(le_chain *chain, int step);
/* The candidate that would run on the device of the plan, unproven perhaps. */
le_status le__step_foresee(le_chain *chain, int step);
/* In the child of a trial: a candidate by the descriptors' own speeds. */
le_status le__step_decide_simply(le_chain *chain, int step);
/* Runs a step as planned, on another device when nobody is left there. What the next run will not
 * need again is added to chain->aside. *now: when it begins, then when it ended. */
le_status le__step_answer(le_chain *chain, int step, double *now);
extern const le__placing le__step_placing; /* run.c */
/* The view of le__step_placing (verify.c). */
le_status le__step_view(const le_call *call, le_status (*fn)(void *context, le_call *view),
                        void *context);

/* The plan of a composite call as its planned implementation would follow it now; runs nothing.
 * LE_ERR_UNSUPPORTED for other operations. */
le_status le__chain_explain_call(const le_call *call, le_chain_plan **out);
/* The plan of a chain whose mutex is held. */
le_status le__chain_foresee(le_chain *chain, le_chain_plan **out);
struct cJSON *le__chain_plan_object(const le_chain_plan *plan);
le_status le__chain_copy_plan(const le_chain *chain, le_chain_plan **out);

/* --- values from outside (outside.c) --- */

/* A storage for a caller's contiguous memory; a copy of a strided one. */
le_status le__chain_wrap(le_tensor *out, const le_tensor *user, bool input);
/* The same for an input, which stays a view of the caller's memory where le__chain_reads_in_place. */
le_status le__chain_take_input(le_tensor *out, const le_chain *chain, int value,
                               const le_tensor *user);
/* Whether a strided input stays where it lies: one step reads it, whole, as a call of its own
 * would. What several steps read is brought in order once, for all of them. */
bool le__chain_reads_in_place(const le_chain *chain, int value);
/* Tells the steps that read in place how their inputs lie; tensors: as for le__chain_plan. */
void le__chain_lay_out(le_chain *chain, const le_tensor *tensors);
/* Whether steps may write an output straight to the caller's memory: by then nothing can fail any
 * more. Else the chain makes it in memory of its own, and it is copied when all is done. */
bool le__chain_may_write_out(const le_chain *chain, int root);

/* --- running (run.c) --- */

/* Runs the planned steps. tensors[i] for each value that is a root: with a storage for inputs,
 * constants and outputs; the others are made and released. Fills chain->report. Outputs are left
 * where the last step put them. The chain's mutex is held. */
le_status le__chain_execute(le_chain *chain, le_tensor *tensors);

/* --- composite operations (staged.c) --- */

/* What the engine offers for a composite operation, without its name; *n is 0 for others. */
const le_implementation *le__staged_implementations(const le_operation *operation, size_t *n);

#endif
