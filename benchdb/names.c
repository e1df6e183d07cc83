/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The names a handle has been told: identities, problems and candidates with their content, found
 * by id. They are kept for the life of the handle, because any file that is begun later (after a
 * corrupt one was set aside) needs them again before rows can refer to them; but of problems only
 * some thousands, those of which something was written last.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const char *const le_db_state_names[5] = {"unproven", "proven", "failed", "quarantined", NULL};
const char *const le__db_kind_names[5] = {"", "machine", "build", "device", NULL};

static uint64_t chain(uint64_t h, const char *text) {
    text = text ? text : "";
    return XXH3_64bits_withSeed(text, strlen(text) + 1, h);
}

static int64_t not_zero(uint64_t h) {
    return h == 0 ? 1 : (int64_t)h;
}

int64_t le__db_problem_id(const char *operation, const char *key) {
    return not_zero(chain(chain(0x70, operation), key));
}

int64_t le__db_candidate_id(const le_db_candidate_key *key) {
    uint64_t h = chain(chain(chain(0x63, key->operation), key->implementation), key->run_type);
    h = XXH3_64bits_withSeed(&key->device, sizeof key->device, h);
    return not_zero(chain(chain(h, key->params), key->source_hash));
}

int64_t le__db_text_id(const char *text) {
    return not_zero(chain(0x74, text));
}

static void name_free(le__db_name *name) {
    if (!name)
        return;
    for (size_t i = 0; i < sizeof name->texts / sizeof *name->texts; i++)
        free(name->texts[i]);
    for (size_t i = 0; name->parts && i < name->n_parts; i++) {
        free((void *)(uintptr_t)name->parts[i].name);
        free((void *)(uintptr_t)name->parts[i].value);
    }
    free(name->parts);
    free(name);
}

void le__db_names_free(le__db_names *names) {
    for (size_t i = 0; i < names->capacity; i++)
        name_free(names->slots[i]);
    free(names->slots);
    names->slots = NULL;
    names->capacity = names->count = 0;
}

static size_t slot_of(le__db_name *const *slots, size_t capacity, int64_t id) {
    size_t at = (size_t)id & (capacity - 1);
    while (slots[at] && slots[at]->id != id)
        at = (at + 1) & (capacity - 1);
    return at;
}

static bool grow(le__db_names *names) {
    size_t capacity = names->capacity ? names->capacity * 2 : 256;
    le__db_name **slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < names->capacity; i++)
        if (names->slots[i])
            slots[slot_of(slots, capacity, names->slots[i]->id)] = names->slots[i];
    free(names->slots);
    names->slots = slots;
    names->capacity = capacity;
    return true;
}

/* Takes the name, or frees it when it is known already or there is no memory. */
static bool insert(le__db_names *names, le__db_name *name) {
    bool ok = true;
    pthread_mutex_lock(&names->lock);
    if (names->count * 2 >= names->capacity)
        ok = grow(names);
    if (ok) {
        size_t at = slot_of(names->slots, names->capacity, name->id);
        if (!names->slots[at]) {
            names->slots[at] = name;
            names->count++;
            names->problems += name->type == LE__NAME_PROBLEM;
            name = NULL;
        }
    }
    pthread_mutex_unlock(&names->lock);
    name_free(name);
    return ok;
}

enum { MOST_PROBLEMS = 4096 };

static bool is_to_go(le__db_name *name, uint64_t generation) {
    if (name->type != LE__NAME_PROBLEM || name->generation != generation)
        return false;
    bool written = name->written;
    name->written = false;
    return !written;
}

void le__db_names_thin(le__db_names *names, uint64_t generation) {
    pthread_mutex_lock(&names->lock);
    le__db_name **kept =
        names->problems > MOST_PROBLEMS ? calloc(names->capacity, sizeof *kept) : NULL;
    for (size_t i = 0; kept && i < names->capacity; i++) {
        le__db_name *name = names->slots[i];
        if (!name)
            continue;
        if (is_to_go(name, generation)) {
            names->count--;
            names->problems--;
            name_free(name);
        } else {
            kept[slot_of(kept, names->capacity, name->id)] = name;
        }
    }
    if (kept) {
        free(names->slots);
        names->slots = kept;
    }
    pthread_mutex_unlock(&names->lock);
}

