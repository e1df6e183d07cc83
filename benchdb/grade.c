/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 */
#include "grade.h"

#include <string.h>

void le__db_grade_identities(le_db *db, le__db_rows *rows) {
    const le__db_name *machine = le__db_names_find(&db->names, db->machine);
    const le__db_name *build = le__db_names_find(&db->names, db->build);
    le_db_identity *v = rows->identities.data;
    for (size_t i = 0; i < rows->identities.n; i++) {
        const le__db_name *here = v[i].kind == LE_DB_MACHINE ? machine
                                  : v[i].kind == LE_DB_BUILD ? build
                                                             : NULL;
        if (here && here->id != v[i].id)
            v[i].differs = le__db_compare_parts(v[i].kind, v[i].parts, v[i].n_parts, here->parts,
                                                here->n_parts);
    }
}

uint32_t le__db_differs(const le__db_rows *rows, int64_t identity) {
    uint32_t at;
    if (!le__db_map_find(&rows->identity_at, identity, &at))
        return 0;
    return ((const le_db_identity *)rows->identities.data)[at].differs;
}

static int bit_count(uint32_t bits) {
    int n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* The registered device that a stored one stands for: the same, else of the same name and most
 * alike. */
static int64_t match_device(le_db *db, const le_db_identity *stored, uint32_t *differs) {
    int64_t devices[64], best = 0;
    pthread_mutex_lock(&db->names.lock);
    size_t n = db->n_devices;
    memcpy(devices, db->devices, n * sizeof *devices);
    pthread_mutex_unlock(&db->names.lock);
    *differs = LE_DIFF_NO_DEVICE;
    for (size_t i = 0; i < n; i++) {
        const le__db_name *here = le__db_names_find(&db->names, devices[i]);
        if (!here || strcmp(le__db_part_of(here->parts, here->n_parts, "name"),
                            le__db_part_of(stored->parts, stored->n_parts, "name")) != 0)
            continue;
        uint32_t bits = le__db_compare_parts(LE_DB_DEVICE, stored->parts, stored->n_parts,
                                             here->parts, here->n_parts);
        if (best == 0 || bit_count(bits) < bit_count(*differs)) {
            best = devices[i];
            *differs = bits;
        }
    }
    return best;
}

static void grade_devices(le_db *db, le__db_rows *rows) {
    le_db_identity *v = rows->identities.data;
    le_db_known_candidate *c = rows->candidates.data;
    uint32_t at;
    for (size_t i = 0; i < rows->candidates.n; i++) {
        if (c[i].device == 0)
            continue;
        c[i].differs = LE_DIFF_NO_DEVICE;
        if (!le__db_map_find(&rows->identity_at, c[i].device, &at))
            continue;
        c[i].device_here = match_device(db, &v[at], &c[i].differs);
        v[at].differs = c[i].differs;
    }
}

void le__db_grade_rows(le_db *db, le__db_rows *rows) {
    const le_db_known_candidate *c = rows->candidates.data;
    le_db_known_samples *s = rows->samples.data;
    le_db_verdict *v = rows->verdicts.data;
    le_db_choice *h = rows->choices.data;
    le_db_account *a = rows->accounts.data;
    grade_devices(db, rows);
    for (size_t i = 0; i < rows->samples.n; i++)
        s[i].differs = le__db_differs(rows, s[i].machine) | le__db_differs(rows, s[i].build) |
                       c[s[i].candidate_index].differs;
    for (size_t i = 0; i < rows->verdicts.n; i++)
        v[i].differs = le__db_differs(rows, v[i].machine) | le__db_differs(rows, v[i].build) |
                       c[v[i].candidate_index].differs;
    for (size_t i = 0; i < rows->choices.n; i++)
        h[i].differs = le__db_differs(rows, h[i].machine) | le__db_differs(rows, h[i].build) |
                       c[h[i].candidate_index].differs;
    for (size_t i = 0; i < rows->accounts.n; i++)
        a[i].differs = le__db_differs(rows, a[i].machine) | le__db_differs(rows, a[i].build);
}
