/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A bound call: arguments checked against the operation's descriptor, options of the call, and what
 * one execution of it by a candidate needs. Bind once, execute by one candidate after the other.
 */
#ifndef LE_CALL_H
#define LE_CALL_H

#include "core/pool.h"
#include "call/registry.h"
#include "call/tensor.h"

/* Of one implementation; variants: combinations of their values, on one device. */
enum { LE__MAX_TUNABLES = 8, LE__MAX_VARIANTS = 96 };

struct le__device;
struct le__cl_call; /* OpenCL side of one execution; see opencl.h */

typedef struct le__bound_arg {
    bool given;
    bool own;            /* tensor.storage belongs to this call */
    bool counted;        /* an output whose rows are */
    bool shaped;         /* an output that check has given its shape */
    le_tensor *user_out; /* outputs: the caller's tensor, written on success only */
    le_tensor tensor;    /* inputs: the caller's, host-valid when a CPU candidate runs;
                            outputs: contiguous, what the candidate writes */
    union {
        struct {
            double f64;
            int64_t i64;
        };
        /* Outputs that are counted (counted.h): tensor.shape[0] is `room` when the call is bound,
         * `rows` while it is executed, `said` afterwards. */
        struct {
            int64_t room; /* as check has it: what belongs to the problem */
            int64_t rows; /* that there is memory for */
            int64_t least; /* ... in any case; what is beyond is a guess */
        };
    };
    int64_t said;        /* ... by the implementation; -1: nothing */
    const char *rows_by; /* what they go by; NULL: nothing was said of that */
    const char *str;
    const double *f64s; /* of tables the elements; tensor has their shape */
    size_t count;
    double *table; /* owned: a table's elements */
} le__bound_arg;

typedef struct le__constraint { /* what a call asks for beside its result */
    double atol, rtol;
    bool own_tolerance;                             /* of the operation: none was given */
    const char *run_type, *implementation, *device; /* NULL: any */
    const char *liked_run_type,
        *liked_implementation; /* by the chain: hold where a step has them */
    const char
        *replayed;   /* candidate of a stored plan, whatever its device is called; NULL: none */
    uint32_t places; /* only the devices with these numbers, as bits; 0: any */
    le_mode mode;    /* of what is bound: never LE_MODE_DEFAULT */
    le_objective objective;
    int64_t memory_limit;
    bool reproducible, keep_on_device;
} le__constraint;

/* The smaller of its memory limit and another one; 0: there is none. */
static inline int64_t le__constraint_memory(const le__constraint *w, int64_t own) {
    return !own || (w->memory_limit && w->memory_limit < own) ? w->memory_limit : own;
}

/* Makes one that is all zeros ready for options: until they are given, tolerances are NaN. */
void le__constraint_begin(le__constraint *w, const le_engine *engine);
/* The tolerance as options, where one was given; returns how many. */
size_t le__tolerance_options(const le__constraint *w, le_arg to[2]);
/* Takes one option (LE_OPT_...) over, or says what is wrong with it; who: whose option it is. */
le_status le__constraint_take(le__constraint *w, const le_engine *engine, const char *who,
                              const le_arg *option);

typedef struct le__scratch {
    struct le__scratch *next;
    size_t bytes, edge; /* behind these; 0: none */
} le__scratch;

typedef enum le__outputs {
    LE__OUTPUTS_IN_PLACE =
        0,               /* the caller's memory when it is contiguous, else storage of our own */
    LE__OUTPUTS_FRESH,   /* storage of our own */
    LE__OUTPUTS_APART,   /* ... as warm as the caller's: for runs that may be stopped */
    LE__OUTPUTS_EDGED,   /* ... filled with call->poison, between edges of it */
    LE__OUTPUTS_GUARDED, /* ... between wide ones */
    LE__OUTPUTS_WALLED   /* ... and beyond that, memory that nobody can touch (guard.h) */
} le__outputs;

typedef struct le__run_stats {                     /* of one execution */
    double seconds, kernel_seconds, setup_seconds; /* seconds: with transfers, without the set-up */
    double transfer_seconds;                       /* of these: for arguments to or from a device */
    double ended;                                  /* when, on the monotonic clock */
    int64_t bytes_to_device, bytes_from_device;
    int64_t scratch_bytes, peak_scratch_bytes;
} le__run_stats;

