/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the dispatcher keeps of an operation: its candidates as arms (known to policy and database)
 * and the proofs that they share.
 */
#ifndef LE_ARM_H
#define LE_ARM_H

#include "call/candidate.h"
#include "policy/policy.h"
#include "call/problem.h"
#include "trial/verify.h"
#include "choose/settling.h"

#include <pthread.h>

typedef enum le__state { /* same values as le_db_state */
                         LE__UNPROVEN = 0,
                         LE__PROVEN,
                         LE__FAILED,
                         LE__QUARANTINED
} le__state;

enum { LE__CLASS_TRIAL = -1 }; /* the small sample of a trial */

/* Seconds for an operation of its work; 0: unknown. A small sample takes more of them than a call,
 * and whoever was kept from the processor once took more than the next time. */
typedef struct le__rate {
    double last, before; /* when its answers were compared with others' */
    double most;         /* by trials */
} le__rate;

/* Where a verdict comes from: each of these counts before those above it. */
typedef enum le__found {
    LE__FOUND_NOWHERE = 0, /* nothing is known */
    LE__FOUND_ELSEWHERE,   /* on another machine */
    LE__FOUND_EARLIER,     /* on this one, by an earlier process or one beside this */
    LE__FOUND_NOW
} le__found;

/* What is known for one kind of problem and one size class. */
typedef struct le__verdict {
    char kind[256];
    int size_class;
    le__state state;
    le__found found;
    le__error_profile error;
    char reason[160];
    bool untold;  /* proven without an error: there was nothing to compare with */
    bool refused; /* an answer, for `error` alone: whoever allows more may have it */
    bool ran;     /* a first run has come to its end, in this process or an earlier one */
    bool suspect; /* a process ended during it */
    bool wary;    /* ... or during the first one of its size: larger ones are tried in a child */
    double run_s; /* what the sample of a trial, else a run that was compared took; 0: unknown */
    double work;  /* operations of the sample, else of the largest call that was compared */
    struct le__verdict *next;
} le__verdict;

/* Who lacked memory is asked again then, each further time after twice as long: nobody knows whose
 * the memory was. */
typedef struct le__pause {
    double until, seconds; /* le__now(), 0: it is over; how long the last one was, 0: none was */
} le__pause;
void le__pause_begin(le__pause *p);

/* Candidates that differ in threads and schedule only run the same code: they share one proof. */
typedef struct le__proof {
    const le_implementation *implementation;
    le__device *device;
    int64_t params[LE__MAX_TUNABLES];
    int64_t db;        /* candidate id of its verdicts */
    bool quarantined;  /* for every kind */
    bool hung_idle;    /* a trial hung without using the processor; the next one decides */
    le__pause lack;    /* there was no memory for a trial, as `failure` says */
    char reason[160];  /* of the quarantine */
    le__rate rate;     /* as who gives second answers */
    char failure[160]; /* the last one that is no verdict: on one problem, as things were then */
    le__verdict *verdicts;
    struct le__proof *next;
} le__proof;

typedef struct le__arm {
    le__candidate candidate;
    le__proof *proof;
    uint32_t index; /* in the state's array */
    int policy;     /* id in the family */
    int64_t db;
    bool deaf; /* a run that should have been stopped was not: its items are too long, or none */
} le__arm;

/* What a stored choice comes from. Only the first one counts as measured. */
typedef enum le__chosen {
    LE__CHOSEN_BY_RACE = 0,
    LE__CHOSEN_UNDER_LOAD, /* by one while others used the machine */
    LE__CHOSEN_BY_LEARNING /* by calls that were answered, among those that seemed worth a run */
} le__chosen;

typedef struct le__stored_choice {
    int64_t problem; /* database id */
    char constraint[256];
    le__arm *arm;
    size_t rank; /* of two that say the same, the first one loaded counts */
    le__chosen chosen;
} le__stored_choice;

typedef struct le__op_state {
    le__operation_entry *entry;
    int family;            /* in the policy */
    pthread_mutex_t mutex; /* guards all below */
    le__arm **arms;        /* grows; pointers stay valid */
    size_t n_arms;
    le__proof *proofs;
    int n_devices; /* for which arms were made */
    size_t n_implementations;
    bool loaded;       /* from the database */
    bool unheard;      /* verdicts that came since could not be read: they are later */
    double compared_s; /* spent on comparing answers beyond those that are due */
    le__rate reference;
    le__settling settling;
    bool accounted; /* earlier processes' accounts are; later they would hold this one's, too */
    le__stored_choice *choices;
    size_t n_choices;
} le__op_state;

/* What the descriptors say of a candidate's speed, for the policy; the second for one call. */
le__policy_candidate le__arm_prior(const le__candidate *c);
double le__arm_speed(const le__candidate *c, const le_call *call);
/* Seconds that one whose rate this is takes for so much work; claimed: what speeds say of that. */
double le__rate_seconds(const le__rate *rate, double work, double claimed);
void le__rate_note_compared(le__rate *rate, double seconds, double work);
void le__rate_note_trial(le__rate *rate, double seconds, double work);

struct le__store;

/* Makes or completes the arms for the devices and implementations known now. Mutex held. */
le_status le__op_state_update(le__op_state *s, le_engine *engine, le__policy *policy,
                              struct le__store *store);
void le__op_state_free(le__op_state *s);

/* Mutex held for these. The verdict of a kind and size class; NULL when there is none. */
le__verdict *le__proof_find(const le__proof *p, const char *kind, int size_class);
/* The same, made when absent; NULL when out of memory. A proof keeps the 512 newest. */
le__verdict *le__proof_verdict(le__proof *p, const char *kind, int size_class);
/* What the sample of a trial took is kept as the text of a verdict that needs none, and read from
 * there. */
void le__verdict_time_text(char *out, size_t size, double run_s, double work, bool wary);
void le__verdict_read_time(le__verdict *v);
/* What the code has done wrong, for this kind and class; NULL: nothing that is known. */
const char *le__proof_fault(const le__proof *p, const char *kind, int size_class);
/* Why the proof rules the candidate out for this kind, class and tolerance; NULL when it does not.
 */
const char *le__proof_objection(const le__proof *p, const char *kind, int size_class, double atol,
                                double rtol);
/* Whether there was no memory for a trial of late. */
bool le__proof_rests(const le__proof *p);
/* Before a run for a call of that tolerance, to which the proof does not object. */
void le__proof_give_leave(le__proof *p, const char *kind, int size_class);

#endif
