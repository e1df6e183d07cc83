/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A call that the ranks share.
 */
#ifndef LE_MPI_JOB_H
#define LE_MPI_JOB_H

#include "cut.h"
#include "hand.h"
#include "liquid_engine/le_stream.h"
#include "world.h"

enum { LE__NAME = 128, LE__MOST_ARGS = 2 * LE_MAX_ARGS };

typedef struct le__shared {
    const char *place; /* NULL: a tensor */
    const le_tensor *in;
    le_tensor *out;
    le_tensor asked; /* output: what it is to be like, of others than who gets it the dtype alone */
    bool given;
    le_tensor
        shape; /* its dtype and shape; of inputs with one element for all, until they are read */
    le_tensor
        whole; /* input or table that is needed as a whole, or cannot be read in parts; own: */
    bool own;          /* is freed with the job */
    bool reserved;     /* output: each rank writes its part, */
    int64_t offset;    /* from this byte of the file on */
    le_target *target; /* joined from this rank's first block on */
    le_tensor
        *parts; /* output: of each block that this rank has made, until they are put together */
} le__shared;

typedef struct le__job {
    le_engine *engine;
    le__world world;
    le_mpi_options options;
    const le_operation *op;
    const le_arg *args; /* the caller's, then these, of which tables may come from rank 0: */
    le_arg own_args[LE__MOST_ARGS];
    size_t n_args;
    bool agreed; /* all ranks are given the same call */
    bool reproducible;
    bool forced;                   /* the caller says who is to answer */
    le_mode mode;                  /* that the call names, or the engine's */
    char implementation[LE__NAME]; /* that answers all blocks; "": each rank's own choice */
    le_slabs slabs;
    const char *why; /* it is not cut, where it is not */
    le__blocks blocks;
    double *speeds; /* of the ranks, as far as is believed; NULL: nothing is */
    le__hand hand;
    int *owners;                    /* rank by block; in the end, before: -1 for others' */
    int64_t own;                    /* items that this rank has done */
    int64_t boxes, samples_owned;   /* of calls that are cut into boxes: of all ranks in the end, */
    int64_t own_samples;            /* and of this one */
    double begun, deadline;         /* on MPI_Wtime; 0: none */
    double quickest;                /* seconds that an item took, at least; 0: none yet */
    le_tick tick;                   /* of this call, */
    const le_tick *theirs;          /* and the caller's; may be NULL */
    unsigned char *done;            /* by item, of an earlier job that did not end; NULL: nothing */
    int64_t left;                   /* items that this job has to do */
    uint64_t hash;                  /* of the call */
    char *journal;                  /* the file that says what is done; NULL: none */
    le__shared shared[LE_MAX_ARGS]; /* by index in the descriptor: tensors, tables */
} le__job;

bool le__is_in(const le__job *j, size_t arg);
bool le__is_out(const le__job *j, size_t arg);
/* Index in the descriptor; -1: it has none of the name. */
int le__job_arg(const le__job *j, const char *name);
/* LE_ERR_MEMORY, with the operation. */
le_status le__job_no_memory(const le__job *j);

/* --- agree.c --- */
/* That all are given the same operation, arguments and options, but for the elements of tensors,
 * and what tensors are. Sets j->hash. Collective. */
le_status le__agree_arguments(le__job *j);
/* What rank 0's tensor is, without memory. Collective. */
le_tensor le__agree_form(const le__job *j, const le_tensor *own);
/* An error where it has another dtype or shape than rank 0's. Collective; the status is this
 * rank's. */
le_status le__agree_tensor(const le__job *j, size_t arg, const le_tensor *own);

/* --- inputs.c --- */
/* What tensors are is known to all ranks then; those that all ranks have are alike and lie on the
 * host. Whether they have data is not looked at. Collective. */
le_status le__inputs_take(le__job *j);
/* The same for places, of which nothing is read. Collective. */
le_status le__inputs_describe(le__job *j);
/* Rank 0's tensors, which have been found good, to all ranks. Collective. */
le_status le__inputs_share(le__job *j);
/* Brings what every block needs as a whole to this rank's memory. */
le_status le__inputs_prepare(le__job *j);
/* An input's part for a block, into *out; le_tensor_free releases what was read. */
le_status le__inputs_part(const le__job *j, size_t arg, const le_slab_range *items, le_tensor *out);

/* --- journal.c --- */
/* Where all outputs are written in place: looks for what an earlier job has left of the same call,
 * else makes room and begins a journal. Collective. */
le_status le__journal_open(le__job *j);
/* A block has been written. */
le_status le__journal_mark(const le__job *j, const le_slab_range *items);
/* The call has ended; what is done of it stays when it failed. Returns whether anything is.
 * Collective. */
bool le__journal_close(le__job *j, bool good);

/* --- tables.c --- */
/* All have the same tables then, of which the engine checks what they are. Collective. */
le_status le__tables_agree(le__job *j);

/* --- outputs.c --- */
/* What the call asks for, known to all ranks. Collective. */
void le__outputs_describe(le__job *j);
/* That what they will be is the same on all ranks. Collective. */
le_status le__outputs_agree(const le__job *j);
/* Collective. */
le_status le__outputs_prepare(le__job *j);
/* Takes the result of a block; *made is empty then. */
le_status le__outputs_take(le__job *j, size_t arg, int64_t number, le_tensor *made);
/* Brings all parts to where they are wanted. Collective; `status`: of this rank. */
le_status le__outputs_finish(le__job *j, le_status status);
/* Rank 0 has worked the whole call off: shape is the result. Collective. */
le_status le__outputs_whole(le__job *j, le_tensor *made);

/* --- boxes.c --- */
/* Works the call off in boxes where its volume does not fit a rank's memory; *done: it was one of
 * these. Collective. */
le_status le__boxes_try(le__job *j, bool *done);

/* --- same.c --- */
/* Of a reproducible call, with the shapes of the whole one; args has room for another. Collective.
 */
void le__same_implementation(le__job *j, le_arg *args, size_t n);

#endif
