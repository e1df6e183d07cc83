/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A question: one problem under one constraint (tolerance, forced parts, objective, mode), with the
 * choice that answers it at present. Calls with a known choice find it without a lock.
 */
#ifndef LE_QUESTION_H
#define LE_QUESTION_H

#include "choose/arm.h"

/* Runs of the known choice since the policy last heard of them. Threads count in stripes of their
 * own, so that they do not pull one cache line to and fro; a stripe is held while it is changed. */
enum { LE__STRIPES = 8 };
typedef struct le__stripe {
    _Alignas(64) atomic_bool held;
    _Atomic int64_t n;         /* read without holding it */
    int64_t timed;             /* of these */
    double log, log2, seconds; /* of the timed: sums of log seconds, of its square, of seconds */
} le__stripe;

typedef struct le__question {
    uint64_t hash;
    le__op_state *op;
    char problem[LE__PROBLEM_TEXT], constraint[256], kind[256];
    le_work work;
    int size_class;
    uint32_t at[LE_MAX_ARGS]; /* by argument: where it lay when this was asked first */
    int policy;               /* problem id in the policy */
    int64_t db;               /* problem id in the database */
    le_mode mode;
    /* guarded by op->mutex */
    const char **left_out;  /* by arm: why it does not apply; NULL: it does */
    size_t n_arms;          /* arms that left_out speaks of */
    int stored;             /* arm whose choice is in the database; -1 none */
    bool stored_under_load; /* that choice was measured while others used the machine */
    pthread_mutex_t race;   /* held by the thread that measures */
    atomic_bool measured;   /* a race has decided it, in this process or an earlier one */
    bool *seen;             /* by arm: has run on this problem in this process */
    float *moved;           /* by arm: seconds that arguments were under way; < 0: not seen yet */
    int n_aside;            /* arms set aside */
    /* the known choice; read and written without a lock */
    _Alignas(64) _Atomic(le__arm *) known;
    _Atomic int64_t reuse_calls; /* by one stripe */
    _Atomic double reuse_until, alarm_s;
    _Atomic double brief_s; /* what a run takes that is too short to time each; 0: it is not */
    le__stripe stripes[LE__STRIPES];
} le__question;

typedef struct le__questions le__questions; /* the table */

le_status le__questions_open(le__questions **out);
void le__questions_close(le__questions *t);
/* No lock. NULL when absent. */
le__question *le__questions_find(const le__questions *t, uint64_t hash);
/* Makes it, or returns the one another thread made meanwhile. */
le_status le__questions_add(le__questions *t, le__question *made, le__question **out);
/* Calls fn for each; not while questions are added. */
void le__questions_each(le__questions *t, void (*fn)(le__question *q, void *context),
                        void *context);
void le__question_free(le__question *q);

/* Keeps how long arguments were under way when the arm ran, unless an earlier run of the same call
 * has moved them. Mutex of the operation held. */
void le__question_note_moved(le__question *q, const le__arm *arm, const le_call *call);

/* Leaves out all arms of a proof as "its trial is under way", and brings them back. Mutex of the
 * operation held. */
void le__question_set_aside(le__question *q, const le__proof *p);
void le__question_bring_back(le__question *q, const le__proof *p);
bool le__question_is_aside(const le__question *q, const le__arm *arm);

/* The known choice, as long as it may be reused without asking the policy; else NULL. granted:
 * seconds that its next run may be taken to last without being timed; 0: it is to be timed. */
le__arm *le__question_known(le__question *q, double *granted);
/* The policy decided: this arm answers until something changes. */
void le__question_keep(le__question *q, le__arm *arm, const le__policy_decision *of);
void le__question_forget(le__question *q);
/* One more run by the known choice; forgets the choice when the run was late or too slow, as far as
 * it was timed. */
void le__question_count(le__question *q, const le__run_stats *run, bool timed);

/* What a sample says: seconds without transfers, which are uncertain enough to leave nothing. */
double le__own_seconds(double seconds, double transfer);

typedef struct le__bulk { /* runs counted together */
    int64_t n;
    double mean_log, m2_log, seconds;
} le__bulk;
/* Takes what was counted; n is 0 when there is nothing. */
le__bulk le__question_take(le__question *q);

#endif
