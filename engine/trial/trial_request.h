/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What goes to and from the server of trials. A request carries the shape of the wanted call (no
 * data), which is all that a sample call may depend on.
 */
#ifndef LE_TRIAL_REQUEST_H
#define LE_TRIAL_REQUEST_H

#include "trial/trial.h"

enum { LE__TRIAL_TEXTS = 1 << 20 };

typedef struct le__trial_arg {
    bool given;
    le_tensor tensor;
    double f64;
    int64_t i64;
    int32_t str, f64s; /* offsets in texts; -1: NULL */
    size_t count;
} le__trial_arg;

typedef struct le__trial_request {
    uint64_t key;        /* of candidate and kind of problem; never 0 */
    uint64_t descriptor; /* hash of what was registered: another one of the same name is not it */
    char operation[64], implementation[64];
    int32_t device, threads, schedule, pool_threads;
    int64_t params[LE__MAX_TUNABLES];
    uint32_t isa; /* the engine's, as the options below */
    uint64_t seed;
    double limit_s;
    double wait_s; /* for which a call waits for the answer */
    int64_t memory_limit, device_memory_limit;
    int32_t cl_dir, cache_dir, library; /* offsets in texts */
    int32_t rehearsal; /* the file to rehearse from, instead of a trial; -1: none */
    bool has_like;
    double atol, rtol; /* of the call that the sample is to be like */
    le__trial_arg args[LE_MAX_ARGS];
    size_t used;
    _Alignas(8) char texts[LE__TRIAL_TEXTS]; /* only so much is sent as is used */
} le__trial_request;

typedef struct le__trial_answer {
    uint64_t key; /* of the request */
    bool known;
    bool unregistered; /* where the trial would be: not known for that reason */
    le__trial_result result;
} le__trial_answer;

uint64_t le__trial_key(const le__candidate *c, const le_call *like);
/* Of what is built in, the same in every process. */
uint64_t le__trial_descriptor(const le__operation_entry *entry, const le_implementation *impl,
                              const char *source_hash);
/* Of everything that is built in: a helper program that has another one is not ours. */
uint64_t le__trial_identity(void);
/* rehearsal: NULL for a trial. Without `like` then, and when it has more words than fit. */
void le__trial_pack(le__trial_request *r, const le__operation_entry *entry, const le__candidate *c,
                    const le_call *like, const char *rehearsal, const le_engine *engine);
/* A call that has shapes and scalars but no data; it refers to the request's texts. */
le_status le__trial_unpack(const le__trial_request *r, le_engine *engine,
                           le__operation_entry *entry, le_call *like);
/* Text at an offset; NULL for -1. */
const char *le__trial_text(const le__trial_request *r, int32_t at);

/* All of it or false: the other side is gone. */
bool le__trial_transfer(int fd, void *data, size_t size, bool writing);
bool le__trial_transfer_request(int fd, le__trial_request *r, bool writing);

#endif
