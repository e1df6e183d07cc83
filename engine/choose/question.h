/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A question: one problem under one constraint (tolerance, forced parts, objective, mode), with the
 * choice that answers it at present. Calls with a known choice find it without a lock. An engine
 * keeps LE__QUESTIONS of them; of more, those are dropped that have not been asked for long.
 */
#ifndef LE_QUESTION_H
#define LE_QUESTION_H

#include "choose/arm.h"

/* Runs of the known choice since the policy last heard of them. Threads count in stripes of their
 * own, so that they do not pull one cache line to and fro; a stripe is held while it is changed. */
enum { LE__STRIPES = 8, LE__QUESTIONS = 4096 };
typedef struct le__stripe {
    _Alignas(64) atomic_bool held;
    _Atomic int64_t n;         /* read without holding it */
    int64_t timed;             /* of these */
    _Atomic int64_t users;     /* threads that have the question in hand: it is not dropped */
    double log, log2, seconds; /* of the timed: sums of log seconds, of its square, of seconds */
} le__stripe;

typedef enum le__seen {
    LE__SEEN_RUN = 1,
    LE__SEEN_COMPARED = 2, /* or tried to: of all arms that share a proof */
    LE__SEEN_SHORT = 4,    /* left out since there was no memory for it */
    LE__SEEN_REFUSED = 8   /* it answered what the reference refused */
} le__seen;

typedef struct le__question {
    _Atomic uint64_t hash; /* 0: it has been dropped, and may become another one */
    le__op_state *op;
    char *problem, *constraint, *kind; /* in one block, which is the problem's */
    size_t room;                       /* bytes of that */
    le_work work;
    int size_class;
    uint32_t at[LE_MAX_ARGS]; /* by argument: where it lay when this was asked first */
    int policy;               /* problem id in the policy, where it is held */
    bool known_to_policy;     /* it was there before */
    int64_t db;               /* problem id in the database */
    le_mode mode;
    /* guarded by op->mutex */
    bool recalled;             /* what the database knows of it has been read */
    const char **left_out;     /* by arm: why it does not apply; NULL: it does */
    size_t n_arms;             /* arms that left_out speaks of */
    _Atomic int stored;        /* read without it: arm whose choice is in the database; -1 none */
    _Atomic le__chosen chosen; /* what that choice comes from */
    pthread_mutex_t race;      /* held by the thread that measures */
    atomic_bool measured;      /* a race has decided it, in this process or an earlier one */
    unsigned char *seen;       /* by arm: le__seen, of this problem in this process */
    float *moved;   /* by arm: seconds that arguments were under way; < 0: not seen yet */
    int n_aside;    /* arms set aside */
    le__pause lack; /* of those who were short of memory */
    struct le__question *spare; /* of dropped ones: the next */
    /* the known choice; read and written without a lock */
    _Alignas(64) _Atomic(le__arm *) known;
    atomic_bool asked;           /* since the last search for one to drop */
    _Atomic int64_t reuse_calls; /* by one stripe */
    _Atomic double reuse_until, alarm_s;
    _Atomic double brief_s; /* what a run takes that is too short to time each; 0: it is not */
    le__stripe stripes[LE__STRIPES];
} le__question;

typedef struct le__questions le__questions; /* the table */

le_status le__questions_open(le__questions **out);
void le__questions_close(le__questions *t);
/* No lock. NULL when absent; else to be released. */
le__question *le__questions_find(const le__questions *t, uint64_t hash);
/* One to be filled and added: zeroed, but for its arrays by arm. NULL without memory. */
le__question *le__questions_new(le__questions *t);
/* False without memory. */
bool le__question_set_texts(le__question *q, const char *problem, const char *constraint,
                            const char *kind);
/* Adds it, or returns the one another thread made meanwhile: *out is to be released. *dropped: the
 * question that had to go, NULL mostly; the caller puts it away. */
le_status le__questions_add(le__questions *t, le__question *made, uint64_t hash, le__question **out,
                            le__question **dropped);
/* A question that is in no table, for a later le__questions_new. Its memory is never given back
 * before the table is closed: a reader may be about to see that it was dropped. */
void le__questions_put_away(le__questions *t, le__question *q);
void le__question_release(le__question *q);
/* Calls fn for each; not while questions are added, when one may be missed or be another one. */
void le__questions_each(le__questions *t, void (*fn)(le__question *q, void *context),
                        void *context);
/* The known choices of all, at any time. */
void le__questions_forget(le__questions *t);

/* Keeps how long arguments were under way when the arm ran, unless an earlier run of the same call
 * has moved them. Mutex of the operation held. */
void le__question_note_moved(le__question *q, const le__arm *arm, const le_call *call);

/* Leaves out all arms of a proof as "its trial is under way", and brings them back. Mutex of the
 * operation held. */
void le__question_set_aside(le__question *q, const le__proof *p);
void le__question_bring_back(le__question *q, const le__proof *p);
bool le__question_is_aside(const le__question *q, const le__arm *arm);

/* Arms that were left out for a lack of memory may answer again when the pause is over. now:
 * INFINITY for at once, when those may be tried again, too, for whose trials there was none.
 * Returns whether there were any. Mutex of the operation held. */
bool le__question_forgive_short(le__question *q, double now);

/* The known choice, as long as it may be reused without asking the policy; else NULL. granted:
 * seconds that its next run may be taken to last without being timed; 0: it is to be timed. */
le__arm *le__question_known(le__question *q, double *granted);
/* The policy decided: this arm answers until something changes. */
void le__question_keep(le__question *q, le__arm *arm, const le__policy_decision *of);
void le__question_forget(le__question *q);
/* A race on a quiet machine has made the stored choice. */
static inline bool le__question_is_decided(const le__question *q) {
    return q->stored >= 0 && q->chosen == LE__CHOSEN_BY_RACE;
}

/* One more run by the arm, which was the known choice when it began: of one that is no longer,
 * nothing is counted. Forgets the choice when the run was late or too slow, as far as it was timed.
 */
void le__question_count(le__question *q, const le__arm *arm, const le__run_stats *run, bool timed);

/* What a sample says: seconds without transfers, which are uncertain enough to leave nothing. */
double le__own_seconds(double seconds, double transfer);

typedef struct le__bulk { /* runs counted together */
    int64_t n;
    double mean_log, m2_log, seconds;
} le__bulk;
/* Takes what was counted; n is 0 when there is nothing. */
le__bulk le__question_take(le__question *q);

#endif
