/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Between the dispatcher and the timings database: names rows, grades what was stored elsewhere or
 * earlier, and writes behind the caller's back. In frozen mode it only reads.
 */
#ifndef LE_STORE_H
#define LE_STORE_H

#include "choose/arm.h"
#include "core/conditions.h"

typedef struct le__store le__store;
struct le_db;

/* Never fails for the database's sake; NULL only when out of memory. */
le_status le__store_open(le__store **out, le_engine *engine);
void le__store_close(le__store *s);
/* Returns when the database's writer has nothing to do, or after a second. */
void le__store_rest(le__store *s);
/* NULL when there is none. */
struct le_db *le__store_db(le__store *s);

/* Id of a candidate's rows; `proof`: of the code alone, without threads and schedule. */
int64_t le__store_candidate(le__store *s, const le__candidate *c, bool proof);
int64_t le__store_problem(le__store *s, const char *operation, const char *text,
                          const le_work *work);
/* Whether le__store_problem has told what a problem is, and that is remembered. If not, what is
 * written of it may be lost. */
bool le__store_has_problem(le__store *s, int64_t problem);
struct le__question;
/* The problem of a question, for which that is seen to. */
int64_t le__store_question(le__store *s, const struct le__question *q);

/* What was locked is tried again so many seconds later. */
#define LE__READ_AGAIN_S 1.0
/* Fills policy and verdicts with what is known of an operation; false when that could not be read,
 * as when the database is locked: to be tried again. Mutex of the state held. */
bool le__store_load(le__store *s, le__op_state *op, le__policy *policy);
/* Whether the process has met a problem or a question before, by its hash, or the database had it
 * when it was loaded; from now on it has. Sometimes true for one that is new. */
bool le__store_has_met(le__store *s, uint64_t hash);
/* Adds what the database knows of one problem: the choices, and the samples unless policy is NULL.
 * False when that could not be read: to be tried again. Mutex of the state held. */
bool le__store_load_problem(le__store *s, le__op_state *op, le__policy *policy, int64_t problem);
/* Verdicts that came since the operation was loaded; false as above. Mutex of the state held. */
bool le__store_load_verdicts(le__store *s, le__op_state *op);
/* Stored choice of a problem under a constraint; NULL if none that is still to be believed. */
le__stored_choice *le__store_choice(const le__op_state *op, int64_t problem,
                                    const char *constraint);
/* What this process has stored: other questions about the problem, in another mode, go by it too.
 * What calls have learnt is only noted in place of another choice. Mutex of the state held. */
void le__store_note_choice(le__op_state *op, int64_t problem, const char *constraint, le__arm *arm,
                           le__chosen chosen);
/* In the evidence of choices: le__chosen. */
#define LE__BY_LEARNING "\"by\":\"learn\""

typedef struct le__observation {
    const le__run_stats *stats;
    bool cold, bench, cut;
    le__conditions conditions;
} le__observation;

void le__store_sample(le__store *s, int64_t problem, int64_t candidate, const le__observation *o);
struct le__bulk;
/* Runs of the known choice, as statistics. */
void le__store_bulk(le__store *s, int64_t problem, int64_t candidate, const struct le__bulk *b);
void le__store_verdict(le__store *s, const le__proof *p, const le__verdict *v);
/* That the candidate's first run in the verdict's size class begins in this process; or that it is
 * over, which is no end that anybody has seen unless the verdict says that it ran. */
void le__store_first_run(le__store *s, const le__proof *p, const le__verdict *v, bool begins);
void le__store_keep_choice(le__store *s, int64_t problem, int64_t candidate, const char *constraint,
                           const char *evidence);
/* Identity of a device; 0: the CPU pool. */
int64_t le__store_device(le__store *s, const le__device *d);
/* Choices of the engine's own, under operations of benchdb.h that begin with '@': id of what is
 * chosen, as a candidate; and all that are still to be believed, false when they could not be
 * read. */
int64_t le__store_note(le__store *s, const char *operation, const char *implementation,
                       const char *params);
bool le__store_each_note(le__store *s, const char *operation,
                         void (*fn)(void *cookie, const char *problem, const char *constraint,
                                    const char *evidence),
                         void *cookie);
void le__store_account(le__store *s, const char *operation, double answered_s, double explored_s,
                       int64_t calls);
/* What wrong choices have cost, by what is known in the end. */
void le__store_regret(le__store *s, const char *operation, double seconds);
/* Mean seconds of a candidate on n problems, from this machine and device as they are now; NAN
 * where the database has none. False when that could not be read: to be tried again. Slow: it loads
 * the operation. */
bool le__store_seconds(le__store *s, const le__candidate *c, char (*problems)[64], int n,
                       double *seconds);
/* Seconds answered by an operation on this machine in earlier processes. */
double le__store_answered(le__store *s, const le__op_state *op);

#endif
