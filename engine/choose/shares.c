/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Stored shares.
 */
#include "choose/shares.h"

#include "benchdb.h"
#include "call/counted.h"
#include "numbers.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double worth_storing = 1.0 / 16; /* of a share: how far it has moved */

enum { SLOTS = 1 << 14, WAYS = 4 };

typedef struct stored {
    uint64_t key; /* 0: none */
    le__rows_share share;
} stored;

struct le__shares {
    pthread_mutex_t mutex; /* guards all below */
    bool loaded;
    stored *slots; /* NULL: nothing is known, or there is no memory */
};

le_status le__shares_open(le__shares **out) {
    *out = calloc(1, sizeof **out);
    if (!*out)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    pthread_mutex_init(&(*out)->mutex, NULL);
    return LE_OK;
}

void le__shares_close(le__shares *s) {
    if (!s)
        return;
    pthread_mutex_destroy(&s->mutex);
    free(s->slots);
    free(s);
}

/* --- the table --- */

static uint64_t key_of(const char *problem, const char *output) {
    uint64_t key = XXH64(output, strlen(output), XXH64(problem, strlen(problem), 0));
    return key + (key == 0);
}

/* That of the key, else one to be used for it. */
static stored *slot_of(le__shares *s, uint64_t key) {
    if (!s->slots)
        s->slots = calloc(SLOTS, sizeof *s->slots);
    if (!s->slots)
        return NULL;
    stored *ways = &s->slots[key % (SLOTS / WAYS) * WAYS];
    for (int i = 0; i < WAYS; i++)
        if (ways[i].key == key || ways[i].key == 0)
            return &ways[i];
    return &ways[key >> 32 & (WAYS - 1)];
}

static bool read_share(const char *evidence, le__rows_share *out) {
    cJSON *root = evidence ? le__json_parse(evidence, strlen(evidence) + 1, NULL) : NULL;
    const double most = le__json_number(root, "most"), mean = le__json_number(root, "mean");
    bool good = most >= 0 && mean >= 0 && isfinite(most + mean);
    if (good)
        *out = (le__rows_share){most, mean};
    cJSON_Delete(root);
    return good;
}

static void take(void *shares, const char *problem, const char *output, const char *evidence) {
    uint64_t key = key_of(problem, output);
    stored *slot = slot_of(shares, key);
    le__rows_share share;
    if (slot && slot->key != key && read_share(evidence, &share))
        *slot = (stored){key, share};
}

/* --- calls --- */

/* "OPERATION", or "OPERATION image=f32[512,512] ..." */
static void problem_text(const le_call *call, const char *problem, bool of_all, char *out,
                         size_t size) {
    snprintf(out, size, "%s%s%s", call->operation->name, of_all ? "" : " ", of_all ? "" : problem);
}

typedef void (*share_fn)(le__shares *s, le__store *store, const le_call *call, size_t arg,
                         bool of_all, const char *problem);

static void each(le__shares *s, le__store *store, const le_call *call, const char *problem,
                 share_fn fn) {
    char text[LE__PROBLEM_TEXT + 128];
    pthread_mutex_lock(&s->mutex);
    if (!s->loaded)
        s->loaded = le__store_each_note(store, LE_DB_ROWS, take, s);
    for (size_t arg = 0; arg < call->operation->n_args; arg++)
        for (int of_all = 0; le__is_counted(call, arg) && of_all < 2; of_all++) {
            problem_text(call, problem, of_all, text, sizeof text);
            fn(s, store, call, arg, of_all, text);
        }
    pthread_mutex_unlock(&s->mutex);
}

static void recall(le__shares *s, le__store *store, const le_call *call, size_t arg, bool of_all,
                   const char *problem) {
    le__rows_share known;
    uint64_t key = key_of(problem, call->operation->args[arg].name);
    const stored *slot = slot_of(s, key);
    (void)store;
    if (slot && slot->key == key && !le__counted_share(call, arg, of_all, &known))
        le__counted_recall(call, arg, of_all, slot->share);
}

static bool differs(double a, double b) {
    return fabs(a - b) > worth_storing * fmax(a, b);
}

static char *write_share(le__rows_share share) {
    cJSON *root = cJSON_CreateObject();
    le__json_add_number(root, "most", share.most);
    le__json_add_number(root, "mean", share.mean);
    char *text = le__json_print(root, 0);
    cJSON_Delete(root);
    return text;
}

static void keep(le__shares *s, le__store *store, const le_call *call, size_t arg, bool of_all,
                 const char *problem) {
    le__rows_share now;
    const char *output = call->operation->args[arg].name;
    uint64_t key = key_of(problem, output);
    stored *slot = slot_of(s, key);
    if (!slot || !le__counted_share(call, arg, of_all, &now) ||
        (slot->key == key && !differs(now.most, slot->share.most) &&
         !differs(now.mean, slot->share.mean)))
        return;
    char *evidence = write_share(now);
    const le_work work = {0, 0};
    if (evidence)
        le__store_keep_choice(store, le__store_problem(store, LE_DB_ROWS, problem, &work),
                              le__store_note(store, LE_DB_ROWS, "share", ""), output, evidence);
    free(evidence);
    *slot = (stored){key, now};
}

void le__shares_recall(le__shares *s, le__store *store, const le_call *call, const char *problem) {
    if (call->counted)
        each(s, store, call, problem, recall);
}

void le__shares_keep(le__shares *s, le__store *store, const le_call *call, const char *problem) {
    if (call->counted && call->want.mode != LE_MODE_FROZEN)
        each(s, store, call, problem, keep);
}