le__db_name *le__db_names_find(le__db_names *names, int64_t id) {
    pthread_mutex_lock(&names->lock);
    le__db_name *found =
        names->capacity ? names->slots[slot_of(names->slots, names->capacity, id)] : NULL;
    pthread_mutex_unlock(&names->lock);
    return found;
}

static bool set_text(le__db_name *name, int i, const char *text) {
    return (name->texts[i] = strdup(text ? text : "")) != NULL;
}

static bool copy_parts(le__db_name *name, const le_db_part *parts, size_t n) {
    name->n_parts = 0;
    if (n == 0)
        return true;
    name->parts = calloc(n, sizeof *parts);
    if (!name->parts)
        return false;
    name->n_parts = n;
    for (size_t i = 0; i < n; i++) {
        name->parts[i].name = strdup(parts[i].name);
        name->parts[i].value = strdup(parts[i].value ? parts[i].value : "");
        if (!name->parts[i].name || !name->parts[i].value)
            return false;
    }
    name->n_parts = le__db_sort_parts(name->parts, n);
    return name->n_parts == n;
}

bool le__db_names_identity(le__db_names *names, le_db_kind kind, const le_db_part *parts, size_t n,
                           int64_t *id) {
    le_db_part sorted[LE__MAX_PARTS];
    n = n < LE__MAX_PARTS ? n : LE__MAX_PARTS;
    if (n > 0)
        memcpy(sorted, parts, n * sizeof *parts);
    n = le__db_sort_parts(sorted, n);
    *id = le_db_identity_id(kind, sorted, n);
    if (le__db_names_find(names, *id))
        return true;
    le__db_name *name = calloc(1, sizeof *name);
    if (!name)
        return false;
    name->id = *id;
    name->type = LE__NAME_IDENTITY;
    name->kind = kind;
    if (copy_parts(name, sorted, n))
        return insert(names, name);
    name_free(name);
    return false;
}

int64_t le_db_device(le_db *db, const le_db_part *parts, size_t n) {
    if (n == 0)
        return 0;
    int64_t id = le_db_identity_id(LE_DB_DEVICE, parts, n);
    if (!db || !le__db_names_identity(&db->names, LE_DB_DEVICE, parts, n, &id))
        return id;
    pthread_mutex_lock(&db->names.lock);
    bool known = false;
    for (size_t i = 0; i < db->n_devices; i++)
        known = known || db->devices[i] == id;
    if (!known && db->n_devices < sizeof db->devices / sizeof *db->devices)
        db->devices[db->n_devices++] = id;
    pthread_mutex_unlock(&db->names.lock);
    return id;
}

int64_t le_db_problem(le_db *db, const char *operation, const char *key, double work,
                      double bytes) {
    int64_t id = le__db_problem_id(operation, key);
    if (!db || !db->writer || le__db_names_find(&db->names, id))
        return id;
    le__db_name *name = calloc(1, sizeof *name);
    if (!name)
        return id;
    name->id = id;
    name->type = LE__NAME_PROBLEM;
    name->work = isfinite(work) ? work : 0;
    name->bytes = isfinite(bytes) ? bytes : 0;
    if (set_text(name, 0, operation) && set_text(name, 1, key))
        insert(&db->names, name);
    else
        name_free(name);
    return id;
}

bool le_db_has_problem(le_db *db, int64_t id) {
    return db && le__db_names_find(&db->names, id);
}

int64_t le_db_candidate(le_db *db, const le_db_candidate_key *key) {
    int64_t id = le__db_candidate_id(key);
    if (!db || le__db_names_find(&db->names, id))
        return id;
    le__db_name *name = calloc(1, sizeof *name);
    if (!name)
        return id;
    name->id = id;
    name->type = LE__NAME_CANDIDATE;
    name->device = key->device;
    if (set_text(name, 0, key->operation) && set_text(name, 1, key->implementation) &&
        set_text(name, 2, key->run_type) && set_text(name, 3, key->params) &&
        set_text(name, 4, key->source_hash))
        insert(&db->names, name);
    else
        name_free(name);
    return id;
}
