/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What an engine keeps of chains from run to run: plans, and chains of composite calls.
 */
#ifndef LE_CHAIN_STATE_H
#define LE_CHAIN_STATE_H

#include "chain/chain.h"

typedef struct le__kept_plan {
    uint64_t hash; /* key of the stored one, and the mode */
    int n_steps, n_devices;
    le__planned *steps;
    le__arm **arms;             /* by step: what the stored choice names; NULL: nothing yet */
    int64_t problem, candidate; /* of the stored choice in the database; 0: none */
    le__drop *drops;
    int n_drops;
    le__chain_totals totals;
    int64_t runs, plan_at; /* planned anew when runs reaches plan_at */
    struct le__kept_plan *next;
} le__kept_plan;

typedef struct le__stored_plan { /* a choice of this process or an earlier one */
    uint64_t key;
    char *evidence;
    struct le__stored_plan *next;
} le__stored_plan;

struct le__chains {
    pthread_mutex_t mutex; /* guards what follows */
    le__kept_plan *plans;
    le__stored_plan *stored;
    bool loaded;       /* the stored ones of earlier processes */
    le_chain *idle;    /* expanded for calls that have ended; the last used first */
    double answered_s; /* by chains that might use OpenCL */
};

/* --- keeping plans (keep.c) --- */

typedef enum le__kept { LE__KEPT_NONE, LE__KEPT_DUE, LE__KEPT_GOOD } le__kept;

/* Whether the chain's last plan still holds for this run, which is counted then. inputs: where they
 * are; 0: all on the host. */
bool le__chain_is_planned(le_chain *chain, uint64_t inputs);
/* Fills the chain's choices, drops and totals with the plan of an earlier run in the same
 * situation. inputs: where they are; 0: all on the host. Due: it is time to plan anew. A plan is
 * made anew at runs 1, 2, 3, 4, 6, 8, 11, ... : often while little is known; never in frozen mode.
 */
le__kept le__chain_take_kept(le_chain *chain, uint64_t inputs);
/* Keeps what the chain's choices say for further runs. le__chain_take_kept comes before. */
void le__chain_keep(le_chain *chain);
/* That of the chain's last plan; NULL: there is none. The mutex of the engine's chains is held. */
le__kept_plan *le__chain_find_kept(const le_chain *chain);
void le__chain_copy_drops(le_chain *chain, const le__drop *drops, int n);

/* --- plans as stored choices (store.c) --- */

/* Of the chain's steps, shapes, wants and where inputs are: what its plan depends on. */
uint64_t le__chain_key(const le_chain *chain);

/* Fills the chain's choices, drops and totals with the stored choice; opens OpenCL when that names
 * a device of it. false when there is none, or a device or candidate of it is no longer there. */
bool le__chain_recall(le_chain *chain);
/* After a successful run that ended at `ended`: stores the plan with the candidates that ran when
 * it is not what is stored, and the time of the run. Nothing in frozen mode. */
void le__chain_remember(le_chain *chain, double ended);
void le__stored_plan_free(le__stored_plan *plan);

#endif
