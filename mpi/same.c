/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reproducible calls over ranks: one implementation answers all blocks on all ranks, whose
 * processors may differ, and whichever views a block happens to have.
 */
#include "job.h"
#include "patient.h"

#include <stdio.h>
#include <string.h>

/* Who answers the whole call here; "": nobody. */
static void choice_of(const le_explanation *e, char out[LE__NAME]) {
    out[0] = '\0';
    for (size_t i = 0; e && i < e->n_candidates; i++) {
        const le_explained_candidate *c = le_explanation_candidate(e, i);
        if (!strcmp(c->candidate, e->choice))
            snprintf(out, LE__NAME, "%s", c->implementation);
    }
}

static void explain(const le__job *j, const le_arg *args, size_t n, char out[LE__NAME]) {
    le_explanation *e = NULL;
    if (le_call_explain(j->engine, &e, j->op->name, args, n) != LE_OK)
        e = NULL;
    choice_of(e, out);
    le_explanation_free(&e);
}

static bool all_can(const le__job *j, le_arg *args, size_t n, const char *name) {
    char chosen[LE__NAME] = "";
    args[n] = LE_OPT_IMPLEMENTATION(name);
    if (name[0])
        explain(j, args, n + 1, chosen);
    return le__world_all(&j->world, name[0] && !strcmp(chosen, name));
}

/* All have the same order of preference: at most one of the ranks' choices can be used by all. */
void le__same_implementation(le__job *j, le_arg *args, size_t n) {
    static const char *const usual[] = {"c", "reference"};
    char own[LE__NAME], name[LE__NAME];
    bool found = false;
    explain(j, args, n, own);
    for (int r = 0; r < j->world.ranks && !found; r++) {
        memcpy(name, own, sizeof name);
        le__patient_bcast(name, sizeof name, MPI_CHAR, r, j->world.comm);
        found = all_can(j, args, n, name);
    }
    for (size_t k = 0; k < sizeof usual / sizeof *usual && !found; k++) {
        snprintf(name, sizeof name, "%s", usual[k]);
        found = all_can(j, args, n, name);
    }
    if (found)
        memcpy(j->implementation, name, sizeof name);
}