/* A step of a chain: the chain puts tensors where they are needed. */
typedef struct le__placing {
    /* before a run: arguments are valid on the host, or their storages known */
    le_status (*prepare)(le_call *call, bool host);
    /* after a run: calls fn with a copy of the call that has everything on the host and says what
     * it was asked, as a single call's. LE_OK without calling it where that is not to be had. */
    le_status (*view)(const le_call *call, le_status (*fn)(void *context, le_call *view),
                      void *context);
} le__placing;

struct le_call {
    le_engine *engine;
    le__operation_entry *entry;
    const le_operation *operation;
    le__constraint want;
    const le_arg *user_args; /* as given, for a second call over the same data */
    size_t n_user_args;
    void *attached;
    void (*attached_release)(void *);
    /* one execution */
    const le_implementation *implementation;
    struct le__device *device;
    int64_t params[LE__MAX_TUNABLES];
    int threads;
    bool beside;             /* may run while another such call has the same device */
    const le__placing *step; /* NULL: a single call */
    void *step_of;           /* what the step's chain needs to place it */
    le__schedule schedule;
    le__scratch *scratch;
    struct le__keep_use *kept; /* what it uses of the engine's kept data */
    le__run_stats stats;
    struct le__cl_call *cl;
    struct le__watch *watch; /* over the execution under way; NULL: it does not end early */
    bool inputs_moved;       /* since the question was asked: they are elsewhere now */
    bool only_look;          /* to explain: tries, measures and counts nothing */
    bool no_room;            /* for an output: nobody else will find it */
    double stop_after;       /* seconds; 0: an execution is not stopped */
    double granted;          /* seconds that it is taken to last; 0: it is timed */
    bool stopped;            /* the last execution was, between two items */
    double waited;           /* seconds, for trials that came to nothing */
    le__outputs outputs;     /* of the execution under way */
    bool first;              /* in a size class: memory that it gets is filled with poison */
    unsigned char poison;    /* of outputs with edges, and of scratch memory */
    const char *strayed;     /* where else the execution wrote; NULL: nowhere that is known */
    bool lean;               /* walled outputs end at a wall, else they begin near one */
    bool counted;            /* some output is */
    bool stored;             /* some input has a storage, which may be on a device */
    bool tight;              /* in trials: these get room for half of what was said first */
    le__bound_arg args[LE_MAX_ARGS]; /* last: only n_args of them are set */
};

/* The operations that a call is, as its own operation says. */
static inline double le__call_operations(const le_call *call) {
    le_work work;
    call->operation->work(call, &work);
    return work.operations;
}
/* Whether an argument is a tensor that was given. */
static inline bool le__call_has_tensor(const le_call *call, size_t arg) {
    const le_arg_type type = call->operation->args[arg].type;
    return call->args[arg].given && (type == LE_TYPE_IN || type == LE_TYPE_OUT);
}

/* Index of the argument of this name; -1: there is none. hint: where it may well be. */
int le__arg_find(const le_operation *op, const char *name, size_t hint);
/* The same arguments for the reference: outputs go to memory of its own (by argument), wide enough
 * for its precision. */
void le__args_for_reference(const le_operation *op, le_arg *args, size_t n, le_tensor *outputs);

/* The operation's own check of arguments that are bound; it keeps no data beyond it. */
le_status le__call_check(le_call *call);
/* Checks and binds. On success the caller must le__call_unbind. Inputs that live on a device stay
 * there. */
le_status le__call_bind(le_call *call, le_engine *engine, le__operation_entry *entry,
                        const le_arg *args, size_t n_args);
void le__call_unbind(le_call *call);
/* Gives outputs memory to write to. host: that memory, and the inputs, must be valid on the host
 * (CPU candidates). */
le_status le__call_prepare_tensors(le_call *call, bool host, le__outputs outputs);
/* Makes an argument valid on the host; a download counts as transfer. */
le_status le__call_fetch(le_call *call, le_tensor *t);
/* Hands the results over: fills in unallocated outputs, copies into strided ones. */
le_status le__call_commit(le_call *call);
void le__call_release_scratch(le_call *call);

#endif
