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

#include <stdatomic.h>

enum { LE__MAX_TUNABLES = 8 };

struct le__device;
struct le__cl_call; /* OpenCL side of one execution; see opencl.h */

typedef struct le__bound_arg {
    bool given;
    bool own;                 /* tensor.storage belongs to this call */
    const le_tensor *user_in; /* inputs: the caller's tensor */
    le_tensor *user_out;      /* outputs: the caller's tensor, written on success only */
    le_tensor tensor;         /* inputs: the caller's, host-valid when a CPU candidate runs;
                                 outputs: contiguous, what the candidate writes */
    double f64;
    int64_t i64;
    const char *str;
    const double *f64s;
    size_t count;
} le__bound_arg;

typedef struct le__constraint { /* what a call asks for beside its result */
    double atol, rtol;
    const char *run_type, *implementation, *device; /* NULL: any */
    le_mode mode;
    le_objective objective;
    int64_t memory_limit;
    bool reproducible, keep_on_device;
} le__constraint;

/* Takes one option (LE_OPT_...) over, or says what is wrong with it; who: whose option it is. */
le_status le__constraint_take(le__constraint *w, const char *who, const le_arg *option);

typedef struct le__scratch {
    struct le__scratch *next;
    size_t bytes;
} le__scratch;

typedef struct le__run_stats {                     /* of one execution */
    double seconds, kernel_seconds, setup_seconds; /* seconds: with transfers, without the set-up */
    double ended;                                  /* when, on the monotonic clock */
    int64_t bytes_to_device, bytes_from_device;
    int64_t scratch_bytes, peak_scratch_bytes;
} le__run_stats;

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
    bool beside; /* may run while another such call has the same device */
    bool step;   /* of a chain, which has put the tensors where they are needed and
                  forces run types and implementations itself */
    le__schedule schedule;
    le__scratch *scratch;
    le__run_stats stats;
    struct le__cl_call *cl;
    const atomic_bool *cancelled;    /* NULL: cannot be cancelled */
    double waited;                   /* seconds, for trials that came to nothing */
    unsigned char poison;            /* of guarded outputs */
    le__bound_arg args[LE_MAX_ARGS]; /* last: only n_args of them are set */
};

/* Checks and binds. On success the caller must le__call_unbind. Inputs that live on a device stay
 * there. */
le_status le__call_bind(le_call *call, le_engine *engine, le__operation_entry *entry,
                        const le_arg *args, size_t n_args);
void le__call_unbind(le_call *call);
typedef enum le__outputs {
    LE__OUTPUTS_IN_PLACE =
        0,              /* the caller's memory when it is contiguous, else storage of our own */
    LE__OUTPUTS_FRESH,  /* storage of our own */
    LE__OUTPUTS_GUARDED /* ... filled with call->poison, LE__GUARD_BYTES before and behind */
} le__outputs;
enum { LE__GUARD_BYTES = 4096 };

/* Gives outputs memory to write to. host: that memory, and the inputs, must be valid on the host
 * (CPU candidates). */
le_status le__call_prepare_tensors(le_call *call, bool host, le__outputs outputs);
/* Hands the results over: fills in unallocated outputs, copies into strided ones. */
le_status le__call_commit(le_call *call);
void le__call_release_scratch(le_call *call);

#endif
